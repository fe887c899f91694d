// The few methods of engine objects the host calls.
#pragma once

#include <string>
#include <vector>

#include "engine/variant.h"
#include "gdextension_interface.h"

namespace rag_memory {

// Looks up the methods; call once at the SCENE level, before any of the others.
void load_engine_calls();

bool is_in_editor();
bool is_debug_build();
// Whether the editor, or another debugger, is attached.
bool is_debugged();
std::string user_data_folder();
// The folder that res:// stands for; empty in a game whose files are in a pack.
std::string project_folder();
Variant project_setting(const std::string &name, const Variant &default_value);
// A resource by its path; null, without an error, when nothing is there.
Variant load_resource(const std::string &path);
void register_singleton(const char *name, GDExtensionObjectPtr object);
void unregister_singleton(const char *name);
GDExtensionObjectPtr main_loop();
// What the engine sends an object that was constructed by name; a Node depends on it.
void send_postinitialize(GDExtensionObjectPtr object);

void print_line(const std::string &text);
void push_warning(const std::string &text);
void push_error(const std::string &text);

// The singletons MemoryServer and MemoryWorld.
GDExtensionObjectPtr server_object();
GDExtensionObjectPtr world_object();

// A Callable of a function of ours, which gets `userdata` with each call.
Variant callable_of(GDExtensionCallableCustomCall function, void *userdata = nullptr);

// Emits a signal; only on the main thread.
void emit_signal(GDExtensionObjectPtr object, const std::string &name, const std::vector<Variant> &arguments);

// Whether anybody listens.
bool is_connected(GDExtensionObjectPtr object, const std::string &signal);
// Ends every connection of a signal.
void disconnect_all(GDExtensionObjectPtr object, const std::string &signal);

} // namespace rag_memory
