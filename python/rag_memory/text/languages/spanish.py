"""Spanish words that recall reads in a question."""

from __future__ import annotations

from rag_memory.text.languages.recall_words import RecallWords

SPANISH = RecallWords(
    player="el jugador",
    first_person={
        "yo|me|mí|conmigo": "{player}",
        "mis?": "{player} su",
        "he": "{player} ha",
        "soy|estoy": "{player} es",
        "tengo": "{player} tiene",
        "debo": "{player} debe",
        "(?-i:(?!qu|caf|jos|porqu)([a-zñ]{2,}))é": r"{player} \1ó",
        "(?-i:(?!aqu|all|as|cas)([a-zñ]{3,}))í": r"{player} \1ió",
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
        "(?-i:([a-zñ]{2,}))aste": r"\1é",
        "(?-i:(?!ch|exist|viste|triste)([a-zñ]{2,}))iste": r"\1í",
        "(?-i:([a-zñ]{2,}))abas": r"\1aba",
    },
    event_words={
        "sorry": "perdón perdon disculp lament",
        "argue": "discut discusi riñ reñi pele",
        "attack": "atac ataqu asalt",
        "fight": "luch combat batall pele",
        "betray": "traicion traición traidor",
        "die": "muert muri morir fallec",
        "kill": "mató maté matar matad asesin",
        "owe": "deb deud",
        "lend": "prest",
        "repay": "pagu pagad pagast pagó pagar devol devuel saldad",
        "comfort": "consol apoy",
        "help": "ayud",
        "gift": "regal obsequi",
        "give": "dado diste dio di\\b dar entreg",
        "bring": "traí trajo traje traer trajiste",
        "meet": "conoc conocí encontr",
        "quest": "misi encargo encargu tarea",
        "friend": "amig amistad",
        "insult": "insult ofend ofens burl",
        "lie": "ment mint mient engañ",
        "save": "salv rescat",
        "promise": "promet promes jur juramento palabra comprom",
        "broken": "falt incumpl romp roto",
        "kept": "cumpl",
        "refuse": "neg rechaz rehus",
        "love": "am[oaé] enamor quier querí",
        "kiss": "bes[oóaé]",
        "rumor": "rumor chism",
        "secret": "secret confi confes",
        "steal": "rob[oóaé] hurt ladr",
        "threaten": "amenaz amenac",
        "sell": "vend",
        "buy": "compr",
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
        ("(?:el )?día {n}", "on day {n}"),
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
)
"""The persons of verbs say who does what, so the endings of the past are read, too."""
