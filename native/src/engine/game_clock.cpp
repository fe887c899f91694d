#include "engine/game_clock.h"

#include <chrono>
#include <cmath>
#include <utility>

#include "engine/engine_calls.h"

namespace rag_memory {

namespace {

constexpr double LATEST_TIME_SECONDS = 1e12; // 30,000 years; beyond it, arithmetic with dates fails

} // namespace

double GameClock::now() {
	Variant callable;
	{
		std::lock_guard<std::mutex> lock(mutex);
		callable = function;
	}
	if (callable.type() == GDEXTENSION_VARIANT_TYPE_CALLABLE) {
		bool ok = false;
		const Variant time = callable.call(method_names->call, {}, ok);
		const bool is_number = time.type() == GDEXTENSION_VARIANT_TYPE_FLOAT || time.type() == GDEXTENSION_VARIANT_TYPE_INT;
		if (ok && is_number && std::abs(time.to_number()) <= LATEST_TIME_SECONDS) { // false for NaN too
			return time.to_number();
		}
		push_error("MemoryServer: the clock given to set_clock() returned no usable time (" + time.to_string() +
				"); the system's time is used instead. Return seconds as a number.");
	}
	return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

void GameClock::set(const Variant &callable) {
	Variant value = callable;
	bool ok = false;
	const bool is_null = value.call(method_names->is_null, {}, ok).to_bool();
	std::lock_guard<std::mutex> lock(mutex);
	function = is_null ? Variant() : callable;
}

void GameClock::clear() {
	std::lock_guard<std::mutex> lock(mutex);
	function = Variant();
}

} // namespace rag_memory
