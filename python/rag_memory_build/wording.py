"""The sentences of memories and prompts for GDScript and for translators, from the table of the core.

    python3 build.py python -m rag_memory_build.wording

writes the table that the addon's scripts read, and the template of a translation. A test compares them.
"""

from __future__ import annotations

from rag_memory.config.sentences import ENGLISH, GROUPS
from rag_memory.config.wording import TRANSLATION_PREFIX

from .godot_type import literal
from .paths import ADDON

SCRIPT = ADDON / "prompt" / "english.gd"
TEMPLATE = ADDON / "wording.pot"
_WIDTH = 100
_TAB = 3
"""What a tab takes beside its one character."""
_POT_HEADER = """\
# Every sentence that RAG Memory writes into a memory or a prompt.
# docs/localisation.md says how to translate them.
msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"""


def script() -> str:
    """The table as GDScript."""
    lines = [
        "extends RefCounted",
        "## Every sentence of a prompt or memory in English, by its key. Written by",
        "## `python3 build.py python -m rag_memory_build.wording`.",
        "",
        f"const TRANSLATION_PREFIX := {literal(TRANSLATION_PREFIX)}",
        "# gdlint: disable=max-line-length",
        "const SENTENCES: Dictionary[String, String] = {",
    ]
    for key, text in ENGLISH.items():
        line = f"\t{literal(key)}: {_quoted(text)},"
        lines.append(line if len(line) + _TAB <= _WIDTH else line.replace(": ", ":\n\t", 1))
    return "\n".join([*lines, "}", ""])


def template() -> str:
    """The template of a translation, as gettext has it."""
    parts = [_POT_HEADER]
    for group, sentences in GROUPS.items():
        for key, text in sentences.items():
            comment = text.replace("\n", "\n#.  ")
            parts.append(f'#. {group}\n#.  {comment}\nmsgid "{TRANSLATION_PREFIX}{key}"\nmsgstr ""\n')
    return "\n".join(parts)


def _quoted(text: str) -> str:
    """As gdformat has it: in the quotes that need fewer escapes."""
    quote = "'" if '"' in text and "'" not in text else '"'
    escaped = text.replace("\\", "\\\\").replace("\n", "\\n").replace(quote, f"\\{quote}")
    return f"{quote}{escaped}{quote}"


if __name__ == "__main__":
    SCRIPT.write_text(script(), encoding="utf-8")
    TEMPLATE.write_text(template(), encoding="utf-8")
