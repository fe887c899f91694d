#include "engine/class_table.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "engine/checksum.h"
#include "engine/engine_calls.h"
#include "engine/runtime_folders.h"

namespace rag_memory {

namespace {

constexpr int64_t CLASS_TABLE_FORMAT = 2; // FORMAT in python/rag_memory_build/class_table.py
constexpr int64_t MOST_ITEMS = 10000;
constexpr const char *SERVER_TABLE = "/classes.bin";

// What the declarations point to. The library stays loaded until the process ends, and so does this.
template <typename Item>
const Item *lasting(std::vector<Item> items) {
	static std::deque<std::vector<Item>> &all = *new std::deque<std::vector<Item>>();
	all.push_back(std::move(items));
	return all.back().data();
}

// Reads what python/rag_memory_build/class_table.py writes. Texts are not copied: they end with a zero in the table.
// After the first thing that cannot be read everything is empty.
class TableReader {
public:
	TableReader(const uint8_t *data, size_t size) :
			next(data), end(data + size) {}

	bool has_failed() const { return failed; }
	bool is_at_end() const { return next == end && !failed; }

	int64_t number() {
		int64_t value = 0;
		read(&value, sizeof(value));
		return value;
	}
	double real() {
		double value = 0;
		read(&value, sizeof(value));
		return value;
	}
	// A number from 0 to `most`.
	int64_t number_to(int64_t most) {
		const int64_t value = number();
		failed |= value < 0 || value > most;
		return failed ? 0 : value;
	}
	uint32_t unsigned_number() { return static_cast<uint32_t>(number()); }
	// The number of items of a list.
	uint32_t count() { return static_cast<uint32_t>(number_to(MOST_ITEMS)); }
	Bytes bytes() {
		const int64_t size = number();
		failed |= size < 0 || size > end - next;
		if (failed || size == 0) {
			return {nullptr, 0};
		}
		const uint8_t *data = next;
		next += size;
		return {data, static_cast<size_t>(size)};
	}
	const char *text() {
		const Bytes value = bytes();
		failed |= value.size == 0 || value.data[value.size - 1] != 0;
		return failed ? "" : reinterpret_cast<const char *>(value.data);
	}
	GDExtensionVariantType variant_type() {
		return static_cast<GDExtensionVariantType>(number_to(GDEXTENSION_VARIANT_TYPE_VARIANT_MAX - 1));
	}
	TypeDeclaration type() {
		TypeDeclaration type = {};
		type.type = variant_type();
		type.class_name = text();
		type.hint = unsigned_number();
		type.hint_string = text();
		type.usage = unsigned_number();
		type.item_type = variant_type();
		return type;
	}

private:
	void read(void *value, size_t size) {
		failed |= static_cast<size_t>(end - next) < size;
		if (!failed) {
			std::memcpy(value, next, size);
			next += size;
		}
	}

	const uint8_t *next;
	const uint8_t *end;
	bool failed = false;
};

template <typename Item, typename Read>
const Item *read_list(TableReader &reader, uint32_t &count, Read read) {
	count = reader.count();
	std::vector<Item> items;
	for (uint32_t i = 0; i < count && !reader.has_failed(); i++) {
		items.push_back(read());
	}
	return lasting(std::move(items));
}

const ArgumentDeclaration *read_arguments(TableReader &reader, uint32_t &count) {
	return read_list<ArgumentDeclaration>(reader, count, [&] {
		ArgumentDeclaration argument = {};
		argument.name = reader.text();
		argument.type = reader.type();
		argument.default_value = reader.bytes();
		return argument;
	});
}

NativeFunction native_function(const std::string &name) {
	const NativeMethod *last = NATIVE_METHODS + NATIVE_METHOD_COUNT;
	const NativeMethod *method = std::find_if(NATIVE_METHODS, last, [&](const NativeMethod &native) { return name == native.name; });
	return method == last ? nullptr : method->function;
}

MethodDeclaration read_method(TableReader &reader, const char *class_name) {
	MethodDeclaration method = {};
	method.name = reader.text();
	method.kind = static_cast<MethodKind>(reader.number_to(static_cast<int64_t>(MethodKind::PROPERTY_SET)));
	method.id = static_cast<int32_t>(reader.number_to(MOST_ITEMS));
	const uint32_t flags = reader.unsigned_number();
	int place = 0;
	for (bool *flag : {&method.is_const, &method.writes, &method.is_barrier, &method.opens, &method.is_unordered, &method.reads_world, &method.has_return}) {
		*flag = (flags >> place++ & 1) != 0;
	}
	method.return_type = reader.type();
	method.arguments = read_arguments(reader, method.argument_count);
	method.native = native_function(std::string(class_name) + "." + method.name);
	return method;
}

PropertyDeclaration read_property(TableReader &reader) {
	PropertyDeclaration property = {};
	property.name = reader.text();
	property.group = reader.text();
	property.setter = reader.text();
	property.getter = reader.text();
	property.type = reader.type();
	property.default_value = reader.bytes();
	property.allowed.least = reader.real();
	property.allowed.most = reader.real();
	const char *words = reader.text();
	property.allowed.words = *words == 0 ? nullptr : words;
	property.allowed.item = reader.variant_type();
	property.allowed.count = reader.number();
	return property;
}

ClassDeclaration read_class(TableReader &reader) {
	ClassDeclaration declaration = {};
	declaration.role = static_cast<ClassRole>(reader.number_to(static_cast<int64_t>(ClassRole::WORLD)));
	declaration.name = reader.text();
	declaration.base = reader.text();
	declaration.help_xml = reader.text();
	declaration.methods = read_list<MethodDeclaration>(reader, declaration.method_count, [&] { return read_method(reader, declaration.name); });
	declaration.properties = read_list<PropertyDeclaration>(reader, declaration.property_count, [&] { return read_property(reader); });
	declaration.signals = read_list<SignalDeclaration>(reader, declaration.signal_count, [&] {
		SignalDeclaration signal = {};
		signal.name = reader.text();
		signal.arguments = read_arguments(reader, signal.argument_count);
		return signal;
	});
	declaration.constants = read_list<ConstantDeclaration>(reader, declaration.constant_count, [&] {
		ConstantDeclaration constant = {};
		constant.enum_name = reader.text();
		constant.name = reader.text();
		constant.value = reader.number();
		return constant;
	});
	return declaration;
}

std::vector<ClassDeclaration> &classes = *new std::vector<ClassDeclaration>();
std::string &table_key = *new std::string();

// False for a table that is damaged, or made for other classes than those that are read already.
bool read_table(const uint8_t *data, size_t size) {
	uint64_t checksum_at_end = 0;
	if (size < sizeof(checksum_at_end)) {
		return false;
	}
	size -= sizeof(checksum_at_end);
	std::memcpy(&checksum_at_end, data + size, sizeof(checksum_at_end));
	Checksum checksum;
	checksum.add(reinterpret_cast<const char *>(data), size);
	TableReader reader(data, size);
	if (checksum.value() != checksum_at_end || reader.number() != CLASS_TABLE_FORMAT) {
		return false;
	}
	const std::string key = reader.text();
	const std::string key_before = reader.text();
	uint32_t count = 0;
	const ClassDeclaration *read = read_list<ClassDeclaration>(reader, count, [&] { return read_class(reader); });
	if (!reader.is_at_end() || key_before != table_key) {
		return false;
	}
	classes.insert(classes.end(), read, read + count);
	table_key += (table_key.empty() ? "" : "+") + key;
	return true;
}

void read_server_part() {
	const std::string folder = server_part_folder();
	std::ifstream stream(std::filesystem::u8path(folder + SERVER_TABLE), std::ios::binary);
	if (!stream) {
		return;
	}
	std::vector<uint8_t> content{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
	const size_t size = content.size();
	if (!read_table(lasting(std::move(content)), size)) {
		push_error("RAG Memory: the server part in " + folder +
				" is damaged or of another version than the addon, so its classes are missing. Put the server part of the same version there.");
	}
}

} // namespace

void load_class_tables() {
	if (!classes.empty()) {
		return; // the library stays loaded when the engine loads it anew
	}
	read_table(CLASS_TABLE, CLASS_TABLE_BYTES);
	read_server_part();
}

const std::vector<ClassDeclaration> &declared_classes() {
	return classes;
}

bool is_addition(const ClassDeclaration &declaration) {
	return *declaration.base == 0;
}

const ClassDeclaration *declared_class(const std::string &name) {
	const auto declaration = std::find_if(classes.begin(), classes.end(), [&](const ClassDeclaration &other) { return name == other.name; });
	return declaration == classes.end() ? nullptr : &*declaration;
}

std::vector<const char *> signals_of(const std::string &class_name) {
	std::vector<const char *> names;
	for (const ClassDeclaration &declaration : classes) {
		for (uint32_t i = 0; i < declaration.signal_count && class_name == declaration.name; i++) {
			names.push_back(declaration.signals[i].name);
		}
	}
	return names;
}

const std::string &method_table_key() {
	return table_key;
}

} // namespace rag_memory
