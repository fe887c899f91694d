// The entry point: what happens when the engine loads and unloads the library.
#include <vector>

#include "calls/host.h"
#include "classes/class_registry.h"
#include "engine/class_table.h"
#include "engine/engine_calls.h"
#include "engine/godot_api.h"
#include "engine/variant.h"
#include "platform/platform.h"

namespace rag_memory {

namespace {

// The classes of which there is one object each.
constexpr const char *SINGLETONS[] = {"MemoryServer", "MemoryWorld"};

std::vector<GDExtensionObjectPtr> singletons;

const MainLoopCallbacks MAIN_LOOP_CALLBACKS = {
		[]() { host->start_up(); },
		[]() { host->shut_down(); },
		[]() { host->frame(); },
};

void initialize(void *, GDExtensionInitializationLevel level) {
	if (level == GDEXTENSION_INITIALIZATION_SCENE) {
		load_variant_functions();
		load_engine_calls();
		host = new Host();
		load_class_tables();
		register_classes();
		for (const char *name : SINGLETONS) {
			singletons.push_back(godot.classdb_construct_object2(StringName(name).get()));
			register_singleton(name, singletons.back());
		}
		if (godot.register_main_loop_callbacks == nullptr) {
			host->start_up_later();
		}
	} else if (level == GDEXTENSION_INITIALIZATION_EDITOR) {
		register_help();
	}
}

void deinitialize(void *, GDExtensionInitializationLevel level) {
	if (level == GDEXTENSION_INITIALIZATION_SCENE) {
		host->shut_down(); // on Godot 4.4 nobody has called it before
		for (const char *name : SINGLETONS) {
			unregister_singleton(name);
		}
		for (const GDExtensionObjectPtr singleton : singletons) {
			godot.object_destroy(singleton);
		}
		singletons.clear();
		unregister_classes();
		delete host;
		host = nullptr;
		unload_variant_functions();
	}
}

} // namespace

} // namespace rag_memory

RAG_MEMORY_EXPORT GDExtensionBool rag_memory_init(
		GDExtensionInterfaceGetProcAddress get_proc_address, GDExtensionClassLibraryPtr library, GDExtensionInitialization *initialization) {
	using namespace rag_memory;
	if (!godot.load(get_proc_address, library)) {
		return false;
	}
	platform::keep_loaded();
	if (godot.register_main_loop_callbacks != nullptr) {
		godot.register_main_loop_callbacks(library, &MAIN_LOOP_CALLBACKS);
	}
	initialization->minimum_initialization_level = GDEXTENSION_INITIALIZATION_SCENE;
	initialization->initialize = initialize;
	initialization->deinitialize = deinitialize;
	return true;
}
