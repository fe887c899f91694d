"""Lore: what the world's books say, searched in chunks."""

from __future__ import annotations

import functools
from collections.abc import Collection, Generator, Mapping, Sequence
from typing import Any

import numpy as np

from rag_memory.memory.document import Document
from rag_memory.memory.owners import LORE
from rag_memory.npc.game_call import game_call
from rag_memory.step import Step, run
from rag_memory.text.terms import words
from rag_memory.validation import validate_option, validate_options, validate_text, validate_texts
from rag_memory.vectors import Keys
from rag_memory.world.lore_sources import CHUNK, SOURCE, LoreSources

_MOST_FOUND = 100
_LEAST_LOOKED_AT = 20
_BOOSTS = ("culture", "faction", "location")


class Lore(LoreSources):
    """The calls about lore."""

    @game_call()
    def search_lore(self, query: str, options: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
        """Returns the chunks of the active lore that fit a question best, the best first.

        Args:
            options: `limit` (5) is at most 100. `sources` are the keys of lore to search in place of what is
                active. `tags`: only chunks that have one of them. `entities` (an Array of Strings),
                `culture`, `faction` and `location` are names: a chunk that says one comes earlier.

        Returns:
            of each `id`, `source`, `heading_path`, `title`, `text`, `tags`, `entities` and `relevance` (0 to
            1).
        """
        return run(self.search_lore_steps(query, options))

    def search_lore_steps(
        self, query: str, options: Mapping[str, Any] | None = None
    ) -> Generator[Step, None, list[dict[str, Any]]]:
        """search_lore(), once what is searched was loaded in slices."""
        where = "search_lore()"
        wanted = validate_options(where, options, ("limit", "sources", "tags", "entities", *_BOOSTS))
        limit = validate_option(where, wanted, "limit", 5, 1, _MOST_FOUND)
        sources = validate_texts(where, "sources", wanted.get("sources", []))
        tags = {tag.casefold() for tag in validate_texts(where, "tags", wanted.get("tags", []))}
        names = validate_texts(where, "entities", wanted.get("entities", []))
        names += [validate_text(where, name, wanted.get(name, "")) for name in _BOOSTS]
        query = validate_text(where, "query", query)
        yield from self._searched(LORE).load_steps()
        known, chosen = self._all(SOURCE), sources or self._active_lore()
        searched = {key: known[key] for key in chosen if key in known}
        asked = [f" {' '.join(words(name))} " for name in dict.fromkeys(names) if words(name)]
        lore, among = self._searched(LORE), self._allowed(where, searched, tags)
        # With names the order may become another one.
        count = max(_LEAST_LOOKED_AT, 4 * limit) if asked else limit
        while True:
            found = lore.find(where, query, count, among) if len(among) else []
            chunks = [(self._chunk(each.id), each.relevance) for each in found]
            hits = [
                _hit(chunk, searched, relevance, asked, self.config.lore_boost)
                for chunk, relevance in chunks
                if chunk is not None
            ]
            # What is missing was left by an import that was not finished.
            if len(hits) >= limit or len(found) < count:
                return sorted(hits, key=lambda hit: -hit["relevance"])[:limit]
            count *= 4

    def _allowed(self, where: str, sources: Mapping[str, Document], tags: Collection[str]) -> Keys:
        """The keys of the chunks of these sources that have one of the tags, if any are asked for."""
        lore = self._searched(LORE)
        whole: list[str] = []
        ids: set[str] = set()
        for key, source in sources.items():
            if not tags or any(tag.casefold() in tags for tag in source.content["tags"]):
                whole.append(key)
            else:
                ids.update(id for tag in tags for id in source.content["tagged"].get(tag, ()))
        return np.concatenate([lore.keys_of_events(whole), lore.keys_of(where, ids)])

    def _chunk(self, id: str) -> Document | None:
        """A chunk; None for what an import that is not finished has written."""
        chunk = self._save.store.documents.get(CHUNK, id)
        return chunk if chunk is not None and id in self._chunk_ids(chunk.owner) else None


def _hit(
    chunk: Document, sources: Mapping[str, Document], relevance: float, names: Sequence[str], boost: float
) -> dict[str, Any]:
    """A chunk as the game gets it. Each of the names in it adds to its relevance."""
    told, source = chunk.content, sources[chunk.owner].content
    if names:
        said = _said(" ".join(told["heading_path"]), told["text"])
        relevance += boost * sum(name in said for name in names)
    return {
        "id": chunk.id,
        "source": chunk.owner,
        "heading_path": list(told["heading_path"]),
        "title": (told["heading_path"] or [source["title"]])[-1],
        "text": told["text"],
        "tags": list(dict.fromkeys([*source["tags"], *told["tags"]])),
        "entities": list(told["entities"]),
        "relevance": min(1.0, relevance),
    }


@functools.lru_cache(512)
def _said(headings: str, text: str) -> str:
    """The words of a chunk with spaces around them. The same few chunks are asked for again and again."""
    return f" {' '.join(words(headings))} {' '.join(words(text))} "
