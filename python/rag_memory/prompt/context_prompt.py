"""One prompt for an NPC's answer: what is written into which section, and how the sections share a budget."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from rag_memory.config.calendar import CALENDAR
from rag_memory.config.memory_config import MemoryConfig
from rag_memory.config.relationship_scales import DIMENSIONS
from rag_memory.errors import InvalidArgumentError
from rag_memory.memory.event_templates import PLAYER
from rag_memory.memory.memory_view import age
from rag_memory.prompt import dossier_lines
from rag_memory.prompt.listener_lines import add_listeners
from rag_memory.prompt.memory_line import likeness_key, memory_line
from rag_memory.prompt.prompt_options import PromptOptions
from rag_memory.prompt.proposals import prompt_budgets, schema_lines
from rag_memory.prompt.recalled import Recalled
from rag_memory.prompt.recent_turns import QUOTE, Line, TurnWriter, chat_messages, parse_turns
from rag_memory.prompt.relationship_words import guidance, relationship_sentences
from rag_memory.prompt.text_section import TextSection
from rag_memory.prompt.world_lines import event_lines, knowledge_lines, state_lines
from rag_memory.text.harmless import harmless
from rag_memory.world.personality import Personality, may_hear
from rag_memory.world.world import World
from rag_memory.world.world_knowledge import WorldKnowledge

LINE, GREETING, REACTION = "line", "greeting", "reaction"
OCCASIONS = (LINE, GREETING, REACTION)
"""What is answered: a line of the player, that the player comes up, or something that happens."""
_PLAYER_INPUT = "player_input"
_SITUATION = "situation"
"""The last section without a line of the player."""
_FIRST_OF_USER = "recent_turns"
"""The user's message starts with this section."""
_FIXED = ("response_schema", "interaction_types")
"""Sections that a total budget serves after the last one, in this order. They are of no use when cut."""
_EVENT = "{event}"
_LOG = logging.getLogger("rag_memory")


class ContextPrompt:
    """One prompt while it is put together."""

    def __init__(
        self,
        npc_id: str,
        config: MemoryConfig,
        world: World,
        occasion: str,
        said: str,
        options: PromptOptions,
    ) -> None:
        """
        Args:
            said: the line of the player, or what happens.

        Raises:
            InvalidArgumentError: a turn among the options says nothing, or a budget is of no section.
        """
        self.config = options.config(config)
        self._npc_id = npc_id
        self._world = world
        self._occasion = occasion
        self._options = options
        self._roles = self.config.own_roles()
        self._line = harmless(said, self._roles)
        self.question = self._sentence("greeting_question") if occasion == GREETING else self._line
        """The query for memories."""
        self.listeners: Sequence[str] = options.get("listeners", ())
        self.location = str(options.get("location", ""))
        self.state: Mapping[str, Any] = options.get("world_state", {})
        data = options.data("personality")
        self.personality = None if data is None else Personality.from_data(data)
        turns = options.get("recent_turns")
        self._own_turns = None if turns is None else parse_turns(turns)
        self._last = _PLAYER_INPUT if occasion == LINE else _SITUATION
        budgets = prompt_budgets(self.config, options.get("proposals"))
        self._budgets = {self._last if name == _PLAYER_INPUT else name: n for name, n in budgets.items()}
        self._own_budgets = self._checked_budgets()
        self._budgets.update(self._own_budgets)
        self._recalled = Recalled()
        self._sections: dict[str, TextSection] = {}
        self._lines: list[Line] = []
        self._memories: list[Mapping[str, Any]] = []
        self._secrets: list[dict[str, Any]] = []

    @property
    def needs_turns(self) -> bool:
        """True if the game passes no turns of its own."""
        return self._own_turns is None

    def memory_tokens(self) -> int:
        """Return the token budget of the memories."""
        return self._budgets["memories"]

    def listener_tokens(self) -> int:
        """Return the token budget of the text about listeners."""
        return self._section("listeners").free_tokens()

    def result(self, recalled: Recalled) -> dict[str, Any]:
        """Return the prompt and its parts, see NPCContextBuilder.build()."""
        self._recalled = recalled
        if recalled.dossier:
            self._make_room_for_dossier()
        self._write()
        total = self._options.count("token_budget", -1)
        if 0 <= total < self._total_tokens():
            self._limit_total(total)
            self._write()
        self._warn_of_missing_sections()
        return self._assembled()

    def identity_problem(self) -> str:
        """Return a warning when the budget of the identity is too small; "" when it isn't, or when the game
        has limited the prompt as a whole.
        """
        section = self._sections["identity"]
        if self._options.count("token_budget", -1) >= 0 or not section.dropped + section.cut:
            return ""
        return (
            f"Who {self._npc_id} is does not fit into the section identity: {section.cut} lines were cut and "
            f"{section.dropped} left out of a prompt with {section.budget} tokens for it. Shorten the "
            'personality, or set the option {"budgets": {"identity": ...}}.'
        )

    def _checked_budgets(self) -> dict[str, int]:
        budgets = {}
        for key, tokens in self._options.get("budgets", {}).items():
            # The same options may serve a prompt without a line of the player.
            name = self._last if key == _PLAYER_INPUT else key
            if name not in self._budgets:
                sections = ", ".join(self._budgets)
                raise InvalidArgumentError(
                    f"The prompt has no section {key}", "", f"The sections are {sections}"
                )
            budgets[name] = max(0, int(tokens))
        return budgets

    def _make_room_for_dossier(self) -> None:
        """A dossier keeps its own budgets: it has room in the sections whose budgets the game leaves open."""
        for name in dossier_lines.SECTIONS:
            if name not in self._own_budgets:
                title = self._sentence(f"title_{name}")
                self._budgets[name] += dossier_lines.dossier_tokens(self._recalled.dossier, name, title)

    def _limit_total(self, total: int) -> None:
        """Set budgets that together are not more than `total`, from what the sections need within their own:
        first the fixed ones, then the others, of which the small ones are whole before the large ones share
        the rest evenly.
        """
        left = total
        for name in (self._last, *_FIXED):
            need = self._sections[name].tokens
            self._budgets[name] = min(need, left) if name == self._last or need <= left else 0
            left -= self._budgets[name]
        others = [name for name in self._budgets if name not in (self._last, *_FIXED)]
        others.sort(key=lambda name: self._sections[name].tokens)
        for place, name in enumerate(others):
            self._budgets[name] = min(self._sections[name].tokens, left // (len(others) - place))
            left -= self._budgets[name]

    def _total_tokens(self) -> int:
        return sum(section.tokens for section in self._sections.values())

    def _write(self) -> None:
        self._sections = {name: self._section(name) for name in self._budgets}
        personality = self._described()
        self._write_identity(personality)
        self._write_relationship()
        self._write_listeners()
        self._write_secrets(personality)
        self._write_world()
        self._write_memories()
        self._sections["interaction_types"].add(self.config.get_interaction_type_constraint_prompt())
        for line in schema_lines(self.config, self._options.get("proposals")):
            self._sections["response_schema"].add(line)
        self._write_turns(personality)
        self._write_already_told()
        self._write_last()

    def _described(self) -> Personality | None:
        """The personality, with what the profile says where it is silent; None without either."""
        profile = self._options.get("profile")
        if not profile:
            return self.personality
        return (self.personality or Personality(npc_id=self._npc_id)).filled_in(profile)

    def _write_identity(self, personality: Personality | None) -> None:
        section = self._sections["identity"]
        titles = {
            name: self._sentence(f"title_{name}") for name in ("memories", "recent_turns", "player_input")
        }
        section.add(self._sentence("ground_rule", **titles))
        if personality is not None:
            for line in personality.identity_lines(self.config, self._hour(), self._relationship()):
                section.add_beginning(line)
        elif not self._recalled.dossier:
            section.add(self._sentence("you_are", name=harmless(self._npc_id)))
        self._write_dossier("identity")

    def _write_relationship(self) -> None:
        header = self._recalled.header
        section = self._sections["relationship"]
        relationship = header["metadata"]["relationship"]
        numbers = {name: relationship[name] for name in DIMENSIONS}
        if self._recalled.player_name:
            section.add(self._sentence("name_of_player", name=harmless(self._recalled.player_name)))
        if relationship["met"]:
            seconds = relationship["days_known"] * CALENDAR.seconds_per_day
            section.add(self._sentence("met_the_player", when=age(self.config, seconds)))
        else:
            del numbers["familiarity"]  # The guidance says that the two have never met.
        for sentence in relationship_sentences(numbers, self.config):
            section.add(sentence)
        for line in self._recalled.open_matters:
            section.add(self._sentence("still_open", matter=harmless(line, self._roles)))
        for sentence in guidance(relationship, self.config):
            self._sections["guidance"].add(sentence)

    def _write_listeners(self) -> None:
        first = ""
        has_met = self._recalled.header["metadata"]["relationship"]["met"]
        if PLAYER in self.listeners and has_met and self._sections["relationship"]:
            first = self._sentence("now_and_always", relationship=self._sentence("title_relationship"))
        text = self._recalled.listeners.get("text", "")
        if text:
            add_listeners(self._sections["listeners"], text, first)

    def _write_secrets(self, personality: Personality | None) -> None:
        self._secrets = []
        section = self._sections["secrets"]
        unlocked = [] if personality is None else personality.unlocked_secrets(self._relationship())
        for secret in unlocked:
            if not may_hear(secret, self._recalled.hearing):
                continue
            line = f"- {harmless(str(secret.get('secret', '')))}"
            heading = "" if section else f"{self._sentence('unlocked_secrets')}\n"
            if section.add(heading + line):
                self._secrets.append(secret)

    def _write_world(self) -> None:
        state, facts = self._sections["world_state"], self._sections["world_facts"]
        self._write_dossier("world_state")
        if not state:
            for line in state_lines(self.config, self.state, self.location):
                state.add(line)
        data = self._options.data("world_knowledge")
        if data is not None:
            knowledge = WorldKnowledge.from_data(data, self._world)
            for line in knowledge_lines(self.config, knowledge, self._npc_id, self.question, self.location):
                facts.add(line)
        if self._options.get("world_events") is not None and not self._recalled.dossier:
            for line in event_lines(self.config, self._world, self._npc_id):
                facts.add(line)
        self._write_dossier("world_facts")

    def _write_memories(self) -> None:
        self._memories = []
        section, now = self._sections["memories"], self._now()
        header = self._recalled.header["id"]
        memories = [memory for memory in self._recalled.memories if memory["id"] != header]
        keys = [
            likeness_key(data["event_type"], data["importance"], memory["document_full"])
            for memory in memories
            for data in [memory["metadata"]]
        ]
        counts = Counter(keys)
        for memory, key in zip(memories, keys, strict=True):
            if self._is_written(memory):
                self._memories.append(memory)
                continue
            # The first of several that say much the same stands for all of them.
            alike = counts.pop(key, 0) - 1
            if alike < 0:
                continue
            line = memory_line(self.config, memory, "rendered_text", now, alike)
            if not section.fits(line):
                line = memory_line(self.config, memory, "document_short", now, alike)
            if section.add_shortened(line) if memory["protected"] else section.add(line):
                self._memories.append(memory)
        self._write_dossier("memories")

    def _is_written(self, memory: Mapping[str, Any]) -> bool:
        """Return whether another section has a memory, which is then not written twice."""
        text = harmless(memory["rendered_text"]).rstrip(".")
        return any(text in self._sections[name].text for name in ("listeners", "world_facts", "relationship"))

    def _write_dossier(self, name: str) -> None:
        """Add the lines of the dossier to a section, without those that it has already."""
        if self._recalled.dossier:
            section = self._sections[name]
            for line in dossier_lines.dossier_lines(self._recalled.dossier, name, section.lines):
                section.add(line)

    def _write_turns(self, personality: Personality | None) -> None:
        names = [self._npc_id]
        if personality is not None:
            names += [personality.npc_id, personality.display_name]
        writer = TurnWriter(self.config, [name.lower() for name in names], self._roles)
        turns = self._recalled.turns if self._own_turns is None else self._own_turns
        self._lines = [writer.line(turn) for turn in turns]
        self._sections["recent_turns"].add_newest([line.text for line in self._lines], QUOTE)

    def _write_already_told(self) -> None:
        section = self._sections["already_told"]
        texts = [f"{QUOTE}{harmless(text, self._roles)}{QUOTE}" for text in self._recalled.already_told]
        for count in range(len(texts), 0, -1):
            line = self._sentence("already_told", memories=" ".join(texts[:count]))
            if section.fits(line):
                section.add(line)
                break
            section.dropped += 1

    def _write_last(self) -> None:
        section = self._sections[self._last]
        if self._occasion == LINE:
            section.add_shortened(f"{self._sentence('turn_of_player')}: {QUOTE}{self._line}", QUOTE)
        elif self._occasion == GREETING:
            has_met = self._recalled.header["metadata"]["relationship"]["met"]
            section.add(self._sentence("greeting" if has_met else "first_greeting"))
        else:
            before, _, after = self._sentence("reaction").partition(_EVENT)
            section.add_shortened(before + self._line, after)

    def _warn_of_missing_sections(self) -> None:
        for name in _FIXED:
            if not self._sections[name] and self._own_budgets.get(name) != 0:
                _LOG.warning(
                    "The section %s does not fit into its budget of %d tokens; the prompt has none of it.",
                    name,
                    self._sections[name].budget,
                )

    def _relationship(self) -> Mapping[str, Any]:
        """The relationship that the game passes, else that of the header."""
        numbers: Mapping[str, Any] = self._recalled.header["metadata"]["relationship"]
        own: Mapping[str, Any] = self._options.get(
            "relationship", {name: numbers[name] for name in DIMENSIONS}
        )
        return own

    def _hour(self) -> float:
        """The hour of the day: what the game says, or what follows from its time."""
        return float(self._options.get("hour", self._now() / CALENDAR.seconds_per_day % 1.0 * 24.0))

    def _now(self) -> float:
        return float(self._recalled.header["metadata"]["timestamp"])

    def _section(self, name: str) -> TextSection:
        return TextSection(self._sentence(f"title_{name}"), self._budgets[name])

    def _sentence(self, key: str, **values: object) -> str:
        return self.config.sentence(key, **values)

    def _assembled(self) -> dict[str, Any]:
        total = self._total_tokens()
        names = list(self._budgets)
        first_of_user = names.index(_FIRST_OF_USER)
        texts = [self._sections[name].text for name in names]
        system, user = (
            [text for text in part if text] for part in (texts[:first_of_user], texts[first_of_user:])
        )
        turns = self._sections["recent_turns"].lines
        last_lines = self._lines[len(self._lines) - len(turns) :]
        return {
            "prompt": "\n\n".join([*system, *user]),
            "system": "\n\n".join(system),
            "user": "\n\n".join(user),
            "messages": chat_messages(
                "\n\n".join(system), last_lines, turns, self._sections[self._last].text
            ),
            "sections": {
                name: {
                    "text": section.text,
                    "tokens": section.tokens,
                    "budget": section.budget,
                    "share": section.tokens / max(1, total),
                    "dropped": section.dropped,
                    "cut": section.cut,
                }
                for name, section in self._sections.items()
            },
            "total_tokens": total,
            "memories": self._memories,
            "secrets": self._secrets,
            "player_input": self._line if self._occasion == LINE else "",
            "dossier": self._recalled.dossier,
        }
