"""Makes a script of an example: the surroundings a reader would have, and checks of what it claims.

What is at the top level decides what an example is: functions and members make it the body of a script,
whose functions are all called; everything else is a list of statements. Names that it uses and does not
declare come from SURROUNDINGS. What a comment claims with an arrow is checked:

    var total: int = memory.get_memory_count()  # -> 3
    print(header["document"])  # -> [Met=no, ...]
    config.is_slot_type("player_name")  # -> true

After an arrow stands a GDScript value, after that of a print its output; "..." in an output is any text.
"""

from __future__ import annotations

import re

SURROUNDINGS = {
    "memory": "@onready var memory: RAGMemory = $RAGMemory",
    "mira": "@onready var mira: RAGMemory = $RAGMemory",
    "mira_memory": "@onready var mira_memory: RAGMemory = $RAGMemory",
    "mind": "@onready var mind: NPCMind = $RAGMemory/NPCMind",
    "prompt": 'var prompt := "You are Mira."',
    "line": 'var line := "Did I keep my promise about the roof?"',
    "player_line": 'var player_line := "Did I keep my promise about the roof?"',
    "personality": 'var personality: NPCPersonality = load("res://demo/villagers/mira.tres")',
    "world": 'var world: NPCWorldKnowledge = load("res://tests/engine/documentation/examples/thornhaven.gd").world()',
    "config": "var config := MemoryConfig.new()",
    "turns": 'var turns: Array[Dictionary] = [{"speaker": "player", "text": "Good evening."}]',
    "saved_game_time": "var saved_game_time := 1000.0",
    "my_language_model": "var my_language_model := ModelOfTheGame.new()",
    "show_dialogue": "func show_dialogue(text: String) -> void:\n\tprint(text)",
    "bus": 'var bus: MemoryEventBus = load("res://tests/engine/documentation/examples/bus.gd").bus()',
    "storage": 'var storage: MemoryPostgresStorage = load("res://tests/engine/documentation/examples/bus.gd").storage()',
    "dialogue": "@onready var dialogue: NPCDialogue = $RAGMemory/NPCDialogue",
    "chat": "@onready var chat: Node = $NobodyWhoChat",
    "GameCalendar": "class GameCalendar:\n\tstatic var seconds := 1000.0",
}
"""Names that an example may use without declaring them, and their types."""

_LANGUAGE_MODEL = """
class ModelOfTheGame:
	func ask(_system: String, _user := "") -> String:
		await (Engine.get_main_loop() as SceneTree).process_frame
		return '{"response": "[warmly] You did.", "analysis": {"trust_change": 2}}'
"""

_CHECKS = """
func _check_example(actual: Variant, expected: Variant, claim: String) -> void:
	get_tree().root.get_node(^"Examples").check(actual, expected, claim)


func _check_example_output(actual: Variant, expected: String) -> void:
	get_tree().root.get_node(^"Examples").check_output(actual, expected)


func _use_in_example(_value: Variant) -> void:
	pass
"""

_MEMBER = re.compile(
    r"^(?:(?:static )?func|signal|enum|class|extends|class_name|@export|@onready|@tool|const)\b", re.MULTILINE
)
_DECLARED = re.compile(r"\b(?:var|const|func|for|class|signal)\s+(\w+)")
_PARAMETERS = re.compile(r"\bfunc\s*\w*\(([^)]*)\)")
_ARROW = re.compile(r"^(?P<indent>\t*)(?P<code>.+?)\s+# -> (?P<expected>.+)$")
_VARIABLE = re.compile(r"^var (\w+)")
_PRINT = re.compile(r"^print\((.*)\)$")


def script_of(code: str) -> str:
    """The script of an example; run_example() carries out one that is a list of statements."""
    is_body = _MEMBER.search(code) is not None
    names = _undeclared(code)
    lines = [_checked(line) for line in code.split("\n")]
    if is_body:
        head = "" if re.search(r"^extends ", code, re.MULTILINE) else "extends Node\n\n"
        text = head + "\n".join(lines)
    else:
        used = re.findall(r"^var (\w+)", code, re.MULTILINE)
        lines += [f"_use_in_example({name})" for name in used]
        text = "extends Node\n\n\nfunc run_example() -> void:\n" + "\n".join("\t" + line for line in lines)
    parts = [text, *(SURROUNDINGS[name] for name in names), _CHECKS]
    if "my_language_model" in names:
        parts.append(_LANGUAGE_MODEL)
    return "\n\n".join(parts) + "\n"


def claims(code: str) -> int:
    """How many lines of an example claim something with an arrow."""
    return code.count("# -> ")


def _undeclared(code: str) -> list[str]:
    bare = re.sub(r'"(?:[^"\\]|\\.)*"|#.*', "", code)
    declared = set(_DECLARED.findall(bare))
    for parameters in _PARAMETERS.findall(bare):
        declared.update(re.findall(r"(\w+)\s*(?::|,|$|=)", parameters))
    used = set(re.findall(r"(?<![.\w$@%])\w+", bare))
    return [name for name in SURROUNDINGS if name in used and name not in declared]


def _checked(line: str) -> str:
    found = _ARROW.match(line)
    if found is None:
        assert "# -> " not in line, f"an arrow needs code before it: {line}"
        return line
    indent, code, expected = found["indent"], found["code"], found["expected"]
    variable, printed = _VARIABLE.match(code), _PRINT.match(code)
    if variable:
        return f"{indent}{code}\n\t{indent}_check_example({variable[1]}, {expected}, {_quoted(code)})"
    if printed:
        return f"{indent}_check_example_output({printed[1]}, {_quoted(expected)})"
    return f"{indent}_check_example({code}, {expected}, {_quoted(code)})"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
