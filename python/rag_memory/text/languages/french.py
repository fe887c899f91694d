"""French words that recall reads in a question."""

from __future__ import annotations

from rag_memory.text.languages.recall_words import RecallWords

FRENCH = RecallWords(
    player="le joueur",
    first_person={
        "j['’]ai|ai-je": "{player} a",
        "je suis|suis-je": "{player} est",
        "j['’]étais|étais-je": "{player} était",
        "je|moi|me": "{player}",
        "j['’]|m['’]": "{player} ",
        "mon|ma|mes": "{player} son",
        "nous": "{player} et moi",
    },
    second_person={
        "tu as|as-tu|vous avez|avez-vous": "j'ai",
        "tu es|es-tu|vous êtes|êtes-vous": "je suis",
        "tu m['’]as|tu m['’]avais|vous m['’]avez|vous m['’]aviez": "j'ai {player}",
        "tu": "je",
        "te": "me",
        "t['’]": "m'",
        "toi|vous": "moi",
        r"(?<!\ble )(?<!\bun )(?<!\bdu )ton|votre": "mon",
        "ta": "ma",
        "tes|vos": "mes",
    },
    givers=("je|j['’]|ai-je", "tu|vous|as-tu|avez-vous"),
    who="qui (?:est|était|sont)|c['’]est qui",
    own_promises=(
        r"(?:j['’]|je l(?:ui|eur) |je t['’])(?:ai|avais) (?:\w+ )?(?:promis|juré|donné (?:à \w+ )?ma parole)"
        r"|je (?:l(?:ui|eur) |te |vous )?(?:prom(?:ets|is|ettais)|jur(?:e|ai|ais)|donn(?:e|ai) ma parole)"
        r"|je me suis engagée?"
    ),
    event_words={
        "sorry": "excus pardon regret",
        "argue": "disput querell engueul",
        "attack": "attaqu agress",
        "fight": "combat battu bataill bagarr",
        "betray": "trahi traîtr",
        "die": "mort mourir décéd",
        "kill": "tué tuer assassin meurtr",
        "owe": "dett (?:dois|doit|devais|devait)\\b(?!(?:-\\w+)?\\W+\\w+(?:er|ir|re)\\b)",
        "lend": "prêt(?:é|er|a\\b|as\\b|ai) emprunt avanc",
        "repay": "rembours payé rendu",
        "comfort": "consol réconfort soutenu soutien",
        "help": "aid secour",
        "gift": "cadeau offert offrir (?<!à\\W)présents?\\b",
        "give": "donn",
        "bring": "apport ramen",
        "meet": "rencontr connu",
        "quest": "mission quête tâche",
        "friend": "ami(?:e|s|es|tiés?)?\\b amical",
        "insult": "insult injuri moqu",
        "lie": "menti mens\\b ment(?:ais|ait|ez)?\\b mensong menteu",
        "save": "sauv",
        "promise": "promis promesse promett juré jurer serment parole",
        "broken": "manqu rompu trahi\\W+ma",
        "kept": "tenu",
        "refuse": "refus",
        "love": "aim(?!ab|ant) amour amoureu",
        "kiss": "embrass baiser",
        "rumor": "rumeur ragot",
        "secret": "secret confi(?!tur|sq|n) avou",
        "steal": "vol(?:é|er|e|eur|euse|a|ai|ais|ait|ée)?s?\\b dérob",
        "threaten": "menac",
        "sell": "vend(?!red)",
        "buy": "achet",
        "trust": "confiance méfi",
    },
    times=(
        ("avant-hier", "the day before yesterday"),
        ("hier(?: (?:matin|soir|après-midi))?", "yesterday"),
        ("ce matin", "this morning"),
        ("ce soir", "tonight"),
        ("(?:cette|la) nuit dernière|cette nuit", "last night"),
        ("aujourd['’]hui", "today"),
        ("il y a (?:environ )?{n} jours?", "{n} days ago"),
        ("il y a (?:environ )?{n} semaines?", "{n} weeks ago"),
        ("il y a (?:environ )?{n} mois", "{n} months ago"),
        ("la semaine (?:dernière|passée)", "last week"),
        ("le mois (?:dernier|passé)", "last month"),
        ("cette semaine", "this week"),
        (r"(?:au|le) jour (?:numéro )?(?!une?\b){n}", "on day {n}"),
        ("récemment|l['’]autre jour|dernièrement", "recently"),
        ("(?:pour )?la (?:toute )?première fois|au début|d['’]abord", "the first time"),
        ("la (?:toute )?dernière fois", "the last time"),
    ),
    numbers="une|un deux trois quatre cinq six sept huit neuf dix onze douze",
    common=frozenset(
        """
        ai alors as au aussi aux avais avait avec avez c ce cet cette combien comment dans de deja des dis
        donc du elle en encore es est et etais etait ete eu il ils j jamais je la le les leur lui m ma mais
        mes moi mon n ne nous ont ou par pas pour pourquoi qu quand que quel quelle quelqu qui quoi sa se ses
        suis sur ta te tes toi ton tu un une vos votre vous y
        """.split()  # noqa: SIM905 - as a list literal, nobody could read it
    ),
    foreign="o",
    signs=r"[çœèêàùîû]|(?<![^\W_])(?:[cdjlmnst]|qu)['’](?=[^\W_])",
    sure=r"tu(?= (?:as|es|veux|peux|mens|viens|vas|sais|dis|fais|dois|connais|aimes)\b| [^\W_]+ \?)"
    r"|(?<=[^\W_]-)(?:tu|je)|(?<!rendez)(?<=[^\W_]-)vous|avant-hier|aujourd['’]hui",
)
