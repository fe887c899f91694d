#include "calls/shared_values.h"

#include <algorithm>
#include <utility>

namespace rag_memory {

namespace {

// Of python/rag_memory/godot/variant_codec.py.
constexpr const char *NAME_KEY = "$shared";
// A shorter value is no longer than what stands for it, or not by much.
constexpr size_t SHORTEST = 256;

// FNV-1a with 64 bits.
int64_t hash_of(const std::vector<uint8_t> &bytes) {
	uint64_t hash = 14695981039346656037ULL;
	for (const uint8_t byte : bytes) {
		hash = (hash ^ byte) * 1099511628211ULL;
	}
	return static_cast<int64_t>(hash);
}

} // namespace

Variant SharedValues::name_of(const Variant &value) {
	if (value.type() == GDEXTENSION_VARIANT_TYPE_NIL) {
		return value;
	}
	std::vector<uint8_t> bytes = serialise(value);
	failed |= bytes.empty();
	if (bytes.size() < SHORTEST) {
		return value;
	}
	const int64_t hash = hash_of(bytes);
	if (std::none_of(values.begin(), values.end(), [hash](const SharedValue &shared) { return shared.hash == hash; })) {
		values.push_back({hash, std::move(bytes)});
	}
	Variant name = Variant::empty(GDEXTENSION_VARIANT_TYPE_DICTIONARY);
	name.set_key(NAME_KEY, Variant::from_int(hash));
	return name;
}

} // namespace rag_memory
