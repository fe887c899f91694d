"""The functions of the game that the worker asks: Callables that a game sets on MemoryServer."""

from __future__ import annotations

import enum

from rag_memory.godot.declare import GodotCallable, Property, Variant


class GameFunction(enum.IntEnum):
    """The functions of the game that the worker asks. In lower case, a name is a property of MemoryServer and
    a field of SaveContext; the numbers are those of ServerProperty in native/src/calls/instance.h.
    """

    SUMMARIZER = 0
    REFLECTOR = 1
    SENTIMENT_ANALYZER = 2
    PROFILE_WRITER = 3
    EXTRACTOR = 4
    DEBATE_WRITER = 5
    TASK_VALIDATOR = 6


_DOCS = {
    GameFunction.SUMMARIZER: (
        "Writes the summaries of `RAGMemory.consolidate()`, for example with a language model. Without one "
        "a summary consists of the memories' own sentences.\n\n"
        "It is called on the main thread with one Dictionary: `npc_id`, `sources` (the memories, as "
        "`RAGMemory.get_memory()` returns them), `extract` (the summary that is used otherwise), `dates`, "
        "`topics`, `people`, `numbers`, `source_ids` and `max_chars` (a good "
        'length). For a day of `RAGMemory.get_diary()` there are `purpose` (`"diary"`) and `voice` (how the '
        "NPC writes), too. It returns the text, and may `await`. It may also return a signal, or an object "
        "with a signal `completed`, such as a `MemoryRequest`.\n\n"
        "If it fails, returns no text, or takes longer than `MemoryConfig.summarizer_timeout_seconds`, the "
        "extract is used, with a warning. A `RAGMemory.consolidate()` that blocks the main thread cannot "
        "wait for an `await`. `RAGMemory.consolidate_async()` and `MemoryConfig.auto_consolidate` can, and "
        "the NPC answers meanwhile. Opening, closing and copying a save and the end of the game do not wait "
        "for it.\n\n"
        "```gdscript\n"
        "MemoryServer.summarizer = func(request: Dictionary) -> String:\n"
        '    return await my_language_model.ask("Summarise: " + request.extract)\n'
        "```"
    ),
    GameFunction.REFLECTOR: (
        "Draws the conclusions of `NPCMind.reflect()`, for example with a language model. Without one they "
        "follow from who did what, how often and where.\n\n"
        "It is called on the main thread with one Dictionary: `npc_id`, `insights` (how many are wanted) "
        "and `memories` (Dictionaries with `id`, `text`, `importance`, `timestamp`, `source_id`, `emotion`, "
        "`location` and `participants`). It returns an Array of Strings, or of Dictionaries with `text`, "
        "`evidence` (ids of at least two of the memories), `about` (ids of characters) and `stance` (1 "
        "speaks for them, -1 against them). It may `await`, with the time limit of "
        "`MemoryServer.summarizer`.\n\n"
        "When it fails or returns something else, the conclusions are drawn without it, with a warning."
    ),
    GameFunction.SENTIMENT_ANALYZER: (
        "Rates how something was meant, if `NPCMindConfig.sentiment_mode` is `MODEL`. It is called on the "
        "main thread with one Dictionary: `npc_id`, `content` and `action`. It returns a number: below 0 "
        "for harm, above 0 for kindness, about -30 to 20. It may `await`, as `MemoryServer.summarizer` "
        "may.\n\n"
        "When it fails or returns something else, the words are weighed as in `LEXICON`, with a warning."
    ),
    GameFunction.PROFILE_WRITER: (
        "Writes who an NPC is, for `MemoryWorld`, for example with a language model. Without one, a profile "
        "is made of the NPC's traits and stats, and of the lore and the events that concern it.\n\n"
        "It is called on the main thread with one Dictionary: `npc_id`, `character` (what "
        "`MemoryWorld.get_character()` returns), `stats`, `lore` and `events` (Arrays of Dictionaries), "
        "`draft`, the profile that is used otherwise, and `relationship`, the relationship to the player, "
        "if that has changed already. It returns a Dictionary with keys of the draft; those that it leaves "
        "out are taken from the draft. It may `await`, with the time limit of `MemoryServer.summarizer`.\n\n"
        "When it fails or returns something else, the draft is used, with a warning.\n\n"
        "```gdscript\n"
        "MemoryServer.profile_writer = func(request: Dictionary) -> Dictionary:\n"
        '    var text: String = await my_language_model.ask("Who is she? " + str(request))\n'
        "    return JSON.parse_string(text)\n"
        "```"
    ),
    GameFunction.EXTRACTOR: (
        "Finds what an NPC should remember of a turn of a conversation, for example with a language model. "
        "Without one rules find promises, names, gifts, debts, plans and places.\n\n"
        "It is called on the main thread with one Dictionary: `npc_id`, `turn_id`, what "
        "`RAGMemory.store_turn()` was given (`player_message`, `npc_message` and so on), and `memories`, "
        "those that the rules found. It returns an Array of such Dictionaries, with `text`, `importance` (1 "
        "to 10) and the keys of `data` in `RAGMemory.store()`, or of Strings. With `null` the memories of "
        "the rules are stored. It may `await`, with the time limit of `MemoryServer.summarizer`.\n\n"
        "When it fails or returns something else, the memories of the rules are stored too, with a warning."
    ),
    GameFunction.DEBATE_WRITER: (
        "Lets NPCs debate while the player is not there, for example with a language model. Without one, "
        "the feelings and loyalties of the participants decide.\n\n"
        "It is called on the main thread with one Dictionary: `topic`, `participants` and `draft` (the "
        "debate that is used otherwise). It returns a Dictionary with `summary` and `outcome`. It may "
        "`await`, with the time limit of `MemoryServer.summarizer`.\n\n"
        "When it fails or returns something else, the draft is used, with a warning."
    ),
    GameFunction.TASK_VALIDATOR: (
        "Accepts or rejects the tasks that are proposed to `MemoryWorld`. Without one they stay proposed "
        "until the game gives them another status.\n\n"
        "It is called on the main thread with one Dictionary, whose `task` is the task. It returns a bool, "
        "or a Dictionary with `accepted` and `reason`. It may `await`, with the time limit of "
        "`MemoryServer.summarizer`.\n\n"
        "When it fails or returns something else, the task stays proposed, with a warning."
    ),
}

_OR_A_MODEL = (
    "It is a Callable, or an `NPCLanguageModel`, which is then asked in the background "
    "(`NPCLanguageModel.max_calls_per_hour` limits it). The Dictionary also has `messages` and `schema`: "
    "what such a model is asked, and the JSON schema of its answer."
)


def function_properties() -> list[Property]:
    """The properties of MemoryServer that hold them."""
    return [
        Property(function.name.lower(), GodotCallable, None, _DOCS[function])
        if function == GameFunction.TASK_VALIDATOR
        else Property(function.name.lower(), Variant, None, f"{_DOCS[function]}\n\n{_OR_A_MODEL}")
        for function in GameFunction
    ]
