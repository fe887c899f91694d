#include "engine/variant.h"

#include <cstring>
#include <utility>

#include "engine/godot_api.h"
#include "engine/value_limits.h"

namespace rag_memory {

const MethodNames *method_names = nullptr;

namespace {

GDExtensionVariantFromTypeConstructorFunc from_type_constructors[GDEXTENSION_VARIANT_TYPE_VARIANT_MAX];
GDExtensionVariantGetInternalPtrFunc array_in;
GDExtensionVariantGetInternalPtrFunc dictionary_in;
GDExtensionTypeFromVariantConstructorFunc to_type_constructors[GDEXTENSION_VARIANT_TYPE_VARIANT_MAX];
GDExtensionPtrDestructor type_destructors[GDEXTENSION_VARIANT_TYPE_VARIANT_MAX];
GDExtensionPtrUtilityFunction var_to_bytes;
GDExtensionPtrUtilityFunction bytes_to_var;
GDExtensionPtrConstructor packed_byte_array_constructor;
GDExtensionPtrConstructor array_constructor;

// A raw value of some type, destroyed with its scope.
class TypeStorage {
public:
	explicit TypeStorage(GDExtensionVariantType value_type) :
			type(value_type) {}
	~TypeStorage() {
		if (type_destructors[type] != nullptr) {
			type_destructors[type](data);
		}
	}
	TypeStorage(const TypeStorage &) = delete;
	TypeStorage &operator=(const TypeStorage &) = delete;
	void *get() { return data; }

private:
	GDExtensionVariantType type;
	alignas(8) uint8_t data[TYPE_STORAGE_BYTES] = {};
};

} // namespace

void load_variant_functions() {
	method_names = new MethodNames();
	for (int type = GDEXTENSION_VARIANT_TYPE_BOOL; type < GDEXTENSION_VARIANT_TYPE_VARIANT_MAX; type++) {
		const auto variant_type = static_cast<GDExtensionVariantType>(type);
		from_type_constructors[type] = godot.get_variant_from_type_constructor(variant_type);
		to_type_constructors[type] = godot.get_variant_to_type_constructor(variant_type);
		type_destructors[type] = godot.variant_get_ptr_destructor(variant_type);
	}
	var_to_bytes = godot.variant_get_ptr_utility_function(StringName("var_to_bytes").get(), ENGINE_HASHES.var_to_bytes);
	bytes_to_var = godot.variant_get_ptr_utility_function(StringName("bytes_to_var").get(), ENGINE_HASHES.bytes_to_var);
	array_in = godot.variant_get_ptr_internal_getter(GDEXTENSION_VARIANT_TYPE_ARRAY);
	dictionary_in = godot.variant_get_ptr_internal_getter(GDEXTENSION_VARIANT_TYPE_DICTIONARY);
	array_constructor = godot.variant_get_ptr_constructor(GDEXTENSION_VARIANT_TYPE_ARRAY, 0);
	packed_byte_array_constructor = godot.variant_get_ptr_constructor(GDEXTENSION_VARIANT_TYPE_PACKED_BYTE_ARRAY, 0);
}

void unload_variant_functions() {
	delete method_names;
	method_names = nullptr;
}

StringName::StringName(const char *text) {
	godot.string_name_new_with_utf8_chars(&storage, text);
}

StringName::~StringName() {
	static const GDExtensionPtrDestructor destroy = godot.variant_get_ptr_destructor(GDEXTENSION_VARIANT_TYPE_STRING_NAME);
	destroy(&storage);
}

Variant::Variant() {
	godot.variant_new_nil(storage);
}

Variant::Variant(const Variant &other) {
	godot.variant_new_copy(storage, other.storage);
}

Variant::Variant(Variant &&other) noexcept {
	// A Variant may be moved bit by bit: it holds no pointer to itself.
	std::memcpy(storage, other.storage, sizeof(storage));
	godot.variant_new_nil(other.storage);
}

Variant::~Variant() {
	godot.variant_destroy(storage);
}

Variant &Variant::operator=(const Variant &other) {
	if (this != &other) {
		godot.variant_destroy(storage);
		godot.variant_new_copy(storage, other.storage);
	}
	return *this;
}

Variant &Variant::operator=(Variant &&other) noexcept {
	if (this != &other) {
		godot.variant_destroy(storage);
		std::memcpy(storage, other.storage, sizeof(storage));
		godot.variant_new_nil(other.storage);
	}
	return *this;
}

Variant Variant::from_raw(GDExtensionConstVariantPtr raw) {
	Variant result;
	godot.variant_new_copy(result.storage, raw);
	return result;
}

Variant Variant::from_type(GDExtensionVariantType type, const void *value) {
	if (type == GDEXTENSION_VARIANT_TYPE_NIL) {
		return from_raw(value); // an argument of any type is a Variant already
	}
	Variant result;
	from_type_constructors[type](result.storage, const_cast<void *>(value));
	return result;
}

Variant Variant::from_bool(bool value) {
	const GDExtensionBool raw = value;
	return from_type(GDEXTENSION_VARIANT_TYPE_BOOL, &raw);
}

Variant Variant::from_int(int64_t value) {
	return from_type(GDEXTENSION_VARIANT_TYPE_INT, &value);
}

Variant Variant::from_float(double value) {
	return from_type(GDEXTENSION_VARIANT_TYPE_FLOAT, &value);
}

Variant Variant::from_string(const std::string &text) {
	return from_utf8(text.data(), text.size());
}

Variant Variant::from_utf8(const char *text, size_t size) {
	TypeStorage string(GDEXTENSION_VARIANT_TYPE_STRING);
	godot.string_new_with_utf8_chars_and_len(string.get(), text, static_cast<GDExtensionInt>(size));
	return from_type(GDEXTENSION_VARIANT_TYPE_STRING, string.get());
}

Variant Variant::from_object(GDExtensionObjectPtr object) {
	return from_type(GDEXTENSION_VARIANT_TYPE_OBJECT, &object);
}

Variant Variant::empty(GDExtensionVariantType type) {
	Variant result;
	GDExtensionCallError error = {};
	godot.variant_construct(type, result.storage, nullptr, 0, &error);
	return result;
}

Variant Variant::empty(const TypeDeclaration &type) {
	if (type.item_type == GDEXTENSION_VARIANT_TYPE_NIL) {
		return empty(type.type);
	}
	TypeStorage array(GDEXTENSION_VARIANT_TYPE_ARRAY);
	array_constructor(array.get(), nullptr);
	const Variant no_script;
	godot.array_set_typed(array.get(), type.item_type, StringName("").get(), no_script.raw());
	return from_type(GDEXTENSION_VARIANT_TYPE_ARRAY, array.get());
}

GDExtensionVariantType Variant::type() const {
	return godot.variant_get_type(storage);
}

void Variant::to_type(GDExtensionVariantType type, void *result) const {
	to_type_constructors[type](result, const_cast<uint8_t *>(storage));
}

bool Variant::to_bool() const {
	GDExtensionBool value = 0;
	if (type() == GDEXTENSION_VARIANT_TYPE_BOOL) {
		to_type(GDEXTENSION_VARIANT_TYPE_BOOL, &value);
	}
	return value != 0;
}

int64_t Variant::to_int() const {
	int64_t value = 0;
	if (type() == GDEXTENSION_VARIANT_TYPE_INT) {
		to_type(GDEXTENSION_VARIANT_TYPE_INT, &value);
	}
	return value;
}

double Variant::to_number() const {
	double value = 0;
	if (type() == GDEXTENSION_VARIANT_TYPE_FLOAT) {
		to_type(GDEXTENSION_VARIANT_TYPE_FLOAT, &value);
		return value;
	}
	return static_cast<double>(to_int());
}

std::string Variant::to_string() const {
	// Zeros are an empty String. One made of "" would have room for its end, which is lost: the engine makes its
	// String over it.
	TypeStorage string(GDEXTENSION_VARIANT_TYPE_STRING);
	godot.variant_stringify(storage, string.get());
	return string_to_utf8(string.get());
}

std::string Variant::shown() const {
	constexpr size_t LONGEST_BYTES = 200;
	const std::string missing = "<null>";
	if (type() == GDEXTENSION_VARIANT_TYPE_NIL) {
		return "null";
	}
	if (!is_within_limits(*this)) {
		return "a value that is nested too deeply, contains itself or is too large";
	}
	std::string text = to_string();
	const bool is_text = type() == GDEXTENSION_VARIANT_TYPE_STRING;
	for (size_t found = text.find(missing); !is_text && found != std::string::npos; found = text.find(missing)) {
		text.replace(found, missing.size(), "null");
	}
	if (text.size() > LONGEST_BYTES) {
		size_t end = LONGEST_BYTES;
		while ((static_cast<uint8_t>(text[end]) & 0xC0) == 0x80) { // inside a character
			end--;
		}
		text = text.substr(0, end) + "...";
	}
	return is_text ? "\"" + text + "\"" : text;
}

std::string Variant::type_name() const {
	TypeStorage name(GDEXTENSION_VARIANT_TYPE_STRING);
	godot.variant_get_type_name(type(), name.get());
	return type() == GDEXTENSION_VARIANT_TYPE_NIL ? "null" : string_to_utf8(name.get());
}

GDExtensionObjectPtr Variant::to_object() const {
	const uint64_t id = godot.variant_get_object_instance_id(storage);
	return id == 0 ? nullptr : godot.object_get_instance_from_id(id);
}

bool Variant::convert_to(const TypeDeclaration &wanted, Variant &result) const {
	const GDExtensionVariantType own = type();
	if (wanted.type == GDEXTENSION_VARIANT_TYPE_OBJECT) {
		if (to_object() == nullptr) {
			result = Variant();
			return own == GDEXTENSION_VARIANT_TYPE_NIL || own == GDEXTENSION_VARIANT_TYPE_OBJECT;
		}
		// Not by class tag: a class of an extension shares the tag of its base.
		result = *this;
		bool ok = false;
		return result.call(StringName("is_class"), {from_string(wanted.class_name)}, ok).to_bool();
	}
	if (wanted.type == GDEXTENSION_VARIANT_TYPE_NIL || own == wanted.type) {
		result = *this;
	} else if (own != GDEXTENSION_VARIANT_TYPE_NIL && godot.variant_can_convert_strict(own, wanted.type) && is_within_limits(*this)) {
		// Within limits, because texts are made of what an Array holds.
		const GDExtensionConstVariantPtr arguments[] = {storage};
		GDExtensionCallError error = {};
		Variant converted;
		godot.variant_construct(wanted.type, converted.storage, arguments, 1, &error);
		if (error.error != GDEXTENSION_CALL_OK) {
			return false;
		}
		result = std::move(converted);
	} else {
		return false;
	}
	if (wanted.item_type != GDEXTENSION_VARIANT_TYPE_NIL) {
		Variant typed = empty(wanted);
		bool ok = false;
		typed.call(method_names->assign, {result}, ok);
		if (!ok || typed.array_size() != result.array_size()) {
			return false;
		}
		result = std::move(typed);
	}
	return true;
}

int64_t Variant::hash() const {
	return is_within_limits(*this) ? godot.variant_hash(storage) : 0;
}

Variant Variant::duplicate() const {
	Variant result;
	godot.variant_duplicate(storage, result.storage, true);
	return result;
}

Variant Variant::at(int64_t index) const {
	Variant result;
	Variant item;
	GDExtensionBool valid = 0;
	GDExtensionBool out_of_bounds = 0;
	godot.variant_get_indexed(storage, index, item.storage, &valid, &out_of_bounds);
	if (valid && !out_of_bounds) {
		result = std::move(item);
	}
	return result;
}

int64_t Variant::array_size() const {
	Variant self = *this;
	bool ok = false;
	return self.call(method_names->size, {}, ok).to_int();
}

Variant Variant::slice(int64_t begin, int64_t end) const {
	Variant self = *this;
	bool ok = false;
	return self.call(method_names->slice, {from_int(begin), from_int(end)}, ok);
}

void Variant::set_at(int64_t index, const Variant &value) {
	GDExtensionBool valid = 0;
	GDExtensionBool out_of_bounds = 0;
	godot.variant_set_indexed(storage, index, value.storage, &valid, &out_of_bounds);
}

void Variant::append(const Variant &item) {
	bool ok = false;
	call(method_names->append, {item}, ok);
}

void Variant::set_key(const Variant &key, const Variant &value) {
	GDExtensionBool valid = 0;
	godot.variant_set_keyed(storage, key.storage, value.storage, &valid);
}

void Variant::set_key(const std::string &key, const Variant &value) {
	set_key(from_string(key), value);
}

Variant Variant::get_key(const std::string &key) const {
	Variant result;
	GDExtensionBool valid = 0;
	godot.variant_get_keyed(storage, from_string(key).storage, result.storage, &valid);
	return result;
}

Variant Variant::call(const StringName &method, const std::vector<Variant> &arguments, bool &ok) {
	std::vector<GDExtensionConstVariantPtr> raw_arguments;
	raw_arguments.reserve(arguments.size());
	for (const Variant &argument : arguments) {
		raw_arguments.push_back(argument.storage);
	}
	Variant result;
	GDExtensionCallError error = {};
	godot.variant_call(storage, method.get(), raw_arguments.data(), static_cast<GDExtensionInt>(arguments.size()), result.storage, &error);
	ok = error.error == GDEXTENSION_CALL_OK;
	return result;
}

ArrayItems::ArrayItems(const Variant &array) {
	array.to_type(GDEXTENSION_VARIANT_TYPE_ARRAY, storage);
}

ArrayItems::~ArrayItems() {
	type_destructors[GDEXTENSION_VARIANT_TYPE_ARRAY](storage);
}

GDExtensionConstVariantPtr ArrayItems::at(int64_t index) const {
	return godot.array_operator_index_const(storage, index);
}

// A place of the engine's may be smaller than a Variant of ours.
void put_in(GDExtensionVariantPtr place, const Variant &value) {
	godot.variant_destroy(place);
	godot.variant_new_copy(place, value.raw());
}

void put_in(GDExtensionVariantPtr place, GDExtensionVariantType type, const void *value) {
	godot.variant_destroy(place);
	from_type_constructors[type](place, const_cast<void *>(value));
}

NewItems::NewItems(Variant &new_array, int64_t size) :
		array(array_in(new_array.raw())) {
	if (size > 0) {
		bool ok = false;
		new_array.call(method_names->resize, {Variant::from_int(size)}, ok);
	}
}

GDExtensionVariantPtr NewItems::at(int64_t index) const {
	return godot.array_operator_index(array, index);
}

NewValues::NewValues(Variant &new_dictionary) :
		dictionary(dictionary_in(new_dictionary.raw())) {}

GDExtensionVariantPtr NewValues::of(const Variant &key) const {
	return godot.dictionary_operator_index(dictionary, key.raw());
}

uint64_t identity_of(const Variant &container) {
	TypeStorage raw(container.type());
	container.to_type(container.type(), raw.get());
	uint64_t shared = 0; // both are one pointer to what is shared
	std::memcpy(&shared, raw.get(), sizeof(void *));
	return shared;
}

std::vector<uint8_t> serialise(const Variant &value) {
	int64_t left = MOST_VALUES;
	return serialise(value, left);
}

std::vector<uint8_t> serialise(const Variant &value, int64_t &left) {
	if (!is_within_limits(value, left)) {
		return {};
	}
	TypeStorage bytes(GDEXTENSION_VARIANT_TYPE_PACKED_BYTE_ARRAY);
	packed_byte_array_constructor(bytes.get(), nullptr);
	const GDExtensionConstTypePtr arguments[] = {value.raw()};
	var_to_bytes(bytes.get(), arguments, 1);
	const int64_t size = Variant::from_type(GDEXTENSION_VARIANT_TYPE_PACKED_BYTE_ARRAY, bytes.get()).array_size();
	if (size == 0) {
		return {};
	}
	const uint8_t *data = godot.packed_byte_array_operator_index_const(bytes.get(), 0);
	return std::vector<uint8_t>(data, data + size);
}

Variant deserialise(const uint8_t *data, size_t size) {
	Variant bytes = Variant::empty(GDEXTENSION_VARIANT_TYPE_PACKED_BYTE_ARRAY);
	bool ok = false;
	TypeStorage raw(GDEXTENSION_VARIANT_TYPE_PACKED_BYTE_ARRAY);
	bytes.call(method_names->resize, {Variant::from_int(static_cast<int64_t>(size))}, ok);
	bytes.to_type(GDEXTENSION_VARIANT_TYPE_PACKED_BYTE_ARRAY, raw.get());
	// Packed arrays in Variants are shared by reference; drop ours so that writing does not copy.
	bytes = Variant();
	std::memcpy(godot.packed_byte_array_operator_index(raw.get(), 0), data, size);
	Variant result;
	const GDExtensionConstTypePtr arguments[] = {raw.get()};
	bytes_to_var(result.raw(), arguments, 1);
	return result;
}

std::string string_to_utf8(GDExtensionConstStringPtr string) {
	const GDExtensionInt size = godot.string_to_utf8_chars(string, nullptr, 0);
	std::string text(static_cast<size_t>(size), '\0');
	godot.string_to_utf8_chars(string, text.data(), size);
	return text;
}

Variant array_of(std::initializer_list<Variant> items) {
	Variant array = Variant::empty(GDEXTENSION_VARIANT_TYPE_ARRAY);
	for (const Variant &item : items) {
		array.append(item);
	}
	return array;
}

} // namespace rag_memory
