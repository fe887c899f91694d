"""The way of new memories into the store: checked, made into records, written."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from rag_memory.memory.conflicts import ConflictRule, Stored, conflict_rule
from rag_memory.memory.event_templates import MemoryDraft
from rag_memory.memory.record import PLAYER_INFO, Record, new_record
from rag_memory.memory.sizes import refuse_long_text
from rag_memory.searchable.record_writer import AlsoFunction
from rag_memory.searchable.records import OwnedRecords
from rag_memory.searchable.search_index import PLAYER_NAME_SLOT, names_of_player
from rag_memory.step import Steps
from rag_memory.text.name_check import with_name_suspects
from rag_memory.validation import validate_flag
from rag_memory.vectors import FloatMatrix


class MemoryWriter:
    """Checks drafts of memories of one NPC and stores them. `on_added` is called after every write."""

    def __init__(self, records: OwnedRecords, on_added: Callable[[], None]) -> None:
        self._records = records
        self._on_added = on_added

    def store(
        self,
        call: str,
        draft: MemoryDraft,
        rule: ConflictRule | None = None,
        on_commit: AlsoFunction | None = None,
    ) -> str:
        """Store a draft and return the memory's id. `on_commit` writes in the same transaction."""
        return self.put(call, draft, rule, on_commit).id

    def put(
        self,
        call: str,
        draft: MemoryDraft,
        rule: ConflictRule | None = None,
        on_commit: AlsoFunction | None = None,
    ) -> Stored:
        """Store a draft. Without a `rule` that of the config decides what it retires."""
        record = self.record(call, draft)
        return self._put_all([record], self._records.save.embed([record.document_full]), rule, on_commit)[0]

    def prepared_steps(
        self, call: str, drafts: Sequence[MemoryDraft]
    ) -> Steps[tuple[list[Record], FloatMatrix]]:
        """Make records of drafts, and their vectors, in slices. Writes nothing."""
        records = [self.record(call, draft) for draft in drafts]
        vectors = yield from self._records.embed_steps(records)
        return records, vectors

    def add_together(
        self,
        records: Sequence[Record],
        vectors: FloatMatrix,
        rule: ConflictRule,
        on_commit: Callable[[], None],
    ) -> list[tuple[Record, list[str]]]:
        """Store new records, if there are any, in one transaction, in which `on_commit` writes, too.
        Returns them as they were written, each with the ids of what it has retired.
        """
        written: list[Record] = []
        stored: list[Stored] = []

        def write(_npc: int, added: Sequence[Record] = ()) -> None:
            written.extend(added)
            on_commit()

        if records:
            stored = self._put_all(records, vectors, rule, write)
        else:
            self._records.writer.write(write)
        return [(record, outcome.superseded) for record, outcome in zip(written, stored, strict=True)]

    def record(self, call: str, draft: MemoryDraft, now: float | None = None) -> Record:
        """Make a record of a draft that isn't too long, and mark names of people who are not registered."""
        records = self._records
        checked = self._checked(call, draft)
        return new_record(
            call, records.npc_id, records.config, records.save.now() if now is None else now, *checked
        )

    def add(
        self,
        records: Sequence[Record],
        vectors: FloatMatrix,
        rule: ConflictRule | None = None,
        on_commit: AlsoFunction | None = None,
    ) -> list[str]:
        """Store new records and return their ids in the same order."""
        return [stored.id for stored in self._put_all(records, vectors, rule, on_commit)]

    def _put_all(
        self,
        records: Sequence[Record],
        vectors: FloatMatrix,
        rule: ConflictRule | None,
        on_commit: AlsoFunction | None,
    ) -> list[Stored]:
        rule = rule or conflict_rule(self._records.config)
        stored = self._records.writer.add(records, vectors, rule, on_commit)
        self._on_added()
        return stored

    def _checked(self, call: str, draft: MemoryDraft) -> MemoryDraft:
        config = self._records.config
        fields = {} if draft.data is None else draft.data
        if not isinstance(fields, Mapping):
            return draft
        data = {name: value for name, value in fields.items() if name != "check_names"}
        is_wanted = validate_flag(call, "check_names", fields.get("check_names", True))
        check = self._records.save.names.check()
        # Players may call themselves what they like, and others may talk of whom they like.
        is_hearsay = data.get("event_type") == PLAYER_INFO or data.get("slot_type") == PLAYER_NAME_SLOT
        if check is None or not is_wanted or not config.check_names or is_hearsay:
            return draft._replace(data=data)
        refuse_long_text(call, "text", config, draft.text)
        names = names_of_player(self._records.in_slot(PLAYER_NAME_SLOT)) | config.own_words()
        return draft._replace(data=with_name_suspects(check, draft.text, data, call, names))
