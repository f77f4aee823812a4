/* The probabilistic contrastive loss of one tile of pixel pairs with its derivatives, in one pass.

   squared[k][i][l][j] is the squared distance between sample k of pixel i and sample l of pixel j.
   With d its root and u = b - a d, turned in sign for pixels of different classes, a pair's loss is
   -log(sum of sigmoid(u) / K^2). Each distance is read once, and the slope of the loss, divided by
   d, is written once; the caller turns it into gradients of the samples.

   Exact where no sum of probabilities underflows. The smallest sum is handed back, so that the
   caller can compute such a tile anew in log space. */

#include <math.h>
#include <stdint.h>
#include <string.h>

#define LANES 32      /* pixel pairs at a time */
#define MOST_PAIRS 64 /* sample pairs of a pixel pair */
#define FARTHEST 80.f /* beyond it sigmoid(u) is nothing against any sum that is taken */

static inline float exponential(float x) { /* for |x| <= 87; relative error below 2e-7 */
    float n = rintf(x * 1.44269504f);
    float r = fmaf(n, -0.693359375f, x);
    r = fmaf(n, 2.12194440e-4f, r);
    float p = 1.f / 5040;
    p = fmaf(p, r, 1.f / 720);
    p = fmaf(p, r, 1.f / 120);
    p = fmaf(p, r, 1.f / 24);
    p = fmaf(p, r, 1.f / 6);
    p = fmaf(p, r, 0.5f);
    p = fmaf(p, r, 1.f);
    p = fmaf(p, r, 1.f);
    int32_t bits = ((int32_t)n + 127) << 23;
    float power;
    memcpy(&power, &bits, sizeof power);
    return p * power;
}

static inline float logarithm(float x) { /* for normal x > 0; absolute error below 1e-7 near 1 */
    int32_t bits;
    memcpy(&bits, &x, sizeof bits);
    int32_t exponent = (bits - 0x3f3504f3) >> 23; /* mantissa from sqrt(1/2) to sqrt(2) */
    bits -= exponent << 23;
    float m;
    memcpy(&m, &bits, sizeof m);
    float t = (m - 1) / (m + 1), s = t * t;
    float series = fmaf(s, fmaf(s, fmaf(s, fmaf(s, 1.f / 9, 1.f / 7), 1.f / 5), 1.f / 3), 1.f);
    return fmaf((float)exponent, 0.693147181f, 2 * t * series);
}

/* One strip of at most LANES pixel pairs (i, j .. j + n). Returns the smallest sum. */
static float strip(const float *squared, float *out, int64_t stride_k, int64_t stride_l, int samples,
                   int n, const float *sign, const float *weight, float a, float b,
                   double *totals) {
    float slope[MOST_PAIRS][LANES], distance[MOST_PAIRS][LANES], sum[LANES] = {0};
    for (int k = 0, pair = 0; k < samples; k++)
        for (int l = 0; l < samples; l++, pair++) {
            const float *row = squared + k * stride_k + l * stride_l;
            for (int j = 0; j < n; j++) {
                float d = sqrtf(row[j]);
                float logit = sign[j] * fmaf(-a, d, b);
                float u = logit > FARTHEST ? FARTHEST : logit >= -FARTHEST ? logit : -FARTHEST;
                float e = exponential(-u), p = 1 / (1 + e);
                sum[j] += p + 0 * logit; /* what is not a number stays so */
                distance[pair][j] = d;
                slope[pair][j] = e * p * p; /* sigmoid(u) sigmoid(-u), no digits lost */
            }
        }
    /* Sums by lane: a sum over lanes would have to be made one number after the other. */
    float faintest = INFINITY, loss[LANES] = {0}, to_a[LANES] = {0}, to_b[LANES] = {0};
    float factor[LANES];
    float all = (float)(samples * samples);
    for (int j = 0; j < n; j++) {
        faintest = sum[j] < faintest ? sum[j] : faintest;
        factor[j] = weight[j] * sign[j] / sum[j];
        loss[j] = weight[j] * logarithm(all / sum[j]) + 0 * sum[j];
    }
    for (int k = 0, pair = 0; k < samples; k++)
        for (int l = 0; l < samples; l++, pair++) {
            float *row = out + k * stride_k + l * stride_l;
            for (int j = 0; j < n; j++) {
                float of_u = factor[j] * slope[pair][j];
                to_a[j] += of_u * distance[pair][j];
                to_b[j] -= of_u;
                row[j] = of_u / distance[pair][j];
            }
        }
    for (int j = 0; j < n; j++) {
        totals[0] += loss[j];
        totals[1] += to_a[j];
        totals[2] += to_b[j];
    }
    return faintest;
}

/* totals: loss and its derivatives with respect to a and b, one triple per row of the tile, so
   that the caller adds them in a fixed order. faintest: the smallest sum of each row. */
void match_tile(const float *squared, float *slope, const float *sign, const float *weight,
                int64_t samples, int64_t rows, int64_t columns, float a, float b, double *totals,
                float *faintest) {
    int64_t stride_l = columns, stride_i = samples * columns, stride_k = rows * stride_i;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < rows; i++) {
        totals[3 * i] = totals[3 * i + 1] = totals[3 * i + 2] = 0;
        faintest[i] = INFINITY;
        for (int64_t j = 0; j < columns; j += LANES) {
            int n = columns - j < LANES ? (int)(columns - j) : LANES;
            float least = strip(squared + i * stride_i + j, slope + i * stride_i + j, stride_k,
                                stride_l, (int)samples, n, sign + i * columns + j,
                                weight + i * columns + j, a, b, totals + 3 * i);
            faintest[i] = least < faintest[i] ? least : faintest[i];
        }
    }
}
