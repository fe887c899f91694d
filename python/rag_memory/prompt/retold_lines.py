"""What a prompt says of what the NPC has already said."""

from __future__ import annotations

from collections.abc import Collection

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.conversation.extractor import secrecy_of
from rag_memory.conversation.retold import SPEAKS_OF, last_greeting, last_turns, this_talk
from rag_memory.memory.secrecy import may_be_told, record_may_be_told
from rag_memory.prompt.context_prompt import GREETING
from rag_memory.searchable.records import OwnedRecords
from rag_memory.text.harmless import harmless
from rag_memory.text.shortening import shortened

_MOST = 4
"""Memories."""
_LONGEST = 90
"""Characters of one of them."""
_LONGEST_GREETING = 160


def retold_sentences(
    config: MemoryConfig, records: OwnedRecords, occasion: str, listener: str, hearing: Collection[str]
) -> list[str]:
    """Return a sentence on what was told in this talk, and before a greeting one on the last greeting.
    What somebody who hears the answer may not know is left out.
    """
    turns = last_turns(records.store, records.npc_id)
    roles = config.own_roles()
    sentences = []
    gap = config.conversation_gap_minutes * 60.0
    talk = [
        turn for turn in this_talk(turns, records.save.now(), gap) if turn.content["player_id"] == listener
    ]
    ids = list(dict.fromkeys(id for turn in talk for id in turn.content.get(SPEAKS_OF, ())))[:_MOST]
    stored = (records.store.records.get(records.npc or 0, id) for id in ids)
    texts = [
        shortened(record.document_full, _LONGEST)
        for record in stored
        if record is not None and record_may_be_told(record, hearing)
    ]
    if texts:
        sentences.append(config.sentence("told_already", memories=harmless(" / ".join(texts), roles)))
    greeting = last_greeting(turns, listener) if occasion == GREETING else None
    if greeting is not None and may_be_told(secrecy_of(greeting.content), hearing):
        said = shortened(greeting.content["npc_message"], _LONGEST_GREETING)
        sentences.append(config.quoting("greeted_before", harmless(said, roles)))
    return sentences
