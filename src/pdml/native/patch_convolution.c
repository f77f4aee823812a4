/* A padded 3 x 3 convolution inside small patches, and its weight gradient, in float32.

   A training batch of patches is a tiny image stack on which a library spends most of its time before
   the first multiplication. Here each patch is copied into a frame of zeros, whose pixels are then
   taken in a row, seven at a time: an output pixel's nine neighbours lie at nine fixed distances. What
   a row computes for pixels of the frame is thrown away. Lanes are output channels. */

#include <omp.h>
#include <stdint.h>
#include <string.h>

#define LANES 16
#define WIDE (2 * LANES) /* output channels at once */
#define TAPS 9
#define TILE 7
#define IN_CACHE (1 << 17) /* floats of frames that are gone through at once */
#define INLINE static inline __attribute__((always_inline))

typedef float vec __attribute__((vector_size(64), aligned(4), may_alias));

typedef struct {
    int64_t patches, rows, cols, inputs, outputs, threads;
} shape;

INLINE int64_t frame_cols(const shape *s) { return s->cols + 2; }
INLINE int64_t wide_of(int64_t channels) { return (channels + WIDE - 1) / WIDE * WIDE; }

/* Pixels in a row from the first output pixel to the last one, up to whole tiles. */
INLINE int64_t run_of(const shape *s) {
    return (s->rows * frame_cols(s) + TILE - 1) / TILE * TILE;
}
INLINE int64_t frame_of(const shape *s) { return run_of(s) + 2 * frame_cols(s) + 2; }
INLINE int64_t distance(const shape *s, int64_t tap) { return tap / 3 * frame_cols(s) + tap % 3; }

INLINE int64_t groups_of(const shape *s) { return (s->inputs + TILE - 1) / TILE; }

/* Floats of working memory: frames of inputs and of gradients, and weights or their gradients. */
int64_t scratch_floats(const shape *s) {
    return s->patches * (frame_of(s) * s->inputs + run_of(s) * wide_of(s->outputs)) +
           TAPS * TILE * groups_of(s) * wide_of(s->outputs);
}

/* Copies a patch into a frame, pixel by pixel; `skip` pixels of the frame lie before the first. */
static void put_in_frame(const shape *s, const float *patch, int64_t channels, int64_t skip,
                         int64_t pixels, int64_t stride, float *frame) {
    memset(frame, 0, pixels * stride * sizeof *frame);
    for (int64_t r = 0; r < s->rows; r++)
        for (int64_t c = 0; c < s->cols; c++)
            memcpy(frame + (skip + r * frame_cols(s) + c) * stride,
                   patch + (r * s->cols + c) * channels, channels * sizeof *frame);
}

/* Weights by tap and input, outputs side by side. A turned kernel maps gradients back: outputs of
   the layer are its inputs. */
static void arrange(const shape *s, const float *weight, int turned, float *w) {
    int64_t wide = wide_of(s->outputs);
    memset(w, 0, TAPS * s->inputs * wide * sizeof *w);
    for (int64_t i = 0; i < s->inputs; i++)
        for (int64_t o = 0; o < s->outputs; o++)
            for (int64_t tap = 0; tap < TAPS; tap++)
                w[(tap * s->inputs + i) * wide + o] =
                    turned ? weight[(i * s->outputs + o) * TAPS + TAPS - 1 - tap]
                           : weight[(o * s->inputs + i) * TAPS + tap];
}

/* Seven pixels in a row of 32 output channels. */
static void convolve_tile(const shape *s, const float *frame, const float *w, int64_t wide,
                          float out[TILE][WIDE]) {
    vec low[TILE], high[TILE];
    _Pragma("GCC unroll 7") for (int i = 0; i < TILE; i++) low[i] = high[i] = (vec){};
    for (int64_t tap = 0; tap < TAPS; tap++) {
        const float *x = frame + distance(s, tap) * s->inputs;
        for (int64_t c = 0; c < s->inputs; c++, x++, w += wide) {
            vec to_low = *(const vec *)w, to_high = *(const vec *)(w + LANES);
            _Pragma("GCC unroll 7") for (int i = 0; i < TILE; i++) {
                low[i] += x[i * s->inputs] * to_low;
                high[i] += x[i * s->inputs] * to_high;
            }
        }
    }
    _Pragma("GCC unroll 7") for (int i = 0; i < TILE; i++) {
        *(vec *)out[i] = low[i];
        *(vec *)(out[i] + LANES) = high[i];
    }
}

/* y = convolution of x, plus the bias if there is one. */
void patch_convolve(const shape *s, const float *x, const float *weight, const float *bias,
                    int turned, float *y, float *scratch) {
    int64_t wide = wide_of(s->outputs), n_pixels = s->rows * s->cols;
    float *w = scratch + s->patches * frame_of(s) * s->inputs;
    arrange(s, weight, turned, w);
#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (int64_t n = 0; n < s->patches; n++) {
        float *frame = scratch + n * frame_of(s) * s->inputs;
        put_in_frame(s, x + n * n_pixels * s->inputs, s->inputs, frame_cols(s) + 1, frame_of(s),
                     s->inputs, frame);
        for (int64_t q = 0; q < run_of(s); q += TILE)
            for (int64_t o = 0; o < s->outputs; o += WIDE) {
                float out[TILE][WIDE];
                int64_t here = s->outputs - o < WIDE ? s->outputs - o : WIDE;
                convolve_tile(s, frame + q * s->inputs, w + o, wide, out);
                for (int64_t i = q; i < q + TILE; i++) {
                    int64_t r = i / frame_cols(s), c = i % frame_cols(s);
                    if (r >= s->rows || c >= s->cols) continue;
                    float *to = y + (n * n_pixels + r * s->cols + c) * s->outputs + o;
                    for (int64_t j = 0; j < here; j++)
                        to[j] = out[i - q][j] + (bias ? bias[o + j] : 0);
                }
            }
    }
}

/* Adds up x at a tap times g over the pixels of a patch, for seven inputs and 32 outputs. */
static void add_products(const shape *s, const float *x, const float *g, int64_t wide,
                         float sums[TILE][WIDE]) {
    vec low[TILE], high[TILE];
    _Pragma("GCC unroll 7") for (int i = 0; i < TILE; i++) {
        low[i] = *(vec *)sums[i];
        high[i] = *(vec *)(sums[i] + LANES);
    }
    for (int64_t q = 0; q < s->rows * frame_cols(s); q++, x += s->inputs, g += wide) {
        vec of_low = *(const vec *)g, of_high = *(const vec *)(g + LANES);
        _Pragma("GCC unroll 7") for (int i = 0; i < TILE; i++) {
            low[i] += x[i] * of_low;
            high[i] += x[i] * of_high;
        }
    }
    _Pragma("GCC unroll 7") for (int i = 0; i < TILE; i++) {
        *(vec *)sums[i] = low[i];
        *(vec *)(sums[i] + LANES) = high[i];
    }
}

/* Products of one tap and seven inputs with all outputs, over some patches. */
static void add_patches(const shape *s, const float *frames, const float *gradients, int64_t patches,
                        int64_t job, float *sums) {
    int64_t wide = wide_of(s->outputs), at = distance(s, job % TAPS) * s->inputs + job / TAPS * TILE;
    for (int64_t o = 0; o < wide; o += WIDE)
        for (int64_t n = 0; n < patches; n++)
            add_products(s, frames + n * frame_of(s) * s->inputs + at,
                         gradients + n * run_of(s) * wide + o, wide,
                         (float(*)[WIDE])(sums + o * TILE));
}

/* Gradients of weight and bias. A thread makes whole values, so their number does not matter. */
void patch_weight_gradient(const shape *s, const float *x, const float *g, float *of_weight,
                           float *of_bias, float *scratch) {
    int64_t wide = wide_of(s->outputs), n_pixels = s->rows * s->cols, jobs = TAPS * groups_of(s);
    int64_t frame_size = frame_of(s) * s->inputs, run_size = run_of(s) * wide;
    int64_t at_once = 1 + IN_CACHE / (frame_size + run_size);
    float *gradients = scratch + s->patches * frame_size, *sums = gradients + s->patches * run_size;
    memset(sums, 0, jobs * TILE * wide * sizeof *sums);
#pragma omp parallel num_threads(s->threads)
    {
#pragma omp for schedule(static)
        for (int64_t n = 0; n < s->patches; n++) {
            put_in_frame(s, x + n * n_pixels * s->inputs, s->inputs, frame_cols(s) + 1, frame_of(s),
                         s->inputs, scratch + n * frame_size);
            put_in_frame(s, g + n * n_pixels * s->outputs, s->outputs, 0, run_of(s), wide,
                         gradients + n * run_size);
        }
        for (int64_t n = 0; n < s->patches; n += at_once) {
            int64_t patches = s->patches - n < at_once ? s->patches - n : at_once;
#pragma omp for schedule(static) nowait
            for (int64_t job = 0; job < jobs; job++)
                add_patches(s, scratch + n * frame_size, gradients + n * run_size, patches, job,
                            sums + job * TILE * wide);
        }
#pragma omp barrier
#pragma omp for schedule(static)
        for (int64_t o = 0; o < s->outputs; o++) {
            const float *mine = sums + o / WIDE * WIDE * TILE + o % WIDE;
            float bias = 0;
            for (int64_t i = 0; i < s->inputs; i++)
                for (int64_t tap = 0; tap < TAPS; tap++)
                    of_weight[(o * s->inputs + i) * TAPS + tap] =
                        mine[(i / TILE * TAPS + tap) * TILE * wide + i % TILE * WIDE];
            for (int64_t i = 0; i < s->patches * n_pixels; i++) bias += g[i * s->outputs + o];
            of_bias[o] = bias;
        }
    }
}
