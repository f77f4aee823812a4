/* Batch normalisation between the passes of the spectral stage: what its scale and shift are, and
   how its gradient follows from two sums. Sums of a block of pixels are float32 about the block's
   own mean or over one block only; blocks are added up in float64 and in their order, so results
   repeat to the last bit and a large mean costs no digits. */

/* Vectors over channels that belong to one normalisation; each is padded to whole pairs. */
enum { GAMMA, BETA, MEAN, VARIANCE, SCALE, SHIFT, OF_GAMMA, OF_BETA, SLOPE, OFFSET, N_VECTORS };

INLINE float *vector_of(const shape *s, const float *norm, int which) {
    return (float *)norm + which * 2 * pairs_of(s);
}

/* Mean and squared distance to it of each channel in a block. */
static void block_moments(const shape *s, const cell *y, int64_t lanes, double *moments) {
    int64_t n = s->positions;
    double count = (double)(n * lanes);
    for (int64_t k = 0; k < pairs_of(s); k++, y += n, moments += 4) {
        both sum = {}, square = {};
        for (int64_t p = 0; p < n; p++) sum = plus(sum, opened(y[p]));
        float mean[2] = {(float)(lane_sum(sum.even, lanes) / count),
                         (float)(lane_sum(sum.odd, lanes) / count)};
        both rest = {};
        for (int64_t p = 0; p < n; p++) {
            both v = opened(y[p]);
            v.even -= mean[0], v.odd -= mean[1];
            rest = plus(rest, v);
            square.even += v.even * v.even, square.odd += v.odd * v.odd;
        }
        double even = lane_sum(rest.even, lanes) / count, odd = lane_sum(rest.odd, lanes) / count;
        moments[0] = mean[0] + even;
        moments[1] = lane_sum(square.even, lanes) - count * even * even;
        moments[2] = mean[1] + odd;
        moments[3] = lane_sum(square.odd, lanes) - count * odd * odd;
    }
}

/* Statistics of the batch from those of its blocks, and relu(scale * x + shift) from them. */
static void finish_moments(const shape *s, const double *moments, double eps, float *norm) {
    int64_t n_blocks = blocks_of(s), width = 2 * pairs_of(s);
    double count = (double)(s->pixels * s->positions);
    for (int64_t c = 0; c < width; c++) {
        double mean = 0, squares = 0;
        for (int64_t b = 0; b < n_blocks; b++)
            mean += moments[2 * (b * width + c)] * (double)(lanes_in(s, b) * s->positions) / count;
        for (int64_t b = 0; b < n_blocks; b++) {
            const double *m = moments + 2 * (b * width + c);
            squares += m[1] + (m[0] - mean) * (m[0] - mean) * (double)(lanes_in(s, b) * s->positions);
        }
        double variance = squares < 0 ? 0 : squares / count; /* keeps NaN */
        double scale = vector_of(s, norm, GAMMA)[c] / __builtin_sqrt(variance + eps);
        vector_of(s, norm, MEAN)[c] = (float)mean;
        vector_of(s, norm, VARIANCE)[c] = (float)variance;
        vector_of(s, norm, SCALE)[c] = (float)scale;
        vector_of(s, norm, SHIFT)[c] = (float)(vector_of(s, norm, BETA)[c] - mean * scale);
    }
}

/* With h, the gradient of the output where that was positive: sums of h and of h * (x - mean). */
INLINE both masked_gradient(const shape *s, both g, both x, const float *norm, int64_t k, both *sums) {
    const float *scale = vector_of(s, norm, SCALE) + 2 * k, *shift = vector_of(s, norm, SHIFT) + 2 * k;
    const float *mean = vector_of(s, norm, MEAN) + 2 * k;
    both y = affine(x, scale, shift);
    both h = {where_positive(g.even, y.even), where_positive(g.odd, y.odd)};
    sums[0] = plus(sums[0], h);
    sums[1].even += h.even * (x.even - mean[0]);
    sums[1].odd += h.odd * (x.odd - mean[1]);
    return h;
}

static void finish_sums(const shape *s, const double *sums, double eps, float *norm) {
    int64_t n_blocks = blocks_of(s), width = 2 * pairs_of(s);
    double count = (double)(s->pixels * s->positions);
    for (int64_t c = 0; c < width; c++) {
        double of_beta = 0, of_centred = 0;
        for (int64_t b = 0; b < n_blocks; b++) {
            of_beta += sums[2 * (b * width + c)];
            of_centred += sums[2 * (b * width + c) + 1];
        }
        double inverse = 1 / __builtin_sqrt(vector_of(s, norm, VARIANCE)[c] + eps);
        double scale = vector_of(s, norm, SCALE)[c];
        double slope = -scale * inverse * inverse * of_centred / count;
        vector_of(s, norm, OF_GAMMA)[c] = (float)(of_centred * inverse);
        vector_of(s, norm, OF_BETA)[c] = (float)of_beta;
        vector_of(s, norm, SLOPE)[c] = (float)slope;
        vector_of(s, norm, OFFSET)[c] =
            (float)(-scale * of_beta / count - slope * vector_of(s, norm, MEAN)[c]);
    }
}

/* Gradient of what was normalised: scale * h + slope * x + offset. */
INLINE both through_norm(const shape *s, both h, both x, const float *norm, int64_t k) {
    const float *scale = vector_of(s, norm, SCALE) + 2 * k, *slope = vector_of(s, norm, SLOPE) + 2 * k;
    return plus((both){h.even * scale[0], h.odd * scale[1]},
                affine(x, slope, vector_of(s, norm, OFFSET) + 2 * k));
}
