"""Where saves on a PostgreSQL server are: the table of the Godot class MemoryPostgresStorage. The password is
never a part of it.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from rag_memory.config.config_field import config_field, fields_of, validate_field
from rag_memory.errors import ConfigError, InvalidArgumentError, SaveError, in_words

PASSWORD_VARIABLE = "RAG_MEMORY_POSTGRES_PASSWORD"

_THIS_MACHINE = ("127.0.0.1", "::1", "localhost")
_ENCRYPTED = ("require", "verify-ca", "verify-full")
_SSL_MODES = ("disable", "allow", "prefer", *_ENCRYPTED)
_SCHEMA = re.compile(r"[a-z_][a-z0-9_]{0,62}")


@dataclass(frozen=True)
class PostgresConfig:
    """A database, and the schema in it that holds the saves.

    The password comes from `password_file`, else from the environment (PASSWORD_VARIABLE), else from where
    PostgreSQL's own programs look for it.

    Raises:
        InvalidArgumentError: a value cannot be used, or memories would cross a network in clear text.
    """

    title: ClassVar[str] = "MemoryPostgresStorage"

    host: str = config_field(
        "127.0.0.1", group="Server", doc="The name or the address of the machine that PostgreSQL runs on."
    )
    port: int = config_field(
        5432, group="Server", range=(1, 65535, 1), doc="The port that PostgreSQL listens on."
    )
    database: str = config_field(
        "rag_memory", group="Server", doc="The database. It needs the extension pgvector."
    )
    schema: str = config_field(
        "rag_memory",
        group="Server",
        doc="Where in the database the tables are: small letters, digits and underscores. It is made when it "
        "is missing. Each schema has saves of its own.",
    )
    timeout_seconds: float = config_field(
        5.0,
        group="Server",
        range=(0.0, 600.0, 0.05),
        hint="suffix:s",
        doc="How long a call waits for an unreachable server before it fails. Where nothing answers, one "
        "attempt to connect takes at least 2 seconds, and for 5 seconds after it calls fail at once. A "
        "server that accepts a statement and then sends nothing is given up after 20 seconds. Calls for a "
        "whole save, such as a snapshot, wait as long as the server works.",
    )
    user: str = config_field("rag_memory", group="User", doc="The user that the game connects as.")
    password_file: str = config_field(
        "",
        group="User",
        doc="A file with the password of the user. Empty: the environment variable "
        "`RAG_MEMORY_POSTGRES_PASSWORD` has it, or else it is where PostgreSQL's own programs look for it.",
    )
    sslmode: str = config_field(
        "",
        group="Encryption",
        doc="How the connection is encrypted: one of PostgreSQL's modes, such as `verify-full`. Empty: "
        "`verify-full`, which checks the server's certificate, and on this machine `prefer`. A mode that "
        "may send memories across a network in clear text is refused, and so is `require` without a "
        "`root_certificate`.",
    )
    root_certificate: str = config_field(
        "",
        group="Encryption",
        doc="A file with the certificate that the server's is checked by. Empty: PostgreSQL's usual place, "
        "`~/.postgresql/root.crt`.",
    )

    def __post_init__(self) -> None:
        try:
            for field in fields_of(type(self)):
                validate_field(field, getattr(self, field.name))
        except ConfigError as error:
            raise InvalidArgumentError(error.what, error.why, error.remedy) from None
        for name in ("host", "database", "user"):
            if not getattr(self, name):
                raise InvalidArgumentError(f"{self.title}: {name} is empty", "", "Name the server's")
        if not _SCHEMA.fullmatch(self.schema):
            raise InvalidArgumentError(
                f"{self.title}: schema is {self.schema!r}",
                "it has to be small letters, digits and underscores",
                "Use a name such as rag_memory",
            )
        if self.sslmode and self.sslmode not in _SSL_MODES:
            modes = ", ".join(_SSL_MODES)
            raise InvalidArgumentError(
                f"{self.title}: sslmode is {self.sslmode!r}", "", f"Use one of {modes}"
            )
        if self.host not in _THIS_MACHINE and self.used_sslmode not in _ENCRYPTED:
            raise InvalidArgumentError(
                f"{self.title}: sslmode is {self.sslmode!r}",
                f"memories would cross the network to {self.host} in clear text",
                "Use verify-full",
            )
        if self.host not in _THIS_MACHINE and self.used_sslmode == "require" and not self.root_certificate:
            raise InvalidArgumentError(
                f"{self.title}: sslmode is 'require', and there is no root_certificate",
                f"anybody on the way to {self.host} could take the place of the server",
                "Use verify-full, or name the certificate that the server's is checked by",
            )

    @property
    def used_sslmode(self) -> str:
        """The sslmode for PostgreSQL's client, which passes over a missing certificate with `require`."""
        if self.sslmode == "require" and self.root_certificate:
            return "verify-ca"
        return self.sslmode or ("prefer" if self.host in _THIS_MACHINE else "verify-full")

    @property
    def place(self) -> tuple[str, int, str, str]:
        """Two that have it in common have the same saves."""
        return self.host, self.port, self.database, self.schema

    def password(self) -> str | None:
        """The password; None to let PostgreSQL's client look for one.

        Raises:
            SaveError: its file cannot be read.
        """
        if not self.password_file:
            return os.environ.get(PASSWORD_VARIABLE)
        try:
            return Path(self.password_file).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise SaveError(
                "The password of the database cannot be read",
                in_words(error),
                "Correct password_file, or make the file readable for this user",
            ) from error

    def __str__(self) -> str:
        return f"{self.host}:{self.port}/{self.database}"
