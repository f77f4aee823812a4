/* How the float32 spectral stage keeps its activations: sixteen pixels side by side.

   A cell holds two channels at one band position of sixteen pixels, so that every instruction works
   on sixteen pixels whatever the number of channels, and an activation is an array
   (block of pixels, pair of channels, position) of cells. A channel that is missing in the last pair
   has zero weights. */

#include "spectral_shape.h"

#define TILE 7 /* positions that a convolution computes together */
#define EACH_OF_TILE(I) _Pragma("GCC unroll 7") for (int I = 0; I < TILE; I++)

typedef struct {
    vec even, odd; /* channels 2k and 2k + 1 */
} both;

INLINE int64_t pairs_of(const shape *s) { return (s->channels + 1) / 2; }
INLINE int64_t blocks_of(const shape *s) { return (s->pixels + LANES - 1) / LANES; }
INLINE int64_t lanes_in(const shape *s, int64_t block) { /* the last block may not be full */
    int64_t left = s->pixels - block * LANES;
    return left < LANES ? left : LANES;
}

INLINE both affine(both v, const float *scale, const float *shift) {
    return (both){v.even * scale[0] + shift[0], v.odd * scale[1] + shift[1]};
}
INLINE both relu_both(both v) { return (both){relu(v.even), relu(v.odd)}; }
INLINE both plus(both a, both b) { return (both){a.even + b.even, a.odd + b.odd}; }

INLINE float lane_sum(vec v) { return _mm512_reduce_add_ps((__m512)v); }

/* The blocks of pixels of this thread: the same ones in every run. */
INLINE void my_blocks(const shape *s, int64_t *start, int64_t *stop) {
    int64_t n = blocks_of(s), threads = omp_get_num_threads(), me = omp_get_thread_num();
    *start = n * me / threads;
    *stop = n * (me + 1) / threads;
}
