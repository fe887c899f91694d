@tool
extends RefCounted
## The texts about platforms: which there are, which one is not installed in this project,
## and what to do.

const RAGExtensionFile := preload("res://addons/rag_memory/editor/extension_file.gd")
const RAGSettings := preload("res://addons/rag_memory/editor/settings.gd")

const PLUGIN_FILE := "res://addons/rag_memory/plugin.cfg"
const SYSTEMS: Dictionary[String, String] = {
	"linux": "Linux", "macos": "macOS", "windows": "Windows"
}
## The platforms on which a dedicated server may have a MemoryEventBus and saves on PostgreSQL.
const SERVER_SYSTEMS: Array[String] = ["linux", "windows"]
## Built and checked, but never run by us on such a machine.
const UNTRIED: Array[String] = ["macos"]
const BYTES_PER_MEGABYTE := 1e6
## The tag of presets that are exported as a dedicated server.
const DEDICATED_SERVER := "dedicated_server"
const VERSION_FILE := "version.txt"
## Parts of the addon by their folders, and what they are called in the names of zip files.
const PARTS: Dictionary[String, String] = {"server": "server-", "python_library": "python-"}

const UNPACK := (
	"unpack %s (or the zip whose name ends in -all.zip) into the project's folder, over what is "
	+ "there"
)
const NONE := (
	"RAG Memory does not run on %s: it needs a native library and a Python runtime for the "
	+ "platform, and has them for: %s. Export for one of these (the processor is the option "
	+ "Architecture of the preset). A game that also runs without memory: switch on the project "
	+ "setting rag_memory/export/allow_without_memory (docs/export.md)."
)
const LEFT_OUT := (
	"RAG Memory does not run on %s, and is left out of this game, as the project setting "
	+ "rag_memory/export/allow_without_memory says: NPCs remember nothing there. Scripts and scenes "
	+ "that name a class of RAG Memory do not load there (docs/export.md has a script to use "
	+ "instead)."
)
const NOT_INSTALLED := "RAG Memory for %s is not installed in this project: %s, and export again."
const NO_LANGUAGE_PACK := (
	"The language pack is not in this project, so the game would not remember anything: unpack "
	+ "rag_memory-%s-multilingual.zip into the project's folder, or set the project setting "
	+ 'rag_memory/embedding/language to "english". Then export again.'
)
const BROKEN_LANGUAGE_PACK := (
	"The language pack is damaged, so the game would not remember anything: in %s, %s. Delete the "
	+ "folder, unpack rag_memory-%s-multilingual.zip into the project's folder, and export again."
)
const REINSTALL := (
	"Install it again: delete addons/rag_memory/ and unpack the addon's zip file, hidden files "
	+ "included"
)
const INCOMPLETE := (
	"The addon is incomplete, so the game would not remember anything. Missing: %s. "
	+ REINSTALL
	+ "."
)
const DAMAGED := (
	"The addon is damaged, so the game would not remember anything: in %s, %s. "
	+ REINSTALL
	+ ". If an antivirus program removed a file, let it accept the folder first."
)
const BROKEN_PART := (
	"The part of the addon in %s is %s. Delete the folder, unpack %s into the project's folder, "
	+ "and export again."
)
const NO_SERVER_PART := (
	"has no server part for %s in the project, so this dedicated server can use neither a"
	+ " MemoryEventBus nor a save on PostgreSQL. %s"
)
const UNPACK_SERVER_PART := "Does it need them? Unpack %s into the project's folder."
const SERVER_PART_ELSEWHERE := "There is one for Linux and for Windows."
const LEFT_OVER := (
	"%s has %d files that do not belong to it, such as %s. They are exported, too. They are left "
	+ "from an older version: delete addons/rag_memory/ and unpack the addon's zip file."
)
const UNTRIED_WARNING := (
	"RAG Memory for %s is built and checked, but its makers have not run it. Try the game on such "
	+ "a machine before you ship it."
)

const EDITOR_NOT_INSTALLED := (
	"RAG Memory: there is no native library for %s in this project, so its classes and panels are "
	+ "missing. The folder addons/rag_memory/ came from a zip file for: %s. To work here, %s, and "
	+ "restart the editor."
)
const EDITOR_INCOMPLETE := (
	"RAG Memory: there is no native library for %s, so its classes and panels are missing. The "
	+ "file %s was removed, perhaps by an antivirus program. "
	+ REINSTALL
	+ ", and restart the editor."
)
const EDITOR_NONE := (
	"RAG Memory: there is no native library for %s, so its classes and panels are missing. The "
	+ "addon runs on: %s."
)
const EDITOR_NOT_LOADED := (
	"RAG Memory: the native library for %s is there but was not loaded, so its classes and panels "
	+ "are missing. The errors above say why. Restart the editor when that is corrected."
)

var _extension: RAGExtensionFile


func _init(extension: RAGExtensionFile) -> void:
	_extension = extension


## Why a game with these feature tags cannot have RAG Memory; empty when it can. `title` is what its
## platform is called, `parts` are the folders of those it gets.
func refusal(tags: PackedStringArray, title: String, parts: PackedStringArray) -> String:
	var library := _extension.library_for(tags)
	if library.is_empty():
		return "" if is_left_out(tags) else NONE % [title, _titles(_extension.libraries())]
	if not _is_installed(library):
		return NOT_INSTALLED % [_title(library), UNPACK % _zip_file(library)]
	if RAGExtensionFile.LANGUAGE_PACK in _extension.dependencies(library):
		var faults_of_pack := _extension.faults_of_language_pack()
		if faults_of_pack:
			return _refusal_of_pack(faults_of_pack)
	var missing := PackedStringArray()
	for path in [_extension.library_file(library)] + Array(_extension.dependencies(library)):
		if _extension.size_of(path) == 0:
			missing.append(path)
	if missing:
		return INCOMPLETE % ", ".join(missing)
	var faults := _extension.faults(_extension.runtime(library))
	if faults:
		return DAMAGED % [_extension.runtime(library), faults]
	return "".join(Array(parts).map(_refusal_of_part.bind(library)))


## True if a game with these feature tags is exported without the addon: there is no library for it,
## and the project allows that.
func is_left_out(tags: PackedStringArray) -> bool:
	var is_allowed: bool = ProjectSettings.get_setting(RAGSettings.ALLOW_WITHOUT_MEMORY, false)
	return is_allowed and _extension.library_for(tags).is_empty()


## Returns what to know of a platform that can be exported: the game has no memory there, nobody has
## tried it, or files of an older version lie in its folder. Mostly empty.
func caution(tags: PackedStringArray, title: String) -> String:
	if is_left_out(tags):
		return LEFT_OUT % title
	var library := _extension.library_for(tags)
	var cautions := PackedStringArray()
	if library in UNTRIED:
		cautions.append(UNTRIED_WARNING % _title(library))
	var left := _extension.left_over(_extension.runtime(library))
	if left:
		cautions.append(LEFT_OVER % [_extension.runtime(library), left.size(), left[0]])
	return "\n".join(cautions)


## Returns what to say of an export for a dedicated server when the project has no server part.
func no_server_part(library: String) -> String:
	var is_made := library.get_slice(".", 0) in SERVER_SYSTEMS
	var advice := (
		UNPACK_SERVER_PART % _zip_file(library, "server") if is_made else SERVER_PART_ELSEWHERE
	)
	return NO_SERVER_PART % [_title(library), advice]


## Returns how much is added to a game for an operating system.
func summary(system: String) -> String:
	var lines := PackedStringArray()
	for library in _extension.libraries():
		if system.to_lower() not in library.split("."):
			continue
		if not _is_installed(library):
			lines.append("not installed (%s)" % _title(library))
			continue
		var bytes := _extension.size_of(_extension.library_file(library))
		for dependency in _extension.dependencies(library):
			bytes += _extension.size_of(dependency)
		lines.append("%.0f MB beside the game (%s)" % [bytes / BYTES_PER_MEGABYTE, _title(library)])
	return " / ".join(lines) if lines else "nothing (not for this platform)"


## Why this editor has none of the addon's classes.
func explanation_here() -> String:
	var tags: Array[String] = [OS.get_name(), Engine.get_architecture_name()]
	var here := " ".join(tags)
	var library := _extension.library_for([tags[0].to_lower(), tags[1]])
	if library.is_empty():
		return EDITOR_NONE % [here, _titles(_extension.libraries())]
	if _extension.size_of(_extension.library_file(library)) > 0:
		return EDITOR_NOT_LOADED % here
	if _is_installed(library):
		return EDITOR_INCOMPLETE % [here, _extension.library_file(library)]
	var installed := PackedStringArray()
	for candidate in _extension.libraries():
		if _is_installed(candidate):
			installed.append(candidate)
	var from := _titles(installed) if installed else "no platform"
	return EDITOR_NOT_INSTALLED % [here, from, UNPACK % _zip_file(library)]


func _refusal_of_part(kind: String, library: String) -> String:
	var part := _extension.part(kind, library)
	if _extension.size_of(part) == 0:
		return ""
	var version := FileAccess.get_file_as_string(part.path_join(VERSION_FILE)).strip_edges()
	var zip_file := _zip_file(library, kind)
	if version != _version():
		var other := "of version %s of RAG Memory, and the addon of version %s"
		return BROKEN_PART % [part, other % [version if version else "?", _version()], zip_file]
	var faults := _extension.faults(part)
	return BROKEN_PART % [part, "damaged: " + faults, zip_file] if faults else ""


func _refusal_of_pack(faults: String) -> String:
	if _extension.size_of(RAGExtensionFile.LANGUAGE_PACK) == 0:
		return NO_LANGUAGE_PACK % _version()
	return BROKEN_LANGUAGE_PACK % [RAGExtensionFile.LANGUAGE_PACK, faults, _version()]


# The model is the same for all of them.
func _is_installed(library: String) -> bool:
	return (
		_extension.size_of(_extension.library_file(library)) > 0
		or _extension.size_of(_extension.runtime(library)) > 0
	)


func _titles(libraries: PackedStringArray) -> String:
	var titles := PackedStringArray()
	for library in libraries:
		titles.append(_title(library))
	return ", ".join(titles)


func _title(library: String) -> String:
	var words := library.split(".")
	words[0] = SYSTEMS.get(words[0], words[0])
	return " ".join(words)


func _zip_file(library: String, part: String = "") -> String:
	var names := [_version(), PARTS.get(part, ""), _extension.runtime(library).get_file()]
	return "rag_memory-%s-%s%s.zip" % names


func _version() -> String:
	var plugin := ConfigFile.new()
	plugin.load(PLUGIN_FILE)
	return plugin.get_value("plugin", "version", "")
