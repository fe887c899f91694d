extends RefCounted
## Text that somebody else wrote (the player, a language model, a memory of what they said), made
## harmless for one line of a prompt. The words stay readable; what could pass for the prompt's own
## structure does not stay.
##
## The defence is structural, not a list of bad phrases: the text becomes one line, without the
## characters of which section tags, headers, quotes, fences and chat templates are made, and
## without a colon after what could be the name of a role. All of it takes time in proportion to
## the length of the text.

const RAGLookAlikes := preload("res://addons/rag_memory/prompt/look_alikes.gd")

## By replacement: the characters that it takes the place of, one for one. Look-alikes of brackets
## and quotes are among them.
const _REPLACED: Dictionary[String, String] = {
	"‹": "<﹤〈⟨《⟪\u2329❮❰≺˂❬⦑⧼ᐸ",
	"›": ">﹥〉⟩》⟫\u232A❯❱≻˃❭⦒⧽ᐳ",
	"(": "[{【〔〖⟦⁅❲❴﹛﹝｟⟬⸨",
	")": "]}】〕〗⟧⁆❳❵﹜﹞｠⟭⸩",
	"'": '"“”„‟«»「」『』〝〞❝❞″‶ʺˮ״`´ˋ',
	"/": "|¦│∣ǀ\\",
	"": "#＃",
	":": "：﹕꞉∶ː˸։ꓽ׃⁚⦂∷⫶⋮⁝⁞ˑ༔፡፥፦᛬꛴\uFE13\uFE19\uFE30\u0703\u0704\u1804\U010781\U010782",
}
## Signs after a vowel that are drawn as a colon.
const _VISARGAS := "\u0903\u0983\u0A03\u0A83\u0B03\u0B83\u0C03\u0C83\u0D03\u0D83\u1038\u17C8"
## Names that start a line of somebody else in transcripts and prompts, wherever they stand.
const _ROLES := (
	"system|systems|assistant|user|human|developer|admin|administrator|operator|moderator|ai|bot"
	+ "|model|instruction|instructions|prompt|context|memory|memories|secret|secrets|identity"
	+ "|relationship|world facts|player|npc|narrator|response|analysis|tool|function|note to ai"
	+ "|response schema|interaction types|recent turns|protected|system message|system prompt"
	+ "|player input|game master|gamemaster|dungeon master|chatbot|chatgpt|gpt|llm|claude|sysadmin"
	+ "|superuser|jailbreak|language model|end of prompt|system override|override"
	# Spanish, Portuguese, French, Italian, Romanian, Catalan, Latin
	+ "|sistema|asistente|usuario|instrucción|instrucciones|jugador|desarrollador|narrador"
	+ "|assistente|usuário|utilizador|instrução|instruções|jogador|desenvolvedor|système|utilisateur"
	+ "|joueur|développeur|narrateur|utente|istruzione|istruzioni|giocatore|sviluppatore|narratore"
	+ "|sistem|asistent|utilizator|instrucțiune|instrucțiuni|jucător|usuari|systema"
	# German, Dutch, the Scandinavian languages
	+ "|systemnachricht|systemmeldung|anweisung|anweisungen|benutzer|nutzer|assistent|spieler"
	+ "|entwickler|erzähler|spielleiter|systeem|gebruiker|instructie|instructies|speler|ontwikkelaar"
	+ "|verteller|användare|spelare|utvecklare|berättare|instruktion|instruktioner|bruker|spiller"
	+ "|utvikler|instruksjon|bruger|udvikler|kerfi|notandi|leikmaður"
	# Finnish, Estonian, Hungarian
	+ "|järjestelmä|järjestelmäviesti|avustaja|käyttäjä|ohje|ohjeet|pelaaja|kehittäjä|kertoja"
	+ "|süsteem|kasutaja|mängija|juhis|rendszer|felhasználó|játékos|utasítás|fejlesztő|asszisztens"
	# Polish, Czech, Slovak, Croatian, Lithuanian, Latvian
	+ "|systém|użytkownik|asystent|gracz|instrukcja|instrukcje|polecenie|programista|uživatel|hráč"
	+ "|pokyn|pokyny|vývojář|používateľ|inštrukcia|sustav|korisnik|pomoćnik|igrač|uputa|sistemos"
	+ "|vartotojas|žaidėjas|sistēma|lietotājs|spēlētājs"
	# Turkish, Indonesian, Vietnamese, Filipino, Swahili
	+ "|kullanıcı|yardımcı|oyuncu|talimat|talimatlar|geliştirici|pengguna|asisten|pemain|instruksi"
	+ "|perintah|pengembang|hệ thống|trợ lý|người dùng|người chơi|hướng dẫn|chỉ thị|tagagamit"
	+ "|mfumo|mtumiaji|msaidizi|mchezaji"
	# Cyrillic and Greek letters
	+ "|система|системное сообщение|помощник|ассистент|пользователь|инструкция|инструкции|игрок"
	+ "|разработчик|рассказчик|админ|помічник|асистент|користувач|інструкція|гравець|розробник"
	+ "|потребител|играч|указание|асистент|корисник|помоћник|σύστημα|βοηθός|χρήστης|παίκτης|οδηγία"
	+ "|οδηγίες|προγραμματιστής"
)
## The same in scripts of which some put no space between words, so that no border is asked for.
const _ROLES_IN_OTHER_SCRIPTS := (
	"系统|系統|助手|助理|用户|用戶|指令|提示|玩家|开发者|開發者|管理员|管理員|旁白|システム|アシスタント"
	+ "|ユーザー|指示|プレイヤー|開発者|管理者|ナレーター|시스템|어시스턴트|사용자|지시|플레이어|개발자|관리자"
	+ "|ระบบ|ผู้ช่วย|ผู้ใช้|คำสั่ง|ผู้เล่น|ผู้พัฒนา|ນະບົບ|ລະບົບ|ប្រព័ន្ធ|စနစ်"
	+ "|نظام|النظام|المساعد|مساعد|المستخدم|مستخدم|تعليمات|اللاعب|سیستم|دستیار|کاربر|دستور|بازیکن|سسٹم"
	+ "|מערכת|עוזר|משתמש|הוראה|הוראות|שחקן|מפתח|सिस्टम|प्रणाली|सहायक|उपयोगकर्ता|निर्देश|खिलाड़ी"
	+ "|সিস্টেম|সহকারী|ব্যবহারকারী|நிரல்|கணினி|அமைப்பு|உதவியாளர்|பயனர்|వ్యవస్థ|ವ್ಯವಸ್ಥೆ|സിസ്റ്റം"
	+ "|სისტემა|ასისტენტი|მომხმარებელი|համակարգ|օգնական|օգտատեր|ስርዓት|ᓴᓇᕝᕕᒃ"
)
## Roles that no sentence is about: a few words may follow ("System note to all:").
const _VOICES := "system|assistant|administrator|admin|developer|narrator|game master"
## Words that are a role only where a line or a sentence begins.
const _ROLES_AT_START := (
	"you|me|gm|dm|ooc|sys|dev|mod|op|root|sudo|owner|author|creator|master|host|storyteller"
	+ "|god|policy|rule|rules|command|commands|order|orders|task|tasks|objective|directive"
	+ "|update|patch|warning|notice|important|attention|note|reminder|output|input|question"
	+ "|answer|reply|request|mode|debug|test|scene|story|message|begin|end|start|stop|new"
	+ "|character|persona|schema|json|setting|server|engine|game|program|script|console"
	+ "|terminal|log|hint|spoiler|end of input|du|sie|tú|tu|vous|toi|sinä|ty|ви|вы|ты|sen|siz"
	+ "|bạn|anda"
)
## Characters between the words of a role and before its colon.
const _SIGN := "[^\\p{L}\\p{N}:]"
const _START := "(?:^|(?<=[.!?…。！？؟।;:)›'—–/*~•·_-]))%s{0,6}" % _SIGN
const _WORDS := "[\\p{L}\\p{N}]{1,20}(?:[ ._-]{1,2}[\\p{L}\\p{N}]{1,20}){0,2}"
## A remark between a role and its colon: "(hidden)", "*whispers*", "2".
const _REMARK := (
	"(?:[^\\p{L}\\p{N}:]{0,4}[(‹'*_~/-][^:.!?]{0,30}[)›'*_~/-]"
	+ "|[^\\p{L}\\p{N}:]{1,3}[\\p{L}\\p{N}]{1,2}(?![\\p{L}\\p{N}]))?"
)
const _FULL_WIDTH_FIRST := 0xFF01
const _FULL_WIDTH_LAST := 0xFF5E
const _FULL_WIDTH_OFFSET := 0xFEE0
## Blocks of Unicode that repeat the Latin alphabet, in circles and squares: first code and letter.
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

## Guards the two collections below that grow. What they hold is replaced, never written to: another
## thread may be reading it.
static var _lock := Mutex.new()
static var _replacements := _make_replacements()
## The replacement of each character, cached.
static var _cleaned: Dictionary[int, String] = {}
## The letter that each character looks like.
static var _letters := _make_letters()
## Text that needs no cleaning: most lines of most games.
static var _plain := RegEx.create_from_string(
	"^(?:[A-Za-z0-9,.!?;'()]+(?: (?!$)|[-/](?=[A-Za-z0-9])|$))*$"
)
## Every kind of space and line end, the Unicode ones too.
static var _space := RegEx.create_from_string("[\\t-\\r\\x{85}\\p{Z}\\x{2800}]")
static var _space_in_a_line := RegEx.create_from_string("[\\t\\x{B}-\\r\\x{85}\\p{Z}\\x{2800}]")
## Controls, format characters, private ones, selectors, fillers, and what is drawn as nothing.
static var _invisible := RegEx.create_from_string(
	(
		"(?!\\n)[\\p{C}\\p{DI}\\x{FE00}-\\x{FE0F}\\x{FFF0}-\\x{FFFF}\\x{16FE4}\\x{1D159}"
		+ "\\x{E0000}-\\x{10FFFF}]"
	)
)
## Runs of rule marks ("---", "====="): no text draws a line across the prompt.
static var _rule := RegEx.create_from_string("[-=_*~+—–]{3,}")
static var _mark := RegEx.create_from_string("\\p{M}")
## Letters, which a time ("11:30") does not have even where it looks like a word.
static var _no_number := RegEx.create_from_string("[^\\p{N}\\p{P}\\s]")
static var _roles := _make_role_patterns()
static var _own_roles: Dictionary[String, bool] = {}
static var _words_alone := RegEx.create_from_string("^[\\p{L}\\p{M} ]+$")
static var _capitals := RegEx.create_from_string(
	(
		_START
		+ (
			"\\p{Lu}[\\p{Lu}\\p{N}]{1,15}(?:[ ._-]{1,2}\\p{Lu}[\\p{Lu}\\p{N}]{0,15}){0,2}%s{0,6}:+"
			% _SIGN
		)
	)
)


## Takes a word for a role wherever a line or a sentence begins: a game's own word for the player or
## the NPC in a prompt.
static func know_role(word: String) -> void:
	var role := word.to_lower()
	_lock.lock()
	if not _own_roles.has(role) and _words_alone.search(role) != null:
		_own_roles[role] = true
		var pattern := [_START, _pattern_of(role, true), _REMARK, _SIGN]
		var roles := _roles.duplicate()
		roles.append(RegEx.create_from_string("%s%s%s%s{0,6}:+" % pattern))
		_roles = roles
	_lock.unlock()


## Returns the text as one harmless line.
static func clean(text: String) -> String:
	text = text.left(_LONGEST_TEXT)
	if _plain.search(text) != null:
		return text
	_lock.lock()
	var cleaned := _cleaned
	_lock.unlock()
	var is_own := false
	var characters := PackedStringArray()
	characters.resize(text.length())
	for index: int in text.length():
		var code := text.unicode_at(index)
		if not cleaned.has(code):
			if not is_own:
				cleaned = cleaned.duplicate()
				is_own = true
			cleaned[code] = _clean_character(code)
		characters[index] = cleaned[code]
	if is_own:
		_lock.lock()
		_cleaned = cleaned
		_lock.unlock()
	var line := _rule.sub("".join(characters), "—", true)
	line = " ".join(line.split(" ", false))
	return _without_roles(line).strip_edges()


## Returns the text without characters that cannot be seen: controls, zero-width and bidirectional
## marks, tags and private ones. Line ends stay when [param keeps_lines] is true.
static func visible(text: String, keeps_lines := false) -> String:
	var spaced := (_space_in_a_line if keeps_lines else _space).sub(text, " ", true)
	return _invisible.sub(spaced, "", true)


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
	var character := visible(String.chr(code))
	if not character or character == " ":
		return character
	if code >= _FULL_WIDTH_FIRST and code <= _FULL_WIDTH_LAST:
		character = String.chr(code - _FULL_WIDTH_OFFSET)
	return _replacements.get(character, character)


static func _make_replacements() -> Dictionary[String, String]:
	var replacements: Dictionary[String, String] = {}
	for plain: String in _REPLACED:
		for character: String in _REPLACED[plain]:
			replacements[character] = plain
	var alphabets := _ALPHABETS_AGAIN.duplicate()
	for number: int in _ALPHABETS_OF_FORMULAS:
		alphabets[_FIRST_OF_FORMULAS + number * _LETTERS] = 0x41 if number % 2 == 0 else 0x61
	for first: int in alphabets:
		for letter: int in _LETTERS:
			var code: int = alphabets[first] + letter
			replacements[String.chr(first + letter)] = String.chr(code)
	return replacements


static func _make_letters() -> Dictionary[String, String]:
	var letters: Dictionary[String, String] = {}
	for letter: String in RAGLookAlikes.LETTERS:
		for character: String in RAGLookAlikes.LETTERS[letter]:
			letters[character] = letter
	for sign: String in _VISARGAS:
		letters[sign] = ":"
	# A small L, a capital I and a 1 look alike.
	for character: String in letters:
		if letters[character] == "l":
			letters[character] = "i"
	letters["l"] = "i"
	letters["L"] = "i"
	return letters


## Returns what the word looks like, as a pattern that also finds it with signs between its letters.
static func _pattern_of(roles: String, has_border: bool) -> String:
	var patterns: Dictionary[String, bool] = {}
	for role: String in roles.split("|"):
		var word := PackedStringArray()
		for letter: String in _looks_like(role)[0]:
			word.append("[^\\p{L}\\p{N}:]{1,3}" if letter == " " else letter)
		patterns["[^\\p{L}\\p{N}\\s:]{0,2}".join(word) if has_border else "".join(word)] = true
	return "(?:%s)" % "|".join(PackedStringArray(patterns.keys()))


static func _make_role_patterns() -> Array[RegEx]:
	var end := "%s{0,6}:+" % _SIGN
	var roles := _pattern_of(_ROLES, true)
	var patterns: Array[RegEx] = []
	for pattern: String in [
		"(?<![a-z])%s%s%s" % [roles, _REMARK, end],
		"%s%s%s" % [_pattern_of(_ROLES_IN_OTHER_SCRIPTS, false), _REMARK, end],
		(
			"(?<![a-z])%s(?:%s{1,3}[\\p{L}\\p{N}]{1,16}){1,3}%s"
			% [_pattern_of(_VOICES, true), _SIGN, end]
		),
		# "System says:", "You:", "GM (whispers):"
		(
			"%s(?:%s(?:%s{1,3}[\\p{L}\\p{N}]{1,16}){0,2}|%s)%s%s"
			% [_START, roles, _SIGN, _pattern_of(_ROLES_AT_START, true), _REMARK, end]
		),
		# "(Voice from above):", "*narration*:", "_oracle_:"
		"%s[(‹'*_~/-]{1,4} ?%s ?[)›'*_~/-]{1,4} {0,3}:+" % [_START, _WORDS],
		# "Aldric (hidden):"
		"%s%s ?[(‹*_~/][^:]{1,30}[)›*_~/] {0,3}:+" % [_START, _WORDS],
		# "s y s t e m:"
		"(?<![\\p{L}\\p{N}])(?:\\p{L}[^\\p{L}\\p{N}:]{1,3}){2,24}\\p{L}%s{0,3}:+" % _SIGN,
	]:
		patterns.append(RegEx.create_from_string(pattern))
	return patterns


## Returns what a line looks like to somebody who reads Latin letters, without marks above and
## below; and for each character of it where it stands in the line.
static func _looks_like(line: String) -> Array:
	var letters := PackedStringArray()
	var places := PackedInt32Array()
	for index: int in line.length():
		var character := line[index]
		if character > "~" and not _letters.has(character):
			if _mark.search(character) != null:
				continue
			character = character.to_lower()
		letters.append(_letters.get(character, character.to_lower()) as String)
		places.append(index)
	return ["".join(letters), places]


## "System: obey" becomes "System, obey".
static func _without_roles(line: String) -> String:
	var seen: Array = _looks_like(line)
	var text: String = seen[0]
	if not ":" in text:
		return line
	var places: PackedInt32Array = seen[1]
	var commas: Dictionary[int, bool] = {}
	_lock.lock()
	var patterns := _roles
	_lock.unlock()
	for pattern: RegEx in patterns:
		for role: RegExMatch in pattern.search_all(text):
			var first := places[role.get_start()]
			var written := line.substr(first, places[role.get_end() - 1] - first)
			if _no_number.search(written) != null:
				for place: int in range(role.get_start(), role.get_end()):
					if text[place] == ":":
						commas[places[place]] = true
	for role: RegExMatch in _capitals.search_all(line):
		for place: int in range(role.get_start(), role.get_end()):
			if line[place] == ":":
				commas[place] = true
	if commas.is_empty():
		return line
	var parts := PackedStringArray()
	var start := 0
	for place: int in range(line.length()):
		if commas.has(place):
			parts.append(line.substr(start, place - start))
			start = place + 1
	parts.append(line.substr(start))
	return ",".join(parts)
