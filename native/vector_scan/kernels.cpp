#include "kernels.h"

#include <algorithm>
#include <cmath>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace {

// Half bytes stand for the odd numbers from -15 to 15, times a scale. The few largest numbers of a vector are cut
// off, which makes the steps between all others finer: the rest is a tenth shorter than without (measured).
constexpr int LARGEST_HALF = 15;
constexpr float KEPT_SHARE = 0.8F;
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

// The sum of a row's half bytes (0 to 15) times the question.
LOOP int32_t half_product(const uint8_t *__restrict pairs, const int8_t *__restrict codes, ptrdiff_t width) {
	int32_t sum = 0;
	for (ptrdiff_t j = 0; j < width; j++) {
		sum += static_cast<int16_t>(pairs[j] & 15) * codes[j] + static_cast<int16_t>(pairs[j] >> 4) * codes[width + j];
	}
	return sum;
}

// With `product`, which is half_product() or does the same. Half bytes stand for -15, -13 to 15.
template <auto product>
LOOP void glance(const uint8_t *__restrict halves, const float *__restrict half_scales, const int64_t *__restrict rows, size_t count,
		ptrdiff_t width, const Outline &question, float slack, float *__restrict most) {
	const auto length = static_cast<float>(question.length + question.lost);
	for (size_t i = 0; i < count; i++) {
		ask_for(halves + rows[std::min(i + static_cast<size_t>(AHEAD), count - 1)] * width, width);
		const int32_t sum = 2 * product(halves + rows[i] * width, question.codes.data(), width) - LARGEST_HALF * question.sum;
		const float *scale_and_error = half_scales + 2 * rows[i];
		most[i] = static_cast<float>(sum) * scale_and_error[0] * question.step + scale_and_error[1] * length + slack;
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

LOOP void encode_halves(const float *__restrict vector, ptrdiff_t dimension, uint8_t *__restrict pairs, ptrdiff_t width, float *__restrict scale_and_error) {
	const float scale = KEPT_SHARE * largest_size(vector, dimension) / LARGEST_HALF;
	const float inverse = scale > SMALLEST_SIZE ? 1.0F / scale : 0.0F;
	float lost[PARTS] = {};
	const auto encoded = [&](ptrdiff_t j, ptrdiff_t part) __attribute__((always_inline)) {
		const int whole = static_cast<int>((vector[j] * inverse + (LARGEST_HALF + 1)) * 0.5F);
		const int code = whole < 0 ? 0 : whole > LARGEST_HALF ? LARGEST_HALF
															  : whole;
		const float rest = vector[j] - static_cast<float>(2 * code - LARGEST_HALF) * scale;
		lost[part] += rest * rest;
		return code;
	};
	std::fill(pairs, pairs + width, static_cast<uint8_t>(0));
	in_parts(0, std::min(width, dimension), [&](ptrdiff_t j, ptrdiff_t part) __attribute__((always_inline)) { pairs[j] = static_cast<uint8_t>(encoded(j, part)); });
	in_parts(width, dimension, [&](ptrdiff_t j, ptrdiff_t part) __attribute__((always_inline)) { pairs[j - width] |= static_cast<uint8_t>(encoded(j, part) << 4); });
	scale_and_error[0] = scale;
	scale_and_error[1] = std::sqrt(sum_of(lost));
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
// No compiler finds the instruction that multiplies bytes, and without it this takes longer than comparing whole
// bytes.
__attribute__((target("avx2"))) int32_t half_product_avx2(const uint8_t *__restrict pairs, const int8_t *__restrict codes, ptrdiff_t width) {
	const __m256i low = _mm256_set1_epi8(15);
	const __m256i ones = _mm256_set1_epi16(1);
	__m256i sums = _mm256_setzero_si256();
	for (ptrdiff_t j = 0; j < width; j += HALVES_AT_ONCE) {
		const __m256i both = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(pairs + j));
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
	return _mm_cvtsi128_si32(four);
}

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
#elif defined(__aarch64__)
int32_t half_product_neon(const uint8_t *__restrict pairs, const int8_t *__restrict codes, ptrdiff_t width) {
	int32x4_t sums = vdupq_n_s32(0);
	for (ptrdiff_t j = 0; j < width; j += 16) {
		const uint8x16_t both = vld1q_u8(pairs + j);
		const int8x16_t low = vreinterpretq_s8_u8(vandq_u8(both, vdupq_n_u8(15)));
		const int8x16_t high = vreinterpretq_s8_u8(vshrq_n_u8(both, 4));
		const int8x16_t first = vld1q_s8(codes + j);
		const int8x16_t second = vld1q_s8(codes + width + j);
		// At most 4 x 15 x 127 in 16 bits.
		int16x8_t products = vmull_s8(vget_low_s8(low), vget_low_s8(first));
		products = vmlal_high_s8(products, low, first);
		products = vmlal_s8(products, vget_low_s8(high), vget_low_s8(second));
		products = vmlal_high_s8(products, high, second);
		sums = vpadalq_s16(sums, products);
	}
	return vaddvq_s32(sums);
}
#endif

} // namespace

const Kernels KERNELS[] = {
#if defined(__x86_64__)
		{"avx512", has_avx512, Avx512<compare>::run, Avx512<glance<half_product_avx2>>::run, Avx512<encode_row>::run, Avx512<encode_halves>::run},
		{"avx2", has_avx2, Avx2<compare>::run, Avx2<glance<half_product_avx2>>::run, Avx2<encode_row>::run, Avx2<encode_halves>::run},
#elif defined(__aarch64__)
		{"neon", everywhere, compare, glance<half_product_neon>, encode_row, encode_halves},
#endif
		{"plain", everywhere, compare, glance<half_product>, encode_row, encode_halves},
};
const size_t KERNEL_COUNT = sizeof(KERNELS) / sizeof(KERNELS[0]);
