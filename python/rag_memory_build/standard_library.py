"""Which part of Python's standard library games get by themselves; the rest is the library part."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from pathlib import Path

_NAMES = """
__future__ _collections_abc _compat_pickle _compression _markupbase _py_abc _sitebuiltins _strptime
_threading_local _weakrefset abc ast base64 bisect bz2 calendar code codecs codeop collections
colorsys concurrent configparser contextlib contextvars copy copyreg csv ctypes dataclasses datetime
decimal difflib dis encodings enum fnmatch fractions functools genericpath getpass gettext glob
graphlib gzip hashlib heapq hmac html importlib inspect io ipaddress json keyword linecache locale
logging lzma ntpath nturl2path numbers opcode operator os pathlib pickle pkgutil platform posixpath
pprint queue quopri random re reprlib runpy sched secrets selectors shlex shutil signal site socket
sqlite3 sre_compile sre_constants sre_parse stat statistics string stringprep struct subprocess
sysconfig tempfile textwrap threading token tokenize tomllib traceback types typing urllib uuid
warnings weakref zipfile zipimport zoneinfo
"""
SHIPPED = frozenset(_NAMES.split())
"""Modules and packages in Python: what the addon and its packages import, and what makes rules pleasant. None
reads command lines: games have the engine for that.
"""
MODULES = "lib-dynload"
OF_SERVERS = ("asyncio", "email", "_asyncio", "_overlapped")
"""What psycopg and redis import besides: a part of the server part."""
_SETTINGS = re.compile(r"_sysconfigdata__(?!linux_)")
"""The module that sysconfig reads; Debian has it under two names."""
_LICENSE = "LICENSE.txt"
_LEFT_OUT_MODULES = (
    *("_codecs_", "_multibytecodec", "_asyncio", "_overlapped", "_multiprocessing", "_posixshmem", "_lsprof"),
    *("_elementtree", "pyexpat", "termios", "resource", "_msi", "_scproxy", "syslog"),
)
"""Beginnings of the names of compiled modules that are not shipped."""

_CODECS = "encodings"
_OLD_CODECS = """
big5 big5hkscs cp037 cp1006 cp1026 cp1125 cp1140 cp273 cp424 cp500 cp720 cp737 cp775 cp850 cp852 cp855 cp856
cp857 cp858 cp860 cp861 cp862 cp863 cp864 cp865 cp866 cp869 cp875 euc_jis_2004 euc_jisx0213 euc_jp
euc_kr gb18030 gb2312 hp_roman8 hz iso2022_jp iso2022_jp_1 iso2022_jp_2 iso2022_jp_2004 iso2022_jp_3
iso2022_jp_ext iso2022_kr johab koi8_t kz1048 mac_arabic mac_croatian mac_cyrillic mac_farsi mac_greek
mac_iceland mac_latin2 mac_roman mac_romanian mac_turkish palmos ptcp154 quopri_codec rot_13 shift_jis
shift_jis_2004 shift_jisx0213 tis_620 uu_codec
"""
_LEFT_OUT_CODECS = frozenset(_OLD_CODECS.split())
"""Encodings of computers that no game runs on, DOS among them. The code pages of Windows stay, and cp437, in
which zip archives name their files.
"""


def left_out(library: Path) -> list[Path]:
    """The files and folders of a standard library that are not shipped. Its licence stays."""
    modules = [path for path in (library / MODULES).iterdir() if path.name.startswith(_LEFT_OUT_MODULES)]
    others = [
        path
        for path in library.iterdir()
        if path.name != MODULES
        and path.suffix in ("", ".py")
        and path.stem not in SHIPPED
        and not _SETTINGS.match(path.stem)
    ]
    return sorted([*modules, *others])


def names(paths: list[Path]) -> list[str]:
    """What a game's rule would import of these."""
    return sorted({path.name.partition(".")[0] for path in paths})


def remove_left_out(library: Path) -> list[str]:
    """Remove what is not shipped; return the names of its modules."""
    paths = left_out(library)
    for path in paths:
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    for path in (library / _CODECS).iterdir():
        if path.stem in _LEFT_OUT_CODECS:
            path.unlink()
    return names(paths)


def copy_left_out(library: Path, folder: Path, only: Sequence[str] = ()) -> None:
    """Copy what is not shipped into one folder with its licence: everything, or modules of these names."""
    (folder / "licenses").mkdir(exist_ok=True)
    shutil.copyfile(library / _LICENSE, folder / "licenses" / "python.txt")
    for path in left_out(library):
        if only and path.name.partition(".")[0] not in only:
            continue
        place = folder / path.name
        shutil.copytree(path, place) if path.is_dir() else shutil.copyfile(path, place)
