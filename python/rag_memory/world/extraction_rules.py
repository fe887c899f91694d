"""The rules that find facts in what was said, one table. They are for English; what they match is a clause from
its first word on (clauses.py), so that "Bjorn promised to pay" or "my brother's name is Karl" says nothing of
who speaks.

Named groups: `act` what somebody will do, `clause` a whole sentence, `gift`, `debt`, `place`, `name`,
`statement`.
"""

from __future__ import annotations

import re
from typing import NamedTuple

PLAYER, NPC = "player", "npc"
BOTH = (PLAYER, NPC)


class Rule(NamedTuple):
    """What a clause says. `kind` is a key of extraction.KINDS; `by` who has to say it for that; `mirrored`: said
    by one it is a fact of the other ("You owe me 5 gold").
    """

    kind: str
    pattern: re.Pattern[str]
    mirrored: bool = False
    only_if_free: bool = False
    """Not under an "if": it has to be settled."""
    may_be_unreal: bool = False
    by: tuple[str, ...] = BOTH


_ADVERBS = (
    r"(?:(?:also|still|really|truly|solemnly|hereby|always|surely|definitely|certainly|gladly|personally|happily|"
    r"just|now|first|probably|soon|already|even|do|only|finally|then|both|all|actually|currently|never ever|humbly) )*"
)
_I = rf"(?:i|we) {_ADVERBS}"
_AM = rf"(?:i'm|i am|we're|we are) {_ADVERBS}"
_WILL = rf"(?:(?:i|we)(?:'ll| will| shall) {_ADVERBS})"
_WILL_NOT = rf"(?:(?:i|we) (?:won't|will not|shall not|shan't|will never|shall never)|(?:i|we)'ll (?:never|not)) {_ADVERBS}"
_WHEN = (
    r"(?:tomorrow|tonight|today|this (?:evening|afternoon|morning|weekend|week|spring|summer|autumn|fall|winter)|"
    r"next (?:week|month|year|spring|summer|autumn|fall|winter|time|\w+day)|(?:at|before|by|until) (?:dawn|dusk|sunrise|sunset|"
    r"noon|midnight|nightfall|first light|daybreak|(?:the )?(?:next )?(?:new |full )?moon|morning|evening|\d[\w:]*)|"
    r"(?:on|by|this|next) \w+day\b|in (?:the morning|the spring|the summer|the evening|an hour|a (?:week|month|few \w+|day|moment|year)|"
    r"\w+ (?:days|weeks|hours|months|minutes|cycles|years))|after (?:the|my|our|this) [\w' ]{2,30}|soon|later(?: today)?|"
    r"once [\w' ]{2,40}|when [\w' ]{2,40}|as soon as [\w' ]{2,40}|within [\w ]{2,20})"
)
_DET = (
    r"(?:(?:a|an|some|the|this|these|that|those|my|our|your|two|three|four|five|six|seven|eight|nine|ten|a dozen|twenty|"
    r"thirty|forty|fifty|a hundred|hundred|\d[\d,.]*|another|one|fresh|new|more|all|enough|every|half|both|his|her|their|any) )"
)
_HELPS = (
    r"(?:bring|help|fix|repair|mend|protect|defend|guard|save|rescue|find|get|fetch|deliver|return|pay|repay|give|send|buy|"
    r"make|build|forge|craft|cook|bake|teach|show|tell|take (?:you|care)|keep|watch|look after|look into|speak|talk|free|"
    r"carry|lend|reward|avenge|heal|cure|escort|guide|lead|come back|be there|be back|stand|fight (?:for|beside|by|with)|"
    r"visit|write|call|let you know|clear|escort|hide|cover|get back|back you|have (?:it|your|the)|handle|take it|pick|"
    r"drive|meet|join|work|plant|bury|clean|deal with|wait for|see (?:to|that)|make sure|put in|upload|patch|transfer|share|"
    r"introduce|warn|prepare|check)"
)
_FOR_YOU = r"(?=.*\b(?:you|your|yours|yourself)\b)"
_BAD_FOR_YOU = (
    r"(?!.*\b(?:kill|hurt|destroy|crush|end you|make you (?:pay|suffer|regret)|regret|punish|rob|ruin|arrest|burn you|"
    r"cut you|gut|hunt you|break your|beat you|hang you|show you who|teach you a lesson|tell you what|sue|report you|see you)\b)"
)
_EMPTY_WORDS = (
    r"(?!(?:question|news|message|job|task|quest|mission|favou?r|proposal|proposition|offer|deal|surprise|word|plan|problem|idea|"
    r"warning|request|thing|something to (?:ask|say|tell)|few questions|point|bad news|good news|bit of news|answer|feeling|"
    r"moment|minute|second|plenty|doubt|right|choice|secret|story|theory|suggestion|tip|hint|lead|theory|promise|"
    r"letter from|couple of questions|what|how|why|catch|situation|advice|respect|best|hand|chance|break|rest|word of)\b)"
)
_NO_GIFT = (
    r"(?!(?:with|to|and|in|for|as|done|is|one)\b)(?!(?:\w+ )?(?:path|road|way|seat|chance|opportunity|moment|time|advice|word|words|seriously|apolog(?:y|ies)|condolences|thanks|"
    r"hand|arm|leave|place|one step|job|quest|contract|deal|offer|lightly|the wrong way|personally|outside|turn|medicine twice|"
    r"street|corridor|lift|elevator|stairs|blame|lead|bait|warning|regards|call|respect)\b)"
)
_GIFT_END = r"(?:,? (?:as a (?:gift|present|token.*|reward|thank.*)|for you|to keep|please|with my thanks|for your .*|it'?s .*|it (?:will|may|might|should|can) .*|they .*|you(?:'ll| will| can| earned| deserve| need) .*|i (?:made|found|brought|baked|bought|have|no longer|don't|picked|carved) .*|and .*|from .*|i want .*))*"
_WHERE_STRONG = (
    r"(?:(?:just |right |hidden |buried |located |somewhere |deep |far |directly |about [\w ]{1,20} |\w+ (?:miles?|leagues?|steps|meters|metres|blocks|clicks|paces|days?|hours?) )*"
    r"(?:to the )?(?:north|south|east|west|northeast|northwest|southeast|southwest|left|right) of|"
    r"(?:just |right |hidden |buried |located |somewhere |deep |directly |down )*(?:behind|beneath|under|underneath|below|"
    r"beyond|next to|across from|across|between|inside|outside|near|beside|opposite|above|past|around the corner from|by the|"
    r"on the (?:other|north|south|east|west|left|right|far) (?:side|bank|shore|end|edge)|on top of|at the (?:end|foot|edge|bottom|top|back|corner|mouth) of|"
    r"at the far end of|on deck|on level|on the \w+ (?:floor|deck|level)))"
)
_THING = (
    r"(?:inn|tavern|pub|smithy|forge|shop|store|market|temple|shrine|church|castle|keep|cave|mine|camp|ruins?|village|town|city|tower|"
    r"bridge|treasure|key|keys|map|portal|gate|base|station|lab|laboratory|hangar|hospital|library|school|office|entrance|exit|"
    r"well|mill|bakery|stables?|barracks|docks?|harbou?r|warehouse|vault|tomb|crypt|graveyard|dungeon|hideout|lair|nest|den|"
    r"chest|safe|body|spring|grove|tunnel|passage|door|switch|reactor|server|airlock|pharmacy|bank|bar|cafe|garage|mansion|farm|"
    r"apothecary|guild|guildhall|outpost|wreck|ship|shuttle|crate|stash|cache|sword|amulet|relic|crystal|generator|control room|"
    r"armou?ry|clinic|medbay|med bay|police station|train station|subway|bus stop|archive|archives|lighthouse|fort|fortress|sanctuary|oasis|"
    r"bandits?|goblins?|wolves|spare parts|supplies|medicine|beacon|terminal|bunker|shelter)"
)
_PLACE_NAME = r"(?:the |a |an |my |our |your |[A-Z0-9]|north|south|east|west|town|bed|sector|room|level|block|downtown|upstairs)"
_NAME = r"(?:(?:Dr|Mr|Mrs|Ms|St|Prof|Capt|Lt|Sgt)\. )?[^\W\d_a-zß-öø-ÿ][\w'-]*"
_WHOLE_NAME = rf"(?P<name>{_NAME}(?: (?:{_NAME}|of|the|von|van|de|der|den|del|della|da|di|bin|ibn|al|el|la|le|af|du)(?= |$|,))*)"
_AFTER_NAME = r"(?=$|,| and\b| but\b| from\b| by the way| of\b| -|\.|!|, )"
_NO_NAME = (
    r"(?!(?:not?|none|nothing|nobody|no one|unimportant|irrelevant|a|an|the|your|his|her|my|mine|well|known|what|who|on|in|for|"
    r"whatever|secret|classified|of|also|still|never|neither|unknown|too|to|always|important|forgotten|cursed|legend|mud|everywhere|hard|"
    r"difficult|easy|long|short|funny|weird|strange|common|rare|old|good|bad|clear|spelled|written|pronounced|"
    r"already|later|when|if|crazy|back|anything|anytime|tomorrow|tonight|sometime|that|it|us|them|you|me|our|their|just|only|really|"
    r"something|someone|somebody|up|out|off|down|over|again|now|then|as|at|with|there|here|hers|yours|tired|sure|sorry)\b)"
)
_NO_PERSON = (
    r"(?!(?:I|English|French|German|Italian|American|British|Irish|Scottish|Welsh|Dutch|Greek|Swiss|Catholic|Christian|Jewish|Muslim|"
    r"Captain|King|Queen|Lord|Lady|Sir|God|Death|Commander|Doctor|Officer|Human|Elf|Elven|Elvish|Dwarf|Dwarven|Orc|Nord|Imperial|Not|No|"
    r"OK|So|Your|The|A|An|In|On|At|From|Done|Ready|Sorry|Fine|Here|Back|Sure|Glad|Just|Very|Too|All|Looking|Going|Trying|"
    r"Hungry|Tired|Happy|Lost|Busy|Alone|Late|Martian|Earthborn|AI|NPC|VIP|Elder|Chief|Master|Father|Mother|Brother|Sister)\b)"
    r"(?!\w+(?:ish|ese|ian|ing|'s|s')\b)"
)


def _rule(kind: str, pattern: str, case: bool = False, **facts: object) -> Rule:
    return Rule(kind, re.compile(pattern, 0 if case else re.IGNORECASE), **facts)  # type: ignore[arg-type]


OATH = re.compile(
    rf"(?:{_I}(?:promise|swear|vow|guarantee)(?: (?:it|that|this))?(?: (?:to )?you)?(?: (?:on|by|upon) .{{1,60}})?|"
    r"(?:and )?you(?:'ve| have) (?:my|our) (?:word|oath|solemn (?:word|oath)|promise)(?: (?:on|of) .{1,40})?|(?:on|upon) (?:my|our) (?:honou?r|life|oath|word|mother's grave|father's grave)|"
    r"my word on it|i give you my (?:word|oath)(?: of honou?r)?|it's a promise|that's a promise|(?:you can )?(?:count|depend|rely) on (?:me|it|us)|"
    r"(?:i )?(?:cross my heart|pinky swear|pinky promise)|promise|scout's honou?r|by the (?:gods|light|nine|old gods|stars)|that (?:i|we) (?:promise|swear|vow)(?: you)?)$",
    re.IGNORECASE,
)
"""A clause that makes a promise of what the speaker will do in the clause before or after it."""

WILL = re.compile(rf"(?:{_WILL}|{_AM}going to )(?P<act>.+)", re.IGNORECASE)
WILL_NOT = re.compile(rf"(?:{_WILL_NOT}|{_AM}not going to )(?P<act>.+)", re.IGNORECASE)

_SWEAR = rf"(?:{_I}(?:promise|swear|vow|pledge|guarantee)|(?:i|we) give you (?:my|our) (?:word|oath)|you(?:'ve| have) (?:my|our) (?:word|oath|promise)|(?:i|we) make you (?:this|a) promise|on my (?:honou?r|life|word|oath)|{_AM}promising)"
_TO_WHOM = r"(?:,? (?:to )?(?:you|thee)(?: (?:all|both))?)?(?:,? (?:on|by|upon|before) (?:my|the|all|our|every)[\w' ]{1,40}?)?(?:,|:)?"

PROMISES = (
    _rule("promise_not_to", rf"{_SWEAR}{_TO_WHOM} (?:not to|never to|to never) (?P<act>.+)"),
    _rule("promise_to", rf"{_SWEAR}{_TO_WHOM} to (?P<act>(?!you\b|god\b|the gods\b).+)"),
    _rule("promise_not_to", rf"{_SWEAR}{_TO_WHOM} (?:that )?{_WILL_NOT}(?P<act>.+)"),
    _rule("promise_to", rf"{_SWEAR}{_TO_WHOM} (?:that )?(?:{_WILL}|{_AM}going to )(?P<act>.+)"),
    _rule(
        "promise_that",
        rf"{_SWEAR}{_TO_WHOM} (?:that )?(?P<clause>(?:no one|nobody|nothing|your?|they|he|she|it|the \w+|everything|everyone)(?: [\w' ]+)? (?:will|won't|shall|'ll|cannot|can't)\b.+|(?:it|they|he|she|you)(?:'ll|'s going to) .+)",
    ),
    _rule(
        "promise_not_to",
        rf"(?:{_WILL_NOT}|{_AM}not going to )(?P<act>(?:let|leave|abandon|betray|hurt|tell(?! you\b)|say anything|fail|forget (?:you|this|what|your)|breathe a word|say (?:a word|anything)|touch|harm|steal|lie to|give up on|disappoint|let)\b.*|tell|fail)$",
        only_if_free=True,
    ),
    _rule(
        "promise_to",
        rf"(?:{_WILL}|{_AM}going to ){_BAD_FOR_YOU}{_FOR_YOU}(?P<act>{_HELPS}\b.+)",
        only_if_free=True,
    ),
)
KEPT = (
    _rule(
        "promise_kept",
        rf"(?:i've |i have |we've |we have |i |we ){_ADVERBS}(?:kept|fulfilled|honou?red|made good on) (?:my|our) (?:promise|word|oath|vow|end of the (?:deal|bargain))",
        only_if_free=True,
    ),
    _rule("promise_kept", r"(?:just )?as (?:i )?promised\b", only_if_free=True),
    _rule(
        "promise_kept",
        r"(?:i|we)(?:'ve| have)? (?:done|did) (?:what|as|everything) (?:i|we) (?:promised|swore)",
        only_if_free=True,
    ),
    _rule(
        "promise_kept",
        r"you(?:'ve| have)? (?:really |actually |indeed |have )?(?:kept|fulfilled|honou?red) your (?:promise|word|oath|vow)",
        mirrored=True,
        only_if_free=True,
    ),
    _rule(
        "promise_broken",
        r"(?:i|we)(?:'ve| have)? (?:broke|broken|failed to keep|couldn't keep|could not keep|did not keep|didn't keep) (?:my|our) (?:promise|word|oath|vow)",
        only_if_free=True,
        may_be_unreal=True,
    ),
    _rule(
        "promise_broken",
        r"you(?:'ve| have)? (?:broke|broken|failed to keep|did not keep|didn't keep) (?:your|a) (?:promise|word|oath|vow)",
        mirrored=True,
        only_if_free=True,
    ),
    _rule(
        "promise_broken",
        r"you promised\b.*\b(?:but|yet|and) you (?:didn't|did not|never|failed|lied)",
        mirrored=True,
        only_if_free=True,
    ),
)
NAMES = (
    _rule(
        "name",
        rf"(?i:my (?:own |real |true |full |given |first )?name(?:'s| is)(?: actually| really)?,? ){_NO_NAME}{_WHOLE_NAME}{_AFTER_NAME}",
        case=True,
        by=(PLAYER,),
    ),
    _rule(
        "name",
        rf"(?i:my (?:real |true |full |given |first )?name(?:'s| is) ){_NO_NAME}(?P<name>[a-zß-ÿ][\w'-]+)(?=$|,| and (?:i|you)\b| but\b| from\b| by the way)",
        case=True,
        by=(PLAYER,),
    ),
    _rule(
        "name",
        rf"(?i:(?:the )?name(?:'s| is) |(?:they|my parents|my mother|my father) named me |(?:you (?:can|may) |please |just |everyone can )?call me |(?:people|folks|friends|my friends|they|everyone|most people|most|all) (?:just )?calls? me |(?:i'm|i am) (?:called|named|known as) |i go by (?:the name (?:of )?)?|you (?:can|may) know me as |i introduce myself as ){_NO_NAME}(?:the )?{_WHOLE_NAME}{_AFTER_NAME}",
        case=True,
        by=(PLAYER,),
        may_be_unreal=True,
    ),
    _rule("name", rf"(?:I'm|I am|i'm|i am) {_NO_PERSON}{_WHOLE_NAME}{_AFTER_NAME}", case=True, by=(PLAYER,)),
)
GIFTS = (
    _rule("gift", rf"here you (?:go|are),? (?P<gift>{_DET}{_EMPTY_WORDS}.+)", only_if_free=True),
    _rule(
        "gift",
        r"(?:i|we)(?:'ve| have)? ?(?:brought|got|found|have|made|finished|fetched) (?P<gift>the [\w' -]{2,60}?) (?:that )?you (?:asked for|wanted|needed|need|ordered|requested|lost|were looking for)",
        only_if_free=True,
    ),
    _rule(
        "gift",
        rf"(?:i )?(?:you (?:can|may) |please |do |and |go on and )?(?:(?:take|accept|have)(?= (?:this|these|my|our)\b)|keep(?= (?:this|these|the change)\b)) (?P<gift>(?:this|these|my|our|the) {_NO_GIFT}(?!.* (?:to (?:the|[A-Z]|my|your|his|her|our)|for \d))(?![\w ]*\b(?:back|away|seriously|apart|moved|removed|done|cleaned|fixed|repaired|taken|sent)\b).+?){_GIFT_END}$",
        only_if_free=True,
    ),
    _rule(
        "gift",
        rf"(?:so )?here(?:'s| is| are|'re)(?! (?:the|your|my) .*\b(?:owe|owed|debt)\b) {_EMPTY_WORDS}(?P<gift>(?:a |an |some |another |your |the (?=.*\byou (?:asked|wanted|need|ordered)|.*\bas promised)|two |three |four |five |ten |\d[\d,]* |my (?=.*for you)|something ){_EMPTY_WORDS}.+?)(?:,? (?:for you|as a (?:gift|present|reward|token.*)|please|i (?:made|found|brought|baked|picked|carved).*|for your .*))?$",
        only_if_free=True,
    ),
    _rule(
        "gift",
        rf"(?:i|we)(?:'ve| have)? ?(?:also |just |even )?(?:brought|got|bought|made|baked|picked|found|crafted|carved|knitted|cooked|forged|fetched|brewed|saved|painted|printed|picked up|gathered|stolen|sewn) you (?!\w+ing\b){_EMPTY_WORDS}(?P<gift>(?:{_DET})?{_EMPTY_WORDS}(?!(?:here|back|home|in|out|up|to|and|because|down|into|all|now|at|from|there|so|a long way)\b).+?)(?:,? (?:as (?:a gift|a present|promised|thanks)|please))?$",
        only_if_free=True,
    ),
    _rule(
        "gift",
        rf"(?:i|we)(?:'ve| have)? ?(?:also |just )?(?:brought|got|bought|made|baked|picked|found|crafted|carved|have|knitted|cooked|forged|gathered|saved) {_EMPTY_WORDS}(?P<gift>{_DET}{_EMPTY_WORDS}.+?) (?:(?:here )?(?:just )?(?:for|to give) you|as a (?:gift|present) (?:for|to) you)(?: (?:as a gift|today|from .*|to .*))?$",
        only_if_free=True,
    ),
    _rule(
        "gift",
        r"(?:i|we)(?:'ve| have)? ?(?:have|brought|got) (?:(?:a|this|another) (?:small |little |special |birthday )?(?:gift|present|token)|(?:a little )?something) for you[,:] (?P<gift>.+)",
        only_if_free=True,
    ),
    _rule(
        "gift",
        r"(?P<gift>(?:this|these|that) (?!(?:is|are|was|one is|one's)\b)[\w' -]{2,60}?) (?:is|are) (?:all |now |just )*(?:for you|yours|a gift (?:for|to) you|my gift to you|a present for you)(?: .*)?$",
        only_if_free=True,
    ),
    _rule(
        "gift",
        r"(?:i want|i'd like|i would like|we want|we'd like|we would like) you to have (?P<gift>(?:this|these|my|the|our|a|an) .+)",
        only_if_free=True,
        may_be_unreal=True,
    ),
    _rule(
        "gift",
        rf"(?:i|we) (?:hereby |now |freely |gladly )*(?:give|gave|have given|offer|grant|gift) you (?P<gift>{_DET}(?!(?:word|thanks|oath|promise|apolog\w+|chance|choice|hand|job|task|order|answer|blessing|condolences|warning|reason|friendship|help|advice|best|last chance|second chance|deal|discount|time|minutes|seconds|hours|days|ride|permission|respect|name|proposal|attention|hint|clue)\b)(?!\w+ (?:chance|word|warning|minutes|seconds|hours|days|chances|deal|discount|price)\b).+)",
        only_if_free=True,
    ),
)
DEEDS = (
    _rule(
        "gift",
        rf"(?:i )?(?:then )?(?:gives?|hands?|passes|presents?|slips?|tosses|throws|gifts?) (?:you|her|him|them|over(?: to (?:you|her|him|them))?|\w+) (?:with )?(?P<gift>{_DET}.+)",
    ),
    _rule(
        "gift",
        rf"(?:i )?(?:gives?|hands?|passes|presents?|slides?|tosses|slips?) (?P<gift>{_DET}[\w' -]{{2,60}}?) (?:over )?(?:to (?:you|her|him|them|\w+)|over|across the (?:table|counter|desk|bar))(?: .*)?$",
    ),
    _rule(
        "gift",
        rf"(?:i )?(?:puts?|places?|presses|drops?|lays?) (?P<gift>{_DET}[\w' -]{{2,60}}?) in(?:to)? (?:your|her|his|their) (?:hands?|palms?)",
    ),
)
DEBTS = (
    _rule("debt_paid", rf"{_AM}(?:even|square|quits)\b", only_if_free=True),
    _rule("debt_paid", r"(?:so )?here(?:'s| is| are) .*\b(?:i|we) (?:still )?owed? you", only_if_free=True),
    _rule(
        "debt_paid",
        r"(?:i|we)(?:'ve| have| just| hereby)* ?(?:paid|repaid|pay|repay|settled|cleared|settle) (?:you (?:back|everything|all|in full|what)|my (?:debt|tab|bill)|our debt|what (?:i|we) owed?|the (?:debt|loan))",
        only_if_free=True,
    ),
    _rule(
        "debt_paid",
        r"(?:my|our) (?:debt|tab|loan)(?: to you)? (?:is|has been) (?:now )?(?:paid|settled|repaid|cleared)",
        only_if_free=True,
    ),
    _rule(
        "debt_paid",
        r"(?:consider )?your (?:debt|tab|loan)(?: to me)? (?:is |has been |as )?(?:now )?(?:paid|settled|repaid|cleared|forgiven|forgotten)",
        mirrored=True,
        only_if_free=True,
    ),
    _rule(
        "debt_paid",
        r"you(?:'ve| have)? (?:paid|repaid) (?:me back|your debt|me (?:everything|what you owed?|in full)|what you owed?)",
        mirrored=True,
        only_if_free=True,
    ),
    _rule(
        "debt",
        rf"{_I}owe (?:it )?you (?!(?:nothing|no|an? (?:apology|explanation|answer|thanks)|an|my thanks|the truth|not|any|so much thanks|thanks|to)\b|neither)(?P<debt>.+)",
        only_if_free=True,
    ),
    _rule(
        "debt",
        rf"{_I}owe (?P<debt>(?:\d|a |an |my |some |two |three |five |ten |twenty |fifty )[\w' ]+?) to you(?: .*)?$",
        only_if_free=True,
    ),
    _rule(
        "debt",
        rf"{_AM}(?:forever |deeply |now |so |truly )*(?P<debt>in your debt|indebted to you)",
        only_if_free=True,
    ),
    _rule(
        "debt",
        r"(?:i|we)(?:'ve| have)? (?:still )?(?:borrowed|borrow) (?P<debt>.+?) from you\b(?! (?:and|but) (?:gave|paid|returned))",
        only_if_free=True,
    ),
    _rule("debt", r"you(?:'ve| have)? (?:lent|loaned) (?:me|us) (?P<debt>.+)", only_if_free=True),
    _rule(
        "debt",
        r"(?:i|we)(?:'ve| have)? (?:already |only |just |once )?(?:lent|loaned) you (?P<debt>.+)",
        mirrored=True,
        only_if_free=True,
    ),
    _rule(
        "debt",
        r"(?:and |but |remember,? )?you (?:still |already |now )?owe (?:it )?(?:me|us) (?!(?:nothing|no|an? (?:apology|explanation|answer)|an|the truth|not|any|thanks)\b)(?P<debt>.+)",
        mirrored=True,
        only_if_free=True,
    ),
)
_GO = r"(?:head(?:ing|ed)?|go(?:ing)?|travel(?:l?ing)?|sail(?:ing)?|rid(?:e|ing)|march(?:ing)?|leav(?:e|ing)|mov(?:e|ing)|mak(?:e|ing) my way|set(?:ting)? (?:out|off|sail)|fly(?:ing)?|driv(?:e|ing)|walk(?:ing)?|depart(?:ing)?|return(?:ing)?|journey(?:ing)?|climb(?:ing)?|hik(?:e|ing)|jump(?:ing)?)"
_DIRECTION = r"(?:to|on(?= [A-Z])|against|for|into|towards?|back to|up to|down to|over to|north|south|east|west|home|northward|across|through|off-?world|abroad|upriver|downtown)"
PLANS = (
    _rule(
        "plan",
        rf"(?:i|we) (?:really )?(?:have to|need to|must|'ve got to|gotta) (?P<act>{_GO}(?: (?:back|out|up|down|over|off))* {_DIRECTION}\b.+)",
    ),
    _rule("plan", rf"{_AM}(?P<doing>taking (?:the|a) [\w ]{{2,40}} to .+)"),
    _rule(
        "plan",
        rf"(?:{_I}(?:plan|intend|aim|mean)|{_AM}(?:planning|intending|determined|about)|(?:i|we)(?:'ve| have)? (?:decided|resolved)|(?:i|we) (?:hope and plan)|(?:my|our) plan is|the plan is) to (?P<act>(?!be (?:sick|honest|clear)\b|pay attention).+)",
    ),
    _rule("plan", rf"{_AM}(?:thinking of|planning on|set on|considering) (?P<doing>[a-z]+ing\b.*)"),
    _rule(
        "plan",
        rf"{_AM}(?P<go>{_GO}|off|on my way|bound)(?P<where>(?: (?:back|out|up|down|over|off|north|south|east|west))* {_DIRECTION}\b.*)",
    ),
    _rule(
        "plan",
        rf"{_AM}(?P<go>leaving|departing|moving out|setting out|setting off|setting sail)(?P<where>(?: .*)?\b{_WHEN}.*)",
    ),
    _rule(
        "plan",
        rf"(?:i|we) (?P<go>leave|depart|ride|sail|march|head|travel|fly|move|set out|set off|ship out|launch|jump|attack|strike|start|begin|marry|open|meet|fight)(?P<where>(?: .*)?\b{_WHEN}.*)",
    ),
    _rule(
        "plan",
        rf"{_AM}(?P<doing>(?:meeting|marrying|visiting|buying|selling|opening|building|joining|hunting|moving|attacking|getting married|starting|closing|throwing|holding|hosting|searching|retiring|quitting|robbing)\b.*\b{_WHEN}.*)",
    ),
    _rule(
        "plan",
        rf"(?:{_WILL}|{_AM}going to ){_BAD_FOR_YOU}(?P<act>(?:go|travel|head|sail|ride|march|leave|visit|explore|search|hunt|join|build|open|start|marry|sell|buy|meet|attack|move|return|fight|find|retire|become|rebuild|learn|train|climb|steal|rob|kill|rescue|look for|set out|be back|come back|try to|ask|speak|talk|investigate|stay|spend|quit|hire|bury|launch|hack|break|burn|raid|scout|gather|collect|clear|sneak|follow|track|take the|plant|study|apply|confront|guard|defend|protect|watch over|start|begin|apply|enter|paint|write|prepare|practi[cs]e|hide|capture|convince|invite|warn|recruit|sign|replace|reach|seek|deliver|repair|fix|destroy|avenge|free|get|make|cross|camp|rest|sleep|work|throw|host|hold|check out|fly|drive|pick up|run)\b(?! (?:of course|it\b$|you\b$|fine|ok))(?:.+\b{_WHEN}.*| (?:to|into|for|towards?|back to|out to|home|north|south|east|west|across|through|the|my|our|a|an|out|up|down|with|his|her|their|against|[A-Z])\b.*))",
    ),
)
_NO_PLACE = r"(?!(?:the same|a long line|a family|money|nothing|fear|hope|peace|danger|trouble|love|pain|debt|shame|my (?:mother|father|work)|hard times|the moment|memory|my own|order|time|charge|general|need|luck|doubt|awe|constant|exile and)\b)"
_IN = r"(?:(?:just |right |somewhere |still |alone |down |up |out |over |here |back )*(?:in|at|on|near|by|above|outside|next to|behind|under|beside|across|aboard|below|beneath|beyond|inside|between|upstairs|with|not far from|north of|south of|east of|west of)) "
PLACES = (
    _rule(
        "place",
        rf"(?P<statement>(?:i|we)(?:'ve| have)? (?:left|hid|hidden|buried|stashed|put|placed|dropped|lost|parked) (?:the|my|our|your|a|an|some|his|her|it|them)\b[\w' -]{{0,40}}? (?:{_WHERE_STRONG}|in|at|on) (?:the|a|an|my|your|our|[A-Z]).+)",
        only_if_free=True,
    ),
    _rule("comes_from", r"born and raised (?:in|on|near|at) (?P<place>.+)", only_if_free=True, by=(PLAYER,)),
    _rule(
        "lives",
        rf"(?:{_I}(?:live|dwell|reside)|(?:i|we)(?:'ve| have) (?:always )?lived|{_AM}living) {_NO_PLACE}(?P<place>{_IN}{_NO_PLACE}.+)",
        only_if_free=True,
        by=(PLAYER,),
    ),
    _rule(
        "lives",
        rf"(?:my|our) (?:own )?(?:little |old |new |family )?(?:home|house|farm|hut|apartment|flat|cabin|base|quarters|place|cottage|estate|castle|den|village) (?:is|lies|stands) (?P<place>{_IN}{_NO_PLACE}.+)",
        only_if_free=True,
        by=(PLAYER,),
    ),
    _rule(
        "comes_from",
        rf"(?:{_AM}(?:originally |here |all the way |a \w+ )?from|{_I}(?:come|hail|came)(?: \w+ly)?(?: all the way| here)?(?: originally)? from|(?:i|we) (?:grew up|was born(?: and raised)?|was raised|were born|were raised)(?: and raised)? (?:in|on|near|at|aboard)) {_NO_PLACE}(?P<place>(?!(?:there|here|nowhere|around here|far away|afar|the future|away|you|him|her|inside|behind|above|below)\b).+)",
        only_if_free=True,
        by=(PLAYER,),
    ),
    _rule(
        "stays",
        rf"(?:{_AM}(?:staying|lodging|camped|camping|sleeping|docked|stationed|renting a room|holed up|parked|crashing|hiding|based)|(?:i|we) (?:stay|sleep|camp)|(?:i|we)(?:'ve| have) (?:got )?(?:a room|rented a room|taken a room)|(?:i|we) rent (?:a|an|the) [\w ]{{2,30}}?) (?P<place>{_IN}{_NO_PLACE}.+)",
        only_if_free=True,
        by=(PLAYER,),
    ),
    _rule(
        "works",
        rf"(?:(?:i|we) work|{_AM}working)(?: as [\w ]{{2,30}})? (?P<place>(?:at|in|aboard|on board|on) (?:the|a|an|my|[A-Z]).+)",
        only_if_free=True,
        by=(PLAYER,),
    ),
    _rule(
        "find",
        rf"you (?:can|will|'ll) (?:always |usually )?(?:find|reach) (?:me|us) (?P<place>{_IN}.+)",
        only_if_free=True,
        by=(PLAYER,),
    ),
    _rule(
        "place",
        rf"(?P<statement>(?:(?:the|my|our|his|her|their|your|an?|that|old|\w[\w'-]*)\b(?: (?!(?:is|are|was|will|said|says|told|and)\b)[\w'-]+){{0,6}} (?:is|are|lies|lie|stands|sits|can be found|is hidden|is buried|are hidden|lies hidden|lies buried|is located|is locked|is stashed|hides|waits|rests) {_WHERE_STRONG} (?!(?:control|pressure|attack|arrest|construction|budget|us|me|you|it|them|him|her|repair|the weather|suspicion|oath|way)\b).+))",
        only_if_free=True,
    ),
    _rule(
        "place",
        rf"(?P<statement>(?:the|my|our|his|her|their|your|that)\b(?: (?!(?:is|are|was|will|and)\b)[\w'-]+){{0,5}}? {_THING}(?: of [\w' ]{{2,30}}?)?(?:'s| is| are| lies| lie| stands| sits| can be found| is hidden| is buried| are hidden| are buried| lies hidden| is located| is locked| is stashed) (?:just |right |hidden |buried |still |somewhere |deep |down |up )*(?:in|at|on|down|up|along|through|by) {_PLACE_NAME}.+)",
        only_if_free=True,
    ),
    _rule(
        "place",
        rf"(?P<statement>(?:there's|there is|there are) (?:a|an|some|another|two|three|many|more)\b(?: [\w'-]+){{0,5}}? {_THING}\b[\w' ]*? (?:{_WHERE_STRONG}|in|at|on) .+)",
        only_if_free=True,
    ),
    _rule(
        "place",
        rf"you(?:'ll| will| can) find (?P<found>(?:the|my|our|a|an|some|his|her|what)\b[\w' -]{{2,60}}? (?:{_WHERE_STRONG}|in|at|on) .+)",
        only_if_free=True,
    ),
)
RULES = (*PROMISES, *KEPT, *NAMES, *DEBTS, *GIFTS, *PLANS, *PLACES)
"""Tried in this order: the first that fits a clause says what it is, but for names, which are found besides."""
