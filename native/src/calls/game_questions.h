// What the worker asks the game: texts for the game's summarizer, whose answer may be a promise.
#pragma once

#include <cstdint>
#include <mutex>
#include <unordered_map>

#include "engine/game_function.h"
#include "engine/variant.h"
#include "worker/worker.h"

namespace rag_memory {

class GameQuestions {
public:
	explicit GameQuestions(Worker &worker);

	// The game's function. On any thread.
	void set_summarizer(const Variant &callable);
	// Calls it. When the game stands still (`can_wait` is false) its answer cannot be awaited.
	void put(const Question &question, bool can_wait);
	// Passes the answer on. On any thread.
	void take_reply(uint64_t question_id, const Variant &reply);
	void clear();

private:
	GameFunction get_summarizer();
	bool await_reply(uint64_t question_id, const Variant &promise);

	Worker &worker;
	bool is_asking = false; // on the main thread only
	std::mutex mutex;		// guards everything below
	GameFunction summarizer;
	std::unordered_map<uint64_t, Variant> promises; // coroutines, which nobody else may hold
};

} // namespace rag_memory
