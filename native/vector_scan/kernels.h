// The loops that take the time, compiled once for each kind of processor; best_kernels() chooses.
//
// Whole numbers are added exactly, and floats in an order that the source says, without fused products
// (-ffp-contract=off): every processor, compiler and system finds the same bits.
#pragma once

#include <cstddef>
#include <cstdint>

constexpr float LARGEST_CODE = 127.0F;
constexpr float SMALLEST_SIZE = 1e-30F; // the inverse of anything smaller is no float

struct Kernels {
	const char *name;
	bool (*is_supported)();

	// scores[i] = codes of rows[i] (null: of row i) . query x scales[rows[i]] x query_scale
	void (*compare)(const int8_t *codes, const float *scales, const int64_t *rows, ptrdiff_t count, ptrdiff_t dimension,
			const int16_t *query, float query_scale, float *scores);

	void (*encode_row)(const float *vector, ptrdiff_t dimension, int8_t *code, float *scale, double *error, double *length);
};

// All that are compiled in, the best first. The last one runs everywhere.
extern const Kernels KERNELS[];
extern const size_t KERNEL_COUNT;
