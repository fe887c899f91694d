// A Python extension module: comparing one question with many vectors, kept as whole numbers of one byte.
//
// numpy has no quick product of small integers. A byte per number is a quarter of the memory that float32
// needs to be read, which is what a scan of many vectors waits for; half a byte tells already which vectors can be
// among the best. See python/rag_memory/index/coarse_vectors.py.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <new>
#include <utility>
#include <vector>

// One module for every processor: the loader of the C library picks the best of these.
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__)
#define FOR_SEVERAL_PROCESSORS __attribute__((target_clones("arch=skylake-avx512", "avx2", "default")))
#define AS_GOOD_AS_ANY __attribute__((target("default")))
#define WITH_AVX2
#include <immintrin.h>
#else
#define FOR_SEVERAL_PROCESSORS
#define AS_GOOD_AS_ANY
#endif

namespace {

constexpr float LARGEST_CODE = 127.0F;
constexpr float SMALLEST_SIZE = 1e-30F; // the inverse of anything smaller is no float
// Half bytes stand for the odd numbers from -15 to 15, times a scale. The few largest numbers of a vector are cut
// off, which makes the steps between all others finer: the rest is a tenth shorter than without (measured).
constexpr int LARGEST_HALF = 15;
constexpr float KEPT_SHARE = 0.8F;
constexpr Py_ssize_t HALVES_AT_ONCE = 32;
// What the k-th best has at least is known from k + SAMPLE rows: the likeliest of as many groups, of GROUPS times as
// many. Sorting out the likeliest of all takes five times as long, and leaves hardly fewer rows.
constexpr Py_ssize_t SAMPLE = 16;
constexpr size_t GROUPS = 6;
constexpr Py_ssize_t AHEAD = 12;
constexpr Py_ssize_t CACHE_LINE = 64;

// What is read AHEAD rows later is on its way while others are compared; a processor does not foresee it beyond
// the end of a page, or with rows left out.
inline void ask_for(const void *start, Py_ssize_t bytes) {
#ifdef __GNUC__
	for (Py_ssize_t i = 0; i < bytes; i += CACHE_LINE) {
		__builtin_prefetch(static_cast<const char *>(start) + i);
	}
#endif
}

FOR_SEVERAL_PROCESSORS
void compare(const int8_t *__restrict codes, const float *__restrict scales, const int64_t *__restrict rows, Py_ssize_t count,
		Py_ssize_t dimension, const int16_t *__restrict query, float query_scale, float *__restrict scores) {
	for (Py_ssize_t i = 0; i < count; i++) {
		const Py_ssize_t row = rows == nullptr ? i : static_cast<Py_ssize_t>(rows[i]);
		const int8_t *__restrict code = codes + row * dimension;
		const Py_ssize_t later = i + AHEAD < count ? i + AHEAD : i;
		ask_for(codes + (rows == nullptr ? later : static_cast<Py_ssize_t>(rows[later])) * dimension, dimension);
		int32_t sum = 0;
		for (Py_ssize_t j = 0; j < dimension; j++) {
			sum += static_cast<int16_t>(code[j]) * query[j];
		}
		scores[i] = static_cast<float>(sum) * scales[row] * query_scale;
	}
}

// A question for glance(): its numbers as bytes, and what is lost by that.
struct Outline {
	std::vector<int8_t> codes; // as many as there are half bytes in a row
	float step = 1.0F;
	int32_t sum = 0;
	double length = 0.0;
	double lost = 0.0; // the length of question - codes x step
};

// The bound of one row, from the sum of its half bytes (0 to 15, which stand for -15, -13 to 15) times the question.
inline float bound(int32_t sum, const float *scale_and_error, const Outline &question, float slack) {
	const float product = static_cast<float>(2 * sum - LARGEST_HALF * question.sum) * scale_and_error[0] * question.step;
	return product + scale_and_error[1] * static_cast<float>(question.length + question.lost) + slack;
}

// What the products can be at most, from half a byte per number. `width` bytes are a row: byte j holds number j and,
// above it, number j + width.
AS_GOOD_AS_ANY
void glance(const uint8_t *__restrict halves, const float *__restrict half_scales, const std::vector<int64_t> &rows, Py_ssize_t width,
		const Outline &question, float slack, float *__restrict most) {
	const int8_t *__restrict codes = question.codes.data();
	for (size_t i = 0; i < rows.size(); i++) {
		const uint8_t *__restrict pair = halves + rows[i] * width;
		int32_t sum = 0;
		for (Py_ssize_t j = 0; j < width; j++) {
			sum += static_cast<int16_t>(pair[j] & 15) * codes[j] + static_cast<int16_t>(pair[j] >> 4) * codes[width + j];
		}
		most[i] = bound(sum, half_scales + 2 * rows[i], question, slack);
	}
}

#ifdef WITH_AVX2
// The same. No compiler finds the instruction that multiplies bytes, and without it this takes longer than
// comparing whole bytes.
__attribute__((target("avx2"))) void glance(const uint8_t *__restrict halves, const float *__restrict half_scales,
		const std::vector<int64_t> &rows, Py_ssize_t width, const Outline &question, float slack, float *__restrict most) {
	const int8_t *__restrict codes = question.codes.data();
	const __m256i low = _mm256_set1_epi8(15);
	const __m256i ones = _mm256_set1_epi16(1);
	for (size_t i = 0; i < rows.size(); i++) {
		const uint8_t *__restrict pair = halves + rows[i] * width;
		ask_for(halves + rows[std::min(i + static_cast<size_t>(AHEAD), rows.size() - 1)] * width, width);
		__m256i sums = _mm256_setzero_si256();
		for (Py_ssize_t j = 0; j < width; j += 32) {
			const __m256i both = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(pair + j));
			const __m256i first = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(codes + j));
			const __m256i second = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(codes + width + j));
			// At most 4 x 15 x 127 in 16 bits.
			const __m256i products = _mm256_add_epi16(_mm256_maddubs_epi16(_mm256_and_si256(both, low), first),
					_mm256_maddubs_epi16(_mm256_and_si256(_mm256_srli_epi16(both, 4), low), second));
			sums = _mm256_add_epi32(sums, _mm256_madd_epi16(products, ones));
		}
		__m128i four = _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
		four = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0x4E));
		four = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0xB1));
		most[i] = bound(_mm_cvtsi128_si32(four), half_scales + 2 * rows[i], question, slack);
	}
}
#endif

FOR_SEVERAL_PROCESSORS
void encode_halves(const float *__restrict vector, Py_ssize_t dimension, uint8_t *__restrict pairs, Py_ssize_t width, float *scale_and_error) {
	float most = 0.0F;
	for (Py_ssize_t j = 0; j < dimension; j++) {
		const float size = std::fabs(vector[j]);
		most = size > most ? size : most;
	}
	const float scale = KEPT_SHARE * most / LARGEST_HALF;
	const float inverse = scale > SMALLEST_SIZE ? 1.0F / scale : 0.0F;
	float lost = 0.0F;
	std::fill(pairs, pairs + width, static_cast<uint8_t>(0));
	for (Py_ssize_t j = 0; j < dimension; j++) {
		const int whole = static_cast<int>(std::floor((vector[j] * inverse + (LARGEST_HALF + 1)) * 0.5F));
		const int code = whole < 0 ? 0 : whole > LARGEST_HALF ? LARGEST_HALF
															  : whole;
		const float rest = vector[j] - static_cast<float>(2 * code - LARGEST_HALF) * scale;
		lost += rest * rest;
		pairs[j % width] |= static_cast<uint8_t>(j < width ? code : code << 4);
	}
	scale_and_error[0] = scale;
	scale_and_error[1] = std::sqrt(lost);
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
		compare(codes, scales, rows, count, dimension, query_codes.data(), step, scores);
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
	glance(vectors.halves, vectors.half_scales, rows, vectors.width, outline, static_cast<float>(slack), most.data());

	std::vector<int16_t> codes(static_cast<size_t>(vectors.dimension));
	double length = 0.0;
	double lost = 0.0;
	const float step = rounded(query, vectors.dimension, largest_code, codes.data(), &length, &lost);
	const double off = vectors.error * length + vectors.length * lost;
	const auto compared = [&](const std::vector<int64_t> &some) {
		std::vector<float> scores(some.size());
		compare(vectors.codes, vectors.scales, some.data(), static_cast<Py_ssize_t>(some.size()), vectors.dimension, codes.data(), step, scores.data());
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
		encode_row(vectors + i * dimension, dimension, codes + i * dimension, &scales[i], &error, &length);
		encode_halves(vectors + i * dimension, dimension, halves + i * width, width, &half_scales[2 * i]);
		largest_error = error > largest_error ? error : largest_error;
		largest_length = length > largest_length ? length : largest_length;
	}
	Py_END_ALLOW_THREADS;
	return Py_BuildValue("dd", largest_error, largest_length);
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
		{nullptr, nullptr, 0, nullptr},
};

PyModuleDef module = {PyModuleDef_HEAD_INIT, "vector_scan", "Comparing one question with many vectors.", -1, methods, nullptr, nullptr, nullptr, nullptr};

} // namespace

PyMODINIT_FUNC PyInit_vector_scan() {
	return PyModule_Create(&module);
}
