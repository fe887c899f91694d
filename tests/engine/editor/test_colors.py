"""Colours of the panels are visible on the background of every editor theme."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.editor.editor_project import EditorProject, play
from tests.engine.editor.pictures import engine_minor
from tests.engine.game import Home

pytestmark = pytest.mark.slow

Rgba = list[float]


def luminance(color: Rgba) -> float:
    """The relative luminance of WCAG 2."""
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in color[:3])
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(color: Rgba, panel: Rgba) -> float:
    alpha = color[3]
    shown = [alpha * c + (1 - alpha) * p for c, p in zip(color[:3], panel[:3], strict=True)]
    darker, lighter = sorted([luminance(shown), luminance(panel)])
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("theme", ["Default", "Light", "Gray", "Solarized (Light)", "Black (OLED)"])
def test_colours_stand_out_on(theme: str, tmp_path: Path, home: Home) -> None:
    config = home.folder / "config" / "godot"
    config.mkdir(parents=True)
    settings = '[gd_resource type="EditorSettings" format=3]\n\n[resource]\n'
    settings += f'interface/theme/color_preset = "{theme}"\n'
    (config / f"editor_settings-{'.'.join(engine_minor())}.tres").write_text(settings, encoding="utf-8")
    game = play(EditorProject(tmp_path / "project", model=False), home, "colors")
    panel = game.value("panel")
    assert len(game.values("text")) == 13 and len(game.values("graphics")) == 4
    weak = [
        (kind, color, round(contrast(color, panel), 2))
        for kind, least in (("text", 4.5), ("graphics", 3.0))
        for color in game.values(kind)
        if contrast(color, panel) < least - 0.01
    ]
    assert weak == [], (panel, weak)
