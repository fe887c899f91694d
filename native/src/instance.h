// What the host keeps for each object of its classes: the values of the declared properties, and little else.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "declaration.h"
#include "variant.h"

namespace rag_memory {

// The order of RAGMemory's declared properties (python/rag_memory/godot/rag_memory_node.py).
enum NodeProperty : uint32_t { NPC_ID,
	CONFIG,
	PERSISTENT };

struct Instance {
	Instance(const ClassDeclaration &class_declaration, GDExtensionObjectPtr owner);
	virtual ~Instance() = default;
	Instance(const Instance &) = delete;
	Instance &operator=(const Instance &) = delete;

	virtual void notification(int32_t) {}
	using Values = std::vector<Variant>; // of the declared properties, in their order

	// A copy of the property values, which keeps what they refer to alive. Any thread may ask and set.
	Values get_values() const;
	Variant get_property(uint32_t index) const;
	virtual void set_property(uint32_t index, Variant value);

	// Identifies values the worker needs; another number after every change of them.
	virtual int64_t signature(const Values &values) const;
	// Values as the worker's configure() takes them.
	virtual Variant configuration(const Values &values) const;
	// Calls with the same key run in the order they were made.
	virtual uint64_t order_key(const Values &) const { return id; }

	const ClassDeclaration &declaration;
	const GDExtensionObjectPtr object;
	const uint64_t id;
	// What the worker knows, or will when it has carried out what is queued; guarded by the host.
	int64_t sent_signature = 0;
	int64_t sent_free_signature = 0; // the same for free calls, whose values overtake the queue as they do

protected:
	int64_t get_revision() const;

private:
	mutable std::mutex mutex; // guards what follows
	Values values;
	int64_t revision = 1;
};

struct RequestInstance final : Instance {
	using Instance::Instance;

	uint64_t request_id = 0;
	bool is_completed = false;
	Variant result;
	std::string error;
};

struct ServerInstance final : Instance {
	using Instance::Instance;

	void set_property(uint32_t index, Variant value) override;
	void clear_summarizer();
};

struct ConfigInstance final : Instance {
	using Instance::Instance;
	~ConfigInstance() override;

	// Any value is taken, as from any Resource; one that no call will accept is said where it is set.
	void set_property(uint32_t index, Variant value) override;
};

struct NodeInstance final : Instance {
	NodeInstance(const ClassDeclaration &class_declaration, GDExtensionObjectPtr owner);
	~NodeInstance() override;

	void notification(int32_t what) override;
	int64_t signature(const Values &values) const override;
	Variant configuration(const Values &values) const override;
	uint64_t order_key(const Values &values) const override; // nodes of one NPC share it

	bool has_reported_runtime_failure = false;

private:
	static GDExtensionObjectPtr config_of(const Values &values);
};

// A new object of a declared class; its instance belongs to the engine's object.
GDExtensionObjectPtr create_object(const ClassDeclaration &declaration, bool notify_postinitialize);

// The instance behind an object of one of our classes.
Instance *instance_of(GDExtensionObjectPtr object);

} // namespace rag_memory
