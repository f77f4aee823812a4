/* A convolution of seven taps along the band positions of sixteen pixels, and its weight gradient.

   Both keep fourteen accumulators in registers, enough to hide the latency of a multiply-add and few
   enough that none is spilled: seven positions times two output channels forward, seven taps times
   two output channels for the weights. Inputs have zeros on both sides, so no tap is tested. */

#define TAPS 7
#define HALO 3

INLINE int64_t tiles_of(const shape *s) { return (s->positions + TILE - 1) / TILE; }

/* Cells of a pair of channels with zeros on both sides, up to whole tiles and one more; an even
   number, so that every second position of a pair stays one of its neighbour. */
INLINE int64_t padded_of(const shape *s) { return (tiles_of(s) * TILE + 2 * HALO + 2) / 2 * 2; }

/* Weight from input channel i to output channel o; backward the kernel is turned round. */
INLINE float weight_at(const shape *s, const float *weight, int backward, int64_t o, int64_t i,
                       int64_t tap) {
    int64_t n = s->channels;
    if (o >= n || i >= n) return 0;
    return backward ? weight[(i * n + o) * TAPS + TAPS - 1 - tap] : weight[(o * n + i) * TAPS + tap];
}

#define WEIGHTS 4 /* per pair of outputs, pair of inputs and tap */

static void pack_weights(const shape *s, const float *weight, int backward, number *w) {
    for (int64_t o = 0; o < 2 * pairs_of(s); o += 2)
        for (int64_t i = 0; i < 2 * pairs_of(s); i += 2)
            for (int64_t tap = 0; tap < TAPS; tap++)
                for (int64_t j = 0; j < 4; j++)
                    *w++ = rounded(weight_at(s, weight, backward, o + j / 2, i + j % 2, tap));
}

/* Seven positions of one pair of output channels; x is padded, w those of the pair. */
static __attribute__((noinline)) void convolve_tile(const shape *s, const cell *x, const number *w, both *out) {
    vec even[TILE], odd[TILE];
    int64_t padded = padded_of(s), pairs = pairs_of(s);
    EACH_OF_TILE(i) even[i] = odd[i] = (vec){};
    for (int64_t k = 0; k < pairs; k++)
        for (int64_t tap = 0; tap < TAPS; tap++, w += WEIGHTS)
            add_tap(x + k * padded + tap, w, even, odd);
    EACH_OF_TILE(i) out[i] = (both){even[i], odd[i]};
}

/* Adds to sums[tap][output channel of the pair] what one input channel, even or odd, gives. */
static __attribute__((noinline)) void add_weight_gradient(const both *x, int odd_input, const both *g,
                                int64_t positions, vec *sums) {
    vec sum[2 * TAPS];
    _Pragma("GCC unroll 14") for (int i = 0; i < 2 * TAPS; i++) sum[i] = (vec){};
    for (int64_t p = 0; p < positions; p += TOGETHER, g += TOGETHER)
        _Pragma("GCC unroll 7") for (int tap = 0; tap < TAPS; tap++) {
            vec value = odd_input ? x[p + tap].odd : x[p + tap].even;
            sum[2 * tap] = added(sum[2 * tap], value, g->even);
            sum[2 * tap + 1] = added(sum[2 * tap + 1], value, g->odd);
        }
    _Pragma("GCC unroll 14") for (int i = 0; i < 2 * TAPS; i++) sums[i] += sum[i];
}
