#include "engine/value_limits.h"

#include <unordered_map>

#include "engine/godot_api.h"

namespace rag_memory {

namespace {

// Ordinary values have fewer containers, and are counted faster without remembering each.
constexpr int64_t CONTAINERS_WITHOUT_MEMORY = 1000;
constexpr int64_t TOO_MANY = -1;

bool is_container(GDExtensionVariantType type) {
	return type == GDEXTENSION_VARIANT_TYPE_ARRAY || type == GDEXTENSION_VARIANT_TYPE_DICTIONARY;
}

class Counting {
public:
	explicit Counting(int64_t most_values) :
			most(most_values) {}

	// How many values a container has, itself and its parts included; TOO_MANY beyond a limit.
	int64_t values_in(const Variant &container, int level) {
		if (level > MOST_LEVELS) {
			return TOO_MANY;
		}
		containers++;
		const bool is_remembered = containers > CONTAINERS_WITHOUT_MEMORY;
		const uint64_t identity = is_remembered ? identity_of(container) : 0;
		if (is_remembered) {
			const auto before = counts.find(identity);
			if (before != counts.end()) {
				return before->second;
			}
			counts[identity] = TOO_MANY; // until it is counted: a container that holds itself
		}
		const int64_t count = container.type() == GDEXTENSION_VARIANT_TYPE_ARRAY ? values_in_array(container, level) : values_in_dictionary(container, level);
		if (is_remembered) {
			counts[identity] = count;
		}
		return count;
	}

private:
	int64_t values_in_dictionary(const Variant &dictionary, int level) {
		Variant self = dictionary;
		bool ok = false;
		const int64_t in_keys = values_in_array(self.call(method_names->keys, {}, ok), level);
		const int64_t in_values = in_keys == TOO_MANY ? TOO_MANY : values_in_array(self.call(method_names->values, {}, ok), level);
		return in_values == TOO_MANY || in_keys + in_values > most ? TOO_MANY : in_keys + in_values;
	}

	int64_t values_in_array(const Variant &array, int level) {
		const int64_t size = array.array_size();
		if (size > most) {
			return TOO_MANY;
		}
		const ArrayItems items(array);
		int64_t count = 1 + size;
		for (int64_t i = 0; i < size; i++) {
			const GDExtensionConstVariantPtr item = items.at(i);
			if (!is_container(godot.variant_get_type(item))) {
				continue;
			}
			const int64_t inside = values_in(Variant::from_raw(item), level + 1);
			count += inside;
			if (inside == TOO_MANY || count > most) {
				return TOO_MANY;
			}
		}
		return count;
	}

	int64_t most;
	int64_t containers = 0;
	std::unordered_map<uint64_t, int64_t> counts;
};

} // namespace

bool is_within_limits(const Variant &value, int64_t &left) {
	if (!is_container(value.type())) {
		return true;
	}
	const int64_t count = Counting(left).values_in(value, 0);
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
