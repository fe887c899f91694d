# Asks servers on this computer that have certificates: the one that the project trusts, one for
# another name, one that nobody signed, and one of a year long past. The first run makes them.
extends "res://tests/engine/scenarios/scenario.gd"

const ScriptedServer := preload("res://tests/engine/language/scripted_server.gd")
const NAMES: Dictionary[String, String] = {
	"trusted": "localhost",
	"misnamed": "mira.example",
	"unknown": "localhost",
	"expired": "localhost"
}


func play() -> void:
	if not FileAccess.file_exists("user://trusted.crt"):
		_make()
		return
	for each in NAMES:
		say(each, await _answer_of(each))


func _make() -> void:
	var crypto := Crypto.new()
	for each in NAMES:
		var key := crypto.generate_rsa(2048)
		var subject := "CN=%s,O=Test %s,C=DE" % [NAMES[each], each]
		key.save("user://%s.key" % each)
		var until := "20200101000000" if each == "expired" else "20400101000000"
		var certificate := crypto.generate_self_signed_certificate(
			key, subject, "20140101000000", until
		)
		certificate.save("user://%s.crt" % each)


func _answer_of(each: String) -> String:
	var key := CryptoKey.new()
	key.load("user://%s.key" % each)
	var certificate := X509Certificate.new()
	certificate.load("user://%s.crt" % each)
	var head := ScriptedServer.OK_HEAD
	var answer := head + ScriptedServer.events(["Mira."])
	var server := ScriptedServer.new([answer], TLSOptions.server(key, certificate))
	var model := server.model()
	model.base_url = "https://localhost:%d/v1" % server.port
	var request := model.generate_async([{"role": "user", "content": "Who are you?"}])
	var text: String = await request.completed
	server.close()
	return text + request.get_error()
