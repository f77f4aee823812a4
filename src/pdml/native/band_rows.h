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

/* Vectors that the cells of one position take, up to whole groups of sixteen. */
INLINE int64_t vectors_of_position(const shape *s) {
    int64_t cells = pairs_of(s) * (int64_t)(sizeof(cell) / sizeof(bits));
    return (cells + LANES - 1) / LANES * LANES;
}

INLINE uint64_t bytes_from(const shape *s, int64_t group) { /* of a row, as a mask */
    int64_t left = s->channels * (int64_t)sizeof(element) - group * ROW_BYTES;
    return left >= ROW_BYTES ? ~0ull : (1ull << left) - 1;
}

/* Writes the channels of one position to the rows of a block's pixels; changes `vectors`. */
static void write_rows(const shape *s, bits *vectors, int64_t lanes, element *row, int64_t length) {
    for (int64_t group = 0; group * LANES < vectors_of_position(s); group++) {
        bits *v = vectors + group * LANES;
        uint64_t mask = bytes_from(s, group);
        transpose(v);
        for (int64_t lane = 0; lane < lanes; lane++)
            _mm512_mask_storeu_epi8((char *)(row + lane * length) + group * ROW_BYTES, mask,
                                    (__m512i)v[lane]);
    }
}

static void read_rows(const shape *s, bits *vectors, int64_t lanes, const element *row,
                      int64_t length) {
    for (int64_t group = 0; group * LANES < vectors_of_position(s); group++) {
        bits *v = vectors + group * LANES;
        uint64_t mask = bytes_from(s, group);
        for (int64_t lane = 0; lane < LANES; lane++)
            v[lane] = lane < lanes ? (bits)_mm512_maskz_loadu_epi8(
                                         mask, (const char *)(row + lane * length) + group * ROW_BYTES)
                                   : (bits){};
        transpose(v);
    }
}
