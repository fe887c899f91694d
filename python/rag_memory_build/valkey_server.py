"""A private Valkey (with Redis's protocol), for development and for tests."""

from __future__ import annotations

import secrets
import signal
from contextlib import AbstractContextManager
from pathlib import Path

from . import server_places, server_programs
from .server_process import HOST, Server, temporary


class ValkeyServer(Server):
    """Valkey with a password and data on disk."""

    title = "Valkey"
    program_names = ("valkey-server", "valkey-check-rdb", "valkey-check-aof")
    ready = "Ready to accept connections tcp"
    port_taken = "Address already in use"
    end_signal = signal.SIGTERM

    def command(self, port: int) -> list[str | Path]:
        programs = server_programs.prepare()
        server_places.make_folder(self.folder)
        server_places.give(self.folder)
        if not self.password_file.exists():
            self.password_file.touch(0o600)
            self.password_file.write_text(f"{secrets.token_urlsafe(24)}\n", encoding="utf-8")
        # In a file, because other users can see the words of a command.
        settings = self.folder / "valkey.conf"
        settings.touch(0o600)
        server_places.give(settings)
        lines = [f"bind {HOST}", f"port {port}", f'dir "{self.folder}"', f"requirepass {self.password()}"]
        lines += ["appendonly yes", "daemonize no", "save 300 1"]
        # Otherwise a confirmed event can be lost: while the disk is busy, nothing is written for seconds.
        lines += ["appendfsync always"]
        settings.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return [programs.valkey, settings]


def temporary_valkey() -> AbstractContextManager[ValkeyServer]:
    """A temporary empty server, see server_process.temporary()."""
    return temporary(ValkeyServer)
