#include "engine/embedding_model.h"

#include <mutex>
#include <utility>

namespace rag_memory {

namespace {

constexpr const char *ANSWER = "answer_memory_server";

std::mutex mutex;

struct Models {
	Variant given;
	Variant in_use;
};

// Made when the engine is there, and not destroyed with the process, because it is gone by then.
Models &models() {
	static Models &made = *new Models();
	return made;
}

} // namespace

bool is_embedding_model(const Variant &object) {
	Variant asked = object;
	bool ok = false;
	return object.to_object() != nullptr && asked.call(StringName("has_method"), {Variant::from_string(ANSWER)}, ok).to_bool();
}

void set_embedding_model(const Variant &object) {
	Variant asked = object;
	bool ok = false;
	Variant next = object.to_object() == nullptr ? Variant() : asked.call(StringName(ANSWER), {Variant::from_string("take"), Variant()}, ok);
	std::lock_guard<std::mutex> lock(mutex);
	std::swap(models().given, next); // what was there is destroyed after the lock
}

std::vector<uint8_t> ask_embedding_model(const uint8_t *command, size_t size, bool only_cancel) {
	const Variant parts = deserialise(command, size);
	const std::string name = parts.at(0).to_string();
	if (only_cancel && name != "cancel") {
		return {};
	}
	Variant asked; // destroyed after the lock, as is what is not used any more
	Variant former;
	{
		std::lock_guard<std::mutex> lock(mutex);
		if (name == "describe") {
			former = models().in_use;
			models().in_use = models().given;
		}
		asked = models().in_use;
	}
	if (asked.to_object() == nullptr) {
		return {};
	}
	bool ok = false;
	const Variant answer = asked.call(StringName(ANSWER), {parts.at(0), parts.at(1)}, ok);
	return ok ? serialise(answer) : std::vector<uint8_t>();
}

void release_embedding_model() {
	Variant released[2];
	std::lock_guard<std::mutex> lock(mutex);
	std::swap(models().given, released[0]);
	std::swap(models().in_use, released[1]);
}

} // namespace rag_memory
