// The arguments of a call as the worker gets them: a Resource as the data it holds, a path as the file's bytes.
#pragma once

#include <string>
#include <vector>

#include "calls/shared_values.h"
#include "engine/declaration.h"
#include "engine/variant.h"

namespace rag_memory {

class SentArguments {
public:
	// On the calling thread. The arguments have to live as long as this.
	SentArguments(const MethodDeclaration &method, const Variant *arguments);
	const Variant *get() const { return changed.empty() ? given : changed.data(); }
	// The values that they name; once.
	std::vector<SharedValue> take_shared() { return shared.take(); }
	// Why the call cannot be sent; empty when it can.
	const std::string &get_error() const { return error; }

private:
	void replace_config(const MethodDeclaration &method, uint32_t index);
	// A copy of a Dictionary or an Array with what sent_resource() makes of each Resource, also of those in the
	// Dictionaries so many levels below; null when it has none.
	Variant with_data(Variant container, int levels);
	// The data of a Resource with a method to_data(); of any other object its class, and the values of a config.
	Variant sent_resource(Variant resource);

	const Variant *given;
	std::vector<Variant> changed; // empty when they are sent as they are
	SharedValues shared;
	std::string error;
};

} // namespace rag_memory
