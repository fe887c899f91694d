// Preloaded before the address sanitizer in a sanitizer run, never shipped.
//
// Godot opens extensions with RTLD_DEEPBIND, which the sanitizer refuses because the extension would then
// find the C library's malloc before the sanitizer's. This takes the flag away from every dlopen.

#include <dlfcn.h>

extern "C" __attribute__((visibility("default"))) void *dlopen(const char *file, int mode) noexcept {
	using Dlopen = void *(*)(const char *, int);
	static const Dlopen next = reinterpret_cast<Dlopen>(dlsym(RTLD_NEXT, "dlopen"));
	return next(file, mode & ~RTLD_DEEPBIND);
}
