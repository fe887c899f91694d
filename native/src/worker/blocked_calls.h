// Threads of the game that wait for an answer. They wait on purpose, so here, and only here, the worker meets them
// under a lock.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "messages/message.h"

namespace rag_memory {

// What Python asks the game while it works on a message (0: in the background).
struct Question {
	uint64_t id = 0;
	uint64_t message_id = 0;
	uint32_t which = 0;				// of the game's functions
	std::vector<uint8_t> arguments; // serialised
};

class BlockedCalls {
public:
	enum class Woken { ANSWERED,
		ASKED,
		TIMED_OUT };

	// Before the message of this id is sent.
	void add(uint64_t id);
	// Wakes the thread that waits for this message, and hands it over; false when none does any more.
	bool answer(std::unique_ptr<Message> &message);
	// Waits a while for the answer; when the caller may be asked, also for a question of its message.
	Woken wait(uint64_t id, std::chrono::milliseconds limit, bool may_be_asked, std::unique_ptr<Message> &message, Question &question);
	// The thread waits no longer. Returns the message when it has been answered just now, else null.
	std::unique_ptr<Message> give_up(uint64_t id);
	// Answers every thread that still waits.
	void answer_all(const std::string &error);

	void add_question(Question question);
	bool has_questions() const { return questions_wait.load(); }
	// Not while another thread is here: then they come with the next frame.
	std::vector<Question> take_questions();

private:
	std::atomic<bool> questions_wait{false};
	std::mutex mutex; // guards everything below
	std::condition_variable arrived;
	std::unordered_set<uint64_t> waiting;
	std::unordered_map<uint64_t, std::unique_ptr<Message>> answers;
	std::vector<Question> questions;
};

} // namespace rag_memory
