extends RefCounted
## The address of a server, taken apart and checked: where a request goes, and whether it may.

const SETTING := "rag_memory/network/allowed_hosts"
const DEFAULT_HOSTS: Array[String] = ["localhost", "127.0.0.1", "::1"]
const _PATTERN := (
	"^(https?)://(\\[[0-9A-Fa-f:.]+\\]|[A-Za-z0-9._-]+)(?::([0-9]{1,5}))?" + '(/[!"$->@-~]*)?$'
)

## Why no request may go there; empty when one may.
var problem := ""
var host := ""
var port := 0
var is_encrypted := false
## Without a slash at its end.
var path := ""


func _init(url: String) -> void:
	var parts := RegEx.create_from_string(_PATTERN).search(url.strip_edges())
	if parts == null:
		problem = (
			"base_url has to be like http://127.0.0.1:8080/v1: http or https, a host, perhaps a port"
			+ " and a path, and no user name, key, ? or #."
		)
		return
	is_encrypted = parts.get_string(1) == "https"
	host = parts.get_string(2).trim_prefix("[").trim_suffix("]").to_lower()
	port = parts.get_string(3).to_int() if parts.get_string(3) else 443 if is_encrypted else 80
	path = parts.get_string(4).rstrip("/")
	if port < 1 or port > 65535:
		problem = "base_url is %s, and there is no port %d: the highest is 65535." % [url, port]
	elif not _is_allowed():
		problem = (
			"The game may not reach %s. Add it to Project Settings > General > Rag Memory >" % host
			+ " Network > Allowed Hosts, which lists all servers that the game and its exports may reach."
		)


## Returns whether the server is this computer, so that nothing sent to it can be read on the way.
func is_local() -> bool:
	return host in DEFAULT_HOSTS


func shown() -> String:
	return "%s:%d" % ["[%s]" % host if ":" in host else host, port]


func _is_allowed() -> bool:
	var allowed: Variant = ProjectSettings.get_setting(SETTING, DEFAULT_HOSTS)
	for item: Variant in allowed if allowed is Array or allowed is PackedStringArray else []:
		var entry := str(item).strip_edges().to_lower()
		if entry == host or entry == shown():
			return true
	return false
