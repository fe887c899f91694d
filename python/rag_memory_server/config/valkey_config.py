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
        doc="Where Valkey or Redis is: redis://host:port/database, or rediss:// for TLS. There may be a user "
        "before the host, as in redis://zone@host:6379/0, but no password.",
    )
    password_file: str = config_field(
        "",
        group="Server",
        doc="A file with the password of the server. Empty: the environment variable "
        "`RAG_MEMORY_VALKEY_PASSWORD` has it. Without either none is sent.",
    )
    ca_file: str = config_field(
        "",
        group="Server",
        doc="A file with the certificates that are trusted for rediss://. Empty: those of the system.",
    )
    timeout_seconds: float = config_field(
        2.0,
        group="Server",
        range=(0.05, 5.0, 0.05),
        hint="suffix:s",
        doc="How long an answer of the server is waited for. Then it counts as gone and is asked again "
        "later.",
    )
    key_prefix: str = config_field(
        "",
        group="Names",
        doc="What all names on the server begin with, so that several worlds can share one. Letters, digits "
        "and `_ . : @ -`. All of a world need the same.",
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
                "it has to be redis://host:port/database, or rediss:// for TLS",
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
        doc="Which part of the world this game is. Each zone gets every event, once. A game that is started "
        "again goes on where the last one of this zone ended. Games that run at once need a zone each. "
        "Letters, digits and `_ . @ -`.",
    )
    hears_others: bool = config_field(
        True,
        group="Names",
        doc="Whether `world_event` also tells what happens to NPCs who have no NPCMind in this game. Off: "
        "that is passed over unread, which in a large world saves most of what the bus costs.",
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
        doc="How often an event is tried that is never finished, because the game crashed, say. Then it is "
        "put aside, into the stream `world:events:refused`.",
    )
    claim_after_seconds: float = config_field(
        30.0,
        group="Times",
        range=(0.05, 86_400.0, 0.05),
        hint="suffix:s",
        doc="After this time another game of the zone takes over what one has begun and not finished.",
    )
    catch_up_seconds: float = config_field(
        600.0,
        group="Times",
        range=(0.0, 86_400.0, 1.0),
        hint="suffix:s",
        doc="How far back a new zone, and an NPC who is new in this game, learn what has happened. What she "
        "has perceived already does not happen to her again.",
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
        doc="How long the hot memory of an NPC stays whom nobody asks for. Each reading begins this time "
        "anew.",
    )
    sync_interactions: int = config_field(
        50,
        group="Times",
        range=(1, 100_000, 1),
        doc="After so many interactions a hot memory is made anew from the save.",
    )
    sync_seconds: float = config_field(
        600.0,
        group="Times",
        range=(1.0, 86_400.0, 1.0),
        hint="suffix:s",
        doc="After this time the hot memory of an NPC who is active is made anew from the save.",
    )
