"""The sentences of a dossier; config/wording.py has them in its table."""

from __future__ import annotations

from collections.abc import Mapping

DOSSIER_GROUPS: Mapping[str, Mapping[str, str]] = {
    "A dossier (RAGMemory.build_dossier)": {
        "dossier_profile": "WHO YOU ARE",
        "dossier_backstory": "YOUR PAST",
        "dossier_turns": "WHAT WAS JUST SAID",
        "dossier_summary": "WHAT YOU TALKED OF BEFORE",
        "dossier_memories": "WHAT YOU REMEMBER",
        "dossier_events": "WHAT HAPPENED LATELY",
        "dossier_tasks": "TASKS",
        "dossier_lore": "WHAT IS KNOWN OF THE WORLD",
        "dossier_debates": "DEBATES YOU KNOW OF",
        "dossier_scene": "THE SCENE",
        "you_belong_to": "You belong to: {groups}.",
        "your_culture": "Where you come from: {culture}.",
        "you_are_by_trade": "What you do: {occupation}.",
        "loyalties": "You are loyal to: {loyalties}.",
        "task_of_npc": "You are to do this for {issuer}.",
        "task_of_your_own": "You have set yourself this task.",
        "task_for_npc": "{assignee} is to do this for you.",
        "task_of_others": "{assignee} is to do this for {issuer}.",
        "task_due_today": "It is due today.",
        "task_due_tomorrow": "It is due tomorrow.",
        "task_due_in_days": "It is due in {days} days.",
        "debate_told": "On '{topic}': {summary}",
        "debate_outcome": "The outcome: {outcome}",
        "scene_at": "Where you are: {location}.",
        "scene_time": "The time: {time}.",
        "scene_near": "Near you: {names}.",
        "scene_changed": "This has just changed: {change}",
        "scene_yes": "yes",
        "scene_no": "no",
    },
}
