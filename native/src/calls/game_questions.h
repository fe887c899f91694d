// What the worker asks functions of the game (MemoryServer's Callables), whose answers may be promises.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>

#include "calls/instance.h"
#include "engine/game_function.h"
#include "engine/variant.h"
#include "worker/worker.h"

namespace rag_memory {

class GameQuestions {
public:
	explicit GameQuestions(Worker &worker);

	// A function of the game. On any thread.
	void set_function(uint32_t which, const Variant &function, const std::string &name);
	// Calls it. When the game stands still (`can_wait` is false) its answer cannot be awaited.
	void put(const Question &question, bool can_wait);
	// Passes the answer on. On any thread.
	void take_reply(uint64_t question_id, const Variant &reply);
	void clear();

private:
	GameFunction get_function(uint32_t which);
	bool await_reply(uint64_t question_id, const Variant &promise);

	Worker &worker;
	bool is_asking = false; // on the main thread only
	std::mutex mutex;		// guards everything below
	std::array<GameFunction, SERVER_FUNCTION_COUNT> functions;
	std::unordered_map<uint64_t, Variant> promises; // coroutines, which nobody else may hold
};

} // namespace rag_memory
