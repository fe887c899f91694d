"""A BERT model as an ONNX graph for what the core does: texts of equally many tokens, never padded.

An exporter's graph computes shapes and masks that such texts do not need, and dynamic quantisation takes
one scale from all texts of a run, so that each changes the vectors of the others. Here every scale is known
before (activation_ranges.py): a text's vector depends on its tokens alone, and short texts can share a run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from .activation_ranges import ActivationRange

INPUT = "input_ids"
OUTPUT = "token_embeddings"
_OPSET = 17
_IR_VERSION = 8
_RUNTIME_DOMAIN = "com.microsoft"
_LARGEST_WEIGHT = 63
"""Seven bits: products of two eight-bit numbers overflow 16-bit sums on processors without VNNI."""
_LARGEST_EMBEDDING = 127
_ONE = np.float32(1)

Array = NDArray[Any]


@dataclass(frozen=True)
class BertModel:
    """The numbers of a BERT model, by their names in `transformers`."""

    weights: Mapping[str, Array]
    layers: int
    heads: int
    epsilon: float
    max_tokens: int

    @classmethod
    def of(cls, transformer: Any, max_tokens: int) -> BertModel | None:
        """The model in a `transformers` module; None when it is not one that this graph computes."""
        config = transformer.config
        is_known = (
            type(transformer).__name__ == "BertModel"
            and config.hidden_act == "gelu"
            and getattr(config, "position_embedding_type", None) in (None, "absolute")
            and not config.is_decoder
            and config.max_position_embeddings >= max_tokens
        )
        if not is_known:
            return None
        weights = {
            name: value.detach().numpy().astype(np.float32)
            for name, value in transformer.state_dict().items()
        }
        heads, epsilon = config.num_attention_heads, config.layer_norm_eps
        return cls(weights, config.num_hidden_layers, heads, epsilon, max_tokens)

    def full_precision(self, *, observed: bool = False) -> onnx.ModelProto:
        """All numbers as they are. `observed`: what goes into the matrix products comes out, by its name."""
        return _Graph(self, {}).model(observed)

    def quantized(self, ranges: Mapping[str, ActivationRange]) -> onnx.ModelProto:
        """Matrix products in int8, with these ranges of their inputs; word embeddings kept in int8."""
        return _Graph(self, ranges).model(False)

    def products(self) -> Iterator[tuple[str, Array]]:
        """(name of the input, weights [out, in]) of the matrix products that are quantised."""
        for layer in range(self.layers):
            for part, names in _PARTS.items():
                rows = [self.weights[f"encoder.layer.{layer}.{name}.weight"] for name in names]
                yield f"{layer}.{part}", np.concatenate(rows)


_ATTENTION = tuple(f"attention.self.{name}" for name in ("query", "key", "value"))
_PARTS = {
    "attention": _ATTENTION,
    "context": ("attention.output.dense",),
    "intermediate": ("intermediate.dense",),
    "activation": ("output.dense",),
}


class _Graph:
    """The graph under construction; a value is called by the name of what computes it."""

    def __init__(self, bert: BertModel, ranges: Mapping[str, ActivationRange]) -> None:
        self._bert = bert
        self._ranges = ranges
        self._nodes: list[onnx.NodeProto] = []
        self._constants: dict[str, onnx.TensorProto] = {}
        self._observed: dict[str, str] = {}
        self._size = int(bert.weights["embeddings.word_embeddings.weight"].shape[1])

    def model(self, observed: bool) -> onnx.ModelProto:
        """The whole model, ids [texts, tokens] to vectors [texts, tokens, dimension]."""
        value = self._embeddings()
        for layer in range(self._bert.layers):
            value = self._layer(layer, value)
        shape = ["texts", "tokens", self._size]
        outputs = [
            helper.make_tensor_value_info(self._node("Identity", [value], OUTPUT), TensorProto.FLOAT, shape)
        ]
        if observed:
            for point, name in self._observed.items():
                self._node("Identity", [name], point)
                outputs.append(helper.make_tensor_value_info(point, TensorProto.FLOAT, None))
        graph = helper.make_graph(
            self._nodes,
            "sentence_model",
            [helper.make_tensor_value_info(INPUT, TensorProto.INT64, ["texts", "tokens"])],
            outputs,
            list(self._constants.values()),
        )
        versions = [helper.make_opsetid("", _OPSET), helper.make_opsetid(_RUNTIME_DOMAIN, 1)]
        return helper.make_model(graph, opset_imports=versions, ir_version=_IR_VERSION)

    def _embeddings(self) -> str:
        weights = self._bert.weights
        words = weights["embeddings.word_embeddings.weight"]
        if self._ranges:
            scale = np.float32(np.abs(words).max() / _LARGEST_EMBEDDING)
            self._constant("words", np.rint(words / scale).astype(np.int8))
            rows = self._node("Gather", ["words", INPUT], "words.bytes")
            zero = self._constant("words.zero", np.int8(0))
            value = self._node(
                "DequantizeLinear", [rows, self._constant("words.scale", scale), zero], "words.found"
            )
        else:
            value = self._node("Gather", [self._constant("words", words), INPUT], "words.found")
        # One text is one segment, so the embedding of its type is a constant of every position.
        places = weights["embeddings.position_embeddings.weight"][: self._bert.max_tokens]
        places = places + weights["embeddings.token_type_embeddings.weight"][0]
        first = self._constant("first", np.array([0], dtype=np.int64))
        count = self._node("Shape", [INPUT], "tokens", start=1, end=2)
        used = self._node("Slice", [self._constant("places", places), first, count, first], "places.used")
        return self._normalized(self._node("Add", [value, used], "embeddings.sum"), "embeddings.LayerNorm")

    def _layer(self, layer: int, value: str) -> str:
        prefix = f"encoder.layer.{layer}."
        width = self._size // self._bert.heads
        root = np.float32(1 / np.sqrt(width))
        given = self._product_input(f"{layer}.attention", value)
        after = self._ranges.get(f"{layer}.context")
        factors = (root, _ONE, _ONE if after is None else 1 / after.divisors)
        query, key, content = (
            self._by_head(self._linear(given, prefix + name, factor))
            for name, factor in zip(_ATTENTION, factors, strict=True)
        )
        likeness = self._node("FusedMatMul", [query, key], prefix + "scores", _RUNTIME_DOMAIN, transB=1)
        share = self._node("Softmax", [likeness], prefix + "share", axis=-1)
        context = self._node("MatMul", [share, content], prefix + "context_by_head")
        context = self._node("Transpose", [context], prefix + "context_by_token", perm=[0, 2, 1, 3])
        whole = self._constant("whole", np.array([0, 0, self._size], dtype=np.int64))
        context = self._node("Reshape", [context, whole], prefix + "context")
        given = self._product_input(f"{layer}.context", context, is_divided=True)
        attended = self._linear(given, prefix + "attention.output.dense")
        value = self._node("Add", [attended, value], prefix + "attention.sum")
        value = self._normalized(value, prefix + "attention.output.LayerNorm")
        given = self._product_input(f"{layer}.intermediate", value)
        inner = self._linear(given, prefix + "intermediate.dense")
        inner = self._node("Gelu", [inner], prefix + "gelu", _RUNTIME_DOMAIN)
        given = self._product_input(f"{layer}.activation", inner)
        outer = self._node("Add", [self._linear(given, prefix + "output.dense"), value], prefix + "sum")
        return self._normalized(outer, prefix + "output.LayerNorm")

    def _product_input(self, point: str, value: str, *, is_divided: bool = False) -> tuple[str, str]:
        """(point, value): the input of matrix products, quantised when its range is known. `is_divided`: the
        weights before it have done the division already.
        """
        self._observed[point] = value
        observed = self._ranges.get(point)
        if observed is None:
            return point, value
        if not is_divided:
            factor = self._constant(f"{point}.factor", 1 / observed.divisors)
            value = self._node("Mul", [value, factor], f"{point}.even")
        scale = self._constant(f"{point}.scale", np.float32(observed.scale))
        zero = self._constant(f"{point}.zero", np.uint8(observed.zero_point))
        return point, self._node("QuantizeLinear", [value, scale, zero], f"{point}.bytes")

    def _linear(self, given: tuple[str, str], name: str, factor: Array | np.float32 = _ONE) -> str:
        point, value = given
        weights = self._bert.weights[f"{name}.weight"].T * factor
        bias = self._bert.weights[f"{name}.bias"] * factor
        observed = self._ranges.get(point)
        if observed is None:
            product = self._node(
                "MatMul", [value, self._constant(f"{name}.weight", weights)], f"{name}.product"
            )
            return self._node("Add", [product, self._constant(f"{name}.bias", bias)], f"{name}.value")
        weights = weights * observed.divisors[:, None]
        scales = (np.maximum(np.abs(weights).max(axis=0), 1e-12) / _LARGEST_WEIGHT).astype(np.float32)
        rounded = np.rint(weights / scales)
        # What rounding the weights does to the mean of the result is known: the bias takes it back.
        bias = bias + (observed.means / observed.divisors) @ (weights - rounded * scales)
        inputs = [
            value,
            self._constant(f"{name}.weight", rounded.astype(np.int8)),
            f"{point}.scale",
            self._constant(f"{name}.scale", scales),
            f"{point}.zero",
            self._constant(f"{name}.zero", np.zeros(len(scales), dtype=np.int8)),
            self._constant(f"{name}.bias", bias.astype(np.float32)),
        ]
        return self._node("MatMulIntegerToFloat", inputs, f"{name}.value", _RUNTIME_DOMAIN)

    def _by_head(self, value: str) -> str:
        """[texts, heads, tokens, width of a head]."""
        heads = self._bert.heads
        shape = self._constant("heads", np.array([0, 0, heads, self._size // heads], dtype=np.int64))
        split = self._node("Reshape", [value, shape], f"{value}.split")
        return self._node("Transpose", [split], f"{value}.by_head", perm=[0, 2, 1, 3])

    def _normalized(self, value: str, name: str) -> str:
        inputs = [
            value,
            *(
                self._constant(f"{name}.{part}", self._bert.weights[f"{name}.{part}"])
                for part in ("weight", "bias")
            ),
        ]
        return self._node("LayerNormalization", inputs, f"{name}.value", axis=-1, epsilon=self._bert.epsilon)

    def _constant(self, name: str, values: Any) -> str:
        if name not in self._constants:
            self._constants[name] = numpy_helper.from_array(np.ascontiguousarray(values), name)
        return name

    def _node(self, kind: str, inputs: list[str], name: str, domain: str = "", **attributes: Any) -> str:
        self._nodes.append(helper.make_node(kind, inputs, [name], name=name, domain=domain, **attributes))
        return name
