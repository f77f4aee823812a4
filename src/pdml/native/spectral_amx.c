/* The passes of a spectral stage with activations in bfloat16, sums and statistics in float32 or
   better: each layer reads its activations once and writes them once, and what comes between two
   convolutions happens while a few pixels are in the cache. The same functions as in
   `spectral_float32.c`, for processors with tile registers and 16, 24 or 32 channels. */

#if defined __AMX_BF16__ && defined __AVX512BF16__ && defined __AVX512BW__ && defined __AVX512VL__

#include "amx_rows.h"

#include "amx_products.h"

#include "amx_norm.h"

#define STRIDE 2 /* of the first convolution, along the bands */

typedef struct {      /* memory of one thread, small enough for its cache */
    number *activated; /* a padded pixel: inputs of a convolution */
    number *gradient;  /* a padded pixel: gradients of its outputs */
    float *out;        /* sums of a product, row by row */
    number *kernel;    /* packed weights */
    number *packed;    /* gradients of a group, packed */
    char *across;      /* activations of a group, transposed */
    number *bands;     /* a spectrum as a sum of two bfloat16: what the first leaves, the second has */
    float *of_kernel;  /* gradient of the weights, as tiles */
    vec *of_bias;      /* gradient of the bias, by lane */
} scratch;

/* Numbers of one of the two parts of a spectrum, up to whatever a tile reads beyond its end. */
INLINE int64_t bands_of(const shape *s) {
    return up_to(s->bands + (row_tiles(s) + 2) * LANES * STRIDE + TILE_DEPTH, 64);
}

/* Lays the parts out from `memory` on; returns the bytes that they take. */
static int64_t lay_out(const shape *s, char *memory, scratch *parts) {
    int64_t n = s->channels, columns = column_tiles(s), used = 0;
#define PART(NAME, COUNT)                     \
    parts->NAME = (void *)(memory + used);    \
    used += up_to((COUNT) * (int64_t)sizeof *parts->NAME, 64);
    PART(activated, padded_of(s) * n + TILE_NUMBERS)
    PART(gradient, padded_of(s) * n + TILE_NUMBERS)
    PART(out, (row_tiles(s) + 1) * LANES * up_to(n, LANES))
    PART(kernel, kernel_tiles(s) * columns * TILE_NUMBERS)
    PART(packed, columns * GROUP * span_of(s) / 2 * TILE_DEPTH)
    PART(across, columns * LANES * across_bytes(s))
    PART(bands, 2 * bands_of(s))
    PART(of_kernel, TAPS * columns * columns * LANES * LANES)
    PART(of_bias, MOST_PERIODS)
#undef PART
    return used;
}

static int64_t scratch_bytes(const shape *s) {
    scratch parts;
    return lay_out(s, 0, &parts);
}
static int64_t group_bytes(void) {
    return sizeof(moments) > sizeof(sums) ? sizeof(moments) : sizeof(sums);
}
int64_t memory_bytes(const shape *s) { /* and what aligns it */
    return 64 + s->threads * scratch_bytes(s) + groups_of(s) * group_bytes();
}
INLINE char *aligned(char *memory) { return (char *)up_to((int64_t)memory, 64); }
INLINE void *totals_of(const shape *s, char *memory) {
    return aligned(memory) + s->threads * scratch_bytes(s);
}

/* The parts of this thread, all zeros. */
static scratch my_scratch(const shape *s, char *memory) {
    scratch parts;
    int64_t size = scratch_bytes(s);
    char *mine = aligned(memory) + omp_get_thread_num() * size;
    memset(mine, 0, size);
    lay_out(s, mine, &parts);
    return parts;
}

/* The groups of pixels of this thread: the same ones in every run. */
INLINE void my_groups(const shape *s, int64_t *start, int64_t *stop) {
    int64_t n = groups_of(s), threads = omp_get_num_threads(), me = omp_get_thread_num();
    *start = n * me / threads;
    *stop = n * (me + 1) / threads;
}
#define EACH_PIXEL(S, GROUP_NUMBER) \
    for (int64_t i = 0, p = (GROUP_NUMBER)*GROUP; i < pixels_in(S, GROUP_NUMBER); i++, p++)

static void load_bands(const shape *s, const float *spectrum, number *bands) {
    for (int64_t b = 0; b < s->bands; b++) {
        bits whole = {(uint32_t)rounded(spectrum[b]) << 16};
        bands[b] = whole[0] >> 16;
        bands[bands_of(s) + b] = rounded(spectrum[b] - ((vec)whole)[0]);
    }
}

/* y = first convolution of the spectra; the moments of y if it is going to be normalised by them. */
void first_forward(const shape *s, const float *pixels, const float *weight, const float *bias,
                   number *y, float *norm_y, int with_moments, double eps, char *memory) {
    moments *totals = totals_of(s, memory);
#pragma omp parallel num_threads(s->threads)
    {
        scratch mine = my_scratch(s, memory);
        vec biases[MOST_PERIODS];
        int64_t group, stop, columns = column_tiles(s);
        spread(s, bias, biases);
        for (int64_t part = 0; part < 2; part++) /* the same weights for both parts of a spectrum */
            for (int64_t c = 0; c < s->channels; c++)
                for (int64_t tap = 0; tap < TAPS; tap++)
                    mine.kernel[packed_at(part * TILE_DEPTH + tap, c, columns)] =
                        rounded(weight[c * TAPS + tap]);
        begin_tiles();
        for (my_groups(s, &group, &stop); group < stop; group++)
            EACH_PIXEL(s, group) {
                load_bands(s, pixels + p * s->bands, mine.bands);
                product(mine.bands, STRIDE * sizeof(number), bands_of(s), mine.kernel, 2, columns,
                        row_tiles(s), mine.out, s->channels * sizeof(float));
                finish_row(s, mine.out, biases, 0, 0, y + p * stride_of(s), totals + group, i == 0);
            }
        _tile_release();
    }
    if (with_moments) finish_moments(s, totals, eps, norm_y);
}

/* y = convolution of relu(norm(x)), plus a residual or relu(norm(residual)), and its moments. */
void convolve_forward(const shape *s, const number *x, const float *norm_x, const float *weight,
                      const float *bias, const number *residual, const float *norm_residual,
                      number *y, float *norm_y, int with_moments, double eps, char *memory) {
    moments *totals = totals_of(s, memory);
    by_lane before = lanes_from(s, norm_x);
    by_lane of_residual = lanes_from(s, norm_residual ? norm_residual : norm_x);
#pragma omp parallel num_threads(s->threads)
    {
        scratch mine = my_scratch(s, memory);
        vec biases[MOST_PERIODS];
        int64_t group, stop;
        spread(s, bias, biases);
        pack_kernel(s, weight, 0, mine.kernel);
        begin_tiles();
        for (my_groups(s, &group, &stop); group < stop; group++)
            EACH_PIXEL(s, group) {
                int64_t at = p * stride_of(s);
                activate(s, x + at, before.scale, before.shift, mine.activated + HALO * s->channels);
                product(mine.activated, s->channels * sizeof(number), TILE_DEPTH, mine.kernel,
                        kernel_tiles(s), column_tiles(s), row_tiles(s), mine.out,
                        s->channels * sizeof(float));
                finish_row(s, mine.out, biases, residual ? residual + at : 0,
                           norm_residual ? &of_residual : 0, y + at, totals + group, i == 0);
            }
        _tile_release();
    }
    if (with_moments) finish_moments(s, totals, eps, norm_y);
}

/* rows = relu(norm(x)) without padding. */
void rows_forward(const shape *s, const number *x, const float *norm, number *rows, char *memory) {
    by_lane of = lanes_from(s, norm);
    (void)memory;
#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (int64_t p = 0; p < s->pixels; p++)
        activate(s, x + p * stride_of(s), of.scale, of.shift, rows + p * length_of(s));
}

/* h = gradient of rows where they were positive, and the gradient of their normalisation. */
void rows_backward(const shape *s, const number *rows, const number *x, float *norm, number *h,
                   double eps, char *memory) {
    sums *totals = totals_of(s, memory);
    by_lane of = lanes_from(s, norm);
#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (int64_t group = 0; group < groups_of(s); group++) {
        totals[group] = (sums){};
        EACH_PIXEL(s, group)
            mask_row(s, 0, rows + p * length_of(s), 0, x + p * stride_of(s), &of,
                     h + p * stride_of(s), totals + group);
    }
    finish_sums(s, totals, eps, norm);
}

/* Adds up, in their order, the gradients of weights and bias that the threads have made. Of input i
   and tap t the tiles have row `t_row * t + i` behind those of `taps` taps before it. */
static void collect(const shape *s, char *memory, int64_t inputs, float *of_weight, float *of_bias) {
    int64_t threads = omp_get_num_threads(), bytes = scratch_bytes(s), columns = column_tiles(s);
#pragma omp for schedule(static)
    for (int64_t o = 0; o < s->channels; o++) {
        of_bias[o] = 0;
        memset(of_weight + o * inputs * TAPS, 0, inputs * TAPS * sizeof(float));
        for (int64_t t = 0; t < threads; t++) {
            scratch parts;
            lay_out(s, aligned(memory) + t * bytes, &parts);
            for (int64_t lane = o; lane < lanes_of(s); lane += s->channels)
                of_bias[o] += ((float *)parts.of_bias)[lane];
            for (int64_t i = 0; i < inputs; i++)
                for (int64_t tap = 0; tap < TAPS; tap++) {
                    int64_t row = inputs == 1 ? tap : i, tile = inputs == 1 ? 0 : tap * columns;
                    const float *sum = parts.of_kernel +
                        ((tile + row / LANES) * columns + o / LANES) * LANES * LANES + o % LANES;
                    of_weight[(o * inputs + i) * TAPS + tap] += sum[row % LANES * LANES];
                    if (inputs == 1) /* what the second part of the spectra adds */
                        of_weight[o * TAPS + tap] += sum[(row + TAPS) * LANES];
                }
        }
    }
}

/* A group of less than GROUP pixels has no gradients where pixels are missing. */
INLINE void clear_missing(const shape *s, int64_t group, scratch *mine) {
    int64_t pairs = span_of(s) / 2, there = pixels_in(s, group);
    for (int64_t tile = 0; tile < column_tiles(s); tile++)
        memset(mine->packed + (tile * GROUP + there) * pairs * TILE_DEPTH, 0,
               (GROUP - there) * pairs * TILE_DEPTH * sizeof(number));
}

/* Backward through y = convolution(relu(norm(x))): weight, bias and h, the gradient of relu(norm(x))
   where that was positive. The gradient of y comes as that behind its own normalisation, `h_y`, plus
   `extra`; `skip` is what reaches relu(norm(x)) past the convolution. */
void convolve_backward(const shape *s, const number *h_y, const number *y, const float *norm_y,
                       const number *extra, number *g_y, const number *x, float *norm_x,
                       const float *weight, const number *skip, number *h, float *of_weight,
                       float *of_bias, double eps, char *memory) {
    sums *totals = totals_of(s, memory);
    by_lane behind = lanes_from(s, norm_y), before = lanes_from(s, norm_x);
#pragma omp parallel num_threads(s->threads)
    {
        scratch mine = my_scratch(s, memory);
        int64_t group, stop, row_bytes = s->channels * sizeof(number);
        pack_kernel(s, weight, 1, mine.kernel);
        begin_tiles();
        for (my_groups(s, &group, &stop); group < stop; group++) {
            totals[group] = (sums){};
            EACH_PIXEL(s, group) {
                int64_t at = p * stride_of(s);
                activate(s, x + at, before.scale, before.shift, mine.activated + HALO * s->channels);
                transpose_pixel(s, mine.activated, i, mine.across);
                through_norm(s, h_y + at, y + at, &behind, extra ? extra + at : 0, mine.gradient,
                             g_y ? g_y + at : 0, mine.of_bias);
                pack_gradient(s, mine.gradient, i, mine.packed);
                product(mine.gradient, row_bytes, TILE_DEPTH, mine.kernel, kernel_tiles(s),
                        column_tiles(s), row_tiles(s), mine.out, 2 * row_bytes);
                mask_row(s, mine.out, 0, skip ? skip + at : 0, x + at, &before, h + at,
                         totals + group);
            }
            clear_missing(s, group, &mine);
            add_products(s, mine.across, TAPS, column_tiles(s), mine.packed, mine.of_kernel);
        }
        _tile_release();
#pragma omp barrier
        collect(s, memory, s->channels, of_weight, of_bias);
    }
    finish_sums(s, totals, eps, norm_x);
}

/* Every second number from `from` on, sixteen at a time. */
INLINE void every_second(const number *from, int64_t count, number *to) {
    for (int64_t p = 0; p < count; p += LANES)
        _mm256_storeu_si256((void *)(to + p),
                            _mm512_cvtepi32_epi16(_mm512_loadu_si512(from + STRIDE * p)));
}

/* Gradient of a spectrum: each output position hands its own to the bands that it has seen. */
static void spread_over_bands(const shape *s, scratch *mine, float *spectrum) {
    product(mine->gradient + HALO * s->channels, s->channels * sizeof(number), TILE_DEPTH,
            mine->kernel, 1, 1, row_tiles(s), mine->out, LANES * sizeof(float));
    memset(spectrum, 0, s->bands * sizeof(float));
    for (int64_t p = 0; p < s->positions; p++)
        for (int64_t tap = 0; tap < TAPS; tap++)
            spectrum[STRIDE * p + tap] += mine->out[p * LANES + tap];
}

/* Backward through the first convolution: weight, bias and, if asked for, the spectra. */
void first_backward(const shape *s, const number *h_y, const number *y, const float *norm_y,
                    const float *pixels, const float *weight, float *of_weight, float *of_bias,
                    float *of_pixels, char *memory) {
    by_lane behind = lanes_from(s, norm_y);
#pragma omp parallel num_threads(s->threads)
    {
        scratch mine = my_scratch(s, memory);
        int64_t group, stop, span = span_of(s);
        for (int64_t c = 0; c < s->channels; c++)
            for (int64_t tap = 0; tap < TAPS; tap++)
                mine.kernel[packed_at(c, tap, 1)] = rounded(weight[c * TAPS + tap]);
        begin_tiles();
        for (my_groups(s, &group, &stop); group < stop; group++) {
            EACH_PIXEL(s, group) {
                int64_t at = p * stride_of(s);
                load_bands(s, pixels + p * s->bands, mine.bands);
                through_norm(s, h_y + at, y + at, &behind, 0, mine.gradient, 0, mine.of_bias);
                pack_gradient(s, mine.gradient, i, mine.packed);
                for (int64_t row = 0; row < 2 * TAPS; row++)
                    every_second(mine.bands + row / TAPS * bands_of(s) + row % TAPS, span,
                                 (number *)(mine.across + row * across_bytes(s)) + i * span);
                if (of_pixels) spread_over_bands(s, &mine, of_pixels + p * s->bands);
            }
            clear_missing(s, group, &mine);
            add_products(s, mine.across, 1, 1, mine.packed, mine.of_kernel);
        }
        _tile_release();
#pragma omp barrier
        collect(s, memory, 1, of_weight, of_bias);
    }
}

#endif
