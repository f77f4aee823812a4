/* How the bfloat16 spectral stage keeps its activations: one row per pixel, (position, channel).

   The seven neighbours that a convolution along the bands sees lie side by side in a row, so windows
   that overlap are read as rows of a matrix and nothing is unfolded. A row is padded to whole
   vectors. A vector of sixteen numbers meets the channels in a pattern that comes back after
   `period` vectors; what belongs to channels is spread over that pattern once. */

#include "spectral_shape.h"

#define MOST_PERIODS 3
#define UNROLL _Pragma("GCC unroll 3")

typedef uint16_t number; /* bfloat16 */

INLINE int64_t length_of(const shape *s) { return s->positions * s->channels; }
INLINE int64_t stride_of(const shape *s) { return (length_of(s) + LANES - 1) / LANES * LANES; }
INLINE int64_t period_of(const shape *s) { return s->channels == 24 ? 3 : s->channels / LANES; }

#define WHOLE 0xffff /* the mask of a full vector */
#define IS_WHOLE(MASK) (__builtin_constant_p(MASK) && (MASK) == WHOLE)

INLINE vec keep(__mmask16 mask, vec v) {
    return IS_WHOLE(mask) ? v : (vec)_mm512_maskz_mov_ps(mask, (__m512)v);
}
INLINE vec wide(const number *p, __mmask16 mask) {
    __m256i halves = IS_WHOLE(mask) ? _mm256_loadu_si256((const void *)p)
                                    : _mm256_maskz_loadu_epi16(mask, p);
    return (vec)_mm512_slli_epi32(_mm512_cvtepu16_epi32(halves), 16);
}
INLINE void narrow(number *p, __mmask16 mask, vec v) { /* to nearest, ties to even */
    __m256i halves = (__m256i)_mm512_cvtneps_pbh((__m512)v);
    if (IS_WHOLE(mask))
        _mm256_storeu_si256((void *)p, halves);
    else
        _mm256_mask_storeu_epi16(p, mask, halves);
}
INLINE number rounded(float value) {
    return (number)_mm_extract_epi16((__m128i)_mm_cvtneps_pbh(_mm_set_ss(value)), 0);
}

/* BODY for each vector of a row: `at` is its first number, `j` its place in the period. */
#define EACH_VECTOR(LENGTH, PERIOD, BODY)                                             \
    do {                                                                              \
        int64_t at = 0;                                                               \
        const __mmask16 mask = WHOLE;                                                 \
        for (; at + (PERIOD) * LANES <= (LENGTH); at += (PERIOD) * LANES)             \
            UNROLL for (int j_ = 0; j_ < (PERIOD); j_++) {                            \
                EACH_VECTOR_(at + j_ * LANES, j_, mask, BODY)                         \
            }                                                                         \
        UNROLL for (int j_ = 0; j_ < (PERIOD); j_++) {                                \
            int64_t left = (LENGTH)-at - j_ * LANES;                                  \
            if (left > 0) {                                                           \
                __mmask16 some = left >= LANES ? WHOLE : (__mmask16)((1u << left) - 1); \
                EACH_VECTOR_(at + j_ * LANES, j_, some, BODY)                         \
            }                                                                         \
        }                                                                             \
    } while (0)
#define EACH_VECTOR_(AT, J, MASK, BODY) BODY(AT, J, MASK)

/* Calls FUNCTION with the period as a constant, so that what it keeps stays in registers. */
#define BY_PERIOD(S, FUNCTION, ...)                          \
    switch (period_of(S)) {                                  \
        case 1: FUNCTION(S, __VA_ARGS__, 1); break;          \
        case 2: FUNCTION(S, __VA_ARGS__, 2); break;          \
        default: FUNCTION(S, __VA_ARGS__, 3);                \
    }

/* A vector over channels, spread over the lanes of a period. */
INLINE void spread(const shape *s, const float *of_channel, vec *of_lane) {
    for (int64_t i = 0; i < period_of(s) * LANES; i++)
        ((float *)of_lane)[i] = of_channel[i % s->channels];
}

/* out = relu(scale * x + shift); what lies behind the row stays as it is. */
INLINE void activate_as(const shape *s, const number *x, const vec *scale, const vec *shift,
                        number *out, const int period) {
#define ACTIVATE(AT, J, MASK) \
    narrow(out + (AT), MASK, relu(wide(x + (AT), MASK) * scale[J] + shift[J]));
    EACH_VECTOR(length_of(s), period, ACTIVATE);
}
static void activate(const shape *s, const number *x, const vec *scale, const vec *shift,
                     number *out) {
    BY_PERIOD(s, activate_as, x, scale, shift, out)
}
