"""Parts of the rules that find threats, appointments and withdrawals in talk: groups of English words."""

from __future__ import annotations

from rag_memory.conversation.extraction_words import AM, I_OR_WE, SWEAR, TO_WHOM, WHEN, WILL, WILL_NOT

# fmt: off
_BODY = r"(?:legs?|arms?|bones?|neck|nose|fingers?|hands?|kneecaps?|skull|jaw|face|throat|ribs|tongue|ears?|head)"
_HOME = r"(?:house|home|farm|barn|shop|inn|tavern|mill|smithy|forge|hut|village|town|fields?|crops?|ship|boat|cart|stall|stables?|bakery)"
_NOT_SERIOUS = r"(?!(?: all| both)? (?:at|in|to|an?|some|another|with (?:kindness|laughter)|there|home|by|next|this time|loose|free|down|off|because|for lunch)\b)"
_VIOLENCE = (
    rf"(?:(?:kill|murder|hurt|destroy|crush|gut|stab|strangle|drown|skin|punish|ruin|hang|end|behead|beat|whip|flog|slay|burn|cut|poison) you\b{_NOT_SERIOUS}"
    rf"|(?:break|cut|slit|snap|smash|crack|chop|rip|tear|slice)(?: off| out| open)? (?:both |all )?(?:of )?your {_BODY}\b|have your (?:head|hide|guts|neck)\b"
    rf"|(?:burn|torch|wreck|raze|smash|destroy|ruin|demolish)(?: down)? your (?:whole |little |precious )?{_HOME}\b|burn (?:it|this place|everything|the (?:whole )?\w+) (?:down|to the ground)"
    r"|make you (?:pay|suffer|regret|sorry|bleed|wish)|(?:report|hand|turn|sell) you (?:in |over )?to the (?:\w+ )?(?:guards?|watch|police|king|baron|sheriff|law|authorities|inquisition)|turn you in\b"
    r"|have you (?:killed|arrested|hanged|flogged|whipped|thrown (?:in|out)|locked up)|set (?:my|the) (?:dogs?|hounds|guards?|men) on you|take your (?:head|life|house|farm|children)|hunt you down|teach you a lesson|tell everyone (?:about|what) you(?:'ve| have| did)?)"
)
_OR = r"(?:.{1,160}?,? or (?:else )?)?"
THREAT = (
    rf"{_OR}(?:{SWEAR}{TO_WHOM} (?:that )?)?(?:{WILL}|{AM}going to )(?:personally )?{_VIOLENCE}",
    rf"{_OR}you(?:'ll| will|'re going to| are going to) (?:regret (?:this|that|it)\b|pay for (?:this|that|it|what you)\b|be sorry\b(?! to\b| for\b| that\b| you missed)|answer for (?:this|that|it)\b)",
    r".{1,160} or (?:else )?you(?:'ll| will) (?:die|hang|bleed|burn|suffer)\b", r".{3,160},? or else$",
)
INSULT = (
    r"(?:you |ye )?(?:(?:damn(?:ed)?|bloody|filthy|dirty|miserable|rotten|lying|stupid|ugly|wretched|vile|little|old|treacherous) )*(?:traitors?|liars?|thie(?:f|ves)|murderers?|scum|bastards?|cowards?|idiots?|morons?|villains?|scoundrels?|"
    r"wretch(?:es)?|vermin|filth|bitch|whore|swine|maggots?|cheats?|oathbreaker|fools?|son of a (?:bitch|whore|dog)|piece of (?:filth|dirt|shit|scum)|(?-i:dog|pig|rat|worm|snake|cur|weasel|toad))"
)
_PLACE = r"(?:at|in|by|near|behind|under|outside|inside|beside|on|before|below|upstairs|down at|over at) (?:the|my|your|our|this|that|old|(?-i:[A-Z]))"
_CLOCK = r"(?:at (?:dawn|sunrise|noon|midday|sunset|dusk|nightfall|midnight|\w+ o'clock|\d)|first light)"
_NO_MEETING = r"(?!(?:halfway|half way|in (?:hell|court|battle|my dreams|your dreams|heaven)|(?:some|one) (?:day|time)|around|through|off|out|later\b|soon\b|again (?:soon|some|one))\b)"
APPOINTMENT = (
    rf"(?:(?:let's|let us|(?:i|we) (?:should|can|shall|will|must)|we'll|i'd like us to) (?:all )?meet(?: up)?(?: again| each other)?|(?:(?:please|come(?: and)?|then|just|you(?: can|'ll| will| should| must)) )?meet (?:me|us)|{WILL}(?:meet|await|expect) you) {_NO_MEETING}(?P<about>(?=.*(?:{_PLACE}|{WHEN})).+)",
    rf"(?:{WILL}see you|see you) {_NO_MEETING}(?P<see>(?=.*(?:{_PLACE}|{_CLOCK})).+)",
    rf"(?:please |just |then )?(?:be|come)(?: back)?(?: to see me)? (?P<come>(?:(?:back )?(?:to|at|in|by) (?:the|my|our|this)\b|here\b)(?! (?:point|conclusion)).*{WHEN}.*)",
    rf"(?:our|the) (?:meeting|appointment|rendezvous|duel|wedding) is (?P<meeting>.*{WHEN}.*)", r"it's a date(?P<date>:? .+)?$",
)
MEETING_ASKED = rf"(?:can|could|will|would|shall|should|may) (?:you|we|i) (?:all )?(?:meet|see)(?: up)?(?: with)?(?: me| us| you| each other)? (?P<about>(?=.*(?:{_PLACE}|{WHEN})).+)"
"""In a question; who says yes to it has an appointment."""
NOT_MET = (
    rf"(?:(?:{I_OR_WE}(?:can't|cannot|can not|couldn't|could not)|(?:i|we) won't be able to) |{WILL_NOT})(?:make it|come|be there|meet (?:you|me|there)|keep (?:our|the) (?:appointment|meeting))\b(?P<about>.*)",
    r"(?:let's |let us |(?:i|we) (?:have to |must |need to |want to |'ll |'ve got to )+)(?:cancel|call off|drop|forget about) (?P<off>(?:our|the|that|tomorrow's|tonight's) (?:meeting|appointment|rendezvous|duel|plans?).*)",
    r"(?P<meeting>(?:our|the|tomorrow's|tonight's) (?:meeting|appointment|rendezvous|duel) is (?:off|cancell?ed).*)",
)
MET = (
    r"(?:here (?:i am|we are)|(?:i'm|i am|we're|we are) here|(?:i|we)(?:'ve| have)? came?(?: here)?)(?P<about>,? (?:just |right )?(?:as|like|when) (?:we |you |i )?(?:agreed|arranged|promised|said|asked|told|planned).*)",
    r"(?:here (?:i am|we are)|(?:i'm|i am|we're|we are) (?:finally )?here|(?:i|we) came|(?:i|we) made it)(?P<alone>)$",
    r"you(?:'ve| have)? (?:came|come|made it)(?P<you>)(?: after all| at last| in time)?$",
)
WITHDRAWN = (
    rf"(?:(?:(?:i|we) (?:can't|cannot|can not|won't be able to)|{AM}not (?:going|able) to) |{WILL_NOT})(?P<about>.+ after all)$",
    r"(?:i|we) (?:have to |must |want to |need to |hereby )*(?:take back|withdraw|go back on|retract) (?:my|our|that) (?:promise|word|oath|vow|offer)(?P<back>.*)",
    r"(?:i|we) (?:have to |must |want to |need to |hereby )*take (?:my|our) (?:promise|word|oath|vow|offer) back(?P<word>.*)",
    r"(?:i|we) (?:can't|cannot|can not|won't be able to|will not be able to|am unable to) (?:keep|honou?r|fulfill?) (?:my|our) (?:promise|word|oath|vow)(?P<keep>.*)",
    r"(?:i|we)(?:'ve| have)? changed (?:my|our) minds? about (?!you\b|him\b|her\b|them\b)(?P<changed>.+)",
)
RELEASED = (
    r"(?:so )?(?:you )?(?:don't (?:have|need) to|do not (?:have|need) to|needn't|need not|no longer (?:have|need) to|(?:no )?need (?:for you )?to) (?P<about>(?!worry|thank|apologi[sz]e|be (?:afraid|sorry|shy)|shout|tell me|say)\w+ .*\b(?:any ?more|any longer|after all))$",
    r"(?:i|we) (?:hereby )?(?:release|free) you (?:from|of) (?:your|that|the) (?:promise|word|oath|vow)(?P<free>.*)",
    r"(?:you can |you may |please |just |let's )?forget (?:about )?(?:your|that|the) (?:promise|oath|vow)(?P<forget>.*)",
    r"(?:i|we)(?: will|'ll) not hold you to (?:that|it|your \w+)(?P<hold>.*)", r"(?:i|we) won't hold you to (?:that|it|your \w+)(?P<held>.*)",
    r"(?:i|we) (?:don't|do not|no longer) need (?P<need>(?:your|the|that|any) .+ (?:any ?more|any longer|after all))$",
)
THREAT_WITHDRAWN = (
    r"(?:i|we)(?: didn't| did not| never) (?:mean|meant) (?:it|that|what i said|to (?:threaten|scare|frighten))\b(?P<about>.*)", r"(?:i|we) (?:take|took) (?:it|that|everything) (?:all )?back(?P<back>.*)",
    rf"{WILL_NOT}(?:hurt|harm|kill|touch|burn|lay a (?:hand|finger) on|report|hunt)(?: anyone| you| your \w+)?(?P<not>(?: after all| any ?more| now)?)$",
    r"(?:please )?forget what i (?:said|threatened)(?P<forget>.*)", r"(?:it|that) was an (?:empty|idle) threat(?P<empty>.*)",
)
# fmt: on
