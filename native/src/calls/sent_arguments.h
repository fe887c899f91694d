// The arguments of a call as the worker gets them: a config as the values it holds, a path as the file's bytes.
#pragma once

#include <string>
#include <vector>

#include "engine/declaration.h"
#include "engine/variant.h"

namespace rag_memory {

class SentArguments {
public:
	// On the calling thread. The arguments have to live as long as this.
	SentArguments(const MethodDeclaration &method, const Variant *arguments);
	const Variant *get() const { return changed.empty() ? given : changed.data(); }
	// Why the call cannot be sent; empty when it can.
	const std::string &get_error() const { return error; }

private:
	void replace_config(const MethodDeclaration &method, uint32_t index);
	// In a Dictionary: its class and the values it holds.
	void replace_held_config(const char *key, uint32_t index);

	const Variant *given;
	std::vector<Variant> changed; // empty when they are sent as they are
	std::string error;
};

} // namespace rag_memory
