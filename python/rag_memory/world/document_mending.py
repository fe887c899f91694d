"""Documents of which somebody has changed something in the file of a save."""

from __future__ import annotations

from rag_memory.errors import InvalidArgumentError
from rag_memory.memory.document import CAMPAIGN, Document
from rag_memory.world.document_shapes import check_document, needed_keys, optional_keys

_LONGEST_ID = 10_000


def mended_document(document: Document) -> Document | None:
    """Return a document with the keys that its readers need: a key in which one letter has changed gets its
    name back, and optional keys with wrong values go. None when a needed value is missing or wrong.
    """
    needed, optional = needed_keys(document.kind), optional_keys(document.kind)
    content = dict(document.content)
    for name in needed:
        if name not in content:
            changed = [key for key in content if key not in needed and _differ_by_one(key, name)]
            if len(changed) == 1:
                content[name] = content.pop(changed[0])
    for name, check in optional.items():
        try:
            if name in content:
                check("", name, content[name])
        except InvalidArgumentError:
            del content[name]
    mended = document if content == document.content else document._replace(content=content)
    if document.kind == CAMPAIGN:
        return mended
    if max(len(document.id), len(document.owner)) > _LONGEST_ID:
        return None
    try:
        check_document("", mended)
    except InvalidArgumentError:
        return None
    return mended


def _differ_by_one(one: str, other: str) -> bool:
    return len(one) == len(other) and sum(a != b for a, b in zip(one, other, strict=True)) == 1
