#include "calls/host.h"

#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include "calls/sent_arguments.h"
#include "engine/addon_scripts.h"
#include "engine/class_table.h"
#include "engine/embedding_model.h"
#include "engine/engine_calls.h"
#include "engine/godot_api.h"
#include "engine/runtime_folders.h"
#include "engine/settings.h"

namespace rag_memory {

Host *host = nullptr;

namespace {

// What delivering may take of a frame; what is left over comes with the next ones.
constexpr std::chrono::microseconds DELIVERY_LIMIT(1000);
// What encoding long arrays may take of a frame besides.
constexpr std::chrono::microseconds ENCODING_LIMIT(1000);

constexpr const char *PROPERTIES_ERROR = "A property of this object or of its config is nested too deeply, contains itself or is too large, so that it cannot be passed to the memory worker. Set a flatter value.";
constexpr const char *WORLD_PROPERTIES_ERROR = "A property of MemoryWorld, of its config or of the calendar is nested too deeply, contains itself or is too large, so that it cannot be passed to the memory worker. Set a flatter value.";
constexpr const char *FREED_ERROR = "The object was freed while another thread called it. Let the thread end before.";

const char *state_name(Worker::State state) {
	switch (state) {
		case Worker::State::IDLE:
			return "idle";
		case Worker::State::STARTING:
			return "starting";
		case Worker::State::READY:
			return "ready";
		case Worker::State::FAILED:
			return "failed";
		case Worker::State::STOPPED:
			return "stopped";
	}
	return "";
}

Instance &server_instance() {
	return *instance_of(server_object());
}

Instance &world_instance() {
	return *instance_of(world_object());
}

} // namespace

Host::Host() :
		worker(new Worker()), questions(*worker), encoding(*worker), finished(*worker, activity), requests(*worker, encoding, events, finished, activity) {}

Host::~Host() {
	if (worker->has_thread_ended()) {
		delete worker;
	}
}

bool Host::is_main_thread() const {
	return std::this_thread::get_id() == main_thread;
}

void Host::start_up() {
	if (is_in_editor()) {
		return;
	}
	if (is_debugged()) {
		live_report = start_live_report();
	}
	if (preload_setting()) {
		start_runtime();
	}
}

void Host::start_up_later() {
	const GDExtensionCallableCustomCall call = [](void *, const GDExtensionConstVariantPtr *, GDExtensionInt, GDExtensionVariantPtr, GDExtensionCallError *error) {
		host->start_up();
		error->error = GDEXTENSION_CALL_OK;
	};
	bool ok = false;
	callable_of(call).call(StringName("call_deferred"), {}, ok);
}

void Host::start_runtime() {
	if (worker->get_state() != Worker::State::IDLE) {
		return;
	}
	std::call_once(settings_read, [this] {
		timeout_seconds = request_timeout_setting();
		default_config = default_config_setting();
	});
	if (godot.register_main_loop_callbacks == nullptr) {
		connect_scene_tree();
	}
	worker->start(find_folders(), timeout_seconds);
}

// Godot 4.4 has no main-loop callbacks for extensions; the scene tree's signals stand in for them.
void Host::connect_scene_tree() {
	const GDExtensionCallableCustomCall frame_call = [](void *, const GDExtensionConstVariantPtr *, GDExtensionInt, GDExtensionVariantPtr, GDExtensionCallError *error) {
		host->frame();
		error->error = GDEXTENSION_CALL_OK;
	};
	const GDExtensionCallableCustomCall shutdown_call = [](void *, const GDExtensionConstVariantPtr *, GDExtensionInt, GDExtensionVariantPtr, GDExtensionCallError *error) {
		host->shut_down();
		error->error = GDEXTENSION_CALL_OK;
	};
	bool ok = false;
	Variant tree = Variant::from_object(main_loop());
	Variant root = tree.call(StringName("get_root"), {}, ok);
	tree.call(StringName("connect"), {Variant::from_string("process_frame"), callable_of(frame_call)}, ok);
	root.call(StringName("connect"), {Variant::from_string("tree_exiting"), callable_of(shutdown_call)}, ok);
}

bool Host::are_saves_untouched() const {
	const Worker::State state = worker->get_state();
	return !may_have_changed_saves.load() && (state == Worker::State::IDLE || state == Worker::State::STARTING || state == Worker::State::READY);
}

// A node of the edited scene is called by a script with @tool, which would write into a save that the game, or a panel,
// has there. Empty when the call may write. The output says it once for each node.
std::string Host::refusal_in_editor(const Instance &instance, const MethodDeclaration &method) {
	const ClassRole role = instance.declaration.role;
	if ((role != ClassRole::NODE && role != ClassRole::MIND) || (role == ClassRole::NODE && !instance.get_property(PERSISTENT).to_bool())) {
		return "";
	}
	const std::string path = path_in_edited_scene(instance.object, is_main_thread());
	if (path.empty()) {
		return "";
	}
	const std::string refusal = std::string(instance.declaration.name) + "." + method.name + "(): the node " + path +
			" is in the scene that you edit, and a script with @tool does not write into a save, so nothing was changed. "
			"Have the script return when Engine.is_editor_hint(). A tool that fills a save opens it and uses a RAGMemory that is in no scene.";
	bool is_first = false;
	{
		std::lock_guard<std::mutex> lock(mutex);
		is_first = refused_nodes.insert(instance.id).second;
	}
	if (is_first) {
		push_warning(refusal);
	}
	return refusal;
}

uint64_t Host::send(Instance &instance, const MethodDeclaration &method, const Variant *arguments, bool is_blocking, const Variant &request) {
	start_runtime();
	if (is_main_thread() && !is_in_editor()) {
		translation.refresh();
	}
	if (is_main_thread()) {
		introduce_changed_nodes();
	}
	const auto asked = std::chrono::steady_clock::now();
	instance.prepare_call();
	const std::string refusal = is_in_editor() && method.writes ? refusal_in_editor(instance, method) : "";
	// Declared before the lock: the last reference to a replaced config may end here, and releasing it locks too.
	const Instance::Values values = instance.get_values();
	const Instance::Values values_of_world = world_instance().get_values();
	auto message = std::make_unique<Message>();
	message->asked = asked;
	message->instance_id = instance.id;
	message->method_id = method.id;
	message->now_seconds = clock.now();
	message->is_barrier = method.is_barrier;
	if (method.is_barrier && is_main_thread()) {
		npc_nodes.forget_checked();
	}
	message->opens = method.opens;
	message->is_urgent = is_blocking;
	message->writes = method.writes;
	message->is_unordered = method.is_unordered;
	message->reads_world = method.reads_world;
	message->key = instance.order_key(values);
	SentArguments sent(method, arguments);
	std::unique_ptr<LongArray> long_array;
	if (is_main_thread() && !is_blocking && !method.is_barrier && !is_shut_down) {
		long_array = LongArray::find(sent.get(), method.argument_count, message->payload);
	}
	if (long_array == nullptr) {
		Variant array = Variant::empty(GDEXTENSION_VARIANT_TYPE_ARRAY);
		for (uint32_t i = 0; i < method.argument_count; i++) {
			array.append(sent.get()[i]);
		}
		message->payload = serialise(array);
	}
	message->shared = sent.take_shared();
	if (!message->is_unordered && (long_array == nullptr || needs_configuration(instance, values))) {
		encoding.finish_before(*message, is_main_thread());
	}

	if (method.writes || instance.declaration.role != ClassRole::SERVER) { // the first call of a node opens a save
		may_have_changed_saves.store(true);
	}

	std::lock_guard<std::mutex> lock(mutex);
	message->id = ++last_id;
	message->is_made_by_caller = is_blocking && is_main_thread();
	const uint64_t id = message->id;
	if (!is_blocking) {
		requests.add(id, request, instance, method, asked);
	}
	if (instance.is_freed) {
		worker->refuse(std::move(message), FREED_ERROR);
		return id;
	}
	if (!refusal.empty()) {
		message->answer.was_reported = true;
		worker->refuse(std::move(message), refusal);
		return id;
	}
	if (!sent.get_error().empty()) {
		worker->refuse(std::move(message), sent.get_error());
		return id;
	}
	if (message->payload.empty()) {
		worker->refuse(std::move(message), Worker::NOT_SERIALISED_ERROR);
		return id;
	}
	// The world is kept also while nobody calls MemoryWorld. Its values, and the game's language for all who have no
	// config of their own, count from now on for every NPC: they wait for no call of the world.
	if (!message->is_unordered && !send_configuration(world_instance(), values_of_world, true)) {
		worker->refuse(std::move(message), WORLD_PROPERTIES_ERROR);
		return id;
	}
	if (!send_configuration(instance, values, message->is_unordered)) {
		worker->refuse(std::move(message), PROPERTIES_ERROR);
		return id;
	}
	if (long_array != nullptr) {
		encoding.add(std::move(message), std::move(long_array));
	} else {
		worker->post(std::move(message));
	}
	if (!is_blocking && is_main_thread()) {
		activity.add_cost(std::chrono::steady_clock::now() - asked);
	}
	return id;
}

// Of the property values, and of what travels with them: the game's sentences and its calendar.
int64_t Host::signature_of(const Instance &instance, const Instance::Values &values) const {
	const int64_t calendar = signature_of_config(server_instance().get_property(CALENDAR));
	return Instance::combine(instance.signature(values) ^ translation.get_revision() << 32, calendar);
}

bool Host::needs_configuration(Instance &instance, const Instance::Values &values) {
	std::lock_guard<std::mutex> lock(mutex);
	return instance.declaration.role != ClassRole::SERVER && signature_of(instance, values) != instance.sent_signature;
}

// The property values travel only when they changed, ahead of the call and in its order. Unordered calls have
// values of their own in Python: what they overtake is still carried out with the values that it was asked with.
// False when they cannot be sent.
bool Host::send_configuration(Instance &instance, const Instance::Values &values, bool for_unordered) {
	if (instance.declaration.role == ClassRole::SERVER) {
		return true;
	}
	const int64_t signature = signature_of(instance, values);
	int64_t &sent_signature = for_unordered ? instance.sent_unordered_signature : instance.sent_signature;
	if (signature == sent_signature) {
		return true;
	}
	SharedValues shared;
	Variant configuration = instance.configuration(values, shared);
	if (instance.declaration.role == ClassRole::CONFIG) {
		configuration = shared.name_of(configuration);
	}
	const Variant calendar = server_instance().get_property(CALENDAR);
	const int64_t calendar_signature = signature_of_config(calendar);
	if (calendar_signature != sent_calendar_signature) {
		sent_calendar_signature = calendar_signature;
		calendar_revision++;
	}
	// With a number, because a message with a former calendar may be carried out later: queues have priorities.
	const Variant sent_calendar = array_of({Variant::from_int(calendar_revision), values_of_config(calendar, shared)});
	const Variant arguments = array_of({Variant::from_string(instance.declaration.name), configuration, Variant::from_bool(for_unordered),
			shared.name_of(translation.get_sentences()), sent_calendar});
	auto message = std::make_unique<Message>();
	message->id = ++last_id;
	message->instance_id = instance.id;
	message->method_id = CONFIGURE_METHOD;
	message->payload = serialise(arguments);
	if (message->payload.empty() || shared.has_failed()) {
		return false;
	}
	message->shared = shared.take();
	message->key = instance.order_key(values);
	message->writes = true; // what is written after it depends on it
	message->wants_answer = false;
	message->is_unordered = for_unordered;
	worker->post(std::move(message));
	sent_signature = signature;
	return true;
}

Variant Host::call_blocking(Instance &instance, const MethodDeclaration &method, const Variant *arguments) {
	const auto asked = std::chrono::steady_clock::now();
	// The game may free the object while another thread waits here.
	const uint64_t instance_id = instance.id;
	const char *class_name = instance.declaration.name;
	if (method.native != nullptr && are_saves_untouched()) {
		Variant result = method.native(instance, arguments);
		if (result.type() != GDEXTENSION_VARIANT_TYPE_NIL) {
			finished.add({instance_id, class_name, &method, true, {}, {}, std::chrono::steady_clock::now() - asked, "", result});
			return result;
		}
	}
	const uint64_t id = send(instance, method, arguments, true, Variant());
	const Answer answer = wait(id);
	if (is_main_thread()) {
		flush_log();
		if (method.is_barrier || has_signals(answer)) { // what opens a save leaves current_save() right in any case
			requests.emit_signals(answer);
		}
	}
	if (!answer.error.empty() && !answer.was_reported) {
		finished.tell_error(instance_id, class_name, method.name, answer.error);
	}
	Variant result = result_of(method, answer);
	const auto latency = std::chrono::steady_clock::now() - asked;
	if (is_main_thread()) {
		activity.add_cost(latency);
	}
	finished.add({instance_id, class_name, &method, true, answer.waited, answer.worked, latency, answer.error, result});
	return result;
}

// While the main thread is blocked no frame asks the game; what the message wants to know is asked here.
Answer Host::wait(uint64_t id) {
	Answer answer;
	Question question;
	while (!worker->wait(id, is_main_thread(), answer, question)) {
		questions.put(question, false);
	}
	return answer;
}

Variant Host::call_async(Instance &instance, const MethodDeclaration &method, const Variant *arguments) {
	const Variant request = Variant::from_object(godot.classdb_construct_object2(StringName("MemoryRequest").get()));
	auto *request_instance = static_cast<RequestInstance *>(instance_of(request.to_object()));
	request_instance->request_id = send(instance, method, arguments, false, request);
	return request;
}

void Host::post(Instance &instance, const MethodDeclaration &method, const Variant *arguments) {
	send(instance, method, arguments, false, Variant());
}

Variant Host::health(Instance &server) {
	static const MethodDeclaration collect = {"health", MethodKind::WORKER_BLOCKING, COLLECT_HEALTH_METHOD, true, false, false, false, true, false, true,
			{GDEXTENSION_VARIANT_TYPE_DICTIONARY, "", 0, "", 0, GDEXTENSION_VARIANT_TYPE_NIL}, nullptr, 0, nullptr};
	const Worker::State state = worker->get_state();
	Variant result = Variant::empty(GDEXTENSION_VARIANT_TYPE_DICTIONARY);
	if (state == Worker::State::READY) {
		result = call_blocking(server, collect, nullptr).duplicate(); // call_finished has got the other
	}
	set_state(result, state);
	result.set_key("current_save", Variant::from_string(events.get_current_save()));
	result.set_key("startup_ms", Variant::from_float(worker->get_startup_seconds() * 1000.0));
	result.set_key("pending_requests", Variant::from_int(static_cast<int64_t>(requests.count())));
	return result;
}

Variant Host::get_activity(Instance &server) {
	Variant result = Variant::empty(GDEXTENSION_VARIANT_TYPE_DICTIONARY);
	if (!is_main_thread()) {
		push_error("MemoryServer.get_activity: it can be called on the main thread only, because it looks at nodes. Call it in _process() and hand the result over.");
		return result;
	}
	refresh_counts(server);
	Variant found = Variant::empty(GDEXTENSION_VARIANT_TYPE_ARRAY);
	result.set_key("current_save", Variant::from_string(events.get_current_save()));
	for (uint64_t id : node_ids()) {
		found.append(Variant::from_object(godot.object_get_instance_from_id(id)));
	}
	result.set_key("nodes", found);
	result.set_key("queue_length", Variant::from_int(static_cast<int64_t>(requests.count())));
	activity.report_to(result);
	set_state(result, worker->get_state());
	return result;
}

// A runtime whose built-in embedding model does not work has failed, too, as long as that is so. One that is
// only away costs nothing but the meaning of words.
void Host::set_state(Variant &report, Worker::State state) {
	const Variant fault = report.get_key("model_error");
	const std::string model_error = fault.type() == GDEXTENSION_VARIANT_TYPE_STRING ? fault.to_string() : "";
	const Variant away = report.get_key("model_is_away");
	const bool is_away = away.type() == GDEXTENSION_VARIANT_TYPE_BOOL && away.to_bool();
	const bool is_broken = state == Worker::State::READY && !model_error.empty() && !is_away;
	std::string error = model_error.empty() ? finished.get_last_error() : model_error;
	report.set_key("state", Variant::from_string(state_name(is_broken ? Worker::State::FAILED : state)));
	report.set_key("last_error", Variant::from_string(state == Worker::State::FAILED ? worker->get_failure() : error));
}

// Asks the worker for what only it can count; the answer is there a frame or more later.
void Host::refresh_counts(Instance &server) {
	static const MethodDeclaration collect = {"get_activity", MethodKind::WORKER_POST, COLLECT_COUNTS_METHOD, true, false, false, false, true, false, true,
			{GDEXTENSION_VARIANT_TYPE_DICTIONARY, "", 0, "", 0, GDEXTENSION_VARIANT_TYPE_NIL}, nullptr, 0, nullptr};
	if (worker->get_state() == Worker::State::READY && activity.begin_count()) {
		send(server, collect, nullptr, false, Variant());
	}
}

bool Host::set_embedding_model(const Variant &model) {
	if (model.type() != GDEXTENSION_VARIANT_TYPE_NIL && !is_embedding_model(model)) {
		push_error("MemoryServer.embedding_model cannot be " + model.shown() + ". It has to be a MemoryOpenAIEmbedding, a MemoryOllamaEmbedding, another MemoryEmbeddingModel, or null for the built-in one.");
		return false;
	}
	const std::string save = events.get_current_save();
	if (!save.empty() && !is_shut_down) {
		push_warning("MemoryServer.embedding_model was set while the save \"" + save + "\" is open, which keeps the model that it has. Set it before open_save(), or open the save again: first close_save(), then open_save().");
	}
	rag_memory::set_embedding_model(model);
	return true;
}

void Host::add_node(const Instance &node) {
	std::lock_guard<std::mutex> lock(mutex);
	nodes.emplace(node.id, false);
}

void Host::remove_node(const Instance &node) {
	std::lock_guard<std::mutex> lock(mutex);
	nodes.erase(node.id);
	changed_nodes.erase(node.id);
}

std::vector<uint64_t> Host::node_ids() {
	std::lock_guard<std::mutex> lock(mutex);
	std::vector<uint64_t> ids;
	for (const auto &node : nodes) {
		ids.push_back(node.first);
	}
	return ids;
}

void Host::release(Instance &instance) {
	{
		std::lock_guard<std::mutex> lock(mutex);
		instance.is_freed = true;
		if ((instance.sent_signature == 0 && instance.sent_unordered_signature == 0) || is_shut_down) {
			return; // the worker has never heard of it
		}
	}
	auto message = std::make_unique<Message>();
	message->instance_id = instance.id;
	message->method_id = RELEASE_METHOD;
	message->key = instance.order_key(instance.get_values());
	message->wants_answer = false;
	encoding.finish_before(*message, is_main_thread());
	std::lock_guard<std::mutex> lock(mutex);
	message->id = ++last_id;
	worker->post(std::move(message));
}

void Host::note_changed(const Instance &node) {
	std::lock_guard<std::mutex> lock(mutex);
	changed_nodes.insert(node.id);
}

// As the values of unordered calls, which overtake the queue: the call that follows may need them. On the main thread.
void Host::introduce_changed_nodes() {
	std::set<uint64_t> changed;
	{
		std::lock_guard<std::mutex> lock(mutex);
		if (introduced_language != translation.get_revision()) {
			introduced_language = translation.get_revision();
			for (const auto &node : nodes) {
				changed_nodes.insert(node.first);
			}
		}
		changed.swap(changed_nodes);
	}
	for (const uint64_t id : changed) {
		const std::shared_ptr<Instance> node = shared_instance_of(godot.object_get_instance_from_id(id));
		if (node == nullptr || node->npc_id().to_string().empty()) {
			continue;
		}
		const Instance::Values values = node->get_values();
		std::lock_guard<std::mutex> lock(mutex);
		if (!node->is_freed && !is_shut_down && !send_configuration(*node, values, true)) {
			push_error(std::string(node->declaration.name) + ": " + PROPERTIES_ERROR);
		}
	}
}

void Host::introduce(Instance &instance) {
	start_runtime();
	instance.prepare_call();
	const Instance::Values values = instance.get_values();
	std::lock_guard<std::mutex> lock(mutex);
	if (!instance.is_freed && !is_shut_down && !send_configuration(instance, values, false)) {
		push_error(std::string(instance.declaration.name) + ": " + PROPERTIES_ERROR);
	}
}

// With the game's time, which only this thread can ask for.
void Host::carry_out_rung() {
	auto message = std::make_unique<Message>();
	message->instance_id = BUS_INSTANCE;
	message->method_id = CARRY_OUT_RUNG_METHOD;
	may_have_changed_saves.store(true);
	message->now_seconds = clock.now();
	message->payload = serialise(Variant::empty(GDEXTENSION_VARIANT_TYPE_ARRAY));
	message->key = BUS_KEY;
	message->wants_answer = false;
	std::lock_guard<std::mutex> lock(mutex);
	message->id = ++last_id;
	worker->post(std::move(message));
}

void Host::report_runtime_failure(const Instance &node) {
	if (worker->get_state() != Worker::State::FAILED || !has_reported_state) {
		return;
	}
	{
		std::lock_guard<std::mutex> lock(mutex);
		if (std::exchange(nodes[node.id], true)) {
			return;
		}
	}
	emit_signal(node.object, "failed", {Variant::from_string(worker->get_failure())});
}

void Host::flush_log() {
	for (const LogLine &line : worker->take_log()) {
		switch (line.level) {
			case LogLevel::PRINT:
				print_line(line.text);
				break;
			case LogLevel::WARNING:
				push_warning(line.text);
				break;
			case LogLevel::ERROR:
				push_error(line.text);
				break;
		}
	}
}

void Host::report_state() {
	const Worker::State state = worker->get_state();
	if (has_reported_state || (state != Worker::State::READY && state != Worker::State::FAILED)) {
		return;
	}
	has_reported_state = true;
	if (state == Worker::State::READY) {
		const std::string model_error = worker->get_failure(); // said already
		if (model_error.empty()) {
			emit_signal(server_object(), "runtime_ready", {});
		} else {
			emit_signal(server_object(), "runtime_failed", {Variant::from_string(model_error)});
		}
		return;
	}
	const std::string failure = worker->get_failure();
	push_error("RAG Memory: " + failure);
	emit_signal(server_object(), "runtime_failed", {Variant::from_string(failure)});
	for (uint64_t id : node_ids()) {
		GDExtensionObjectPtr object = godot.object_get_instance_from_id(id);
		if (object != nullptr) { // a handler of the signal before may have freed it
			report_runtime_failure(*instance_of(object));
		}
	}
}

void Host::frame() {
	const auto started = Clock::now();
	const bool has_news = worker->has_output() || requests.has_undelivered() || finished.has_kept();
	if (has_news || !has_reported_state) {
		const auto until = started + DELIVERY_LIMIT;
		flush_log();
		report_state();
		requests.deliver_until(until);
		finished.add_kept();
		for (const Question &question : worker->take_questions()) {
			questions.put(question, true);
		}
		if (worker->take_ring()) {
			carry_out_rung();
		}
	}
	if (encoding.is_busy()) {
		encoding.encode_until(Clock::now() + ENCODING_LIMIT);
	}
	const auto now = Clock::now();
	activity.add_cost(now - started);
	activity.end_frame();
	requests.end_frame(now);
}

void Host::shut_down() {
	if (is_shut_down) {
		return;
	}
	is_shut_down = true;
	encoding.encode_until(Clock::time_point::max());
	worker->stop();
	flush_log();
	requests.complete_all();
	npc_nodes.free_all();
	// The singletons outlive the script languages; a lambda still connected to one then would crash the engine.
	for (const Instance *singleton : {&server_instance(), &world_instance()}) {
		for (const char *signal : signals_of(singleton->declaration.name)) {
			disconnect_all(singleton->object, signal);
		}
	}
	for (uint32_t i = 0; i < SERVER_FUNCTION_COUNT; i++) {
		server_instance().set_property(i, Variant::empty(GDEXTENSION_VARIANT_TYPE_CALLABLE));
	}
	server_instance().set_property(EMBEDDING_MODEL, Variant());
	server_instance().set_property(CALENDAR, Variant());
	release_embedding_model();
	world_instance().set_property(WORLD_CONFIG, Variant());
	questions.clear();
	clock.clear();
	translation.clear();
	events.clear();
	activity.clear();
	finished.clear();
	requests.clear();
	default_config = Variant();
	live_report = Variant();
	release_addon_scripts();
}

} // namespace rag_memory
