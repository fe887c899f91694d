#include "python/python_runtime.h"

#include "engine/class_table.h"
#include "engine/runtime_check.h"
#include "platform/platform.h"
#include "python/python_api.h"

namespace rag_memory {

namespace {

LogFunction log_function = nullptr;
AskFunction ask_function = nullptr;
RingFunction ring_function = nullptr;
ModelFunction model_function = nullptr;

PyObject *log_from_python(PyObject *, PyObject *arguments) {
	int level = 0;
	PyObject *text = nullptr;
	if (!python.PyArg_ParseTuple(arguments, "iU", &level, &text)) {
		return nullptr;
	}
	log_function(level, python.text_of(text));
	python.Py_IncRef(python.none);
	return python.none;
}

PyMethodDef log_definition = {"log", log_from_python, METH_VARARGS, "log(level, text): show a line in the engine's output"};

PyObject *ask_from_python(PyObject *, PyObject *arguments) {
	unsigned long long question_id = 0;
	unsigned long long message_id = 0;
	unsigned int which = 0;
	PyObject *payload = nullptr;
	char *data = nullptr;
	Py_ssize_t size = 0;
	if (!python.PyArg_ParseTuple(arguments, "KKIO", &question_id, &message_id, &which, &payload) ||
			python.PyBytes_AsStringAndSize(payload, &data, &size) != 0) {
		return nullptr;
	}
	return python.PyBool_FromLong(ask_function(question_id, message_id, which, reinterpret_cast<const uint8_t *>(data), static_cast<size_t>(size)));
}

PyMethodDef ask_definition = {"ask", ask_from_python, METH_VARARGS, "ask(question, request, which, payload): ask a function of the game; False when it is not asked. An empty payload asks only whether it is set"};

PyObject *ring_from_python(PyObject *, PyObject *) {
	ring_function();
	python.Py_IncRef(python.none);
	return python.none;
}

PyMethodDef ring_definition = {"ring", ring_from_python, METH_NOARGS, "ring(): let the game carry out what has come over the bus"};

PyObject *command_model_from_python(PyObject *, PyObject *arguments) {
	PyObject *payload = nullptr;
	char *data = nullptr;
	Py_ssize_t size = 0;
	if (!python.PyArg_ParseTuple(arguments, "O", &payload) || python.PyBytes_AsStringAndSize(payload, &data, &size) != 0) {
		return nullptr;
	}
	const std::vector<uint8_t> answer = model_function(reinterpret_cast<const uint8_t *>(data), static_cast<size_t>(size));
	if (answer.empty()) {
		python.Py_IncRef(python.none);
		return python.none;
	}
	return python.PyBytes_FromStringAndSize(reinterpret_cast<const char *>(answer.data()), static_cast<Py_ssize_t>(answer.size()));
}

PyMethodDef model_definition = {"model", command_model_from_python, METH_VARARGS, "model(payload): pass a command to the game's embedding model"};

// A PyConfig that is cleared with its scope.
class Config {
public:
	Config() { python.PyConfig_InitIsolatedConfig(&config); }
	~Config() { python.PyConfig_Clear(&config); }
	Config(const Config &) = delete;
	Config &operator=(const Config &) = delete;
	PyConfig *operator->() { return &config; }
	PyConfig *get() { return &config; }

	void set(wchar_t **field, const std::string &value) { python.PyConfig_SetBytesString(&config, field, value.c_str()); }
	void add_search_path(const std::string &path) {
		wchar_t *wide = python.Py_DecodeLocale(path.c_str(), nullptr);
		python.PyWideStringList_Append(&config.module_search_paths, wide);
		python.PyMem_RawFree(wide);
	}

private:
	PyConfig config;
};

std::string message_of(const PyStatus &status) {
	return status.err_msg != nullptr ? status.err_msg : "unknown reason";
}

std::string initialise(const RuntimeFolders &folders) {
	PyPreConfig preconfig;
	python.PyPreConfig_InitIsolatedConfig(&preconfig);
	preconfig.utf8_mode = 1;
	PyStatus status = python.Py_PreInitialize(&preconfig);
	if (python.PyStatus_Exception(status)) {
		return message_of(status);
	}
	Config config;
	config->site_import = 0;
	config->install_signal_handlers = 0;
	config->write_bytecode = 0;
	config->configure_c_stdio = 0;
	config->pathconfig_warnings = 0;
	for (wchar_t **field : {&config->prefix, &config->exec_prefix, &config->base_prefix, &config->base_exec_prefix}) {
		config.set(field, folders.runtime);
	}
	for (wchar_t **field : {&config->executable, &config->base_executable, &config->program_name}) {
		config.set(field, folders.runtime + "/bin/python3");
	}
	config->module_search_paths_set = 1;
	if (!folders.development_source.empty()) {
		config.add_search_path(folders.development_source);
	}
	config.add_search_path(folders.runtime + "/stdlib");
	config.add_search_path(folders.runtime + "/stdlib/lib-dynload");
	config.add_search_path(folders.runtime + "/site-packages");
	const platform::UsableStandardStreams streams;
	status = python.Py_InitializeFromConfig(config.get());
	return python.PyStatus_Exception(status) ? message_of(status) : "";
}

template <typename... Arguments>
std::string call_function(const char *module_name, const char *function, const char *format, Arguments... arguments) {
	PyObject *module = python.PyImport_ImportModule(module_name);
	PyObject *result = module != nullptr ? python.PyObject_CallMethod(module, function, format, arguments...) : nullptr;
	const bool failed = result == nullptr;
	python.Py_DecRef(result);
	python.Py_DecRef(module);
	return failed ? python.take_exception() : "";
}

// Before the bridge is imported: that loads numpy, which reads flags and variables when it is loaded.
std::string prepare_imports() {
	const int flags = platform::extension_module_flags();
	const std::string error = flags != 0 ? call_function("sys", "setdlopenflags", "i", flags) : "";
	return error.empty() ? call_function("rag_memory.godot.environment", "prepare", nullptr) : error;
}

} // namespace

std::string PythonRuntime::start(const RuntimeFolders &folders, bool is_debug_build, bool is_in_editor, LogFunction log, AskFunction ask, ModelFunction model, RingFunction ring) {
	log_function = log;
	ask_function = ask;
	model_function = model;
	ring_function = ring;
	const std::string library = folders.runtime + "/" + platform::LIBPYTHON;
	if (platform::is_too_long_for_the_runtime(folders.runtime)) {
		return "The path of the Python runtime is too long for Windows: " + folders.runtime + ". Move the folder of the game to a place with a shorter path.";
	}
	if (!platform::exists(library)) {
		return "The Python runtime is missing: there is no " + library + ". " + folders.remedy;
	}
	std::string error = check_runtime(folders);
	if (!error.empty()) {
		return "The Python runtime is damaged: " + error + ". " + folders.remedy;
	}
	error = python.load(library);
	if (!error.empty()) {
		return "The Python runtime cannot be loaded: " + error + ". " + folders.remedy;
	}
	if (!platform::exists(folders.runtime + "/stdlib/os.py") && !platform::exists(folders.runtime + "/stdlib/os.pyc")) {
		return "The Python runtime is incomplete: there is no standard library in " + folders.runtime + "/stdlib. " + folders.remedy;
	}
	error = initialise(folders);
	if (!error.empty()) {
		return "The Python runtime does not start: " + error + ". " + folders.remedy;
	}
	is_initialised = true;
	error = prepare_imports();
	PyObject *module = error.empty() ? python.PyImport_ImportModule("rag_memory.godot.bridge") : nullptr;
	PyObject *log_object = module != nullptr ? python.PyCMethod_New(&log_definition, nullptr, nullptr, nullptr) : nullptr;
	PyObject *ask_object = log_object != nullptr ? python.PyCMethod_New(&ask_definition, nullptr, nullptr, nullptr) : nullptr;
	PyObject *model_object = ask_object != nullptr ? python.PyCMethod_New(&model_definition, nullptr, nullptr, nullptr) : nullptr;
	PyObject *ring_object = model_object != nullptr ? python.PyCMethod_New(&ring_definition, nullptr, nullptr, nullptr) : nullptr;
	PyObject *rules = ring_object != nullptr ? python.PyBytes_FromStringAndSize(reinterpret_cast<const char *>(folders.rules.data()), static_cast<Py_ssize_t>(folders.rules.size())) : nullptr;
	if (rules != nullptr) {
		bridge = python.PyObject_CallMethod(module, "start", "OOOOsssssiisO", log_object, ask_object, model_object, ring_object, folders.saves.c_str(), folders.models.c_str(),
				folders.prepared_saves.c_str(), folders.user_data.c_str(), folders.vector_index.c_str(), is_debug_build ? 1 : 0, is_in_editor ? 1 : 0, method_table_key().c_str(), rules);
	}
	if (bridge == nullptr && error.empty()) {
		error = python.take_exception();
	}
	python.Py_DecRef(rules);
	python.Py_DecRef(ring_object);
	python.Py_DecRef(model_object);
	python.Py_DecRef(ask_object);
	python.Py_DecRef(log_object);
	python.Py_DecRef(module);
	return error.empty() ? "" : "The memory system cannot be loaded:\n" + error + folders.remedy;
}

OthersRun::OthersRun() :
		state(python.PyEval_SaveThread()) {}

OthersRun::~OthersRun() {
	python.PyEval_RestoreThread(state);
}

std::string PythonRuntime::get_model_error() {
	PyObject *result = python.PyObject_CallMethod(bridge, "model_error", nullptr);
	const std::string error = result != nullptr ? python.text_of(result) : python.take_exception();
	python.Py_DecRef(result);
	return error;
}

// What Python lacks of a value that a message names: it keeps those that were named last.
void PythonRuntime::share(const SharedValue &value) {
	PyObject *has_value = python.PyObject_CallMethod(bridge, "has_shared", "L", static_cast<long long>(value.hash));
	PyObject *done = has_value;
	if (has_value == python.no) {
		PyObject *bytes = python.PyBytes_FromStringAndSize(reinterpret_cast<const char *>(value.bytes.data()), static_cast<Py_ssize_t>(value.bytes.size()));
		done = python.PyObject_CallMethod(bridge, "add_shared", "LO", static_cast<long long>(value.hash), bytes);
		python.Py_DecRef(bytes);
		python.Py_DecRef(has_value);
	}
	if (done == nullptr) {
		log_function(2, python.take_exception());
	}
	python.Py_DecRef(done);
}

Progress PythonRuntime::handle(const Message &message, std::vector<uint8_t> &answer) {
	for (const SharedValue &value : message.shared) {
		share(value);
	}
	PyObject *payload = python.PyBytes_FromStringAndSize(
			reinterpret_cast<const char *>(message.payload.data()), static_cast<Py_ssize_t>(message.payload.size()));
	PyObject *result = python.PyObject_CallMethod(bridge, "handle", "KKidOi", static_cast<unsigned long long>(message.id),
			static_cast<unsigned long long>(message.instance_id), static_cast<int>(message.method_id), message.now_seconds, payload,
			message.is_made_by_caller ? 1 : 0);
	python.Py_DecRef(payload);
	return take_answer(result, answer);
}

Progress PythonRuntime::resume(uint64_t message_id, std::vector<uint8_t> &answer) {
	return take_answer(python.PyObject_CallMethod(bridge, "resume", "K", static_cast<unsigned long long>(message_id)), answer);
}

void PythonRuntime::give_up_waiting() {
	notify("give_up_waiting");
}

void PythonRuntime::notify(const char *method) {
	PyObject *result = python.PyObject_CallMethod(bridge, method, nullptr);
	if (result == nullptr) {
		log_function(2, python.take_exception());
	}
	python.Py_DecRef(result);
}

void PythonRuntime::cancel(uint64_t message_id, std::vector<uint8_t> &answer) {
	take_answer(python.PyObject_CallMethod(bridge, "cancel", "K", static_cast<unsigned long long>(message_id)), answer);
}

Progress PythonRuntime::take_answer(PyObject *result, std::vector<uint8_t> &answer) {
	answer.clear();
	if (result == python.none || result == python.no) {
		const Progress progress = result == python.none ? Progress::MORE : Progress::WAITING;
		python.Py_DecRef(result);
		return progress;
	}
	char *data = nullptr;
	Py_ssize_t size = 0;
	if (result != nullptr && python.PyBytes_AsStringAndSize(result, &data, &size) == 0) {
		answer.assign(data, data + size);
	} else {
		// The bridge turns every failure into an answer; only one inside the bridge itself ends up here.
		log_function(2, python.take_exception());
	}
	python.Py_DecRef(result);
	return Progress::DONE;
}

Progress PythonRuntime::idle(std::vector<uint8_t> &answer) {
	::_object *result = python.PyObject_CallMethod(bridge, "idle", nullptr);
	if (result == python.no) {
		return take_answer(result, answer);
	}
	const bool is_over = result == nullptr || result == python.none; // what failed is not tried again at once
	take_answer(result, answer);
	return is_over ? Progress::DONE : Progress::MORE;
}

void PythonRuntime::stop() {
	if (bridge != nullptr) {
		notify("stop");
		python.Py_DecRef(bridge);
		bridge = nullptr;
	}
	if (is_initialised) {
		python.Py_FinalizeEx();
		is_initialised = false;
	}
}

} // namespace rag_memory
