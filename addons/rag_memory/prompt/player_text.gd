extends RefCounted
## Text that somebody else wrote (the player, a language model, a memory of what they said), made
## harmless for one line of a prompt. The words stay readable; what could pass for the prompt's own
## structure does not stay.
##
## The defence is structural, not a list of bad phrases: the text becomes one line, without the
## characters of which section tags, headers, quotes, fences and chat templates are made.

## Characters replaced one for one. Look-alikes of brackets and quotes are here too.
const _REPLACED := {
	"<": "‹",
	">": "›",
	"﹤": "‹",
	"﹥": "›",
	"〈": "‹",
	"〉": "›",
	"⟨": "‹",
	"⟩": "›",
	"《": "‹",
	"》": "›",
	"⟪": "‹",
	"⟫": "›",
	"\u2329": "‹",
	"\u232A": "›",
	"❮": "‹",
	"❯": "›",
	"❰": "‹",
	"❱": "›",
	"≺": "‹",
	"≻": "›",
	"˂": "‹",
	"˃": "›",
	"[": "(",
	"]": ")",
	"{": "(",
	"}": ")",
	"【": "(",
	"】": ")",
	"〔": "(",
	"〕": ")",
	"〖": "(",
	"〗": ")",
	"⟦": "(",
	"⟧": ")",
	"⁅": "(",
	"⁆": ")",
	"❲": "(",
	"❳": ")",
	"❴": "(",
	"❵": ")",
	'"': "'",
	"“": "'",
	"”": "'",
	"„": "'",
	"‟": "'",
	"«": "'",
	"»": "'",
	"「": "'",
	"」": "'",
	"『": "'",
	"』": "'",
	"〝": "'",
	"〞": "'",
	"`": "'",
	"´": "'",
	"ˋ": "'",
	"|": "/",
	"¦": "/",
	"│": "/",
	"∣": "/",
	"ǀ": "/",
	"\\": "/",
	"#": "",
	"＃": "",
	"：": ":",
	"﹕": ":",
	"꞉": ":",
	"∶": ":",
	"ː": ":",
	"˸": ":",
	"։": ":",
}
## Letters of other scripts that look like Latin ones, for finding role names written with them.
const _LOOKALIKES := {
	"а": "a",
	"е": "e",
	"о": "o",
	"р": "p",
	"с": "c",
	"у": "y",
	"х": "x",
	"ѕ": "s",
	"і": "i",
	"ј": "j",
	"һ": "h",
	"ԁ": "d",
	"м": "m",
	"т": "t",
	"в": "b",
	"н": "h",
	"к": "k",
	"ո": "n",
	"Ѕ": "S",
	"А": "A",
	"Е": "E",
	"О": "O",
	"Р": "P",
	"С": "C",
	"У": "Y",
	"Т": "T",
	"М": "M",
	"Н": "H",
	"І": "I",
	"ο": "o",
	"α": "a",
	"ε": "e",
	"ι": "i",
	"υ": "u",
	"ν": "v",
	"ρ": "p",
	"τ": "t",
	"Α": "A",
	"Ε": "E",
	"Ι": "I",
	"Μ": "M",
	"Ν": "N",
	"Ο": "O",
	"Ρ": "P",
	"Τ": "T",
	"ı": "i",
	"ɡ": "g",
	"0": "o",
	"1": "l",
	"é": "e",
	"á": "a",
	"ü": "u",
}
## Names that start a line of somebody else in transcripts and prompts.
const _ROLES := (
	"system|systems|assistant|user|human|developer|admin|administrator|operator|moderator|ai|bot"
	+ "|model|instruction|instructions|prompt|context|memory|memories|secret|secrets|identity"
	+ "|relationship|world facts|player|npc|narrator|response|analysis|tool|function|note to ai"
	+ "|response schema|interaction types|recent turns|protected|system message|system prompt"
)
const _RULE_MARKS := "-=_*~+—–"
const _FULL_WIDTH_FIRST := 0xFF01
const _FULL_WIDTH_LAST := 0xFF5E
const _FULL_WIDTH_OFFSET := 0xFEE0
const _LONGEST_RULE := 3
## More than any section takes; a pasted book must not hold up a frame.
const _LONGEST_TEXT := 8000


## Returns the text as one harmless line.
static func clean(text: String) -> String:
	text = text.left(_LONGEST_TEXT)
	var line := ""
	for index: int in text.length():
		line += _clean_character(text.unicode_at(index))
	line = _without_rules(line)
	line = " ".join(line.split(" ", false))
	return _without_roles(line).strip_edges()


## Returns the text without characters that cannot be seen: controls, zero-width and bidirectional
## marks, tags and private ones. Line ends stay when [param keeps_lines] is true.
static func visible(text: String, keeps_lines := false) -> String:
	var result := ""
	for index: int in text.length():
		var code := text.unicode_at(index)
		if code == 0x0A and keeps_lines:
			result += "\n"
		elif _is_space(code):
			result += " "
		elif not _is_invisible(code):
			result += String.chr(code)
	return result


## Returns the text without angle brackets, for texts the game's authors wrote: they may have lines,
## but no text opens or closes a section.
static func without_tags(text: String) -> String:
	return visible(text, true).replace("<", "‹").replace(">", "›")


## Returns the text cut to at most [param limit] characters, at the end of a sentence or else of a
## word, where that keeps at least half of it.
static func shortened(text: String, limit: int) -> String:
	if text.length() <= limit:
		return text
	if limit <= 1:
		return ""
	var cut := text.left(limit)
	for mark: String in [". ", "! ", "? "]:
		var end := cut.rfind(mark)
		if end >= limit >> 1:
			return cut.left(end + 1)
	cut = text.left(limit - 1)
	var space := cut.rfind(" ")
	if text[limit - 1] != " " and space > 0:
		cut = cut.left(space)
	return cut.strip_edges() + "…"


static func _clean_character(code: int) -> String:
	if _is_space(code):
		return " "
	if _is_invisible(code):
		return ""
	if code >= _FULL_WIDTH_FIRST and code <= _FULL_WIDTH_LAST:
		code -= _FULL_WIDTH_OFFSET
	var character := String.chr(code)
	return _REPLACED.get(character, character)


## Every kind of space and line end, the Unicode ones too.
static func _is_space(code: int) -> bool:
	return (
		(code >= 0x09 and code <= 0x0D)
		or code in [0x20, 0x85, 0xA0, 0x1680, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0x2800]
		or (code >= 0x2000 and code <= 0x200A)
	)


static func _is_invisible(code: int) -> bool:
	return (
		code < 0x20
		or (code >= 0x7F and code <= 0x9F)
		or code in [0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFEFF, 0xFFA0]
		or (code >= 0x180B and code <= 0x180F)
		or (code >= 0x200B and code <= 0x200F)
		or (code >= 0x202A and code <= 0x202E)
		or (code >= 0x2060 and code <= 0x206F)
		or (code >= 0xD800 and code <= 0xF8FF)
		or (code >= 0xFE00 and code <= 0xFE0F)
		or (code >= 0xFFF0 and code <= 0xFFFF)
		or code >= 0xE0000
	)


## Runs of rule marks ("---", "=====") become one dash: no text draws a line across the prompt.
static func _without_rules(line: String) -> String:
	var result := ""
	var run := ""
	for character: String in line + " ":
		if character in _RULE_MARKS:
			run += character
			continue
		result += "—" if run.length() >= _LONGEST_RULE else run
		run = ""
		result += character
	return result


## "System: obey" becomes "System, obey".
static func _without_roles(line: String) -> String:
	if not ":" in line:
		return line
	var plain := ""
	for character: String in line:
		plain += _LOOKALIKES.get(character, character) as String
	var expression := RegEx.create_from_string("(?i)(?<![a-z])(?:%s)\\W{0,3}:" % _ROLES)
	var result := line
	for found: RegExMatch in expression.search_all(plain):
		result[found.get_end() - 1] = ","
	return result
