// A Python extension module: comparing one question with many vectors, kept as whole numbers of one byte.
//
// numpy has no quick product of small integers. A byte per number is a quarter of the memory that float32
// needs to be read, which is what a scan of many vectors waits for. See python/rag_memory/coarse_vectors.py.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cmath>
#include <cstdint>

// One module for every processor: the loader of the C library picks the best of these.
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__)
#define FOR_SEVERAL_PROCESSORS __attribute__((target_clones("arch=skylake-avx512", "avx2", "default")))
#else
#define FOR_SEVERAL_PROCESSORS
#endif

namespace {

constexpr float LARGEST_CODE = 127.0F;
constexpr float SMALLEST_SIZE = 1e-30F; // the inverse of anything smaller is no float

FOR_SEVERAL_PROCESSORS
void compare(const int8_t *__restrict codes, const float *__restrict scales, const int64_t *__restrict rows, Py_ssize_t count,
		Py_ssize_t dimension, const int16_t *__restrict query, float query_scale, float *__restrict scores) {
	for (Py_ssize_t i = 0; i < count; i++) {
		const Py_ssize_t row = rows == nullptr ? i : static_cast<Py_ssize_t>(rows[i]);
		const int8_t *__restrict code = codes + row * dimension;
		int32_t sum = 0;
		for (Py_ssize_t j = 0; j < dimension; j++) {
			sum += static_cast<int16_t>(code[j]) * query[j];
		}
		scores[i] = static_cast<float>(sum) * scales[row] * query_scale;
	}
}

FOR_SEVERAL_PROCESSORS
void encode_row(const float *__restrict vector, Py_ssize_t dimension, int8_t *__restrict code, float *scale, double *error, double *length) {
	float most = 0.0F;
	for (Py_ssize_t j = 0; j < dimension; j++) {
		const float size = std::fabs(vector[j]);
		most = size > most ? size : most;
	}
	const float step = most / LARGEST_CODE;
	const float inverse = most > SMALLEST_SIZE ? LARGEST_CODE / most : 0.0F;
	float lost = 0.0F;
	float kept = 0.0F;
	for (Py_ssize_t j = 0; j < dimension; j++) {
		const float number = vector[j] * inverse;
		const int whole = static_cast<int>(number + (number < 0.0F ? -0.5F : 0.5F));
		code[j] = static_cast<int8_t>(whole > 127 ? 127 : whole < -127 ? -127
																	   : whole);
		const float value = static_cast<float>(code[j]) * step;
		lost += (vector[j] - value) * (vector[j] - value);
		kept += value * value;
	}
	*scale = step;
	*error = std::sqrt(static_cast<double>(lost));
	*length = std::sqrt(static_cast<double>(kept));
}

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

PyObject *scan(PyObject *, PyObject *arguments) {
	PyObject *codes_object, *scales_object, *rows_object, *query_object, *scores_object;
	Py_ssize_t known, count;
	float query_scale;
	if (!PyArg_ParseTuple(arguments, "OOnOnOfO", &codes_object, &scales_object, &known, &rows_object, &count, &query_object, &query_scale, &scores_object)) {
		return nullptr;
	}
	const Py_ssize_t dimension = PyObject_Size(query_object);
	if (dimension < 0) {
		return nullptr;
	}
	Buffers buffers;
	const auto *codes = static_cast<const int8_t *>(buffers.open(codes_object, known * dimension, 1, false, "codes"));
	const auto *scales = codes == nullptr ? nullptr : static_cast<const float *>(buffers.open(scales_object, known, 4, false, "scales"));
	const auto *query = scales == nullptr ? nullptr : static_cast<const int16_t *>(buffers.open(query_object, dimension, 2, false, "query"));
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
	Py_BEGIN_ALLOW_THREADS;
	compare(codes, scales, rows, count, dimension, query, query_scale, scores);
	Py_END_ALLOW_THREADS;
	Py_RETURN_NONE;
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
		encode_row(vectors + i * dimension, dimension, codes + i * dimension, &scales[i], &error, &length);
		largest_error = error > largest_error ? error : largest_error;
		largest_length = length > largest_length ? length : largest_length;
	}
	Py_END_ALLOW_THREADS;
	return Py_BuildValue("dd", largest_error, largest_length);
}

PyMethodDef methods[] = {
		{"scan", scan, METH_VARARGS,
				"scan(codes, scales, known, rows, count, query, query_scale, scores)\n\n"
				"scores[i] = codes[rows[i]] . query x scales[rows[i]] x query_scale for the first `count` rows.\n"
				"codes: int8 [known, dimension]; scales: float32 [known]; rows: int64 or None for the first `count`;\n"
				"query: int16 [dimension], small enough that no sum of products exceeds 31 bits; scores: float32."},
		{"encode", encode, METH_VARARGS,
				"encode(vectors, count, dimension, codes, scales) -> (largest error, largest length)\n\n"
				"Write float32 vectors as int8 codes, each row with a scale of its own: vector = code x scale + rest.\n"
				"The error is the length of the longest rest, the length that of the longest code x scale."},
		{nullptr, nullptr, 0, nullptr},
};

PyModuleDef module = {PyModuleDef_HEAD_INIT, "vector_scan", "Comparing one question with many vectors.", -1, methods, nullptr, nullptr, nullptr, nullptr};

} // namespace

PyMODINIT_FUNC PyInit_vector_scan() {
	return PyModule_Create(&module);
}
