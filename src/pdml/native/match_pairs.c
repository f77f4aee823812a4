/* The probabilistic contrastive loss over all pairs of pixels, with its gradients, in one call.

   Pixels are taken in groups of LANES, one per lane of a vector register, and a group's samples lie
   one after the other: row (group * samples + sample) * LANES + lane. A thread walks tiles of
   GROUPS_DOWN x GROUPS_ACROSS groups of the upper triangle. A tile of products x . y is made by a
   register-blocked kernel, turned into slopes where it lies, and multiplied into the gradients of
   its rows and of its columns before it leaves the cache.

   With d the distance and t = sign * (a d - b), a pair's loss is -log(sum of sigmoid(-t) / K^2).
   Exponents are powers of two. Where the sum underflows, every t is so large that sigmoid(-t) is
   exp(-t) to the last digit; the largest is taken out of the sum then.

   Every thread has a fixed share of the tiles and shares are added in order, so that results repeat
   to the last bit with the same number of threads. */

#include <math.h>
#include <omp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef __AVX512F__
#include <immintrin.h>
#define LANES 16
#define GRAM_ROWS 8
#define GRAM_VECTORS 3
#define SUM_ROWS 6
#define SUM_VECTORS 4
#elif defined(__AVX__)
#define LANES 8
#define GRAM_ROWS 4
#define GRAM_VECTORS 2
#define SUM_ROWS 4
#define SUM_VECTORS 2
#else
#define LANES 4
#define GRAM_ROWS 4
#define GRAM_VECTORS 2
#define SUM_ROWS 4
#define SUM_VECTORS 2
#endif
#ifndef GROUPS_DOWN
#define GROUPS_DOWN 1
#endif
#ifndef GROUPS_ACROSS
#define GROUPS_ACROSS 3
#endif
#define MOST_SAMPLES 8
#define FARTHEST 115.f  /* beyond it 2^-t is nothing against any sum that is taken */
#define FAINTEST 1e-20f /* least sum whose logarithm is taken, far above the denormal numbers */
#define LOG2_E 1.44269504f
#define LN_2 0.693147181f

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
INLINE void root(vec x, vec *d, vec *over_d) { /* d = sqrt(x) and 1 / d by a step of Newton */
    vec y = _mm512_rsqrt14_ps(x), half = 0.5f * y, near = x * y, rest = 0.5f - near * half;
    *d = near + near * rest;
    *over_d = y + y * rest;
}
INLINE int any(ivec mask) { return _mm512_movepi32_mask((__m512i)mask) != 0; }
INLINE vec inverse(vec x) {
    vec y = _mm512_rcp14_ps(x);
    return y * (2.f - x * y);
}
INLINE vec nearest_whole(vec x) { return _mm512_roundscale_ps(x, 0); }
INLINE vec scale(vec x, vec power) { return _mm512_scalef_ps(x, power); }
#else
INLINE vec at_least(float low, vec x) { return choose(x < low, all(low), x); }
INLINE vec at_most(float high, vec x) { return choose(x > high, all(high), x); }
INLINE void root(vec x, vec *d, vec *over_d) {
    for (int j = 0; j < LANES; j++) (*d)[j] = sqrtf(x[j]);
    *over_d = 1.f / *d;
}
INLINE int any(ivec mask) {
    int some = 0;
    for (int j = 0; j < LANES; j++) some |= mask[j];
    return some;
}
INLINE vec inverse(vec x) { return 1.f / x; }
INLINE vec nearest_whole(vec x) { return (x + 12582912.f) - 12582912.f; } /* 1.5 * 2^23 */
INLINE vec scale(vec x, vec power) {
    ivec bits = (ivec)(at_least(-125.f, power) + 12582912.f) << 23;
    return choose(x == x, (vec)((ivec)x + bits), x);
}
#endif

INLINE vec power_of_two(vec t) { /* for t <= 125; relative error below 1e-7 */
    vec whole = nearest_whole(t), f = t - whole;
    vec p = 1.53458095e-4f * f + 1.33999309e-3f;
    p = p * f + 9.61848907e-3f;
    p = p * f + 5.55032864e-2f;
    p = p * f + 2.40226462e-1f;
    p = p * f + 6.93147182e-1f;
    return scale(p * f + 1.f, whole);
}

INLINE vec logarithm(vec x) { /* for normal x > 0; absolute error below 1e-7 near 1 */
    ivec bits = (ivec)x, exponent = (bits - 0x3f3504f3) >> 23; /* mantissa in sqrt(1/2)..sqrt(2) */
    vec m = (vec)(bits - (exponent << 23)), t = (m - 1.f) * inverse(m + 1.f), s = t * t;
    vec series = (((s * (1.f / 9) + 1.f / 7) * s + 1.f / 5) * s + 1.f / 3) * s + 1.f;
    return __builtin_convertvector(exponent, vec) * LN_2 + 2.f * t * series;
}

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

typedef struct {
    int64_t pixels, samples, features; /* as given */
    int64_t groups, stride;            /* groups of pixels; features rounded up to whole vectors */
    const int64_t *classes;
    float same, other, a, b; /* weights of the two kinds of pairs; parameters */
    float *rows, *panels;    /* samples row by row, and by group and sample with lanes innermost */
    float *centre;           /* mean of all samples */
    float *norms;            /* squared length of each row */
    int32_t *labels;         /* class of each pixel */
    int32_t *numbers;        /* 0, 1, 2 and so on; -1 for lanes without a pixel */
} Pairs;

typedef struct { /* what a thread adds up */
    float *gradient, *slopes;
    double loss[LANES], to_a[LANES], to_b[LANES];
} Sums;

/* One pixel i against one group of pixels: slopes in place of products. */
INLINE void strip(const Pairs *pairs, Sums *sums, float *tile, int64_t across, int64_t i,
                  int64_t group, float tiny, vec *row_sums, vec *terms, const int samples) {
    const float *norm_i = pairs->norms + (i / LANES * samples) * LANES + i % LANES;
    const float *norm_j = pairs->norms + group * samples * LANES;
    ivec same = *(const ivec *)(pairs->labels + group * LANES) == pairs->labels[i];
    ivec counts = *(const ivec *)(pairs->numbers + group * LANES) > (int32_t)i;
    vec weight = (vec)((ivec)choose(same, all(pairs->same), all(pairs->other)) & counts);
    ivec turn = ~same & INT32_MIN;
    vec a = (vec)((ivec)all(pairs->a * LOG2_E) ^ turn);
    vec b = (vec)((ivec)all(pairs->b * LOG2_E) ^ turn);
    vec slope[MOST_SAMPLES * MOST_SAMPLES];
    vec sum = {0}, of_t = {0}, of_a = {0};
    for (int k = 0; k < samples; k++)
        for (int l = 0; l < samples; l++) {
            vec product = *(const vec *)(tile + k * LANES * across + l * LANES);
            vec squared = (norm_i[k * LANES] + tiny) + *(const vec *)(norm_j + l * LANES);
            vec d, over_d;
            root(at_least(tiny, squared - 2.f * product), &d, &over_d);
            vec e = power_of_two(at_most(FARTHEST, a * d - b));
            vec p = inverse(1.f + e), s = (e * p) * p; /* sigmoid(t) sigmoid(-t), no digits lost */
            sum += p;
            of_t += s;
            of_a += s * d;
            slope[k * samples + l] = s * over_d;
        }
    vec log_sum = -logarithm(sum * (1.f / (float)(samples * samples)));
    log_sum += 0.f * sum; /* what is not a number stays so */
    ivec faint = sum < FAINTEST;
    if (__builtin_expect(any(faint), 0)) {
        vec least = all(INFINITY), exact = {0}, exact_of_a = {0};
        for (int pass = 0; pass < 2; pass++)
            for (int k = 0; k < samples; k++)
                for (int l = 0; l < samples; l++) {
                    vec product = *(const vec *)(tile + k * LANES * across + l * LANES);
                    vec squared = (norm_i[k * LANES] + tiny) + *(const vec *)(norm_j + l * LANES);
                    vec d, over_d;
                    root(at_least(tiny, squared - 2.f * product), &d, &over_d);
                    vec t = a * d - b;
                    if (pass == 0) {
                        least = choose(t < least, t, least);
                        continue;
                    }
                    vec p = power_of_two(least - t);
                    exact += p;
                    exact_of_a += p * d;
                    slope[k * samples + l] = choose(faint, p * over_d, slope[k * samples + l]);
                }
        vec exact_log = LN_2 * least - logarithm(exact * (1.f / (float)(samples * samples)));
        sum = choose(faint, exact, sum);
        of_t = choose(faint, exact, of_t);
        of_a = choose(faint, exact_of_a, of_a);
        log_sum = choose(faint, exact_log, log_sum);
    }
    vec factor = (vec)((ivec)(weight * inverse(sum)) ^ turn);
    terms[0] += weight * log_sum;
    terms[1] += factor * of_a;
    terms[2] -= factor * of_t;
    float *of_columns = sums->slopes + group * samples * LANES;
    for (int l = 0; l < samples; l++) {
        vec column = *(const vec *)(of_columns + l * LANES);
        for (int k = 0; k < samples; k++) {
            vec value = factor * slope[k * samples + l];
            *(vec *)(tile + k * LANES * across + l * LANES) = value;
            column += value;
            row_sums[k] += value;
        }
        *(vec *)(of_columns + l * LANES) = column;
    }
}

INLINE void slopes_of(const Pairs *pairs, Sums *sums, float *tile, int64_t first, int64_t down,
                      int64_t second, int64_t across, float tiny, const int samples) {
    int64_t width = across * samples * LANES;
    for (int64_t i = first * LANES; i < (first + down) * LANES; i++) {
        float *row = tile + ((i / LANES - first) * samples * LANES + i % LANES) * width;
        vec row_sums[MOST_SAMPLES] = {{0}}, terms[3] = {{0}};
        for (int64_t g = 0; g < across; g++)
            strip(pairs, sums, row + g * samples * LANES, width, i, second + g, tiny, row_sums,
                  terms, samples);
        for (int k = 0; k < samples; k++)
            sums->slopes[(i / LANES * samples + k) * LANES + i % LANES] += (float)total(row_sums[k]);
        for (int lane = 0; lane < LANES; lane++) {
            sums->loss[lane] += terms[0][lane];
            sums->to_a[lane] += terms[1][lane];
            sums->to_b[lane] += terms[2][lane];
        }
    }
}

static void add_tile(const Pairs *pairs, Sums *sums, float *tile, int64_t first, int64_t down,
                     int64_t second, int64_t across, float tiny) {
    int64_t of_group = pairs->samples * LANES, stride = pairs->stride, panel = stride * LANES;
    int64_t rows = down * of_group, columns = across * of_group;
    const float *x = pairs->rows + first * of_group * stride;
    const float *y = pairs->rows + second * of_group * stride;
    gram(x, stride, pairs->panels + second * pairs->samples * panel, panel, pairs->features, tile,
         rows, across * pairs->samples);
    switch (pairs->samples) { /* loops over a known number of samples stay in registers */
        case 1: slopes_of(pairs, sums, tile, first, down, second, across, tiny, 1); break;
        case 2: slopes_of(pairs, sums, tile, first, down, second, across, tiny, 2); break;
        case 3: slopes_of(pairs, sums, tile, first, down, second, across, tiny, 3); break;
        default:
            slopes_of(pairs, sums, tile, first, down, second, across, tiny, (int)pairs->samples);
    }
    if (sums->gradient == NULL) return;
    add_sums(tile, columns, 1, y, columns, sums->gradient + first * of_group * stride, stride,
             rows);
    add_sums(tile, 1, columns, x, rows, sums->gradient + second * of_group * stride, stride,
             columns);
}

/* The mean of all samples. A common shift changes no distance, and without it products cancel less. */
static void find_centre(const Pairs *pairs, const float *samples, float *centre) {
    int64_t rows = pairs->pixels * pairs->samples, features = pairs->features;
    memset(centre, 0, (size_t)features * sizeof *centre);
    for (int64_t row = 0; row < rows; row++)
        for (int64_t f = 0; f < features; f++) centre[f] += samples[row * features + f];
    for (int64_t f = 0; f < features; f++) centre[f] /= (float)rows;
}

static void pack(const Pairs *pairs, const float *samples, int64_t group) {
    const float *centre = pairs->centre;
    int64_t n_samples = pairs->samples, features = pairs->features, stride = pairs->stride;
    for (int64_t lane = 0; lane < LANES; lane++) {
        int64_t pixel = group * LANES + lane, inside = pixel < pairs->pixels;
        pairs->labels[pixel] = inside ? (int32_t)pairs->classes[pixel] : -1;
        pairs->numbers[pixel] = inside ? (int32_t)pixel : -1;
        for (int64_t k = 0; k < n_samples; k++) {
            int64_t row = (group * n_samples + k) * LANES + lane;
            const float *from = samples + (pixel * n_samples + k) * features;
            float *to = pairs->rows + row * stride, norm = 0;
            float *panel = pairs->panels + (group * n_samples + k) * stride * LANES + lane;
            for (int64_t f = 0; f < stride; f++)
                to[f] = inside && f < features ? from[f] - centre[f] : 0;
            for (int64_t f = 0; f < stride; f++) {
                panel[f * LANES] = to[f];
                norm += to[f] * to[f];
            }
            pairs->norms[row] = norm;
        }
    }
}

static void unpack(const Pairs *pairs, const Sums *sums, int threads, float *gradient,
                   int64_t group) {
    int64_t n_samples = pairs->samples, stride = pairs->stride;
    for (int64_t k = 0; k < n_samples; k++)
        for (int64_t lane = 0; lane < LANES && group * LANES + lane < pairs->pixels; lane++) {
            int64_t row = (group * n_samples + k) * LANES + lane;
            float *to = gradient + ((group * LANES + lane) * n_samples + k) * pairs->features;
            float slope = 0;
            for (int t = 0; t < threads; t++) slope += sums[t].slopes[row];
            for (int64_t f = 0; f < pairs->features; f++) {
                float other = 0;
                for (int t = 0; t < threads; t++) other += sums[t].gradient[row * stride + f];
                to[f] = pairs->a * (slope * pairs->rows[row * stride + f] - other);
            }
        }
}

static int64_t tiles_of(int64_t groups, int64_t first) {
    return (groups - first + GROUPS_ACROSS - 1) / GROUPS_ACROSS;
}

/* The tiles of one thread: a stretch of all tiles, counted row by row. */
static void walk(const Pairs *pairs, Sums *sums, float *tile, float tiny, int thread, int threads) {
    int64_t n = 0;
    for (int64_t first = 0; first < pairs->groups; first += GROUPS_DOWN)
        n += tiles_of(pairs->groups, first);
    int64_t start = n * thread / threads, stop = n * (thread + 1) / threads, number = 0;
    for (int64_t first = 0; first < pairs->groups && number < stop; first += GROUPS_DOWN) {
        int64_t left = pairs->groups - first, down = left < GROUPS_DOWN ? left : GROUPS_DOWN;
        for (int64_t second = first; second < pairs->groups; second += GROUPS_ACROSS, number++) {
            int64_t right = pairs->groups - second;
            if (number >= start && number < stop)
                add_tile(pairs, sums, tile, first, down, second,
                         right < GROUPS_ACROSS ? right : GROUPS_ACROSS, tiny);
        }
    }
}

/* terms: the loss and its derivatives with respect to a and b. gradient: with respect to the
   samples, or NULL if nobody wants it. Returns 0, or 1 where memory is short. */
int match_pairs(const float *samples, const int64_t *classes, int64_t pixels, int64_t n_samples,
                int64_t features, float tiny, float same, float other, float a,
                float b, double *terms, float *gradient) {
    Pairs pairs = {.pixels = pixels, .samples = n_samples, .features = features,
                   .groups = (pixels + LANES - 1) / LANES,
                   .stride = (features + LANES - 1) / LANES * LANES,
                   .classes = classes, .same = same, .other = other, .a = a, .b = b};
    int threads = omp_get_max_threads();
    int64_t rows = pairs.groups * n_samples * LANES, values = rows * pairs.stride;
    int64_t of_tile = GROUPS_DOWN * GROUPS_ACROSS * n_samples * n_samples * LANES * LANES;
    int64_t of_thread = of_tile + rows + (gradient ? values : 0);
    int64_t size = 2 * values + rows + 2 * pairs.groups * LANES + pairs.stride + threads * of_thread;
    float *memory = aligned_alloc(64, (size_t)(size * 4 + 63) / 64 * 64);
    Sums *sums = calloc((size_t)threads, sizeof *sums);
    if (memory == NULL || sums == NULL) {
        free(memory);
        free(sums);
        return 1;
    }
    pairs.rows = memory;
    pairs.panels = pairs.rows + values;
    pairs.norms = pairs.panels + values;
    pairs.labels = (int32_t *)(pairs.norms + rows);
    pairs.numbers = pairs.labels + pairs.groups * LANES;
    pairs.centre = (float *)(pairs.numbers + pairs.groups * LANES);
    float *rest = pairs.centre + pairs.stride;
    find_centre(&pairs, samples, pairs.centre);
#pragma omp parallel num_threads(threads)
    {
        int me = omp_get_thread_num(), all_of_us = omp_get_num_threads();
        float *tile = rest + me * of_thread;
        Sums *mine = sums + me;
        mine->slopes = tile + of_tile;
        mine->gradient = gradient ? mine->slopes + rows : NULL;
        memset(mine->slopes, 0, (size_t)(rows + (gradient ? values : 0)) * sizeof(float));
#pragma omp for schedule(static)
        for (int64_t group = 0; group < pairs.groups; group++)
            pack(&pairs, samples, group);
        walk(&pairs, mine, tile, tiny, me, all_of_us);
#pragma omp barrier
        if (gradient)
#pragma omp for schedule(static)
            for (int64_t group = 0; group < pairs.groups; group++)
                unpack(&pairs, sums, all_of_us, gradient, group);
    }
    memset(terms, 0, 3 * sizeof *terms);
    for (int t = 0; t < threads; t++)
        for (int lane = 0; lane < LANES; lane++) {
            terms[0] += sums[t].loss[lane];
            terms[1] += sums[t].to_a[lane];
            terms[2] += sums[t].to_b[lane];
        }
    free(memory);
    free(sums);
    return 0;
}
