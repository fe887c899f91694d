// Where the game's time comes from: a function of the game, or the system's clock. Any thread may ask.
#pragma once

#include <mutex>

#include "engine/variant.h"

namespace rag_memory {

class GameClock {
public:
	// Takes nothing and returns seconds; a null Callable restores the system's clock.
	void set(const Variant &callable);
	// Seconds. Calls the game's function, so no lock may be held.
	double now();
	void clear();

private:
	std::mutex mutex;
	Variant function;
};

} // namespace rag_memory
