// What the host keeps for each object of its classes: the values of the declared properties, and little else.
#pragma once

#include <string>
#include <vector>

#include "declaration.h"
#include "variant.h"

namespace rag_memory {

struct Instance {
	Instance(const ClassDeclaration &class_declaration, GDExtensionObjectPtr owner);
	virtual ~Instance() = default;
	Instance(const Instance &) = delete;
	Instance &operator=(const Instance &) = delete;

	virtual void notification(int32_t) {}
	// Identifies the property values the worker needs; another number after every change of them.
	virtual int64_t signature() const;
	// The property values as the worker's configure() takes them.
	virtual Variant configuration() const;
	// Calls with the same key run in the order they were made.
	virtual uint64_t order_key() const { return id; }

	void set_property(uint32_t index, Variant value);

	const ClassDeclaration &declaration;
	const GDExtensionObjectPtr object;
	const uint64_t id;
	std::vector<Variant> values; // in the order of the declared properties
	int64_t revision = 1;
	int64_t sent_signature = 0; // what the worker knows; guarded by the host
};

struct RequestInstance final : Instance {
	using Instance::Instance;

	uint64_t request_id = 0;
	bool is_completed = false;
	Variant result;
	std::string error;
};

struct ConfigInstance final : Instance {
	using Instance::Instance;
	~ConfigInstance() override;
};

struct NodeInstance final : Instance {
	NodeInstance(const ClassDeclaration &class_declaration, GDExtensionObjectPtr owner);
	~NodeInstance() override;

	void notification(int32_t what) override;
	int64_t signature() const override;
	Variant configuration() const override;
	uint64_t order_key() const override; // nodes of one NPC share it

	bool has_reported_runtime_failure = false;
};

// A new object of a declared class; its instance belongs to the engine's object.
GDExtensionObjectPtr create_object(const ClassDeclaration &declaration, bool notify_postinitialize);

// The instance behind an object of one of our classes.
Instance *instance_of(GDExtensionObjectPtr object);

} // namespace rag_memory
