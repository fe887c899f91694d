// Values that travel once: what a Resource holds is written apart from the message, which only names it, and Python is
// given it when it does not have it (python/rag_memory/godot/shared_values.py).
#pragma once

#include <utility>
#include <vector>

#include "engine/variant.h"
#include "messages/message.h"

namespace rag_memory {

// The values that one message names.
class SharedValues {
public:
	// What stands for a value in the message: a Dictionary with its name, or the value itself when it is short.
	Variant name_of(const Variant &value);
	// Whether a value cannot be written: it is nested too deeply, contains itself or is too large.
	bool has_failed() const { return failed; }
	std::vector<SharedValue> take() { return std::move(values); }

private:
	std::vector<SharedValue> values;
	bool failed = false;
};

} // namespace rag_memory
