"""PostgreSQL 18 with pgvector, and Valkey: unpacked from Debian's packages, never installed.

They are not shipped. PostgreSQL and pgvector are under the PostgreSQL licence, Valkey under BSD-3-Clause.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from . import debian, disk, patchelf, server_places, stamp
from .console import SetupError, step
from .lock import exclusive

VERSION = "18"
"""The version of PostgreSQL. It can't open data folders of other versions."""

_LAYOUT = "1"
_SUITE = "forky"
_PACKAGES = (f"postgresql-{VERSION}", f"postgresql-{VERSION}-pgvector", "valkey-server", "openssl")
# Packages that install a server in a system.
_WITHOUT = (
    *("adduser", "debconf", "dpkg", "login.defs", "netbase", "passwd", "procps", "sensible-utils", "ucf"),
    *("libpam-modules", "libpam-modules-bin", "libsemanage2", "libsemanage-common", "libsepol2", "systemd"),
    *("libsystemd-shared", "locales", "libc-l10n", "openssl-provider-legacy", "ssl-cert"),
    *("perl", "perl-base", "perl-modules-5.42", "libperl5.42", "libjson-perl", "libdb5.3t64", "libgdbm6t64"),
    *("libgdbm-compat4t64", "libtext-charwidth-perl", "libtext-wrapi18n-perl", "tzdata", "tar", "coreutils"),
    *("postgresql-common", "postgresql-client-common"),
)
_INSTALLED_MEGABYTES = 200
_LIBRARIES = "usr/lib/x86_64-linux-gnu"
_POSTGRES = f"usr/lib/postgresql/{VERSION}/bin"
_PROGRAMS = (
    *(f"{_POSTGRES}/{name}" for name in ("postgres", "initdb", "psql")),
    *("usr/bin/valkey-server", "usr/bin/openssl"),
)
_SIZES = "server.json"


@dataclass(frozen=True)
class Programs:
    """The unpacked servers, which don't need libraries of the system."""

    folder: Path

    @property
    def postgres(self) -> Path:
        return self.folder / _POSTGRES / "postgres"

    @property
    def initdb(self) -> Path:
        return self.folder / _POSTGRES / "initdb"

    @property
    def psql(self) -> Path:
        return self.folder / _POSTGRES / "psql"

    @property
    def openssl(self) -> Path:
        """Makes certificates for tests."""
        return self.folder / "usr/bin/openssl"

    @property
    def valkey(self) -> Path:
        return self.folder / "usr/bin/valkey-server"


def prepare() -> Programs:
    """Fetch the servers if they are missing.

    Raises SetupError if they can't be fetched or there are no Debian packages.
    """
    place = server_places.make_folder(server_places.programs_folder())
    folder = place / "server" / stamp.key_of(_LAYOUT, _SUITE, *_PACKAGES)[:12]
    if not is_complete(folder):
        with exclusive(place / "server.lock", "the database servers"):
            if not is_complete(folder):
                _build(folder)
    return Programs(folder)


def is_complete(folder: Path) -> bool:
    return stamp.has_listed_sizes(folder, _SIZES)


def _build(folder: Path) -> None:
    with step(f"PostgreSQL {VERSION}, pgvector and Valkey (37 MB to fetch, once)") as progress:
        server_places.make_folder(folder.parent)
        disk.require_free(folder.parent, _INSTALLED_MEGABYTES, "the database servers")
        try:
            archives = debian.fetch(_SUITE, _PACKAGES, progress, without=_WITHOUT)
        except debian.DebianUnavailable as error:
            remedy = "run this on Debian, or start your own servers; docs/servers.md says which"
            raise SetupError("The database servers cannot be fetched", error.why, remedy) from error
        with disk.replacing(folder) as fresh:
            debian.unpack(archives, fresh, progress)
            for name in ("usr/share/doc", "usr/share/man", "usr/share/locale", "usr/include", "var", "etc"):
                shutil.rmtree(fresh / name, ignore_errors=True)
            progress.update("making them independent of the system's libraries")
            _use_own_libraries(fresh, folder, patchelf.patchelf(progress))
            stamp.list_sizes(fresh, _SIZES)


def _use_own_libraries(fresh: Path, folder: Path, program: Path) -> None:
    """Set interpreter and library path of the programs, so that they need no library of the system."""
    libraries = folder / _LIBRARIES
    loader = str(libraries / "ld-linux-x86-64.so.2")
    options = ("--set-interpreter", loader, "--force-rpath", "--set-rpath", str(libraries))
    # valkey-server is a link.
    patchelf.modify([((fresh / name).resolve(), options) for name in _PROGRAMS], program)
