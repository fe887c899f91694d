// What build.py generates from the Python declarations: the table of classes that class_table.h reads, and constants
// (class_tables.cpp).
// Nothing here is written by hand per class: a new method is a new row.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gdextension_interface.h"

namespace rag_memory {

// Where a method runs. The numbers are those of Kind in python/rag_memory/godot/declare.py.
enum class MethodKind : uint8_t {
	WORKER_BLOCKING = 0,
	WORKER_ASYNC = 2, // returns a MemoryRequest
	WORKER_POST = 3,  // nothing is returned
	NATIVE = 4,
	PROPERTY_GET = 5,
	PROPERTY_SET = 6,
};

struct TypeDeclaration {
	GDExtensionVariantType type;
	const char *class_name;
	uint32_t hint;
	const char *hint_string;
	uint32_t usage;
	GDExtensionVariantType item_type; // of a typed array, else NIL
};

struct Bytes {
	const uint8_t *data; // a serialised Variant; null when there is none
	size_t size;
};

struct ArgumentDeclaration {
	const char *name;
	TypeDeclaration type;
	Bytes default_value;
};

class Variant;
struct Instance;
using NativeFunction = Variant (*)(Instance &instance, const Variant *arguments);

struct MethodDeclaration {
	const char *name;
	MethodKind kind;
	int32_t id; // of a worker method: its number in messages; of a property's accessor: the property
	bool is_const;
	bool writes;
	bool is_barrier;
	bool opens;		   // what is asked after it waits only until it has begun
	bool is_unordered; // waits for nothing that was asked before
	bool reads_world;  // of an NPC: runs in order with the calls of MemoryWorld, too
	bool has_return;
	TypeDeclaration return_type; // of an asynchronous method: what its blocking form returns
	const ArgumentDeclaration *arguments;
	uint32_t argument_count;
	// Of a method of the worker: answers it while no save was opened or changed, or returns null.
	NativeFunction native;
};

// Which values a property may have; anything when there are no words for it.
struct AllowedValues {
	double least; // of a number, of each one in an Array, of each value in a Dictionary
	double most;
	const char *words;
	GDExtensionVariantType item; // of a Dictionary's values; its keys are Strings
	int64_t count;				 // of an Array's items; 0 for any
};

struct PropertyDeclaration {
	const char *name;
	const char *group;
	const char *setter;
	const char *getter;
	TypeDeclaration type;
	Bytes default_value;
	AllowedValues allowed;
};

struct SignalDeclaration {
	const char *name;
	const ArgumentDeclaration *arguments;
	uint32_t argument_count;
};

struct ConstantDeclaration {
	const char *enum_name;
	const char *name;
	int64_t value;
};

enum class ClassRole : uint8_t { REQUEST,
	CONFIG,
	SERVER,
	NODE,
	MIND,
	WORLD };

struct ClassDeclaration {
	ClassRole role;
	const char *name;
	const char *base; // empty: this adds to a class that is declared in another table
	const MethodDeclaration *methods;
	uint32_t method_count;
	const PropertyDeclaration *properties;
	uint32_t property_count;
	const SignalDeclaration *signals;
	uint32_t signal_count;
	const ConstantDeclaration *constants;
	uint32_t constant_count;
	const char *help_xml;
};

// The classes of every game, as class_table.cpp reads them.
extern const uint8_t CLASS_TABLE[];
extern const size_t CLASS_TABLE_BYTES;

// What carries out a method of MethodKind::NATIVE, or may answer one of the worker.
struct NativeMethod {
	const char *name; // "MemoryServer.npc"
	NativeFunction function;
};
extern const NativeMethod NATIVE_METHODS[];
extern const uint32_t NATIVE_METHOD_COUNT;

// Worker methods the host calls itself, and messages that are no method of a class.
extern const int32_t COLLECT_HEALTH_METHOD;
extern const int32_t COLLECT_COUNTS_METHOD;
extern const int32_t CARRY_OUT_RUNG_METHOD;
// The keys of the sentences that a game may translate, and what its translations have before them.
extern const char *const SENTENCE_KEYS[];
extern const uint32_t SENTENCE_COUNT;
extern const char *const SENTENCE_PREFIX;
// How the name of a save's file ends.
extern const char *const SAVE_SUFFIX;
constexpr int32_t CONFIGURE_METHOD = -1;
constexpr int32_t RELEASE_METHOD = -2;
constexpr int32_t REPLY_METHOD = -3;

// Hashes of the engine functions the host uses, from the engine's own extension API.
struct EngineHashes {
	int64_t var_to_bytes;
	int64_t bytes_to_var;
	int64_t print;
	int64_t push_warning;
	int64_t push_error;
	int64_t register_singleton;
	int64_t unregister_singleton;
	int64_t is_editor_hint;
	int64_t get_user_data_dir;
	int64_t is_debug_build;
	int64_t get_main_loop;
	int64_t notification;
	int64_t open;
	int64_t get_open_error;
};
extern const EngineHashes ENGINE_HASHES;

} // namespace rag_memory
