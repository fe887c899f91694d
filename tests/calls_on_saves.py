"""The calls of a game on a save and everything that it has, each by its name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from rag_memory import MemoryConfig, Save
from rag_memory.npc.npc import Npc
from rag_memory.text.file_text import FileText

Call = tuple[str, Callable[[], object]]

_SMALL = MemoryConfig(max_memories_before_consolidate=10, consolidate_target=5)


def reading(save: Save, npc_ids: tuple[str, ...]) -> Iterator[Call]:
    """Calls that read everything there is."""
    world = save.world
    yield "health", save.overview.health
    yield "counts", save.overview.counts
    yield "list_npcs", save.overview.list_npcs
    yield "get_flags", world.facts.get_flags
    yield "world.get_facts", world.facts.get_facts
    yield "get_player_info", world.facts.get_player_info
    yield "get_character", partial(world.characters.get_character, "elena")
    yield "list_characters", world.characters.list_characters
    yield "get_events", world.events.get_events
    yield "search_events", partial(world.events.search_events, "elena", "Who burned the mill?")
    yield "get_tasks", world.tasks.get_tasks
    yield "list_lore", world.lore.list_lore
    yield "search_lore", partial(world.lore.search_lore, "How old is the mill?")
    yield "search_debates", partial(world.debates.search_debates, "the mill")
    yield "get_profile", partial(world.profiles.get_profile, "elena")
    yield "world.export_json", world.json.export_json
    for npc_id in npc_ids:
        for name, call in _reading_of(save.npc(npc_id)):
            yield f"{npc_id}.{name}", call
    yield "feelings", save.overview.feelings
    yield "snapshots", save.snapshots.slots


def _reading_of(npc: Npc) -> Iterator[Call]:
    yield "retrieve_scored", partial(npc.recall.retrieve_scored, "Who mended the roofs at the mill?")
    yield "retrieve_tiered", partial(npc.recall.retrieve_tiered, "the mill")
    yield "retrieve_relevant_raw", partial(npc.recall.retrieve_relevant_raw, "Theron mended")
    yield "recall_best", partial(npc.recall.recall_best, "What is the player's name?")
    yield "get_recent", partial(npc.recall.get_recent, 50)
    yield "explain", partial(npc.recall.explain, "the mill")
    yield "knows", partial(npc.recall.knows, "The player mended a roof.")
    yield "knows_event", partial(npc.recall.knows_event, {"event_type": "fire"})
    yield "get_npc_state", npc.relationship.get_npc_state
    yield "check_npc_state", partial(npc.relationship.check_npc_state, "bjorn")
    yield "get_relationship", partial(npc.relationship.get_relationship, "player")
    yield "header", npc.relationship.generate_relationship_header
    yield "get_interactions", npc.mind.get_interactions
    yield "get_disposition", partial(npc.mind.feelings.get_disposition, "player")
    yield "get_dispositions", npc.mind.feelings.get_dispositions
    yield "get_emotion", npc.mind.feelings.get_emotion
    yield "get_diary", npc.diary.get_diary
    yield "get_exchanges", npc.exchange_undo.get_exchanges
    yield "get_memory_count", npc.memories.get_memory_count
    yield "get_memory_stats", npc.memories.get_memory_stats
    yield "get_facts", npc.mind.reflections.get_facts
    yield (
        "answer_from_memory",
        partial(npc.unaided_answers.answer_from_memory, "line", "Who mended the roof?"),
    )
    yield "browse", partial(npc.tools.browse, {"sort": "timestamp"})
    yield "get_timeline", npc.tools.get_timeline
    yield "export_json", npc.tools.export_json
    yield "export_csv", npc.tools.export_csv
    yield "dump_all_memories", npc.tools.dump_all_memories
    yield "get_archived", npc.archive.get_archived
    yield "needs_consolidation", npc.archive.needs_consolidation
    yield "preview_consolidation", npc.archive.preview_consolidation
    yield "get_turns", npc.conversation.get_turns
    yield "get_conversation_summary", npc.conversation.get_conversation_summary
    yield "build_prompt", partial(npc.prompts.build_prompt, "line", "Who are you?")
    yield "build_dossier", partial(npc.dossiers.build_dossier, "Who are you?")


def writing(save: Save, npc_ids: tuple[str, ...]) -> Iterator[Call]:
    """Calls that change something of everything, without taking anything away."""
    world = save.world
    yield "set_flags", partial(world.facts.set_flags, {"peace": True})
    yield "set_facts", partial(world.facts.set_facts, {"smith": {"text": "Mira is the smith."}})
    yield "set_player_info", partial(world.facts.set_player_info, {"title": "Sir"})
    yield "register_character", partial(world.characters.register_character, "mira", {"name": "Mira"})
    yield (
        "record_event",
        partial(world.events.record_event, {"summary": "It snowed.", "visibility": "global"}),
    )
    yield "add_task", partial(world.tasks.add_task, {"assignee": "elena", "summary": "Sweep the inn"})
    lore = FileText("# Inn\n\nThe inn is new.\n")
    yield "import_lore", partial(world.lore.import_lore, lore, {"key": "inn"})
    yield "ensure_profile", partial(world.profiles.ensure_profile, "bjorn")
    yield "set_profile", partial(world.profiles.set_profile, "elena", {"goals": ["a new mill"]})
    yield "run_maintenance", world.maintenance.run_maintenance
    for npc_id in npc_ids:
        for name, call in _writing_of(save.npc(npc_id, _SMALL)):
            yield f"{npc_id}.{name}", call
    yield "idle", partial(_idle, save)
    yield "mark", save.marks.add
    yield "snapshot", partial(save.snapshots.take, "quick")


def _writing_of(npc: Npc) -> Iterator[Call]:
    yield "store", partial(npc.memories.store, "The bridge is out.", 5)
    yield "store_again", partial(npc.memories.store, "It rained.", 2)
    yield (
        "store_with_conflict_check",
        partial(npc.memories.store_with_conflict_check, "The player is called Falk.", 5),
    )
    yield "store_batch", partial(npc.memories.store_batch, [{"text": f"New {n}."} for n in range(20)])
    yield "store_relationship", partial(npc.relationship.store_relationship, "player", {"trust": 10})
    yield "store_npc_state", partial(npc.relationship.store_npc_state, True)
    yield (
        "perceive",
        partial(npc.mind.perceive, {"content": "Thank you!", "source_id": "player", "action": "gifted"}),
    )
    yield "adjust_disposition", partial(npc.mind.feelings.adjust_disposition, "player", 0.1)
    yield "feel", partial(npc.mind.feelings.feel, "sad", 0.5)
    yield "store_turn", partial(npc.conversation.store_turn, "Good morning!", "Good morning, Theron.")
    yield "record_exchange", partial(npc.exchanges.record_exchange, "Any news?", {"response": "None."})
    yield "undo_exchange", npc.exchange_undo.undo_exchange
    yield "reflect", partial(npc.mind.reflections.reflect, True)
    yield "learn_fact", partial(npc.mind.reflections.learn_fact, "The player likes tea.")
    yield "update_memory", partial(_update, npc)
    yield "consolidate", npc.archive.consolidate
    yield "restore_archived", partial(_restore, npc)
    yield "captured", partial(_capture, npc)


def changing(save: Save, npc_ids: tuple[str, ...]) -> Iterator[Call]:
    """Calls that take much away or move it."""
    yield "rebuild_index", save.indexes.rebuild
    if "manual" in save.snapshots.slots():
        yield "compare_snapshots", partial(save.snapshots.compare, "manual")
        yield "restore", partial(save.snapshots.restore, "manual")
    yield "forget_where", partial(save.npc(npc_ids[0]).memories.forget_where, {"location": "inn"})
    yield "merge", partial(save.identities.merge, npc_ids[0], npc_ids[1])
    yield "retire_player", partial(save.identities.retire_player, "falk", "Falk")
    yield "rename", partial(save.identities.rename, npc_ids[0], "mirabel")
    yield "forget_player", partial(save.player_data.forget, "player")
    yield "rollback_to", partial(save.marks.rollback_to, 0.0)
    yield "clear_all_memories", save.npc("mirabel").clear_all_memories


def _idle(save: Save) -> None:
    for _ in range(100_000):
        step = save.idle_step()
        if step is None or step.is_waiting:
            return
    raise AssertionError("the background work does not end")


def _update(npc: Npc) -> None:
    for memory in npc.recall.get_recent(3):
        npc.memories.update_memory(memory["id"], {"location": "inn"})


def _restore(npc: Npc) -> None:
    for memory in npc.archive.get_archived()[:2]:
        npc.archive.restore_archived(memory["id"])


def _capture(npc: Npc) -> None:
    ids = [memory["id"] for memory in npc.recall.get_recent(3)]
    npc.tools.put_back_memories(npc.tools.capture_memories(ids))
