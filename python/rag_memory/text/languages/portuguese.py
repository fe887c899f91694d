"""Portuguese words that recall reads in a question, of Brazil and of Portugal."""

from __future__ import annotations

from rag_memory.text.languages.recall_words import RecallWords

_NO_NOUN = "".join(rf"(?<!\b{word} )" for word in ("o", "a", "um", "uma", "os", "as", "do", "da", "ao"))
_NO_PAST = "(?![a-zç]*[aei]rei\\b)(?!(?:s|l|r|h|gr|jers|vol)ei\\b)"
"""What ends like "I did it" and is a noun, or says what will be."""

PORTUGUESE = RecallWords(
    player="o jogador",
    first_person={
        "(?:eu )?(?:sou|estou)": "{player} é",
        "(?:eu )?tenho": "{player} tem",
        "(?:eu )?devo": "{player} deve",
        "(?:eu )?fiz": "{player} fez",
        "(?:eu )?dei": "{player} deu",
        "(?:eu )?fui": "{player} foi",
        "eu trouxe": "{player} trouxe",
        rf"(?:eu )?{_NO_NOUN}(?-i:([a-zç]+)quei)": r"{player} \1cou",
        rf"(?:eu )?{_NO_NOUN}(?-i:([a-zç]+)guei)": r"{player} \1gou",
        rf"(?:eu )?{_NO_NOUN}(?-i:{_NO_PAST}([a-zç]{{2,}})ei)": r"{player} \1ou",
        f"(?:eu )?{_NO_NOUN}(promet|vend|perd|conhec|escond|receb|ofend|devolv|escrev|com|beb|aprend)i": (
            r"{player} \1eu"
        ),
        f"(?:eu )?{_NO_NOUN}(ment|fug|part|ped|consegu|descobr|fer|dorm|ca|tra|destru)[ií]": (
            r"{player} \1iu"
        ),
        "eu|me|mim|comigo": "{player}",
        "meus?|minhas?": "{player} seu",
        "nós|conosco|connosco|a gente": "{player} e eu",
    },
    second_person={
        "você|tu|o senhor|a senhora": "eu",
        "te|lhe": "me",
        "ti": "mim",
        "contigo": "comigo",
        "[ts]eu": "meu",
        "[ts]eus": "meus",
        "tua|sua": "minha",
        "tuas|suas": "minhas",
        "és|estás": "sou",
        "tens": "tenho",
        "sabes": "sei",
        "lembras": "lembro",
        "foste": "fui",
        "(fiz|diss|troux|soub|pud|quis|estiv|tiv|vi)(?:este|ste)": r"\1",
        "(?-i:(?!(?:contr|desg|g|b|h)aste)([A-Za-zç]+))aste": r"\1ei",
        "(promet|vend|perd|conhec|escond|receb|ofend|devolv|escrev|com|beb|aprend)este": r"\1i",
        "(ment|fug|part|ped|consegu|descobr|fer|dorm|ca|tra|destru)[ií]ste": r"\1i",
    },
    givers=(
        "te|lhe|eu|dei|prometi|jurei",
        "me|mim|prometeste|juraste|(?:você|o senhor|a senhora) (?:promet|jur)[^\\W_]+",
    ),
    who="quem (?:é|era)(?! que)",
    own_promises=(
        r"(?:promet|jure)i(?:-lh[eo]s?)?|prometo|juro|comprometi-me|me comprometi"
        r"|(?<!me )(?:tinha|havia)(?:-lhe)? (?:lhe )?(?:prometido|jurado)"
        r"|dei (?:a [^\W_]+ )?(?:a )?minha palavra"
    ),
    event_words={
        "sorry": "desculp perdão perdoa perdoe lament",
        "argue": "discut briga(?!d) brigu zang",
        "attack": "atac ataqu assalt agred agress",
        "fight": "lut(?:a|ou|ei|amos|ar|aram|aste)\\b combat batalh",
        "betray": "traí trai(?:ção|dor|u|r)",
        "die": "mort(?:e|o|a|os|as)?\\b morr(?!o\\b) falec",
        "kill": "matou matei matar mataram assassin",
        "owe": "dev(?:o|es?|emos|em|ia[sm]?)\\b(?!\\W+(?:de\\W+)?\\w*[aei]r\\b) dívida divida",
        "lend": "emprest",
        "repay": "pag(?:o|ou|uei|ar|aste|amos)\\b devolv quit(?:ei|ou|ar)",
        "comfort": "consol apoi",
        "help": "ajud socorr",
        "gift": "presente?(?:s|ei|ou|ar|aste)?\\b oferec",
        "give": "dei\\b deu\\b deste\\b dar\\b dado\\b demos entreg",
        "bring": "trouxe trazer traz(?:ido|ia)?\\b",
        "meet": "conhec encontr",
        "quest": "miss(?:ão|ões) tarefa encomenda",
        "friend": "amig amizade",
        "insult": "insult ofend ofens xing troc(?:ei|ou|ar|aste)\\b zomb gozaram",
        "lie": "ment(?:i|iu|ir|ira|iste|ias?|imos)\\b mint mentiros enganar? enganei engan(?:ou|aste)",
        "save": "salv(?!ag) resgat",
        "promise": "promet promess jur(?:ei|ou|ar|aste|amento|o)\\b palavra compromet",
        "broken": "falt(?:ei|ou|ar|aste|ado)\\b quebr descumpr romp",
        "kept": "cumpr(?!iment)",
        "refuse": "neg(?:a|ou|uei|ar)\\b recus rejeit",
        "love": "am(?:o|ei|a|ar|aste|ava|ado|ada|or|ores)\\b apaixon namor gost(?:o|a|as|ava)\\W+d",
        "kiss": "beij",
        "rumor": "boato rumor fofoca mexeric",
        "secret": "segred confi(?:d|ou|ei|ar|aste) confess",
        "steal": "roub furt ladr(?:ão|ões|a)",
        "threaten": "ameaç",
        "sell": "vend(?:[eio]|as?\\b)",
        "buy": "compr(?!e[en]|id|im|om)",
        "trust": "confia(?:s|nça|r|va|m)?\\b desconfi fiar",
    },
    times=(
        ("anteontem|antes de ontem", "the day before yesterday"),
        ("(?:ontem à|na) noite passada|ontem à noite", "last night"),
        ("ontem(?: (?:de manhã|à tarde))?", "yesterday"),
        ("hoje (?:de|pela) manhã|(?:n?esta|hoje ao) (?:manhã|amanhecer)", "this morning"),
        ("hoje à noite|(?:n?[ae])sta noite", "tonight"),
        ("hoje", "today"),
        ("(?:há|faz) (?:cerca de |uns |umas )?{n} dias?|{n} dias? atrás", "{n} days ago"),
        ("(?:há|faz) (?:cerca de |uns |umas )?{n} semanas?|{n} semanas? atrás", "{n} weeks ago"),
        ("(?:há|faz) (?:cerca de |uns |umas )?{n} m[êe]s(?:es)?|{n} m[êe]s(?:es)? atrás", "{n} months ago"),
        ("n?a semana passada", "last week"),
        ("n?o mês passado", "last month"),
        ("n?essa semana|n?esta semana", "this week"),
        (r"n?o dia (?!uma?\b){n}", "on day {n}"),
        ("há pouco(?: tempo)?|recentemente|ultimamente|n?o outro dia|outro dia", "recently"),
        ("(?:pela |a )*primeira vez|no (?:começo|início|princípio)", "the first time"),
        ("(?:pela |a )*última vez", "the last time"),
    ),
    numbers="uma|um duas|dois três quatro cinco seis sete oito nove dez onze doze",
    common=frozenset(
        """
        ai ainda algum alguma alguem alguma ao aos aquela aquele aquilo as ate com como contigo comigo da das
        de dela dele deles dos e ela ele eles em era eram es essa esse esta estao estas estava este eu foi ha
        isso isto ja la lhe mais mas me meu meus mim minha minhas muito na nao nas nem nos nossa nosso o
        onde os ou para pela pelo por porque qual quando quanto que quem quer se sem sempre ser seu seus sou
        sobre sua suas tambem te tem tens ter teu teus ti tinha tu tua tuas um uma vez voce vos
        """.split()  # noqa: SIM905 - as a list literal, nobody could read it
    ),
    signs="[ãõ]|nh|lh",
    sure="você|ontem|anteontem|quem|comigo|lembras|não|hoje|onde|o que|é",
    foreign="el|los|las|una|unas|unos|y|ayer|anoche|quién|qué|eres|hay|il|la|lo|gli|che|non|unha",
)
"""The persons of verbs say who does what, so the endings of the past are read, too."""
