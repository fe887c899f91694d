"""German words that recall reads in a question."""

from __future__ import annotations

from rag_memory.text.languages.recall_words import RecallWords

GERMAN = RecallWords(
    player="der Spieler",
    first_person={
        "ich|mich|mir": "{player}",
        r"mein(?:e|em|er|es|en(?!\W+(?:sie|die|der|das|wir|ihr|alle|denn)\b|\W*$))?": "{player}s",
        "hab|habe": "hat",
        "bin": "ist",
        "wir": "{player} und ich",
        "uns": "{player} und mich",
    },
    second_person={
        "du": "ich",
        "dich": "mich",
        "dir": "mir",
        "dein(e|en|em|er|es)?": r"mein\1",
        "hast": "habe",
        "bist": "bin",
        "warst": "war",
        "hattest": "hatte",
    },
    givers=("ich|hab|habe", "du|ihr|hast|habt"),
    who="wer (?:ist|war|sind|waren)",
    own_promises=(
        r"ich\b[^,.;:!?]*\b(?:ver(?:sprochen|sprach|spreche|sprechen)|ge(?:schworen|lobt)|schw[oö]re?|gelobte?|wort)"
        r"|(?:verspr[aei]che?|schw[oö]re?|gelobte|gab) ich"
    ),
    event_words={
        "sorry": "entschuldig verzeih verzieh vergeb vergab vergib",
        "argue": "streit gestritten stritt gezankt zank geschrien",
        "attack": "angriff angegriffen greift überfall",
        "fight": "kampf kämpf gekämpft prügel",
        "betray": "verrat verriet verrät hintergangen hintergeh",
        "die": "gestorben starb stirbt sterben tot(?:e[mnrs]?)?\\b tod(?:es)?\\b",
        "kill": "getötet tötet umgebracht ermord mord",
        "owe": "schuld",
        "lend": "geliehen leih lieh geborgt borg",
        "repay": "zurückgezahlt zurückgegeben beglichen bezahlt",
        "comfort": "getröstet tröst trost beigestanden",
        "help": "hilf half(?!ter) geholfen helfen",
        "gift": "geschenk schenkt?\\b schenks?t (?-i:schenken?)\\b verschenk",
        "give": "gegeben gab(?:st|en)?\\b gibst überlassen",
        "bring": "gebracht brachte bring mitgebracht mitbring",
        "meet": "kennengelernt begegnet getroffen traf",
        "quest": "auftrag aufträge aufgabe",
        "friend": "freund(?!lich) befreundet",
        "insult": "beleidig beschimpf verspott",
        "lie": "lüg log(?:st|en)?\\b gelogen angelogen belogen belüg lügner",
        "save": "gerettet rette rettung",
        "promise": "versprech versprach versprich versprochen geschwor schwor schwör gelob",
        "broken": "wort\\W+gebrochen gebrochen brach breche",
        "kept": "gehalten hielt",
        "refuse": "geweigert weiger abgelehnt abgeschlagen",
        "love": "lieb(?!er\\b) verliebt",
        "kiss": "küss geküsst kuss",
        "rumor": "gerücht gerede gemunkelt munkel",
        "secret": "geheim anvertraut vertraust verraten",
        "steal": "gestohlen (?-i:stahl)(?:st|en)?\\b stiehl stehl geklaut klau dieb bestohlen",
        "threaten": "droh(?!ne) gedroht bedroht",
        "sell": "verkauf",
        "buy": "gekauft kauf abgekauft",
        "trust": "vertrau misstrau",
    },
    times=(
        ("vorgestern", "the day before yesterday"),
        ("gestern(?: (?:morgen|früh|abend|nacht|mittag))?", "yesterday"),
        ("heute (?:morgen|früh)", "this morning"),
        ("heute abend", "tonight"),
        ("(?:letzte|vergangene|heute) nacht", "last night"),
        ("heute", "today"),
        (r"vor (?:etwa |ungefähr )?{n} tag(?:en)?", "{n} days ago"),
        (r"vor (?:etwa |ungefähr )?{n} wochen?", "{n} weeks ago"),
        (r"vor (?:etwa |ungefähr )?{n} monat(?:en)?", "{n} months ago"),
        (r"(?:letzte|vergangene|vorige)[rn]? woche", "last week"),
        (r"(?:im )?(?:letzte|vergangene|vorige)[nr]? monat", "last month"),
        (r"diese[r]? woche", "this week"),
        (r"a[mn] tag (?:nummer )?(?!ein){n}|tag nummer {n}", "on day {n}"),
        (r"neulich|kürzlich|in letzter zeit", "recently"),
        (r"(?:zum |beim |das )?(?:aller)?erste[ns]? mal|zuerst|am anfang|anfangs", "the first time"),
        (r"(?:zum |beim |das )?letzte[ns]? mal|zuletzt", "the last time"),
    ),
    numbers="einem|einer|ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
    common=frozenset(
        """
        aber als am auch auf aus bei bin bist damals dann das dass dein deine deinem deinen deiner dem den
        der des dich die diese diesem dieser dir doch du eigentlich ein eine einem einen einer er es etwas
        fur gegen gestern gibt hab habe haben hast hat hier ich ihm ihn ihr im ist ja je jemals kann kannst
        kein keine mal mehr mein meine meinem meinen meiner mich mir mit nach nicht nichts noch nun oder schon
        sein seit sich sie sind uber um und uns von vor wann warst warum was weisst wem wen wenn wer wie
        wieder wir wo wofur womit woruber wurde zu zum zur
        """.split()  # noqa: SIM905 - as a list literal, nobody could read it
    ),
    signs="[äöüß]",
    sure=(
        r"(?!(?:ou)?est )[^\W_]+st du|du [^\W_]+st|bist|hast|ich|mich|dich|mir|dir|wer|wann|vorgestern"
        r"|gestern|nicht"
    ),
    foreign="ben|bent|met",
)
"""Formal address has the word for "they", so it is not read."""
