/* Between cells and rows of channels: sixteen vectors by lane become sixteen by pixel and back. */

#define ROW_BYTES 64 /* channels of one pixel that a transposed vector holds */
#define VECTORS ((int64_t)(sizeof(cell) / sizeof(vec)))

#include "lane_exchange.h"

#define GROUP (LANES / VECTORS) /* pairs of channels that are transposed together */

INLINE uint64_t bytes_from(const shape *s, int64_t pair) { /* of a row, as a mask */
    int64_t left = (s->channels - 2 * pair) * (int64_t)sizeof(number);
    return left >= ROW_BYTES ? ~0ull : (1ull << left) - 1;
}

INLINE int64_t pairs_in_group(const shape *s, int64_t pair) {
    return pairs_of(s) - pair < GROUP ? pairs_of(s) - pair : GROUP;
}

/* Writes the channels of one position, whose cells are a padded row apart, to a block's pixels. */
INLINE void write_rows(const shape *s, const cell *x, int64_t lanes, number *row, int64_t length) {
    for (int64_t pair = 0; pair < pairs_of(s); pair += GROUP) {
        bits v[LANES] = {};
        for (int64_t k = 0; k < pairs_in_group(s, pair); k++)
            memcpy(v + k * VECTORS, x + (pair + k) * padded_of(s), sizeof(cell));
        transpose(v);
        for (int64_t lane = 0; lane < lanes; lane++)
            _mm512_mask_storeu_epi8(row + lane * length + 2 * pair, bytes_from(s, pair),
                                    (__m512i)v[lane]);
    }
}

/* The other way; lanes without a pixel become zero. */
INLINE void read_rows(const shape *s, cell *x, int64_t lanes, const number *row, int64_t length) {
    for (int64_t pair = 0; pair < pairs_of(s); pair += GROUP) {
        bits v[LANES] = {};
        for (int64_t lane = 0; lane < lanes; lane++)
            v[lane] = (bits)_mm512_maskz_loadu_epi8(bytes_from(s, pair), row + lane * length + 2 * pair);
        transpose(v);
        for (int64_t k = 0; k < pairs_in_group(s, pair); k++)
            memcpy(x + (pair + k) * padded_of(s), v + k * VECTORS, sizeof(cell));
    }
}
