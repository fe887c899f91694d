"""The folder of the sentence model, and the remedy when it is missing or damaged."""

from __future__ import annotations

from pathlib import Path

MODEL_FILES = ("model.onnx", "tokenizer.json", "model.json")
WEIGHTS = "model.data"
"""The weights of model.onnx, where they are not in it: a file that is mapped takes less memory."""
LANGUAGE_PACK = "multilingual"
"""The folder of the model for other languages, which the addon has in a zip file of its own."""
_PACKAGE = Path(__file__).resolve().parents[1]


def places_of(models_folder: Path | None) -> list[Path]:
    """Return the folders that may hold models. None: the addon's models folder, relative to
    <project>/python/rag_memory or to <addon>/runtime/<platform>/site-packages/rag_memory, which exported
    games keep.
    """
    if models_folder is not None:
        return [Path(models_folder)]
    above = _PACKAGE.parents
    folders = []
    if _PACKAGE.parent.name == "python":
        folders.append(above[1] / "addons" / "rag_memory" / "models")
    if _PACKAGE.parent.name == "site-packages" and len(above) > 3:
        folders.append(above[3] / "models")
    return folders


def model_folder(places: list[Path]) -> Path | None:
    """The first folder that holds a file of a model; what is missing of it is an error, not a reason to look
    elsewhere.
    """
    folders = (folder for place in places for folder in (place, place / "default"))
    return next((folder for folder in folders if any((folder / name).exists() for name in MODEL_FILES)), None)


def is_repository() -> bool:
    """Return True in a clone of the addon's repository, where everything can be built."""
    return _PACKAGE.parent.name == "python" and (_PACKAGE.parents[1] / "build.py").is_file()


def remedy(folder: Path | None = None) -> str:
    """Return what restores the model of this folder (None: the default model)."""
    if folder is not None and folder.name == LANGUAGE_PACK:
        if is_repository():
            return "Make it with `python3 build.py model --language-pack multilingual`"
        return (
            "Unpack the zip file of the addon that ends in -multilingual.zip into the project's folder (and "
            'export the game anew), or set rag_memory/embedding/language to "english"'
        )
    if is_repository():
        return "Build the model with `python3 build.py model`"
    return (
        "Take the folder models/default/ from the zip file of the addon and put it into addons/rag_memory/ "
        "again. For an exported game, export it anew, or copy the folder into rag_memory/ beside it"
    )
