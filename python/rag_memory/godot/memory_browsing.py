"""The methods of the Godot node RAGMemory that tools need: pages, a timeline, exact undo, and tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rag_memory.godot.declare import NO_VALUES, PackedStringArray, Steps, method

if TYPE_CHECKING:
    from rag_memory.npc.npc_memory import NpcMemory


class MemoryBrowsing:
    """The part of RAGMemory that the memory browser of the editor uses."""

    def _npc(self) -> NpcMemory:
        raise NotImplementedError

    def _searchable(self) -> Steps[NpcMemory]:
        raise NotImplementedError

    @method()
    def browse(self, options: dict[str, Any] = NO_VALUES) -> Steps[dict[str, Any]]:
        """Returns one page of this NPC's memories, for a list on the screen: [code]total[/code] (how many the
        list has), [code]rows[/code] (the page's memories, as [method get_memory] returns them) and
        [code]position[/code]. The first page of a list costs time, the others next to none.
        [param options]: [code]sort[/code] ([code]"timestamp"[/code], [code]"importance"[/code],
        [code]"memory_tier"[/code], [code]"event_type"[/code], [code]"id"[/code] or [code]"text"[/code]),
        [code]descending[/code] (true), [code]offset[/code], [code]limit[/code] (100, at most 1000),
        [code]filter[/code] as in [method retrieve_relevant_raw], [code]text[/code] (words that all have to
        occur; each may be the beginning of a longer one), [code]similar_to[/code] (a text: up to 1000
        memories, the most relevant first, each with its [code]similarity[/code]), [code]locate[/code] (an id,
        whose place in the list is the answer's [code]position[/code], or -1), and [code]archived[/code]: what
        was replaced or consolidated instead, each memory with [code]archived[/code], a dictionary with
        [code]number[/code], [code]at[/code], [code]reason[/code] and [code]by[/code], which can be sorted by
        [code]"archived_at"[/code] and [code]"archived_reason"[/code], too."""
        npc = (yield from self._searchable()) if "similar_to" in options else self._npc()
        return npc.browse(options)

    @method()
    def get_timeline(self, options: dict[str, Any] = NO_VALUES) -> dict[str, Any]:
        """Returns this NPC's life for a drawing: [code]begin[/code] and [code]end[/code] (what is counted),
        [code]first[/code] and [code]last[/code] (of the whole life), [code]counts[/code] (three arrays, one
        per tier, with the number of memories in each stretch of time), [code]archived[/code] (the same of
        what holds no longer), [code]marks[/code] (the most telling memories) and [code]links[/code]: each has
        [code]kind[/code] ([code]"superseded"[/code] or [code]"consolidated"[/code]), [code]count[/code], and
        [code]from[/code] and [code]to[/code] with [code]id[/code], [code]timestamp[/code],
        [code]memory_tier[/code] and [code]text[/code]. [param options]: [code]begin[/code] and
        [code]end[/code] in seconds of game time, [code]buckets[/code] (how many stretches: 200) and
        [code]marks[/code] (at most so many: 100)."""
        return self._npc().get_timeline(options)

    @method()
    def capture_memories(self, ids: PackedStringArray) -> dict[str, Any]:
        """Returns everything there is of these memories, for [method put_back_memories]: an exact undo of
        whatever is done to them next. An id that is not in use is captured, too. It is a dictionary of plain
        values that can be written as JSON."""
        return self._npc().capture_memories(ids)

    @method(writes=True)
    def put_back_memories(self, captured: dict[str, Any]) -> int:
        """Makes memories again exactly what they were when [method capture_memories] returned
        [param captured], whether they were changed, forgotten or stored since. Returns how many of them exist
        now."""
        return self._npc().put_back_memories(captured)

    @method()
    def export_csv(self) -> str:
        """Returns this NPC's memories as a table, for a spreadsheet and [method import_csv]. What was
        replaced or consolidated is not in it; [method export_json] keeps more."""
        return self._npc().export_csv()

    @method(writes=True)
    def import_csv(self, text: str) -> Steps[int]:
        """Stores the memories of a table, as [method import_json] does, and returns how many of them were
        new. The table begins with a line of
        headings; only [code]text[/code] is needed, the others are those of [method export_csv], and any other
        column is kept as metadata. Cells may be parted by commas, semicolons or tabs. When a row is not
        valid, none is stored."""
        return (yield from self._npc().import_csv_steps(text))
