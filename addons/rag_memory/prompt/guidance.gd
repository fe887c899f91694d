extends RefCounted
## How an NPC behaves to somebody she stands to in this way: the section guidance of a prompt.

const STRANGER := "You have never met the player. Do not speak as if you knew each other."
## By the status of the relationship header.
const BY_STATUS: Dictionary[String, String] = {
	"terrified": "Speak little, give in to threats, and get away as soon as you can.",
	"hostile": "You want nothing to do with the player. Be curt, and do no favours.",
	"distrustful": "Doubt what the player says, ask for proof, and tell nothing private.",
	"wary": "Be polite and careful. Answer what is asked, and promise nothing.",
	"cautious": "Choose your words, and do not provoke the player.",
	"neutral": "Be as you are to anybody. Help where it costs you nothing.",
	"acquaintance": "Be at ease with the player, and come back to what you talked of before.",
	"friendly": "Be warm, offer your help, and ask how the player is.",
	"close_friend": "Speak openly, tease a little, and say what worries you.",
	"respected": "Ask the player for advice, and keep your word to them.",
	"trusted_ally": "Stand by the player. Say what you know, and take risks for them.",
	"devoted": "The player comes first for you, and you let it show.",
}
const ALWAYS := "Speak in one to three sentences, as people talk. Never mention numbers."


static func of(relationship: Dictionary) -> PackedStringArray:
	var lines := PackedStringArray()
	if not relationship.get("met", true):
		lines.append(STRANGER)
	if BY_STATUS.has(relationship.get("status", "")):
		lines.append(BY_STATUS[relationship["status"]])
	lines.append(ALWAYS)
	return lines
