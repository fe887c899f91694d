"""Turns a sentence-transformers model into model.onnx, model.data, tokenizer.json and model.json.

Runs as a program of its own inside the model step's environment (model_environment.py), the only place
with torch. What it prints is progress; a model it cannot use is explained in refusal.json.
"""

from __future__ import annotations

import argparse
import json
import logging
import shutil
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import torch
from huggingface_hub import snapshot_download
from numpy.typing import NDArray
from onnx import external_data_helper
from onnxruntime.quantization import QuantType, quantize_dynamic
from scipy.stats import spearmanr
from sentence_transformers import SentenceTransformer
from tokenizers import Tokenizer, normalizers

from . import model_source
from .activation_ranges import Observed
from .bert_graph import INPUT, OUTPUT, BertModel
from .calibration_text import calibration_texts
from .console import SetupError
from .model_source import WEIGHTS

# Seven-bit weights, one scale per output channel. Eight-bit signed weights can overflow 16-bit sums on
# processors without VNNI; unsigned ones cannot, but were a fifth slower.
_STATIC = "int8-static-smoothed-per-channel-7-bit"
_DYNAMIC = "int8-per-channel-7-bit"
_UNQUANTIZED = "none"
_LEAST_MEAN_COSINE = 0.97
_LARGEST_DIFFERENCE = 1e-4
_OPSET = 17
_OTHER_KIND = "choose a model of another kind: BERT and its relatives export well"
_INPUTS = (INPUT, "attention_mask", "token_type_ids")
_TOKENS_OF_A_PROBE = 24
_POOLINGS = ("mean", "cls")
_LINES_BETWEEN_PROGRESS = 100
_LEAST_BYTES_APART, _PAGE_BYTES = 16384, 4096
_DOWNLOADED = ("*.json", "*.txt", "*.safetensors", "*.bin", "*.model", "README.md", "LICENSE*", "NOTICE*")
_NOT_DOWNLOADED = ("onnx/*", "openvino/*")

# Short and long, one word and many lines, past every model's limit: padding, truncation and the
# tokenizer's odder paths all take part in the comparison with the original.
_PROBES = (
    "Hi",
    "The old smith hammered all night because the baron wanted his sword by dawn.",
    "Elena remembers that you paid her brother's debt of 40 silver; she has not forgotten it.",
    "Où est passée la clé de l'écurie ? Ниқто не знает. 誰も知らない。",
    "  two   spaces,\ttabs\nand lines -- and 'quotes' \"of\" (every) [kind] <here> & there ...  ",
    " ".join(
        f"On day {day} the caravan crossed river number {day * 7} and lost a mule." for day in range(1, 90)
    ),
)

Matrix = NDArray[np.float32]


class TokenEmbeddings(torch.nn.Module):
    """The transformer alone: ids in, one vector per token out. Pooling is the core's work."""

    def __init__(self, transformer: torch.nn.Module, inputs: Sequence[str]) -> None:
        super().__init__()
        self.transformer = transformer
        self.inputs = inputs

    def forward(self, *values: torch.Tensor) -> torch.Tensor:
        named = dict(zip(self.inputs, values, strict=True))
        result: torch.Tensor = self.transformer(**named, return_dict=True).last_hidden_state
        return result


class OnnxModel:
    """The exported files, used as the core uses them: one text per run, then pooling and length 1."""

    def __init__(self, model: Path, tokenizer: Path, pooling: str) -> None:
        options = onnxruntime.SessionOptions()
        # As in the core. Spinning threads would also make a busy machine many times slower.
        options.intra_op_num_threads = 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        self._tokenizer = Tokenizer.from_file(str(tokenizer))
        self._pooling = pooling

    def embed(self, texts: Sequence[str], what: str = "") -> Matrix:
        """[texts, dimension]."""
        rows = []
        for number, text in enumerate(texts):
            if what and number % _LINES_BETWEEN_PROGRESS == 0:
                say(f"{what}: {number} of {len(texts)} sentences")
            rows.append(self.embed_tokens([self.tokens(text)])[0])
        return np.stack(rows)

    def tokens(self, text: str) -> list[int]:
        """The ids of a text's tokens."""
        ids: list[int] = self._tokenizer.encode(text).ids
        return ids

    def embed_tokens(self, texts: Sequence[Sequence[int]]) -> Matrix:
        """[texts, dimension], all in one run; texts of equally many tokens."""
        tokens = self.outputs(texts)[OUTPUT]
        pooled = tokens[:, 0] if self._pooling == "cls" else tokens.mean(axis=1)
        rows: Matrix = (pooled / np.linalg.norm(pooled, axis=1, keepdims=True)).astype(np.float32)
        return rows

    def outputs(self, texts: Sequence[Sequence[int]]) -> dict[str, Matrix]:
        """Every output of the graph, by its name."""
        ids = np.array(texts, dtype=np.int64)
        feeds = dict(zip(_INPUTS, (ids, np.ones_like(ids), np.zeros_like(ids)), strict=True))
        used = {value.name: feeds[value.name] for value in self._session.get_inputs()}
        names = [value.name for value in self._session.get_outputs()]
        return dict(zip(names, self._session.run(names, used), strict=True))


def say(text: str) -> None:
    print(text, flush=True)


def export(name: str, place: str, built_from: str, pairs: Path | None, output: Path) -> None:
    """Write the files and a NOTICE for the model in the folder, or with the name, `place`.

    Raises:
        SetupError: the model cannot be had, is of a kind the core cannot run, or does not export truly.
    """
    folder = Path(place) if Path(place).is_dir() else _download(place)
    original = _load(folder)
    pooling, inputs, max_tokens = _check_kind(original)
    _write_tokenizer(original, max_tokens, output / "tokenizer.json")
    say("exporting to ONNX")
    full = output / "full.onnx"
    bert = BertModel.of(original[0].auto_model, max_tokens)
    if bert is None:
        _write_onnx(original, inputs, full)
    else:
        inputs = (INPUT,)
        onnx.save(bert.full_precision(), full)
    exact = OnnxModel(full, output / "tokenizer.json", pooling)
    difference = _difference(original, exact)
    if not difference <= _LARGEST_DIFFERENCE:
        raise SetupError(
            f"The ONNX export of {name} differs from the model",
            f"a component differs by {difference:.2e}, allowed is {_LARGEST_DIFFERENCE:.0e}",
            _OTHER_KIND,
        )
    say(f"fp32 ONNX agrees with sentence-transformers: largest difference {difference:.1e}")
    quantization, cosine = _quantize(full, bert, output, pooling)
    _split_weights(output / "model.onnx")
    shipped = OnnxModel(output / "model.onnx", output / "tokenizer.json", pooling)
    if bert is not None:
        _check_together(shipped)
    spearman = _spearman(pairs, original, exact, shipped) if pairs is not None else None
    full.unlink()
    stated_license = model_source.license_of(folder)
    content = model_source.content_hash(folder)
    description = {
        "name": name,
        "published_name": "" if built_from else place,
        "source_hash": content,
        "built_from": built_from or f"files:{content}",
        "dimension": int(shipped.embed(["dimension"]).shape[1]),
        "max_tokens": max_tokens,
        "pooling": pooling,
        "normalize": True,
        "quantization": quantization,
        "texts_together": bert is not None,
        "onnx_inputs": list(inputs),
        "parity": {
            "fp32_max_abs_difference": difference,
            "shipped_mean_cosine": cosine,
            "sts_b_dev": spearman,
        },
        "license": stated_license or "not stated",
    }
    (output / "model.json").write_text(json.dumps(description, indent=2) + "\n", encoding="utf-8")
    _write_notice(description, folder, output)


def _download(name: str) -> Path:
    full_name = name if "/" in name else f"sentence-transformers/{name}"
    say(f"fetching {full_name}")
    try:
        fetched = snapshot_download(full_name, allow_patterns=_DOWNLOADED, ignore_patterns=_NOT_DOWNLOADED)
    except Exception as error:  # the client raises its own, its transport's and ValueError alike
        raise SetupError(
            f"The model {full_name} could not be fetched",
            _first_line(error),
            "check the name and the network, then run this again; without a network, give --from the folder "
            "of a saved model",
        ) from error
    folder = Path(fetched)
    model_source.check_folder(folder)
    return folder


def _load(folder: Path) -> SentenceTransformer:
    say("loading the model")
    try:
        # The plain attention exports to plain matrix products, which the quantiser knows.
        model = SentenceTransformer(
            str(folder), device="cpu", local_files_only=True, model_kwargs={"attn_implementation": "eager"}
        )
    except Exception as error:  # whatever a strange or damaged folder makes the libraries raise
        raise SetupError(
            f"{folder} cannot be loaded as a sentence-transformers model",
            f"{type(error).__name__}: {_first_line(error)}",
            "save or copy the model again; models that need Python code of their own are not supported",
        ) from error
    return model.eval()


def _check_kind(model: SentenceTransformer) -> tuple[str, tuple[str, ...], int]:
    """(pooling, transformer inputs, max tokens) of a model the core can run; SetupError for any other."""
    remedy = "choose a model made of transformer, mean or cls pooling, and normalisation"
    kinds = [type(module).__name__ for module in model]
    if kinds[:2] != ["Transformer", "Pooling"] or kinds[2:] not in ([], ["Normalize"]):
        raise SetupError(
            "This model's structure is not supported", f"its modules are {', '.join(kinds)}", remedy
        )
    pooling = model[1].pooling_mode
    if pooling not in _POOLINGS:
        raise SetupError("This model's pooling is not supported", f"it pools by {pooling!r}", remedy)
    if model.default_prompt_name is not None:
        why = f"it puts the prompt {model.default_prompt_name!r} before every text"
        raise SetupError("This model needs a prompt, which is not supported", why, remedy)
    if getattr(model.tokenizer, "backend_tokenizer", None) is None:
        why = "it has no tokenizer.json and none can be made from its files"
        raise SetupError("This model's tokenizer is not supported", why, remedy)
    inputs = tuple(name for name in _INPUTS if name in model.tokenizer.model_input_names)
    if inputs[:2] != _INPUTS[:2]:
        raise SetupError("This model's inputs are not supported", f"they are {inputs}", remedy)
    max_tokens = model.max_seq_length
    if not max_tokens or max_tokens > 100_000:
        raise SetupError("This model states no largest input", "max_seq_length is not set", remedy)
    return pooling, inputs, int(max_tokens)


def _write_tokenizer(model: SentenceTransformer, max_tokens: int, file: Path) -> None:
    tokenizer = Tokenizer.from_str(model.tokenizer.backend_tokenizer.to_str())
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_tokens)
    if getattr(model[0], "do_lower_case", False):
        present = [tokenizer.normalizer] if tokenizer.normalizer is not None else []
        tokenizer.normalizer = normalizers.Sequence([normalizers.Lowercase(), *present])
    tokenizer.save(str(file))


def _write_onnx(model: SentenceTransformer, inputs: Sequence[str], file: Path) -> None:
    example = model.tokenizer(list(_PROBES[:3]), padding=True, return_tensors="pt")
    axes = {name: {0: "batch", 1: "tokens"} for name in (*inputs, OUTPUT)}
    try:
        with torch.no_grad():
            torch.onnx.export(
                TokenEmbeddings(model[0].auto_model, inputs),
                tuple(example[name] for name in inputs),
                str(file),
                input_names=list(inputs),
                output_names=[OUTPUT],
                dynamic_axes=axes,
                opset_version=_OPSET,
                dynamo=False,
            )
    except Exception as error:  # the exporter raises a different type for each reason
        raise SetupError(
            "This model cannot be exported to ONNX",
            f"{type(error).__name__}: {_first_line(error)}",
            _OTHER_KIND,
        ) from error


def _difference(original: SentenceTransformer, exact: OnnxModel) -> float:
    """The largest difference of a component between the original and the export."""
    texts = list(_PROBES)
    expected = original.encode(texts, normalize_embeddings=True, show_progress_bar=False)
    return float(np.abs(exact.embed(texts) - expected).max())


def _check_together(model: OnnxModel) -> None:
    """Raises SetupError unless a text's vector is the same, bit for bit, alone and in a run with others."""
    ids = model.tokens(_PROBES[-1])
    count = max(2, len(ids) // _TOKENS_OF_A_PROBE)
    texts = [ids[start : start + _TOKENS_OF_A_PROBE] for start in range(count)]
    alone = np.concatenate([model.embed_tokens([text]) for text in texts])
    if model.embed_tokens(texts).tobytes() != alone.tobytes():
        raise SetupError(
            "The exported model gives a text another vector when it runs together with others",
            "ONNX Runtime computes a row of a matrix product differently when there are more rows",
            "report this with the processor's name (lscpu); another version of onnxruntime may help",
        )


def _quantize(full: Path, bert: BertModel | None, output: Path, pooling: str) -> tuple[str, float]:
    """Write model.onnx; (how it is quantised, its mean cosine to the unquantised model)."""
    say("quantising to int8")
    model = output / "model.onnx"
    tokenizer = output / "tokenizer.json"
    if bert is None:
        quantization = _DYNAMIC
        quantize_dynamic(full, model, weight_type=QuantType.QInt8, per_channel=True, reduce_range=True)
    else:
        quantization = _STATIC
        observed = _observe(bert, output, pooling)
        ranges = {point: observed[point].range_for(weights) for point, weights in bert.products()}
        onnx.save(bert.quantized(ranges), model)
    expected = OnnxModel(full, tokenizer, pooling).embed(_PROBES)
    cosine = float((expected * OnnxModel(model, tokenizer, pooling).embed(_PROBES)).sum(axis=1).mean())
    if cosine >= _LEAST_MEAN_COSINE:
        return quantization, cosine
    say(f"int8 changes this model's vectors too much (mean cosine {cosine:.3f}): it stays fp32")
    shutil.copy(full, model)
    return _UNQUANTIZED, 1.0


def _split_weights(file: Path) -> None:
    """Move the weights of a model into a file beside it, which ONNX Runtime maps instead of copying it."""
    model = onnx.load(file)
    with file.with_name(WEIGHTS).open("wb") as weights:
        for tensor in model.graph.initializer:
            if len(tensor.raw_data) >= _LEAST_BYTES_APART:
                weights.write(bytes(-weights.tell() % _PAGE_BYTES))
                place = weights.tell()
                length = weights.write(tensor.raw_data)
                external_data_helper.set_external_data(tensor, WEIGHTS, offset=place, length=length)
                tensor.ClearField("raw_data")
    onnx.save(model, file)


def _observe(bert: BertModel, output: Path, pooling: str) -> dict[str, Observed]:
    """What goes into the matrix products while the model reads the calibration texts."""
    file = output / "observed.onnx"
    onnx.save(bert.full_precision(observed=True), file)
    model = OnnxModel(file, output / "tokenizer.json", pooling)
    file.unlink()
    observed: dict[str, Observed] = {}
    for text in calibration_texts():
        for point, values in model.outputs([model.tokens(text)]).items():
            if point in observed:
                observed[point].include(values)
            else:
                observed[point] = Observed(values)
    return observed


def _spearman(
    pairs: Path, original: SentenceTransformer, exact: OnnxModel, shipped: OnnxModel
) -> dict[str, float | int]:
    """Rank correlation of cosine and human score, in percent, for the three forms of the model."""
    records: list[dict[str, Any]] = json.loads(pairs.read_bytes())
    scores = [record["score"] for record in records]
    texts = sorted({record[side] for record in records for side in ("s1", "s2")})
    position = {text: number for number, text in enumerate(texts)}
    first = [position[record["s1"]] for record in records]
    second = [position[record["s2"]] for record in records]

    def correlation(vectors: Matrix) -> float:
        cosines = (vectors[first] * vectors[second]).sum(axis=1)
        return round(100 * float(spearmanr(cosines, scores).statistic), 3)

    say(f"parity: sentence-transformers embeds {len(texts)} sentences")
    encoded = original.encode(texts, normalize_embeddings=True, show_progress_bar=False)
    return {
        "pairs": len(records),
        "sentence_transformers": correlation(encoded),
        "fp32_onnx": correlation(exact.embed(texts, "parity of fp32")),
        "shipped_onnx": correlation(shipped.embed(texts, "parity of the shipped model")),
    }


def _write_notice(description: dict[str, Any], folder: Path, output: Path) -> None:
    for file in folder.iterdir():
        if file.name.upper().startswith("LICENSE") and file.is_file():
            shutil.copy(file, output / "LICENSE")
    form = "kept in 32-bit floating point"
    if description["quantization"] != _UNQUANTIZED:
        form = f"quantised ({description['quantization']})"
    (output / "NOTICE").write_text(
        f"{description['name']}, a sentence-transformers model.\n"
        f"Licence stated by the model's own card: {description['license']}.\n"
        "Changes made by RAG Memory: the transformer was exported to ONNX without its pooling layer and "
        f"{form};\nthe tokenizer's truncation and padding settings were replaced.\n",
        encoding="utf-8",
    )


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("place", help="folder of the model, or its published name")
    parser.add_argument("output", type=Path, help="empty folder for the result")
    parser.add_argument("--name", required=True, help="what the model is called")
    parser.add_argument("--built-from", required=True, help="what identifies the source, empty: its content")
    parser.add_argument("--pairs", type=Path, help="sentence pairs to measure parity on")
    words = parser.parse_args()
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    try:
        export(words.name, words.place, words.built_from, words.pairs, words.output)
    except SetupError as error:
        refusal = {"what": error.what, "why": error.why, "remedy": error.remedy}
        (words.output / "refusal.json").write_text(json.dumps(refusal), encoding="utf-8")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
