// Values of the engine with ordinary C++ lifetime: Variant, StringName, and the conversions the host needs.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "engine/declaration.h"
#include "gdextension_interface.h"

namespace rag_memory {

// Large enough for a Variant of an engine built with double precision too.
constexpr size_t VARIANT_STORAGE_BYTES = 40;
// The largest type an argument or result of ours has as a raw value: a packed array or Callable.
constexpr size_t TYPE_STORAGE_BYTES = 16;

class StringName {
public:
	explicit StringName(const char *text);
	~StringName();
	StringName(const StringName &) = delete;
	StringName &operator=(const StringName &) = delete;
	GDExtensionStringNamePtr get() const { return const_cast<uint64_t *>(&storage); }
	// Equal names are one entry of the engine's table.
	bool is(GDExtensionConstStringNamePtr other) const { return *static_cast<const uint64_t *>(other) == storage; }

private:
	uint64_t storage = 0;
};

class Variant {
public:
	Variant();
	Variant(const Variant &other);
	Variant(Variant &&other) noexcept;
	~Variant();
	Variant &operator=(const Variant &other);
	Variant &operator=(Variant &&other) noexcept;

	static Variant from_raw(GDExtensionConstVariantPtr raw);
	static Variant from_type(GDExtensionVariantType type, const void *value);
	static Variant from_bool(bool value);
	static Variant from_int(int64_t value);
	static Variant from_float(double value);
	static Variant from_string(const std::string &text);
	static Variant from_utf8(const char *text, size_t size);
	static Variant from_object(GDExtensionObjectPtr object);
	// The empty value of a type: null, "", [], {} and so on; an array is typed when the declaration says so.
	static Variant empty(const TypeDeclaration &type);
	static Variant empty(GDExtensionVariantType type);

	GDExtensionVariantType type() const;
	// Moves the value into uninitialised raw storage of the given type (which must be the Variant's).
	void to_type(GDExtensionVariantType type, void *storage) const;
	bool to_bool() const;
	int64_t to_int() const;
	double to_number() const;	   // of an int or float; 0 otherwise
	std::string to_string() const; // stringified, as UTF-8
	std::string shown() const;	   // for a message, as GDScript writes it
	std::string type_name() const;
	GDExtensionObjectPtr to_object() const; // null also when the object was freed

	// Converts as a typed assignment in GDScript would; false when there is no such conversion.
	bool convert_to(const TypeDeclaration &type, Variant &result) const;

	int64_t hash() const;
	Variant duplicate() const;
	Variant at(int64_t index) const;				 // of an array; null when out of range
	Variant slice(int64_t begin, int64_t end) const; // of an array: an array of the same type
	int64_t array_size() const;
	void append(const Variant &item);							// to an array
	void set_at(int64_t index, const Variant &value);			// of an array; nothing when out of range
	void set_key(const Variant &key, const Variant &value);		// of a dictionary
	void set_key(const std::string &key, const Variant &value); // the same
	Variant get_key(const std::string &key) const;				// null when absent
	Variant call(const StringName &method, const std::vector<Variant> &arguments, bool &ok);

	GDExtensionVariantPtr raw() { return storage; }
	GDExtensionConstVariantPtr raw() const { return storage; }

private:
	alignas(8) uint8_t storage[VARIANT_STORAGE_BYTES];
};

// The items of an array, which is held as long as this lives.
class ArrayItems {
public:
	explicit ArrayItems(const Variant &array);
	~ArrayItems();
	ArrayItems(const ArrayItems &) = delete;
	ArrayItems &operator=(const ArrayItems &) = delete;
	GDExtensionConstVariantPtr at(int64_t index) const; // within its size

private:
	alignas(8) uint8_t storage[TYPE_STORAGE_BYTES] = {};
};

// Gives a Variant in a place of the engine's, such as an item of an Array, another value.
void put_in(GDExtensionVariantPtr place, const Variant &value);
void put_in(GDExtensionVariantPtr place, GDExtensionVariantType type, const void *value);

// The items of an array that is being made, which has no others; with its size.
class NewItems {
public:
	NewItems(Variant &array, int64_t size);
	GDExtensionVariantPtr at(int64_t index) const;

private:
	GDExtensionTypePtr array;
};

// The values of a dictionary that is being made.
class NewValues {
public:
	explicit NewValues(Variant &dictionary);
	GDExtensionVariantPtr of(const Variant &key) const;

private:
	GDExtensionTypePtr dictionary;
};

// The same for two Variants of one Array or Dictionary, and no others as long as both live.
uint64_t identity_of(const Variant &container);

// A serialised Variant (var_to_bytes); empty when it is nested too deeply, contains itself or is too large. With `left`
// as is_within_limits() has it.
std::vector<uint8_t> serialise(const Variant &value);
std::vector<uint8_t> serialise(const Variant &value, int64_t &left);
Variant deserialise(const uint8_t *data, size_t size);

// A Godot String as UTF-8.
std::string string_to_utf8(GDExtensionConstStringPtr string);

// The names of methods that are called all the time; making one costs a look-up in the engine's table.
struct MethodNames {
	StringName append{"append"};
	StringName assign{"assign"};
	StringName call{"call"};
	StringName completed{"completed"};
	StringName emit_signal{"emit_signal"};
	StringName get_configuration_warnings{"_get_configuration_warnings"};
	StringName get_locale{"get_locale"};
	StringName get_object_id{"get_object_id"};
	StringName get_signal_connection_list{"get_signal_connection_list"};
	StringName is_null{"is_null"};
	StringName is_valid{"is_valid"};
	StringName keys{"keys"};
	StringName merge{"merge"};
	StringName resize{"resize"};
	StringName size{"size"};
	StringName slice{"slice"};
	StringName values{"values"};
};
extern const MethodNames *method_names;

// Looks up the constructors, utility functions and names above; call once, before any of them.
void load_variant_functions();
// Gives the names back; the engine wants them before it ends.
void unload_variant_functions();

// An Array of these values.
Variant array_of(std::initializer_list<Variant> items);

} // namespace rag_memory
