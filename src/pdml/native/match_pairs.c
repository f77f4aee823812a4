/* The probabilistic contrastive loss over all pairs of pixels, with its gradients, in one call.

   Pixels are taken in groups of LANES, one per lane of a vector register, and a group's samples lie
   one after the other: row (group * samples + sample) * LANES + lane. A thread walks tiles of
   1 x GROUPS_ACROSS groups of the upper triangle. A tile of products x . y is made by a
   register-blocked kernel, turned into slopes where it lies, and multiplied into the gradients of
   its rows and of its columns before it leaves the cache.

   With d the distance and t = sign * (a d - b), a pair's loss is -log(sum of sigmoid(-t) / K^2).
   Exponents are powers of two. Where the sum underflows, every t is so large that sigmoid(-t) is
   exp(-t) to the last digit; the largest is taken out of the sum then.

   Every thread has a fixed share of the tiles and shares are added in order, so that results repeat
   to the last bit with the same number of threads. */

#include <omp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lanes.h"
#include "small_products.h"

#define GROUPS_ACROSS 3
#define MOST_SAMPLES MOST_AT_ONCE
#define FARTHEST 115.f  /* beyond it 2^-t is nothing against any sum that is taken */
#define FAINTEST 1e-20f /* least sum whose logarithm is taken, far above the denormal numbers */
#define LOG2_E 1.44269504f
#define LN_2 0.693147181f

typedef struct {
    int64_t pixels, samples, features; /* as given */
    int64_t groups, stride;            /* groups of pixels; features rounded up to whole vectors */
    const int64_t *classes;
    float tiny, same, other, a, b; /* weights of the two kinds of pairs; parameters */
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

/* Distances of one sample of pixel i to all samples of a group. */
INLINE void distances(const float *products, float norm_i, const float *norms, float tiny, vec *d,
                      vec *over_d, const int n) {
    vec squared[MOST_SAMPLES];
    EACH squared[l] = (norm_i + tiny) + *(const vec *)(norms + l * LANES);
    EACH squared[l] -= 2.f * *(const vec *)(products + l * LANES);
    EACH squared[l] = at_least(tiny, squared[l]);
    roots(squared, d, over_d, n);
}

typedef struct { /* of one pixel and each pixel of a group, over their pairs of samples */
    vec sum, of_t, of_a, log_sum;
    vec slope[MOST_SAMPLES * MOST_SAMPLES]; /* divided by the distance; the sum is not in it */
} Strip;

INLINE void take(Strip *s, const float *tile, int64_t across, const float *norm_i,
                 const float *norm_j, float tiny, vec a, vec b, const int n) {
    s->sum = s->of_t = s->of_a = (vec){0};
    for (int k = 0; k < n; k++) {
        vec d[MOST_SAMPLES], over_d[MOST_SAMPLES], e[MOST_SAMPLES], p[MOST_SAMPLES];
        distances(tile + k * LANES * across, norm_i[k * LANES], norm_j, tiny, d, over_d, n);
        EACH e[l] = at_most(FARTHEST, a * d[l] - b);
        powers_of_two(e, n);
        vec of_one[MOST_SAMPLES];
        EACH of_one[l] = 1.f + e[l];
        inverses(of_one, p, n);
        EACH e[l] *= p[l];
        EACH e[l] *= p[l]; /* sigmoid(t) sigmoid(-t), no digits lost */
        EACH s->slope[k * n + l] = e[l] * over_d[l];
        EACH s->sum += p[l];
        EACH s->of_t += e[l];
        EACH s->of_a += e[l] * d[l];
    }
    s->log_sum = -logarithm(s->sum * (1.f / (float)(n * n)));
    s->log_sum += 0.f * s->sum; /* what is not a number stays so */
}

/* Anew, in log space, where the sum is faint. */
static void take_faint(Strip *s, const float *tile, int64_t across, const float *norm_i,
                       const float *norm_j, float tiny, vec a, vec b, int n) {
    vec least = all(INFINITY), sum = {0}, of_a = {0}, d, over_d, t;
    ivec faint = s->sum < FAINTEST;
    for (int pass = 0; pass < 2; pass++)
        for (int pair = 0; pair < n * n; pair++) {
            int k = pair / n, l = pair % n;
            distances(tile + k * LANES * across + l * LANES, norm_i[k * LANES], norm_j + l * LANES,
                      tiny, &d, &over_d, 1);
            t = a * d - b;
            if (pass == 0) {
                least = choose(t < least, t, least);
                continue;
            }
            t = least - t;
            powers_of_two(&t, 1);
            sum += t;
            of_a += t * d;
            s->slope[pair] = choose(faint, t * over_d, s->slope[pair]);
        }
    vec log_sum = LN_2 * least - logarithm(sum * (1.f / (float)(n * n)));
    s->sum = choose(faint, sum, s->sum);
    s->of_t = choose(faint, sum, s->of_t);
    s->of_a = choose(faint, of_a, s->of_a);
    s->log_sum = choose(faint, log_sum, s->log_sum);
}

/* One pixel i against one group of pixels: slopes in place of products. */
INLINE void strip(const Pairs *pairs, Sums *sums, float *tile, int64_t across, int64_t i,
                  int64_t group, vec *row_sums, vec *terms, const int n) {
    const float *norm_i = pairs->norms + (i / LANES * n) * LANES + i % LANES;
    const float *norm_j = pairs->norms + group * n * LANES;
    ivec same = *(const ivec *)(pairs->labels + group * LANES) == pairs->labels[i];
    ivec counts = *(const ivec *)(pairs->numbers + group * LANES) > (int32_t)i;
    vec weight = (vec)((ivec)choose(same, all(pairs->same), all(pairs->other)) & counts);
    ivec turn = ~same & INT32_MIN;
    vec a = (vec)((ivec)all(pairs->a * LOG2_E) ^ turn);
    vec b = (vec)((ivec)all(pairs->b * LOG2_E) ^ turn);
    float tiny = pairs->tiny;
    Strip s;
    take(&s, tile, across, norm_i, norm_j, tiny, a, b, n);
    if (__builtin_expect(any(s.sum < FAINTEST), 0))
        take_faint(&s, tile, across, norm_i, norm_j, tiny, a, b, n);
    vec factor = (vec)((ivec)(weight * inverse(s.sum)) ^ turn);
    terms[0] += weight * s.log_sum;
    terms[1] += factor * s.of_a;
    terms[2] -= factor * s.of_t;
    float *of_columns = sums->slopes + group * n * LANES;
    for (int k = 0; k < n; k++)
        EACH {
            vec value = factor * s.slope[k * n + l];
            *(vec *)(tile + k * LANES * across + l * LANES) = value;
            *(vec *)(of_columns + l * LANES) += value;
            row_sums[k] += value;
        }
}

INLINE void slopes_of(const Pairs *pairs, Sums *sums, float *tile, int64_t first, int64_t second,
                      int64_t across, const int samples) {
    int64_t width = across * samples * LANES;
    for (int64_t lane = 0; lane < LANES; lane++) {
        float *row = tile + lane * width;
        vec row_sums[MOST_SAMPLES] = {{0}}, terms[3] = {{0}};
        for (int64_t g = 0; g < across; g++)
            strip(pairs, sums, row + g * samples * LANES, width, first * LANES + lane, second + g,
                  row_sums, terms, samples);
        for (int k = 0; k < samples; k++)
            sums->slopes[(first * samples + k) * LANES + lane] += (float)total(row_sums[k]);
        for (int j = 0; j < LANES; j++) {
            sums->loss[j] += terms[0][j];
            sums->to_a[j] += terms[1][j];
            sums->to_b[j] += terms[2][j];
        }
    }
}

static void add_tile(const Pairs *pairs, Sums *sums, float *tile, int64_t first, int64_t second,
                     int64_t across) {
    int64_t rows = pairs->samples * LANES, columns = across * rows, stride = pairs->stride;
    const float *x = pairs->rows + first * rows * stride, *y = pairs->rows + second * rows * stride;
    gram(x, stride, pairs->panels + second * rows * stride, stride * LANES, pairs->features, tile,
         rows, across * pairs->samples);
    switch (pairs->samples) { /* loops over a known number of samples stay in registers */
#define SLOPES(N) slopes_of(pairs, sums, tile, first, second, across, N)
        case 1: SLOPES(1); break;
        case 2: SLOPES(2); break;
        case 3: SLOPES(3); break;
        case 4: SLOPES(4); break;
        default: SLOPES((int)pairs->samples);
    }
    if (sums->gradient == NULL) return;
    float *of_rows = sums->gradient + first * rows * stride;
    float *of_columns = sums->gradient + second * rows * stride;
    add_sums(tile, columns, 1, y, columns, of_rows, stride, rows);
    add_sums(tile, 1, columns, x, rows, of_columns, stride, columns);
}

/* The mean of all samples. Without a common shift products cancel less; no distance changes. */
static void find_centre(const Pairs *pairs, const float *samples, float *centre) {
    int64_t rows = pairs->pixels * pairs->samples, features = pairs->features;
    memset(centre, 0, (size_t)features * sizeof *centre);
    for (int64_t row = 0; row < rows; row++)
        for (int64_t f = 0; f < features; f++) centre[f] += samples[row * features + f];
    for (int64_t f = 0; f < features; f++) centre[f] /= (float)rows;
}

static void pack(const Pairs *pairs, const float *samples, int64_t group) {
    int64_t n_samples = pairs->samples, features = pairs->features, stride = pairs->stride;
    for (int64_t lane = 0; lane < LANES; lane++) {
        int64_t pixel = group * LANES + lane, inside = pixel < pairs->pixels;
        pairs->labels[pixel] = inside ? (int32_t)pairs->classes[pixel] : -1;
        pairs->numbers[pixel] = inside ? (int32_t)pixel : -1;
        for (int64_t k = 0; k < n_samples; k++) {
            const float *from = samples + (pixel * n_samples + k) * features;
            float *to = pairs->rows + ((group * n_samples + k) * LANES + lane) * stride;
            memset(to, 0, (size_t)stride * sizeof *to);
            if (inside)
                for (int64_t f = 0; f < features; f++) to[f] = from[f] - pairs->centre[f];
        }
    }
    for (int64_t k = group * n_samples; k < (group + 1) * n_samples; k++) {
        const float *from = pairs->rows + k * LANES * stride;
        float *panel = pairs->panels + k * LANES * stride;
        vec norm = {0};
        for (int64_t f = 0; f < features; f++) {
            for (int lane = 0; lane < LANES; lane++)
                panel[f * LANES + lane] = from[lane * stride + f];
            vec column = *(const vec *)(panel + f * LANES);
            norm += column * column;
        }
        *(vec *)(pairs->norms + k * LANES) = norm;
    }
}

/* The threads' sums become the gradient: of each |x - y|^2 it is the slope times 2 (x - y). */
static void unpack(const Pairs *pairs, const Sums *sums, int threads, float *gradient,
                   int64_t group) {
    int64_t of_group = pairs->samples * LANES, stride = pairs->stride, features = pairs->features;
    for (int64_t row = group * of_group; row < (group + 1) * of_group; row++) {
        int64_t pixel = group * LANES + row % LANES, k = row / LANES % pairs->samples;
        if (pixel >= pairs->pixels) continue;
        float *to = gradient + (pixel * pairs->samples + k) * features, slope = 0;
        for (int t = 0; t < threads; t++) slope += sums[t].slopes[row];
        for (int64_t f = 0; f < features; f += LANES) {
            vec value = slope * *(const vec *)(pairs->rows + row * stride + f);
            for (int t = 0; t < threads; t++)
                value -= *(const vec *)(sums[t].gradient + row * stride + f);
            value *= pairs->a;
            int64_t left = features - f;
            memcpy(to + f, &value, (size_t)(left < LANES ? left : LANES) * sizeof(float));
        }
    }
}

/* The tiles of one thread: a stretch of all tiles, counted row by row. */
static void walk(const Pairs *pairs, Sums *sums, float *tile, int thread, int threads) {
    int64_t n = 0, number = 0;
    for (int64_t left = pairs->groups; left > 0; left--)
        n += (left + GROUPS_ACROSS - 1) / GROUPS_ACROSS;
    int64_t start = n * thread / threads, stop = n * (thread + 1) / threads;
    for (int64_t first = 0; first < pairs->groups; first++)
        for (int64_t second = first; second < pairs->groups; second += GROUPS_ACROSS, number++) {
            int64_t left = pairs->groups - second;
            if (number >= start && number < stop)
                add_tile(pairs, sums, tile, first, second,
                         left < GROUPS_ACROSS ? left : GROUPS_ACROSS);
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
                   .classes = classes, .tiny = tiny, .same = same, .other = other, .a = a, .b = b};
    int threads = omp_get_max_threads();
    int64_t rows = pairs.groups * n_samples * LANES, values = rows * pairs.stride;
    int64_t of_tile = GROUPS_ACROSS * n_samples * n_samples * LANES * LANES;
    int64_t of_thread = of_tile + rows + (gradient ? values : 0);
    int64_t size =
        2 * values + rows + 2 * pairs.groups * LANES + pairs.stride + threads * of_thread;
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
        walk(&pairs, mine, tile, me, all_of_us);
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
