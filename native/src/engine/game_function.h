// A function of the game that is called later, when the object it belongs to may have been freed: calling it then ends
// a release build of the engine, and says nothing in a debug build.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/variant.h"

namespace rag_memory {

class GameFunction {
public:
	GameFunction() = default;
	// A Callable, or an object that does `work` in its method answer_memory_async(work, ...), such as an NPCLanguageModel.
	// Made while the object of a Callable lives: a lambda finds its object only as long as that is there.
	explicit GameFunction(const Variant &given, const std::string &work = "");

	bool is_set() const { return callable.type() == GDEXTENSION_VARIANT_TYPE_CALLABLE || callable.type() == GDEXTENSION_VARIANT_TYPE_OBJECT; }
	// Whether its object still exists and has the method.
	bool can_be_called() const;
	// Null, and `ok` is false, when it cannot be called, or not with these arguments. No lock may be held.
	Variant call(const std::vector<Variant> &arguments, bool &ok) const;

private:
	Variant callable;
	std::string work;	// empty when it is a Callable
	uint64_t owner = 0; // an instance id; 0 when it belongs to no object
};

// Whether an object has the method that a GameFunction asks of it.
bool does_work(const Variant &object);

} // namespace rag_memory
