"""The connection to Valkey or Redis and what is stored there: the tables of the Godot classes MemoryEventBus
and MemoryHotCache.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from rag_memory.config.config_field import config_field, fields_of, validate_field
from rag_memory.errors import ConfigError

_ConfigT = TypeVar("_ConfigT", bound="ValkeyConfig")
_URL = re.compile(r"rediss?://(?P<user>[^@/]*@)?(\[[0-9a-fA-F:.]+\]|[\w.-]+)(:\d{1,5})?(/\d{0,5})?")
_NAME = re.compile(r"[\w.@-]{1,100}", re.ASCII)
_PREFIX = re.compile(r"[\w.:@-]{0,100}", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class ValkeyConfig:
    """The address of the server, and the prefix of the keys stored there. Immutable."""

    title: ClassVar[str] = "Valkey"
    """The name of the Godot class."""

    url: str = config_field(
        "redis://127.0.0.1:6379/0",
        group="Server",
        doc="The address of Valkey or Redis: redis://host:port/database. There may be a user before the "
        "host, as in redis://zone@host:6379/0, but no password. rediss:// (TLS) fails with an error, "
        "because the addon's Python has no TLS: use a private network or a tunnel.",
    )
    password_file: str = config_field(
        "",
        group="Server",
        doc="A file with the password of the server. Empty: the password is read from the environment "
        "variable `RAG_MEMORY_VALKEY_PASSWORD`. Without either, none is sent.",
    )
    ca_file: str = config_field(
        "",
        group="Server",
        doc="A file with the certificates that are trusted for rediss://, which needs a Python with TLS.",
    )
    timeout_seconds: float = config_field(
        2.0,
        group="Server",
        range=(0.05, 5.0, 0.05),
        hint="suffix:s",
        doc="How long to wait for an answer of the server. After that it counts as unreachable, and is "
        "tried again later.",
    )
    key_prefix: str = config_field(
        "",
        group="Names",
        doc="The prefix of all keys on the server, so that several worlds can share it. Letters, digits and "
        "`_ . : @ -`. All game servers of a world need the same prefix.",
    )

    def validated(self: _ConfigT) -> _ConfigT:
        """This config with every value in its declared type.

        Raises:
            ConfigError: a value has the wrong type, lies outside its range or cannot be used.
        """
        cls = type(self)
        values: dict[str, Any] = {
            field.name: validate_field(field, getattr(self, field.name)) for field in fields_of(cls)
        }
        parts = _URL.fullmatch(self.url)
        if parts is None:
            raise ConfigError(
                f"{cls.title}.url is no address of a server",  # It may hold a password.
                "it has to be redis://host:port/database",
                "Correct it, for example redis://127.0.0.1:6379/0",
            )
        if ":" in (parts["user"] or ""):
            raise ConfigError(
                f"{cls.title}.url has a password in it",
                "whoever gets the scene or resource file would have it, too",
                "Put the password into a file and name it in password_file, or into the environment "
                "variable RAG_MEMORY_VALKEY_PASSWORD",
            )
        if not _PREFIX.fullmatch(self.key_prefix):
            raise ConfigError(
                f"{cls.title}.key_prefix cannot be used",
                "names on the server are of letters, digits and _ . : @ -",
                'Use a short name, for example "valley:"',
            )
        return cls(**values)


@dataclass(frozen=True, kw_only=True)
class MemoryEventBusConfig(ValkeyConfig):
    """The settings of a game that takes part in an event bus. Immutable."""

    title: ClassVar[str] = "MemoryEventBus"

    zone: str = config_field(
        "zone_1",
        group="Names",
        doc="The part of the world that this game runs. Each zone gets every event once. A restarted game "
        "continues where the last one of this zone stopped. Games that run at the same time need different "
        "zones. Letters, digits and `_ . @ -`.",
    )
    hears_others: bool = config_field(
        True,
        group="Names",
        doc="Whether `world_event` also tells what happens to NPCs who have no NPCMind in this game. Off: "
        "such events are skipped unread, which saves most of the cost of the bus in a large world.",
    )
    max_stream_events: int = config_field(
        100_000,
        group="Limits",
        range=(100, 100_000_000, 1),
        doc="About how many events the server keeps. A zone that is further behind loses the oldest, and an "
        "error says how many. 100,000 short ones take about 20 MB.",
    )
    batch_size: int = config_field(
        100,
        group="Limits",
        range=(1, 10_000, 1),
        doc="Most events that are in the memory of the game at once. The others wait on the server.",
    )
    max_deliveries: int = config_field(
        5,
        group="Limits",
        range=(1, 1000, 1),
        doc="How often an event is tried if it is never finished, for example because the game crashes. "
        "After that it is moved to the stream `world:events:refused`.",
    )
    claim_after_seconds: float = config_field(
        30.0,
        group="Times",
        range=(0.05, 86_400.0, 0.05),
        hint="suffix:s",
        doc="After this time, another game of the zone takes over events that a game left unfinished.",
    )
    catch_up_seconds: float = config_field(
        600.0,
        group="Times",
        range=(0.0, 86_400.0, 1.0),
        hint="suffix:s",
        doc="How far back a new zone, and an NPC that is new in this game, learn what has happened. Events "
        "that the NPC has perceived already are not repeated.",
    )

    def validated(self) -> MemoryEventBusConfig:
        """See ValkeyConfig.validated()."""
        if isinstance(self.zone, str) and not _NAME.fullmatch(self.zone):
            raise ConfigError(
                "MemoryEventBus.zone cannot be used",
                "a zone has a name of 1 to 100 letters, digits and _ . @ -",
                'Use a short name, for example "harbour"',
            )
        return super().validated()


@dataclass(frozen=True, kw_only=True)
class MemoryHotCacheConfig(ValkeyConfig):
    """The lifetime of hot memories on the server, and when they are refreshed. Immutable."""

    title: ClassVar[str] = "MemoryHotCache"

    ttl_seconds: int = config_field(
        3600,
        group="Times",
        range=(1, 30 * 86_400, 1),
        hint="suffix:s",
        doc="How long the hot memory of an NPC is kept after it was last read or written.",
    )
    sync_interactions: int = config_field(
        50,
        group="Times",
        range=(1, 100_000, 1),
        doc="After so many interactions, a hot memory is rebuilt from the save.",
    )
    sync_seconds: float = config_field(
        600.0,
        group="Times",
        range=(1.0, 86_400.0, 1.0),
        hint="suffix:s",
        doc="After this time, the hot memory of an active NPC is rebuilt from the save.",
    )
