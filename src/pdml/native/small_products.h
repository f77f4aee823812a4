/* Products of matrices that lie in the cache, each row padded to whole vector registers. */

#ifndef PDML_SMALL_PRODUCTS_H
#define PDML_SMALL_PRODUCTS_H

#include "lanes.h"

#ifdef __AVX512F__ /* rows and vectors that fill the registers */
#define GRAM_ROWS 8
#define GRAM_VECTORS 3
#define SUM_ROWS 6
#define SUM_VECTORS 4
#else
#define GRAM_ROWS 4
#define GRAM_VECTORS 2
#define SUM_ROWS 4
#define SUM_VECTORS 2
#endif

/* out[row][v] = x[row] . y[v] for some rows and some vectors of columns. */
INLINE void gram_kernel(const float *x, int64_t stride, const float *y, int64_t panel,
                        int64_t depth, float *out, int64_t across, const int vectors) {
    vec sum[GRAM_ROWS][GRAM_VECTORS];
    UNROLL for (int m = 0; m < GRAM_ROWS; m++)
        UNROLL for (int v = 0; v < vectors; v++) sum[m][v] = (vec){0};
    for (int64_t f = 0; f < depth; f++) {
        vec column[GRAM_VECTORS];
        UNROLL for (int v = 0; v < vectors; v++)
            column[v] = *(const vec *)(y + v * panel + f * LANES);
        UNROLL for (int m = 0; m < GRAM_ROWS; m++) {
            vec value = all(x[m * stride + f]);
            UNROLL for (int v = 0; v < vectors; v++) sum[m][v] += value * column[v];
        }
    }
    UNROLL for (int m = 0; m < GRAM_ROWS; m++)
        UNROLL for (int v = 0; v < vectors; v++)
            *(vec *)(out + m * across + v * LANES) = sum[m][v];
}

/* out[m] += sum over d of s[m, d] * y[d], for some rows m and some vectors of features. */
INLINE void sum_kernel(const float *s, int64_t stride_m, int64_t stride_d, const float *y,
                       int64_t depth, float *out, int64_t stride, const int rows,
                       const int vectors) {
    vec sum[SUM_ROWS][SUM_VECTORS];
    UNROLL for (int m = 0; m < rows; m++)
        UNROLL for (int v = 0; v < vectors; v++) sum[m][v] = (vec){0};
    for (int64_t d = 0; d < depth; d++) {
        vec value[SUM_VECTORS];
        UNROLL for (int v = 0; v < vectors; v++)
            value[v] = *(const vec *)(y + d * stride + v * LANES);
        UNROLL for (int m = 0; m < rows; m++) {
            vec slope = all(s[m * stride_m + d * stride_d]);
            UNROLL for (int v = 0; v < vectors; v++) sum[m][v] += slope * value[v];
        }
    }
    UNROLL for (int m = 0; m < rows; m++)
        UNROLL for (int v = 0; v < vectors; v++)
            *(vec *)(out + m * stride + v * LANES) += sum[m][v];
}

#define CASE(N, MOST, CALL) \
    case N:                 \
        if (N <= MOST) {    \
            CALL;           \
        }                   \
        break;

static void gram(const float *x, int64_t stride, const float *y, int64_t panel, int64_t depth,
                 float *out, int64_t rows, int64_t vectors) {
    int64_t across = vectors * LANES;
    for (int64_t v = 0; v < vectors; v += GRAM_VECTORS) {
        int some = (int)(vectors - v < GRAM_VECTORS ? vectors - v : GRAM_VECTORS);
        for (int64_t m = 0; m < rows; m += GRAM_ROWS) {
            const float *from = x + m * stride, *of = y + v * panel;
            float *to = out + m * across + v * LANES;
            switch (some) {
                CASE(1, GRAM_VECTORS, gram_kernel(from, stride, of, panel, depth, to, across, 1))
                CASE(2, GRAM_VECTORS, gram_kernel(from, stride, of, panel, depth, to, across, 2))
                CASE(3, GRAM_VECTORS, gram_kernel(from, stride, of, panel, depth, to, across, 3))
            }
        }
    }
}

INLINE void sums_of(const float *s, int64_t stride_m, int64_t stride_d, const float *y,
                    int64_t depth, float *out, int64_t stride, int64_t rows, const int vectors) {
    int64_t m = 0;
    for (; m + SUM_ROWS <= rows; m += SUM_ROWS)
        sum_kernel(s + m * stride_m, stride_m, stride_d, y, depth, out + m * stride, stride,
                   SUM_ROWS, vectors);
    for (; m + 2 <= rows; m += 2) /* rows are a multiple of LANES, so of two */
        sum_kernel(s + m * stride_m, stride_m, stride_d, y, depth, out + m * stride, stride, 2,
                   vectors);
}

static void add_sums(const float *s, int64_t stride_m, int64_t stride_d, const float *y,
                     int64_t depth, float *out, int64_t stride, int64_t rows) {
    for (int64_t f = 0; f < stride; f += SUM_VECTORS * LANES) {
        int64_t left = (stride - f) / LANES;
        switch (left < SUM_VECTORS ? left : SUM_VECTORS) {
#define SUMS(N) sums_of(s, stride_m, stride_d, y + f, depth, out + f, stride, rows, N)
            CASE(1, SUM_VECTORS, SUMS(1))
            CASE(2, SUM_VECTORS, SUMS(2))
            CASE(3, SUM_VECTORS, SUMS(3))
            CASE(4, SUM_VECTORS, SUMS(4))
        }
    }
}

#endif
