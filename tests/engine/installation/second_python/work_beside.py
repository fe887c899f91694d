# What the second Python runs until the test says "finish": numpy of its own, and with it the addon's core.
import json
import os
import sys
import time
from pathlib import Path

folder = Path(os.environ["SECOND_PYTHON_FOLDER"])
packages, addon = os.environ["SECOND_PYTHON_PACKAGES"], Path(os.environ["SECOND_PYTHON_ADDON"])
sys.path.insert(0, packages)
# As docs/py4godot.md says: behind the packages of this Python.
sys.path.append(str(addon))

import numpy as np  # noqa: E402

import rag_memory  # noqa: E402
from rag_memory.embedding.registry import default_embedder  # noqa: E402

matrix = np.arange(10000.0).reshape(100, 100)
# Only a test needs to say where the model is: this addon's folders are links.
embedder = default_embedder(Path(os.environ["SECOND_PYTHON_MODELS"]))
with rag_memory.open_save(folder / "second.sqlite3", embedder) as save:
    elena = save.npc("elena")
    elena.memories.store("The player brought me a red rose.", 8)
    rounds = 0
    while True:
        product = float((matrix @ matrix.T).trace())
        found = elena.recall.retrieve_scored("Did I bring you a flower?")
        rounds += 1
        said = {
            "trace": product,
            "found": [memory["document_full"] for memory in found],
            "rounds": rounds,
            "is_own_numpy": np.__file__.startswith(packages),
            "is_the_addons_core": rag_memory.__file__.startswith(str(addon)),
            "version": sys.version_info[:2],
        }
        (folder / "new").write_text(json.dumps(said), encoding="utf-8")
        (folder / "new").replace(folder / "said")
        if (folder / "finish").exists():
            break
        time.sleep(0.001)
