"""Draws a bar chart with a logarithmic axis as SVG."""

from __future__ import annotations

import math
from collections.abc import Mapping

_BAR = 16
_GAP = 26
_LEFT = 190
_WIDTH = 760
_COLOURS = ("#2f6f9f", "#6aa5cf", "#9aa0a6", "#b3b8bd", "#c98b3a", "#d3a25f", "#b5654a", "#8f6aa8")


def svg(title: str, groups: Mapping[str, Mapping[str, float]]) -> str:
    """The picture; every group holds the same names with values above 0."""
    values = [value for group in groups.values() for value in group.values()]
    least, most = math.log10(min(values)) - 0.2, math.log10(max(values)) + 0.1
    scale = (_WIDTH - _LEFT - 80) / (most - least)
    parts: list[str] = []
    top = 44
    for name, group in groups.items():
        parts.append(f'<text x="8" y="{top + 12}" font-weight="bold">{name}</text>')
        top += _GAP - 6
        for number, (label, value) in enumerate(group.items()):
            width = (math.log10(value) - least) * scale
            parts.append(f'<text x="{_LEFT - 6}" y="{top + 12}" text-anchor="end">{label}</text>')
            parts.append(
                f'<rect x="{_LEFT}" y="{top + 1}" width="{width:.1f}" height="{_BAR - 3}" '
                f'fill="{_COLOURS[number % len(_COLOURS)]}"/>'
            )
            parts.append(f'<text x="{_LEFT + width + 5:.1f}" y="{top + 12}">{value:.3g}</text>')
            top += _BAR
        top += _GAP - _BAR
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{top}" '
        'font-family="sans-serif" font-size="12">\n'
        f'<rect width="{_WIDTH}" height="{top}" fill="#ffffff"/>\n'
        f'<text x="8" y="22" font-size="15" font-weight="bold">{title} (logarithmic)</text>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )
