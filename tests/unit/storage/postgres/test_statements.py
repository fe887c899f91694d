"""What is sent to the server: the same statements whatever is stored, and each about one save."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.unit.storage.contract.conftest import Kept, record_of
from tests.unit.storage.postgres.conftest import OpenSave

from rag_memory.memory.archived import TOLD, Archived
from rag_memory.memory.document import Document
from rag_memory.step import run
from rag_memory.storage.filter import Condition
from rag_memory.storage.listing import Listing
from rag_memory.storage.postgres.session import Session

ROOM = Path(__file__).resolve().parents[4] / "python" / "rag_memory" / "storage" / "postgres"
