// The signals that come with the worker's answers, emitted on the main thread whichever thread has got them.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "variant.h"

namespace rag_memory {

class EventDelivery {
public:
	// Emits an Array of [instance id (0: MemoryServer), signal, arguments]. On the main thread only.
	void emit(const Variant &events);
	// Keeps them until the main thread calls emit_kept().
	void keep(const Variant &events);
	bool has_kept() const { return kept_wait.load(std::memory_order_acquire); }
	void emit_kept();

	// The save that is open, as far as signals have told; empty when none is.
	std::string get_current_save();
	void clear();

private:
	void note_save(const std::string &signal, const std::vector<Variant> &arguments);

	std::atomic<bool> kept_wait{false};
	std::mutex mutex; // guards everything below; not held while a signal is emitted
	std::vector<Variant> kept;
	std::string current_save;
};

} // namespace rag_memory
