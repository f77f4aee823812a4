/* Batch normalisation followed by ReLU on a (row, channel) matrix, and its gradient.

   The elementwise passes of a training step are bound by memory, so what counts is how often the
   matrix is read or written: here three times forward and five times backward, where a sequence of
   separate operations needs more than twenty.

   Rows are taken in groups so that a group's length is a multiple of the vector width; the loops
   over a group are plain C that compilers turn into vector instructions. Every thread sums a fixed
   share of the rows and shares are added in their order, so results repeat to the last bit. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <omp.h>

#define WIDE_MAX 4096 /* longest group of rows, in values */
#define BLOCK 64      /* groups summed in float before they are added up in double */

typedef uint16_t bf16;

static inline float from_float(const float *p) { return *p; }
static inline void to_float(float *p, float value) { *p = value; }

static inline float from_bf16(const bf16 *p) {
    uint32_t bits = (uint32_t)*p << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline void to_bf16(bf16 *p, float value) { /* to nearest, ties to even */
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    bf16 rounded = (bf16)((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
    *p = value != value ? 0x7fc0 : rounded; /* rounding would turn some NaN into numbers */
}

static void share(int64_t n, int64_t *start, int64_t *stop) {
    int64_t threads = omp_get_num_threads(), me = omp_get_thread_num();
    *start = n * me / threads;
    *stop = n * (me + 1) / threads;
}

static void add_in_order(double *total, const double *parts, int threads, int64_t wide) {
    memset(total, 0, 2 * wide * sizeof *total);
    for (int t = 0; t < threads; t++)
        for (int64_t j = 0; j < 2 * wide; j++) total[j] += parts[t * 2 * wide + j];
}

/* A function that adds up two terms of every value: sums[0:wide] and sums[wide:2 wide], by column
   of a group. TERMS adds the terms of value (i, j) to first[j] and second[j]. */
#define SUMS(NAME, ARGUMENTS, TERMS)                                             \
    void NAME ARGUMENTS {                                                        \
        int threads = omp_get_max_threads();                                     \
        double *parts = calloc((size_t)threads * 2 * wide, sizeof *parts);       \
        _Pragma("omp parallel num_threads(threads)") {                           \
            double *mine = parts + (int64_t)omp_get_thread_num() * 2 * wide;     \
            float first[WIDE_MAX], second[WIDE_MAX];                             \
            int64_t start, stop;                                                 \
            share(groups, &start, &stop);                                        \
            for (int64_t block = start; block < stop; block += BLOCK) {          \
                int64_t end = block + BLOCK < stop ? block + BLOCK : stop;       \
                memset(first, 0, wide * sizeof *first);                          \
                memset(second, 0, wide * sizeof *second);                        \
                for (int64_t i = block; i < end; i++)                            \
                    for (int64_t j = 0; j < wide; j++) {                         \
                        TERMS                                                    \
                    }                                                            \
                for (int64_t j = 0; j < wide; j++) {                             \
                    mine[j] += first[j];                                         \
                    mine[wide + j] += second[j];                                 \
                }                                                                \
            }                                                                    \
        }                                                                        \
        add_in_order(sums, parts, threads, wide);                                \
        free(parts);                                                             \
    }

/* Sums of x - centre and of its square. */
#define STATISTICS(TYPE, NAME, LOAD)                                                           \
    SUMS(NAME, (const TYPE *x, int64_t groups, int64_t wide, const float *centre, double *sums), \
         float d = LOAD(x + i * wide + j) - centre[j];                                         \
         first[j] += d;                                                                        \
         second[j] += d * d;)

/* y = relu(scale * x + shift). */
#define APPLY(TYPE, NAME, LOAD, STORE)                                                         \
    void NAME(const TYPE *x, int64_t groups, int64_t wide, const float *scale,                 \
              const float *shift, TYPE *y) {                                                   \
        _Pragma("omp parallel for schedule(static)") for (int64_t i = 0; i < groups; i++)      \
            for (int64_t j = 0; j < wide; j++) {                                               \
                float value = scale[j] * LOAD(x + i * wide + j) + shift[j];                    \
                STORE(y + i * wide + j, value < 0 ? 0 : value); /* keeps NaN */                \
            }                                                                                  \
    }

/* With h = g where y was positive and 0 elsewhere: sums of h and of h * (x - centre). */
#define GRADIENT_SUMS(TYPE, NAME, LOAD)                                                      \
    SUMS(NAME,                                                                               \
         (const TYPE *x, const TYPE *g, int64_t groups, int64_t wide, const float *scale,    \
          const float *shift, const float *centre, double *sums),                            \
         float value = LOAD(x + i * wide + j);                                               \
         float h = LOAD(g + i * wide + j);                                                   \
         h = scale[j] * value + shift[j] > 0 ? h : 0;                                        \
         first[j] += h;                                                                      \
         second[j] += h * (value - centre[j]);)

/* dx = scale * h + slope * x + offset. */
#define GRADIENT(TYPE, NAME, LOAD, STORE)                                                      \
    void NAME(const TYPE *x, const TYPE *g, int64_t groups, int64_t wide, const float *scale,  \
              const float *shift, const float *slope, const float *offset, TYPE *dx) {         \
        _Pragma("omp parallel for schedule(static)") for (int64_t i = 0; i < groups; i++)      \
            for (int64_t j = 0; j < wide; j++) {                                               \
                float value = LOAD(x + i * wide + j);                                          \
                float h = LOAD(g + i * wide + j);                                              \
                h = scale[j] * value + shift[j] > 0 ? h : 0;                                   \
                STORE(dx + i * wide + j, scale[j] * h + slope[j] * value + offset[j]);         \
            }                                                                                  \
    }

STATISTICS(float, statistics_float32, from_float)
STATISTICS(bf16, statistics_bfloat16, from_bf16)
APPLY(float, apply_float32, from_float, to_float)
APPLY(bf16, apply_bfloat16, from_bf16, to_bf16)
GRADIENT_SUMS(float, gradient_sums_float32, from_float)
GRADIENT_SUMS(bf16, gradient_sums_bfloat16, from_bf16)
GRADIENT(float, gradient_float32, from_float, to_float)
GRADIENT(bf16, gradient_bfloat16, from_bf16, to_bf16)
