"""The rules that find memories in a message, in one table. They are for English, and match a clause from its first
word on (clauses.py), so that "Bjorn promised to pay" or "my brother's name is Karl" is no fact of the speaker.

Named groups: `act` what somebody will do, `clause` a whole sentence, `gift`, `debt`, `place`, `name`,
`statement`.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from rag_memory.conversation.extraction_words import (
    ADVERBS,
    AFTER_NAME,
    AM,
    BAD_FOR_YOU,
    DET,
    DIRECTION,
    EMPTY_WORDS,
    FOR_YOU,
    GIFT_END,
    GO,
    HELPS,
    I_OR_WE,
    IN,
    NO_GIFT,
    NO_NAME,
    NO_PERSON,
    NO_PLACE,
    PLACE_NAME,
    SWEAR,
    THING,
    TO_WHOM,
    WHEN,
    WHERE_STRONG,
    WHOLE_NAME,
    WILL,
    WILL_NOT,
)

PLAYER, NPC = "player", "npc"
BOTH = (PLAYER, NPC)


class Rule(NamedTuple):
    """The meaning of a clause. `kind` is a key of extraction.FINDING_KINDS. `by` are the speakers it holds
    for. `mirrored`: it is about the other one ("You owe me 5 gold").
    """

    kind: str
    pattern: re.Pattern[str]
    mirrored: bool = False
    only_if_free: bool = False
    """It does not hold under an "if"."""
    may_be_unreal: bool = False
    by: tuple[str, ...] = BOTH


def _rule(kind: str, pattern: str, case: bool = False, **fields: object) -> Rule:
    return Rule(kind, re.compile(pattern, 0 if case else re.IGNORECASE), **fields)  # type: ignore[arg-type]


# fmt: off
OATH = re.compile(
    rf"(?:{I_OR_WE}(?:promise|swear|vow|guarantee)(?: (?:it|that|this))?(?: (?:to )?you)?(?: (?:on|by|upon) .{{1,60}})?|"
    r"(?:and )?you(?:'ve| have) (?:my|our) (?:word|oath|solemn (?:word|oath)|promise)(?: (?:on|of) .{1,40})?|(?:on|upon) (?:my|our) (?:honou?r|life|oath|word|mother's grave|father's grave)|"
    r"my word on it|i give you my (?:word|oath)(?: of honou?r)?|it's a promise|that's a promise|(?:you can )?(?:count|depend|rely) on (?:me|it|us)|"
    r"(?:i )?(?:cross my heart|pinky swear|pinky promise)|promise|scout's honou?r|by the (?:gods|light|nine|old gods|stars)|that (?:i|we) (?:promise|swear|vow)(?: you)?)$",
    re.IGNORECASE,
)
"""A clause that makes a promise of what the speaker will do in the clause before or after it."""

WILL_DO = re.compile(rf"(?:{WILL}|{AM}going to )(?P<act>.+)", re.IGNORECASE)
WILL_NOT_DO = re.compile(rf"(?:{WILL_NOT}|{AM}not going to )(?P<act>.+)", re.IGNORECASE)

PROMISES = (
    _rule("promise_not_to", rf"{SWEAR}{TO_WHOM} (?:not to|never to|to never) (?P<act>.+)"),
    _rule("promise_to", rf"{SWEAR}{TO_WHOM} to (?P<act>(?!you\b|god\b|the gods\b).+)"),
    _rule("promise_not_to", rf"{SWEAR}{TO_WHOM} (?:that )?{WILL_NOT}(?P<act>.+)"),
    _rule("promise_to", rf"{SWEAR}{TO_WHOM} (?:that )?(?:{WILL}|{AM}going to )(?P<act>.+)"),
    _rule("promise_that", rf"{SWEAR}{TO_WHOM} (?:that )?(?P<clause>(?:no one|nobody|nothing|your?|they|he|she|it|the \w+|everything|everyone)(?: [\w' ]+)? (?:will|won't|shall|'ll|cannot|can't)\b.+|(?:it|they|he|she|you)(?:'ll|'s going to) .+)"),
    _rule("promise_not_to", rf"(?:{WILL_NOT}|{AM}not going to )(?P<act>(?:let|leave|abandon|betray|hurt|tell(?! you\b)|say anything|fail|forget (?:you|this|what|your)|breathe a word|say (?:a word|anything)|touch|harm|steal|lie to|give up on|disappoint|let)\b.*|tell|fail)$", only_if_free=True),
    _rule("promise_to", rf"(?:{WILL}|{AM}going to ){BAD_FOR_YOU}{FOR_YOU}(?P<act>{HELPS}\b.+)", only_if_free=True),
)
OUTCOMES = (
    _rule("promise_kept", rf"(?:i've |i have |we've |we have |i |we ){ADVERBS}(?:kept|fulfilled|honou?red|made good on) (?:my|our) (?:promise|word|oath|vow|end of the (?:deal|bargain))", only_if_free=True),
    _rule("promise_kept", r"(?:just )?as (?:i )?promised\b", only_if_free=True),
    _rule("promise_kept", r"(?:i|we)(?:'ve| have)? (?:done|did) (?:what|as|everything) (?:i|we) (?:promised|swore)", only_if_free=True),
    _rule("promise_kept", r"you(?:'ve| have)? (?:really |actually |indeed |have )?(?:kept|fulfilled|honou?red) your (?:promise|word|oath|vow)", mirrored=True, only_if_free=True),
    _rule("promise_broken", r"(?:i|we)(?:'ve| have)? (?:broke|broken|failed to keep|couldn't keep|could not keep|did not keep|didn't keep) (?:my|our) (?:promise|word|oath|vow)", only_if_free=True, may_be_unreal=True),
    _rule("promise_broken", r"you(?:'ve| have)? (?:broke|broken|failed to keep|did not keep|didn't keep) (?:your|a) (?:promise|word|oath|vow)", mirrored=True, only_if_free=True),
    _rule("promise_broken", r"you promised\b.*\b(?:but|yet|and) you (?:didn't|did not|never|failed|lied)", mirrored=True, only_if_free=True),
)
NAMES = (
    _rule("name", rf"(?i:my (?:own |real |true |full |given |first )?name(?:'s| is)(?: actually| really)?,? ){NO_NAME}{WHOLE_NAME}{AFTER_NAME}", case=True, by=(PLAYER,)),
    _rule("name", rf"(?i:my (?:real |true |full |given |first )?name(?:'s| is) ){NO_NAME}(?P<name>[a-zß-ÿ][\w'-]+)(?=$|,| and (?:i|you)\b| but\b| from\b| by the way)", case=True, by=(PLAYER,)),
    _rule("name", rf"(?i:(?:the )?name(?:'s| is) |(?:they|my parents|my mother|my father) named me |(?:you (?:can|may) |please |just |everyone can )?call me |(?:people|folks|friends|my friends|they|everyone|most people|most|all) (?:just )?calls? me |(?:i'm|i am) (?:called|named|known as) |i go by (?:the name (?:of )?)?|you (?:can|may) know me as |i introduce myself as ){NO_NAME}(?:the )?{WHOLE_NAME}{AFTER_NAME}", case=True, by=(PLAYER,), may_be_unreal=True),
    _rule("name", rf"(?:I'm|I am|i'm|i am) {NO_PERSON}{WHOLE_NAME}{AFTER_NAME}", case=True, by=(PLAYER,)),
)
GIFTS = (
    _rule("gift", rf"here you (?:go|are),? (?P<gift>{DET}{EMPTY_WORDS}.+)", only_if_free=True),
    _rule("gift", r"(?:i|we)(?:'ve| have)? ?(?:brought|got|found|have|made|finished|fetched) (?P<gift>the [\w' -]{2,60}?) (?:that )?you (?:asked for|wanted|needed|need|ordered|requested|lost|were looking for)", only_if_free=True),
    _rule("gift", rf"(?:i )?(?:you (?:can|may) |please |do |and |go on and )?(?:(?:take|accept|have)(?= (?:this|these|my|our)\b)|keep(?= (?:this|these|the change)\b)) (?P<gift>(?:this|these|my|our|the) {NO_GIFT}(?!.* (?:to (?:the|[A-Z]|my|your|his|her|our)|for \d))(?![\w ]*\b(?:back|away|seriously|apart|moved|removed|done|cleaned|fixed|repaired|taken|sent)\b).+?){GIFT_END}$", only_if_free=True),
    _rule("gift", rf"(?:so )?here(?:'s| is| are|'re)(?! (?:the|your|my) .*\b(?:owe|owed|debt)\b) {EMPTY_WORDS}(?P<gift>(?:a |an |some |another |your |the (?=.*\byou (?:asked|wanted|need|ordered)|.*\bas promised)|two |three |four |five |ten |\d[\d,]* |my (?=.*for you)|something ){EMPTY_WORDS}.+?)(?:,? (?:for you|as a (?:gift|present|reward|token.*)|please|i (?:made|found|brought|baked|picked|carved).*|for your .*))?$", only_if_free=True),
    _rule("gift", rf"(?:i|we)(?:'ve| have)? ?(?:also |just |even )?(?:brought|got|bought|made|baked|picked|found|crafted|carved|knitted|cooked|forged|fetched|brewed|saved|painted|printed|picked up|gathered|stolen|sewn) you (?!\w+ing\b){EMPTY_WORDS}(?P<gift>(?:{DET})?{EMPTY_WORDS}(?!(?:here|back|home|in|out|up|to|and|because|down|into|all|now|at|from|there|so|a long way)\b).+?)(?:,? (?:as (?:a gift|a present|promised|thanks)|please))?$", only_if_free=True),
    _rule("gift", rf"(?:i|we)(?:'ve| have)? ?(?:also |just )?(?:brought|got|bought|made|baked|picked|found|crafted|carved|have|knitted|cooked|forged|gathered|saved) {EMPTY_WORDS}(?P<gift>{DET}{EMPTY_WORDS}.+?) (?:(?:here )?(?:just )?(?:for|to give) you|as a (?:gift|present) (?:for|to) you)(?: (?:as a gift|today|from .*|to .*))?$", only_if_free=True),
    _rule("gift", r"(?:i|we)(?:'ve| have)? ?(?:have|brought|got) (?:(?:a|this|another) (?:small |little |special |birthday )?(?:gift|present|token)|(?:a little )?something) for you[,:] (?P<gift>.+)", only_if_free=True),
    _rule("gift", r"(?P<gift>(?:this|these|that) (?!(?:is|are|was|one is|one's)\b)[\w' -]{2,60}?) (?:is|are) (?:all |now |just )*(?:for you|yours|a gift (?:for|to) you|my gift to you|a present for you)(?: .*)?$", only_if_free=True),
    _rule("gift", r"(?:i want|i'd like|i would like|we want|we'd like|we would like) you to have (?P<gift>(?:this|these|my|the|our|a|an) .+)", only_if_free=True, may_be_unreal=True),
    _rule("gift", rf"(?:i|we) (?:hereby |now |freely |gladly )*(?:give|gave|have given|offer|grant|gift) you (?P<gift>{DET}(?!(?:word|thanks|oath|promise|apolog\w+|chance|choice|hand|job|task|order|answer|blessing|condolences|warning|reason|friendship|help|advice|best|last chance|second chance|deal|discount|time|minutes|seconds|hours|days|ride|permission|respect|name|proposal|attention|hint|clue)\b)(?!\w+ (?:chance|word|warning|minutes|seconds|hours|days|chances|deal|discount|price)\b).+)", only_if_free=True),
)
DEEDS = (
    _rule("gift", rf"(?:i )?(?:then )?(?:gives?|hands?|passes|presents?|slips?|tosses|throws|gifts?) (?:you|her|him|them|over(?: to (?:you|her|him|them))?|\w+) (?:with )?(?P<gift>{DET}.+)"),
    _rule("gift", rf"(?:i )?(?:gives?|hands?|passes|presents?|slides?|tosses|slips?) (?P<gift>{DET}[\w' -]{{2,60}}?) (?:over )?(?:to (?:you|her|him|them|\w+)|over|across the (?:table|counter|desk|bar))(?: .*)?$"),
    _rule("gift", rf"(?:i )?(?:puts?|places?|presses|drops?|lays?) (?P<gift>{DET}[\w' -]{{2,60}}?) in(?:to)? (?:your|her|his|their) (?:hands?|palms?)"),
)
DEBTS = (
    _rule("debt_paid", rf"{AM}(?:even|square|quits)\b", only_if_free=True),
    _rule("debt_paid", r"(?:so )?here(?:'s| is| are) .*\b(?:i|we) (?:still )?owed? you", only_if_free=True),
    _rule("debt_paid", r"(?:i|we)(?:'ve| have| just| hereby)* ?(?:paid|repaid|pay|repay|settled|cleared|settle) (?:you (?:back|everything|all|in full|what)|my (?:debt|tab|bill)|our debt|what (?:i|we) owed?|the (?:debt|loan))", only_if_free=True),
    _rule("debt_paid", r"(?:my|our) (?:debt|tab|loan)(?: to you)? (?:is|has been) (?:now )?(?:paid|settled|repaid|cleared)", only_if_free=True),
    _rule("debt_paid", r"(?:consider )?your (?:debt|tab|loan)(?: to me)? (?:is |has been |as )?(?:now )?(?:paid|settled|repaid|cleared|forgiven|forgotten)", mirrored=True, only_if_free=True),
    _rule("debt_paid", r"you(?:'ve| have)? (?:paid|repaid) (?:me back|your debt|me (?:everything|what you owed?|in full)|what you owed?)", mirrored=True, only_if_free=True),
    _rule("debt", rf"{I_OR_WE}owe (?:it )?you (?!(?:nothing|no|an? (?:apology|explanation|answer|thanks)|an|my thanks|the truth|not|any|so much thanks|thanks|to)\b|neither)(?P<debt>.+)", only_if_free=True),
    _rule("debt", rf"{I_OR_WE}owe (?P<debt>(?:\d|a |an |my |some |two |three |five |ten |twenty |fifty )[\w' ]+?) to you(?: .*)?$", only_if_free=True),
    _rule("debt", rf"{AM}(?:forever |deeply |now |so |truly )*(?P<debt>in your debt|indebted to you)", only_if_free=True),
    _rule("debt", r"(?:i|we)(?:'ve| have)? (?:still )?(?:borrowed|borrow) (?P<debt>.+?) from you\b(?! (?:and|but) (?:gave|paid|returned))", only_if_free=True),
    _rule("debt", r"you(?:'ve| have)? (?:lent|loaned) (?:me|us) (?P<debt>.+)", only_if_free=True),
    _rule("debt", r"(?:i|we)(?:'ve| have)? (?:already |only |just |once )?(?:lent|loaned) you (?P<debt>.+)", mirrored=True, only_if_free=True),
    _rule("debt", r"(?:and |but |remember,? )?you (?:still |already |now )?owe (?:it )?(?:me|us) (?!(?:nothing|no|an? (?:apology|explanation|answer)|an|the truth|not|any|thanks)\b)(?P<debt>.+)", mirrored=True, only_if_free=True),
)
PLANS = (
    _rule("plan", rf"(?:i|we) (?:really )?(?:have to|need to|must|'ve got to|gotta) (?P<act>{GO}(?: (?:back|out|up|down|over|off))* {DIRECTION}\b.+)"),
    _rule("plan", rf"{AM}(?P<doing>taking (?:the|a) [\w ]{{2,40}} to .+)"),
    _rule("plan", rf"(?:{I_OR_WE}(?:plan|intend|aim|mean)|{AM}(?:planning|intending|determined|about)|(?:i|we)(?:'ve| have)? (?:decided|resolved)|(?:i|we) (?:hope and plan)|(?:my|our) plan is|the plan is) to (?P<act>(?!be (?:sick|honest|clear)\b|pay attention).+)"),
    _rule("plan", rf"{AM}(?:thinking of|planning on|set on|considering) (?P<doing>[a-z]+ing\b.*)"),
    _rule("plan", rf"{AM}(?P<go>{GO}|off|on my way|bound)(?P<where>(?: (?:back|out|up|down|over|off|north|south|east|west))* {DIRECTION}\b.*)"),
    _rule("plan", rf"{AM}(?P<go>leaving|departing|moving out|setting out|setting off|setting sail)(?P<where>(?: .*)?\b{WHEN}.*)"),
    _rule("plan", rf"(?:i|we) (?P<go>leave|depart|ride|sail|march|head|travel|fly|move|set out|set off|ship out|launch|jump|attack|strike|start|begin|marry|open|meet|fight)(?P<where>(?: .*)?\b{WHEN}.*)"),
    _rule("plan", rf"{AM}(?P<doing>(?:meeting|marrying|visiting|buying|selling|opening|building|joining|hunting|moving|attacking|getting married|starting|closing|throwing|holding|hosting|searching|retiring|quitting|robbing)\b.*\b{WHEN}.*)"),
    _rule("plan", rf"(?:{WILL}|{AM}going to ){BAD_FOR_YOU}(?P<act>(?:go|travel|head|sail|ride|march|leave|visit|explore|search|hunt|join|build|open|start|marry|sell|buy|meet|attack|move|return|fight|find|retire|become|rebuild|learn|train|climb|steal|rob|kill|rescue|look for|set out|be back|come back|try to|ask|speak|talk|investigate|stay|spend|quit|hire|bury|launch|hack|break|burn|raid|scout|gather|collect|clear|sneak|follow|track|take the|plant|study|apply|confront|guard|defend|protect|watch over|start|begin|apply|enter|paint|write|prepare|practi[cs]e|hide|capture|convince|invite|warn|recruit|sign|replace|reach|seek|deliver|repair|fix|destroy|avenge|free|get|make|cross|camp|rest|sleep|work|throw|host|hold|check out|fly|drive|pick up|run)\b(?! (?:of course|it\b$|you\b$|fine|ok))(?:.+\b{WHEN}.*| (?:to|into|for|towards?|back to|out to|home|north|south|east|west|across|through|the|my|our|a|an|out|up|down|with|his|her|their|against|[A-Z])\b.*))"),
)
PLACES = (
    _rule("place", rf"(?P<statement>(?:i|we)(?:'ve| have)? (?:left|hid|hidden|buried|stashed|put|placed|dropped|lost|parked) (?:the|my|our|your|a|an|some|his|her|it|them)\b[\w' -]{{0,40}}? (?:{WHERE_STRONG}|in|at|on) (?:the|a|an|my|your|our|[A-Z]).+)", only_if_free=True),
    _rule("comes_from", r"born and raised (?:in|on|near|at) (?P<place>.+)", only_if_free=True, by=(PLAYER,)),
    _rule("lives", rf"(?:{I_OR_WE}(?:live|dwell|reside)|(?:i|we)(?:'ve| have) (?:always )?lived|{AM}living) {NO_PLACE}(?P<place>{IN}{NO_PLACE}.+)", only_if_free=True, by=(PLAYER,)),
    _rule("lives", rf"(?:my|our) (?:own )?(?:little |old |new |family )?(?:home|house|farm|hut|apartment|flat|cabin|base|quarters|place|cottage|estate|castle|den|village) (?:is|lies|stands) (?P<place>{IN}{NO_PLACE}.+)", only_if_free=True, by=(PLAYER,)),
    _rule("comes_from", rf"(?:{AM}(?:originally |here |all the way |a \w+ )?from|{I_OR_WE}(?:come|hail|came)(?: \w+ly)?(?: all the way| here)?(?: originally)? from|(?:i|we) (?:grew up|was born(?: and raised)?|was raised|were born|were raised)(?: and raised)? (?:in|on|near|at|aboard)) {NO_PLACE}(?P<place>(?!(?:there|here|nowhere|around here|far away|afar|the future|away|you|him|her|inside|behind|above|below)\b).+)", only_if_free=True, by=(PLAYER,)),
    _rule("stays", rf"(?:{AM}(?:staying|lodging|camped|camping|sleeping|docked|stationed|renting a room|holed up|parked|crashing|hiding|based)|(?:i|we) (?:stay|sleep|camp)|(?:i|we)(?:'ve| have) (?:got )?(?:a room|rented a room|taken a room)|(?:i|we) rent (?:a|an|the) [\w ]{{2,30}}?) (?P<place>{IN}{NO_PLACE}.+)", only_if_free=True, by=(PLAYER,)),
    _rule("works", rf"(?:(?:i|we) work|{AM}working)(?: as [\w ]{{2,30}})? (?P<place>(?:at|in|aboard|on board|on) (?:the|a|an|my|[A-Z]).+)", only_if_free=True, by=(PLAYER,)),
    _rule("find", rf"you (?:can|will|'ll) (?:always |usually )?(?:find|reach) (?:me|us) (?P<place>{IN}.+)", only_if_free=True, by=(PLAYER,)),
    _rule("place", rf"(?P<statement>(?:(?:the|my|our|his|her|their|your|an?|that|old|\w[\w'-]*)\b(?: (?!(?:is|are|was|will|said|says|told|and)\b)[\w'-]+){{0,6}} (?:is|are|lies|lie|stands|sits|can be found|is hidden|is buried|are hidden|lies hidden|lies buried|is located|is locked|is stashed|hides|waits|rests) {WHERE_STRONG} (?!(?:control|pressure|attack|arrest|construction|budget|us|me|you|it|them|him|her|repair|the weather|suspicion|oath|way)\b).+))", only_if_free=True),
    _rule("place", rf"(?P<statement>(?:the|my|our|his|her|their|your|that)\b(?: (?!(?:is|are|was|will|and)\b)[\w'-]+){{0,5}}? {THING}(?: of [\w' ]{{2,30}}?)?(?:'s| is| are| lies| lie| stands| sits| can be found| is hidden| is buried| are hidden| are buried| lies hidden| is located| is locked| is stashed) (?:just |right |hidden |buried |still |somewhere |deep |down |up )*(?:in|at|on|down|up|along|through|by) {PLACE_NAME}.+)", only_if_free=True),
    _rule("place", rf"(?P<statement>(?:there's|there is|there are) (?:a|an|some|another|two|three|many|more)\b(?: [\w'-]+){{0,5}}? {THING}\b[\w' ]*? (?:{WHERE_STRONG}|in|at|on) .+)", only_if_free=True),
    _rule("place", rf"you(?:'ll| will| can) find (?P<found>(?:the|my|our|a|an|some|his|her|what)\b[\w' -]{{2,60}}? (?:{WHERE_STRONG}|in|at|on) .+)", only_if_free=True),
)
# fmt: on
RULES = (*PROMISES, *OUTCOMES, *NAMES, *DEBTS, *GIFTS, *PLANS, *PLACES)
"""In the order in which they are tried. The first match decides, except that names are found besides."""
