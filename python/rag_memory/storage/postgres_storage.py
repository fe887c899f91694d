"""Where saves on a PostgreSQL server are. The password is never a part of it."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from rag_memory.errors import InvalidArgumentError, SaveError, in_words

PASSWORD_VARIABLE = "RAG_MEMORY_POSTGRES_PASSWORD"

_THIS_MACHINE = ("127.0.0.1", "::1", "localhost")
_ENCRYPTED = ("require", "verify-ca", "verify-full")
_SSL_MODES = ("disable", "allow", "prefer", *_ENCRYPTED)
_SCHEMA = re.compile(r"[a-z_][a-z0-9_]{0,62}")
_WHERE = "PostgresStorage"


@dataclass(frozen=True)
class PostgresStorage:
    """A database, and the schema in it that holds the saves.

    The password comes from `password_file`, else from the environment (PASSWORD_VARIABLE), else from where
    PostgreSQL's own programs look for it.

    Raises:
        InvalidArgumentError: a value cannot be used, or memories would cross a network in clear text.
    """

    host: str = "127.0.0.1"
    port: int = 5432
    database: str = "rag_memory"
    user: str = "rag_memory"
    sslmode: str = ""
    """One of PostgreSQL's; "" checks the server's certificate (verify-full), except on this machine."""
    root_certificate: str = ""
    """A file with the certificate that the server's is checked by; "" for PostgreSQL's usual place."""
    schema: str = "rag_memory"
    password_file: str = ""
    timeout_seconds: float = 5.0
    """How long a call waits for a server that has gone, before it fails."""

    def __post_init__(self) -> None:
        for name in ("host", "database", "user"):
            if not getattr(self, name):
                raise InvalidArgumentError(f"{_WHERE}: {name} is empty", "", "Name the server's")
        if not 0 < self.port < 65536:
            raise InvalidArgumentError(f"{_WHERE}: port is {self.port}", "it has to be 1 to 65535", "")
        if not _SCHEMA.fullmatch(self.schema):
            raise InvalidArgumentError(
                f"{_WHERE}: schema is {self.schema!r}",
                "it has to be small letters, digits and underscores",
                "Use a name such as rag_memory",
            )
        if self.sslmode and self.sslmode not in _SSL_MODES:
            known = ", ".join(_SSL_MODES)
            raise InvalidArgumentError(f"{_WHERE}: sslmode is {self.sslmode!r}", "", f"Use one of {known}")
        if self.host not in _THIS_MACHINE and self.used_sslmode not in _ENCRYPTED:
            raise InvalidArgumentError(
                f"{_WHERE}: sslmode is {self.sslmode!r}",
                f"memories would cross the network to {self.host} in clear text",
                "Use verify-full",
            )

    @property
    def used_sslmode(self) -> str:
        """The sslmode that is used when none is given."""
        return self.sslmode or ("prefer" if self.host in _THIS_MACHINE else "verify-full")

    def password(self) -> str | None:
        """The password; None to let PostgreSQL's client look for one.

        Raises:
            SaveError: its file cannot be read.
        """
        if not self.password_file:
            return os.environ.get(PASSWORD_VARIABLE)
        try:
            return Path(self.password_file).read_text(encoding="utf-8").strip()
        except OSError as error:
            raise SaveError(
                "The password of the database cannot be read",
                in_words(error),
                "Correct password_file, or make the file readable for this user",
            ) from error

    def __str__(self) -> str:
        return f"{self.host}:{self.port}/{self.database}"
