/* Batch normalisation between the passes of the spectral stage: what its scale and shift are, and
   how its gradient follows from two sums. Each lane sums over one pixel in
   float32, about a value of its own; lanes and blocks are added up in float64 and in their order, so results
   repeat to the last bit and a large mean costs no digits. */

/* Vectors over channels that belong to one normalisation; each is padded to whole pairs. */
enum { GAMMA, BETA, MEAN, VARIANCE, SCALE, SHIFT, OF_GAMMA, OF_BETA, SLOPE, OFFSET, N_VECTORS };

INLINE float *vector_of(const shape *s, const float *norm, int which) {
    return (float *)norm + which * 2 * pairs_of(s);
}

typedef struct { /* of a pair of channels over the positions of a block, by lane */
    both pivot, sum, square;
} moments;

INLINE void add_moments(both v, int begin, moments *of) {
    if (begin) *of = (moments){.pivot = v};
    v.even -= of->pivot.even, v.odd -= of->pivot.odd;
    of->sum = plus(of->sum, v);
    of->square.even += v.even * v.even, of->square.odd += v.odd * v.odd;
}

/* Mean of a channel in a block and the sum of squared distances to it. */
static void finish_lanes(vec pivot, vec sum, vec square, double positions, int64_t lanes, double *to) {
    double mean[LANES], all = 0, squares = 0;
    for (int64_t l = 0; l < lanes; l++) {
        mean[l] = pivot[l] + sum[l] / positions;
        all += mean[l];
        squares += square[l] - (double)sum[l] * sum[l] / positions;
    }
    to[0] = all / (double)lanes;
    for (int64_t l = 0; l < lanes; l++)
        squares += positions * (mean[l] - to[0]) * (mean[l] - to[0]);
    to[1] = squares;
}
static void finish_block(const shape *s, const moments *of, int64_t lanes, double *to) {
    double n = (double)s->positions;
    for (int64_t k = 0; k < pairs_of(s); k++, of++, to += 4) {
        finish_lanes(of->pivot.even, of->sum.even, of->square.even, n, lanes, to);
        finish_lanes(of->pivot.odd, of->sum.odd, of->square.odd, n, lanes, to + 2);
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

typedef struct { /* of h and of h * (x - mean), of a pair of channels, by lane */
    both plain, centred;
} sums;

/* The gradient of the output where that was positive, and its sums. */
INLINE both masked_gradient(const shape *s, both g, both x, const float *norm, int64_t k, sums *of) {
    const float *scale = vector_of(s, norm, SCALE) + 2 * k, *shift = vector_of(s, norm, SHIFT) + 2 * k;
    const float *mean = vector_of(s, norm, MEAN) + 2 * k;
    both y = affine(x, scale, shift);
    both h = {where_positive(g.even, y.even), where_positive(g.odd, y.odd)};
    of->plain = plus(of->plain, h);
    of->centred.even += h.even * (x.even - mean[0]);
    of->centred.odd += h.odd * (x.odd - mean[1]);
    return h;
}

static void finish_sums(const shape *s, const double *of_blocks, double eps, float *norm) {
    int64_t n_blocks = blocks_of(s), width = 2 * pairs_of(s);
    double count = (double)(s->pixels * s->positions);
    for (int64_t c = 0; c < width; c++) {
        double of_beta = 0, of_centred = 0;
        for (int64_t b = 0; b < n_blocks; b++) {
            of_beta += of_blocks[2 * (b * width + c)];
            of_centred += of_blocks[2 * (b * width + c) + 1];
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
