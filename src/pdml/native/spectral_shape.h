/* What both forms of the spectral stage share: its sizes, and vectors of sixteen floats. */

#include <immintrin.h>
#include <omp.h>
#include <stdint.h>
#include <string.h>

#define LANES 16
#define INLINE static inline __attribute__((always_inline))

typedef float vec __attribute__((vector_size(64), may_alias));
typedef uint32_t bits __attribute__((vector_size(64), may_alias));

typedef struct {
    int64_t pixels, bands, positions, channels, threads;
} shape;

INLINE vec splat(float value) { return value - (vec){}; }
INLINE vec relu(vec v) { return (vec)((bits)v & ~(bits)(v < 0)); } /* keeps NaN */
INLINE vec where_positive(vec chosen, vec v) { return (vec)((bits)chosen & (bits)(v > 0)); }
