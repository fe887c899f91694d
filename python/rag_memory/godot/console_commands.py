"""The commands of MemoryDebugConsole: the help of all of them, and what those about a memory do."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from types import GeneratorType
from typing import Any, NamedTuple

from rag_memory.errors import InvalidArgumentError
from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.npc.npc import Npc
from rag_memory.step import Steps
from rag_memory.validation import shown
from rag_memory.world.personality import Personality

DIMENSIONS = ("trust", "respect", "affection", "fear", "familiarity")
HELP: Mapping[str, str] = {
    "help": "help [command]: this list, or one command",
    "npcs": "npcs: every NPC with a memory in the scene",
    "npc": "npc ID: choose whose memory the other commands are about",
    "list": "list [COUNT]: the newest memories (10)",
    "turns": "turns [COUNT]: what was said last (6), and what the summary tells of before",
    "show": "show [MEMORY]: one memory in full, or the NPC. A MEMORY is an id, or #1 for the first line",
    "search": "search TEXT: what retrieve_scored() returns for it, with each score's factors",
    "store": "store [IMPORTANCE] TEXT: store a memory (importance 5)",
    "forget": "forget MEMORY: delete it for good",
    "pin": "pin MEMORY: make it PINNED",
    "unpin": "unpin MEMORY: give it the tier of its event again",
    "relationship": "relationship [DIMENSION VALUE]: show it, or set trust, affection, fear, ...",
    "flag": "flag [NAME [VALUE]]: all story flags, one of them, or set it",
    "show_npc": "show_npc ID: choose this NPC and show it",
    **{f"set_{name}": f"set_{name} ID VALUE: choose this NPC and set its {name}" for name in DIMENSIONS},
    "has_met": "has_met ID: choose this NPC; whether it has met the player, and when",
    "reset_npc": "reset_npc ID confirm: choose this NPC; it forgets everything for good",
    "dump_prompt": "dump_prompt ID [LINE]: choose this NPC; the prompt for its answer to the player's LINE",
    "dossier": "dossier [LINE]: what it knows for its answer to the player's LINE, and what was left out",
    "set_flag": "set_flag NAME VALUE: set a story flag",
    "consolidate": "consolidate: merge old memories into summaries",
    "snapshot": "snapshot SLOT: keep the save as it is now",
    "snapshots": "snapshots: all snapshots of the save",
    "restore": "restore SLOT: go back to a snapshot",
    "rollback": "rollback TIME: forget everything after this game time in seconds; -3d, -2h: so long ago",
    "stats": "stats: numbers of this NPC's memory and of the runtime",
    "dump": "dump: all memories as text",
    "clear": "clear: empty the screen",
    "mood": "mood [ID]: the mood of this NPC, or of the chosen one",
    "feelings": "feelings [ID]: what it feels towards others, the strongest first",
    "interactions": "interactions [ID] [COUNT]: what happened to it last (10)",
    "reflect": "reflect [ID]: let it draw conclusions from its last memories",
    "perceive": "perceive ID ACTION [SOURCE] [WORDS]: something happens to it, such as: spoke kael You fool!",
    "quests": "quests: the quests that this NPC remembers, and how they stand",
    "quest_info": "quest_info QUEST: all that this NPC remembers of a quest, oldest first",
    "quest_start": "quest_start QUEST: this NPC learns that the player took on a quest",
    "quest_complete": "quest_complete QUEST [ENDING]: this NPC learns that the player completed it, and how",
    "quest_fail": "quest_fail QUEST: this NPC learns that the player failed it",
    "quest_reset": "quest_reset QUEST: this NPC forgets the quest",
    "objective_complete": (
        "objective_complete QUEST OBJECTIVE: this NPC learns that a part of the quest is done"
    ),
}
"""The help line of every command, in the order of `help`."""
_TIERS = ("pinned", "important", "regular")
_FACTORS = {"tier": "tier_weight"} | {
    key: key for key in ("importance", "recency", "relevance", "supersession")
}
_QUEST_STATES = {"quest_started": "started", "quest_completed": "completed", "quest_failed": "failed"}
"""The state of a quest by the event type of its newest memory that has one."""
_OBJECTIVE = "quest"
_QUEST_IMPORTANCE = 8
_MOST_MEMORIES = 1000
_DEFAULT_COUNT, _DEFAULT_TURNS, _DEFAULT_IMPORTANCE = 10, 6, 5
_DEFAULT_LINE = "Hello."
_NUMBER = lazy_pattern(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_INTEGER = lazy_pattern(r"[+-]?\d+")


class CommandError(Exception):
    """A command cannot be carried out; the message is what the console prints."""


class Output(NamedTuple):
    """What a command prints."""

    pieces: Sequence[str | float | Mapping[str, Any]]
    """Text; a number is a game time in seconds, a mapping is printed as JSON."""
    listed: Sequence[str] | None = None
    """The ids of the memories that `#1`, `#2`, ... stand for from now on; None if that does not change."""


def run_command_steps(
    npc: Npc, command: str, words: str, options: Mapping[str, Any]
) -> Steps[dict[str, Any]]:
    """Carry out RAGMemory.run_command(). An unknown command raises InvalidArgumentError."""
    if command not in _COMMANDS:
        raise InvalidArgumentError(
            f"run_command(): no command about a memory is called {shown(command)}",
            "",
            "See MemoryDebugConsole",
        )
    yield from npc.load_steps()
    try:
        if (command == "show" and not words) or command == "show_npc":
            output: Any = _npc_lines(npc, options.get("personality"))
        else:
            output = _COMMANDS[command](npc, words)
            if isinstance(output, GeneratorType):
                output = yield from output
    except CommandError as failure:
        return {"pieces": [str(failure)], "is_failed": True}
    pieces, listed = output if isinstance(output, Output) else Output([output])
    result = {"pieces": pieces, "is_failed": False}
    return result if listed is None else {**result, "listed": listed}


def _list(npc: Npc, words: str) -> Output:
    count = int(words) if _INTEGER.fullmatch(words) else _DEFAULT_COUNT
    return _memory_lines(npc.recall.get_recent(count, listeners=[]), with_scores=False)


def _search(npc: Npc, words: str) -> Output:
    return _memory_lines(npc.recall.retrieve_scored(words), with_scores=True)


def _memory_lines(memories: Sequence[Mapping[str, Any]], with_scores: bool) -> Output:
    pieces: list[str | float] = []
    for number, record in enumerate(memories, 1):
        metadata = record["metadata"]
        event = metadata["event_type"] + (" superseded" if metadata.get("superseded_by") else "")
        start = "\n" if pieces else ""
        tier = _TIERS[metadata["memory_tier"]]
        line = f"{start}#{number} {tier}, importance {metadata['importance']}, {event}, "
        pieces += [line, float(metadata["timestamp"])]
        score = f"\n   {_score(record)}" if with_scores else ""
        text = record["rendered_text"].replace("\n", " ")
        pieces.append(f"{score}\n   {text}")
    return Output(pieces or ["Nothing."], [record["id"] for record in memories])


def _score(record: Mapping[str, Any]) -> str:
    if record["protected"]:
        return "protected: always there"
    factors = ", ".join(f"{name} {record['breakdown'][key]:.2f}" for name, key in _FACTORS.items())
    return f"score {record['score']:.3f}: {factors} ({record['used_form']} form)"


def _turns(npc: Npc, words: str) -> str:
    turns = npc.conversation.get_turns(int(words) if _INTEGER.fullmatch(words) else _DEFAULT_TURNS)
    summary = npc.conversation.get_conversation_summary()
    count = summary["turn_count"]
    lines = [f"Summary of {count} turns: {summary['summary']}"] if count else []
    for turn in turns:
        lines.append(f"day {turn['day']:.1f}, player: {turn['player_message']}")
        lines.append(f"    {npc.npc_id}: {turn['npc_message']}")
    return "\n".join(lines) or "Nothing was said."


def _show(npc: Npc, words: str) -> Output:
    record = npc.memories.get_memory(words)
    if not record:
        raise CommandError(f"{npc.npc_id} has no memory {words}.")
    return Output(["Game time: ", float(record["metadata"]["timestamp"]), "\n", record])


def _npc_lines(npc: Npc, personality: Mapping[str, Any] | None) -> str:
    header = npc.relationship.generate_relationship_header()
    lines = [f"{npc.npc_id}: {npc.memories.get_memory_count()} memories", _header_line(header)]
    if personality is not None:
        lines += _personality_lines(Personality.from_data(personality), _dimensions(header))
    return "\n".join(lines)


def _personality_lines(personality: Personality, relationship: Mapping[str, Any]) -> list[str]:
    """Return every secret: whether the NPC would tell it, and what it takes; and whether there is romance."""
    unlocked = personality.unlocked_indices(relationship)
    lines = []
    for index, secret in enumerate(personality.secrets):
        state = "would tell"
        if secret.get("unbreakable") or not {"unlock_trust", "unlock_affection"} & secret.keys():
            state = "never tells"
        elif index not in unlocked:
            trust, affection = secret.get("unlock_trust", "any"), secret.get("unlock_affection", "any")
            state = f"hides until trust {trust}, affection {affection}"
        lines.append(f"{state}: {secret.get('secret', '')}")
    if personality.is_romantic_available:
        is_open = personality.is_romance_unlocked(relationship)
        lines.append(f"romance: {'possible' if is_open else 'not yet'}")
    return lines


def _store(npc: Npc, words: str) -> str:
    importance, (first, _, text) = _DEFAULT_IMPORTANCE, words.partition(" ")
    if _INTEGER.fullmatch(first):
        importance, words = int(first), text.strip()
    if not words:
        raise CommandError(HELP["store"])
    return f"Stored as {npc.memories.store(words, importance)}"


def _change(method: Callable[[Npc, str], bool], message: str) -> Callable[[Npc, str], str]:
    """Make a command that changes one memory."""

    def run(npc: Npc, words: str) -> str:
        if not method(npc, words):
            raise CommandError(f"{npc.npc_id} has no memory {words}.")
        return f"{message}: {words}"

    return run


def _relationship(npc: Npc, words: str) -> str:
    if not words:
        return _header_line(npc.relationship.generate_relationship_header())
    dimension, _, value = words.lower().partition(" ")
    return _set_dimension(dimension, npc, value.strip(), "relationship")


def _set_dimension(dimension: str, npc: Npc, value: str, command: str = "") -> str:
    if not _NUMBER.fullmatch(value) or not math.isfinite(float(value)):
        raise CommandError(HELP[command or f"set_{dimension}"])
    relationship = npc.relationship
    dimensions = _dimensions(relationship.generate_relationship_header())
    if dimension not in dimensions:
        raise CommandError(f"The dimensions are {', '.join(dimensions)}.")
    wanted = round(float(value))
    relationship.store_relationship("player", {dimension: wanted})
    if _dimensions(relationship.generate_relationship_header()).get(dimension) != wanted:
        # A state that the game has set goes before the stored one, so it is set, too.
        relationship.set_relationship_state({**dimensions, dimension: wanted})
    return _header_line(relationship.generate_relationship_header())


def _dimensions(header: Mapping[str, Any]) -> dict[str, Any]:
    """Return the five numbers of a relationship header."""
    relationship = header["metadata"]["relationship"]
    return {key: relationship[key] for key in relationship if key not in ("met", "days_known", "status")}


def _header_line(header: Mapping[str, Any]) -> str:
    """Return a relationship header with the familiarity, which it does not show."""
    return f"{header['document']} Familiarity={int(_dimensions(header)['familiarity'])}"


def _has_met(npc: Npc, _words: str) -> str:
    relationship = npc.relationship.generate_relationship_header()["metadata"]["relationship"]
    summary = f"familiarity {int(relationship['familiarity'])}, {npc.memories.get_memory_count()} memories"
    ago = f"met the player, {relationship['days_known']} days ago"
    return f"{npc.npc_id} has {ago if relationship['met'] else 'never met the player'}: {summary}."


def _reset_npc(npc: Npc, words: str) -> str:
    if words not in ("", "confirm"):
        raise CommandError(HELP["reset_npc"])
    if not words:
        return (
            f"{npc.npc_id} would forget {npc.memories.get_memory_count()} memories and the relationship for "
            f"good. Type: reset_npc {npc.npc_id} confirm"
        )
    count = npc.clear_all_memories()
    npc.relationship.set_relationship_state({})
    forgotten = f"{npc.npc_id} is as at first: {count} memories are forgotten."
    return f"{forgotten} What the game itself keeps is as it was."


def _dossier(npc: Npc, words: str) -> Steps[str]:
    dossier = yield from npc.dossiers.build_dossier.steps(words or _DEFAULT_LINE)
    lines = [dossier["text"], ""]
    for section, details in dossier["sections"].items():
        ids = ", ".join(dossier["sources"].get(section, []))
        lines.append(f"{section}: {details['tokens']} of {details['budget']} tokens  {ids}")
    lines.append(f"together: {dossier['tokens']} tokens")
    for entry in dossier["left_out"]:
        lines.append(f"left out of {entry['section']}: {entry['id']}, {entry['reason']}")
    return "\n".join(lines)


def _quests(npc: Npc, _words: str) -> Steps[str]:
    states: dict[str, str] = {}
    counts: dict[str, int] = {}
    for memory in (yield from _quest_memories(npc)):
        quest = memory["metadata"]["quest_id"]
        counts[quest] = counts.get(quest, 0) + 1
        before = states.get(quest, "going on")
        states[quest] = _QUEST_STATES.get(memory["metadata"]["event_type"], before)
    lines = [f"{quest}: {state} ({counts[quest]} memories)" for quest, state in states.items()]
    return "\n".join(lines) or "This NPC remembers no quest."


def _quest_info(npc: Npc, quest: str) -> Steps[str]:
    memories = yield from _quest_memories(npc, quest)
    return "\n".join(f"{memory['metadata']['event_type']}: {memory['document_full']}" for memory in memories)


def _quest_reset(npc: Npc, quest: str) -> Steps[str]:
    memories = yield from _quest_memories(npc, quest)
    for memory in memories:
        npc.memories.forget(memory["id"])
    return f"Forgotten: {len(memories)} memories of the quest {memories[0]['metadata']['quest_id']}."


def _quest_memories(npc: Npc, about: str = "") -> Steps[list[dict[str, Any]]]:
    """Return the memories about quests, or about one, oldest first."""
    page = yield from npc.tools.browse.steps(
        {
            "filter": {"event_type": {"in": [*_QUEST_STATES, _OBJECTIVE]}},
            "sort": "timestamp",
            "descending": False,
            "limit": _MOST_MEMORIES,
        }
    )
    quest = about.partition(" ")[0]
    memories = [memory for memory in page["rows"] if memory["metadata"].get("quest_id")]
    memories = [memory for memory in memories if quest in ("", memory["metadata"]["quest_id"])]
    if quest and not memories:
        raise CommandError(f"This NPC remembers no quest {quest}. Try: quests")
    return memories


def _quest_outcome(outcome: str) -> Callable[[Npc, str], str]:
    def run(npc: Npc, words: str) -> str:
        quest, _, ending = words.partition(" ")
        if ending and outcome == "completed":
            return _store_quest(npc, "quest_completed", "quest_ended", quest, {"ending": ending.strip()})
        return f"Stored as {npc.memories.store_quest_memory(quest, outcome)}"

    return run


def _objective_complete(npc: Npc, words: str) -> str:
    quest, _, part = words.partition(" ")
    return _store_quest(npc, _OBJECTIVE, "quest_part_done", quest, {"part": part.strip()})


def _store_quest(npc: Npc, event_type: str, sentence: str, quest: str, detail: Mapping[str, str]) -> str:
    text = npc.config.sentence(sentence, quest=quest.replace("_", " "), **detail)
    data = {
        "event_type": event_type,
        "quest_id": quest,
        "outcome": " ".join(detail.values()),
        "participants": ["player"],
        "check_names": False,
    }
    return f"Stored as {npc.memories.store(text, _QUEST_IMPORTANCE, data)}"


_COMMANDS: Mapping[str, Callable[[Npc, str], Any]] = {
    "list": _list,
    "turns": _turns,
    "show": _show,
    "show_npc": _show,
    "search": _search,
    "store": _store,
    "forget": _change(lambda npc, id: npc.memories.forget(id), "Forgotten"),
    "pin": _change(lambda npc, id: npc.memories.pin_memory(id), "Pinned"),
    "unpin": _change(lambda npc, id: npc.memories.unpin_memory(id), "Unpinned"),
    "relationship": _relationship,
    **{f"set_{name}": functools.partial(_set_dimension, name) for name in DIMENSIONS},
    "has_met": _has_met,
    "reset_npc": _reset_npc,
    "dossier": _dossier,
    "consolidate": lambda npc, _words: npc.archive.consolidate.steps(),
    "dump": lambda npc, _words: npc.tools.dump_all_memories(),
    "quests": _quests,
    "quest_info": _quest_info,
    "quest_start": _quest_outcome("started"),
    "quest_complete": _quest_outcome("completed"),
    "quest_fail": _quest_outcome("failed"),
    "quest_reset": _quest_reset,
    "objective_complete": _objective_complete,
}
"""The commands about a memory. The other ones need the scene, the save, or an NPCMind."""
