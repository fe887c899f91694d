"""Parts of the rules that find memories in a message: regular expressions for groups of English words."""

from __future__ import annotations

from rag_memory.text.number_words import CARDINAL, ORDINAL

ADVERBS = (
    r"(?:(?:also|still|really|truly|solemnly|hereby|always|surely|definitely|certainly|gladly|personally|"
    r"happily|"
    r"just|now|first|probably|soon|already|even|do|only|finally|then|both|all|actually|currently|never ever|"
    r"humbly) )*"
)
I_OR_WE = rf"(?:i|we) {ADVERBS}"
AM = rf"(?:i'm|i am|we're|we are) {ADVERBS}"
WILL = rf"(?:(?:i|we)(?:'ll| will| shall) {ADVERBS})"
WILL_NOT = rf"(?:(?:i|we) (?:won't|will not|shall not|shan't|will never|shall never)|(?:i|we)'ll (?:never|not)) {ADVERBS}"
WHEN = (
    r"(?:tomorrow|tonight|today|this (?:evening|afternoon|morning|weekend|week|spring|summer|autumn|fall|"
    r"winter)|"
    r"next (?:week|month|year|spring|summer|autumn|fall|winter|time|\w+day)|(?:at|before|by|until) (?:dawn|"
    r"dusk|sunrise|sunset|"
    r"noon|midnight|nightfall|first light|daybreak|(?:the )?(?:next )?(?:new |full )?moon|morning|evening|"
    r"\d[\w:]*)|"
    rf"(?:on|by|until|this|next) \w+day\b|(?:on|by) the (?:{ORDINAL})\b|at \w+ time\b|in (?:the morning|the spring|the summer|the evening|an hour|a (?:week|"
    r"month|few \w+|day|moment|year)|"
    r"\w+ (?:days|weeks|hours|months|minutes|cycles|years))|after (?:the|my|our|this) [\w' ]{2,30}|soon|"
    r"later(?: today)?|"
    r"once [\w' ]{2,40}|when [\w' ]{2,40}|as soon as [\w' ]{2,40}|within [\w ]{2,20})"
)
DET = (
    r"(?:(?:a|an|some|the|this|these|that|those|my|our|your|two|three|four|five|six|seven|eight|nine|ten|"
    r"a dozen|twenty|"
    r"thirty|forty|fifty|a hundred|hundred|\d[\d,.]*|another|one|fresh|new|more|all|enough|every|half|both|"
    r"his|her|their|any) )"
)
HELPS = (
    r"(?:bring|help|fix|repair|mend|protect|defend|guard|save|rescue|find|get|fetch|deliver|return|pay|"
    r"repay|give|send|buy|"
    r"make|build|forge|craft|cook|bake|teach|show|tell|take (?:you|care)|keep|watch|look after|look into|"
    r"speak|talk|free|"
    r"carry|lend|reward|avenge|heal|cure|escort|guide|lead|come back|be there|be back|stand|fight (?:for|"
    r"beside|by|with)|"
    r"visit|write|call|let you know|clear|escort|hide|cover|get back|back you|have (?:it|your|the)|handle|"
    r"take it|pick|"
    r"drive|meet|join|work|plant|bury|clean|deal with|wait for|see (?:to|that)|make sure|put in|upload|"
    r"patch|transfer|share|"
    r"introduce|warn|prepare)"
)
FOR_YOU = r"(?=.*\b(?:you|your|yours|yourself)\b)"
BAD_FOR_YOU = (
    r"(?!.*\b(?:kill|hurt|destroy|crush|end you|make you (?:pay|suffer|regret)|regret|punish|rob|ruin|"
    r"arrest|burn you|"
    r"cut you|gut|hunt you|break your|beat you|hang you|show you who|teach you a lesson|tell you what|sue|"
    r"report you|see you|have your (?:head|hide|guts|neck|badge)|what you deserve|(?:fix|repair|mend) your (?:face|teeth)|"
    r"(?:(?:help|kick|carry|walk|escort) you (?:out|through)|show you)(?: of)? the (?:door|window)|(?:help|kick) you (?:overboard|down the stairs|to your grave))\b)"
)
EMPTY_WORDS = (
    r"(?!(?:(?:\w+ )?(?:photos?|pics?|pictures?|shots?|videos?|link|look|toast|example|reminder)|something (?:that|cool|interesting|funny)|(?:kick|punch|slap)|question|news|message|job|task|quest|mission|favou?r|proposal|proposition|offer|deal|surprise|"
    r"word|plan|problem|idea|"
    r"warning|request|thing|something to (?:ask|say|tell)|few questions|point|bad news|good news|"
    r"bit of news|answer|feeling|"
    r"moment|minute|second|plenty|doubt|right|choice|secret|story|theory|suggestion|tip|hint|lead|theory|"
    r"promise|"
    r"letter from|couple of questions|what|how|why|catch|situation|advice|respect|best|hand|chance|break|"
    r"rest|word of)\b)"
)
NO_GIFT = (
    r"(?!(?:with|to|and|in|for|as|done|is|one)\b)(?!(?:\w+ )?(?:path|road|way|seat|chance|opportunity|"
    r"moment|time|advice|word|words|seriously|apolog(?:y|ies)|condolences|thanks|"
    r"hand|arm|leave|place|one step|job|quest|contract|deal|offer|lightly|the wrong way|personally|outside|"
    r"turn|medicine twice|"
    r"street|corridor|lift|elevator|stairs|blame|lead|bait|warning|regards|call|respect)\b)"
)
WHERE_STRONG = (
    r"(?:(?:just |right |hidden |buried |located |somewhere |deep |far |directly |about [\w ]{1,20} |"
    r"\w+ (?:miles?|leagues?|steps|meters|metres|blocks|clicks|paces|days?|hours?) )*"
    r"(?:to the )?(?:north|south|east|west|northeast|northwest|southeast|southwest|left|right) of|"
    r"(?:just |right |hidden |buried |located |somewhere |deep |directly |down )*(?:behind|beneath|under|"
    r"underneath|below|"
    r"beyond|next to|across from|across|between|inside|outside|near|beside|opposite|above|past|"
    r"around the corner from|by the|"
    r"on the (?:other|north|south|east|west|left|right|far) (?:side|bank|shore|end|edge)|on top of|"
    r"at the (?:end|foot|edge|bottom|top|back|corner|mouth) of|"
    r"at the far end of|on deck|on level|on the \w+ (?:floor|deck|level)))"
)
THING = (
    r"(?:inn|tavern|pub|smithy|forge|shop|store|market|temple|shrine|church|castle|keep|cave|mine|camp|"
    r"ruins?|village|town|city|tower|"
    r"bridge|treasure|key|keys|map|portal|gate|base|station|lab|laboratory|hangar|hospital|library|school|"
    r"office|entrance|exit|"
    r"well|mill|bakery|stables?|barracks|docks?|harbou?r|warehouse|vault|tomb|crypt|graveyard|dungeon|"
    r"hideout|lair|nest|den|"
    r"chest|safe|body|spring|grove|tunnel|passage|door|switch|reactor|server|airlock|pharmacy|bank|bar|cafe|"
    r"garage|mansion|farm|"
    r"apothecary|guild|guildhall|outpost|wreck|ship|shuttle|crate|stash|cache|sword|amulet|relic|crystal|"
    r"generator|control room|"
    r"armou?ry|clinic|medbay|med bay|police station|train station|subway|bus stop|archive|archives|"
    r"lighthouse|fort|fortress|sanctuary|oasis|"
    r"bandits?|goblins?|wolves|spare parts|supplies|medicine|beacon|terminal|bunker|shelter)"
)
PLACE_NAME = r"(?:the |a |an |my |our |your |[A-Z0-9]|north|south|east|west|town|bed|sector|room|level|block|downtown|upstairs)"
NAME = (
    r"(?:(?:Dr|Mr|Mrs|Ms|St|Prof|Capt|Lt|Sgt)\. )?"
    r"(?:[^\W\d_a-zß-öø-ÿ]|(?:van|von|de)(?: (?:der|den|la))? [A-Z]|[a-z](?=\w*[A-Z\d_]))[\w'-]*"
)
"""A name begins with a capital letter, or has one or a digit inside: "mcLeod"."""
WHOLE_NAME = rf"(?P<name>{NAME}(?: (?:{NAME}|of|the|von|van|de|der|den|del|della|da|di|bin|ibn|al|el|la|le|af|du)(?= |$|,))*)"
AFTER_NAME = r"(?=$|,| and\b| but\b| from\b| by the way| of\b| -|\.|!|, )"
NO_NAME = (
    r"(?!(?:not?|none|nothing|nobody|no one|unimportant|irrelevant|a|an|the|your|his|her|my|mine|well|known|"
    r"what|who|on|in|for|"
    r"whatever|secret|classified|of|also|still|never|neither|unknown|too|to|always|important|forgotten|"
    r"cursed|legend|mud|everywhere|hard|"
    r"difficult|easy|long|short|funny|weird|strange|common|rare|old|good|bad|clear|spelled|written|"
    r"pronounced|"
    r"already|later|when|if|crazy|back|anything|anytime|tomorrow|tonight|sometime|that|it|us|them|you|me|"
    r"our|their|just|only|really|"
    r"something|someone|somebody|up|out|off|down|over|again|now|then|as|at|with|there|here|hers|yours|tired|"
    r"sure|sorry)\b)"
)
NO_PERSON = (
    r"(?!(?:I|English|French|German|Italian|American|British|Irish|Scottish|Welsh|Dutch|Greek|Swiss|"
    r"Catholic|Christian|Jewish|Muslim|"
    r"Captain|King|Queen|Lord|Lady|Sir|God|Death|Commander|Doctor|Officer|Human|Elf|Elven|Elvish|Dwarf|"
    r"Dwarven|Orc|Nord|Imperial|Not|No|"
    r"OK|So|Your|The|A|An|In|On|At|From|Done|Ready|Sorry|Fine|Here|Back|Sure|Glad|Just|Very|Too|All|Looking|"
    r"Going|Trying|"
    r"Hungry|Tired|Happy|Lost|Busy|Alone|Late|Martian|Earthborn|AI|NPC|VIP|Elder|Chief|Master|Father|Mother|"
    r"Brother|Sister)\b)"
    r"(?!\w+(?:ish|ese|ian|ing|'s|s')\b)"
)


SWEAR = rf"(?:{I_OR_WE}(?:promise|swear|vow|pledge|guarantee)|(?:i|we) give you (?:my|our) (?:word|oath)|you(?:'ve| have) (?:my|our) (?:word|oath|promise)|(?:i|we) make you (?:this|a) promise|on my (?:honou?r|life|word|oath)|{AM}promising)"
TO_WHOM = r"(?:,? (?:to )?(?:you|thee)(?: (?:all|both))?)?(?:,? (?:on|by|upon|before) (?:my|the|all|our|every)[\w' ]{1,40}?)?(?:,|:)?"

GO = r"(?:head(?:ing|ed)?|go(?:ing)?|travel(?:l?ing)?|sail(?:ing)?|rid(?:e|ing)|march(?:ing)?|leav(?:e|ing)|mov(?:e|ing)|mak(?:e|ing) my way|set(?:ting)? (?:out|off|sail)|fly(?:ing)?|driv(?:e|ing)|walk(?:ing)?|depart(?:ing)?|return(?:ing)?|journey(?:ing)?|climb(?:ing)?|hik(?:e|ing)|jump(?:ing)?)"
DIRECTION = r"(?:to|on(?= [A-Z])|against|for|into|towards?|back to|up to|down to|over to|north|south|east|west|home|northward|across|through|off-?world|abroad|upriver|downtown)"
NO_PLACE = r"(?!(?:the same|a long line|a family|money|nothing|fear|hope|peace|danger|trouble|love|pain|debt|shame|my (?:mother|father|work)|hard times|the moment|memory|my own|order|time|charge|general|need|luck|doubt|awe|constant|exile and)\b)"
IN = r"(?:(?:just |right |somewhere |still |alone |down |up |out |over |here |back )*(?:in|at|on|near|by|above|outside|next to|behind|under|beside|across|aboard|below|beneath|beyond|inside|between|upstairs|with|not far from|north of|south of|east of|west of)) "

NUMBER = rf"(?:\d[\d,]*|{CARDINAL}|(?:half )?a dozen|an? (?:hundred|thousand|grand))"
HERE = r"(?:so |and |but )*here(?:,? (?:take|have))?,? ?"
MADE = (
    r"(?:i|we)(?:'ve| have)? ?(?:also |just |even )?(?:brought|got|bought|made|baked|picked|found|crafted|have|carved|"
    r"knitted|cooked|forged|fetched|brewed|saved|painted|printed|picked up|gathered|stolen|sewn|packed|finished)"
)
NOT_OWED = (
    r"(?!(?:nothing|no|not|neither|any|thanks|to|so much|a lot|plenty|everything|all|big(?: time)?|one(?! \w+ ?(?:gold|silver|coin|piece))|"
    r"my (?:life|thanks|freedom|son|daughter|everything)|the (?:truth|world)|an? (?:apology|explanation|answer|thanks|word|great deal|"
    r"lot|huge|debt of gratitude|second chance)|more than|much|this (?:much|one)|that (?:much|one))\b)"
)
"""What is said to be owed without anything that can be given back."""
IDIOMS = (
    r"(?!(?:give (?:you|him|her|it|them|that) (?:that\b|this much|credit|a (?:hint|minute|moment|chance|try|go|shot|hand)|one (?:thing|more)|the benefit|it to)|"
    r"give it|give you (?:that|this|one|two|three|four|five)$|give you hell|show you (?:who|what|how it)|tell you (?:what|something|this|one thing|the truth|a secret|why|how)|"
    r"let you (?:go|live|off|in on)|make you (?:sorry|a deal|an offer|pay|regret)|make (?:a|this) deal|pay you no|send you (?:packing|to)|get you(?:$| for| next| back\b)|"
    r"buy (?:that|it)\b|bet|be damned|be honest|be hanged|be right|be sick|say\b(?! a word| anything)|take (?:your|that|it|my chances|what)|see\b(?! (?:to|that)\b)|think|have (?:a|an|the|to)\b|"
    r"pass\b|spare you|hold you to|keep (?:you|that|it) (?:posted|in mind)|keep (?:that|it|this) in mind|"
    r"wait for you to|watch you (?:die|burn|suffer)|find (?:out|you)\b|meet you (?:halfway|in hell)|"
    r"check (?:on )?you out|return the favou?r|warn you|leave you to)(?=$|\W))"
)
"""What "I'll" introduces without promising or planning anything: "I'll give you that"."""
WILL_DO_ALONE = (
    r"(?:go|travel|head|sail|ride|march|leave|visit|explore|search|hunt|join|build|open|start|marry|sell|buy|meet|attack|move|"
    r"return|fight|find|retire|become|rebuild|learn|train|climb|steal|rob|kill|rescue|look for|set out|be back|come back|try(?= to)|"
    r"ask|speak|talk|investigate|stay|spend|quit|hire|bury|launch|hack|break|burn|raid|scout|gather|collect|clear|sneak|follow|"
    r"track|take the|plant|study|apply|confront|guard|defend|protect|watch over|begin|enter|paint|write|prepare|practi[cs]e|hide|"
    r"capture|convince|invite|warn|recruit|sign|replace|reach|seek|deliver|repair|fix|destroy|avenge|free|cross|camp|"
    r"rest|sleep|work|throw|host|hold|check out|fly|drive|pick up|run|hit)"
)
