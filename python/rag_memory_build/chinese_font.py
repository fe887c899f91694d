"""A font with Chinese letters, for the village in Chinese: the engine's own font has none.

It is of the Debian package fonts-wqy-microhei, under the Apache licence 2.0, and of no game or zip file.
"""

from __future__ import annotations

import hashlib
import shutil

from . import debian, disk
from .console import SetupError, step
from .lock import exclusive
from .paths import CACHE, ROOT

FOLDER = ROOT / "demo" / "village" / "font"
FONT = FOLDER / "chinese.ttc"
_SUITE = "bookworm"
_PACKAGE = "fonts-wqy-microhei"
_FILE = "usr/share/fonts/truetype/wqy/wqy-microhei.ttc"
_LICENCE = f"usr/share/doc/{_PACKAGE}/copyright"
_SHA256 = "2420e8078af796b19a3f6ef13de527a1a91c1e7171eea115926c614ced1009b3"
_NEEDED_MEGABYTES = 40


def prepare() -> None:
    """Fetch the font into the folder of the village if it is missing. Raises SetupError if that fails."""
    if _is_intact():
        return
    with (
        exclusive(CACHE / "chinese_font.lock", "the Chinese font"),
        step("Chinese font (2 MB to fetch, once)") as progress,
    ):
        disk.require_free(ROOT, _NEEDED_MEGABYTES, "the Chinese font")
        try:
            archives = debian.fetch(_SUITE, [_PACKAGE], progress)
        except debian.DebianUnavailable as error:
            raise SetupError(
                "The Chinese font cannot be fetched",
                error.why,
                f"put the file wqy-microhei.ttc of {_PACKAGE} 0.2.0-beta-3.1 there as {FONT}",
            ) from error
        with disk.replacing(CACHE / "chinese_font") as unpacked:
            debian.unpack(archives, unpacked, progress)
            with disk.replacing(FOLDER) as fresh:
                shutil.copy(unpacked / _FILE, fresh / FONT.name)
                shutil.copy(unpacked / _LICENCE, fresh / "LICENSE")
                # The editor would import it, and put it into every exported game.
                (fresh / ".gdignore").touch()
    if not _is_intact():
        raise SetupError(
            "The Chinese font is another one",
            f"{FONT} has not the hash that the village was tested with",
            "please report this to the authors of RAG Memory",
        )


def _is_intact() -> bool:
    return FONT.is_file() and hashlib.sha256(FONT.read_bytes()).hexdigest() == _SHA256
