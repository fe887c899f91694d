"""The sentences of an NPC that answers without a language model, and the phrases by which it understands a
line.
"""

from __future__ import annotations

from collections.abc import Mapping

ANSWER_GROUPS: Mapping[str, Mapping[str, str]] = {
    "Answers without a language model; keys that end in a number are different ways to say it": {
        "says_memory_1": 'I remember this: "{memory}"',
        "says_memory_2": 'This is what I remember: "{memory}"',
        "says_memory_to_friend_1": 'How could I forget? "{memory}"',
        "says_memory_to_friend_2": 'I remember it well: "{memory}"',
        "says_memory_to_foe_1": 'I have not forgotten. "{memory}"',
        "says_memory_to_foe_2": 'I remember it only too well: "{memory}"',
        "says_fact_1": "{memory}",
        "says_fact_2": "As far as I know: {memory}",
        "says_fact_to_friend_1": "{memory}",
        "says_fact_to_friend_2": "I can tell you that. {memory}",
        "says_fact_to_foe_1": "If you must know: {memory}",
        "says_fact_to_foe_2": "I do not owe you an answer, but here it is. {memory}",
        "says_to_you_1": "I remember. {memory}",
        "says_to_you_2": "I remember it. {memory}",
        "says_to_you_to_friend_1": "How could I forget? {memory}",
        "says_to_you_to_friend_2": "I remember it well. {memory}",
        "says_to_you_to_foe_1": "I have not forgotten. {memory}",
        "says_to_you_to_foe_2": "I remember it only too well. {memory}",
        "says_your_words_1": 'You told me: "{message}"',
        "says_your_words_2": 'Those were your words: "{message}"',
        "says_my_words_1": 'I told you: "{message}"',
        "says_my_words_2": 'Those were my words: "{message}"',
        "says_once_more_1": "I told you already. {memory}",
        "says_once_more_2": "I have said so before. {memory}",
        "says_once_more_to_friend_1": "I told you, my friend. {memory}",
        "says_once_more_to_friend_2": "You have it from me already, my friend. {memory}",
        "says_once_more_to_foe_1": "I told you already. {memory}",
        "says_once_more_to_foe_2": "I told you, and you did not listen. {memory}",
        "says_often_1": "How often do you want to hear it? {memory}",
        "says_often_2": "You ask and ask, and the answer stays the same. {memory}",
        "says_often_to_friend_1": "You do like to hear it, my friend. {memory}",
        "says_often_to_friend_2": "For you, once more. {memory}",
        "says_often_to_foe_1": "Do you never listen? {memory}",
        "says_often_to_foe_2": "I am tired of saying it. {memory}",
        "says_disputed": 'You claimed: "{message}" That is not so.',
        "says_left": "What is left: {amount}.",
        "says_unknown_1": "I know nothing of that.",
        "says_unknown_2": "That I do not know.",
        "says_unknown_3": "I have no idea.",
        "says_unknown_again_1": "I know no more than before.",
        "says_unknown_again_2": "As I said, I do not know.",
        "says_when": "That was {age}.",
        "says_when_heard": "I heard that {age}.",
        "says_where": "That was at this place: {place}.",
        "says_saw": "I was there myself.",
        "says_you_said": "You said so yourself.",
        "says_you_know": "You should know that best.",
        "says_told_by": "I have it from {name}.",
        "says_overheard": "I overheard it.",
        "says_rumor": "I only heard it as a rumour.",
        "says_rumor_from": "I only heard it as a rumour, from {name}.",
        "says_sure": "As far as I know, it is so.",
        "says_not_why": "I could not tell you why.",
        "says_not_when": "I could not tell you when.",
        "says_not_where": "I could not tell you where.",
        "says_not_how_much": "I could not tell you how much.",
        "says_not_source": "I could not tell you where I heard it.",
        "says_stranger_1": "We have not met before.",
        "says_stranger_2": "I do not know you.",
        "says_you_are_1": "You are {name}.",
        "says_you_are_2": "I know you. You are {name}.",
        "says_no_name_of_you": "I know your face, but not your name.",
        "says_about_you_1": "There are things that I remember.",
        "says_about_you_2": "I remember some things about you.",
        "says_about_you_to_friend_1": "I remember you well, my friend.",
        "says_about_you_to_friend_2": "How could I forget you?",
        "says_about_you_to_foe_1": "I have forgotten nothing.",
        "says_about_you_to_foe_2": "More than you would like.",
        "says_little_of_you": "Nothing that is worth telling.",
        "says_i_am": "I am {name}.",
        "says_i_am_with_role": "I am {name}, {role}.",
        "says_i_am_somebody": "My name does not matter.",
        "says_well_1": "I am well enough.",
        "says_well_2": "I cannot complain.",
        "says_mood": "I feel {mood}.",
        "says_opinion_1": "I have nothing against you.",
        "says_opinion_2": "You and I get along.",
        "says_opinion_to_friend_1": "I think well of you.",
        "says_opinion_to_friend_2": "I am glad to have you as a friend.",
        "says_opinion_to_foe_1": "I think little of you.",
        "says_opinion_to_foe_2": "You know what I think of you.",
        "says_heard_1": "Is that so?",
        "says_heard_2": "I see.",
        "says_heard_3": "You don't say.",
        "says_heard_to_friend_1": "I am glad you tell me.",
        "says_heard_to_friend_2": "Tell me more of it.",
        "says_heard_to_friend_3": "I like to hear what you have to tell.",
        "says_heard_to_foe_1": "So you say.",
        "says_heard_to_foe_2": "Why do you tell me that?",
        "says_heard_to_foe_3": "Is that all?",
        "says_noted_1": "I will remember that.",
        "says_noted_2": "I will not forget that.",
        "says_name_1": "{name}. I will remember that name.",
        "says_name_2": "So you are {name}.",
        "says_promise_1": "I will remember that you gave me your word.",
        "says_promise_2": "Then I have your word.",
        "says_promise_to_friend_1": "Your word is good enough for me.",
        "says_promise_to_friend_2": "I know that I can rely on you.",
        "says_promise_to_foe_1": "Words. I will believe it when I see it.",
        "says_promise_to_foe_2": "Your word? We shall see.",
        "says_kept_1": "It is good to see that a word is kept.",
        "says_kept_2": "A promise that is kept is worth more than gold.",
        "says_broken_1": "So that is what your word is worth.",
        "says_broken_2": "I had trusted your word.",
        "says_gift_1": "For me? Thank you.",
        "says_gift_2": "That is kind of you. Thank you.",
        "says_gift_to_friend_1": "For me? You are too kind, my friend.",
        "says_gift_to_friend_2": "You should not have. Thank you, my friend.",
        "says_gift_to_foe_1": "Do you think that you can buy me?",
        "says_gift_to_foe_2": "A gift does not undo what was done.",
        "says_thanks_1": "You are welcome.",
        "says_thanks_2": "It was no trouble.",
        "says_thanks_to_friend_1": "Always, my friend.",
        "says_thanks_to_friend_2": "For you, gladly.",
        "says_thanks_to_foe_1": "Keep your thanks.",
        "says_thanks_to_foe_2": "I did not do it for you.",
        "says_apology_1": "Very well. Let us leave it at that.",
        "says_apology_2": "I hear you.",
        "says_apology_to_friend_1": "It is forgotten.",
        "says_apology_to_friend_2": "Do not worry about it.",
        "says_apology_to_foe_1": "Being sorry does not undo it.",
        "says_apology_to_foe_2": "It will take more than words.",
        "says_insult_1": "I will not be spoken to like that.",
        "says_insult_2": "Mind your tongue.",
        "says_insult_to_friend_1": "That hurts, coming from you.",
        "says_insult_to_friend_2": "I did not deserve that from a friend.",
        "says_insult_to_foe_1": "I expected nothing else from you.",
        "says_insult_to_foe_2": "Say what you like. I have nothing more to say to you.",
        "says_threat_1": "You do not frighten me.",
        "says_threat_2": "Think twice before you threaten me.",
        "says_threat_afraid_1": "Please, I want no trouble.",
        "says_threat_afraid_2": "Do not hurt me.",
        "says_order_1": "I cannot help you with that.",
        "says_order_2": "Not now.",
        "says_order_to_friend_1": "I wish I could, but not now.",
        "says_order_to_friend_2": "Forgive me, I cannot do that now.",
        "says_order_to_foe_1": "Why should I do anything for you?",
        "says_order_to_foe_2": "You do not give me orders.",
        "says_no_thing_1": "Such things are dear to me, and I keep them.",
        "says_no_thing_2": "Ask me again another day.",
        "says_no_thing_to_friend_1": "I wish I could, my friend, but not today.",
        "says_no_thing_to_friend_2": "Ask me again when times are better.",
        "says_no_thing_to_foe_1": "You will get nothing from me.",
        "says_no_thing_to_foe_2": "Why should I give you anything?",
        "says_kind_1": "That is kind of you.",
        "says_kind_2": "It is good to hear that.",
        "says_kind_to_friend_1": "You warm my heart.",
        "says_kind_to_friend_2": "That means a lot to me, my friend.",
        "says_kind_to_foe_1": "Fine words. I do not trust them.",
        "says_kind_to_foe_2": "Spare me.",
        "says_farewell_1": "Farewell.",
        "says_farewell_2": "Until we meet again.",
        "says_farewell_to_friend_1": "Take care of yourself, my friend.",
        "says_farewell_to_friend_2": "Come back soon.",
        "says_farewell_to_foe_1": "Go, then.",
        "says_farewell_to_foe_2": "Good riddance.",
        "says_hello_stranger_1": "We have not met. What brings you here?",
        "says_hello_stranger_2": "Greetings, stranger. What can I do for you?",
        "says_hello_1": "There you are again.",
        "says_hello_2": "Greetings. What is it?",
        "says_hello_to_friend_1": "How good to see you again!",
        "says_hello_to_friend_2": "There you are, my friend!",
        "says_hello_to_foe_1": "You again.",
        "says_hello_to_foe_2": "What do you want?",
        "says_hello_back_1": "What can I do for you?",
        "says_hello_back_2": "Yes? What is it?",
        "says_hello_back_to_friend_1": "I am listening, my friend.",
        "says_hello_back_to_friend_2": "What can I do for you, my friend?",
        "says_hello_back_to_foe_1": "Say what you want.",
        "says_hello_back_to_foe_2": "Well? What is it?",
        "says_seen_1": "Did you see that?",
        "says_seen_2": "I saw that.",
    },
    "Phrases by which a line of the player is understood without a language model, with a bar between them; "
    "where a sentence or a part of one begins, or ends with what follows …": {
        "line_greeting": "hello|hi|hey|greetings|good morning|good day|good evening|good afternoon|well met"
        "|hail|howdy|morning|mornin'|mornin|evening|evenin'|evenin|afternoon|good mornin'|good evenin'|g'day"
        "|hiya|hullo|ahoy|top of the morning|top o' the mornin'|good to see you|nice to see you",
        "line_farewell": "goodbye|good bye|bye|farewell|good night|see you|until next time|until tomorrow"
        "|take care|so long|have a nice day|have a good day|have a good one|enjoy your day|…i need to go"
        "|…i have to go|…i must go|…i should go|…i need to go now|…i have to go now|…i must go now"
        "|…i should go now|i must be going|i will be going|safe travels",
        "line_thanks": "thank you|thanks|thank|many thanks|my thanks|much obliged|i am grateful|i'm grateful"
        "|i thank you",
        "line_order": "give me|make me|bring me|show me|sell me|lend me|get me|take me|help me|follow me"
        "|help|open|close|come|go|get|leave|wait|stop|move|stay|fetch|build|cook|pour|carry|row|hand over"
        "|let me|step aside|get out|shut|hurry|repair|mend|fix|forge|draw|drop|kneel|put|sit|stand|give"
        "|pay me|join me|attack|kill|heal me|teach me|sing|dance|work|fight|do it|do as i say",
        "line_request": "can you|could you|will you|would you|may i|can i|could i|can we|could we|let us"
        "|let's|please|i want you to|i need you to|do me a favour|do me a favor|i would like you to|i need"
        "|i am looking for work|i'm looking for work|i seek work",
        "line_thing": "lend me|give me|sell me|hand me|hand over|spare me|can you lend|could you lend"
        "|will you lend|would you lend|can you give|could you give|will you give|would you give|can you sell"
        "|could you sell|will you sell|would you sell|can you spare|could you spare|won't you give"
        "|won't you lend|please give|please lend|please sell",
        "line_question": "what|who|whom|whose|where|when|why|how|which|do you|did you|did i|do i|did we|do we"
        "|does|have you|have i|have we|has|is|are|was|were|am i|tell me|remind me|what's|who's|remember when"
        "|remember what|remember who|remember how|remember me|remember us|remember the|remember my"
        "|remember our"
        "|remember your|where's|how's|when's|what're|know anything|any news",
    },
    "Short questions of the player about what the NPC has just told, with a bar between them; a whole line, "
    "or a whole part of one": {
        "line_why": "why|but why|and why|why is that|why was that|why so|how come|why did that happen"
        "|why did he do that|why did she do that|why did they do that|why did you do that|for what reason"
        "|what for|and why is that|but why is that|why is it so|why did this happen|why would he do that"
        "|why would she do that|why would they do that|why would anyone do that",
        "line_when": "when|and when|when was that|when was it|and when was that|when did that happen"
        "|when did it happen|when is that|when is it|how long ago|how long ago was that|how long ago was it"
        "|since when|when did this happen|when exactly|when was this",
        "line_where": "where|and where|where was that|where was it|where is that|where is it|where exactly"
        "|where did that happen|where did it happen|and where was that|where did this happen|where was this"
        "|and where is that",
        "line_how_much": "how much|how many|and how much|for how much|how much was it|how much was that"
        "|how much is it|how much is that|how many were there|how many were they|how many of them"
        "|how much exactly",
        "line_source": "who told you|who told you that|who told you so|who told you about it|who said that"
        "|who said so|who says so|who says that|says who|how do you know|how do you know that"
        "|how do you know this|how would you know|where did you hear that|where did you hear it"
        "|from whom|who did you hear it from|who did you hear that from|did you see it"
        "|did you see that yourself|did you see it yourself|were you there|who told you this"
        "|who told you of it|did you see it with your own eyes|how can you be sure|how can you be so sure"
        "|how are you so sure",
        "line_sure": "are you sure|are you sure about that|are you sure of that|are you certain|really"
        "|are you really sure|is that true|is it true|is that really true|are you quite sure|truly"
        "|you sure|you are sure|can that be true|is that certain|do you know that for sure"
        "|are you absolutely sure",
    },
    "Phrases by which a line of the player is understood without a language model, with a bar between them; "
    "anywhere in the line; after … only where a part of it ends, before … only where one begins": {
        "line_who_am_i": "…who am i|…who i am|my name|what am i called|do you know me|do you recognise me"
        "|remember me|do you recognize me|have we met|do we know each other|you remember who i am",
        "line_last_words": "what did i just say|what did i say just now|what have i just said"
        "|what did i just tell"
        "|what have i just told",
        "line_about_me": "remember about me|remember of me|know about me|know of me|about me"
        "|think of when you see me|remember us|about us|you remember so far",
        "line_my_deeds": "what have i done|what did i do|…what i did|…what i have done|…what i've done",
        "line_where_from": "where am i from|where i am from|where i'm from|do i come from|where i come from"
        "|was i born|did i grow up|my home town|my hometown",
        "line_what_am_i": "what am i?|what i am?|my trade?|my profession|what is my job|what's my job"
        "|do i do for a living|i do for a living",
        "line_told_origin": "i am from|i'm from|i come from|i came from|i hail from|i was born|i grew up"
        "|i was raised",
        "line_told_trade": "i am a|i am an|i am the|i'm a|i'm an|i'm the|i work as|i earn my living",
        "line_likes": "…what do i like|…what do i love|…what i like|…what i love|…what am i fond of"
        "|…what i am fond of|…what i'm fond of",
        "line_told_likes": "i like|i love|i really like|i am fond of|i'm fond of|i adore|i enjoy",
        "line_told_why": "because|so that|in order to|since|due to|thanks to|for fear|that is why"
        "|therefore|for the sake of|the reason",
        "line_told_when": "at dawn|at dusk|at noon|at midnight|at night|at sunset|at sunrise|by night|before"
        "|after|until|when|while|during|since|every|in the morning|in the evening|in spring|in summer"
        "|in autumn|in winter|years|days|weeks|months|on monday|on tuesday|on wednesday|on thursday"
        "|on friday|on saturday|on sunday",
        "line_told_where": "in|at|on|under|behind|beside|near|below|above|between|inside|outside|among"
        "|by the|by a|to the|from the|through|across|along|beneath",
        "line_who_are_you": "who are you|your name|what are you called|about yourself|introduce yourself"
        "|what do you do for a living|what do you do here|what is your line of work|what's your line of work",
        "line_what_are_you": "…what do you do|…your job|…your trade|…your profession|…your occupation"
        "|…your line of work|…what are you|are you a|are you an|are you the",
        "line_origin": "where do you come from|…where are you from|where were you born|where did you grow up"
        "|where do you hail from|where is your home|where's your home",
        "line_origin_told": "i come from|i came from|i am from|i'm from|i was born|i grew up|i hail from",
        "line_family": "do you have children|do you have any children|do you have kids|do you have any kids"
        "|have you any children|have you children|your children|do you have a family|do you have family"
        "|your family",
        "line_family_told": "my daughter|my daughters|my son|my sons|my children|my child",
        "line_promise_kept": "did i keep my promise|did i keep my word|have i kept my promise"
        "|have i kept my word|did i break my promise|did i break my word|have i broken my promise"
        "|have i broken my word|did i keep the promise|have i kept the promise",
        "line_exclamation": "what a|what an|how nice|how kind|how sweet|how lovely|how awful|how terrible"
        "|how sad",
        "line_how_are_you": "how are you|how do you feel|how do you do|how have you been|are you well"
        "|are you all right|are you ok|are you okay|are you alright|how is it going"
        "|how's it going|how goes it",
        "line_feeling": "are you angry|are you still angry|are you so angry|are you upset|are you still upset"
        "|are you so upset|are you annoyed|are you so annoyed|are you furious|are you so furious"
        "|are you afraid?|are you scared?|are you sad|are you so sad|are you happy?"
        "|are you so happy|are you glad?|are you worried?|are you so worried",
        "line_opinion": "do you like me|do you love me|do you hate me|do you trust me|do you fear me"
        "|think of me|feel about me|feel towards me|are we friends|your trust|do you forgive me|forgiven me"
        "|do you still like|do you still trust|angry with me|angry at me|mad at me|mad with me|upset with me"
        "|cross with me|afraid of me|scared of me|can i trust you|can i rely on you|can i count on you",
        "line_threat": "kill you|burn you|burn your|hurt you|cut you|break your|beat you|stab you|destroy you"
        "|end you|or else|or i will|or i'll|you will regret|you'll regret|you will pay for|you'll pay for"
        "|watch your back|your money or your life|make you pay|you will be sorry|you'll be sorry",
        "line_apology": "i'm sorry|i am sorry|i'm so sorry|i am so sorry|sorry for|sorry about|forgive me"
        "|i apologise|i apologize|my apologies|i beg your pardon|did not mean to|didn't mean to|i was wrong",
        "line_insult": "shut up|damn you|curse you|get lost|go to hell|to hell with you|how dare you"
        "|are you stupid|are you dumb|are you insane|are you mad or|are you a fool|are you an idiot"
        "|are you a coward|are you a liar|are you a thief|are you a traitor"
        "|you stupid|you idiot|you fool|you moron|you coward|you liar|you traitor"
        "|what is wrong with you|what's wrong with you",
        "line_told_thing": "hint|advice|directions|news|name|reason|answer|idea|clue|details|word",
        "line_empty": "tell|remember|know|think|happen|thing|something|anything|everything|ever|still"
        "|already|please|really|exactly|today|now|here|there|say|said|talk|speak|hear"
        "|heard|see|seen|find|found|get|got|go|going|come|want|need|like|well|back|yet"
        "|much|many|long|ago|last|time|one",
        "line_not": "did i|have i|not|never|won't|don't|didn't|cannot|can't|wouldn't|couldn't|isn't",
    },
}
"""By their use, as in wording.py."""
