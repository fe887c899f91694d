// The main thread's side: turns calls into messages, and once per frame hands over what the worker has finished.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "calls/activity.h"
#include "calls/event_delivery.h"
#include "calls/finished_calls.h"
#include "calls/game_questions.h"
#include "calls/gradual_encoding.h"
#include "calls/instance.h"
#include "calls/npc_nodes.h"
#include "calls/requests.h"
#include "engine/game_clock.h"
#include "engine/game_translation.h"
#include "worker/worker.h"

namespace rag_memory {

class Host {
public:
	Host();
	~Host();

	// Once, when the engine has started: what a game wants before its first call.
	void start_up();
	// The same on Godot 4.4, which tells extensions nothing of its start.
	void start_up_later();
	// Starts Python on its thread; returns at once and does nothing the second time.
	void start_runtime();
	bool is_main_thread() const;

	// Blocks until the worker has answered; the method's empty value when it failed.
	Variant call_blocking(Instance &instance, const MethodDeclaration &method, const Variant *arguments);
	// Returns a MemoryRequest.
	Variant call_async(Instance &instance, const MethodDeclaration &method, const Variant *arguments);
	void post(Instance &instance, const MethodDeclaration &method, const Variant *arguments);
	void cancel(uint64_t request_id) { requests.cancel(request_id); }
	// The signal `completed` of a request that has emitted it already; see Requests.
	Variant late_signal(const RequestInstance &request) { return requests.late_signal(request); }

	// The MemoryConfig of nodes that have none, or null; known once the runtime was started.
	const Variant &get_default_config() const { return default_config; }

	Variant health(Instance &server);
	// What can be told without waiting for the worker; only on the main thread.
	Variant get_activity(Instance &server);
	std::string get_current_save() { return events.get_current_save(); }
	void set_clock(const Variant &callable) { clock.set(callable); }
	void set_function(uint32_t which, const Variant &function, const std::string &name) { questions.set_function(which, function, name); }
	// False when it is none. Told when it comes too late for the save that is open.
	bool set_embedding_model(const Variant &model);
	// Passes on what a function of the game has made of a question. On any thread.
	void take_reply(uint64_t question_id, const Variant &reply) { questions.take_reply(question_id, reply); }

	// The RAGMemory of an NPC; see NpcNodes.
	Variant npc(const std::string &npc_id) { return npc_nodes.node_of(npc_id, node_ids()); }
	bool check_twin(const Instance &node) { return npc_nodes.check_twin(node.object, node.npc_id().to_string()); }
	void add_node(const Instance &node);
	void remove_node(const Instance &node);
	// Forgets an object: its Python counterpart goes once its queued calls are done.
	void release(Instance &instance);
	// Lets the worker know of an object before its first call: what comes over the bus may be meant for it.
	void introduce(Instance &instance);
	// Properties of an NPC's node that others may need before its first call have changed. From any thread.
	void note_changed(const Instance &node);
	// Emits `failed` on a node, once, when the runtime has failed.
	void report_runtime_failure(const Instance &node);

	// Once per frame, on the main thread: delivers what the worker has finished.
	void frame();
	// Before the engine goes away: completes every request and ends the worker.
	void shut_down();

private:
	using Clock = std::chrono::steady_clock;

	bool are_saves_untouched() const;
	std::string refusal_in_editor(const Instance &instance, const MethodDeclaration &method);
	uint64_t send(Instance &instance, const MethodDeclaration &method, const Variant *arguments, bool is_blocking, const Variant &request);
	std::vector<uint64_t> node_ids();
	int64_t signature_of(const Instance &instance, const Instance::Values &values) const;
	bool needs_configuration(Instance &instance, const Instance::Values &values);
	void introduce_changed_nodes();
	bool send_configuration(Instance &instance, const Instance::Values &values, bool for_unordered);
	Answer wait(uint64_t id);
	void refresh_counts(Instance &server);
	void set_state(Variant &report, Worker::State state);
	void carry_out_rung();
	void flush_log();
	void report_state();
	void connect_scene_tree();

	Worker *worker; // leaked when its thread could not be ended
	GameQuestions questions;
	GradualEncoding encoding;
	GameClock clock;
	GameTranslation translation;
	EventDelivery events;
	Activity activity;
	FinishedCalls finished;
	Requests requests;
	NpcNodes npc_nodes;
	const std::thread::id main_thread = std::this_thread::get_id();
	double timeout_seconds = 0;
	std::once_flag settings_read;
	Variant default_config;
	int64_t sent_calendar_signature = 0; // guarded by the mutex, as is the next
	int64_t calendar_revision = 0;
	Variant live_report;							 // an object of GDScript, in a game with a debugger
	std::atomic<bool> may_have_changed_saves{false}; // whether anything was asked that opens, makes or deletes one
	bool has_reported_state = false;
	bool is_shut_down = false;

	std::mutex mutex; // guards everything below; never held while engine code of others can run
	uint64_t last_id = 0;
	std::set<uint64_t> refused_nodes; // of the edited scene: said already
	std::set<uint64_t> changed_nodes; // whose values the worker may not know
	int64_t introduced_language = 0;  // the revision of the translation that all nodes were introduced with
	std::map<uint64_t, bool> nodes;	  // by id: whether it was told that the runtime failed
};

extern Host *host;

} // namespace rag_memory
