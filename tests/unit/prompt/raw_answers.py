"""Raw answers of language models in the forms that servers send them, and what the NPC says in each.

The NPC is Mira, the player is Aldo. The forms are those of chat templates and of servers that parse no
reasoning; the words are our own. `READABLE_AT_ONCE` can be shown as they arrive; of the others only the end
tells what was meant for the player.
"""

from __future__ import annotations

from typing import NamedTuple

BREAD = "Fresh bread costs two coins."
TWO_LINES = "Fresh bread costs two coins.\n\nThe rye is from this morning."
THOUGHT = "The player wants bread. My name is Zed. I promised to lie about the key."


class RawAnswer(NamedTuple):
    name: str
    text: str
    speech: str = BREAD
    reasoning: str = ""
    """Words that have to be in the reasoning."""


def _json(response: str) -> str:
    return f'{{"response": "{response}", "analysis": {{"interaction_type": "trade", "trust_change": 1}}}}'


READABLE_AT_ONCE = (
    RawAnswer("plain", BREAD),
    RawAnswer("two paragraphs", TWO_LINES, TWO_LINES),
    RawAnswer("blank lines around it", f"\n\n{BREAD}\n\n"),
    RawAnswer("stage directions", f"*smiles warmly* {BREAD}", f"*smiles warmly* {BREAD}"),
    RawAnswer(
        "real brackets",
        "Give me 3 <or 4> coins [or none], {friend}.",
        "Give me 3 <or 4> coins [or none], {friend}.",
    ),
    RawAnswer("a note in braces", "Look {friend: hi}, and {two}.", "Look {friend: hi}, and {two}."),
    RawAnswer("a heart", "I <3 bread, and 2 < 3.", "I <3 bread, and 2 < 3."),
    RawAnswer(
        "a colon",
        "Listen: the mill burned. Remember: two coins.",
        "Listen: the mill burned. Remember: two coins.",
    ),
    RawAnswer(
        "speaks of players", "The player of the lute? He owes me.", "The player of the lute? He owes me."
    ),
    RawAnswer("speaks of her own name", "Mira is what they call me.", "Mira is what they call me."),
    RawAnswer("speaks to Aldo", "Aldo, my friend. Aldo: what a name.", "Aldo, my friend. Aldo: what a name."),
    RawAnswer(
        "speaks of thinking",
        "I think: bread first. Reasoning is for priests.",
        "I think: bread first. Reasoning is for priests.",
    ),
    RawAnswer("an answer of hers", "My answer: no. Response enough?", "My answer: no. Response enough?"),
    RawAnswer("Qwen 3", f"<think>\n{THOUGHT}\n</think>\n\n{BREAD}", reasoning="lie about the key"),
    RawAnswer("Qwen 3 without thinking", f"<think>\n\n</think>\n\n{BREAD}"),
    RawAnswer("thinking tag", f"<thinking>{THOUGHT}</thinking>{BREAD}", reasoning="lie about the key"),
    RawAnswer("thought tag", f"<thought>{THOUGHT}</thought>\n{BREAD}", reasoning="lie about the key"),
    RawAnswer(
        "reasoning tag", f"<reasoning>\n{THOUGHT}\n</reasoning>\n{BREAD}", reasoning="lie about the key"
    ),
    RawAnswer("reflection tag", f"<reflection>{THOUGHT}</reflection>{BREAD}", reasoning="lie about the key"),
    RawAnswer(
        "scratchpad", f"<scratchpad>\n{THOUGHT}\n</scratchpad>\n\n{BREAD}", reasoning="lie about the key"
    ),
    RawAnswer("inner monologue", f"<inner_monologue>{THOUGHT}</inner_monologue>{BREAD}", reasoning="Zed"),
    RawAnswer("capital tags", f"<THINK>{THOUGHT}</THINK> {BREAD}", reasoning="Zed"),
    RawAnswer("tags with spaces", f"< think >{THOUGHT}</ think >{BREAD}", reasoning="Zed"),
    RawAnswer("thinks twice", f"<think>Bread.</think><think>{THOUGHT}</think>{BREAD}", reasoning="Zed"),
    RawAnswer(
        "thinks in between",
        f"Fresh bread<think>How much? {THOUGHT}</think> costs two coins.",
        reasoning="How much?",
    ),
    RawAnswer("answer tag", f"<think>{THOUGHT}</think>\n<answer>\n{BREAD}\n</answer>", reasoning="Zed"),
    RawAnswer("Seed-OSS", f"<seed:think>{THOUGHT}</seed:think>{BREAD}", reasoning="Zed"),
    RawAnswer("Kimi", f"◁think▷{THOUGHT}◁/think▷{BREAD}", reasoning="Zed"),
    RawAnswer("Magistral", f"[THINK]{THOUGHT}[/THINK]{BREAD}", reasoning="Zed"),
    RawAnswer(
        "OpenThinker",
        f"<|begin_of_thought|>\n\n{THOUGHT}\n\n<|end_of_thought|>\n\n<|begin_of_solution|>\n\n{BREAD}\n\n<|end_of_solution|>",
        reasoning="Zed",
    ),
    RawAnswer(
        "Command",
        f"<|START_THINKING|>{THOUGHT}<|END_THINKING|><|START_RESPONSE|>{BREAD}<|END_RESPONSE|><|END_OF_TURN_TOKEN|>",
        reasoning="Zed",
    ),
    RawAnswer(
        "gpt-oss",
        f"<|channel|>analysis<|message|>{THOUGHT}<|end|><|start|>assistant<|channel|>final<|message|>{BREAD}<|return|>",
        reasoning="Zed",
    ),
    RawAnswer(
        "gpt-oss with commentary",
        f"<|start|>assistant<|channel|>analysis<|message|>{THOUGHT}<|end|><|start|>assistant<|channel|>commentary"
        f"<|message|>Checking.<|end|><|start|>assistant<|channel|>final <|constrain|>text<|message|>{BREAD}"
        "<|return|>",
        reasoning="Zed",
    ),
    RawAnswer("gpt-oss, final alone", f"<|channel|>final<|message|>{BREAD}"),
    RawAnswer("Gemma thinking", f"<|channel>thought\n{THOUGHT}\n<channel|>{BREAD}<turn|>", reasoning="Zed"),
    RawAnswer("ChatML end", f"{BREAD}<|im_end|>\n<|im_start|>user\nThank you"),
    RawAnswer("ChatML begin", f"<|im_start|>assistant\n{BREAD}<|im_end|>"),
    RawAnswer(
        "ChatML with thinking",
        f"<|im_start|>assistant\n<think>{THOUGHT}</think>\n{BREAD}<|im_end|>",
        reasoning="Zed",
    ),
    RawAnswer("Llama 3", f"<|start_header_id|>assistant<|end_header_id|>\n\n{BREAD}<|eot_id|>"),
    RawAnswer(
        "Llama 3 goes on", f"{BREAD}<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nThank you<|eot_id|>"
    ),
    RawAnswer("Llama 2", f"<s> {BREAD} </s>"),
    RawAnswer("Mistral", f"{BREAD}</s>[INST] Thank you. [/INST] You are welcome."),
    RawAnswer("Mistral goes on", f"{BREAD} [INST] Thank you. [/INST]"),
    RawAnswer("Gemma", f"{BREAD}<end_of_turn>\n<start_of_turn>user\nThank you"),
    RawAnswer("Gemma begin", f"<start_of_turn>model\n{BREAD}<end_of_turn>"),
    RawAnswer("Phi", f"{BREAD}<|end|><|user|>Thank you<|end|>"),
    RawAnswer("Zephyr", f"<|assistant|>\n{BREAD}</s>\n<|user|>\nThank you"),
    RawAnswer("DeepSeek", f"<｜Assistant｜>{BREAD}<｜end▁of▁sentence｜><｜User｜>Thank you"),
    RawAnswer("GPT end", f"{BREAD}<|endoftext|>Once upon a time"),
    RawAnswer("GLM", f"<|assistant|>\n<think></think>\n{BREAD}<|user|>"),
    RawAnswer("Granite end", f"{BREAD}<|end_of_text|>"),
    RawAnswer("Command end", f"<|CHATBOT_TOKEN|>{BREAD}<|END_OF_TURN_TOKEN|>"),
    RawAnswer("her name", f"Mira: {BREAD}"),
    RawAnswer("her name in bold", f"**Mira:** {BREAD}"),
    RawAnswer("her name, colon outside", f"**Mira**: {BREAD}"),
    RawAnswer("her name in brackets", f"[Mira]: {BREAD}"),
    RawAnswer("her name and a remark", f"Mira (smiling): {BREAD}"),
    RawAnswer("her name, small", f"mira: {BREAD}"),
    RawAnswer("her name, wide colon", f"Mira： {BREAD}"),
    RawAnswer("assistant", f"Assistant: {BREAD}"),
    RawAnswer("response label", f"Response: {BREAD}"),
    RawAnswer("her name on each line", f"Mira: {BREAD}\nMira: And the rye?", f"{BREAD}\nAnd the rye?"),
    RawAnswer("plays the player", f"{BREAD}\nPlayer: Thank you! Here are ten coins.\nMira: You are welcome."),
    RawAnswer("plays the player by name", f"Mira: {BREAD}\n\nAldo: Thank you!\n\nMira: You are welcome."),
    RawAnswer("plays the user", f"{BREAD}\n\nUser: Thank you!\nAssistant: You are welcome."),
    RawAnswer("plays the human", f"{BREAD}\nHuman: Thank you!"),
    RawAnswer("plays the player in bold", f"{BREAD}\n**Player:** Thank you!"),
    RawAnswer(
        "quotes the player",
        f'The player asked: "Is it fresh?"\n\nMira: {BREAD}\n\nThe player said: "Good."',
        reasoning="fresh",
    ),
    RawAnswer("plays the player, one line", f"{BREAD} Player: Thank you! Mira: You are welcome."),
    RawAnswer("instruction", f"{BREAD}\n\n### Instruction:\nWrite the next line."),
    RawAnswer("Alpaca response", f"### Response:\n{BREAD}\n### User:\nThank you"),
    RawAnswer("JSON", _json(BREAD)),
    RawAnswer("JSON in a fence", f"```json\n{_json(BREAD)}\n```"),
    RawAnswer("JSON in a bare fence", f"```\n{_json(BREAD)}\n```"),
    RawAnswer("JSON after thinking", f"<think>{THOUGHT}</think>\n{_json(BREAD)}", reasoning="Zed"),
    RawAnswer(
        "JSON after thinking of JSON",
        '<think>It has to be JSON: {"response": "draft"}</think>\n' + _json(BREAD),
        reasoning="draft",
    ),
    RawAnswer("JSON with a token", f"{_json(BREAD)}<|im_end|>"),
    RawAnswer(
        "JSON of gpt-oss",
        f"<|channel|>analysis<|message|>{THOUGHT}<|end|><|start|>assistant<|channel|>final"
        f" <|constrain|>json<|message|>{_json(BREAD)}",
        reasoning="Zed",
    ),
    RawAnswer("JSON with her name", _json(f"Mira: {BREAD}")),
    RawAnswer("JSON with the player's part", _json(BREAD + r"\nPlayer: Thank you!\nMira: You are welcome.")),
    RawAnswer("JSON with a token in it", _json(f"{BREAD}<|im_end|>")),
    RawAnswer("JSON with thinking in it", _json(f"<think>{THOUGHT}</think>{BREAD}"), reasoning="Zed"),
    RawAnswer(
        "JSON with escapes",
        _json(r"Fresh \"bread\"\ncosts \u20ac2 \ud83c\udf5e \/ loaf."),
        'Fresh "bread"\ncosts €2 🍞 / loaf.',
    ),
    RawAnswer("JSON and a remark", f"{_json(BREAD)}\n\nI kept it short, as asked."),
    RawAnswer("JSON with braces in it", _json("Say {name}, friend."), "Say {name}, friend."),
    RawAnswer(
        "JSON, analysis first",
        '{"analysis": {"learned_about_player": {"name": "Aldo"}}, "response": "' + BREAD + '"}',
    ),
    RawAnswer("JSON, other key", '{"dialogue": "' + BREAD + '"}'),
    RawAnswer("only the beginning of thinking", f"<think>\n{THOUGHT}", "", reasoning="Zed"),
    RawAnswer("only the beginning, in capitals", f"<THINKING>\n{THOUGHT}", "", reasoning="Zed"),
    RawAnswer(
        "names the tag while thinking",
        f"<think>I write <think> first. {THOUGHT}</think>\n{BREAD}",
        reasoning="Zed",
    ),
    RawAnswer(
        "gpt-oss without tokens, with its role",
        f"assistantanalysis{THOUGHT}assistantfinal{BREAD}",
        reasoning="Zed",
    ),
    RawAnswer("gpt-oss without its tokens", f"analysis{THOUGHT}assistantfinal{BREAD}", reasoning="Zed"),
    RawAnswer(
        "Granite", f"Here is my thought process: {THOUGHT}\nHere is my response: {BREAD}", reasoning="Zed"
    ),
    RawAnswer("Reasoning and Response", f"Reasoning: {THOUGHT}\n\nResponse: {BREAD}", reasoning="Zed"),
    RawAnswer("Thought and Answer", f"Thought: {THOUGHT}\nFinal answer: {BREAD}", reasoning="Zed"),
    RawAnswer("Reasoning in bold", f"**Reasoning:**\n{THOUGHT}\n\n**Response:**\n{BREAD}", reasoning="Zed"),
    RawAnswer("Reasoning and her name", f"Reasoning: {THOUGHT}\n\nMira: {BREAD}", reasoning="Zed"),
    RawAnswer("Reasoning and a paragraph", f"Reasoning: {THOUGHT}\n\n{BREAD}", reasoning="Zed"),
    RawAnswer("Reasoning alone", f"Reasoning: {THOUGHT}", "", reasoning="Zed"),
    RawAnswer("a plain fence", f"```\n{BREAD}\n```"),
    RawAnswer("a text fence", f"```text\n{BREAD}\n```"),
    RawAnswer("nothing", "", ""),
    RawAnswer("You as in the prompt", f'You: "{BREAD}"', f'"{BREAD}"'),
    RawAnswer("plays the player in German", f"{BREAD}\nSpieler: Danke!"),
    RawAnswer("plays the player in French", f"{BREAD}\nJoueur : Merci !"),
    RawAnswer("plays the player in Russian", f"{BREAD}\n\nИгрок: Спасибо!"),
    RawAnswer("plays the player in Chinese", f"{BREAD}\n玩家：谢谢"),
    RawAnswer("plays the player in Japanese", f"{BREAD}\nプレイヤー：ありがとう"),
    RawAnswer("JSON with a name alone", '{"response": "Aldo", "analysis": {}}', "Aldo"),
    RawAnswer("speech, and an analysis", f'{BREAD}\n{{"analysis": {{"trust_change": 1}}}}'),
    RawAnswer("speech, and an analysis in a fence", f'{BREAD}\n```json\n{{"analysis": {{}}}}\n```'),
    RawAnswer("an analysis, and speech", f'{{"analysis": {{"trust_change": 1}}}}\n{BREAD}'),
    RawAnswer("JSON under her name", f'{{"Mira": {{"response": "{BREAD}"}}}}'),
    RawAnswer("JSON with capital keys", f'{{"Response": "{BREAD}", "Analysis": {{}}}}'),
    RawAnswer(
        "JSON with bare quotes",
        '{"response": "She said "hello" to me.", "analysis": {}}',
        'She said "hello" to me.',
    ),
    RawAnswer("Python in place of JSON", "{'response': '" + BREAD + "', 'analysis': {}}"),
    RawAnswer("JSON with bare keys", '{response: "' + BREAD + '", analysis: {}}'),
    RawAnswer("JSON without its brace", f'"response": "{BREAD}", "analysis": {{}}}}'),
    RawAnswer("a role alone", f"assistant\n\n{BREAD}"),
    RawAnswer("an empty tag", f"<think/>{BREAD}"),
    RawAnswer("Phi 4", f"<|im_start|>assistant<|im_sep|>{BREAD}<|im_end|>"),
    RawAnswer("Granite roles", f"<|start_of_role|>assistant<|end_of_role|>{BREAD}<|end_of_text|>"),
    RawAnswer("Kimi K2", f"<|im_assistant|>assistant<|im_middle|>{BREAD}<|im_end|>"),
    RawAnswer("the player's section first", f"<player_input>\nBread?\n</player_input>\n{BREAD}"),
    RawAnswer("the player's section after it", f"{BREAD}\n<player_input>\nAnd rye?\n</player_input>\nNo."),
    RawAnswer("within the player's section", f"<player_input>Bread, <b>please</b></player_input>{BREAD}"),
    RawAnswer("a whole prompt", f"<identity>Mira</identity>\n<memories>\n- Bread.\n</memories>\n{BREAD}"),
    RawAnswer("the end of a section", f"{BREAD}\n</recent_turns>"),
    RawAnswer("a tag with a value", f'<think type="deep">{THOUGHT}</think>{BREAD}', reasoning="Zed"),
)

READABLE_AT_THE_END = (
    RawAnswer("a remark before JSON", f"Sure! Here is the answer:\n\n{_json(BREAD)}"),
    RawAnswer("a remark before a fence", f"Here you go:\n```json\n{_json(BREAD)}\n```\nEnjoy."),
    RawAnswer(
        "thinking within thinking", f"<think>a <think>{THOUGHT}</think> b</think>{BREAD}", reasoning="Zed"
    ),
    RawAnswer(
        "only the end of thinking",
        f"{THOUGHT}\nI should stay in character.\n</think>\n\n{BREAD}",
        reasoning="Zed",
    ),
    RawAnswer("only the end, Magistral", f"{THOUGHT}[/THINK]{BREAD}", reasoning="Zed"),
    RawAnswer("only the end, JSON", f"{THOUGHT}\n</think>\n{_json(BREAD)}", reasoning="Zed"),
    RawAnswer("a draft before JSON", '{"response": "draft"}\n\nBetter:\n' + _json(BREAD)),
    RawAnswer(
        "drafts in fences", '```json\n{"response": "draft"}\n```\nNo:\n```json\n' + _json(BREAD) + "\n```"
    ),
)
