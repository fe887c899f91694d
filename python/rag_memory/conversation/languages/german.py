"""German sentences of a talk that bind somebody, name the player or give something."""

from __future__ import annotations

from rag_memory.conversation.extraction_rules import PLAYER
from rag_memory.conversation.languages.talk_words import NAME, WRITTEN_NAME, TalkWords, rule
from rag_memory.text.languages.german import GERMAN

_WE = r"(?:ich|wir)"
_TO_YOU = r"(?:dir|dich|euch|ihnen|dein\w*|eure?\w*)"
_NOT = r"(?!.*\b(?:nicht|nichts|nie|niemals|kein\w*|kaum|zu spät)\b)"
_NO_PAST = r"(?!.*\b(?:hab|habe|haben|hatten?|war|waren|bin|weiß|wissen|kenne|kann|können|gewesen|wurde)\b)"
_DO = (
    "(?:über)?(?:bring|hol|geb|besorg|reparier|find|such|kauf|bau|schmied|back|koch|zeig|schick|bezahl|zahl|leih|helf|hilf|rett|"
    "beschütz|bewach|befrei|begleit|führ|heil|beschaff|liefer|räch|mach|schreib|reich|erzähl|verrat|flick|näh|sammel|sammle|pflück|fang|"
    "erledig|kümmer|stell|leg|trag|send|bereit|richt|putz|hüt|fütter|mahl|schnitz|unterstütz|vertei?dig|erstatt)e?"
)
_GIVES = (
    "(?:über)?(?:bring|hol|geb|besorg|kauf|bau|schmied|back|koch|schick|bezahl|zahl|leih|helf|beschaff|liefer|schreib|näh|flick|reparier|"
    "sammel|sammle|pflück|schnitz|erstatt|send|mahl)(?:e|n|en)?"
)
_TO = r"(?:(?:es|sie|ihn|das|{when}) )?(?:dir|euch|(?-i:Ihnen))\b"
_MENDS = "(?:reparier|flick|bezahl|putz|fütter|näh)(?:e|n|en)?"
_YOURS = r"(?:{when} )?(?:dein\w*|eure?\w*)\b"
_NO_GIFT = r"(?!.*\b(?:schuld|kuss|ohrfeige|tipp|rat|chance|zeit|recht|segen|bescheid|tritt|hieb|schlag|faust|frei|\w*nachricht\w*|neuigkeit\w*|glück|pech|ärger|freude|ruhe|vorw[uü]rfe?|ehre|gesellschaft|prügel)\b)"
_NO_CHASE = (
    r"(?!.*\b(?:dich|euch) (?:\w+ )*(?:finden|suchen|holen|einholen|fangen|stellen|richten|schicken|machen|zeigen)$)(?!.*\b(?:verraten|tragen|(?:schwer|fertig|platt|kalt|hölle) ?machen)$)"
    r"(?!.*\b(?:über|mit|gegen|ohne|von) (?:dir|dich|euch|dein\w*|eure?\w*)\b)"
)
_INFINITIVE = rf"(?:zurück|mit|ab|vorbei|her|hin|auf|bei|aus|wieder|heim)?(?:ge)?(?:zu)?{_DO}n"
_OWN_DEBT = r"(?!.*\b(?:(?:meine|deine|seine|ihre|unsere|eure)[rs]|des|der|dem|(?:bei|an|von|für|gegenüber) (?!dir\b|dich\b|euch\b|ihnen\b))\b)"
_UNREAL_DEBT = r"(?!.*\b(?:nichts|kein\w*|längst|bezahlt|beglichen|zurück(?:gegeben|gezahlt|bezahlt)|dank|erklärung|antwort|entschuldigung|gefallen|leben|viel|alles|respekt|rechenschaft|gehorsam|wahrheit)\b)"
_HARM = (
    r"\w*(?:töte|ermord|umbring|heimzahl|erschlag|erwürg|aufhäng)\w*|(?:dich|euch) um|um(?=$)|wachen|galgen|kerker|gefängnis|henker|hölle|hals|fürchten|angst|schlechte\w*|lektion|"
    r"blut\w*|büßen|leid|manieren|beine machen|zeit(?=$)|zurecht|recht|heim(?=$)|schwer(?=$)|ohrfeige\w*|prügel|die wache\w*"
)
_PLACE = r"(?:am|im|an|in|bei|beim|vor|vorm|hinter|unter|auf|neben|zum|zur|um)"

_NUMBERS = "ein|eine|einen|einem|einer zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig hundert|einhundert tausend"
_NO_NAME = r"(?!(?:nicht|so|wie|auch|anders|genauso|niemand|nichts|es|das|dich|euch|sie|ihn|noch|immer|unwichtig|geheim)\b)"
_A_THING = r"(?:ein|eine|einen|dies\w*|mein\w*|zwei|drei|vier|fünf|etwas)\b"
_NO_PRESENT = (
    r"(?!.*\b(?:aufmerksamkeit|vertrauen|glauben|gehör|leben|freiheit|schuld|kuss|ohrfeige|tipp|rat|ratschlag|chance|zeit|recht|segen|bescheid|tritt|hieb|schlag|frei|\w*nachricht\w*|neuigkeit\w*|glück|wort|versprechen|hand|weg|platz|stuhl|straße|tür|treppe|"
    r"minuten?|stunden?|tage?|angst|warnung|\w*münzen?|\w*stücke?|taler|geld|gegen|dafür|leihweise|geliehen|wein ein|bier aus|ärger|freude|sorgen?|kummer|pferd zurück)\b|.*\bzurück\b)"
)

# fmt: off
TALK_GERMAN = TalkWords(
    recall=GERMAN,
    rules=(
        rule("paid", "payment",
            rf"{_WE} habe?n? (?:\w+ )?{_OWN_DEBT}(?:meine|unsere|die) (?:ganze )?schulden? (?:\w+ ){{0,4}}(?:bezahlt|beglichen|zurückgezahlt|abbezahlt)",
            rf"{_WE} habe?n? (?:dir|euch|ihnen) (?!.*\b(?:aber|doch)\b)[^,]*zurück(?:gezahlt|bezahlt|gegeben)$",
            rf"hier (?:ist|sind|hast du|habt ihr) (?:(?:also|nun|jetzt|endlich|bitte) )?(?=(?:dein\w*|euer|eure?\w*|das|die|all\w*|\d+|{'|'.join(_NUMBERS.replace('|', ' ').split())})\b)(?:\w+ ){{1,6}}(?:geld|gold|silber|münzen?|\w+münzen?|\w+stücke?)\b(?:,? (?:das|die) (?:ich|wir) (?:dir|euch|ihnen) (?:noch )?schulden?| zurück|$)",
            r"(?:jetzt |nun |damit |also )?sind wir (?:jetzt |nun |damit |wieder )*quitt",
            r"wir sind (?:jetzt |nun |damit |wieder )*quitt"),
        rule("you_paid", "payment",
            r"du schuldest (?:mir|uns) (?:jetzt |nun |gar |damit )*nichts(?: mehr)?",
            r"(?:deine|die) schulden? (?:ist|sind) (?:\w+ )?(?:bezahlt|beglichen|erlassen|getilgt|vergessen)",
            r"du hast (?:mir )?(?:deine schulden?|alles) (?:\w+ )?(?:zurück)?(?:bezahlt|gezahlt|beglichen)", mirrored=True),
        rule("name", "name",
            rf"ich (?:heiße|heisse) {_NO_NAME}{NAME}",
            rf"(?:mein (?:richtiger |wahrer )?name (?:ist|lautet)|man nennt mich|(?:alle|die leute|meine freunde|sie) nennen mich|nennt? mich) {_NO_NAME}{WRITTEN_NAME}", by=(PLAYER,)),
        rule("gift", "gift",
            rf"{_WE} schenken? (?:dir|euch|(?-i:Ihnen)) {_NOT}{_NO_PRESENT}(?P<about>.+)$",
            rf"hier,? (?:(?:ist|hast du|habt ihr) )?(?P<here>ein (?:kleines )?geschenk\b.*|{_NO_PRESENT}{_A_THING} .+ für (?:dich|euch))$",
            rf"(?:nimm|nehmt|behalte?) {_NO_PRESENT}(?P<taken>(?!.*\bund\b)(?:dies\w*|mein\w*) .+)$",
            rf"(?:das|dies) (?:ist|sind) (?P<this>ein (?:kleines )?geschenk(?: für (?:dich|euch))?|für (?:dich|euch))$|dies\w* {_NO_PRESENT}(?P<these>[\w -]{{2,40}}) (?:(?:ist|sind) für (?:dich|euch)|gehör(?:t|en) (?:jetzt )?(?:dir|euch))$",
            rf"{_WE} habe?n? (?:dir|euch) {_NOT}{_NO_PRESENT}(?P<brought>{_A_THING} .+ (?:mitgebracht|gebracht|gekauft|gemacht|geschmiedet|gepflückt|besorgt|gebacken|geschenkt))$",
            rf"{_WE} gebe?n? (?:dir|euch) {_NOT}{_NO_PRESENT}(?P<give>(?:dies\w*|mein\w*) .+)$", is_act=True),
        rule("broken", "broken",
            rf"{_WE} habe?n? (?:mein|unser) (?:versprechen|wort) (?:nicht gehalten|gebrochen)"),
        rule("you_broke", "broken",
            r"du hast dein (?:versprechen|wort) (?:nicht gehalten|gebrochen)", mirrored=True),
        rule("kept", "kept",
            rf"{_WE} habe?n? (?:mein|unser) (?:versprechen|wort) {_NOT}(?:\w+ ){{0,2}}(?:gehalten|erfüllt|eingelöst)"),
        rule("you_kept", "kept",
            rf"du hast dein (?:versprechen|wort) {_NOT}(?:\w+ ){{0,2}}(?:gehalten|erfüllt|eingelöst)", mirrored=True),
        rule("withdrawn", "withdrawn",
            rf"{_WE} (?:kann|können) (?:mein|unser|das|dieses) (?:versprechen|wort) (?:leider |doch )*nicht (?:halten|erfüllen|einlösen)",
            rf"{_WE} nehmen? (?:mein|das|unser) (?:versprechen|wort) (?:\w+ )?zurück", is_act=True),
        rule("oath", "promise",
            rf"{_WE} (?:verspreche|versprech's|schwöre|schwör|gelobe|garantiere)n?(?: (?:es|dir|euch|ihnen|hiermit|hoch und heilig|feierlich|fest|bei (?!\w+ nicht)(?:\w+ ){{0,2}}\w+))*,? (?P<about>(?:dass? )?(?:ich|wir) {_NO_PAST}.+|(?!ich\b|wir\b|dass?\b|nichts?\b|er\b|sie\b|es\b|der\b|die\b|das (?:ist|war)\b).*\b(?:zu \w+n|\w+zu\w+n))$",
            rf"(?P<sworn>{_WE} {_NOT}{_NO_PAST}.+), (?:das ist |das sei )?(?:versprochen|ehrenwort)$",
            rf"(?:(?:du hast|ihr habt) (?:mein|unser)|ich gebe (?:dir|euch|ihnen) mein) (?:wort|versprechen|ehrenwort)(?:,| darauf,?)? (?P<word>(?:dass? )?(?:ich|wir) {_NO_PAST}.+)$", is_act=True),
        rule("loyal", "promise",
            rf"{_WE} werden? (?P<about>(?:dich|dir|euch) (?:niemals|nie|nicht) (?:verraten|im stich lassen|enttäuschen|verlassen|verletzen|anlügen|belügen|bestehlen))$", is_act=True),
        rule("appointment", "appointment",
            rf"(?:(?:dann )?treffen wir uns|wir treffen uns|lasst? uns(?: uns)?) {_NOT}(?P<about>(?=.*\b{{when}}\b).+)",
            rf"(?:{{when}} (?:\w+ \w+ )?(?:sehen|treffen) wir uns|wir sehen uns(?=.*\b{{when}}\b)) {_NOT}(?P<see>(?=.*\b{_PLACE} (?:\w+)).+)",
            rf"triff (?:mich|uns) {_NOT}(?P<meet>(?=.*(?:\b{{when}}\b|\b{_PLACE} )).+)",
            rf"(?:ich (?:warte|erwarte dich) (?=.*\b{{when}}\b)|{{when}} (?:um \w+ (?:uhr )?)?(?:warte ich (?=.*\b(?:dich|euch)\b)|erwarte ich dich ))(?P<wait>(?=.*\b{_PLACE} (?!dich\b|euch\b)).+)", is_act=True),
        rule("offer", "promise",
            rf"(?:{_WE} werden?|{{when}} (?:\w+ )?werden? {_WE}) {_NOT}{_NO_GIFT}{_NO_CHASE}(?P<about>(?=.*\b{_TO_YOU}\b).*\b{_INFINITIVE})$",
            rf"{_WE} (?:{_GIVES} (?={_TO})|{_MENDS} (?={_YOURS})){_NOT}{_NO_GIFT}(?P<now>(?=.*\b{{when}}\b).+)$",
            rf"{{when}} (?:um \w+ (?:uhr )?)?(?:{_GIVES} {_WE} (?={_TO})|{_MENDS} {_WE} (?={_YOURS})){_NOT}{_NO_GIFT}(?P<then>.+)$", is_act=True),
        rule("debt", "debt",
            rf"{_WE} schulden? (?:dir|euch|ihnen) (?:noch |immer |jetzt )*{_UNREAL_DEBT}(?P<about>.+)$",
            rf"{_WE} habe?n? (?:mir |uns )?(?!.*\bzurück)(?P<lent>(?=.*\bvon (?:dir|euch|ihnen)\b).+) (?:geliehen|geborgt|ausgeliehen)",
            rf"(?:du hast|ihr habt) (?:mir|uns) {_UNREAL_DEBT}(?P<got>.+) (?:geliehen|geborgt|ausgeliehen)"),
        rule("you_owe", "debt",
            rf"(?:du schuldest|ihr schuldet) (?:mir|uns) (?:noch |immer |jetzt )*{_UNREAL_DEBT}(?P<about>.+)$",
            rf"{_WE} habe?n? (?:dir|euch) {_UNREAL_DEBT}(?P<lent>.+) (?:geliehen|geborgt)", mirrored=True),
    ),
    doubts=(
        rf"{_HARM}|"
        r"wenn|falls|sofern|ob|sobald|es sei denn|nur dann|würde\w*|wär\w*|hätt\w*|könnt\w*|sollte\w*|möchte\w*|müsst\w*|dürft\w*|bräucht\w*|vielleicht|eventuell|möglicherweise|"
        r"womöglich|wohl|wahrscheinlich|vermutlich|angeblich|beinahe|fast|hoff\w*|glaub\w*|dacht\w*|denk\w*|mein(?:t|te|st)|sagt\w*|sagst|erzählt\w*|behaupt\w*|träum\w*|"
        r"gestern|vorgestern|damals|früher|letzte\w*|wollte\w*|angenommen|soll|sollen|sollst|wünsch\w*|versuch\w*|gefälligst|leider|was (?:du|ihr) verdien\w*|aus dem fenster|(?:zur|vor die|durch die) tür|die tür zeigen|zeige? (?:\w+ ){1,3}die tür(?=$|,)|die treppe (?:runter|hinunter|hinab)|über bord|unter die erde|ins grab"
    ),
    jokes=r"(?:nur|bloß|ein|kleiner|war) (?:scherz|spaß|witz)|scherz beiseite|ich scherze|reingelegt|von wegen|denkste|wer'?s glaubt|dass ich nicht lache|sankt[- ]nimmerleins-?tag|schweine fliegen|pustekuchen|träum weiter|kannst du lange warten|nicht im traum|hättest du wohl gern",
    insults=r"(?:(?:du|ihr|sie) (?:\w+e[rsn]? ){0,2})?(?:verräter(?:in)?|lügner(?:in)?|dieb(?:e|in)?|mörder(?:in)?|betrüger(?:in)?|feiglinge?|schuft|schurken?|lump(?:en)?|mistkerle?|miststück|bastard|abschaum|dreckskerl|drecksack|schweinehund|idiot(?:en|in)?|dummkopf|trottel|narr|halsabschneider|gauner|ungeziefer|arschloch|scheißkerl|hurensohn)|(?:du|ihr) (?:\w+e[rsn]? ){0,2}(?:hunde?|schweine?|ratten?|wurm|esel|schlange)",
    handed=(
        r"(?:hier|da) (?:ist|sind|hast du|habt ihr|hab ich) .*|"
        r"(?:ich|wir) hab(?:e|en)? (?!.*\b(?:nicht|nie|kein\w*|fast|noch|aber|halb\w*)\b)(?:(?=.*\b(?:dir|euch|ihnen|dein\w*|eure?\w*)\b).*\b\w*(?:bracht|holt|geben|funden|kauft|baut|schmiedet|rettet|liefert|rächt|macht|zeigt|schrieben|heilt|näht|sammelt|sorgt)|.*(?:repariert|geflickt|bezahlt|befreit|erledigt))|"
        r"(?:dein\w*|das|der|die) \w+ ist (?:wieder |jetzt |nun )*(?:repariert|fertig|ganz|geflickt|bezahlt|frei)"
    ),
    unpaid=r"nicht|kein\w*|nie|niemals|teils?|teilweise|wenig\w*|halb\w*|hälfte|viertel|drittel|etwas (?:geld|gold|silber)|bisschen|(?:paar|einige) \w*(?:münzen|stücke|taler)|meine?[nms]? (?:geld|gold|silber|\w*münzen?)|falsch\w*|gefälscht\w*|unecht\w*|fast|nur|aber|anzahlung|statt|ohne",
    all_debts=r"alles?|alle[nms]?|ganze\w*|sämtliche\w*|quitt|(?-i:Schulden)|beglichen|erlassen|getilgt|vergessen|nichts|was (?:ich|wir) (?:dir|euch|ihnen) schulden?",
    refuses=(
        r"nein(?! danke)|niemals|nie im leben|vergiss es|unsinn|quatsch|lügner\w*|lüge|du lügst|ihr lügt|gelogen|das (?:stimmt|ist) nicht(?: wahr| so)?|stimmt nicht|falsch|nicht nötig|"
        r"behalt\w*|das (?:brauchst|musst|sollst) du nicht|(?:ich|wir) (?:brauche|will|möchte|glaube|nehme)n? (?:\w+ ){0,3}(?:nichts?|kein\w*)|lass (?:es|das)|(?:ich|wir) schulden? (?:dir|euch) (?:gar )?nichts|"
        r"du schuldest mir (?:gar )?nichts|das (?:kann|geht) (?:ich )?nicht|ich kann (?:\w+ )?nicht|das hast du (?:nie|nicht)|du hast (?:mir |dir )?(?:nie|nichts)|davon weiß ich nichts|seit wann"
    ),
    confirms=r"ja|jawohl|stimmt(?! nicht)|richtig|genau|das stimmt(?! nicht)|das ist (?:wahr|richtig)|du hast recht|ihr habt recht|ich weiß|in der tat|freilich|natürlich|gewiss|sicher|klar|einverstanden|abgemacht",
    days=(
        (r"übermorgen(?: früh| abend| mittag| nachmittag)?", "the day after tomorrow"),
        (r"(?<!jeden )(?<!guten )morgen(?: früh| abend| mittag| nachmittag| nacht)?", "tomorrow"),
        (r"(?:heute nacht|heute abend)", "tonight"),
        (r"heute(?: noch| mittag| nachmittag)?", "today"),
        (r"(?:in|binnen|innerhalb von) {n} tag(?:en?)?", "in {n} days"),
        (r"(?:in|binnen|innerhalb von) {n} wochen?", "in {n} weeks"),
        (r"(?:in|binnen|innerhalb von) {n} stunden?", "in {n} hours"),
        (r"(?:in|binnen|innerhalb von) {n} monat(?:en?)?", "in {n} months"),
        (r"(?:bis )?(?:zur )?(?:nächste|kommende)[rn]? woche", "next week"),
        (r"(?:im |bis )?(?:nächsten|kommenden) monat", "next month"),
        (r"bis (?:zum )?ende der woche|diese woche(?: noch)?", "this week"),
    ),
    weekdays="montag dienstag mittwoch donnerstag freitag samstag sonntag",
    numbers=_NUMBERS,
    amount=r"{n}(?: (?P<unit>(?!von|der|tag\w*|woche\w*|stunde\w*|monat\w*|jahr\w*|uhr|mal)[^\W\d_]+))?",
    before_day=r"bis zum|bis|am|spätestens|gleich|schon|noch",
    splits=r"[,:;–—]\s*(?:und |aber |denn |also |dann )?|\s[-–—]\s|\s(?:und|dann) ",
    fillers=r"gut|also|na gut|nun|ja|nein|doch|ach|oh|hör zu|keine sorge|sei unbesorgt|mein freund|freund|mein herr|herr|danke|bitte|natürlich|klar|sicher|gewiss|und|dann|gern|gerne|einverstanden|abgemacht|aber",
)
# fmt: on
