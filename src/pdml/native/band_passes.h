/* The passes of a spectral stage over its activations: each layer reads them once and writes them
   once. What comes between two convolutions (normalisation, ReLU, residual, statistics, gradients of
   all of these) happens while sixteen pixels are in the cache. Cells are of the number format that
   was included before; sums and statistics are float32 or better in each. */

#include "band_convolution.h"
#include "band_norm.h"
#include "band_rows.h"
#include "band_scratch.h"

#define STRIDE 2 /* of the first convolution, along the bands */

int64_t scratch_bytes(const shape *s) { /* of one thread */
    scratch parts;
    return lay_out(s, 0, &parts);
}

INLINE int64_t block_cells(const shape *s) { return pairs_of(s) * s->positions; }

/* Numbers that every block writes for itself: two for each channel, behind the threads' scratch. */
INLINE double *totals_of(const shape *s, char *memory) {
    return (double *)(memory + s->threads * scratch_bytes(s));
}

int64_t memory_bytes(const shape *s) {
    int64_t totals = blocks_of(s) * pairs_of(s) * 4 * (int64_t)sizeof(double);
    return s->threads * scratch_bytes(s) + totals;
}

INLINE double *block_totals(const shape *s, char *memory, int64_t block) {
    return totals_of(s, memory) + block * pairs_of(s) * 4;
}

/* Fetches a tile's worth of the next block into the cache while this one is computed. */
INLINE void fetch_tile(const shape *s, const cell *x, int64_t first, int64_t k) {
    const char *next = (const char *)(x + block_cells(s) + first * pairs_of(s) + k * TILE);
    for (int64_t byte = 0; byte < TILE * (int64_t)sizeof(cell); byte += 64)
        __builtin_prefetch(next + byte, 0, 2);
}

static void activate(const shape *s, const cell *x, const float *norm, cell *activated) {
    const float *scale = vector_of(s, norm, SCALE), *shift = vector_of(s, norm, SHIFT);
    for (int64_t k = 0; k < pairs_of(s); k++, x += s->positions, activated += padded_of(s))
        for (int64_t p = 0; p < s->positions; p++)
            activated[HALO + p] =
                closed(relu_both(affine(opened(x[p]), scale + 2 * k, shift + 2 * k)));
}

static void load_spectra(const shape *s, const float *pixels, int64_t block, vec *bands) {
    for (int64_t band = 0; band < s->bands; band++) bands[band] = (vec){};
    for (int64_t lane = 0; lane < lanes_in(s, block); lane++)
        for (int64_t band = 0; band < s->bands; band++)
            ((float *)(bands + band))[lane] = pixels[(block * LANES + lane) * s->bands + band];
}

/* y = first convolution of the spectra; the moments of y if it is going to be normalised by them. */
void first_forward(const shape *s, const float *pixels, const float *weight, const float *bias,
                   cell *y, float *norm_y, int with_moments, double eps, char *memory) {
#pragma omp parallel num_threads(s->threads)
    {
        scratch mine = my_scratch(s, memory);
        int64_t block, stop;
        for (my_blocks(s, &block, &stop); block < stop; block++) {
            cell *out = y + block * block_cells(s);
            load_spectra(s, pixels, block, mine.bands);
            for (int64_t k = 0; k < pairs_of(s); k++) {
                int64_t c = 2 * k, other = c + 1 < s->channels;
                moments of = {};
                for (int64_t p = 0; p < s->positions; p++) {
                    both sum = {splat(bias[c]), splat(other ? bias[c + 1] : 0)};
                    for (int64_t tap = 0; tap < TAPS; tap++) {
                        vec band = mine.bands[STRIDE * p + tap];
                        sum.even += band * weight[c * TAPS + tap];
                        sum.odd += band * (other ? weight[(c + 1) * TAPS + tap] : 0);
                    }
                    out[k * s->positions + p] = closed(sum);
                    add_moments(sum, p == 0, &of);
                }
                mine.moments[k] = of;
            }
            finish_block(s, mine.moments, lanes_in(s, block), block_totals(s, memory, block));
        }
    }
    if (with_moments) finish_moments(s, totals_of(s, memory), eps, norm_y);
}

/* y = convolution of relu(norm(x)), plus a residual or relu(norm(residual)), and its moments. */
void convolve_forward(const shape *s, const cell *x, const float *norm_x, const float *weight,
                      const float *bias, const cell *residual, const float *norm_residual, cell *y,
                      float *norm_y, int with_moments, double eps, char *memory) {
#pragma omp parallel num_threads(s->threads)
    {
        scratch mine = my_scratch(s, memory);
        int64_t block, stop, pairs = pairs_of(s), n = s->positions;
        pack_weights(s, weight, 0, mine.weights);
        for (my_blocks(s, &block, &stop); block < stop; block++) {
            int64_t at = block * block_cells(s);
            activate(s, x + at, norm_x, mine.activated);
            for (int64_t first = 0; first < n; first += TILE)
                for (int64_t k = 0; k < pairs; k++) {
                    both out[TILE];
                    fetch_tile(s, x + at, first, k);
                    if (residual) fetch_tile(s, residual + at, first, k);
                    vec even = splat(bias[2 * k]);
                    vec odd = splat(2 * k + 1 < s->channels ? bias[2 * k + 1] : 0);
                    convolve_tile(s, mine.activated + first,
                                  mine.weights + k * pairs * TAPS * WEIGHTS, out);
                    moments of = mine.moments[k];
                    for (int64_t i = 0; i < TILE && first + i < n; i++) {
                        int64_t here = at + k * n + first + i;
                        both sum = plus(out[i], (both){even, odd});
                        if (residual) {
                            both r = opened(residual[here]);
                            if (norm_residual)
                                r = relu_both(affine(r, vector_of(s, norm_residual, SCALE) + 2 * k,
                                                     vector_of(s, norm_residual, SHIFT) + 2 * k));
                            sum = plus(sum, r);
                        }
                        y[here] = closed(sum);
                        add_moments(sum, first + i == 0, &of);
                    }
                    mine.moments[k] = of;
                }
            finish_block(s, mine.moments, lanes_in(s, block), block_totals(s, memory, block));
        }
    }
    if (with_moments) finish_moments(s, totals_of(s, memory), eps, norm_y);
}

/* rows = relu(norm(x)) as a (pixel, position, channel) matrix. */
void rows_forward(const shape *s, const cell *x, const float *norm, number *rows, char *memory) {
    int64_t row_length = s->positions * s->channels;
#pragma omp parallel num_threads(s->threads)
    {
        scratch mine = my_scratch(s, memory);
        int64_t block, stop;
        for (my_blocks(s, &block, &stop); block < stop; block++) {
            number *row = rows + block * LANES * row_length;
            activate(s, x + block * block_cells(s), norm, mine.activated);
            for (int64_t p = 0; p < s->positions; p++, row += s->channels)
                write_rows(s, mine.activated + HALO + p, lanes_in(s, block), row, row_length);
        }
    }
}

static void keep_sums(const shape *s, const sums *of, double *totals) {
    for (int64_t k = 0; k < pairs_of(s); k++, of++, totals += 4) {
        totals[0] = lane_sum(of->plain.even), totals[1] = lane_sum(of->centred.even);
        totals[2] = lane_sum(of->plain.odd), totals[3] = lane_sum(of->centred.odd);
    }
}

/* h = gradient of rows where they were positive, and the gradient of their normalisation. */
void rows_backward(const shape *s, const number *rows, const cell *x, float *norm, cell *h,
                   double eps, char *memory) {
    int64_t row_length = s->positions * s->channels, n = s->positions;
#pragma omp parallel num_threads(s->threads)
    {
        scratch mine = my_scratch(s, memory);
        int64_t block, stop;
        for (my_blocks(s, &block, &stop); block < stop; block++) {
            int64_t here = block * block_cells(s);
            const number *row = rows + block * LANES * row_length;
            for (int64_t p = 0; p < n; p++, row += s->channels)
                read_rows(s, mine.gradient + HALO + p, lanes_in(s, block), row, row_length);
            for (int64_t k = 0; k < pairs_of(s); k++) {
                sums of = {};
                for (int64_t p = 0; p < n; p++, here++) {
                    both g = opened(mine.gradient[k * padded_of(s) + HALO + p]);
                    both v = opened(x[here]);
                    h[here] = closed(masked_gradient(s, g, v, norm, k, &of));
                }
                mine.sums[k] = of;
            }
            keep_sums(s, mine.sums, block_totals(s, memory, block));
        }
    }
    finish_sums(s, totals_of(s, memory), eps, norm);
}

/* Gradient of y in a padded row per pair: through its normalisation, plus what came past it. */
static void gradient_of_output(const shape *s, int64_t block, const cell *h, const cell *y,
                               const float *norm, const cell *extra, scratch *mine) {
    int64_t n = s->positions;
    bits inside;
    for (int64_t lane = 0; lane < LANES; lane++) inside[lane] = lane < lanes_in(s, block) ? ~0u : 0;
    for (int64_t k = 0; k < pairs_of(s); k++) {
        both bias = mine->bias[k];
        for (int64_t p = 0; p < n; p++) {
            int64_t here = block * block_cells(s) + k * n + p;
            both g = through_norm(s, opened(h[here]), opened(y[here]), norm, k);
            if (extra) g = plus(g, opened(extra[here]));
            g = (both){(vec)((bits)g.even & inside), (vec)((bits)g.odd & inside)};
            bias = plus(bias, g);
            mine->gradient[k * padded_of(s) + HALO + p] = closed(g);
        }
        mine->bias[k] = bias;
    }
}

static void add_kernel_gradient(const shape *s, scratch *mine) {
    int64_t pairs = pairs_of(s), padded = padded_of(s), n = s->positions;
    const both *inputs = by_channel(mine->activated, pairs * padded, 1, mine->inputs);
    const both *outputs =
        by_channel(mine->gradient + HALO, pairs * padded - HALO, TOGETHER, mine->outputs);
    for (int64_t i = 0; i < pairs; i++)
        for (int64_t o = 0; o < pairs; o++) {
            vec *sums = mine->kernel + (o * pairs + i) * 4 * TAPS;
            add_weight_gradient(inputs + i * padded, 0, outputs + o * padded, n, sums);
            add_weight_gradient(inputs + i * padded, 1, outputs + o * padded, n, sums + 2 * TAPS);
        }
}

/* The sum over all lanes of a part of the first thread's scratch and of the same part of others. */
INLINE float sum_of_threads(const vec *part, int64_t threads, int64_t bytes) {
    vec sum = {};
    for (int64_t t = 0; t < threads; t++) sum += *(const vec *)((const char *)part + t * bytes);
    return lane_sum(sum);
}

/* Adds up the gradients of weights and bias that the threads have made, in their order. */
static void collect(const shape *s, char *memory, int64_t inputs, float *of_weight, float *of_bias) {
    int64_t threads = omp_get_num_threads(), bytes = scratch_bytes(s);
    int64_t rows = inputs == 1 ? 1 : 2 * pairs_of(s);
    scratch parts;
    lay_out(s, memory, &parts);
#pragma omp for schedule(static)
    for (int64_t o = 0; o < s->channels; o++) {
        const both *bias = parts.bias + o / 2;
        of_bias[o] = sum_of_threads(o % 2 ? &bias->odd : &bias->even, threads, bytes);
        for (int64_t i = 0; i < inputs; i++) {
            const vec *kernel = parts.kernel + (o / 2 * rows + i) * TAPS * 2 + o % 2;
            for (int64_t tap = 0; tap < TAPS; tap++)
                of_weight[(o * inputs + i) * TAPS + tap] =
                    sum_of_threads(kernel + 2 * tap, threads, bytes);
        }
    }
}

/* Backward through y = convolution(relu(norm(x))): weight, bias and h, the gradient of relu(norm(x))
   where that was positive. The gradient of y comes as that behind its own normalisation, `h_y`, plus
   `extra`; `skip` is what reaches relu(norm(x)) past the convolution. */
void convolve_backward(const shape *s, const cell *h_y, const cell *y, const float *norm_y,
                       const cell *extra, cell *g_y, const cell *x, float *norm_x,
                       const float *weight, const cell *skip, cell *h, float *of_weight,
                       float *of_bias, double eps, char *memory) {
#pragma omp parallel num_threads(s->threads)
    {
        scratch mine = my_scratch(s, memory);
        int64_t block, stop, pairs = pairs_of(s), n = s->positions;
        memset(mine.bias, 0, pairs * sizeof *mine.bias);
        memset(mine.kernel, 0, pairs * pairs * 4 * TAPS * sizeof *mine.kernel);
        pack_weights(s, weight, 1, mine.weights);
        for (my_blocks(s, &block, &stop); block < stop; block++) {
            int64_t at = block * block_cells(s);
            activate(s, x + at, norm_x, mine.activated);
            gradient_of_output(s, block, h_y, y, norm_y, extra, &mine);
            if (g_y)
                for (int64_t k = 0; k < pairs; k++)
                    memcpy(g_y + at + k * n, mine.gradient + k * padded_of(s) + HALO,
                           n * sizeof(cell));
            add_kernel_gradient(s, &mine);
            memset(mine.sums, 0, pairs * sizeof *mine.sums);
            for (int64_t first = 0; first < n; first += TILE)
                for (int64_t k = 0; k < pairs; k++) {
                    both out[TILE];
                    fetch_tile(s, x + at, first, k);
                    fetch_tile(s, h_y + at, first, k);
                    fetch_tile(s, y + at, first, k);
                    if (extra) fetch_tile(s, extra + at, first, k);
                    convolve_tile(s, mine.gradient + first,
                                  mine.weights + k * pairs * TAPS * WEIGHTS, out);
                    sums of = mine.sums[k];
                    for (int64_t i = 0; i < TILE && first + i < n; i++) {
                        int64_t here = at + k * n + first + i;
                        if (skip) out[i] = plus(out[i], opened(skip[here]));
                        h[here] = closed(masked_gradient(s, out[i], opened(x[here]), norm_x, k, &of));
                    }
                    mine.sums[k] = of;
                }
            keep_sums(s, mine.sums, block_totals(s, memory, block));
        }
#pragma omp barrier
        collect(s, memory, s->channels, of_weight, of_bias);
    }
    finish_sums(s, totals_of(s, memory), eps, norm_x);
}

/* Backward through the first convolution: weight, bias and, if asked for, the spectra. */
void first_backward(const shape *s, const cell *h_y, const cell *y, const float *norm_y,
                    const float *pixels, const float *weight, float *of_weight, float *of_bias,
                    float *of_pixels, char *memory) {
#pragma omp parallel num_threads(s->threads)
    {
        scratch mine = my_scratch(s, memory);
        int64_t block, stop, pairs = pairs_of(s), n = s->positions;
        memset(mine.bias, 0, pairs * sizeof *mine.bias);
        memset(mine.kernel, 0, pairs * 2 * TAPS * sizeof *mine.kernel);
        for (my_blocks(s, &block, &stop); block < stop; block++) {
            gradient_of_output(s, block, h_y, y, norm_y, 0, &mine);
            load_spectra(s, pixels, block, mine.bands);
            for (int64_t k = 0; k < pairs; k++)
                for (int64_t tap = 0; tap < TAPS; tap++) {
                    both sum = {};
                    for (int64_t p = 0; p < n; p++) {
                        both g = opened(mine.gradient[k * padded_of(s) + HALO + p]);
                        sum.even += g.even * mine.bands[STRIDE * p + tap];
                        sum.odd += g.odd * mine.bands[STRIDE * p + tap];
                    }
                    mine.kernel[(k * TAPS + tap) * 2] += sum.even;
                    mine.kernel[(k * TAPS + tap) * 2 + 1] += sum.odd;
                }
            if (!of_pixels) continue;
            for (int64_t band = 0; band < s->bands; band++) mine.bands[band] = (vec){};
            for (int64_t c = 0; c < s->channels; c++)
                for (int64_t p = 0; p < n; p++) {
                    both g = opened(mine.gradient[c / 2 * padded_of(s) + HALO + p]);
                    for (int64_t tap = 0; tap < TAPS; tap++)
                        mine.bands[STRIDE * p + tap] +=
                            (c % 2 ? g.odd : g.even) * weight[c * TAPS + tap];
                }
            for (int64_t lane = 0; lane < lanes_in(s, block); lane++)
                for (int64_t band = 0; band < s->bands; band++)
                    of_pixels[(block * LANES + lane) * s->bands + band] = mine.bands[band][lane];
        }
#pragma omp barrier
        collect(s, memory, 1, of_weight, of_bias);
    }
}
