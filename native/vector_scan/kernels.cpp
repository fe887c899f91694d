#include "kernels.h"

#include <cmath>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace {

constexpr ptrdiff_t AHEAD = 12;
constexpr ptrdiff_t CACHE_LINE = 64;
// Floats are added up in so many parts, as many as the widest processor adds at once.
constexpr ptrdiff_t PARTS = 16;

// A loop becomes part of the functions below that call it, each compiled for another processor.
#define LOOP __attribute__((always_inline)) inline

// What is read AHEAD rows later is on its way while others are compared; a processor does not foresee it beyond
// the end of a page, or with rows left out.
LOOP void ask_for(const void *start, ptrdiff_t bytes) {
	for (ptrdiff_t i = 0; i < bytes; i += CACHE_LINE) {
		__builtin_prefetch(static_cast<const char *>(start) + i);
	}
}

LOOP void compare(const int8_t *__restrict codes, const float *__restrict scales, const int64_t *__restrict rows, ptrdiff_t count,
		ptrdiff_t dimension, const int16_t *__restrict query, float query_scale, float *__restrict scores) {
	for (ptrdiff_t i = 0; i < count; i++) {
		const ptrdiff_t row = rows == nullptr ? i : static_cast<ptrdiff_t>(rows[i]);
		const int8_t *__restrict code = codes + row * dimension;
		const ptrdiff_t later = i + AHEAD < count ? i + AHEAD : i;
		ask_for(codes + (rows == nullptr ? later : static_cast<ptrdiff_t>(rows[later])) * dimension, dimension);
		int32_t sum = 0;
		for (ptrdiff_t j = 0; j < dimension; j++) {
			sum += static_cast<int16_t>(code[j]) * query[j];
		}
		scores[i] = static_cast<float>(sum) * scales[row] * query_scale;
	}
}

// step(j, part) for every j from `start` to before `end`.
template <typename Step>
LOOP void in_parts(ptrdiff_t start, ptrdiff_t end, Step step) {
	for (; start + PARTS <= end; start += PARTS) {
		for (ptrdiff_t part = 0; part < PARTS; part++) {
			step(start + part, part);
		}
	}
	for (ptrdiff_t part = 0; start + part < end; part++) {
		step(start + part, part);
	}
}

LOOP float sum_of(const float (&parts)[PARTS]) {
	float sum = 0.0F;
	for (const float part : parts) {
		sum += part;
	}
	return sum;
}

LOOP float largest_size(const float *__restrict vector, ptrdiff_t dimension) {
	float most = 0.0F;
	for (ptrdiff_t j = 0; j < dimension; j++) {
		const float size = std::fabs(vector[j]);
		most = size > most ? size : most;
	}
	return most;
}

LOOP void encode_row(const float *__restrict vector, ptrdiff_t dimension, int8_t *__restrict code, float *__restrict scale, double *__restrict error, double *__restrict length) {
	const float most = largest_size(vector, dimension);
	const float step = most / LARGEST_CODE;
	const float inverse = most > SMALLEST_SIZE ? LARGEST_CODE / most : 0.0F;
	float lost[PARTS] = {};
	float kept[PARTS] = {};
	in_parts(0, dimension, [&](ptrdiff_t j, ptrdiff_t part) __attribute__((always_inline)) {
		const float number = vector[j] * inverse;
		const int whole = static_cast<int>(number + (number < 0.0F ? -0.5F : 0.5F));
		code[j] = static_cast<int8_t>(whole > 127 ? 127 : whole < -127 ? -127
																	   : whole);
		const float value = static_cast<float>(code[j]) * step;
		lost[part] += (vector[j] - value) * (vector[j] - value);
		kept[part] += value * value;
	});
	*scale = step;
	*error = std::sqrt(static_cast<double>(sum_of(lost)));
	*length = std::sqrt(static_cast<double>(sum_of(kept)));
}

bool everywhere() {
	return true;
}

#if defined(__x86_64__)
// Whether the processor has a feature (a bit of EBX in leaf 7 of cpuid) and the system keeps these registers
// (bits of XCR0) for each thread. Zig's run-time library has no __builtin_cpu_supports().
__attribute__((target("xsave"))) bool has(unsigned int feature, unsigned int registers) {
	unsigned int eax = 0, ebx = 0, ecx = 0, edx = 0;
	if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0 || (ecx & bit_OSXSAVE) == 0 || (_xgetbv(0) & registers) != registers) {
		return false;
	}
	return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && (ebx & feature) == feature;
}

bool has_avx2() {
	return has(bit_AVX2, 0x06);
}

bool has_avx512() {
	return has(bit_AVX2 | bit_AVX512F | bit_AVX512BW | bit_AVX512DQ | bit_AVX512VL | bit_AVX512CD, 0xE6);
}

#define FOR_PROCESSORS_WITH(Name, features)                                   \
	template <auto Loop>                                                      \
	struct Name;                                                              \
	template <typename... Values, void (*Loop)(Values...)>                    \
	struct Name<Loop> {                                                       \
		__attribute__((target(features))) static void run(Values... values) { \
			Loop(values...);                                                  \
		}                                                                     \
	};
FOR_PROCESSORS_WITH(Avx2, "avx2")
FOR_PROCESSORS_WITH(Avx512, "avx2,avx512f,avx512bw,avx512dq,avx512vl,avx512cd")
#endif

} // namespace

const Kernels KERNELS[] = {
#if defined(__x86_64__)
		{"avx512", has_avx512, Avx512<compare>::run, Avx512<encode_row>::run},
		{"avx2", has_avx2, Avx2<compare>::run, Avx2<encode_row>::run},
#endif
		{"plain", everywhere, compare, encode_row},
};
const size_t KERNEL_COUNT = sizeof(KERNELS) / sizeof(KERNELS[0]);
