// A Python extension module: comparing one question with many vectors, kept as whole numbers of one byte.
//
// numpy has no quick product of small integers. A byte per number is a quarter of the memory that float32
// needs to be read, which is what a scan of many vectors waits for. See python/rag_memory/index/coarse_vectors.py.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "kernels.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <new>
#include <vector>

namespace {

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
	Py_buffer views[5];
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

PyObject *encode(PyObject *, PyObject *arguments) {
	PyObject *vectors_object, *codes_object, *scales_object;
	Py_ssize_t count, dimension;
	if (!PyArg_ParseTuple(arguments, "OnnOO", &vectors_object, &count, &dimension, &codes_object, &scales_object)) {
		return nullptr;
	}
	Buffers buffers;
	const auto *vectors = static_cast<const float *>(buffers.open(vectors_object, count * dimension, 4, false, "vectors"));
	auto *codes = vectors == nullptr ? nullptr : static_cast<int8_t *>(buffers.open(codes_object, count * dimension, 1, true, "codes"));
	auto *scales = codes == nullptr ? nullptr : static_cast<float *>(buffers.open(scales_object, count, 4, true, "scales"));
	if (scales == nullptr) {
		return nullptr;
	}
	double largest_error = 0.0;
	double largest_length = 0.0;
	Py_BEGIN_ALLOW_THREADS;
	for (Py_ssize_t i = 0; i < count; i++) {
		double error = 0.0;
		double length = 0.0;
		kernels->encode_row(vectors + i * dimension, dimension, codes + i * dimension, &scales[i], &error, &length);
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
		{"encode", encode, METH_VARARGS,
				"encode(vectors, count, dimension, codes, scales) -> (largest error, largest length)\n\n"
				"Write float32 vectors as int8 codes, each row with a scale of its own: vector = code x scale + rest.\n"
				"The error is the length of the longest rest, the length that of the longest code x scale."},
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
