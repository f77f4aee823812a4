/* How the spectral stage keeps its activations: sixteen pixels side by side.

   A cell holds two channels at one band position of sixteen pixels, so that every instruction works
   on sixteen pixels whatever the number of channels, and an activation is an array
   (block of pixels, pair of channels, position) of cells. A channel that is missing in the last pair
   has zero weights. In bfloat16 the two channels of a pixel lie next to each other, as the
   instruction that multiplies and adds pairs wants them; arithmetic is float32 in both forms. */

#include <immintrin.h>
#include <omp.h>
#include <stdint.h>
#include <string.h>

#define LANES 16
#define INLINE static inline __attribute__((always_inline))

typedef float vec __attribute__((vector_size(64), may_alias));
typedef uint32_t bits __attribute__((vector_size(64), may_alias));

typedef struct {
    vec even, odd; /* channels 2k and 2k + 1 */
} both;

typedef struct {
    int64_t pixels, bands, positions, channels, threads;
} shape;

INLINE int64_t pairs_of(const shape *s) { return (s->channels + 1) / 2; }
INLINE int64_t blocks_of(const shape *s) { return (s->pixels + LANES - 1) / LANES; }
INLINE int64_t lanes_in(const shape *s, int64_t block) { /* the last block may not be full */
    int64_t left = s->pixels - block * LANES;
    return left < LANES ? left : LANES;
}

INLINE vec splat(float value) { return value - (vec){}; }
INLINE vec relu(vec v) { return (vec)((bits)v & ~(bits)(v < 0)); } /* keeps NaN */
INLINE vec where_positive(vec chosen, vec v) { return (vec)((bits)chosen & (bits)(v > 0)); }

INLINE both affine(both v, const float *scale, const float *shift) {
    return (both){v.even * scale[0] + shift[0], v.odd * scale[1] + shift[1]};
}
INLINE both relu_both(both v) { return (both){relu(v.even), relu(v.odd)}; }
INLINE both plus(both a, both b) { return (both){a.even + b.even, a.odd + b.odd}; }

INLINE float lane_sum(vec v, int64_t lanes) {
    float sum = 0;
    for (int64_t i = 0; i < lanes; i++) sum += v[i];
    return sum;
}

#ifdef BFLOAT16

typedef bits cell;
typedef uint16_t element;

INLINE both load(const cell *p) { return (both){(vec)(*p << 16), (vec)(*p & 0xffff0000u)}; }

INLINE void store(cell *p, both v) { /* to nearest, ties to even */
    const __m512i in_turn = _mm512_set_epi16(
        31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8, 23, 7, 22, 6, 21, 5, 20, 4, 19,
        3, 18, 2, 17, 1, 16, 0);
    __m512i halves = (__m512i)_mm512_cvtne2ps_pbh((__m512)v.odd, (__m512)v.even);
    *p = (cell)_mm512_permutexvar_epi16(in_turn, halves);
}


#else

typedef both cell;
typedef float element;

INLINE both load(const cell *p) { return *p; }
INLINE void store(cell *p, both v) { *p = v; }

#endif

/* The blocks of pixels of this thread: the same ones in every run. */
INLINE void my_blocks(const shape *s, int64_t *start, int64_t *stop) {
    int64_t n = blocks_of(s), threads = omp_get_num_threads(), me = omp_get_thread_num();
    *start = n * me / threads;
    *stop = n * (me + 1) / threads;
}
