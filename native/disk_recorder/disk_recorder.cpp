// Records what a process does to the files of one folder, and makes chosen calls fail. Preloaded (LD_PRELOAD) by
// `build.py bench crash` and its tests on Linux; nothing of it is shipped.
//
// DISK_RECORDER_FOLDER names the folder, DISK_RECORDER_LOG the file that the records go to (none: nothing is
// recorded). A record is its kind (one byte), the number of the file (4 bytes), an offset (8), the length of its data
// (4) and the data, in the byte order of the machine.

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <map>
#include <mutex>
#include <string>

namespace {

// Plain calls of the system: those of the C library are the ones that are replaced here.
const int kMostHandles = 4096;

struct Handle {
	uint32_t number = 0;
	bool is_folder = false;
	std::string path;
};

struct State {
	std::mutex mutex;
	std::string folder;
	int log = -1;
	std::map<std::string, uint32_t> numbers;
	uint32_t last_number = 0;
	Handle handles[kMostHandles];
	long calls = 0;
	long fails_at = 0;
	bool is_lasting = false;
};

State &state() {
	static State *const the_state = [] {
		State *made = new State;
		const char *folder = getenv("DISK_RECORDER_FOLDER");
		const char *log = getenv("DISK_RECORDER_LOG");
		made->folder = folder == nullptr ? "" : folder;
		if (log != nullptr && *log != '\0') {
			made->log = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
		}
		return made;
	}();
	return *the_state;
}

void record(char kind, uint32_t number, uint64_t offset, const void *data, size_t length) {
	State &now = state();
	if (now.log < 0) {
		return;
	}
	std::string text(17, '\0');
	text[0] = kind;
	const uint32_t size = (uint32_t)length;
	memcpy(&text[1], &number, 4);
	memcpy(&text[5], &offset, 8);
	memcpy(&text[13], &size, 4);
	text.append((const char *)data, length);
	for (size_t done = 0; done < text.size();) {
		const long written = syscall(SYS_write, now.log, text.data() + done, text.size() - done);
		if (written <= 0) {
			abort();
		}
		done += (size_t)written;
	}
}

void record_name(char kind, uint32_t number, const std::string &name) {
	record(kind, number, 0, name.data(), name.size());
}

std::string resolved(int folder, const char *path) {
	if (path == nullptr) {
		return "";
	}
	if (*path == '/') {
		return path;
	}
	char target[PATH_MAX];
	const std::string link = folder == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/" + std::to_string(folder);
	const long length = syscall(SYS_readlinkat, AT_FDCWD, link.c_str(), target, sizeof(target));
	return length <= 0 ? "" : std::string(target, (size_t)length) + "/" + path;
}

bool is_watched(const std::string &path) {
	const std::string &folder = state().folder;
	return !folder.empty() && path.compare(0, folder.size(), folder) == 0 &&
			(path.size() == folder.size() || path[folder.size()] == '/');
}

Handle *watched(int handle) {
	if (handle < 0 || handle >= kMostHandles) {
		return nullptr;
	}
	Handle &entry = state().handles[handle];
	return entry.number == 0 && !entry.is_folder ? nullptr : &entry;
}

// Whether this call, one of those that are counted, is to fail. `is_writing`: it needs room on the disk.
bool fails(bool is_writing, int code) {
	State &now = state();
	now.calls += 1;
	const bool is_chosen = now.fails_at > 0 &&
			(now.calls == now.fails_at || (now.is_lasting && is_writing && now.calls > now.fails_at));
	if (is_chosen) {
		errno = code;
	}
	return is_chosen;
}

int opened(int folder, const char *given, int flags, mode_t mode) {
	const std::string path = resolved(folder, given);
	if (!is_watched(path)) {
		return (int)syscall(SYS_openat, folder, given, flags, mode);
	}
	State &now = state();
	const std::lock_guard<std::mutex> lock(now.mutex);
	if (fails((flags & O_CREAT) != 0, (flags & O_CREAT) != 0 ? ENOSPC : EIO)) {
		return -1;
	}
	struct stat before;
	const bool was_there = syscall(SYS_newfstatat, AT_FDCWD, path.c_str(), &before, 0) == 0;
	const int handle = (int)syscall(SYS_openat, folder, given, flags, mode);
	if (handle < 0 || handle >= kMostHandles) {
		return handle;
	}
	Handle &made = now.handles[handle];
	made.path = path;
	made.is_folder = was_there && S_ISDIR(before.st_mode);
	made.number = 0;
	if (made.is_folder) {
		return handle;
	}
	uint32_t &number = now.numbers[path];
	if (number == 0 || !was_there) {
		number = ++now.last_number;
		record_name('C', number, path.substr(now.folder.size()));
	} else if ((flags & O_TRUNC) != 0) {
		record('T', number, 0, "", 0);
	}
	made.number = number;
	return handle;
}

template <typename Call>
ssize_t written(int handle, const void *data, off_t offset, Call call) {
	State &now = state();
	const std::lock_guard<std::mutex> lock(now.mutex);
	Handle *file = watched(handle);
	if (file == nullptr) {
		return call();
	}
	if (fails(true, ENOSPC)) {
		return -1;
	}
	const off_t start = offset >= 0 ? offset : (off_t)syscall(SYS_lseek, handle, 0, SEEK_CUR);
	const ssize_t count = call();
	if (count > 0) {
		record('W', file->number, (uint64_t)start, data, (size_t)count);
	}
	return count;
}

int truncated(int handle, off_t length) {
	State &now = state();
	const std::lock_guard<std::mutex> lock(now.mutex);
	Handle *file = watched(handle);
	if (file != nullptr && fails(true, ENOSPC)) {
		return -1;
	}
	const int result = (int)syscall(SYS_ftruncate, handle, length);
	if (result == 0 && file != nullptr) {
		record('T', file->number, (uint64_t)length, "", 0);
	}
	return result;
}

// The record of a sync stands before the call: what is written while it runs need not be on the disk.
int synced(int handle, long call) {
	State &now = state();
	{
		const std::lock_guard<std::mutex> lock(now.mutex);
		Handle *file = watched(handle);
		if (file != nullptr && fails(false, EIO)) {
			return -1;
		}
		if (file != nullptr && file->is_folder) {
			record_name('D', 0, file->path.substr(now.folder.size()));
		} else if (file != nullptr) {
			record('S', file->number, 0, "", 0);
		}
	}
	return (int)syscall(call, handle);
}

int renamed(const std::string &from, const std::string &to, int from_folder, const char *from_path, int to_folder,
		const char *to_path) {
	State &now = state();
	const std::lock_guard<std::mutex> lock(now.mutex);
	const bool counts = is_watched(from) && is_watched(to);
	if (counts && fails(true, EIO)) {
		return -1;
	}
	const int result = (int)syscall(SYS_renameat2, from_folder, from_path, to_folder, to_path, 0);
	if (result != 0 || !counts) {
		return result;
	}
	record_name('R', 0, from.substr(now.folder.size()) + '\n' + to.substr(now.folder.size()));
	std::map<std::string, uint32_t> numbers;
	for (const auto &entry : now.numbers) {
		const bool is_moved = entry.first == from || entry.first.compare(0, from.size() + 1, from + "/") == 0;
		numbers[is_moved ? to + entry.first.substr(from.size()) : entry.first] = entry.second;
	}
	if (now.numbers.count(from) != 0) {
		numbers[to] = now.numbers[from];
	}
	now.numbers = numbers;
	return result;
}

int removed(int folder, const char *given, int flags) {
	const std::string path = resolved(folder, given);
	if (!is_watched(path)) {
		return (int)syscall(SYS_unlinkat, folder, given, flags);
	}
	State &now = state();
	const std::lock_guard<std::mutex> lock(now.mutex);
	if (fails(false, EIO)) {
		return -1;
	}
	const int result = (int)syscall(SYS_unlinkat, folder, given, flags);
	if (result == 0) {
		record_name('U', 0, path.substr(now.folder.size()));
		now.numbers.erase(path);
	}
	return result;
}

int made_folder(int folder, const char *given, mode_t mode) {
	const std::string path = resolved(folder, given);
	if (!is_watched(path)) {
		return (int)syscall(SYS_mkdirat, folder, given, mode);
	}
	State &now = state();
	const std::lock_guard<std::mutex> lock(now.mutex);
	if (fails(true, ENOSPC)) {
		return -1;
	}
	const int result = (int)syscall(SYS_mkdirat, folder, given, mode);
	if (result == 0) {
		record_name('M', 0, path.substr(now.folder.size()));
	}
	return result;
}

mode_t mode_of(int flags, va_list arguments) {
	return (flags & (O_CREAT | O_TMPFILE)) != 0 ? (mode_t)va_arg(arguments, int) : 0;
}

} // namespace

extern "C" {

// Writes a note of the process into the log.
void disk_recorder_note(const char *text) {
	const std::lock_guard<std::mutex> lock(state().mutex);
	record_name('N', 0, text);
}

// Makes the `at`-th counted call from now on fail, 0 for none; `is_lasting`: and all later ones that need room.
void disk_recorder_fail(long at, int is_lasting) {
	const std::lock_guard<std::mutex> lock(state().mutex);
	state().calls = 0;
	state().fails_at = at;
	state().is_lasting = is_lasting != 0;
}

// The number of calls since disk_recorder_fail().
long disk_recorder_calls() {
	const std::lock_guard<std::mutex> lock(state().mutex);
	return state().calls;
}

int open(const char *path, int flags, ...) {
	va_list arguments;
	va_start(arguments, flags);
	const mode_t mode = mode_of(flags, arguments);
	va_end(arguments);
	return opened(AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...) {
	va_list arguments;
	va_start(arguments, flags);
	const mode_t mode = mode_of(flags, arguments);
	va_end(arguments);
	return opened(AT_FDCWD, path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...) {
	va_list arguments;
	va_start(arguments, flags);
	const mode_t mode = mode_of(flags, arguments);
	va_end(arguments);
	return opened(folder, path, flags, mode);
}

int openat64(int folder, const char *path, int flags, ...) {
	va_list arguments;
	va_start(arguments, flags);
	const mode_t mode = mode_of(flags, arguments);
	va_end(arguments);
	return opened(folder, path, flags, mode);
}

int close(int handle) {
	{
		const std::lock_guard<std::mutex> lock(state().mutex);
		Handle *file = watched(handle);
		if (file != nullptr) {
			*file = Handle();
		}
	}
	return (int)syscall(SYS_close, handle);
}

ssize_t write(int handle, const void *data, size_t size) {
	return written(handle, data, -1, [&] { return (ssize_t)syscall(SYS_write, handle, data, size); });
}

ssize_t pwrite(int handle, const void *data, size_t size, off_t offset) {
	return written(handle, data, offset, [&] { return (ssize_t)syscall(SYS_pwrite64, handle, data, size, offset); });
}

ssize_t pwrite64(int handle, const void *data, size_t size, off64_t offset) {
	return written(handle, data, offset, [&] { return (ssize_t)syscall(SYS_pwrite64, handle, data, size, offset); });
}

int ftruncate(int handle, off_t length) {
	return truncated(handle, length);
}

int ftruncate64(int handle, off64_t length) {
	return truncated(handle, length);
}

int fsync(int handle) {
	return synced(handle, SYS_fsync);
}

int fdatasync(int handle) {
	return synced(handle, SYS_fdatasync);
}

int rename(const char *from, const char *to) {
	return renamed(resolved(AT_FDCWD, from), resolved(AT_FDCWD, to), AT_FDCWD, from, AT_FDCWD, to);
}

int renameat(int from_folder, const char *from, int to_folder, const char *to) {
	return renamed(resolved(from_folder, from), resolved(to_folder, to), from_folder, from, to_folder, to);
}

int unlink(const char *path) {
	return removed(AT_FDCWD, path, 0);
}

int unlinkat(int folder, const char *path, int flags) {
	return removed(folder, path, flags);
}

int rmdir(const char *path) {
	return removed(AT_FDCWD, path, AT_REMOVEDIR);
}

int mkdir(const char *path, mode_t mode) {
	return made_folder(AT_FDCWD, path, mode);
}

int mkdirat(int folder, const char *path, mode_t mode) {
	return made_folder(folder, path, mode);
}

// What these copy would not be seen. Without them everybody copies with write().
ssize_t copy_file_range(int, off64_t *, int, off64_t *, size_t, unsigned int) {
	errno = ENOSYS;
	return -1;
}

ssize_t sendfile(int, int, off_t *, size_t) {
	errno = EINVAL;
	return -1;
}

ssize_t sendfile64(int, int, off64_t *, size_t) {
	errno = EINVAL;
	return -1;
}
}
