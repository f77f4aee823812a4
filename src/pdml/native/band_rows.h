/* Between cells and rows of channels: sixteen vectors by lane become sixteen by pixel and back. */

#define ROW_BYTES 64 /* channels of one pixel that a transposed vector holds */

/* How two vectors whose numbers differ in one bit, `step`, exchange halves. */
INLINE bits exchanged(bits a, bits b, int step, int upper) {
    bits from;
    for (int i = 0; i < LANES; i++)
        from[i] = upper ? (i & step ? LANES + i : i + step) : (i & step ? LANES + i - step : i);
    return __builtin_shuffle(a, b, from);
}

INLINE void transpose(bits v[LANES]) {
    _Pragma("GCC unroll 4") for (int step = 8; step; step /= 2)
        _Pragma("GCC unroll 16") for (int i = 0; i < LANES; i++)
            if (!(i & step)) {
                bits a = v[i], b = v[i + step];
                v[i] = exchanged(a, b, step, 0);
                v[i + step] = exchanged(a, b, step, 1);
            }
}

#define CELL_VECTORS ((int64_t)(sizeof(cell) / sizeof(bits)))
#define GROUP (LANES / CELL_VECTORS) /* pairs of channels that are transposed together */

INLINE uint64_t bytes_from(const shape *s, int64_t pair) { /* of a row, as a mask */
    int64_t left = (s->channels - 2 * pair) * (int64_t)sizeof(element);
    return left >= ROW_BYTES ? ~0ull : (1ull << left) - 1;
}

INLINE int64_t pairs_in_group(const shape *s, int64_t pair) {
    return pairs_of(s) - pair < GROUP ? pairs_of(s) - pair : GROUP;
}

/* Writes the channels of one position, whose cells are a padded row apart, to a block's pixels. */
INLINE void write_rows(const shape *s, const cell *x, int64_t lanes, element *row, int64_t length) {
    for (int64_t pair = 0; pair < pairs_of(s); pair += GROUP) {
        bits v[LANES] = {};
        for (int64_t k = 0; k < pairs_in_group(s, pair); k++)
            memcpy(v + k * CELL_VECTORS, x + (pair + k) * padded_of(s), sizeof(cell));
        transpose(v);
        for (int64_t lane = 0; lane < lanes; lane++)
            _mm512_mask_storeu_epi8(row + lane * length + 2 * pair, bytes_from(s, pair),
                                    (__m512i)v[lane]);
    }
}

/* The other way; lanes without a pixel become zero. */
INLINE void read_rows(const shape *s, cell *x, int64_t lanes, const element *row, int64_t length) {
    for (int64_t pair = 0; pair < pairs_of(s); pair += GROUP) {
        bits v[LANES] = {};
        for (int64_t lane = 0; lane < lanes; lane++)
            v[lane] = (bits)_mm512_maskz_loadu_epi8(bytes_from(s, pair), row + lane * length + 2 * pair);
        transpose(v);
        for (int64_t k = 0; k < pairs_in_group(s, pair); k++)
            memcpy(x + (pair + k) * padded_of(s), v + k * CELL_VECTORS, sizeof(cell));
    }
}
