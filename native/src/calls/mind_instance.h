// The node NPCMind: whose mind it is, and who is near.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "calls/instance.h"

namespace rag_memory {

struct MindInstance final : Instance {
	using Instance::Instance;

	void notification(int32_t what) override;
	void object_freed() override;
	void prepare_call() override;
	void set_property(uint32_t index, Variant value) override;
	int64_t signature(const Values &values) const override;
	Variant configuration(const Values &values, SharedValues &shared) const override;
	uint64_t order_key(const Values &values) const override; // that of its RAGMemory
	Variant npc_id() const override;						 // the same

	Variant get_nearby();
	void set_nearby(const Variant &npc_ids);

private:
	std::shared_ptr<Instance> get_memory() const;
	void forget_memory();
	void find_memory();
	void look_around();
	void add_npcs(const Variant &found, Variant &names);

	mutable std::mutex mutex; // guards what follows
	std::weak_ptr<Instance> memory;
	Variant told_nearby = Variant::empty(GDEXTENSION_VARIANT_TYPE_PACKED_STRING_ARRAY);
	Variant nearby = Variant::empty(GDEXTENSION_VARIANT_TYPE_PACKED_STRING_ARRAY);
};

} // namespace rag_memory
