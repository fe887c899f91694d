"""The arguments of calls from GDScript: decoded, checked, and converted to configs and texts of files."""

from __future__ import annotations

import base64
import functools
from collections.abc import Callable, Sequence
from typing import Any

from rag_memory.config.dossier_config import NPCDossierConfig
from rag_memory.errors import InvalidArgumentError
from rag_memory.game_rules import GAME_RULES
from rag_memory.godot.config_classes import NPCDossierConfigResource
from rag_memory.godot.declare import Method
from rag_memory.godot.variant_codec import (
    ITEMS_KEY,
    NOTHING_SHARED,
    OPAQUE_KEY,
    NotStorableError,
    Shared,
    decode,
)
from rag_memory.text.file_text import FileData, FileText, decoded
from rag_memory.validation import clean_text, shown

CONFIG_RESOURCES: dict[type, Any] = {NPCDossierConfig: NPCDossierConfigResource}
"""The configs that may be arguments, each with the annotation of the Godot Resource."""

_HEADER_BYTES, _LENGTH_BYTES = 4, 4


def converting(
    function: Callable[..., Any], call: str, read_types: Callable[[], Sequence[Any]]
) -> Callable[..., Any]:
    """Make a function that converts arguments of these types before it carries out a call."""

    @functools.cache
    def types() -> Sequence[Any]:
        read = read_types()
        return (
            read if any(type_ in (FileText, FileData) or type_ in CONFIG_RESOURCES for type_ in read) else ()
        )

    def convert(node: Any, *arguments: Any) -> Any:
        if not types():
            return function(node, *arguments)
        return function(node, *(_converted(call, *pair) for pair in zip(types(), arguments, strict=True)))

    return convert


def load_rules(sent: bytes) -> None:
    """Take in the files of the project setting rag_memory/python/rules, as the native host has read them."""
    files = []
    for file in decode(sent):
        if not file["path"].startswith("res://"):
            files.append(
                {"path": file["path"], "error": "it is not in res://, which an export puts into the game"}
            )
        else:
            files.append({**file, "bytes": _bytes_of(file["bytes"])} if "bytes" in file else file)
    GAME_RULES.load(files)


def _converted(call: str, wanted: Any, value: Any) -> Any:
    if wanted is FileText:
        return file_text(call, value)
    if wanted is FileData:
        return file_data(call, value)
    if wanted in CONFIG_RESOURCES and value is not None:
        return wanted(**value).validated()
    return value


def file_text(call: str, sent: Any) -> FileText:
    """The text that the game gave, or that of the file that it named: then the native host has sent a
    Dictionary with `path` and either `bytes` or `error`.

    Raises:
        InvalidArgumentError: the file cannot be read, or is no text.
    """
    if isinstance(sent, str):
        return FileText(sent)
    data = file_data(call, sent)
    return decoded(call, data, data.path)


def file_data(call: str, sent: Any) -> FileData:
    """The same as bytes: those of the file, or of the text that the game gave.

    Raises:
        InvalidArgumentError: the file cannot be read.
    """
    if isinstance(sent, str):
        return FileData(clean_text(sent).encode())
    path = sent["path"]
    if "error" in sent:
        raise InvalidArgumentError(
            f'{call}: "{path}" cannot be read',
            sent["error"],
            "Pass the path of a file of up to 32 MiB, or the text itself. An exported game has only the "
            "files that its export includes",
        )
    return FileData(_bytes_of(sent["bytes"]), path)


def _bytes_of(packed: dict[str, str]) -> bytes:
    encoded = base64.b64decode(packed[OPAQUE_KEY])
    begin = _HEADER_BYTES + _LENGTH_BYTES
    length = int.from_bytes(encoded[_HEADER_BYTES:begin], "little")
    return encoded[begin : begin + length]


def decoded_arguments(method: Method, payload: bytes, shared: Shared = NOTHING_SHARED) -> list[Any]:
    """Return the arguments of a call, with the values that they name.

    Raises:
        InvalidArgumentError: one holds a value that cannot be stored, or a key that is no String.
    """
    call, names = f"{method.name}()", method.argument_names
    try:
        arguments: list[Any] = decode(payload, shared)
    except NotStorableError as error:
        error.name_argument(call, names)
        raise
    _refuse_other_keys(call, names, arguments)
    return arguments


def _refuse_other_keys(call: str, names: Sequence[str], arguments: Sequence[Any]) -> None:
    """Raise InvalidArgumentError when a Dictionary that is an argument, or an item of one, has a key that is
    no String: none of its keys would be understood.
    """
    for name, argument in zip(names, arguments, strict=True):
        for value in argument if isinstance(argument, list) else (argument,):
            if isinstance(value, dict) and ITEMS_KEY in value:
                key = next(key for key, _value in value[ITEMS_KEY] if not isinstance(key, str))
                raise InvalidArgumentError(
                    f"{call}: a key of {name} is no String",
                    f"it is {shown(key)}",
                    "Use Strings as keys, for example str(key)",
                )
