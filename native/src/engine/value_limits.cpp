#include "engine/value_limits.h"

#include <algorithm>
#include <unordered_map>

#include "engine/godot_api.h"

namespace rag_memory {

namespace {

// Ordinary values have fewer containers, and are counted faster without remembering each.
constexpr int64_t CONTAINERS_WITHOUT_MEMORY = 1000;
constexpr int64_t TOO_MANY = -1;

struct Extent {
	int64_t values; // of a container, itself and its parts included; TOO_MANY beyond a limit
	int levels;		// below it
};

constexpr Extent BEYOND = {TOO_MANY, 0};

bool is_container(GDExtensionVariantType type) {
	return type == GDEXTENSION_VARIANT_TYPE_ARRAY || type == GDEXTENSION_VARIANT_TYPE_DICTIONARY;
}

class Counting {
public:
	explicit Counting(int64_t most_values) :
			most(most_values) {}

	Extent extent_of(const Variant &container, int level) {
		if (level > MOST_LEVELS) {
			return BEYOND;
		}
		containers++;
		const bool is_remembered = containers > CONTAINERS_WITHOUT_MEMORY;
		const uint64_t identity = is_remembered ? identity_of(container) : 0;
		if (is_remembered) {
			const auto before = extents.find(identity);
			if (before != extents.end()) { // it may lie deeper here than where it was counted
				return level + before->second.levels > MOST_LEVELS ? BEYOND : before->second;
			}
			extents[identity] = BEYOND; // until it is counted: a container that holds itself
		}
		const Extent extent = container.type() == GDEXTENSION_VARIANT_TYPE_ARRAY ? extent_of_array(container, level) : extent_of_dictionary(container, level);
		if (is_remembered) {
			extents[identity] = extent;
		}
		return extent;
	}

private:
	Extent extent_of_dictionary(const Variant &dictionary, int level) {
		Variant self = dictionary;
		bool ok = false;
		const Extent of_keys = extent_of_array(self.call(method_names->keys, {}, ok), level);
		if (of_keys.values == TOO_MANY) {
			return BEYOND;
		}
		const Extent of_values = extent_of_array(self.call(method_names->values, {}, ok), level);
		if (of_values.values == TOO_MANY || of_keys.values + of_values.values > most) {
			return BEYOND;
		}
		return {of_keys.values + of_values.values, std::max(of_keys.levels, of_values.levels)};
	}

	Extent extent_of_array(const Variant &array, int level) {
		const int64_t size = array.array_size();
		if (size > most) {
			return BEYOND;
		}
		const ArrayItems items(array);
		Extent extent = {1 + size, 0};
		for (int64_t i = 0; i < size; i++) {
			const GDExtensionConstVariantPtr item = items.at(i);
			if (!is_container(godot.variant_get_type(item))) {
				continue;
			}
			const Extent inside = extent_of(Variant::from_raw(item), level + 1);
			if (inside.values == TOO_MANY || extent.values + inside.values > most) {
				return BEYOND;
			}
			extent.values += inside.values;
			extent.levels = std::max(extent.levels, 1 + inside.levels);
		}
		return extent;
	}

	int64_t most;
	int64_t containers = 0;
	std::unordered_map<uint64_t, Extent> extents;
};

} // namespace

bool is_within_limits(const Variant &value, int64_t &left) {
	if (!is_container(value.type())) {
		return true;
	}
	const int64_t count = Counting(left).extent_of(value, 0).values;
	if (count == TOO_MANY) {
		return false;
	}
	left -= count;
	return true;
}

bool is_within_limits(const Variant &value) {
	int64_t left = MOST_VALUES;
	return is_within_limits(value, left);
}

} // namespace rag_memory
