// A function of the game that is called later, when the object it belongs to may have been freed: calling it then ends
// a release build of the engine, and says nothing in a debug build.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/variant.h"

namespace rag_memory {

class GameFunction {
public:
	GameFunction() = default;
	// Made while the object of the Callable lives: a lambda finds its object only as long as that is there.
	explicit GameFunction(const Variant &callable);

	bool is_set() const { return callable.type() == GDEXTENSION_VARIANT_TYPE_CALLABLE; }
	// Whether its object still exists and has the method.
	bool can_be_called() const;
	// Null, and `ok` is false, when it cannot be called, or not with these arguments. No lock may be held.
	Variant call(const std::vector<Variant> &arguments, bool &ok) const;

private:
	Variant callable;
	uint64_t owner = 0; // an instance id; 0 when it belongs to no object
};

} // namespace rag_memory
