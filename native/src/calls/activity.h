// What the calls have cost so far, and how much is remembered: counted on the main thread, for debug displays.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "engine/declaration.h"
#include "engine/variant.h"

namespace rag_memory {

struct FinishedCall {
	uint64_t instance_id = 0;
	std::string class_name;
	const MethodDeclaration *method = nullptr;
	bool is_blocking = false;
	std::chrono::duration<double> waited{0};
	std::chrono::duration<double> worked{0};
	std::chrono::duration<double> latency{0};
	std::string error;
	Variant result;
};

class Activity {
public:
	void note(const FinishedCall &call);
	// Time the main thread has spent here since the last frame.
	void add_cost(std::chrono::duration<double> cost) { cost_of_this_frame += cost; }
	void end_frame();
	// True when the worker is to be asked for what only it can count: now and then, one question at a time.
	bool begin_count();
	void take_counts(const Variant &answer);
	// Adds what was counted to a Dictionary.
	void report_to(Variant &dictionary) const;
	void clear() { counts = Variant(); }

private:
	int64_t finished_calls = 0;
	int64_t failed_calls = 0;
	std::chrono::duration<double> last_latency{0};
	std::chrono::duration<double> cost_of_this_frame{0};
	std::chrono::duration<double> frame_cost{0};
	std::chrono::duration<double> longest_frame_cost{0};
	Variant counts; // what the worker has counted last; null before that
	bool is_counting = false;
	std::chrono::steady_clock::time_point counted;
};

// A finished call as the signal call_finished tells of it.
Variant description_of(const FinishedCall &call);

} // namespace rag_memory
