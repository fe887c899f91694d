"""The names by which an NPC knows the player: a player who takes another name is the same person."""

from __future__ import annotations

from rag_memory.searchable.records import OwnedRecords
from rag_memory.searchable.search_index import PLAYER_NAME_SLOT, written_name
from rag_memory.text.other_names import OtherNames


def player_names(records: OwnedRecords) -> list[str]:
    """Return the player's name as the NPC knows it, then the former ones, the last one first."""
    current = records.in_slot(PLAYER_NAME_SLOT)
    if current is None or records.npc is None:
        return []
    cache = records.save.names.of_player
    since, names = cache.get(records.npc_id, (None, []))
    if since is not current:  # The record is read again after every change of the NPC's memories.
        former = [version.record for version in records.store.archive.in_slot(records.npc, PLAYER_NAME_SLOT)]
        written = (" ".join(written_name(record)) for record in [current, *reversed(former)])
        names = list(dict.fromkeys(filter(None, written)))
        cache[records.npc_id] = current, names
    return names


def other_names(records: OwnedRecords) -> OtherNames:
    """Return the people with several names, as the NPC knows them."""
    return records.save.names.other_names(player_names(records))
