"""Exchanges of one NPC with a speaker: begun with a prompt, finished with a language model's text."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection, Mapping
from typing import Any

from rag_memory.conversation.recording import Recording, recording_of, turn_alone
from rag_memory.conversation.recording_options import Before, RecordingOptions
from rag_memory.conversation.told_memories import MEMORY_IDS
from rag_memory.errors import GameLoadedError, InvalidArgumentError
from rag_memory.game_call import game_call
from rag_memory.memory.event_templates import PLAYER, witnessed_event
from rag_memory.npc.begun_exchange import BegunExchange
from rag_memory.npc.exchange_recorder import ExchangeRecorder, described
from rag_memory.npc.npc_mind import NpcMind
from rag_memory.npc.unaided_answers import UnaidedAnswers
from rag_memory.prompt.answers import answer_reader, answer_schema, finished_answer
from rag_memory.prompt.context_prompt import GREETING, LINE, OCCASIONS, REACTION
from rag_memory.prompt.context_prompts import ContextPrompts
from rag_memory.prompt.prompt_options import PromptOptions
from rag_memory.searchable.records import OwnedRecords
from rag_memory.step import Steps, in_slices
from rag_memory.text.shortening import shortened
from rag_memory.validation import (
    shown,
    validate_fields,
    validate_flag,
    validate_options,
    validate_text,
    wrong_type,
)

_MOST_BEGUN = 16
"""Exchanges of one NPC that are begun at a time. One that was cancelled is never finished."""
_READING = ("analysis", "habit")
_RESULT = ("text", "error", "was_stopped", "response")
_NOT_ANALYSED = {"response_schema": 0, "interaction_types": 0}
"""The budgets of the sections that ask for an analysis, when there is to be none."""
_AROUND_EVENT = 200
"""Characters of the sentence around an event."""
_WITNESSED_IMPORTANCE = 7
_WITNESSED_EMOTION = "surprised"


class Exchanges:
    """Begins and finishes exchanges. What is begun is forgotten when another state of the save is loaded."""

    def __init__(
        self,
        records: OwnedRecords,
        mind: NpcMind,
        prompts: ContextPrompts,
        recorder: ExchangeRecorder,
        unaided: UnaidedAnswers,
        undo: Callable[[str], Any],
    ) -> None:
        self._records = records
        self._mind = mind
        self._prompts = prompts
        self._recorder = recorder
        self._unaided = unaided
        self._undo = undo
        self._begun: dict[str, BegunExchange] = {}
        self._lost: frozenset[str] = frozenset()
        """Those that were begun when another state of the save was loaded."""
        self._loads = 0
        """How often another state of the save was loaded."""

    @game_call(writes=True, takes_objects=True)
    @in_slices
    def begin_exchange(
        self,
        occasion: str,
        said: str = "",
        options: Mapping[str, Any] | None = None,
        defaults: Mapping[str, Any] | None = None,
        model: Mapping[str, Any] | None = None,
    ) -> Steps[dict[str, Any]]:
        """Begins an exchange with a speaker: makes the prompt for what the NPC says.

        With the option `mind` the NPC perceives a line of the player first, so that the prompt has what it
        feels. `NPCDialogue` calls this by itself.

        Args:
            occasion: `"line"`, `"greeting"` or `"reaction"`.
            said: what the player says, or what the NPC sees happen.
            options: as in `build_prompt()`.
            defaults: as in `build_prompt()`.
            model: about the language model: `analysis` (`true` unless the model is asked for nothing but
                speech) and `habit` (what `finish_exchange()` returned for its last answer).

        Returns:
            what `build_prompt()` returns, `exchange` (an id for the calls that follow) and the JSON `schema`.

        Raises:
            InvalidArgumentError: an argument or an option is wrong, or nothing was said.
            StoreError: the database could not write.
        """
        call = "begin_exchange()"
        said = validate_text(call, "said", said)
        if occasion not in OCCASIONS:
            raise InvalidArgumentError(
                f"{call}: the occasion is {shown(occasion)}", "", f"Use one of {', '.join(OCCASIONS)}"
            )
        if occasion != GREETING and not said.strip():
            raise InvalidArgumentError(
                f"{call}: said is empty", "", 'Pass a text, or use the occasion "greeting"'
            )
        model = validate_options(call, model, _READING)
        asked = dict(_mapping(call, "options", options))
        is_analysed = validate_flag(call, "analysis", model.get("analysis", True))
        if not is_analysed:
            budgets = asked.get("budgets")
            asked["budgets"] = {**_NOT_ANALYSED, **budgets} if isinstance(budgets, Mapping) else _NOT_ANALYSED
        parsed = PromptOptions(call, asked, _mapping(call, "defaults", defaults))
        reading = {
            **self._names(parsed),
            "habit": model.get("habit", 1),
            "only_speech": not is_analysed,
        }
        recording = self._recorder.options(call, parsed)
        reader = answer_reader(call, reading, recording.config)
        # Those that follow belong to the exchange.
        self._records.save.accesses.write()
        self._prompts.draft(call, occasion, said, asked, defaults or {})
        id = uuid.uuid4().hex
        exchange = BegunExchange(
            id, occasion, said, recording, reading, reader, self._speakers(parsed, recording)
        )
        loads = self._loads
        yield from self._records.index.load_steps()
        exchange.has_met = self._recorder.before(recording).relationship["met"]
        if occasion == LINE and parsed.is_own("mind"):
            yield from self._perceive_steps(call, exchange, parsed, loads)
        try:
            prompt = yield from self._prompts.steps(call, occasion, said, asked, defaults or {})
        except Exception:
            if loads == self._loads and exchange.is_perceived:
                self._undo(id)
            raise
        self._check_loads(loads)
        while len(self._begun) >= _MOST_BEGUN:
            del self._begun[next(iter(self._begun))]
        self._begun[id] = exchange
        return {"exchange": id, "schema": answer_schema(recording.proposals), **prompt}

    @game_call()
    def hear_exchange(self, exchange: str, text: str) -> str:
        """Takes the next piece of the language model's raw text, and returns what of it the NPC speaks.

        It never returns reasoning, JSON, tokens of a chat template, or lines that the model wrote for the
        player. While the `habit` of the model is unknown, it returns nothing before the end, because only the
        end shows whether the text began with reasoning.

        Raises:
            InvalidArgumentError: the exchange was not begun, has ended, or the game was loaded meanwhile.
        """
        call = "hear_exchange()"
        begun = self._exchange(call, exchange)
        begun.is_heard = True
        return begun.reader.feed(validate_text(call, "text", text))

    @game_call(writes=True)
    @in_slices
    def finish_exchange(
        self, exchange: str, result: Mapping[str, Any] | None = None
    ) -> Steps[dict[str, Any]]:
        """Reads the answer of the language model, and stores all results of the exchange, or none.

        Args:
            result: `text`: the raw text of the model, or what of it `hear_exchange()` was not given. `error`:
                why the model gave no more. `was_stopped`: the model was stopped at the end of a line, so that
                it may be asked once more if it said nothing until then. `response`: a text of the game that
                the NPC says as it is. Without a model, pass an empty Dictionary: the NPC then answers from
                memory, as it does when the model says nothing.

        Returns:
            `exchange`: the id, for `undo_exchange()`. `response`: what the NPC says. `rest`: what of it
            `hear_exchange()` has not returned. `from_memory`: whether no model said it. `analysis`,
            `is_json`, `warnings`, `reasoning` and `proposed_*`: see `NPCContextBuilder.parse_response()`.
            `habit`: for the next answer of the same model. `error`: the model's. `stored`: every memory that
            the exchange made. `memory_ids`: the memories that the NPC told. `rejected`, `deltas` and
            `relationship`: see `NPCContextBuilder.record_interaction()`. Only `habit` and `again`: ask the
            model again.

        Raises:
            InvalidArgumentError: the exchange was not begun, has ended, or the game was loaded meanwhile.
                Nothing is stored.
            StoreError: the database could not write. Nothing is stored.
        """
        call = "finish_exchange()"
        begun = self._exchange(call, exchange)
        result = validate_options(call, result, _RESULT)
        text = validate_text(call, "text", result.get("text", ""))
        error = validate_text(call, "error", result.get("error", ""))
        answer: dict[str, Any] = dict.fromkeys(("response", "rest", "reasoning"), "")
        answer |= {"analysis": {}, "is_json": False, "warnings": [], "habit": begun.reading["habit"]}
        if begun.answer is not None:  # It could not be written before.
            answer = dict(begun.answer)
        elif "response" in result:
            answer["response"] = answer["rest"] = validate_text(call, "response", result["response"])
        elif begun.is_heard or "text" in result:
            begun.reader.feed(text)
            answer = finished_answer(begun.reader, begun.options.config, begun.options.proposals)
            if not answer["response"] and result.get("was_stopped"):
                begun.reading = {**begun.reading, "habit": answer["habit"]}
                begun.reader = answer_reader(call, begun.reading, begun.options.config)
                return {"again": True, "habit": answer["habit"]}
        begun.answer = dict(answer)
        yield from self._records.index.load_steps()
        answer["from_memory"] = not answer["response"]
        if answer["from_memory"]:
            unaided = self._unaided.answer(
                begun.occasion,
                begun.said,
                begun.speakers,
                self._before(begun).relationship,
                begun.options.config,
            )
            answer |= {"response": unaided.response, MEMORY_IDS: list(unaided.memory_ids)}
        recording, stored = yield from self._recorder.record_steps(
            call,
            exchange,
            lambda: self._recording(begun, answer),
            begun.options,
            lambda: self._exchange(call, exchange),
        )
        self._end(begun)
        stored = begun.stored + stored
        return {**answer, "exchange": exchange, "error": error, **recording.result(), "stored": stored}

    @game_call(writes=True, takes_objects=True)
    @in_slices
    def record_exchange(
        self,
        line: str,
        answer: Mapping[str, Any],
        options: Mapping[str, Any] | None = None,
        defaults: Mapping[str, Any] | None = None,
    ) -> Steps[dict[str, Any]]:
        """Stores what the player said and the NPC answered with all memories of it, or nothing at all.

        `NPCContextBuilder.record_interaction()` calls this with the data of its objects, and documents
        options and result.

        Args:
            line: what the player said; empty when the NPC spoke first.
            answer: the result of `NPCContextBuilder.parse_response()`.
            options: as in `build_prompt()`.
            defaults: as in `build_prompt()`.

        Raises:
            InvalidArgumentError: an argument has the wrong type, or an option is unknown.
            StoreError: the database could not write.
        """
        call = "record_interaction()"
        line = validate_text(call, "line", line)
        answer = validate_fields(call, "answer", answer, ("response", "analysis"))
        own, usual = _mapping(call, "options", options), _mapping(call, "defaults", defaults)
        recording_options = self._recorder.options(call, PromptOptions(call, own, usual))
        loads, exchange = self._loads, uuid.uuid4().hex
        yield from self._records.index.load_steps()
        recording, stored = yield from self._recorder.record_steps(
            call,
            exchange,
            lambda: recording_of(line, answer, recording_options, self._recorder.before(recording_options)),
            recording_options,
            lambda: self._check_loads(loads),
        )
        return {"exchange": exchange, "stored": stored, **recording.result()}

    def forget(self) -> None:
        """Forget what was begun, because another state of the save has been loaded."""
        self._lost = frozenset(self._begun)
        self._begun.clear()
        self._loads += 1

    def drop(self, exchange: str) -> None:
        """Forget an exchange that was begun, because it is undone."""
        self._begun.pop(exchange, None)

    @property
    def begun(self) -> Collection[str]:
        """The ids of the exchanges that have not been finished."""
        return self._begun.keys()

    def _perceive_steps(
        self, call: str, exchange: BegunExchange, options: PromptOptions, loads: int
    ) -> Steps[None]:
        mind = options.data("mind")
        if mind is None or mind["npc_id"] not in ("", self._records.npc_id):
            return  # The prompt says what is wrong.
        self._mind.attend(mind)
        content = exchange.said[: self._records.config.max_text_chars]
        company = exchange.options.company
        event = {"action": "conversed", "content": content, "source_id": company.speaker}
        event |= company.secrecy(self._records.npc_id, {})
        name = exchange.options.speaker_name or options.player_name()
        if name:
            event["source_name"] = name
        weighed = yield from self._mind.weigh_steps(event)
        self._check_loads(loads)
        try:
            with self._recorder.part_of(exchange.id):
                id = self._mind.keep(weighed)
        except BaseException:
            self._mind.reload()
            raise
        exchange.is_perceived = True
        record = self._records.by_id(call, id) if id else None
        if record is not None:
            exchange.stored.append(described(record, []))

    def _before(self, exchange: BegunExchange) -> Before:
        """Return what the NPC knew before the line; to perceive it was to meet."""
        before = self._recorder.before(exchange.options)
        return before._replace(relationship={**before.relationship, "met": exchange.has_met})

    def _recording(self, exchange: BegunExchange, answer: Mapping[str, Any]) -> Recording:
        before = self._before(exchange)
        if exchange.occasion == REACTION:
            most = max(1, self._records.config.max_text_chars - _AROUND_EVENT)
            said = shortened(exchange.said, most)
            event = witnessed_event(self._records.config, said, _WITNESSED_IMPORTANCE, _WITNESSED_EMOTION)
            return Recording(memories=[event])
        if exchange.occasion == GREETING and exchange.has_met:
            return turn_alone("", answer, exchange.options, before)
        line = exchange.said if exchange.occasion == LINE else ""
        return recording_of(line, answer, exchange.options, before)

    def _speakers(self, options: PromptOptions, recording: RecordingOptions) -> dict[str, Any]:
        """Who speaks and who listens, for an answer without a model."""
        company = recording.company
        personality = options.data("personality") or {}
        return {
            "npc_name": _text_of(personality, "display_name"),
            "role": _text_of(personality, "role"),
            "player_name": recording.speaker_name or options.player_name(),
            "listeners": self._mind.listeners.hearing([*company.everybody, *options.get("listeners", [])]),
            "speaker": company.speaker,
            "has_mind": options.get("mind") is not None,
        }

    def _names(self, options: PromptOptions) -> dict[str, list[str]]:
        """What the NPC is called, and the player and the listeners: a model may write their parts."""
        name = _text_of(options.data("personality") or {}, "display_name")
        company = options.company(self._records.npc_id)
        others = [PLAYER, options.player_name(), *company.everybody, *options.get("listeners", ())]
        return {"names": [self._records.npc_id, name], "others": others}

    def _exchange(self, call: str, id: str) -> BegunExchange:
        begun = self._begun.get(validate_text(call, "exchange", id))
        if id in self._lost:
            raise self._loaded()
        if begun is None:
            raise InvalidArgumentError(
                f"{call}: there is no exchange {shown(id)}",
                "it has ended, was undone, or the game was loaded meanwhile",
                "Let the NPC speak again. Begin it with begin_exchange()",
            )
        return begun

    def _end(self, exchange: BegunExchange) -> None:
        """Note that an exchange is stored: those that are still begun are no first meeting any more."""
        del self._begun[exchange.id]
        for other in self._begun.values():
            other.has_met = True

    def _check_loads(self, loads: int) -> None:
        """Raise a GameLoadedError if another state of the save was loaded since there were so many."""
        if loads != self._loads:
            raise self._loaded()

    def _loaded(self) -> GameLoadedError:
        return GameLoadedError(
            f"What {self._records.npc_id} was saying is not stored",
            "the game was loaded meanwhile",
            "Nothing is wrong: let the NPC speak again when you want it to",
        )


def _mapping(call: str, name: str, value: Any) -> Mapping[str, Any]:
    if value is not None and not isinstance(value, Mapping):
        raise wrong_type(call, name, value, "a Dictionary")
    return value or {}


def _text_of(data: Mapping[str, Any], name: str) -> str:
    value = data.get(name)
    return value if isinstance(value, str) else ""
