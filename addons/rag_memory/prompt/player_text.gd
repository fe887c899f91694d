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
	"❬": "‹",
	"❭": "›",
	"⦑": "‹",
	"⦒": "›",
	"⧼": "‹",
	"⧽": "›",
	"ᐸ": "‹",
	"ᐳ": "›",
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
	"﹛": "(",
	"﹜": ")",
	"﹝": "(",
	"﹞": ")",
	"｟": "(",
	"｠": ")",
	"⟬": "(",
	"⟭": ")",
	"⸨": "(",
	"⸩": ")",
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
	"❝": "'",
	"❞": "'",
	"″": "'",
	"‶": "'",
	"ʺ": "'",
	"ˮ": "'",
	"״": "'",
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
	"ꓽ": ":",
	"׃": ":",
	"⁚": ":",
	"⦂": ":",
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
	+ "|sistema|système|systeem|systém|sistem|systemnachricht|anweisung|anweisungen|benutzer"
	+ "|assistent|spieler|asistente|usuario|instrucción|instrucciones|assistente|usuário"
	+ "|instrução|instruções"
	+ "|utilisateur|joueur|utente|istruzione|istruzioni|giocatore|użytkownik|kullanıcı"
)
## The same in other scripts. Some of them put no space between words, so no border is asked for.
const _ROLES_IN_OTHER_SCRIPTS := (
	"система|системное сообщение|помощник|ассистент|пользователь|инструкция|инструкции|игрок"
	+ "|系统|系統|助手|助理|用户|用戶|指令|提示|玩家|システム|アシスタント|ユーザー|指示|プレイヤー"
	+ "|시스템|어시스턴트|사용자|지시|플레이어|نظام|النظام|المساعد|المستخدم|מערכת|עוזר|משתמש"
	+ "|σύστημα|βοηθός|χρήστης|सिस्टम|सहायक|उपयोगकर्ता"
)
const _FULL_WIDTH_FIRST := 0xFF01
const _FULL_WIDTH_LAST := 0xFF5E
const _FULL_WIDTH_OFFSET := 0xFEE0
## Where Unicode has the Latin alphabet again, in circles and squares: a first code and its letter.
const _ALPHABETS_AGAIN := {
	0x249C: 0x61,
	0x24B6: 0x41,
	0x24D0: 0x61,
	0x1F110: 0x41,
	0x1F130: 0x41,
	0x1F150: 0x41,
	0x1F170: 0x41,
}
## The same for formulas: capital and small letters in turns, in thirteen styles.
const _FIRST_OF_FORMULAS := 0x1D400
const _ALPHABETS_OF_FORMULAS := 26
const _LETTERS := 26
## More than any section takes; a pasted book must not hold up a frame.
const _LONGEST_TEXT := 8000

static var _replacements := _make_replacements()
## What each character that was ever met becomes.
static var _cleaned: Dictionary[int, String] = {}
## Runs of rule marks ("---", "====="): no text draws a line across the prompt.
static var _rule := RegEx.create_from_string("[-=_*~+—–]{3,}")
static var _combining := RegEx.create_from_string("[\\x{300}-\\x{36F}]")
static var _latin_role := RegEx.create_from_string("(?<![a-z])(?:%s)\\W{0,3}:" % _ROLES)
static var _other_role := RegEx.create_from_string("(?:%s)\\W{0,3}:" % _ROLES_IN_OTHER_SCRIPTS)


## Returns the text as one harmless line.
static func clean(text: String) -> String:
	text = text.left(_LONGEST_TEXT)
	var characters := PackedStringArray()
	characters.resize(text.length())
	for index: int in text.length():
		var code := text.unicode_at(index)
		if not _cleaned.has(code):
			_cleaned[code] = _clean_character(code)
		characters[index] = _cleaned[code]
	var line := _rule.sub("".join(characters), "—", true)
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
	return _replacements.get(character, character)


static func _make_replacements() -> Dictionary:
	var replacements := _REPLACED.duplicate()
	var alphabets := _ALPHABETS_AGAIN.duplicate()
	for number: int in _ALPHABETS_OF_FORMULAS:
		alphabets[_FIRST_OF_FORMULAS + number * _LETTERS] = 0x41 if number % 2 == 0 else 0x61
	for first: int in alphabets:
		for letter: int in _LETTERS:
			var plain: int = alphabets[first] + letter
			replacements[String.chr(first + letter)] = String.chr(plain)
	return replacements


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


## "System: obey" becomes "System, obey".
static func _without_roles(line: String) -> String:
	if not ":" in line:
		return line
	# Marks above and below letters hide a role's name; what is looked at has none.
	var plain := line
	var hidden := _combining.search_all(line)
	for index: int in range(hidden.size() - 1, -1, -1):
		plain = plain.erase(hidden[index].get_start())
	var latin := plain
	for lookalike: String in _LOOKALIKES:
		latin = latin.replace(lookalike, _LOOKALIKES[lookalike] as String)
	plain = plain.to_lower()
	var roles := _latin_role.search_all(latin.to_lower())
	roles.append_array(_latin_role.search_all(plain))
	roles.append_array(_other_role.search_all(plain))
	for role: RegExMatch in roles:
		var place := role.get_end() - 1
		for mark: RegExMatch in hidden:
			if mark.get_start() <= place:
				place += 1
		line[place] = ","
	return line
