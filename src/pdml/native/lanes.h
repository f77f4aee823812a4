/* A vector register of floats, and the functions that the pair loss needs on it.

   Written in the vector extension of C compilers, which every processor can run; what AVX-512 has
   instructions for is called by name. NaN comes out where NaN goes in. */

#ifndef PDML_LANES_H
#define PDML_LANES_H

#include <math.h>
#include <stdint.h>

#ifdef __AVX512F__
#include <immintrin.h>
#define LANES 16
#elif defined(__AVX__)
#define LANES 8
#else
#define LANES 4
#endif

#define MOST_AT_ONCE 8 /* vectors that a function works on in step */

typedef float vec __attribute__((vector_size(4 * LANES)));
typedef int32_t ivec __attribute__((vector_size(4 * LANES)));
#define INLINE static inline __attribute__((always_inline))
#define UNROLL _Pragma("GCC unroll 16")

INLINE vec all(float value) { return value - (vec){0}; }
INLINE vec choose(ivec mask, vec yes, vec no) {
    return (vec)(((ivec)yes & mask) | ((ivec)no & ~mask));
}
INLINE double total(vec x) {
    double sum = 0;
    for (int j = 0; j < LANES; j++) sum += x[j];
    return sum;
}

#ifdef __AVX512F__ /* of two operands, min and max hand on the second where it is not a number */
INLINE vec at_least(float low, vec x) { return _mm512_max_ps(all(low), x); }
INLINE vec at_most(float high, vec x) { return _mm512_min_ps(all(high), x); }
INLINE int any(ivec mask) { return _mm512_movepi32_mask((__m512i)mask) != 0; }
INLINE vec nearest_whole(vec x) { return _mm512_roundscale_ps(x, 0); }
INLINE vec scale(vec x, vec power) { return _mm512_scalef_ps(x, power); }
INLINE vec near_inverse(vec x) { return _mm512_rcp14_ps(x); }
INLINE vec near_inverse_root(vec x) { return _mm512_rsqrt14_ps(x); }
#else
INLINE vec at_least(float low, vec x) { return choose(x < low, all(low), x); }
INLINE vec at_most(float high, vec x) { return choose(x > high, all(high), x); }
INLINE int any(ivec mask) {
    int some = 0;
    for (int j = 0; j < LANES; j++) some |= mask[j];
    return some;
}
INLINE vec nearest_whole(vec x) { return (x + 12582912.f) - 12582912.f; } /* 1.5 * 2^23 */
INLINE vec scale(vec x, vec power) {
    ivec bits = (ivec)(at_least(-125.f, power) + 12582912.f) << 23;
    return choose(x == x, (vec)((ivec)x + bits), x);
}
INLINE vec near_inverse(vec x) { return 1.f / x; }
INLINE vec near_inverse_root(vec x) {
    for (int j = 0; j < LANES; j++) x[j] = sqrtf(x[j]);
    return 1.f / x;
}
#endif

/* The same step of several computations, then the next: each alone would wait for its results. */
#define EACH UNROLL for (int l = 0; l < n; l++)

INLINE void inverses(const vec *x, vec *y, const int n) { /* near ones after a step of Newton */
    EACH y[l] = near_inverse(x[l]);
    vec rest[MOST_AT_ONCE];
    EACH rest[l] = 2.f - x[l] * y[l];
    EACH y[l] *= rest[l];
}
INLINE vec inverse(vec x) {
    vec y;
    inverses(&x, &y, 1);
    return y;
}

INLINE void roots(const vec *x, vec *d, vec *over_d, const int n) { /* d and 1 / d of d^2 */
    vec rest[MOST_AT_ONCE];
    EACH over_d[l] = near_inverse_root(x[l]);
    EACH d[l] = x[l] * over_d[l];
    EACH rest[l] = 0.5f * over_d[l];
    EACH rest[l] = 0.5f - d[l] * rest[l];
    EACH d[l] += d[l] * rest[l];
    EACH over_d[l] += over_d[l] * rest[l];
}

INLINE void powers_of_two(vec *t, const int n) { /* for t <= 125; relative error below 1e-7 */
    vec whole[MOST_AT_ONCE], p[MOST_AT_ONCE];
    EACH whole[l] = nearest_whole(t[l]);
    EACH t[l] -= whole[l];
    EACH p[l] = 1.53458095e-4f * t[l] + 1.33999309e-3f;
    EACH p[l] = p[l] * t[l] + 9.61848907e-3f;
    EACH p[l] = p[l] * t[l] + 5.55032864e-2f;
    EACH p[l] = p[l] * t[l] + 2.40226462e-1f;
    EACH p[l] = p[l] * t[l] + 6.93147182e-1f;
    EACH p[l] = p[l] * t[l] + 1.f;
    EACH t[l] = scale(p[l], whole[l]);
}

INLINE vec logarithm(vec x) { /* for normal x > 0; absolute error below 1e-7 near 1 */
    ivec bits = (ivec)x, exponent = (bits - 0x3f3504f3) >> 23; /* mantissa in sqrt(1/2)..sqrt(2) */
    vec m = (vec)(bits - (exponent << 23)), t = (m - 1.f) * inverse(m + 1.f), s = t * t;
    vec series = (((s * (1.f / 9) + 1.f / 7) * s + 1.f / 5) * s + 1.f / 3) * s + 1.f;
    return __builtin_convertvector(exponent, vec) * 0.693147181f + 2.f * t * series;
}

#endif
