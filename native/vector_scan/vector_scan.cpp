// A Python extension module: comparing one question with many vectors, kept as whole numbers of one byte.
//
// numpy has no quick product of small integers. A byte per number is a quarter of the memory that float32
// needs to be read, which is what a scan of many vectors waits for; half a byte tells already which vectors can be
// among the best. See python/rag_memory/index/coarse_vectors.py.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "kernels.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <new>
#include <utility>
#include <vector>

namespace {

// What the k-th best has at least is known from k + SAMPLE rows: the likeliest of as many groups, of GROUPS times as
// many. Sorting out the likeliest of all takes five times as long, and leaves hardly fewer rows.
constexpr Py_ssize_t SAMPLE = 16;
constexpr size_t GROUPS = 6;

const Kernels *kernels = nullptr; // set when the module is loaded

// The buffers of one call; released together, whatever happens.
class Buffers {
public:
	~Buffers() {
		for (int i = 0; i < used; i++) {
			PyBuffer_Release(&views[i]);
		}
	}

	// Null, with a Python error set, when the object is no contiguous buffer of this many items of this size.
	void *open(PyObject *object, Py_ssize_t items, Py_ssize_t item_bytes, bool writable, const char *name) {
		Py_buffer &view = views[used];
		if (PyObject_GetBuffer(object, &view, writable ? PyBUF_CONTIG : PyBUF_CONTIG_RO) != 0) {
			return nullptr;
		}
		used++;
		if (view.itemsize != item_bytes || view.len < items * item_bytes) {
			PyErr_Format(PyExc_ValueError, "%s: expected %zd items of %zd bytes", name, items, item_bytes);
			return nullptr;
		}
		return view.buf;
	}

private:
	Py_buffer views[6];
	int used = 0;
};

// The numbers as whole ones up to `largest_code`, times the step that is returned.
template <typename Code>
float rounded(const float *numbers, Py_ssize_t dimension, int largest_code, Code *codes, double *length, double *lost) {
	float most = 0.0F;
	for (Py_ssize_t j = 0; j < dimension; j++) {
		most = std::max(most, std::fabs(numbers[j]));
	}
	const float step = most > SMALLEST_SIZE ? most / static_cast<float>(largest_code) : 1.0F;
	double all = 0.0;
	double rest = 0.0;
	for (Py_ssize_t j = 0; j < dimension; j++) {
		codes[j] = static_cast<Code>(std::rint(numbers[j] / step));
		const double number = numbers[j];
		const double off = number - static_cast<double>(codes[j]) * static_cast<double>(step);
		all += number * number;
		rest += off * off;
	}
	*length = std::sqrt(all);
	*lost = std::sqrt(rest);
	return step;
}

PyObject *scan(PyObject *, PyObject *arguments) {
	PyObject *codes_object, *scales_object, *rows_object, *query_object, *scores_object;
	Py_ssize_t known, count;
	int largest_code;
	if (!PyArg_ParseTuple(arguments, "OOnOnOiO", &codes_object, &scales_object, &known, &rows_object, &count, &query_object, &largest_code, &scores_object)) {
		return nullptr;
	}
	const Py_ssize_t dimension = PyObject_Size(query_object);
	if (dimension < 0) {
		return nullptr;
	}
	Buffers buffers;
	const auto *codes = static_cast<const int8_t *>(buffers.open(codes_object, known * dimension, 1, false, "codes"));
	const auto *scales = codes == nullptr ? nullptr : static_cast<const float *>(buffers.open(scales_object, known, 4, false, "scales"));
	const auto *query = scales == nullptr ? nullptr : static_cast<const float *>(buffers.open(query_object, dimension, 4, false, "query"));
	auto *scores = query == nullptr ? nullptr : static_cast<float *>(buffers.open(scores_object, count, 4, true, "scores"));
	if (scores == nullptr) {
		return nullptr;
	}
	const int64_t *rows = nullptr;
	if (rows_object != Py_None) {
		rows = static_cast<const int64_t *>(buffers.open(rows_object, count, 8, false, "rows"));
		if (rows == nullptr) {
			return nullptr;
		}
		for (Py_ssize_t i = 0; i < count; i++) {
			if (rows[i] < 0 || rows[i] >= known) {
				PyErr_SetString(PyExc_IndexError, "rows: a row is not there");
				return nullptr;
			}
		}
	} else if (count > known) {
		PyErr_SetString(PyExc_IndexError, "count: there are not so many rows");
		return nullptr;
	}
	double length = 0.0;
	double lost = 0.0;
	bool has_room = true;
	Py_BEGIN_ALLOW_THREADS;
	try {
		std::vector<int16_t> query_codes(static_cast<size_t>(dimension));
		const float step = rounded(query, dimension, largest_code, query_codes.data(), &length, &lost);
		kernels->compare(codes, scales, rows, count, dimension, query_codes.data(), step, scores);
	} catch (const std::bad_alloc &) {
		has_room = false;
	}
	Py_END_ALLOW_THREADS;
	return has_room ? Py_BuildValue("dd", length, lost) : PyErr_NoMemory();
}

struct Vectors {
	const int8_t *codes;
	const float *scales;
	const uint8_t *halves;
	const float *half_scales;
	Py_ssize_t dimension;
	Py_ssize_t width;
	double error;  // the length of the longest row - code x scale
	double length; // of the longest code x scale
};

// The k-th largest.
float kth(std::vector<float> numbers, Py_ssize_t k) {
	std::nth_element(numbers.begin(), numbers.begin() + (k - 1), numbers.end(), std::greater<float>());
	return numbers[static_cast<size_t>(k - 1)];
}

// Those of the rows that can be among the k best, in their order.
std::vector<int64_t> nearest_of(const Vectors &vectors, const std::vector<int64_t> &rows, const float *query, int largest_code, Py_ssize_t k, double rounding) {
	const size_t count = rows.size();
	if (static_cast<size_t>(k) >= count) {
		return rows;
	}
	Outline outline;
	outline.codes.resize(static_cast<size_t>(2 * vectors.width));
	outline.step = rounded(query, vectors.dimension, static_cast<int>(LARGEST_CODE), outline.codes.data(), &outline.length, &outline.lost);
	for (const int8_t code : outline.codes) {
		outline.sum += code;
	}
	std::vector<float> most(count);
	const double slack = (vectors.length + vectors.error) * outline.lost;
	kernels->glance(vectors.halves, vectors.half_scales, rows.data(), count, vectors.width, outline, static_cast<float>(slack), most.data());

	std::vector<int16_t> codes(static_cast<size_t>(vectors.dimension));
	double length = 0.0;
	double lost = 0.0;
	const float step = rounded(query, vectors.dimension, largest_code, codes.data(), &length, &lost);
	const double off = vectors.error * length + vectors.length * lost;
	const auto compared = [&](const std::vector<int64_t> &some) {
		std::vector<float> scores(some.size());
		kernels->compare(vectors.codes, vectors.scales, some.data(), static_cast<Py_ssize_t>(some.size()), vectors.dimension, codes.data(), step, scores.data());
		return scores;
	};

	// The likeliest ones of some groups, compared more exactly, tell what the k-th best has at least.
	const size_t sample = static_cast<size_t>(k + SAMPLE);
	const size_t group = std::max(count / (GROUPS * sample), static_cast<size_t>(1));
	std::vector<std::pair<float, int64_t>> likely;
	for (size_t start = 0; start < count; start += group) {
		const auto first = most.begin() + static_cast<std::ptrdiff_t>(start);
		const auto highest = std::max_element(first, first + static_cast<std::ptrdiff_t>(std::min(group, count - start)));
		likely.emplace_back(*highest, rows[static_cast<size_t>(highest - most.begin())]);
	}
	std::vector<int64_t> left(std::min(sample, likely.size()));
	std::partial_sort(likely.begin(), likely.begin() + static_cast<std::ptrdiff_t>(left.size()), likely.end(), std::greater<>());
	for (size_t i = 0; i < left.size(); i++) {
		left[i] = likely[i].second;
	}
	const auto least = static_cast<float>(static_cast<double>(kth(compared(left), k)) - off - rounding);
	left.clear();
	for (size_t i = 0; i < count; i++) {
		if (most[i] >= least) {
			left.push_back(rows[i]);
		}
	}
	if (left.size() < static_cast<size_t>(k)) {
		return rows; // `rounding` is too small for such long vectors, or they hold no numbers
	}
	const std::vector<float> scores = compared(left);
	const auto edge = static_cast<float>(static_cast<double>(kth(scores, k)) - 2.0 * off - rounding);
	std::vector<int64_t> best;
	for (size_t i = 0; i < left.size(); i++) {
		if (scores[i] >= edge) {
			best.push_back(left[i]);
		}
	}
	return best;
}

// The rows whose byte in the mask is not 0, or all of them.
std::vector<int64_t> rows_in(const uint8_t *mask, Py_ssize_t known) {
	std::vector<int64_t> rows(static_cast<size_t>(known));
	size_t used = 0;
	for (Py_ssize_t row = 0; row < known; row++) {
		rows[used] = row;
		used += mask == nullptr || mask[row] != 0 ? 1 : 0;
	}
	rows.resize(used);
	return rows;
}

PyObject *nearest(PyObject *, PyObject *arguments) {
	PyObject *codes_object, *scales_object, *halves_object, *half_scales_object, *allowed_object, *query_object;
	Py_ssize_t known, allowed_count, k;
	int largest_code;
	Vectors vectors;
	double rounding;
	if (!PyArg_ParseTuple(arguments, "OOOOnnddOnOind", &codes_object, &scales_object, &halves_object, &half_scales_object, &vectors.width,
				&known, &vectors.error, &vectors.length, &allowed_object, &allowed_count, &query_object, &largest_code, &k, &rounding)) {
		return nullptr;
	}
	vectors.dimension = PyObject_Size(query_object);
	if (vectors.dimension < 0) {
		return nullptr;
	}
	if (k < 1 || vectors.width % HALVES_AT_ONCE != 0 || 2 * vectors.width < vectors.dimension) {
		PyErr_SetString(PyExc_ValueError, "k has to be 1 or more, width a multiple of 32 that holds all numbers");
		return nullptr;
	}
	Buffers buffers;
	vectors.codes = static_cast<const int8_t *>(buffers.open(codes_object, known * vectors.dimension, 1, false, "codes"));
	vectors.scales = vectors.codes == nullptr ? nullptr : static_cast<const float *>(buffers.open(scales_object, known, 4, false, "scales"));
	vectors.halves = vectors.scales == nullptr ? nullptr : static_cast<const uint8_t *>(buffers.open(halves_object, known * vectors.width, 1, false, "halves"));
	vectors.half_scales = vectors.halves == nullptr ? nullptr : static_cast<const float *>(buffers.open(half_scales_object, known * 2, 4, false, "half_scales"));
	const auto *query = vectors.half_scales == nullptr ? nullptr : static_cast<const float *>(buffers.open(query_object, vectors.dimension, 4, false, "query"));
	if (query == nullptr) {
		return nullptr;
	}
	const bool is_mask = allowed_count < 0;
	const void *allowed = nullptr;
	if (allowed_object != Py_None) {
		allowed = buffers.open(allowed_object, is_mask ? known : allowed_count, is_mask ? 1 : 8, false, "allowed");
		if (allowed == nullptr) {
			return nullptr;
		}
	}
	std::vector<int64_t> best;
	bool is_there = true;
	bool has_room = true;
	Py_BEGIN_ALLOW_THREADS;
	try {
		const std::vector<int64_t> rows = is_mask ? rows_in(static_cast<const uint8_t *>(allowed), known) : std::vector<int64_t>(static_cast<const int64_t *>(allowed), static_cast<const int64_t *>(allowed) + allowed_count);
		for (const int64_t row : rows) {
			is_there = is_there && row >= 0 && row < known;
		}
		if (is_there) {
			best = nearest_of(vectors, rows, query, largest_code, k, rounding);
		}
	} catch (const std::bad_alloc &) {
		has_room = false;
	}
	Py_END_ALLOW_THREADS;
	if (!has_room) {
		return PyErr_NoMemory();
	}
	if (!is_there) {
		PyErr_SetString(PyExc_IndexError, "allowed: a row is not there");
		return nullptr;
	}
	return PyBytes_FromStringAndSize(reinterpret_cast<const char *>(best.data()), static_cast<Py_ssize_t>(best.size() * sizeof(int64_t)));
}

PyObject *encode(PyObject *, PyObject *arguments) {
	PyObject *vectors_object, *codes_object, *scales_object, *halves_object, *half_scales_object;
	Py_ssize_t count, dimension, width;
	if (!PyArg_ParseTuple(arguments, "OnnnOOOO", &vectors_object, &count, &dimension, &width, &codes_object, &scales_object, &halves_object, &half_scales_object)) {
		return nullptr;
	}
	if (width % HALVES_AT_ONCE != 0 || 2 * width < dimension) {
		PyErr_SetString(PyExc_ValueError, "width has to be a multiple of 32 that holds all numbers");
		return nullptr;
	}
	Buffers buffers;
	const auto *vectors = static_cast<const float *>(buffers.open(vectors_object, count * dimension, 4, false, "vectors"));
	auto *codes = vectors == nullptr ? nullptr : static_cast<int8_t *>(buffers.open(codes_object, count * dimension, 1, true, "codes"));
	auto *scales = codes == nullptr ? nullptr : static_cast<float *>(buffers.open(scales_object, count, 4, true, "scales"));
	auto *halves = scales == nullptr ? nullptr : static_cast<uint8_t *>(buffers.open(halves_object, count * width, 1, true, "halves"));
	auto *half_scales = halves == nullptr ? nullptr : static_cast<float *>(buffers.open(half_scales_object, count * 2, 4, true, "half_scales"));
	if (half_scales == nullptr) {
		return nullptr;
	}
	double largest_error = 0.0;
	double largest_length = 0.0;
	Py_BEGIN_ALLOW_THREADS;
	for (Py_ssize_t i = 0; i < count; i++) {
		double error = 0.0;
		double length = 0.0;
		kernels->encode_row(vectors + i * dimension, dimension, codes + i * dimension, &scales[i], &error, &length);
		kernels->encode_halves(vectors + i * dimension, dimension, halves + i * width, width, &half_scales[2 * i]);
		largest_error = error > largest_error ? error : largest_error;
		largest_length = length > largest_length ? length : largest_length;
	}
	Py_END_ALLOW_THREADS;
	return Py_BuildValue("dd", largest_error, largest_length);
}

PyObject *supported(PyObject *, PyObject *) {
	PyObject *names = PyList_New(0);
	for (size_t i = 0; names != nullptr && i < KERNEL_COUNT; i++) {
		if (!KERNELS[i].is_supported()) {
			continue;
		}
		PyObject *name = PyUnicode_FromString(KERNELS[i].name);
		if (name == nullptr || PyList_Append(names, name) != 0) {
			Py_CLEAR(names);
		}
		Py_XDECREF(name);
	}
	return names;
}

PyObject *use(PyObject *, PyObject *argument) {
	const char *name = PyUnicode_AsUTF8(argument);
	if (name == nullptr) {
		return nullptr;
	}
	for (size_t i = 0; i < KERNEL_COUNT; i++) {
		if (std::strcmp(KERNELS[i].name, name) == 0 && KERNELS[i].is_supported()) {
			PyObject *before = PyUnicode_FromString(kernels->name);
			kernels = &KERNELS[i];
			return before;
		}
	}
	return PyErr_Format(PyExc_ValueError, "%s: not a name that supported() lists", name);
}

PyMethodDef methods[] = {
		{"scan", scan, METH_VARARGS,
				"scan(codes, scales, known, rows, count, query, largest_code, scores) -> (length, lost)\n\n"
				"scores[i] = about codes[rows[i]] . query x scales[rows[i]] for the first `count` rows.\n"
				"codes: int8 [known, dimension]; scales: float32 [known]; rows: int64 or None for the first `count`;\n"
				"query: float32 [dimension], rounded to whole numbers up to `largest_code`, small enough that no sum of\n"
				"products exceeds 31 bits; scores: float32. The length of the query, and of what rounding took from it."},
		{"nearest", nearest, METH_VARARGS,
				"nearest(codes, scales, halves, half_scales, width, known, error, length, allowed, allowed_count, query,\n"
				"largest_code, k, rounding) -> bytes: int64 rows\n\n"
				"Those of the first `known` rows that can be among the k whose product with the float32 query is largest, and\n"
				"all that come within `rounding` of them. The arrays are as encode() wrote them, the error what it returned.\n"
				"allowed: None or a bool for each row (allowed_count is -1 then), or int64 rows. largest_code: of the query, small\n"
				"enough that no sum of products exceeds 31 bits."},
		{"encode", encode, METH_VARARGS,
				"encode(vectors, count, dimension, width, codes, scales, halves, half_scales) -> (largest error, largest length)\n\n"
				"Write float32 vectors as int8 codes, each row with a scale of its own: vector = code x scale + rest.\n"
				"The error is the length of the longest rest, the length that of the longest code x scale.\n"
				"Write them as half bytes too: uint8 [count, width], and for each row its scale and the length of its rest,\n"
				"float32 [count, 2]. Two numbers are a byte; width: a multiple of 32 with room for all."},
		{"supported", supported, METH_NOARGS,
				"supported() -> list of str\n\nFor which kinds of processors this one can run the loops; the best, in use, first."},
		{"use", use, METH_O,
				"use(name) -> the name in use before\n\nRun the loops of another kind: for tests and benchmarks. All give the same answers."},
		{nullptr, nullptr, 0, nullptr},
};

PyModuleDef module = {PyModuleDef_HEAD_INIT, "vector_scan", "Comparing one question with many vectors.", -1, methods, nullptr, nullptr, nullptr, nullptr};

} // namespace

PyMODINIT_FUNC PyInit_vector_scan() {
	kernels = std::find_if(KERNELS, KERNELS + KERNEL_COUNT, [](const Kernels &each) { return each.is_supported(); });
	return PyModule_Create(&module);
}
