// The loops that take the time, compiled once for each kind of processor; best_kernels() chooses.
//
// Whole numbers are added exactly, and floats in an order that the source says, without fused products
// (-ffp-contract=off): every processor, compiler and system finds the same bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

// A question for glance(): its numbers as bytes, and what is lost by that.
struct Outline {
	std::vector<int8_t> codes; // as many as there are half bytes in a row
	float step = 1.0F;
	int32_t sum = 0;
	double length = 0.0;
	double lost = 0.0; // the length of question - codes x step
};

constexpr float LARGEST_CODE = 127.0F;
constexpr float SMALLEST_SIZE = 1e-30F; // the inverse of anything smaller is no float
constexpr ptrdiff_t HALVES_AT_ONCE = 32;

struct Kernels {
	const char *name;
	bool (*is_supported)();

	// scores[i] = codes of rows[i] (null: of row i) . query x scales[rows[i]] x query_scale
	void (*compare)(const int8_t *codes, const float *scales, const int64_t *rows, ptrdiff_t count, ptrdiff_t dimension,
			const int16_t *query, float query_scale, float *scores);

	// What the products can be at most, from half a byte per number. `width` bytes are a row: byte j holds number j and,
	// above it, number j + width.
	void (*glance)(const uint8_t *halves, const float *half_scales, const int64_t *rows, size_t count, ptrdiff_t width,
			const Outline &question, float slack, float *most);

	void (*encode_row)(const float *vector, ptrdiff_t dimension, int8_t *code, float *scale, double *error, double *length);
	void (*encode_halves)(const float *vector, ptrdiff_t dimension, uint8_t *pairs, ptrdiff_t width, float *scale_and_error);
};

// All that are compiled in, the best first. The last one runs everywhere.
extern const Kernels KERNELS[];
extern const size_t KERNEL_COUNT;
