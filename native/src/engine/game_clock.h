// Where the game's time comes from: a function of the game, or the system's clock. Any thread may ask.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

#include "engine/game_function.h"
#include "engine/variant.h"

namespace rag_memory {

class GameClock {
public:
	// Takes nothing and returns seconds; a null Callable restores the system's clock.
	void set(const Variant &callable);
	// Seconds. Calls the game's function, so no lock may be held. When that tells no time (any more), time goes on from
	// the last one it told: memories stamped with the real time would stay the newest of a game that counts from 0.
	double now();
	void clear();

private:
	using Clock = std::chrono::steady_clock;

	double without_the_game(uint64_t asked_of, const std::string &fault);

	std::mutex mutex; // guards everything below
	GameFunction function;
	uint64_t functions_set = 0;
	bool has_told = false;
	double told_seconds = 0;
	Clock::time_point told_at;
	bool is_fault_said = false;
};

} // namespace rag_memory
