extends RefCounted
## What the operating system says about the memory of this process.

const STATUS_FILE := "/proc/self/status"


## Resident memory in kilobytes; 0 where there is no procfs.
static func resident_kb() -> int:
	var file: FileAccess = FileAccess.open(STATUS_FILE, FileAccess.READ)
	if file == null:
		return 0
	# A file of procfs has no length, so it is read line by line.
	while not file.eof_reached():
		var line: String = file.get_line()
		if line.begins_with("VmRSS:"):
			return line.trim_prefix("VmRSS:").strip_edges().to_int()
	return 0
