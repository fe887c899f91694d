"""The sentence model: tokenizer, ONNX Runtime and pooling.

A memory's vector must depend on its text alone. Models whose scales are fixed (model.json: texts_together)
give that to texts of equally many tokens in one run; others get every text in a run of its own, because
dynamic int8 quantisation takes its scale from all texts of a run (cosine 0.97 to the same text alone). Many
texts are done on up to two cores (parallel_embedding.py).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnxruntime

from rag_memory.embedding import unigram_pieces
from rag_memory.embedding.embedder import readable, validate_embeddable
from rag_memory.embedding.model_folder import WEIGHTS, remedy
from rag_memory.embedding.parallel_embedding import embed_runs
from rag_memory.embedding.token_runs import TokenIds, TokenRun, TokenRuns
from rag_memory.embedding.word_pieces import WordPieces
from rag_memory.errors import EmbedderError
from rag_memory.vectors import FloatMatrix, Keys, NDArray, unit_rows

_OUTPUT = "token_embeddings"
_POOLINGS = ("mean", "cls")
_SLICE_SECONDS = 0.004
_CHARS_PER_TOKEN = 32
"""A text is cut here before tokenizing, far behind what the model reads: no input takes seconds. In English a
token has about 4 characters, in languages that the model does not know fewer.
"""


@dataclass(frozen=True)
class ModelDescription:
    """The contents of model.json."""

    name: str
    source_hash: str
    dimension: int
    max_tokens: int
    pooling: str
    quantization: str
    texts_together: bool

    @classmethod
    def read(cls, file: Path) -> ModelDescription:
        """Read and check model.json.

        Raises:
            EmbedderError: the file is missing, not JSON, or a value is missing or of the wrong type.
        """
        what = "The sentence model cannot be used"
        try:
            values = json.loads(file.read_bytes())
        except (OSError, ValueError) as error:
            raise EmbedderError(what, f"{file} cannot be read: {error}", remedy(file.parent)) from error
        fields: dict[str, type] = {
            "name": str,
            "source_hash": str,
            "dimension": int,
            "max_tokens": int,
            "pooling": str,
            "quantization": str,
            "texts_together": bool,
        }
        if not isinstance(values, dict):
            raise EmbedderError(what, f"{file} does not hold an object", remedy(file.parent))
        for name, kind in fields.items():
            if type(values.get(name)) is not kind:
                why = f'{file}: "{name}" is missing or not {kind.__name__}'
                raise EmbedderError(what, why, remedy(file.parent))
        if values["pooling"] not in _POOLINGS:
            why = f'{file}: the pooling "{values["pooling"]}" is not one of {", ".join(_POOLINGS)}'
            raise EmbedderError(what, why, "Choose a model with mean or cls pooling")
        if values["dimension"] < 1 or values["max_tokens"] < 1:
            why = f"{file}: dimension and max_tokens must be at least 1"
            raise EmbedderError(what, why, remedy(file.parent))
        return cls(**{name: values[name] for name in fields})

    def fingerprint(self, model_bytes: int) -> str:
        """Changes whenever the vectors may: other weights, pooling, length or quantisation."""
        parts = [
            self.name,
            self.source_hash,
            str(self.dimension),
            str(self.max_tokens),
            self.pooling,
            self.quantization,
            str(model_bytes),
        ]
        return f"{self.name}-{self.dimension}-{hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]}"


class OnnxEmbedder:
    """A sentence-transformers model as `build.py model` exports it, on one core.

    Raises:
        EmbedderError: a file is missing or damaged, or the model is not the one model.json describes.
    """

    def __init__(self, model_folder: Path) -> None:
        folder = self._folder = Path(model_folder)
        description = ModelDescription.read(folder / "model.json")
        model = folder / "model.onnx"
        self.name = description.name
        self.dimension = description.dimension
        self.max_tokens = description.max_tokens
        self.max_chars = description.max_tokens * _CHARS_PER_TOKEN
        self._takes_first_token = description.pooling == "cls"
        self._texts_together = description.texts_together
        self._token_ids = _load_tokenizer(folder, description.max_tokens)
        self._session = _load_session(model, is_optimised=description.texts_together)
        files = [file for file in (model, folder / WEIGHTS) if file.exists()]
        self.fingerprint = description.fingerprint(sum(file.stat().st_size for file in files))
        self._inputs = [value.name for value in self._session.get_inputs()]
        self._check(model)

    def embed(self, texts: Sequence[str]) -> FloatMatrix:
        """See Embedder.embed."""
        matrix = np.empty((len(texts), self.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            matrix[row] = self._vectors([self._tokens(text)])[0]
        return matrix

    def batches(self, texts: Sequence[str]) -> Iterator[tuple[Keys, FloatMatrix]]:
        """See Embedder.batches."""
        for text in texts:
            validate_embeddable(text)
        places: dict[str, list[int]] = {}
        for position, text in enumerate(texts):
            places.setdefault(text, []).append(position)
        positions = list(places.values())
        runs = TokenRuns(self._tokens, list(places), together=self._texts_together)
        for done in embed_runs(runs, self._run_vectors, _SLICE_SECONDS):
            rows = [
                (place, row)
                for run, vectors in done
                for number, row in zip(run.numbers, vectors, strict=True)
                for place in positions[number]
            ]
            targets = np.array([place for place, _row in rows], dtype=np.int64)
            yield (
                targets,
                np.array([row for _place, row in rows], dtype=np.float32).reshape(-1, self.dimension),
            )

    def _run_vectors(self, run: TokenRun) -> FloatMatrix:
        return self._vectors(run.tokens)

    def _vectors(self, texts: Sequence[TokenIds]) -> FloatMatrix:
        tokens = self._token_embeddings(texts)
        return unit_rows(tokens[:, 0] if self._takes_first_token else tokens.mean(axis=1, dtype=np.float64))

    def _tokens(self, text: str) -> TokenIds:
        ids = self._token_ids(readable(text, self.max_chars))
        # A tokenizer that adds no special tokens leaves nothing of an empty text.
        return ids or [0]

    def _token_embeddings(self, texts: Sequence[TokenIds]) -> NDArray[np.float32]:
        """[texts, tokens, dimension] of texts of equally many tokens: without padding every token counts."""
        ids = np.array(texts, dtype=np.int64)
        feeds = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        try:
            outputs = self._session.run([_OUTPUT], {name: feeds[name] for name in self._inputs})
        except Exception as error:  # onnxruntime's own exceptions share no base class
            raise EmbedderError("The sentence model failed", str(error), remedy(self._folder)) from error
        tokens: NDArray[np.float32] = outputs[0]
        return tokens

    def _check(self, model: Path) -> None:
        """Run the model once: a wrong dimension shows now, and the first question finds it warm."""
        what = "The sentence model cannot be used"
        unknown = sorted(set(self._inputs) - {"input_ids", "attention_mask", "token_type_ids"})
        if unknown or _OUTPUT not in [value.name for value in self._session.get_outputs()]:
            why = f"{model} has no output {_OUTPUT}, or needs the unknown inputs {unknown}"
            raise EmbedderError(what, why, remedy(self._folder))
        shape = self._token_embeddings([self._tokens("warm")]).shape
        if len(shape) != 3 or shape[2] != self.dimension:
            why = f"model.json says dimension {self.dimension}, but {model} answers with the shape {shape}"
            raise EmbedderError(what, why, remedy(self._folder))


def _load_tokenizer(folder: Path, max_tokens: int) -> Callable[[str], TokenIds]:
    file = folder / unigram_pieces.FILE
    try:
        if file.exists():
            return unigram_pieces.UnigramPieces(file, max_tokens)
        file = folder / "tokenizer.json"
        description = file.read_bytes()
        word_pieces = WordPieces.of(json.loads(description), max_tokens)
        if word_pieces is not None:
            return word_pieces
        # 18 MB and 25 ms that only other kinds of models need.
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_str(description.decode())
        tokenizer.enable_truncation(max_tokens)
        tokenizer.no_padding()
    except Exception as error:  # tokenizers raises plain Exception
        why = f"{file} is missing or damaged: {error}"
        raise EmbedderError("The sentence model's tokenizer cannot be loaded", why, remedy(folder)) from error
    return lambda text: tokenizer.encode(text).ids


def _load_session(file: Path, *, is_optimised: bool) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    if is_optimised:  # bert_graph.py writes the fused operators itself: looking for more takes 4 ms
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    # The game owns the cores: a spinning worker thread steals frames (10-24 ms of jitter against 0.5).
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # Errors come back as exceptions; the library's own log would land on the game's console.
    options.log_severity_level = 4
    try:
        return onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's own exceptions share no base class
        why = f"{file}, or the {WEIGHTS} beside it, is missing or damaged: {error}"
        raise EmbedderError("The sentence model cannot be loaded", why, remedy(file.parent)) from error
