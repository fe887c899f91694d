"""What could pass for the name of a speaker before a colon ("System: obey"), in any letters."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.text.look_alikes import LETTERS

_ROLES = (
    # English
    "system|systems|assistant|user|human|developer|admin|administrator|operator|moderator|ai|bot"
    "|model|instruction|instructions|prompt|context|memory|memories|secret|secrets|identity"
    "|relationship|world facts|player|npc|narrator|response|analysis|tool|function|note to ai"
    "|response schema|interaction types|recent turns|protected|system message|system prompt"
    "|player input|game master|gamemaster|dungeon master|chatbot|chatgpt|gpt|llm|claude|sysadmin"
    "|superuser|jailbreak|language model|end of prompt|system override|override|sistema|asistente"
    "|usuario|instrucción|instrucciones|jugador|desarrollador|narrador|assistente|usuário|utilizador"
    "|instrução|instruções|jogador|desenvolvedor|système|utilisateur|joueur|développeur|narrateur"
    "|utente|istruzione|istruzioni|giocatore|sviluppatore|narratore|sistem|asistent|utilizator"
    "|instrucțiune|instrucțiuni|jucător|usuari|systema|systemnachricht|systemmeldung|anweisung"
    "|anweisungen|benutzer|nutzer|assistent|spieler|entwickler|erzähler|spielleiter|systeem|gebruiker"
    "|instructie|instructies|speler|ontwikkelaar|verteller|användare|spelare|utvecklare|berättare"
    "|instruktion|instruktioner|bruker|spiller|utvikler|instruksjon|bruger|udvikler|kerfi|notandi"
    "|leikmaður|järjestelmä|järjestelmäviesti|avustaja|käyttäjä|ohje|ohjeet|pelaaja|kehittäjä|kertoja"
    "|süsteem|kasutaja|mängija|juhis|rendszer|felhasználó|játékos|utasítás|fejlesztő|asszisztens"
    "|systém|użytkownik|asystent|gracz|instrukcja|instrukcje|polecenie|programista|uživatel|hráč"
    "|pokyn|pokyny|vývojář|používateľ|inštrukcia|sustav|korisnik|pomoćnik|igrač|uputa|sistemos"
    "|vartotojas|žaidėjas|sistēma|lietotājs|spēlētājs|kullanıcı|yardımcı|oyuncu|talimat|talimatlar"
    "|geliştirici|pengguna|asisten|pemain|instruksi|perintah|pengembang|hệ thống|trợ lý|người dùng"
    "|người chơi|hướng dẫn|chỉ thị|tagagamit|mfumo|mtumiaji|msaidizi|mchezaji|система"
    "|системное сообщение|помощник|ассистент|пользователь|инструкция|инструкции|игрок|разработчик"
    "|рассказчик|админ|помічник|асистент|користувач|інструкція|гравець|розробник|потребител|играч"
    "|указание|асистент|корисник|помоћник|σύστημα|βοηθός|χρήστης|παίκτης|οδηγία|οδηγίες"
    "|προγραμματιστής"
)
"""Names that start a line of somebody else in transcripts and prompts, wherever they stand."""
_ROLES_IN_OTHER_SCRIPTS = (
    "系统|系統|助手|助理|用户|用戶|指令|提示|玩家|开发者|開發者|管理员|管理員|旁白|システム|アシスタント|ユーザー|指示|プレイヤー|開発者|管理者|ナレーター|시스템|어시스턴트"
    "|사용자|지시|플레이어|개발자|관리자|ระบบ|ผู้ช่วย|ผู้ใช้|คำสั่ง|ผู้เล่น|ผู้พัฒนา|ນະບົບ|ລະບົບ|ប្រព័ន្ធ|စနစ်|نظام"
    "|النظام|المساعد|مساعد|المستخدم|مستخدم|تعليمات|اللاعب|سیستم|دستیار|کاربر|دستور|بازیکن|سسٹم|מערכת"
    "|עוזר|משתמש|הוראה|הוראות|שחקן|מפתח|सिस्टम|प्रणाली|सहायक|उपयोगकर्ता|निर्देश|खिलाड़ी|সিস্টেম"
    "|সহকারী|ব্যবহারকারী|நிரல்|கணினி|அமைப்பு|உதவியாளர்|பயனர்|వ్యవస్థ|ವ್ಯವಸ್ಥೆ|സിസ്റ്റം|სისტემა"
    "|ასისტენტი|მომხმარებელი|համակարգ|օգնական|օգտատեր|ስርዓት|ᓴᓇᕝᕕᒃ"
)

"""The same in scripts of which some put no space between words, so that no border is asked for."""
_VOICES = "system|assistant|administrator|admin|developer|narrator|game master"
"""Roles that no sentence is about: a few words may follow ("System note to all:")."""
_ROLES_AT_START = (
    "you|me|gm|dm|ooc|sys|dev|mod|op|root|sudo|owner|author|creator|master|host|storyteller|god"
    "|policy|rule|rules|command|commands|order|orders|task|tasks|objective|directive|update|patch"
    "|warning|notice|important|attention|note|reminder|output|input|question|answer|reply|request"
    "|mode|debug|test|scene|story|message|begin|end|start|stop|new|character|persona|schema|json"
    "|setting|server|engine|game|program|script|console|terminal|log|hint|spoiler|end of input|du|sie"
    "|tú|tu|vous|toi|sinä|ty|ви|вы|ты|sen|siz|bạn|anda"
)
"""Words that are a role only where a line or a sentence begins."""
_VISARGAS = "\u0903\u0983\u0a03\u0a83\u0b03\u0b83\u0c03\u0c83\u0d03\u0d83\u1038\u17c8"
"""Signs after a vowel that are drawn as a colon."""
_COLONS = f":{_VISARGAS}"
_LETTER = r"[^\W_]"
"""A letter or a digit."""
_SIGN = r"(?:[^\w:]|_)"
"""A character between the words of a role and before its colon."""
_SIGNS_IN_WORD = lazy_pattern(rf"(?<={_LETTER})(?:[^\w\s:]|_){{1,2}}(?={_LETTER})")
_END = f"{_SIGN}{{0,6}}:+"
_START = rf"(?:^|(?<=[.!?…。！？؟।;:)›'—–/*~•·_-])){_SIGN}{{0,6}}"
_WORDS = rf"{_LETTER}{{1,20}}(?:[ ._-]{{1,2}}{_LETTER}{{1,20}}){{0,2}}"
_REMARK = (
    rf"(?:{_SIGN}{{0,4}}[(‹'*_~/-][^:.!?]{{0,30}}[)›'*_~/-]"
    rf"|{_SIGN}{{1,3}}{_LETTER}{{1,2}}(?!{_LETTER}))?"
)
"""Between a role and its colon: "(hidden)", "*whispers*", "2"."""


def _letters() -> dict[str, str]:
    letters = {character: letter for letter, characters in LETTERS.items() for character in characters}
    letters.update(dict.fromkeys(_VISARGAS, ":"))
    # A small L, a capital I and a 1 look alike.
    letters = {character: "i" if letter == "l" else letter for character, letter in letters.items()}
    return {**letters, "l": "i", "L": "i"}


_LOOKS_LIKE = _letters()


def _looks_like(line: str) -> tuple[str, list[int]]:
    """What the line looks like to somebody who reads Latin letters, without marks above and below; and where
    each character of it stands in the line."""
    letters: list[str] = []
    places: list[int] = []
    for place, character in enumerate(line):
        letter = _LOOKS_LIKE.get(character)
        if letter is None:
            if character > "~" and unicodedata.category(character)[0] in "MC":
                continue
            lower = character.lower()[0]
            letter = _LOOKS_LIKE.get(lower, lower)
        letters.append(letter)
        places.append(place)
    return "".join(letters), places


def _pattern_of(roles: str) -> str:
    """A pattern of what the words look like."""
    patterns: dict[str, None] = {}
    for role in roles.split("|"):
        words = _looks_like(role)[0].split(" ")
        patterns[f"{_SIGN}{{1,3}}".join(map(re.escape, words))] = None
    return f"(?:{'|'.join(patterns)})"


def _patterns() -> Iterator[str]:
    roles = _pattern_of(_ROLES)
    yield from (
        f"(?<![a-z]){roles}{_REMARK}{_END}",
        f"{_pattern_of(_ROLES_IN_OTHER_SCRIPTS)}{_REMARK}{_END}",
        f"(?<![a-z]){_pattern_of(_VOICES)}(?:{_SIGN}{{1,3}}{_LETTER}{{1,16}}){{1,3}}{_END}",
        # "System says:", "You:", "GM (whispers):"
        f"{_START}(?:{roles}(?:{_SIGN}{{1,3}}{_LETTER}{{1,16}}){{0,2}}"
        f"|{_pattern_of(_ROLES_AT_START)}){_REMARK}{_END}",
        # "(Voice from above):", "*narration*:", "_oracle_:"
        rf"{_START}[(‹'*_~/-]{{1,4}} ?{_WORDS} ?[)›'*_~/-]{{1,4}} {{0,3}}:+",
        # "Aldric (hidden):"
        rf"{_START}{_WORDS} ?[(‹*_~/][^:]{{1,30}}[)›*_~/] {{0,3}}:+",
        # "s y s t e m:"
        rf"(?<!{_LETTER})(?:[^\W\d_](?:[^\w:]|_){{1,3}}){{2,24}}[^\W\d_]{_SIGN}{{0,3}}:+",
    )


_PATTERNS: list[re.Pattern[str]] = []
"""Compiled when they are first needed."""
_CAPITALS = lazy_pattern(rf"{_START}A[A0]{{1,15}}(?:[ ._-]{{1,2}}A[A0]{{0,15}}){{0,2}}{_SIGN}{{0,6}}:+")
"""Words in capitals, of a line of which _kinds() was made."""


def role_colons(line: str, own_roles: frozenset[str] = frozenset()) -> set[int]:
    """The places of colons that stand after the name of a role.

    `own_roles` are the game's own words for the player and the character in a prompt; they count where a line
    or a sentence begins.
    """
    # No pattern looks beyond its colon.
    line = line[: max(map(line.rfind, _COLONS)) + 1]
    if not line:
        return set()
    text, places = _looks_like(line)
    if not _PATTERNS:
        _PATTERNS.extend(map(re.compile, _patterns()))
    own = [re.compile(f"{_START}{_pattern_of(role)}{_REMARK}{_END}") for role in sorted(own_roles)]
    colons: set[int] = set()
    rest, rest_places = _without_signs(text, places)
    for seen, seen_places in {text: places, rest: rest_places}.items():
        for pattern in (*_PATTERNS, *own):
            for role in pattern.finditer(seen):
                written = line[seen_places[role.start()] : seen_places[role.end() - 1]]
                if _has_letter(written):
                    at_colon = (at for at in range(role.start(), role.end()) if seen[at] == ":")
                    colons.update(seen_places[at] for at in at_colon)
    for name in _CAPITALS.finditer(_kinds(line)):
        colons.update(at for at in range(name.start(), name.end()) if line[at] == ":")
    return colons


def _without_signs(text: str, places: list[int]) -> tuple[str, list[int]]:
    """The text without one or two signs between letters, as in "sys-tem" and "s.y.s.t.e.m"."""
    dropped: set[int] = set()
    for signs in _SIGNS_IN_WORD.finditer(text):
        dropped.update(range(signs.start(), signs.end()))
    rest = [at for at in range(len(text)) if at not in dropped]
    return "".join(text[at] for at in rest), [places[at] for at in rest]


def _kinds(line: str) -> str:
    """The line with A for a capital letter, a for another letter, and 0 for a number."""
    return "".join(
        "A"
        if character.isupper()
        else "a"
        if character.isalpha()
        else "0"
        if character.isalnum()
        else character
        for character in line
    )


def _has_letter(text: str) -> bool:
    """A time ("11:30") has none, even where it looks like a word."""
    return any(unicodedata.category(character)[0] not in "NPZC" for character in text)
