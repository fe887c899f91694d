#include "calls/requests.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

#include "engine/engine_calls.h"
#include "engine/godot_api.h"

namespace rag_memory {

namespace {

constexpr std::chrono::seconds OVERDUE_CHECK_INTERVAL(1);
// Answers that have piled up are all delivered within about so many frames.
constexpr size_t LONGEST_BACKLOG_FRAMES = 8;
// How many NPCs a line names.
constexpr size_t MOST_NAMED = 8;
constexpr const char *CANCELLED_ERROR = "The request was cancelled.";

} // namespace

Requests::Requests(Worker &worker, GradualEncoding &encoding, EventDelivery &events, FinishedCalls &finished, Activity &activity) :
		worker(worker), encoding(encoding), events(events), finished(finished), activity(activity) {}

void Requests::add(uint64_t id, const Variant &request, const Instance &instance, const MethodDeclaration &method, Clock::time_point asked) {
	const Variant npc_id = method.writes ? instance.npc_id() : Variant();
	std::lock_guard<std::mutex> lock(mutex);
	open[id] = {request, instance.id, instance.declaration.name, npc_id, &method, frame_number, false, asked};
}

void Requests::cancel(uint64_t id) {
	give_up(id, CANCELLED_ERROR, true);
}

size_t Requests::count() {
	std::lock_guard<std::mutex> lock(mutex);
	return open.size();
}

Variant Requests::late_signal(const RequestInstance &completed) {
	const Variant request = Variant::from_object(godot.classdb_construct_object2(StringName("MemoryRequest").get()));
	const bool is_main_thread = std::this_thread::get_id() == main_thread;
	{
		std::lock_guard<std::mutex> lock(mutex);
		late.push_back({request, completed.get_result(), completed.get_error(), is_main_thread ? 0 : frame_number.load()});
		has_late.store(true, std::memory_order_release);
	}
	bool ok = false;
	return Variant(request).call(StringName("get"), {Variant::from_string("completed")}, ok);
}

void Requests::complete_late(uint64_t before_frame) {
	std::vector<Late> due;
	{
		std::lock_guard<std::mutex> lock(mutex);
		const auto first_due = std::stable_partition(late.begin(), late.end(), [before_frame](const Late &waiter) { return waiter.frame >= before_frame; });
		due.assign(std::make_move_iterator(first_due), std::make_move_iterator(late.end()));
		late.erase(first_due, late.end());
		has_late.store(!late.empty(), std::memory_order_release);
	}
	for (const Late &waiter : due) {
		const GDExtensionObjectPtr object = waiter.request.to_object();
		static_cast<RequestInstance *>(instance_of(object))->complete(waiter.result, waiter.error);
		emit_signal(object, "completed", {waiter.result});
	}
}

void Requests::give_up(uint64_t id, const std::string &error, bool is_cancelled) {
	std::lock_guard<std::mutex> lock(mutex);
	const auto found = open.find(id);
	if (found == open.end()) {
		return;
	}
	found->second.is_cancelled = found->second.is_cancelled || is_cancelled;
	auto message = std::make_unique<Message>();
	message->id = id;
	worker.answer_with_error(std::move(message), error);
	if (!encoding.give_up(id)) {
		worker.cancel(id);
	}
}

void Requests::give_up_overdue() {
	std::vector<uint64_t> overdue;
	{
		std::lock_guard<std::mutex> lock(mutex);
		for (const auto &[id, each] : open) {
			if (worker.is_overdue(each.asked)) {
				overdue.push_back(id);
			}
		}
	}
	for (uint64_t id : overdue) {
		give_up(id, Worker::OVERDUE_ERROR, false);
	}
}

void Requests::take_answered() {
	for (std::unique_ptr<Message> &message : worker.take_answered()) {
		events.add(message->answer);
		answered.push_back(std::move(message));
	}
}

void Requests::emit_signals(const Answer &answer) {
	worker.wait_until_made(answer.number);
	take_answered();
	events.add(answer);
	events.emit(answer.number, Clock::time_point::max());
}

// No request completes in the frame it was made in.
bool Requests::is_early(const Message &message) {
	std::lock_guard<std::mutex> lock(mutex);
	const auto found = open.find(message.id);
	return found != open.end() && found->second.frame == frame_number;
}

// Hands over what one message has brought back; false when its signals take more than this frame has for them.
bool Requests::deliver(Message &message, Clock::time_point until) {
	Answer &answer = message.answer;
	if (!events.emit(answer.number, until)) {
		return false;
	}
	Request asked;
	{
		std::lock_guard<std::mutex> lock(mutex);
		const auto found = open.find(message.id);
		if (found == open.end()) {
			return true; // given up, or nobody has asked
		}
		asked = std::move(found->second);
		open.erase(found);
	}
	if (asked.method->id == COLLECT_COUNTS_METHOD) {
		activity.take_counts(answer.result);
		return true;
	}
	if (asked.method->writes && answer.error == Worker::STOPPED_ERROR) {
		const std::string npc_id = asked.npc_id.to_string();
		unwritten[npc_id.empty() ? asked.class_name : npc_id]++;
	}
	if (!answer.error.empty() && !answer.was_reported && !asked.is_cancelled) {
		finished.tell_error(asked.instance_id, asked.class_name, asked.method->name, answer.error);
	}
	const auto latency = Clock::now() - asked.asked;
	finished.add({asked.instance_id, asked.class_name, asked.method, false, answer.waited, answer.worked, latency, answer.error, answer.result});
	const GDExtensionObjectPtr object = asked.request.to_object();
	if (object != nullptr) {
		auto *request = static_cast<RequestInstance *>(instance_of(object));
		const Variant result = result_of(*asked.method, answer);
		request->complete(result, answer.error);
		emit_signal(object, "completed", {result});
	}
	worker.hold(std::move(answer.result), std::move(answer.events));
	return true;
}

void Requests::deliver_until(Clock::time_point until) {
	take_answered();
	complete_late(frame_number);
	std::deque<std::unique_ptr<Message>> early;
	const size_t fewest = answered.size() / LONGEST_BACKLOG_FRAMES; // however long the game's own handlers take
	for (size_t delivered = 0; !answered.empty() && (delivered <= fewest || Clock::now() < until);) {
		std::unique_ptr<Message> message = std::move(answered.front());
		answered.pop_front();
		if (is_early(*message)) {
			early.push_back(std::move(message));
		} else if (deliver(*message, until)) {
			delivered++;
		} else {
			answered.push_front(std::move(message));
			break;
		}
	}
	answered.insert(answered.begin(), std::make_move_iterator(early.begin()), std::make_move_iterator(early.end()));
}

void Requests::end_frame(Clock::time_point now) {
	if (now - overdue_checked > OVERDUE_CHECK_INTERVAL) {
		overdue_checked = now;
		give_up_overdue();
	}
	frame_number++;
}

void Requests::complete_all() {
	take_answered();
	for (std::unique_ptr<Message> &message : std::exchange(answered, {})) {
		deliver(*message, Clock::time_point::max());
	}
	std::vector<uint64_t> unanswered;
	{
		std::lock_guard<std::mutex> lock(mutex);
		for (const auto &[id, each] : open) {
			unanswered.push_back(id);
		}
	}
	for (uint64_t id : unanswered) {
		Message message;
		message.id = id;
		message.answer.error = Worker::STOPPED_ERROR;
		deliver(message, Clock::time_point::max());
	}
	complete_late(std::numeric_limits<uint64_t>::max());
	report_unwritten();
}

void Requests::report_unwritten() const {
	std::vector<std::pair<std::string, size_t>> counts(unwritten.begin(), unwritten.end());
	std::stable_sort(counts.begin(), counts.end(), [](const auto &one, const auto &other) { return one.second > other.second; });
	size_t sum = 0;
	std::string named;
	for (size_t i = 0; i < counts.size(); i++) {
		sum += counts[i].second;
		if (i < MOST_NAMED) {
			named += (i == 0 ? "" : ", ") + counts[i].first + " " + std::to_string(counts[i].second);
		}
	}
	if (counts.size() > MOST_NAMED) {
		named += ", and " + std::to_string(counts.size() - MOST_NAMED) + " more NPCs";
	}
	if (sum > 0) {
		push_warning("RAG Memory: " + std::to_string(sum) + " calls that store or change something were not carried out before the game quit (" +
				named + "), because the worker was still busy. Before you quit, await MemoryServer.close_save_async().completed: see \"Quitting\" in docs/saves.md.");
	}
}

void Requests::clear() {
	std::lock_guard<std::mutex> lock(mutex);
	open.clear();
	late.clear();
}

} // namespace rag_memory
