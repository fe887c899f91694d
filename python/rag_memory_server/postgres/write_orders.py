"""The order number of a transaction. The rows that it adds have it by default."""

from __future__ import annotations

# Those who write share a lock that a mark takes alone: no transaction gets a number before a mark and commits
# after it.
_LOCK = "hashtextextended(%(lock)s::text, 0)"
_SHARED = f"SELECT pg_advisory_xact_lock_shared({_LOCK}), nextval('write_numbers')"
_ALONE = f"SELECT pg_advisory_xact_lock({_LOCK}), nextval('write_numbers')"


def order_statement(lock: str, is_mark: bool) -> tuple[bytes, dict[str, str]]:
    """The statement with which a transaction begins, and its values.

    Args:
        lock: what the lock of the save is made of.
        is_mark: whether it waits until no other transaction writes to the save.
    """
    return (_ALONE if is_mark else _SHARED).encode(), {"lock": f"order of {lock}"}
