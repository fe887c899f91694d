"""Spanish words that recall reads in a question."""

from __future__ import annotations

from rag_memory.text.languages.recall_words import RecallWords

_NO_NOUN = "".join(rf"(?<!\b{word} )" for word in ("el", "la", "un", "una", "los", "las", "del", "al"))
_NO_VERB = (
    "(?!(?:qu|porqu|caf|beb|comit|est|pur|chal|ol|(?:pod|tend|vend|sald|quer|pond|sab|hab)r)é"
    "|(?!(?:(?:ad)?mir|(?:re|es)?tir|gir|(?:pre|re|se|com|dis)?par|esper|super|liber|(?:de|a)clar)é)"
    "[a-zñ]*[aei]ré)"
)
"""What ends like "I did it" and is a noun, or says what will be."""

SPANISH = RecallWords(
    player="el jugador",
    first_person={
        "yo|me|mí|conmigo": "{player}",
        "mis?": "{player} su",
        "he": "{player} ha",
        "soy|estoy": "{player} es",
        "tengo": "{player} tiene",
        "debo": "{player} debe",
        rf"{_NO_NOUN}(?-i:{_NO_VERB}([a-zñ]{{2,}}))é": r"{player} \1ó",
        rf"{_NO_NOUN}(?-i:(?!(?:aqu|all|cas|rub|jabal|maniqu)í)([a-zñ]{{3,}}))í": r"{player} \1ió",
        "nosotr[oa]s|nos": "{player} y yo",
    },
    second_person={
        "tú|usted": "yo",
        "te": "me",
        "ti": "mí",
        "contigo": "conmigo",
        "tu|tuy[oa]": "mi",
        "tus|tuy[oa]s": "mis",
        "has": "he",
        "eres|estás": "soy",
        "tienes": "tengo",
        "sabes": "sé",
        "(?-i:(?!(?:contr|tr|desg|g|b)aste)([A-Za-zñ][a-zñ]+))aste": r"\1é",
        "(hic|dij|traj|pud|pus|quis|sup|tuv|vin|estuv)iste": r"\1e",
        "(d|fu|v)iste": r"\1i",
        "(?-i:(?!(?:ch|cons|ins|res|pers|as|des|ex|tr|emb|desv|alp|qu)iste)([A-Za-zñ][a-zñ]+))iste": r"\1í",
        "(?-i:([A-Za-zñ][a-zñ]+))abas": r"\1aba",
    },
    givers=("te|os|me comprometí|prometí|juré", "me(?! compromet[íi])|mí|prometiste|juraste"),
    who="qui[ée]n (?:es|era)",
    own_promises=(
        r"promet[íoí]|jur[éo]|(?:he|(?<!me )había) (?:prometido|jurado)|me comprometí"
        r"|(?:di|he dado|(?<!me )había dado) (?:a [^\W_]+ )?mi palabra"
    ),
    event_words={
        "sorry": "perdón perdon disculp lament",
        "argue": "discut discusi riñ(?!ón|on) reñi pele",
        "attack": "atac ataqu asalt",
        "fight": "luch combat batall pele",
        "betray": "traicion traición traidor",
        "die": "muert muri morir fallec",
        "kill": "mató maté matar matad asesin",
        "owe": "deb(?:o|es?|emos|en|ía[sn]?)\\b(?!\\W+(?:de\\W+)?\\w*[aei]r(?:me|te|se|l[aoe])?\\b) deud",
        "lend": "prest",
        "repay": "pagu pagad pagast pagó pagar devol devuel saldad",
        "comfort": "consol apoy",
        "help": "ayud",
        "gift": "regal obsequi",
        "give": "dado\\b diste\\b dio\\b di\\b dar\\b entreg",
        "bring": "traí trajo traje traer trajiste",
        "meet": "conoc conocí encontr",
        "quest": "misi[óo]n encargo encargu tarea",
        "friend": "amig amistad",
        "insult": "insult ofend ofens burl",
        "lie": "ment[ií] mint mient(?!ras) engañ",
        "save": "salv(?!aj|o\\b) rescat",
        "promise": "promet promes jur[aéóoe] palabra comprom",
        "broken": "faltast falté\\b faltad incumpl romp roto",
        "kept": "cumpl(?!ea)",
        "refuse": "neg(?:a|ó|u[eé]) nieg rechaz rehus",
        "love": (
            "am(?:é|ó|as?|ar|aste|abas?|ad[ao]|or|ores)\\b enamor (?:me|te|l[ao]|nos)\\W+qu(?:ier|er[ií])"
        ),
        "kiss": "bes[oóaé]",
        "rumor": "rumor chism",
        "secret": "secret confi confes",
        "steal": "robos?\\b rob(?:ó|é|as?|ar|aste|ad[ao]s?|aron|abas?)\\b hurt ladr[óo]n",
        "threaten": "amenaz amenac",
        "sell": "vend(?:[eéií]|o\\b)",
        "buy": "compr(?!end|ob|om|im)",
        "trust": "confia fiar fías",
    },
    times=(
        ("anteayer|antes de ayer", "the day before yesterday"),
        ("anoche", "last night"),
        ("ayer(?: por la (?:mañana|tarde|noche))?", "yesterday"),
        ("esta mañana|hoy al amanecer", "this morning"),
        ("esta noche", "tonight"),
        ("hoy", "today"),
        ("hace (?:unos |unas )?{n} días?", "{n} days ago"),
        ("hace (?:unos |unas )?{n} semanas?", "{n} weeks ago"),
        ("hace (?:unos |unas )?{n} mes(?:es)?", "{n} months ago"),
        ("la semana pasada", "last week"),
        ("el mes pasado", "last month"),
        ("esta semana", "this week"),
        (r"(?:d?el|al) día (?!una?\b){n}", "on day {n}"),
        ("hace poco|recientemente|últimamente|el otro día", "recently"),
        ("(?:por |la )*primera vez|al principio", "the first time"),
        ("(?:por |la )*última vez", "the last time"),
    ),
    numbers="una|un dos tres cuatro cinco seis siete ocho nueve diez once doce",
    common=frozenset(
        """
        a al algo alguna alguno aquel aquella aun aunque como con conmigo contigo cual cuando cuanto de del
        donde el ella ellos en era eres es esa ese eso esta estaba estas este esto fue ha haces han has hasta
        hay he la las le les lo los mas me mi mia mio mis muy ni nos o para pero por porque que quien se ser
        si sin sobre soy su sus tambien te ti tiene tienes todavia tu tus un una vez y ya yo
        """.split()  # noqa: SIM905 - as a list literal, nobody could read it
    ),
    signs="[¿¡ñ]",
    sure=r"(?<=[¿¡])[^\W_]+|ayer|anteayer|anoche|usted",
    foreign="il|non|eu|um|em|jo",
)
"""The persons of verbs say who does what, so the endings of the past are read, too."""
