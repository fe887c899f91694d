"""The systems the addon is built for."""

from __future__ import annotations

from .console import SetupError
from .target import Target
from .target_linux import LINUX_ARM64, LINUX_X86_64
from .target_macos import MACOS_UNIVERSAL
from .target_windows import WINDOWS_X86_64

HERE = LINUX_X86_64
"""The only one that builds, and that tests run on without an emulator."""

TARGETS: dict[str, Target] = {
    target.name: target for target in (LINUX_X86_64, LINUX_ARM64, WINDOWS_X86_64, MACOS_UNIVERSAL)
}


def named(name: str) -> Target:
    if name not in TARGETS:
        raise SetupError(
            f"There is no platform {name!r}", f"the platforms are: {', '.join(TARGETS)}", "name one of these"
        )
    return TARGETS[name]
