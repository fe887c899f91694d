// What the host keeps for each object of its classes: the values of the declared properties, and little else.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "calls/shared_values.h"
#include "engine/declaration.h"
#include "engine/variant.h"

namespace rag_memory {

// The order of RAGMemory's declared properties (python/rag_memory/godot/rag_memory_node.py).
enum NodeProperty : uint32_t { NPC_ID,
	CONFIG,
	PERSISTENT,
	SENSES };

// The order of NPCMind's (python/rag_memory/godot/npc_mind_node.py).
enum MindProperty : uint32_t { MEMORY,
	MIND_CONFIG,
	PROXIMITY_AREA };

// The order of MemoryServer's (python/rag_memory/godot/memory_server.py). All but the last two are functions that the worker asks.
enum ServerProperty : uint32_t { SUMMARIZER,
	REFLECTOR,
	SENTIMENT_ANALYZER,
	PROFILE_WRITER,
	EXTRACTOR,
	DEBATE_WRITER,
	TASK_VALIDATOR,
	SERVER_FUNCTION_COUNT,
	EMBEDDING_MODEL = SERVER_FUNCTION_COUNT,
	CALENDAR };

// The order of MemoryWorld's (python/rag_memory/godot/memory_world.py).
enum WorldProperty : uint32_t { WORLD_CONFIG };

struct Instance {
	Instance(const ClassDeclaration &class_declaration, GDExtensionObjectPtr owner);
	virtual ~Instance() = default;
	Instance(const Instance &) = delete;
	Instance &operator=(const Instance &) = delete;

	virtual void notification(int32_t) {}
	// A call is about to be sent, from any thread.
	virtual void prepare_call() {}
	// The engine has freed the object. Another thread may still be inside a call of it.
	virtual void object_freed() {}
	using Values = std::vector<Variant>; // of the declared properties, in their order

	// A copy of the property values, which keeps what they refer to alive. Any thread may ask and set.
	Values get_values() const;
	Variant get_property(uint32_t index) const;
	virtual void set_property(uint32_t index, Variant value);

	// Identifies values the worker needs; another number after every change of them.
	virtual int64_t signature(const Values &values) const;
	// Values as the worker's configure() takes them; Resources as the values that they hold.
	virtual Variant configuration(const Values &values, SharedValues &shared) const;
	// Calls with the same key run in the order they were made.
	virtual uint64_t order_key(const Values &) const { return id; }
	// Whose calls these are: a String, empty for objects that are no NPC's.
	virtual Variant npc_id() const { return Variant::from_string(""); }

	const ClassDeclaration &declaration;
	const GDExtensionObjectPtr object;
	const uint64_t id;
	// What the worker knows, or will when it has carried out what is queued; guarded by the host.
	int64_t sent_signature = 0;
	int64_t sent_unordered_signature = 0; // the same for unordered calls, whose values overtake the queue as they do
	bool is_freed = false;				  // nothing is sent any more; guarded by the host

	static int64_t combine(int64_t signature, int64_t next);

protected:
	int64_t get_revision() const;

private:
	mutable std::mutex mutex; // guards what follows
	Values values;
	int64_t revision = 1;
};

struct RequestInstance final : Instance {
	using Instance::Instance;

	// On the main thread, once. Other threads may ask meanwhile.
	void complete(const Variant &with_result, const std::string &with_error);
	bool is_completed() const { return completed.load(std::memory_order_acquire); }
	Variant get_result() const { return is_completed() ? result : Variant(); }
	std::string get_error() const { return is_completed() ? error : ""; }

	uint64_t request_id = 0; // 0 for one that the game completes
	std::atomic<bool> is_cancelled{false};

private:
	std::atomic<bool> completed{false};
	Variant result;
	std::string error;
};

// Makes the engine's object and its instance known to each other. The instance lives as long as the object, and until
// the last call of it has ended.
void attach(std::shared_ptr<Instance> instance);
// The engine frees the object of this instance.
void free_instance(Instance *instance);
// For a call of this instance, which may be of another thread than the one that frees it; null when it was freed.
std::shared_ptr<Instance> instance_in_call(Instance *instance);

// The instance of a living object of one of our classes, kept alive; null for null.
std::shared_ptr<Instance> shared_instance_of(GDExtensionObjectPtr object);
// The instance behind an object of one of our classes.
Instance *instance_of(GDExtensionObjectPtr object);

bool is_config(const TypeDeclaration &type);
// Whether it is a Dictionary or an Array whose values may be Resources.
bool may_hold_resources(const TypeDeclaration &type);
// What a config holds, as the worker's configure() takes it, by its name; null for null.
Variant values_of_config(const Variant &config, SharedValues &shared);
// Of what a config holds; another number also for another config.
int64_t signature_of_config(const Variant &config);

} // namespace rag_memory
