#include "worker/blocked_calls.h"

#include <algorithm>
#include <utility>

namespace rag_memory {

void BlockedCalls::add(uint64_t id) {
	std::lock_guard<std::mutex> lock(mutex);
	waiting.insert(id);
}

bool BlockedCalls::answer(std::unique_ptr<Message> &message) {
	{
		std::lock_guard<std::mutex> lock(mutex);
		const uint64_t id = message->id;
		if (waiting.erase(id) == 0) {
			return false;
		}
		answers[id] = std::move(message);
	}
	arrived.notify_all();
	return true;
}

BlockedCalls::Woken BlockedCalls::wait(
		uint64_t id, std::chrono::milliseconds limit, bool may_be_asked, std::unique_ptr<Message> &message, Question &question) {
	std::unique_lock<std::mutex> lock(mutex);
	const auto asked = [this, id, may_be_asked] {
		return may_be_asked ? std::find_if(questions.begin(), questions.end(), [id](const Question &each) { return each.message_id == id; })
							: questions.end();
	};
	if (!arrived.wait_for(lock, limit, [this, id, &asked] { return answers.count(id) != 0 || asked() != questions.end(); })) {
		return Woken::TIMED_OUT;
	}
	const auto answered = answers.find(id);
	if (answered != answers.end()) {
		message = std::move(answered->second);
		answers.erase(answered);
		return Woken::ANSWERED;
	}
	const auto found = asked();
	question = std::move(*found);
	questions.erase(found);
	return Woken::ASKED;
}

std::unique_ptr<Message> BlockedCalls::give_up(uint64_t id) {
	std::lock_guard<std::mutex> lock(mutex);
	waiting.erase(id);
	std::unique_ptr<Message> message;
	const auto answered = answers.find(id);
	if (answered != answers.end()) {
		message = std::move(answered->second);
		answers.erase(answered);
	}
	return message;
}

void BlockedCalls::answer_all(const std::string &error) {
	{
		std::lock_guard<std::mutex> lock(mutex);
		for (uint64_t id : waiting) {
			auto message = std::make_unique<Message>();
			message->id = id;
			message->answer.error = error;
			answers[id] = std::move(message);
		}
		waiting.clear();
	}
	arrived.notify_all();
}

void BlockedCalls::add_question(Question question) {
	{
		std::lock_guard<std::mutex> lock(mutex);
		questions.push_back(std::move(question));
		questions_wait.store(true);
	}
	arrived.notify_all();
}

std::vector<Question> BlockedCalls::take_questions() {
	const std::unique_lock<std::mutex> lock(mutex, std::try_to_lock);
	if (!lock.owns_lock()) {
		return {};
	}
	questions_wait.store(false);
	return std::exchange(questions, {});
}

} // namespace rag_memory
