"""Writes the sentences of memories and prompts for translators, from the core's table.

    python3 build.py python -m rag_memory_build.wording

writes the translation template with all sentences. A test fails if it is not up to date.
"""

from __future__ import annotations

from rag_memory.config.sentences import GROUPS
from rag_memory.config.wording import TRANSLATION_PREFIX

from .paths import ADDON

TEMPLATE = ADDON / "wording.pot"
_POT_HEADER = """\
# Every sentence that RAG Memory writes into a memory or a prompt.
# docs/localisation.md says how to translate them.
msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"""


def template() -> str:
    """Make the gettext template of a translation."""
    parts = [_POT_HEADER]
    for group, sentences in GROUPS.items():
        for key, text in sentences.items():
            comment = text.replace("\n", "\n#.  ")
            parts.append(f'#. {group}\n#.  {comment}\nmsgid "{TRANSLATION_PREFIX}{key}"\nmsgstr ""\n')
    return "\n".join(parts)


if __name__ == "__main__":
    TEMPLATE.write_text(template(), encoding="utf-8")
