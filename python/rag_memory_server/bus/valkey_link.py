"""A connection to Valkey or Redis that comes back by itself."""

from __future__ import annotations

import logging
import os
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rag_memory.errors import ConfigError, ServerError, in_words
from rag_memory_server.clients import has_tls, import_redis
from rag_memory_server.config.valkey_config import ValkeyConfig

if TYPE_CHECKING:
    from redis import Redis

PASSWORD_VARIABLE = "RAG_MEMORY_VALKEY_PASSWORD"

_FIRST_PAUSE_SECONDS = 0.1
_LONGEST_PAUSE_SECONDS = 5.0
_LOG = logging.getLogger("rag_memory")


class ValkeyLink:
    """Used by one thread at a time. After a failure the server is left alone for a while, longer each time:
    what is asked meanwhile fails at once.
    """

    def __init__(
        self, config: ValkeyConfig, what: str, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        """Raises ServerError without a client for Valkey, and ConfigError when the config cannot be used.

        `what` names the use in messages, such as "the event bus".
        """
        self.config = config.validated()
        self.breaks = 0
        """How often the connection was lost."""
        self._what = what
        self._monotonic = monotonic
        self._pause = 0.0
        self._again_at = 0.0
        self._why = ""
        self._client: Redis = _client(self.config)

    @property
    def why_lost(self) -> str:
        """Why there is no connection now; empty when nothing is wrong."""
        return self._why

    @contextmanager
    def use(self) -> Iterator[Any]:
        """The client, to be asked.

        Raises:
            ServerError: there is no connection; the server has not answered or has refused.
        """
        import redis

        if self._monotonic() < self._again_at:
            raise self._lost()
        try:
            yield self._client
        except (redis.ConnectionError, redis.TimeoutError, OSError) as error:
            self._note_loss(error)
            raise self._lost() from error
        except redis.RedisError as error:
            raise ServerError(
                f"{self._what}: the server has refused",
                str(error),
                "Look at the server's settings and memory",
            ) from error
        if self._why:
            _LOG.warning("%s: the connection to %s is there again.", self._what, self._place)
        self._pause, self._again_at, self._why = 0.0, 0.0, ""

    def close(self) -> None:
        """Let go of the connection."""
        with suppress(Exception):
            self._client.close()

    @property
    def _place(self) -> str:
        return self.config.url.rpartition("@")[2].rpartition("//")[2]

    def _note_loss(self, error: Exception) -> None:
        self.breaks += 1
        self._pause = min(max(2 * self._pause, _FIRST_PAUSE_SECONDS), _LONGEST_PAUSE_SECONDS)
        # Not all zones at once.
        self._again_at = self._monotonic() + self._pause * (0.5 + random.random() / 2)
        with suppress(Exception):
            self._client.connection_pool.disconnect()
        if not self._why:
            _LOG.warning(
                "%s: no connection to %s: %s. It is tried again, at least every %g seconds.",
                self._what,
                self._place,
                in_words(error).rstrip("."),
                _LONGEST_PAUSE_SECONDS,
            )
        self._why = in_words(error)

    def _lost(self) -> ServerError:
        return ServerError(
            f"{self._what}: no connection to {self._place}",
            self._why,
            "Look whether the server runs and takes this user and password, and ask again",
        )


def _client(config: ValkeyConfig) -> Redis:
    import_redis()
    from redis import Redis
    from redis.backoff import NoBackoff
    from redis.retry import Retry

    from rag_memory_server.bus.bounded_answers import BoundedParser

    options: dict[str, Any] = {}
    if config.url.startswith("rediss:"):
        if not has_tls():
            raise ServerError(
                "Valkey cannot be reached by rediss://",
                "this runtime has no TLS: Python's module ssl is not there",
                "Use redis:// through a tunnel, such as stunnel or WireGuard, or a Python with ssl",
            )
        options["ssl_ca_certs"] = config.ca_file or None
    return Redis.from_url(
        config.url,
        password=_password(config),
        protocol=2,
        parser_class=BoundedParser,
        socket_timeout=config.timeout_seconds,
        socket_connect_timeout=config.timeout_seconds,
        # Pauses are ours: a call waits for one attempt and no more.
        retry=Retry(NoBackoff(), 0),
        client_name="rag_memory",
        **options,
    )


def _password(config: ValkeyConfig) -> str | None:
    if not config.password_file:
        return os.environ.get(PASSWORD_VARIABLE)
    try:
        return Path(config.password_file).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            "The password of Valkey cannot be read",
            in_words(error),
            "Correct password_file, or make the file readable for this user",
        ) from error
