"""JSON objects in the answer of a model, and the speech in one that is still coming."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from rag_memory.lazy_pattern import lazy_pattern

SPEECH_KEYS = ("response", "dialogue", "dialog", "speech", "reply", "answer", "message", "text", "content")
"""Under which models put what the character says; the first is the one that is asked for."""
_MOST_ATTEMPTS = 16
_MOST_READINGS = 3
_RESPONSE = lazy_pattern(r'"response"\s{0,99}:\s{0,99}"')
_UNFINISHED = lazy_pattern(
    rf"""["']?\b(?:{"|".join(SPEECH_KEYS)})\b["']?\s*:\s*(["'])((?:(?!\1)[^\\]|\\.)*)""",
    re.DOTALL | re.IGNORECASE,
)
_LONGEST_START = 256
"""Characters of `"response": "` that may be cut by the end of a piece."""
_CONTENT = lazy_pattern(
    r'(?:[^"\\]|\\u(?![dD][89abAB])[\s\S]{4}|\\[^u]|\\u[dD][89abAB][\s\S]{2}(?:\\u[dD][c-fC-F][\s\S]{2}'
    r"|(?=[^\\]|\\[^u]|\\u[^dD]|\\u[dD][^c-fC-F])))*"
)
"""Text of a JSON string up to its end, or up to an escape that is not all there. The first half of a
character beyond U+FFFF is all there with its second half, or when something else follows it."""
_ESCAPE = lazy_pattern(r"\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u....|\\.", re.DOTALL)
_STRING_OR_BRACE = lazy_pattern(r'"(?:[^"\\]|\\.)*(?:"|\\?\Z)|[{}]', re.DOTALL)
_BARE_KEY = lazy_pattern(r"([{,]\s*)([A-Za-z_]\w*)\s*:")
_TRAILING_COMMA = lazy_pattern(r",(\s*[}\]])")


class JsonObject(NamedTuple):
    """A JSON object and where it stands in the text."""

    value: dict[str, Any]
    start: int
    end: int


def json_objects(text: str) -> Iterator[JsonObject]:
    """The JSON objects of the text that do not lie in one another.

    At most 16 braces are tried, and the text is looked through three times, whatever it is.
    """
    start = text.find("{")
    left = _MOST_READINGS * len(text)
    for _ in range(_MOST_ATTEMPTS):
        if start < 0 or left <= 0:
            return
        end = end_of_object(text, start)
        left -= (end or len(text)) - start
        value = _decoded(text[start:end]) if end else None
        if isinstance(value, dict):
            yield JsonObject(_without_wrapper(value), start, end)
        start = text.find("{", end if isinstance(value, dict) else start + 1)


def _without_wrapper(value: dict[str, Any]) -> dict[str, Any]:
    """The object with its keys in small letters, or that under its only key, such as the speaker's name."""
    inner = next(iter(value.values())) if len(value) == 1 else None
    if isinstance(inner, dict) and SPEECH_KEYS[0] in inner:
        value = inner
    return {str(key).lower(): part for key, part in value.items()}


def _decoded(text: str) -> Any:
    mended = _BARE_KEY.sub(r'\1"\2":', _TRAILING_COMMA.sub(r"\1", text))
    for candidate in (text, mended):
        try:
            return json.loads(candidate, strict=False)
        except (ValueError, RecursionError):
            continue
    try:  # Some models write Python. What JSON cannot say is no answer.
        return json.loads(json.dumps(ast.literal_eval(text)))
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None


def end_of_object(text: str, start: int) -> int:
    """Returns where the object ends that begins at `start`; 0 when it does not."""
    depth = 0
    for part in _STRING_OR_BRACE.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(part[0], 0)
        if depth == 0:
            return part.end()
    return 0


def speech_key(answer: dict[str, Any]) -> str:
    """Returns the key under which the object has a speech; "" without one."""
    return next((key for key in SPEECH_KEYS if isinstance(answer.get(key), str)), "")


def unfinished_speech(text: str) -> str:
    """Returns the speech of an object that has no end; "" without one."""
    match = _UNFINISHED.search(text)
    return unescaped(match[2]) if match else ""


def unescaped(content: str) -> str:
    """Decodes the text of a JSON string. An escape that JSON does not have is left out."""
    if "\\" not in content:
        return content
    return _ESCAPE.sub(_character, content)


def _character(escape: re.Match[str]) -> str:
    try:
        character: str = json.loads(f'"{escape[0]}"')
    except ValueError:
        return ""
    return "" if "\ud800" <= character <= "\udfff" else character


class StreamedResponse:
    """The text under "response" in a JSON object that comes piece by piece."""

    def __init__(self) -> None:
        self.has_begun = False
        self.has_ended = False
        self._unread = ""

    def feed(self, text: str) -> str:
        """Takes in more of the object; returns what is new of the text."""
        if self.has_ended:
            return ""
        text = self._unread + text
        if not self.has_begun:
            start = _RESPONSE.search(text)
            if not start:
                self._unread = text[-_LONGEST_START:]
                return ""
            self.has_begun = True
            text = text[start.end() :]
        read: list[str] = []
        at = 0
        while True:
            content = _CONTENT.match(text, at)
            end = content.end() if content else at
            read.append(unescaped(text[at:end]))
            after = text[end + 1 :].lstrip()
            if text[end : end + 1] != '"' or (not after and len(text) - end < _LONGEST_START):
                break
            if not after or after[0] in ",}":
                self.has_ended = True
                break
            # Models forget to escape quotes: one ends the text only where a key or the end may follow.
            read.append('"')
            at = end + 1
        self._unread = text[end:]
        return "".join(read)
