"""The rules that read facts out of a clause. They are for English, and match a clause from its first word on
(spoken_clauses.py), so that "Bjorn promised to pay" or "my brother's name is Karl" is no fact of the speaker.

Named groups: `about` the words of the matter, `name` a name.
"""

from __future__ import annotations

import re
from typing import NamedTuple, TypedDict, Unpack

from rag_memory.conversation import matter_words
from rag_memory.conversation.extraction_words import (
    ADVERBS,
    AFTER_NAME,
    AM,
    BAD_FOR_YOU,
    DET,
    DIRECTION,
    EMPTY_WORDS,
    FOR_YOU,
    GO,
    HELPS,
    HERE,
    I_OR_WE,
    IDIOMS,
    IN,
    MADE,
    NO_GIFT,
    NO_NAME,
    NO_PERSON,
    NO_PLACE,
    NOT_OWED,
    NUMBER,
    PLACE_NAME,
    SWEAR,
    THING,
    TO_WHOM,
    WHEN,
    WHERE_STRONG,
    WHOLE_NAME,
    WILL,
    WILL_DO_ALONE,
    WILL_NOT,
)
from rag_memory.conversation.spoken_clauses import vocative
from rag_memory.lazy_pattern import lazy_pattern

PLAYER, NPC = "player", "npc"
BOTH = (PLAYER, NPC)


class Rule(NamedTuple):
    """The meaning of a clause. `kind` is a key of extraction.FACT_KINDS. `by` are the speakers it holds for.
    `mirrored`: the other one is bound, gives or pays ("You owe me 5 gold").
    """

    name: str
    kind: str
    pattern: re.Pattern[str]
    mirrored: bool = False
    is_act: bool = False
    """Saying it does it, as with "I promise": who answers can refuse it, but not deny it."""
    may_depend: bool = False
    """It also holds under an "if"."""
    may_be_unreal: bool = False
    needs_debt: bool = False
    """It holds only while a debt is open that the words may pay."""
    needs_open: str = ""
    """It holds only while a matter of this kind is open, which it ends."""
    by: tuple[str, ...] = BOTH


class RuleOptions(TypedDict, total=False):
    """The fields of a Rule that have a default."""

    mirrored: bool
    is_act: bool
    may_depend: bool
    may_be_unreal: bool
    needs_debt: bool
    needs_open: str
    by: tuple[str, ...]


def _rule(name: str, kind: str, *patterns: str, case: bool = False, **options: Unpack[RuleOptions]) -> Rule:
    pattern = lazy_pattern(f"(?:{'|'.join(patterns)})", 0 if case else re.IGNORECASE)
    return Rule(name, kind, pattern, **options)


# fmt: off
OATH = lazy_pattern(
    rf"(?:{I_OR_WE}(?:promise|swear|vow|guarantee)(?: (?:it|that|this))?(?: (?:to )?you)?(?: (?:on|by|upon) .{{1,60}})?|"
    r"(?:and )?you(?:'ve| have) (?:my|our) (?:word|oath|solemn (?:word|oath)|promise)(?: (?:on|of|as) .{1,40})?|(?:on|upon) (?:my|our) (?:honou?r|life|oath|word|mother's grave|father's grave)|"
    r"my word on it|i give you my (?:word|oath)(?: of honou?r)?|it's a promise|that's a promise|(?:you can )?(?:count|depend|rely) on (?:me|it|us)|"
    r"(?:i )?(?:cross my heart|pinky swear|pinky promise)|promise|scout's honou?r|by the (?:gods|light|nine|old gods|stars)|that (?:i|we) (?:promise|swear|vow)(?: you)?)$",
    re.IGNORECASE,
)
"""A clause that makes a promise of what the speaker will do in the clause before or after it."""

OATH_BESIDE = _rule("oath_beside", "promise", rf"(?:{WILL}|{WILL_NOT}|{AM}(?:not )?going to ){IDIOMS}(?P<about>.+)", is_act=True, may_depend=True)
"""Holds only beside an oath."""

INSULT = vocative(matter_words.INSULT)
"""Who is called so is promised nothing."""
THREAT = _rule("threat", "threat", *matter_words.THREAT, is_act=True, may_depend=True)
NOT_MET = _rule("not_met", "not_met", *matter_words.NOT_MET, is_act=True, may_be_unreal=True, needs_open="appointment")

RULES = (
    THREAT,
    _rule("withdrawn", "withdrawn", *matter_words.WITHDRAWN, is_act=True),
    _rule("released", "withdrawn", *matter_words.RELEASED, mirrored=True, is_act=True),
    _rule("threat_withdrawn", "threat_withdrawn", *matter_words.THREAT_WITHDRAWN, needs_open="threat"),
    NOT_MET,
    _rule("met", "met", *matter_words.MET, needs_open="appointment"),
    _rule("appointment", "appointment", *matter_words.APPOINTMENT, is_act=True),
    _rule("oath", "promise",
        rf"{SWEAR}{TO_WHOM} (?:that )?(?:to |not to |never to |{WILL_NOT}|{WILL}|{AM}going to )(?P<about>(?!you\b|god\b|the gods\b|be (?:honest|fair|frank)\b).+)"
        rf"|(?:you can )?(?:count|rely|depend) on (?:me|us)(?::| for| to) (?P<count>.+)|{SWEAR}{TO_WHOM} (?:that )?(?P<what>(?:no one|nobody|nothing|no more|your?|they|those|these|he|she|it|the \w+|everything|everyone)(?: [\w' ]+)? (?:will|won't|shall|'ll|cannot|can't)\b.+|(?:it|they|he|she|you)(?:'ll|'s going to) .+)",
        is_act=True, may_depend=True),
    _rule("offer", "promise",
        rf"(?:{WILL_NOT}|{AM}not going to )(?P<about>(?:let|leave|abandon|betray|hurt|tell(?! you\b)|say anything|fail|forget (?:you|what|your)|breathe a word|say (?:a word|anything)|touch|harm|steal|lie to|give up on you|disappoint)\b(?! (?:lie|it be|you go on)\b).*|tell|fail)$"
        rf"|(?:{WILL}|{AM}going to ){BAD_FOR_YOU}(?P<what>(?:have (?:the|your|it|them|my)\b.+ (?:ready|done|back|\w+ed)\b|{IDIOMS}(?:{FOR_YOU}{HELPS}|be at|bring|fetch|deliver)\b|{IDIOMS}\w+ (?:[\w' -]+ )?for you\b).*)",
        r"you'll have (?P<have>(?:your|my|the|it|them)\b.+)", is_act=True),
    _rule("kept", "kept",
        rf"{I_OR_WE}(?:have |'ve )?{ADVERBS}(?:kept|fulfilled|honou?red|made good on) (?:my|our) (?:promise|word|oath|vow|end of the (?:deal|bargain))",
        rf"(?:i've|we've) {ADVERBS}(?:kept|fulfilled|honou?red|made good on) (?:my|our) (?:promise|word|oath|vow|end of the (?:deal|bargain))",
        r"(?:just )?as (?:i )?promised\b", r"(?:i|we)(?:'ve| have)? (?:done|did) (?:what|as|everything) (?:i|we) (?:promised|swore)"),
    _rule("you_kept", "kept", r"you(?:'ve| have)? (?:really |actually |indeed |have )?(?:kept|fulfilled|honou?red) your (?:promise|word|oath|vow)", mirrored=True),
    _rule("broken", "broken", r"(?:i|we)(?:'ve| have)? (?:broke|broken|failed to keep|couldn't keep|could not keep|did not keep|didn't keep) (?:my|our) (?:promise|word|oath|vow)", may_be_unreal=True),
    _rule("you_broke", "broken",
        r"you(?:'ve| have)? (?:broke|broken|failed to keep|did not keep|didn't keep) (?:your|a) (?:promise|word|oath|vow)",
        r"you promised\b.*\b(?:but|yet|and) you (?:didn't|did not|never|failed|lied)", mirrored=True),
    _rule("name", "name",
        rf"(?i:my (?:own |real |true |full |given |first )?name(?:'s| is)(?: actually| really)?,? ){NO_NAME}(?:{WHOLE_NAME}{AFTER_NAME}|(?P<lower>[^\W\d_][\w'-]+)(?=$|,| and (?:i|you)\b| but\b| from\b| by the way))"
        rf"|(?i:(?:the )?name(?:'s| is) |(?:they|my parents|my mother|my father) named me |(?:you (?:can|may) |please |just |everyone can )?call me |(?:people|folks|friends|my friends|they|everyone|most people|most|all) (?:just )?calls? me |(?:i'm|i am) (?:called|named|known as) |i go by (?:the name (?:of )?)?|you (?:can|may) know me as |i introduce myself as ){NO_NAME}(?:the )?{WHOLE_NAME.replace('<name>', '<called>')}{AFTER_NAME}"
        rf"|(?:I'm|I am|i'm|i am) {NO_PERSON}{WHOLE_NAME.replace('<name>', '<who>')}{AFTER_NAME}",
        case=True, by=(PLAYER,), may_be_unreal=True),
    _rule("debt_paid", "payment",
        rf"{AM}(?:all )?(?:even|square|quits)(?:,? (?:now|then|again|at last))*$", r"(?:so |and )?here(?:'s| is| are|,? take) (?=.*\d|.*\b(?:gold|coins?|silver|copper|credits?|debt|money)\b).*\b(?:owed?|debt|loan)\b",
        r"(?:so |and )?here(?:'s| is| are) (?:.* )?(?:what|that) (?:i|we) (?:still )?owed? you", rf"{HERE}(?:is |are |'s )?(?:another |the (?:first|second|last|other|remaining) )?(?:half|{DET}?[\w-]+) (?:[\w-]+ )?(?:of|towards?|for|on) (?:the|my|what|those) (?:.*)(?:owed?|debt|loan|tab|bill|{NUMBER})\b",
        rf"(?:i|we)(?:'m|'re| am| are)? bring(?:ing)? (?P<brings>(?:back )?{NUMBER} (?:of the|back).*)",
        rf"{I_OR_WE}(?:have |'ve )?{ADVERBS}(?:paid|repaid|pay|repay|settled|cleared|settle|gave|given|brought|returned|handed)(?! (?:him|her|them|(?:the|my|his|her) \w+ (?:his|her|their)|(?:\w+ )?\w+'s|(?!You\b)(?-i:[A-Z])\w+)\b)(?: you)? (?:(?:back|off) )?(?=.*\b(?:back|debt|tab|bill|loan|owed?|left|in full|everything|already|so far|remains?|half|rest)\b)(?!.*\bto (?-i:[A-Z])|.*\bto (?:the|my|his|her|your)\b)(?P<about>.+)",
        rf"(?:i've|we've) {ADVERBS}(?:paid|repaid|settled|cleared|given|brought|returned|handed)(?! (?:him|her|them|(?:the|my|his|her) \w+ (?:his|her|their)|(?:\w+ )?\w+'s|(?!You\b)(?-i:[A-Z])\w+)\b)(?: you)? (?:(?:back|off) )?(?=.*\b(?:back|debt|tab|bill|loan|owed?|left|in full|everything|already|so far|remains?|half|rest)\b)(?!.*\bto (?-i:[A-Z])|.*\bto (?:the|my|his|her|your)\b)(?P<more>.+)",
        rf"(?:i|we)(?:'ve| have)? (?:already |just )*(?:paid|repaid) (?:you|my debt|it)(?: back| off)?(?: already| now| in full| (?:the )?{NUMBER}\b.*)?$",
        r"(?:my|our) (?:debt|tab|loan)(?: to you)? (?:is|has been) (?:now )?(?:paid|settled|repaid|cleared)"),
    _rule("you_paid", "payment",
        r"(?:consider )?(?:your|the|that) ?(?:debt|tab|loan|slate|account)?(?: to me)?(?:'s| is| has been| as)? ?(?:now )?(?:paid|settled|repaid|cleared|clear|clean|forgiven|forgotten|cancell?ed|wiped)\b", r"debt's (?:paid|settled|cancell?ed|forgotten)",
        r"(?:just )?forget (?:about )?(?:the|your|that|what) (?:debt|tab|loan|you owe)\b", r"paid in full",
        r"you(?:'ve| have)? (?:paid|repaid) (?:me|your debt|what you owed?|it) ?(?:.*)", r"you (?:don't |no longer )?owe (?:me|us) (?:nothing|anything)(?: any ?more| now)?$", mirrored=True),
    _rule("debt", "debt",
        rf"{I_OR_WE}owe (?:it )?you {NOT_OWED}(?P<about>.+)", rf"{I_OR_WE}owe (?P<to_you>(?:{NUMBER} |an? |my |some )[\w' ]+?) to you(?: .*)?$",
        rf"(?:i|we)(?:'ve| have|'ll| will|'m| am)? (?:still )?(?:borrow(?:ed|ing)? (?!.*\bfrom (?!you\b))(?P<borrowed>(?:{DET}|{NUMBER} |your ).+)|(?:took|had) (?P<had>.+?) from you)\b(?!.* (?:and|but) (?:gave|paid|returned))",
        rf"(?:i|we)(?: still)? (?:have to|must|need to|gotta|'ve got to) (?:give|pay|bring|get) you (?:back )?(?P<must>(?:the )?{NUMBER}\b.+)", r"(?:so )?(?:i'm|i am) down (?P<down>.+) to (?:you|ye)$", rf"i lost (?P<lost>(?:{DET}|{NUMBER} ).+) to (?:you|ye)\b",
        rf"(?:so )?(?:it's|that's|that is|that makes) (?P<makes>(?:just )?{NUMBER}\b.*?) (?:that )?(?:i|we) owe you", r"you(?:'ve| have)? (?:lent|loaned) (?:me|us) (?P<lent>.+)"),
    _rule("you_owe", "debt",
        rf"(?:and |but |remember,? )?you (?:still |already |now )*owe (?:it )?(?:me|us) {NOT_OWED}(?P<about>.+)",
        r"(?:i|we)(?:'ve| have)? (?:already |only |just |once )?(?:lent|loaned) you (?P<lent>.+)", rf"(?:so )?(?:it's|that's|that is|that makes) (?P<makes>(?:just )?{NUMBER}\b.*?) (?:that )?you owe (?:me|us)", mirrored=True),
    _rule("gift", "gift",
        rf"here you (?:go|are),? (?P<about>{DET}{EMPTY_WORDS}.+)",
        rf"(?:i )?(?:you (?:can|may) |please |do |and |go on and )*(?:(?:take|accept|have)(?= (?:this|these|my|our)\b)|keep(?= (?:this|these|the change)\b)) (?P<taken>(?:this|these|my|our|the) {NO_GIFT}(?!.* (?:to (?:the|[A-Z]|my|your|his|her|our)|for \d))(?![\w ]*\b(?:back|away|down|seriously|apart|moved|removed|done|cleaned|fixed|repaired|taken|sent|instead)\b).+?)$",
        rf"(?:so )?here(?:'s| is| are|'re)(?! (?:the|your|my) .*\b(?:owe|owed|debt)\b) {EMPTY_WORDS}(?P<here>(?:a |an |some |another |your |the (?=.*\byou (?:asked|wanted|need|ordered)|.*\bas promised)|two |three |four |five |ten |\d[\d,]* |my (?=.*for you)|something ){EMPTY_WORDS}.+?)$",
        r"(?P<this>(?:this|these|that) (?!(?:is|are|was|one is|one's)\b)[\w' -]{2,60}?) (?:is|are) (?:all |now |just )*(?:for you|yours|a gift (?:for|to) you|my gift to you|a present for you)(?: .*)?$",
        r"(?:i want|i'd like|i would like|we want|we'd like|we would like) you to have (?P<wish>(?:this|these|my|the|our|a|an) .+)",
        rf"(?:i|we) (?:hereby |now |freely |gladly )*(?:give|grant|gift) you (?P<give>{DET}{NO_GIFT}{EMPTY_WORDS}(?!(?:word|thanks|oath|promise|chance|choice|order|blessing|condolences|reason|friendship|help|credit|discount|time|minutes|seconds|hours|days|ride|permission|name|attention|clue|benefit|lot|point)\b)(?!\w+ (?:chance|word|warning|minutes|seconds|hours|days|chances|deal|discount|price|advice)\b).+)",
        is_act=True, may_be_unreal=True),
    _rule("brought", "gift",
        rf"{MADE} you (?!\w+ing\b)(?P<about>(?!all (?:wrong|the)\b)(?:(?:{DET})+(?!{DET})|(?<=brought you )|(?<=bought you )|(?<=fetched you )){EMPTY_WORDS}{NO_GIFT}(?!(?:here|back|home|in|out|up|to|and|because|down|into|all|now|at|from|there|so|a long way)\b).+?)$",
        rf"{MADE} (?P<the>the [\w' -]{{2,60}}?) (?:that )?you (?:asked for|wanted|needed|need|ordered|requested|lost|were looking for)",
        rf"{MADE} {EMPTY_WORDS}(?P<for_you>{DET}{EMPTY_WORDS}.+?) (?:(?:here )?(?:just )?(?:for|to give) you|as a (?:gift|present) (?:for|to) you)(?: (?:as a gift|today|from .*|to .*|in .*))?$",
        rf"{MADE} (?:(?:a|this|another) (?:small |little |special |birthday )?(?:gift|present|token)|(?:a little )?something) for you[,:] ?(?P<something>.+)",
        rf"(?:i|we)(?:'ve| have)? (?:gave|given) you (?P<gave>{DET}(?!.*\b(?:back|owe|debt)\b)(?!(?:word|oath|promise|chance|warning|reason|answer|choice|moment|minute)\b).+)"),
    _rule("plan_meant", "plan",
        rf"(?:{I_OR_WE}(?:plan|intend|aim|mean)|{AM}(?:planning|intending|about)|(?:i|we)(?:'ve| have)? (?:decided|resolved)|(?:i|we) (?:hope and plan)|(?:my|our) plan is|the plan is) to (?P<about>(?!be (?:sick|honest|clear)\b|pay attention).+)",
        rf"{AM}(?:thinking of|planning on|set on|considering) (?P<doing>[a-z]+ing\b.*)", may_depend=False, is_act=True),
    _rule("plan_moving", "plan",
        rf"(?:i|we) (?:really )?(?:have to|need to|must|'ve got to|gotta) (?P<about>{GO}(?: (?:back|out|up|down|over|off))* {DIRECTION}\b.+)", rf"{AM}(?P<taking>taking (?:the|a) [\w ]{{2,40}} to .+)",
        rf"{AM}(?P<go>(?!going to (?!the\b|an? |my\b|our\b|your\b|his\b|her\b|their\b|town\b|bed\b|sea\b|market\b|work\b|school\b|church\b|war\b|(?-i:[A-Z])))(?:{GO}|off|on my way|bound)(?: (?:back|out|up|down|over|off|north|south|east|west))* {DIRECTION}\b(?! (?:nowhere|it|broke|crazy|you|sleep|be|die|faint|cry|throw up|need|regret|miss|say|tell|have|want)\b).*)",
        rf"{AM}(?P<leaving>(?:leaving|departing|moving out|setting out|setting off|setting sail)(?: .*)?\b{WHEN}.*)",
        rf"(?:i|we) (?P<goes>(?:leave|depart|ride|sail|march|head|travel|fly|move|set out|set off|ship out|walk into|launch|jump|attack|strike|start|begin|marry|open|meet|fight)(?: .*)?\b{WHEN}.*)",
        rf"{AM}(?P<does>(?!(?:feeling|dying|having|thinking|waiting|hoping|looking|doing|going|seeing|coming|staying|sleeping|talking|asking|getting (?!married)|being|running late|telling|saying|working|living)\b)\w+ing\b.*\b{WHEN}.*)", is_act=True),
    _rule("plan_will", "plan", rf"(?:{WILL}|{AM}going to ){BAD_FOR_YOU}{IDIOMS}(?P<about>(?!(?:be (?!at|in|on|back|there)|have|need|want|feel|regret|know|love|hate|like|die|miss|remember|understand|keep|let|believe|trust|think|forgive|wait|tell|say|see|always|never|really|just|still|definitely)\b)\w+ (?!of course|it$|you$|fine|ok).*\b{WHEN}.*|{WILL_DO_ALONE}(?: (?:to|into|for|towards?|back to|out to|home|north|south|east|west|across|through|the|my|our|a|an|out|up|down|with|his|her|their|against|(?-i:[A-Z])\w*)\b.*))", is_act=True),
    _rule("origin", "origin", rf"(?:born and raised (?:in|on|near|at)|{AM}(?:originally |here |all the way |a \w+ )?from|{I_OR_WE}(?:come|hail|came)(?: \w+ly)?(?: all the way| here)?(?: originally)? from|(?:i|we) (?:grew up|was born(?: and raised)?|was raised|were born|were raised)(?: and raised)? (?:in|on|near|at|aboard)) {NO_PLACE}(?P<about>(?!(?:there|here|nowhere|around here|far away|afar|the future|away|you|him|her|inside|behind|above|below)\b).+)", by=(PLAYER,)),
    _rule("home", "home",
        rf"(?:{I_OR_WE}(?:live|dwell|reside)|(?:i|we)(?:'ve| have) (?:always )?lived|{AM}living) {NO_PLACE}(?P<about>{IN}{NO_PLACE}.+)",
        rf"(?:my|our) (?:own )?(?:little |old |new |family )?(?:home|house|farm|hut|apartment|flat|cabin|base|quarters|place|cottage|estate|castle|den|village) (?:is|lies|stands) (?P<house>{IN}{NO_PLACE}.+)", by=(PLAYER,)),
    _rule("lodging", "lodging",
        rf"(?:{AM}(?:staying|lodging|camped|camping|sleeping|docked|stationed|renting a room|holed up|parked|crashing|hiding|based)|(?:i|we) (?:stay|sleep|camp)|(?:i|we)(?:'ve| have) (?:got )?(?:a room|rented a room|taken a room|our camp|my camp)|(?:i|we) rent (?:a|an|the) [\w ]{{2,30}}?) (?P<about>{IN}{NO_PLACE}.+)",
        rf"you(?: can| will|'ll) (?:always |usually )?(?:find|reach) (?:me|us) (?P<found>{IN}.+)", by=(PLAYER,)),
    _rule("work", "work", rf"(?:(?:i|we) work|{AM}working)(?: as [\w ]{{2,30}})? (?P<about>(?:(?:at|in|aboard|on board) (?:the|a|an|my|(?-i:[A-Z]))|on (?:the|a|an|my) (?:\w+ )?(?:ship|boat|whaler|farm|docks?|station|ranch|estate|railway|bridge|fields?|walls?)\b).*)", by=(PLAYER,)),
    _rule("place", "place",
        rf"(?P<about>(?:i|we)(?:'ve| have)? (?:left|hid|hidden|buried|stashed|put|placed|dropped|parked) (?:the|my|our|your|a|an|some|his|her|it|them)\b[\w' -]{{0,40}}? (?:{WHERE_STRONG}|in|at|on) (?:the\b|an?\b|my\b|your\b|our\b|(?-i:[A-Z])).+)",
        rf"(?P<lies>(?:(?:the|my|our|his|her|their|your|an?|that|old|\w[\w'-]*)\b(?: (?!(?:is|are|was|will|said|says|told|and)\b)[\w'-]+){{0,6}} (?:is|are|lies|lie|stands|sits|can be found|is hidden|is buried|are hidden|lies hidden|lies buried|is located|is locked|is stashed|hides|waits|rests) {WHERE_STRONG} (?!(?:control|pressure|attack|arrest|construction|budget|us|me|you|it|them|him|her|repair|the weather|suspicion|oath|way)\b).+))",
        rf"(?P<stands>(?:the|my|our|his|her|their|your|that)\b(?: (?!(?:is|are|was|will|and)\b)[\w'-]+){{0,5}}? {THING}(?: of [\w' ]{{2,30}}?)?(?:'s| is| are| lies| lie| stands| sits| can be found| is hidden| is buried| are hidden| are buried| lies hidden| is located| is locked| is stashed) (?:just |right |hidden |buried |still |somewhere |deep |down |up )*(?:in|at|on|down|up|along|through|by) {PLACE_NAME}.+)",
        rf"(?P<there>(?:there's|there is|there are) (?:a|an|some|another|two|three|many|more)\b(?: [\w'-]+){{0,5}}? {THING}\b[\w' ]*? (?:{WHERE_STRONG}|in|at|on) .+)",
        rf"you(?:'ll| will| can) find (?P<find>(?:the|my|our|a|an|some|his|her|what)\b[\w' -]{{2,60}}? (?:{WHERE_STRONG}|in|at|on) .+)"),
    _rule("handed_over", "payment",
        rf"(?:and |then |so )?(?:here|there|take (?:this|these)|sent you|(?:i|we)(?:'ve| have)? (?:just )?(?:sent|wired|left|dropped|transferred|brought|gave|given|got)(?: you)?|transferring)?(?:'s| is| are|:|,)? ?(?P<about>(?:another |just |only |(?:the|my) (?:(?:first|next|last|remaining|other) )?)*(?:{NUMBER}|half|a (?:third|quarter))\b(?: (?!and\b)[\w-]+)?(?: (?:back|(?:that|which) (?:is|are) (?:still )?(?:left|missing|open|outstanding)|left|of (?:it|them|the [\w ]+|those)|to you|for you|in (?:your|the|an?) \w+|already|so far|more))*(?:,? and (?:five|ten|a|some|one|two|three|\d+) .*)?)$",
        needs_debt=True),
)
"""In the order in which they are tried. The first match decides, except that names are found besides."""

MEETING = _rule("meeting", "appointment", matter_words.MEETING_ASKED, is_act=True)
"""For a meeting that the player asks for and the NPC grants."""
LOAN = _rule("loan", "debt", r"\b(?:lend|loan|spot|advance|wire) (?:me|us) (?P<about>.+)", r"\b(?:can|could|may|might) (?:i|we) (?:please |maybe )?borrow (?P<borrow>.+)", is_act=True)
"""For what the player asks for and the NPC grants."""
DEED = _rule("deed", "gift",
    rf"(?:i )?(?:then )?(?:gives?|hands?|passes|presents?|slips?|tosses|throws|gifts?) (?:you|her|him|them|over(?: to (?:you|her|him|them))?|\w+) (?:with )?(?P<about>{DET}.+)",
    rf"(?:i )?(?:gives?|hands?|passes|presents?|slides?|tosses|slips?) (?P<given>{DET}[\w' -]{{2,60}}?) (?:over )?(?:to (?:you|her|him|them|\w+)|over|across the (?:table|counter|desk|bar))(?: .*)?$",
    rf"(?:i )?(?:puts?|places?|presses|drops?|lays?) (?P<put>{DET}[\w' -]{{2,60}}?) in(?:to)? (?:your|her|his|their) (?:hands?|palms?)", is_act=True)
"""For what is described between asterisks."""
# fmt: on
