"""The calls about lore: importing, removing, choosing and searching it."""

from __future__ import annotations

import functools
import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from rag_memory.game_call import DONE, Done, game_call
from rag_memory.memory.document import CAMPAIGN, TIMELESS, Document
from rag_memory.memory.owners import LORE
from rag_memory.step import Steps, in_slices
from rag_memory.text.file_text import FileText
from rag_memory.text.terms import words
from rag_memory.validation import shown, validate_option, validate_options, validate_text, validate_texts
from rag_memory.vectors import Keys
from rag_memory.world.knowledge import Knowledge
from rag_memory.world.lore_chunks import summary_of
from rag_memory.world.lore_import import LoreImport
from rag_memory.world.lore_sources import LoreSources
from rag_memory.world.lore_text import lore_text
from rag_memory.world.world_context import WorldContext

_MOST_RETURNED = 100
_FEWEST_CANDIDATES = 20
_BOOSTS = ("culture", "faction", "location", "event_type", "mod_profile")
_LOG = logging.getLogger("rag_memory")


class Lore:
    """Imports lore from books of the world, and searches it."""

    def __init__(self, context: WorldContext, knowledge: Knowledge) -> None:
        self._context = context
        self._knowledge = knowledge
        self.sources = LoreSources(context)
        self._import = LoreImport(context, self.sources)

    @game_call(writes=True, is_long=True)
    @in_slices
    def import_lore(
        self, source: FileText, options: Mapping[str, Any] | None = None
    ) -> Steps[dict[str, Any]]:
        """Imports a Markdown text as lore, and replaces what had the same key.

        The text is cut at its headings into chunks of 100 to 300 words, and no sentence is cut. Parts that
        have not changed since the last import cost nothing, so a game may import its lore at every start. All
        of it is imported, or nothing when the call fails or is cancelled. Other calls go on meanwhile. Lore
        has no time: `rollback_to()` leaves it as it is.

        Args:
            source: a file (`res://` or `user://`), or the text itself. A path with `..` is refused, and
                so is a link in `user://` that leads out of it.
            options: `key` is what the lore is called, by default the file's name; a text needs one. `name` is
                for people to read. `tags` is an Array of Strings. In the text a chunk gets tags by `#tag`,
                and all of them by `tags:` between lines of `---` at the beginning. `known_by` says who knows
                it, everyone when left out; in the text `known_by:` between these lines says so, and
                `{known_by: ...}` behind a heading does for its section: see docs/who_knows_what.md.

        Returns:
            `key`, `chunks`, `added`, `changed`, `removed`, `unchanged`, `skipped` (this very text was
            imported before), `words`, and `embedded`: for how many chunks a vector had to be computed.
        """
        text = lore_text("import_lore()", source, options)
        return (yield from self.sources.alone_steps(text.key, self._import.import_steps(text)))

    @game_call(writes=True, is_long=True)
    @in_slices
    def remove_lore(self, key: str) -> Steps[Done]:
        """Removes an imported lore, with all of its chunks. Does nothing when there is none of this key."""
        key = validate_text("remove_lore()", "key", key)
        yield from self.sources.alone_steps(key, self.sources.remove_steps(key))
        return DONE

    @game_call()
    def list_lore(self) -> list[dict[str, Any]]:
        """Returns what was imported: of each lore `key`, `name`, `title`, `path`, `tags`, `words`, `chunks`
        (how many) and `is_active`.
        """
        active, fields = self.sources.active(), ("key", "name", "title", "path", "tags", "words")
        return [
            {
                **{name: source.content[name] for name in fields},
                "chunks": len(source.content["chunks"]),
                "is_active": key in active,
            }
            for key, source in self.sources.all().items()
        ]

    @game_call(writes=True)
    def set_active_lore(self, keys: Sequence[str]) -> Done:
        """Sets which lore this save searches. The save keeps it; without this call that is all lore."""
        keys = validate_texts("set_active_lore()", "keys", keys)
        missing = [key for key in keys if key not in self.sources.all()]
        if missing:
            _LOG.warning("set_active_lore(): there is no lore %s yet; import_lore() makes it", shown(missing))
        with self._context.transaction():
            campaign = self._context.content(CAMPAIGN, CAMPAIGN) or {}
            self._context.write_timeless(CAMPAIGN, CAMPAIGN, {**campaign, "lore": keys})
        return DONE

    @game_call()
    @in_slices
    def search_lore(
        self, query: str, options: Mapping[str, Any] | None = None
    ) -> Steps[list[dict[str, Any]]]:
        """Returns the chunks of the active lore that fit a question best, the best first.

        Args:
            options: `limit` (5) is at most 100. With `known_to`, an npc_id, only what that NPC may know.
                `sources` are the keys of lore to search in place of what is active. `tags`: only chunks that
                have one of them. `entities` (an Array of Strings), `culture`, `faction`, `location`,
                `event_type` and `mod_profile` are names: a chunk that says one, or has it as a tag, comes
                earlier.

        Returns:
            of each `id`, `source`, `heading_path`, `title`, `text`, `summary` (at most 200 characters of the
            text, for a list or a small prompt), `tags`, `entities`, `known_by` (empty: everyone) and
            `relevance` (0 to 1).
        """
        call = "search_lore()"
        options = validate_options(
            call, options, ("limit", "known_to", "sources", "tags", "entities", *_BOOSTS)
        )
        limit = validate_option(call, options, "limit", 5, 1, _MOST_RETURNED)
        chosen = validate_texts(call, "sources", options.get("sources", []))
        tags = {tag.casefold() for tag in validate_texts(call, "tags", options.get("tags", []))}
        names = validate_texts(call, "entities", options.get("entities", []))
        names += [validate_text(call, name, options.get(name, "")) for name in _BOOSTS]
        query = validate_text(call, "query", query)
        searched = self._context.searched(LORE)
        yield from searched.load_steps()
        all_sources = self.sources.all()
        sources = {key: all_sources[key] for key in chosen or self.sources.active() if key in all_sources}
        phrases = [f" {' '.join(words(name))} " for name in dict.fromkeys(names) if words(name)]
        among = self._allowed(call, sources, tags)
        npc_id = validate_text(call, "known_to", options.get("known_to", ""))
        if "known_to" in options:
            among = np.intersect1d(among, self._known_keys(npc_id, sources))
        # Names may change the order, so more candidates are compared.
        count = max(_FEWEST_CANDIDATES, 4 * limit) if phrases else limit
        while True:
            hits = searched.find(call, query, count, among) if len(among) else []
            chunks = [(self.sources.chunk(hit.id), hit.relevance) for hit in hits]
            results = [
                _result(chunk, sources, relevance, phrases, self._context.config.lore_boost)
                for chunk, relevance in chunks
                if chunk is not None  # left by an import that was not finished
            ]
            if len(results) >= limit or len(hits) < count:
                return sorted(results, key=lambda result: -result["relevance"])[:limit]
            count *= 4

    def known_keys(self, npc_id: str) -> Keys:
        """The keys of the searched texts of the active lore that an NPC may know."""
        return self._known_keys(npc_id, self.sources.active())

    def _known_keys(self, npc_id: str, sources: Iterable[str]) -> Keys:
        may_know = functools.partial(self._knowledge.is_known, npc_id, time=TIMELESS)
        parts = [self.sources.known_keys(key, lambda owners: may_know(known_by=owners)) for key in sources]
        keys = np.concatenate(parts) if parts else np.array([], dtype=np.int64)
        forgotten = self._knowledge.forgotten(npc_id)
        if forgotten:
            keys = np.setdiff1d(keys, self._context.searched(LORE).keys_of("search_lore()", forgotten))
        return keys

    def _allowed(self, call: str, sources: Mapping[str, Document], tags: Collection[str]) -> Keys:
        """The keys of the chunks of these sources that have one of the tags; without tags of all chunks."""
        searched = self._context.searched(LORE)
        whole: list[str] = []
        ids: set[str] = set()
        for key, source in sources.items():
            if not tags or any(tag.casefold() in tags for tag in source.content["tags"]):
                whole.append(key)
            else:
                ids.update(id for tag in tags for id in source.content["tagged"].get(tag, ()))
        return np.concatenate([searched.keys_of_events(whole), searched.keys_of(call, ids)])


def _result(
    chunk: Document, sources: Mapping[str, Document], relevance: float, phrases: Sequence[str], boost: float
) -> dict[str, Any]:
    """A chunk as search_lore() returns it. Each of the phrases in it adds to its relevance."""
    content, source = chunk.content, sources[chunk.owner].content
    if phrases:
        tags = " ".join(f"#{tag}" for tag in source["tags"])
        text = _spaced(" ".join(content["heading_path"]), f"{tags} {content['text']}")
        relevance += boost * sum(phrase in text for phrase in phrases)
    return {
        "id": chunk.id,
        "source": chunk.owner,
        "heading_path": list(content["heading_path"]),
        "title": (content["heading_path"] or [source["title"]])[-1],
        "text": content["text"],
        "summary": content.get("summary") or summary_of(content["text"], content["entities"]),
        "tags": list(dict.fromkeys([*source["tags"], *content["tags"]])),
        "entities": list(content["entities"]),
        "known_by": next((owners for owners, ids in source.get("owned", ()) if chunk.id in ids), None)
        or list(source.get("known_by", ())),
        "relevance": min(1.0, relevance),
    }


@functools.lru_cache(512)
def _spaced(headings: str, text: str) -> str:
    """The words of a chunk with spaces around them. The same few chunks are searched again and again."""
    return f" {' '.join(words(headings))} {' '.join(words(text))} "
