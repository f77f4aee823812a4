/* Batch normalisation in the bfloat16 spectral stage: what its scale and shift are, and how its
   gradient follows from two sums. Each lane sums over one group of pixels in float32, about a value
   of its own; groups are added up in float64 and in their order, so results repeat to the last bit
   and a large mean costs no digits. */

/* Vectors over channels that belong to one normalisation, as in `band_norm.h`. */
enum { GAMMA, BETA, MEAN, VARIANCE, SCALE, SHIFT, OF_GAMMA, OF_BETA, SLOPE, OFFSET, N_VECTORS };

INLINE float *vector_of(const shape *s, const float *norm, int which) {
    return (float *)norm + which * s->channels;
}

typedef struct { /* about a group of pixels, by lane */
    vec pivot[MOST_PERIODS], sum[MOST_PERIODS], square[MOST_PERIODS];
} moments;

INLINE int64_t groups_of(const shape *s) { return (s->pixels + GROUP - 1) / GROUP; }
INLINE int64_t pixels_in(const shape *s, int64_t group) {
    int64_t left = s->pixels - group * GROUP;
    return left < GROUP ? left : GROUP;
}
INLINE int64_t lanes_of(const shape *s) { return period_of(s) * LANES; }

/* Numbers of a row that a lane of the period meets. */
INLINE int64_t meets(const shape *s, int64_t lane) {
    return (length_of(s) - lane + lanes_of(s) - 1) / lanes_of(s);
}

/* Statistics of the batch from those of its groups, and relu(scale * x + shift) from them. */
static void finish_moments(const shape *s, const moments *of, double eps, float *norm) {
    int64_t n = lanes_of(s), n_groups = groups_of(s);
    double count = (double)(s->pixels * s->positions);
    double share[MOST_PERIODS * LANES] = {}, middle[MOST_PERIODS * LANES], mean[LANES * 2] = {};
    double squares[MOST_PERIODS * LANES] = {}, square[LANES * 2] = {};
    for (int64_t g = 0; g < n_groups; g++)
        for (int64_t i = 0; i < n; i++)
            share[i] += (double)(pixels_in(s, g) * meets(s, i)) * ((float *)of[g].pivot)[i] +
                        ((float *)of[g].sum)[i];
    for (int64_t i = 0; i < n; i++) mean[i % s->channels] += share[i] / count;
    for (int64_t i = 0; i < n; i++) middle[i] = mean[i % s->channels];
    for (int64_t g = 0; g < n_groups; g++)
        for (int64_t i = 0; i < n; i++) {
            double met = (double)(pixels_in(s, g) * meets(s, i)), sum = ((float *)of[g].sum)[i];
            if (met == 0) continue;
            double away = ((float *)of[g].pivot)[i] + sum / met - middle[i];
            squares[i] += ((float *)of[g].square)[i] - sum * sum / met + met * away * away;
        }
    for (int64_t i = 0; i < n; i++) square[i % s->channels] += squares[i];
    for (int64_t c = 0; c < s->channels; c++) {
        double variance = square[c] < 0 ? 0 : square[c] / count; /* keeps NaN */
        double scale = vector_of(s, norm, GAMMA)[c] / __builtin_sqrt(variance + eps);
        vector_of(s, norm, MEAN)[c] = (float)mean[c];
        vector_of(s, norm, VARIANCE)[c] = (float)variance;
        vector_of(s, norm, SCALE)[c] = (float)scale;
        vector_of(s, norm, SHIFT)[c] = (float)(vector_of(s, norm, BETA)[c] - mean[c] * scale);
    }
}

typedef struct { /* of h and of h * (x - mean) over a group of pixels, by lane */
    vec plain[MOST_PERIODS], centred[MOST_PERIODS];
} sums;

static void finish_sums(const shape *s, const sums *of, double eps, float *norm) {
    double count = (double)(s->pixels * s->positions);
    double plain[MOST_PERIODS * LANES] = {}, centred[MOST_PERIODS * LANES] = {};
    double of_beta[2 * LANES] = {}, of_centred[2 * LANES] = {};
    for (int64_t g = 0; g < groups_of(s); g++)
        for (int64_t i = 0; i < lanes_of(s); i++) {
            plain[i] += ((float *)of[g].plain)[i];
            centred[i] += ((float *)of[g].centred)[i];
        }
    for (int64_t i = 0; i < lanes_of(s); i++) {
        of_beta[i % s->channels] += plain[i];
        of_centred[i % s->channels] += centred[i];
    }
    for (int64_t c = 0; c < s->channels; c++) {
        double inverse = 1 / __builtin_sqrt(vector_of(s, norm, VARIANCE)[c] + eps);
        double scale = vector_of(s, norm, SCALE)[c];
        double slope = -scale * inverse * inverse * of_centred[c] / count;
        vector_of(s, norm, OF_GAMMA)[c] = (float)(of_centred[c] * inverse);
        vector_of(s, norm, OF_BETA)[c] = (float)of_beta[c];
        vector_of(s, norm, SLOPE)[c] = (float)slope;
        vector_of(s, norm, OFFSET)[c] =
            (float)(-scale * of_beta[c] / count - slope * vector_of(s, norm, MEAN)[c]);
    }
}

typedef struct { /* what a pass needs of a normalisation, by lane */
    vec scale[MOST_PERIODS], shift[MOST_PERIODS], mean[MOST_PERIODS], slope[MOST_PERIODS],
        offset[MOST_PERIODS];
} by_lane;

static by_lane lanes_from(const shape *s, const float *norm) {
    by_lane of;
    spread(s, vector_of(s, norm, SCALE), of.scale);
    spread(s, vector_of(s, norm, SHIFT), of.shift);
    spread(s, vector_of(s, norm, MEAN), of.mean);
    spread(s, vector_of(s, norm, SLOPE), of.slope);
    spread(s, vector_of(s, norm, OFFSET), of.offset);
    return of;
}

/* What a convolution's sums become: y = sum + bias + what is added, and its moments. `added` is
   nothing, numbers as they are, or with `norm` relu(norm(numbers)). */
INLINE void finish_row_as(const shape *s, const float *sum, const vec *bias, const number *added,
                          const by_lane *norm, number *y, moments *of, int begin,
                          const int period) {
    vec total[MOST_PERIODS], square[MOST_PERIODS];
    if (begin)
        UNROLL for (int j = 0; j < period; j++) {
            of->pivot[j] = *(const vec *)(sum + j * LANES) + bias[j];
            of->sum[j] = of->square[j] = (vec){};
        }
    UNROLL for (int j = 0; j < period; j++) total[j] = of->sum[j], square[j] = of->square[j];
#define FINISH(AT, J, MASK)                                                       \
    vec v = (vec)_mm512_loadu_ps(sum + (AT)) + bias[J];                           \
    if (added) {                                                                  \
        vec a = wide(added + (AT), MASK);                                         \
        v += norm ? relu(a * norm->scale[J] + norm->shift[J]) : a;                \
    }                                                                             \
    narrow(y + (AT), MASK, v);                                                    \
    v = keep(MASK, v - of->pivot[J]);                                             \
    total[J] += v;                                                                \
    square[J] += v * v;
    EACH_VECTOR(length_of(s), period, FINISH);
    UNROLL for (int j = 0; j < period; j++) of->sum[j] = total[j], of->square[j] = square[j];
}
static void finish_row(const shape *s, const float *sum, const vec *bias, const number *added,
                       const by_lane *norm, number *y, moments *of, int begin) {
    if (!added) {
        BY_PERIOD(s, finish_row_as, sum, bias, 0, 0, y, of, begin)
    } else if (!norm) {
        BY_PERIOD(s, finish_row_as, sum, bias, added, 0, y, of, begin)
    } else {
        BY_PERIOD(s, finish_row_as, sum, bias, added, norm, y, of, begin)
    }
}

/* h = what arrives, plus `skip`, where relu(norm(x)) was positive; its sums. */
INLINE void mask_row_as(const shape *s, const float *sum, const number *arrives,
                        const number *skip, const number *x, const by_lane *norm, number *h,
                        sums *of, const int period) {
    vec plain[MOST_PERIODS], centred[MOST_PERIODS];
    UNROLL for (int j = 0; j < period; j++) plain[j] = of->plain[j], centred[j] = of->centred[j];
#define MASK_ROW(AT, J, MASK)                                                       \
    vec g = sum ? keep(MASK, (vec)_mm512_loadu_ps(sum + (AT))) : wide(arrives + (AT), MASK); \
    if (skip) g += wide(skip + (AT), MASK);                                         \
    vec v = wide(x + (AT), MASK);                                                   \
    g = where_positive(g, v * norm->scale[J] + norm->shift[J]);                     \
    narrow(h + (AT), MASK, g);                                                      \
    plain[J] += g;                                                                  \
    centred[J] += g * (v - norm->mean[J]);
    EACH_VECTOR(length_of(s), period, MASK_ROW);
    UNROLL for (int j = 0; j < period; j++) of->plain[j] = plain[j], of->centred[j] = centred[j];
}
static void mask_row(const shape *s, const float *sum, const number *arrives, const number *skip,
                     const number *x, const by_lane *norm, number *h, sums *of) {
    if (!sum) {
        BY_PERIOD(s, mask_row_as, 0, arrives, 0, x, norm, h, of)
    } else if (!skip) {
        BY_PERIOD(s, mask_row_as, sum, 0, 0, x, norm, h, of)
    } else {
        BY_PERIOD(s, mask_row_as, sum, 0, skip, x, norm, h, of)
    }
}

/* Gradient of y in a padded row: scale * h + slope * y + offset, plus what came past; its sums. */
INLINE void through_norm_as(const shape *s, const number *h, const number *y, const by_lane *norm,
                            const number *past, number *padded, number *kept, vec *bias,
                            const int period) {
    vec total[MOST_PERIODS];
    UNROLL for (int j = 0; j < period; j++) total[j] = bias[j];
#define THROUGH(AT, J, MASK)                                                                  \
    vec g = wide(h + (AT), MASK) * norm->scale[J] + wide(y + (AT), MASK) * norm->slope[J] +   \
            norm->offset[J];                                                                  \
    if (past) g += wide(past + (AT), MASK);                                                   \
    narrow(padded + (AT), MASK, g);                                                           \
    if (kept) narrow(kept + (AT), MASK, g);                                                   \
    total[J] += keep(MASK, g);
    EACH_VECTOR(length_of(s), period, THROUGH);
    UNROLL for (int j = 0; j < period; j++) bias[j] = total[j];
}
static void through_norm(const shape *s, const number *h, const number *y, const by_lane *norm,
                         const number *past, number *padded, number *kept, vec *bias) {
    padded += HALO * s->channels;
    if (!past && !kept) {
        BY_PERIOD(s, through_norm_as, h, y, norm, 0, padded, 0, bias)
    } else if (!past) {
        BY_PERIOD(s, through_norm_as, h, y, norm, 0, padded, kept, bias)
    } else {
        BY_PERIOD(s, through_norm_as, h, y, norm, past, padded, kept, bias)
    }
}
