// The few functions of BLAS that numpy's core calls, in plain loops. They stand in for the OpenBLAS of numpy's wheels, which
// is a sixth of a game's size. The search for memories has its own loops (native/vector_scan).
//
// Every system and processor finds the same bits: numbers are added in an order that the source says, without fused
// products (-ffp-contract=off).
#include <cstdint>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

#if defined(_WIN32)
#define EXPORTED extern "C" __declspec(dllexport)
#else
#define EXPORTED extern "C" __attribute__((visibility("default")))
#endif

namespace {

using Int = int64_t;

constexpr int ROW_MAJOR = 101;
constexpr int AS_IT_IS = 111;
constexpr int TRANSPOSED = 112;
constexpr int CONJUGATED = 113; // and transposed
constexpr int LANES = 32;
constexpr int BLOCK = 1024;

template <typename T>
struct Complex {
	T real;
	T imaginary;

	Complex operator*(const Complex &other) const {
		return {real * other.real - imaginary * other.imaginary, real * other.imaginary + imaginary * other.real};
	}
	Complex &operator+=(const Complex &other) {
		real += other.real;
		imaginary += other.imaginary;
		return *this;
	}
	bool operator==(const Complex &other) const { return real == other.real && imaginary == other.imaginary; }
};

template <typename T>
T conjugate(T number) {
	return number;
}

template <typename T>
Complex<T> conjugate(Complex<T> number) {
	return {number.real, -number.imaginary};
}

template <typename T>
inline T dot_loop(Int count, const T *x, Int step_x, const T *y, Int step_y) {
	T lanes[LANES] = {};
	Int i = 0;
	if (step_x == 1 && step_y == 1) {
		for (; i + LANES <= count; i += LANES) {
			for (int lane = 0; lane < LANES; lane++) {
				lanes[lane] += x[i + lane] * y[i + lane];
			}
		}
	}
	for (; i < count; i++) {
		lanes[i % LANES] += x[i * step_x] * y[i * step_y];
	}
	for (int half = LANES / 2; half > 0; half /= 2) {
		for (int lane = 0; lane < half; lane++) {
			lanes[lane] += lanes[lane + half];
		}
	}
	return lanes[0];
}

// y += factor * x
template <typename T>
inline void add_loop(Int count, T factor, const T *x, Int step_x, T *y, Int step_y) {
	if (step_x == 1 && step_y == 1) {
		for (Int i = 0; i < count; i++) {
			y[i] += factor * x[i];
		}
		return;
	}
	for (Int i = 0; i < count; i++) {
		y[i * step_y] += factor * x[i * step_x];
	}
}

#if defined(__x86_64__)
// Zig's run-time library has no __builtin_cpu_supports().
__attribute__((target("xsave"))) bool has_avx2() {
	unsigned int eax = 0, ebx = 0, ecx = 0, edx = 0;
	if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0 || (ecx & bit_OSXSAVE) == 0 || (_xgetbv(0) & 0x06) != 0x06) {
		return false;
	}
	return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && (ebx & bit_AVX2) != 0;
}

const bool HAS_AVX2 = has_avx2();

template <typename T>
__attribute__((target("avx2"))) T dot_avx2(Int count, const T *x, Int step_x, const T *y, Int step_y) {
	return dot_loop(count, x, step_x, y, step_y);
}

template <typename T>
__attribute__((target("avx2"))) void add_avx2(Int count, T factor, const T *x, Int step_x, T *y, Int step_y) {
	add_loop(count, factor, x, step_x, y, step_y);
}
#else
constexpr bool HAS_AVX2 = false;
#define dot_avx2 dot_loop
#define add_avx2 add_loop
#endif

template <typename T>
T dot(Int count, const T *x, Int step_x, const T *y, Int step_y) {
	return HAS_AVX2 ? dot_avx2(count, x, step_x, y, step_y) : dot_loop(count, x, step_x, y, step_y);
}

template <typename T>
void add(Int count, T factor, const T *x, Int step_x, T *y, Int step_y) {
	if (HAS_AVX2) {
		add_avx2(count, factor, x, step_x, y, step_y);
	} else {
		add_loop(count, factor, x, step_x, y, step_y);
	}
}

template <typename T>
void add_conjugated(Int count, T factor, const T *x, Int step_x, T *y) {
	for (Int i = 0; i < count; i++) {
		y[i] += factor * conjugate(x[i * step_x]);
	}
}

template <typename T>
T conjugated_dot(Int count, const T *x, Int step_x, const T *y, Int step_y) {
	T sum = {};
	for (Int i = 0; i < count; i++) {
		sum += conjugate(x[i * step_x]) * y[i * step_y];
	}
	return sum;
}

// Its number (i, j) is at i * row + j * column.
template <typename T>
struct Matrix {
	const T *numbers;
	Int row;
	Int column;
	bool is_conjugated;

	T at(Int i, Int j) const {
		const T number = numbers[i * row + j * column];
		return is_conjugated ? conjugate(number) : number;
	}
	Matrix transposed() const { return {numbers, column, row, is_conjugated}; }
};

template <typename T>
Matrix<T> matrix(const T *numbers, int order, int transposition, Int leading) {
	const bool has_whole_rows = (order == ROW_MAJOR) == (transposition == AS_IT_IS);
	return {numbers, has_whole_rows ? leading : 1, has_whole_rows ? 1 : leading, transposition == CONJUGATED};
}

template <typename T>
void scale(Int count, T factor, T *y, Int step) {
	// What was there must not be read where it does not count: it may be no number.
	const bool is_forgotten = factor == T{};
	for (Int i = 0; i < count; i++) {
		y[i * step] = is_forgotten ? T{} : factor * y[i * step];
	}
}

// result = alpha * a * b + beta * result, with whole rows in the result
template <typename T>
void multiply_rows(Int rows, Int columns, Int inner, T alpha, Matrix<T> a, Matrix<T> b, T beta, T *result, Int leading) {
	for (Int i = 0; i < rows; i++) {
		T *to = result + i * leading;
		scale(columns, beta, to, 1);
		for (Int begin = 0; begin < inner; begin += BLOCK) {
			T line[BLOCK];
			const Int width = inner - begin < BLOCK ? inner - begin : BLOCK;
			for (Int p = 0; p < width; p++) {
				line[p] = alpha * a.at(i, begin + p);
			}
			if (b.row == 1) {
				for (Int j = 0; j < columns; j++) {
					const T *other = b.numbers + j * b.column + begin;
					to[j] += b.is_conjugated ? conjugated_dot(width, other, 1, line, 1) : dot(width, line, 1, other, 1);
				}
				continue;
			}
			for (Int p = 0; p < width; p++) {
				const T *other = b.numbers + (begin + p) * b.row;
				if (b.is_conjugated) {
					add_conjugated(columns, line[p], other, b.column, to);
				} else {
					add(columns, line[p], other, b.column, to, 1);
				}
			}
		}
	}
}

template <typename T>
void multiply(int order, int transposed_a, int transposed_b, Int rows, Int columns, Int inner, T alpha, const T *a, Int leading_a,
		const T *b, Int leading_b, T beta, T *result, Int leading) {
	const Matrix<T> left = matrix(a, order, transposed_a, leading_a);
	const Matrix<T> right = matrix(b, order, transposed_b, leading_b);
	if (order == ROW_MAJOR) {
		multiply_rows(rows, columns, inner, alpha, left, right, beta, result, leading);
	} else {
		multiply_rows(columns, rows, inner, alpha, right.transposed(), left.transposed(), beta, result, leading);
	}
}

// y = alpha * a * x + beta * y
template <typename T>
void multiply_vector(int order, int transposition, Int rows, Int columns, T alpha, const T *numbers, Int leading, const T *x,
		Int step_x, T beta, T *y, Int step_y) {
	const Matrix<T> a = matrix(numbers, order, transposition, leading);
	const bool is_plain = transposition == AS_IT_IS;
	const Int results = is_plain ? rows : columns;
	const Int inner = is_plain ? columns : rows;
	scale(results, beta, y, step_y);
	for (Int i = 0; a.column == 1 && i < results; i++) {
		const T *line = a.numbers + i * a.row;
		const T sum = a.is_conjugated ? conjugated_dot(inner, line, 1, x, step_x) : dot(inner, line, 1, x, step_x);
		y[i * step_y] += alpha * sum;
	}
	for (Int j = 0; a.column != 1 && j < inner; j++) {
		const T factor = alpha * x[j * step_x];
		if (a.is_conjugated) {
			for (Int i = 0; i < results; i++) {
				y[i * step_y] += factor * a.at(i, j);
			}
		} else {
			add(results, factor, a.numbers + j * a.column, a.row, y, step_y);
		}
	}
}

// result = alpha * a * a transposed + beta * result. Both halves are written, though one was asked for.
template <typename T>
void multiply_itself(int order, int transposition, Int rows, Int inner, T alpha, const T *a, Int leading_a, T beta, T *result,
		Int leading) {
	const bool is_plain = transposition == AS_IT_IS;
	multiply(order, is_plain ? AS_IT_IS : TRANSPOSED, is_plain ? TRANSPOSED : AS_IT_IS, rows, rows, inner, alpha, a, leading_a, a,
			leading_a, beta, result, leading);
}

} // namespace

#define FOR_REAL(letter, T)                                                                              \
	EXPORTED T scipy_cblas_##letter##dot64_(Int count, const T *x, Int step_x, const T *y, Int step_y) { \
		return dot(count, x, step_x, y, step_y);                                                         \
	}                                                                                                    \
	FOR_NUMBERS(letter, T, T, )

#define FOR_COMPLEX(letter, T)                                                                                           \
	EXPORTED void scipy_cblas_##letter##dotu_sub64_(Int count, const T *x, Int step_x, const T *y, Int step_y, T *sum) { \
		*sum = dot(count, x, step_x, y, step_y);                                                                         \
	}                                                                                                                    \
	EXPORTED void scipy_cblas_##letter##dotc_sub64_(Int count, const T *x, Int step_x, const T *y, Int step_y, T *sum) { \
		*sum = conjugated_dot(count, x, step_x, y, step_y);                                                              \
	}                                                                                                                    \
	FOR_NUMBERS(letter, T, const T *, *)

#define FOR_NUMBERS(letter, T, Factor, value)                                                                                    \
	EXPORTED void scipy_cblas_##letter##axpy64_(Int count, Factor alpha, const T *x, Int step_x, T *y, Int step_y) {             \
		add<T>(count, value alpha, x, step_x, y, step_y);                                                                        \
	}                                                                                                                            \
	EXPORTED void scipy_cblas_##letter##gemm64_(int order, int transposed_a, int transposed_b, Int rows, Int columns, Int inner, \
			Factor alpha, const T *a, Int leading_a, const T *b, Int leading_b, Factor beta, T *result, Int leading) {           \
		multiply<T>(order, transposed_a, transposed_b, rows, columns, inner, value alpha, a, leading_a, b, leading_b,            \
				value beta, result, leading);                                                                                    \
	}                                                                                                                            \
	EXPORTED void scipy_cblas_##letter##gemv64_(int order, int transposition, Int rows, Int columns, Factor alpha, const T *a,   \
			Int leading, const T *x, Int step_x, Factor beta, T *y, Int step_y) {                                                \
		multiply_vector<T>(order, transposition, rows, columns, value alpha, a, leading, x, step_x, value beta, y, step_y);      \
	}                                                                                                                            \
	EXPORTED void scipy_cblas_##letter##syrk64_(int order, int, int transposition, Int rows, Int inner, Factor alpha,            \
			const T *a, Int leading_a, Factor beta, T *result, Int leading) {                                                    \
		multiply_itself<T>(order, transposition, rows, inner, value alpha, a, leading_a, value beta, result, leading);           \
	}

FOR_REAL(s, float)
FOR_REAL(d, double)
FOR_COMPLEX(c, Complex<float>)
FOR_COMPLEX(z, Complex<double>)
