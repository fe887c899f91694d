#include "engine/game_clock.h"

#include <cmath>
#include <utility>

#include "engine/engine_calls.h"

namespace rag_memory {

namespace {

constexpr double LATEST_TIME_SECONDS = 1e12; // 30,000 years; beyond it, arithmetic with dates fails

// The game's function may itself call what wants to know the time, and so on: as deep as this.
constexpr int MOST_LEVELS_OF_ASKING = 8;
thread_local int levels_of_asking = 0;

double system_seconds() {
	return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

} // namespace

double GameClock::now() {
	GameFunction asked;
	uint64_t asked_of = 0;
	{
		std::lock_guard<std::mutex> lock(mutex);
		asked = function;
		asked_of = functions_set;
	}
	if (!asked.is_set()) {
		return system_seconds();
	}
	if (!asked.can_be_called()) {
		return without_the_game(asked_of, "cannot be called: its object was freed, or has no such method. Put the clock into an autoload, which no change of scene frees");
	}
	if (levels_of_asking >= MOST_LEVELS_OF_ASKING) {
		return without_the_game(asked_of, "called a method of RAG Memory that needs the time itself. Return the seconds without asking RAG Memory");
	}
	bool ok = false;
	levels_of_asking++;
	const Variant time = asked.call({}, ok);
	levels_of_asking--;
	const bool is_number = time.type() == GDEXTENSION_VARIANT_TYPE_FLOAT || time.type() == GDEXTENSION_VARIANT_TYPE_INT;
	if (!ok || !is_number || !(std::abs(time.to_number()) <= LATEST_TIME_SECONDS)) { // not for NaN either
		return without_the_game(asked_of, ok ? "returned " + time.shown() + ", which is no usable time. Return seconds as a float" : "could not be called without arguments. Give a function that needs none and returns seconds as a float");
	}
	std::lock_guard<std::mutex> lock(mutex);
	if (asked_of == functions_set) {
		has_told = true;
		told_seconds = time.to_number();
		told_at = Clock::now();
		is_fault_said = false;
	}
	return time.to_number();
}

double GameClock::without_the_game(uint64_t asked_of, const std::string &fault) {
	bool goes_on = false;
	bool is_said = false;
	double seconds = 0;
	{
		std::lock_guard<std::mutex> lock(mutex);
		goes_on = has_told;
		seconds = goes_on ? told_seconds + std::chrono::duration<double>(Clock::now() - told_at).count() : system_seconds();
		is_said = is_fault_said || asked_of != functions_set;
		is_fault_said = true;
	}
	if (!is_said) {
		push_error("MemoryServer: the function given to set_clock() " + fault + ". Until then, " +
				(goes_on ? "the game's time goes on from the last one it returned." : "the system's time is used, because it has returned none before."));
	}
	return seconds;
}

void GameClock::set(const Variant &callable) {
	GameFunction given(callable);
	std::lock_guard<std::mutex> lock(mutex);
	std::swap(function, given); // what was there is destroyed after the lock
	functions_set++;
	is_fault_said = false;
	has_told = has_told && function.is_set();
}

void GameClock::clear() {
	set(Variant::empty(GDEXTENSION_VARIANT_TYPE_CALLABLE));
}

} // namespace rag_memory
