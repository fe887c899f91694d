"""Words and phrases of game characters that a lexicon of social media does not know, or knows otherwise.

The numbers are that lexicon's: from -4 (most hostile) to 4 (most friendly). A phrase counts as one word.
"""

from __future__ import annotations

_BY_VALENCE = {
    -3.2: """
        traitor, traitors, oathbreaker, oath-breaker, scum, vermin, filth, swine, maggot, wretch, murderer,
        murderers, backstabber, turncoat, betray, betrays, betrayed, betraying, kill you, murder you, skin
        you, gut you, slay you, slit your throat, cut your throat, have your head, your head on, cut you
        down, tear you apart, rip you apart, burn in hell, rot in hell, go to hell, drop dead, or die,
        prepare to die, you will die, you'll die, damn you, curse you, a curse on you, a curse upon you, a
        pox on you, screw you, make you suffer, you're dead, you are dead, dead man, dead meat, want you
        dead, see you dead, you were dead
    """,
    -2.8: """
        coward, cowards, cowardly, craven, knave, scoundrel, villain, weasel, cur, hag, brute, fiend,
        imbecile, imbeciles, halfwit, half-wit, dimwit, moron, morons, fool, fools, dolt, oaf, lout, nitwit,
        simpleton, buffoon, swindler, cheater, charlatan, fraud, thief, thieves, robber, crook, bandit,
        punk, creep, loser, parasite, leech, abomination, heretic, mongrel, rogue, you dog, you pig, you
        rat, you snake, you worm, you toad, shut up, shut your mouth, hold your tongue, get lost, out of my
        sight, begone, be gone, piss off, back off, or else, you will pay, you'll pay, you shall pay, will
        pay for, pay for this, pay for that, how dare you, last warning, final warning, you will regret,
        you'll regret, be sorry you, watch your back, make me sick, makes me sick, sick of you, can't stand
        you, cannot stand you, hate your guts, spit on, hang you, stole, steals, robbed, swindled, cheated,
        ambushed, poisoned, poison you, enslaved, tortured, backstabbed, extorted, blackmailed, murdered,
        heartless, ruthless, treacherous, deceitful, ungrateful, disgrace, despise, despised, loathe,
        detest, abhor, vile, wicked, foul, filthy, hideous, rotten, repulsive, hurt you, harm you, awful,
        terrible, horrible, never met you, broke my heart, wrong with you, make me hurt, make me kill
    """,
    -2.0: """
        get out, go away, leave me alone, stay away, keep away, get off, hands off, out of my way, mind your
        own, none of your business, don't touch me, do not touch me, not welcome, unwelcome, surrender, hand
        over, your money or, empty your pockets, on your knees, kneel, open fire, burn, burned, burns,
        slaughter, behead, execute, strangle, stab, shoot, whip, flog, crush, smash, throttle, impale, bury
        you, hunt you, destroy, destroyed, ruined, ruin, ruining, doom, doomed, wither, starve, hang, stink,
        stinks, reek, reeks, useless, worthless, pathetic, laughable, incompetent, clumsy, lazy, laziest,
        greedy, greed, arrogant, arrogance, pompous, insolent, insolence, ignorant, spineless, gutless,
        wimp, weakling, dishonourable, dishonorable, dishonest, lousy, shoddy, junk, trash, garbage,
        rubbish, waste of, thanks for nothing, mean nothing, means nothing, don't care, do not care,
        whining, bore me, boring, broke your, sold us, lied, lying, abandoned, savage, insulted, insult,
        insults, mocked, mocks, threatened, threatens, slapped, kicked, punched, shoved, spat, stabbed,
        shot, arrested, imprisoned, evicted, exiled, banished, accused, humiliated, tricked, deceived,
        sabotaged, vandalized, vandalised, trespassed, scolded, bullied, harassed, beaten, deserted, hexed,
        your fault, good riddance, your kind, tastes like, taste like, smells like, smell like, know
        nothing, knows nothing, never leave, off my land, mangy, know where your, know where you, rip out, i
        don't believe you, i do not believe you
    """,
    -1.2: """
        disappointed, disappointing, refused, rejected, ignored, snubbed, avoided, ugly, silly, weak, cheap,
        draw your blade, draw your sword, draw your weapon, stand aside, enemy, enemies, foe, foes
    """,
    0.0: """
        good morning, good day, good evening, good afternoon, good night, goodbye, hello, greetings, hail,
        welcome to, well, please, like to, would like, i'd like, looks like, look like, like a, like the,
        like that, like this, kind of, what kind of, armor, armour, play, share, solid, rich, party, ready,
        sure, number, want, care, interest, interested, interesting, important, chance, treasure, top,
        matter, matters, true, free, certain, clear, clearly, easy, straight, security, secure, join, help
        me, can you help, could you help, need help, god, gods, heaven, save, agree, strong, strength,
        strike, stop, no, alone, lone, low, cut, drop, block, limited, missing, lost, lose, leave, forget,
        hard, battle, war, fight, fights, weapon, weapons, cancel, demand, pay, debt, demon, demons, devil,
        ghost, grave, poor, wounded, hurt, pain, sad, sorrow, afraid, scared, tired, sick, hope, fear,
        crying, cry, problem, problems, lonely, greeted, played, paid, fought, challenged, trouble, worry,
        worried, dark, stolen, loss, dead, died, dies, death, help, no thanks, no thank you, under attack,
        yes, yeah, yep, aye, ok, okay, damn, damned, damn it, dammit, hell
    """,
    1.4: """
        apologies, apologize, apologise, sorry, forgive me, your pardon, condolences, i believe you, you
        were right, you are right, you're right, at your service, got your back, have your back, you're
        safe, you are safe, cheer up, get well, don't be, do not be, don't worry, do not worry, on the
        house, fed, repaired, mended, cooked, donated, freed, escorted, guarded, taught, i was a fool, i am
        a fool, i'm a fool, i was wrong, i was stupid, i was an idiot, i'm an idiot, is yours, are yours,
        hope you are well, hope you're well, be friends, we are friends, we're friends
    """,
    2.0: """
        blessing, blessings, bless, blessed, honoured, honored, honour, honor, honourable, honorable, brave,
        bravest, bravely, valiant, valiantly, courageous, gallant, noble, wise, wiser, wisest, loyal,
        faithful, trust you, trusted, rely on you, count on you, follow you, fight beside you, at your side,
        proud of you, help you, protect you, defend you, shield you, heal you, healed, rescued, saved,
        missed you, miss you, need you, believe in you, respect, respects, well done, well fought, well
        played, good work, great job, good job, nice work, nice shot, good luck, take care, be careful,
        godspeed, safe travels, safe journey, keep you safe, watch over you, owe you, in your debt,
        indebted, best of luck, well earned, for you, brought you, made you, baked you, bought you, got you,
        gave you, wrote you, delicious, tasty, marvellous, marvelous, splendid, magnificent, exquisite,
        gorgeous, skilled, skilful, skillful, talented, masterful, unmatched, legendary, generous, kindness,
        hero, heroic, heroine, saviour, savior, friendship, comrade, ally, allies, sweetheart, darling,
        beloved, my dear, hugged, kissed, praised, complimented, comforted, thanked, forgave, forgiven,
        apologized, apologised, gift, gifts, gifted, thank, thanks, forgive, adore, cherish, natural, mean
        the world, wants you here, want you here, i am a friend, i'm a friend, as a friend, as friends, kind
        of you, nice of you, good of you, count on me, rely on me, happy to help, glad to help, here to
        help, came to help, let me help, i'll help, i will help, gladly help
    """,
}

GAME_WORDS = {
    " ".join(entry.split()): valence
    for valence, entries in _BY_VALENCE.items()
    for entry in entries.split(",")
}
"""Word or phrase, in lower case, to valence."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


INSULTS = _words(
    """
    stupid dumb idiot idiots moron morons fool fools coward cowards liar thief traitor pathetic insane mad
    useless lazy ugly how_dare_you wrong_with_you
    """
)
"""What harms in a question, too: "Are you stupid?"."""

SPOKEN_TO = _words(
    """
    you your yours yourself you're you've you'll you'd ya thee thou thy thine ye
    """
)
"""Words for the one who listens."""

SAID_TO_SOMEBODY = _words(
    """
    thank thanks thankful grateful sorry apologies apologize apologise condolences forgive forgive_me
    honoured honored darling beloved sweetheart my_dear glad i_was_a_fool i_was_wrong i_was_stupid
    be_friends we_are_friends we're_friends i_am_a_friend i'm_a_friend as_a_friend as_friends
    """
)
"""Words that are meant for the listener, even where no word for her stands beside them."""

STRONG = _words(
    """
    thank thanks idiot idiots stupid love loves friend friends hate hates enemy enemies
    """
)
"""Words that count, too, where they are about what both have around them: "I hate this place."."""

AROUND = _words("this that it here we we're us our ours")
"""Words for what both have around them."""

OTHERS = _words(
    """
    he she they him her them his hers their theirs he's she's they're they've he'll she'll they'll is was
    are were has had says said
    """
)
"""Words with which somebody or something else is told about: "George is angry."."""

TELLING = _words(
    """
    i i'm i've i'll i'd we we're we've we'll we'd my our the there there's a an this these those that's it
    it's everyone everybody somebody someone something some many most one two three kill attack destroy
    defeat hunt slay steal rob bring fetch find give tell show take search curse death
    """
)
"""With these begins what is told or ordered, not said about the listener: "I love apples."."""

HEARSAY = _words(
    "he he's he'll he'd she she's she'll she'd they they're they've they'll they'd someone somebody"
)
"""With these begins what others do or say, even to the listener: "They stole your cow."."""

ABSENT = HEARSAY | _words("him her them his hers their theirs")
"""Words for somebody who is spoken about."""

PRAISING = _words("thank thanks love loves")
"""With these even the weather is a kindness: "We love the rain here."."""

REPORTING = _words("says said told tells claims claimed thinks calls called heard whispers")
"""Verbs with which somebody passes on what others say: "Mira told me that you cheat"."""

CONFESSED = _words(
    """
    stole stolen robbed swindled cheated lied betrayed killed murdered poisoned broke broken burned burnt
    destroyed ruined tricked deceived insulted hurt attacked abandoned mocked threatened sabotaged cursed
    lost sold slapped kicked punched stabbed shot ambushed accused humiliated slaughtered
    """
)
"""What somebody tells who says it of himself: "I stole your hammer."."""

BEFORE_A_VERB = _words("have had 've just also once really accidentally never only already did not")
"""Words that may stand between "I" and what was done."""

OF_THE_WORLD = _words(
    """
    weather rain rains raining storm storms snow wind winds fog cold heat sky sun winter summer autumn spring
    day night morning evening week month year season times luck
    """
)
"""What nobody is to blame for, or to be praised: "Terrible weather today."."""

OPENERS = _words(
    """
    and but so oh then well please hey now or
    """
)
"""Words that may stand before the first meaningful word."""

QUESTIONS = _words(
    """
    do does did don't didn't are is am was were aren't isn't can could can't couldn't will would won't
    wouldn't shall should have has had haven't hasn't may might must who what where when why how which whose
    whom who's what's where's how's
    """
)
"""With these a question begins. "You are awesome, you know that?" is none."""

NEGATIONS = {"nobody": "never", "noone": "never"}
"""Negations that VADER does not know, and a word for each that it knows."""
