/* Matrix products of the bfloat16 spectral stage in the processor's tile registers (AMX).

   A tile is sixteen rows of 64 bytes: 16 x 32 numbers of the left factor, 16 pairs of rows x 16
   columns of the right one, 16 x 16 sums. Two tiles of rows meet two of columns at a time. */

#include <sys/syscall.h>
#include <unistd.h>

#include "lane_exchange.h"

#define TAPS 7
#define HALO 3
#define TILE_DEPTH 32
#define TILE_NUMBERS (LANES * TILE_DEPTH)
#define GROUP 4 /* pixels that are worked on together */

INLINE int64_t up_to(int64_t value, int64_t multiple) {
    return (value + multiple - 1) / multiple * multiple;
}
INLINE int64_t column_tiles(const shape *s) { return (s->channels + LANES - 1) / LANES; }
INLINE int64_t row_tiles(const shape *s) { return (s->positions + LANES - 1) / LANES; }
INLINE int64_t kernel_tiles(const shape *s) {
    return (TAPS * s->channels + TILE_DEPTH - 1) / TILE_DEPTH;
}

/* Positions that a pixel takes in a row of the transposed activations; GROUP of them fill tiles. */
INLINE int64_t span_of(const shape *s) { return up_to(s->positions + 2 * HALO, 8); }
/* Rows of a padded pixel, up to whatever a tile reads beyond its end. */
INLINE int64_t padded_of(const shape *s) {
    return up_to(span_of(s), TILE_DEPTH) + LANES + 2 * HALO + TILE_DEPTH / LANES;
}

/* Whether the system lets this process use tiles. */
int permitted(void) {
    enum { REQUEST = 0x1023, TILE_DATA = 18 };
    return syscall(SYS_arch_prctl, REQUEST, TILE_DATA) == 0;
}

INLINE void begin_tiles(void) {
    struct {
        uint8_t palette, start_row, reserved[14];
        uint16_t bytes_per_row[16];
        uint8_t rows[16];
    } config = {.palette = 1};
    for (int i = 0; i < 8; i++) config.bytes_per_row[i] = 64, config.rows[i] = LANES;
    _tile_loadconfig(&config);
}

/* out = x * w for some tiles of rows. Row r of x starts `x_bytes` behind row r - 1, its k-th part of
   32 numbers `step` behind the one before; w is packed. Rows of out may lie closer together than its
   tiles are wide: what a tile writes beyond its columns, those that follow overwrite. */
static void product(const number *x, int64_t x_bytes, int64_t step, const number *w, int64_t depth,
                    int64_t columns, int64_t rows, float *out, int64_t out_bytes) {
    for (int64_t m = 0; m < rows; m += 2) {
        const char *upper = (const char *)x + m * LANES * x_bytes;
        const char *lower = m + 1 < rows ? upper + LANES * x_bytes : upper;
        char *to = (char *)out + m * LANES * out_bytes;
        _tile_zero(0);
        _tile_zero(1);
        _tile_zero(2);
        _tile_zero(3);
        for (int64_t k = 0; k < depth; k++) {
            const number *of_w = w + k * columns * TILE_NUMBERS;
            _tile_loadd(4, upper + k * step * sizeof(number), x_bytes);
            _tile_loadd(6, of_w, 64);
            _tile_dpbf16ps(0, 4, 6);
            _tile_loadd(5, lower + k * step * sizeof(number), x_bytes);
            _tile_dpbf16ps(1, 5, 6);
            if (columns == 1) continue;
            _tile_loadd(7, of_w + TILE_NUMBERS, 64);
            _tile_dpbf16ps(2, 4, 7);
            _tile_dpbf16ps(3, 5, 7);
        }
        if (columns > 1) _tile_stored(2, to + 64, out_bytes);
        _tile_stored(0, to, out_bytes);
        if (m + 1 == rows) break;
        to += LANES * out_bytes;
        if (columns > 1) _tile_stored(3, to + 64, out_bytes);
        _tile_stored(1, to, out_bytes);
    }
}

/* Where the packed right factor keeps its element of a row (of all depths) and column. */
INLINE int64_t packed_at(int64_t row, int64_t column, int64_t columns) {
    int64_t tile = row / TILE_DEPTH * columns + column / LANES, pair = row % TILE_DEPTH / 2;
    return tile * TILE_NUMBERS + (pair * LANES + column % LANES) * 2 + row % 2;
}

/* The kernel as a right factor; backward it is turned round and takes outputs to inputs. */
static void pack_kernel(const shape *s, const float *weight, int backward, number *w) {
    int64_t n = s->channels, columns = column_tiles(s);
    memset(w, 0, kernel_tiles(s) * columns * TILE_NUMBERS * sizeof *w);
    for (int64_t o = 0; o < n; o++)
        for (int64_t i = 0; i < n; i++)
            for (int64_t tap = 0; tap < TAPS; tap++, weight++)
                if (backward)
                    w[packed_at((TAPS - 1 - tap) * n + o, i, columns)] = rounded(*weight);
                else
                    w[packed_at(tap * n + i, o, columns)] = rounded(*weight);
}

/* Two rows of a padded pixel as pairs: channel c of `row` and of the next one side by side. */
INLINE __m512i pair_rows(const shape *s, const number *row, int64_t tile) {
    const number *first = row + tile * LANES, *second = first + s->channels;
    __m512i low = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const void *)first));
    __m512i high = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const void *)second));
    return _mm512_or_si512(low, _mm512_slli_epi32(high, 16));
}

/* Gradients of a pixel's outputs as a right factor: (tile of columns, pair of positions, channel). */
static void pack_gradient(const shape *s, const number *padded, int64_t pixel, number *g) {
    int64_t pairs = span_of(s) / 2;
    for (int64_t tile = 0; tile < column_tiles(s); tile++)
        for (int64_t q = 0; q < pairs; q++) {
            __m512i values = pair_rows(s, padded + (HALO + 2 * q) * s->channels, tile);
            _mm512_storeu_si512(g + ((tile * GROUP + pixel) * pairs + q) * TILE_DEPTH, values);
        }
}

/* Bytes between channels of the transposed activations; an odd number of lines, for the cache. */
INLINE int64_t across_bytes(const shape *s) {
    return (up_to(GROUP * span_of(s) + TILE_DEPTH + 2 * TAPS, TILE_DEPTH) / TILE_DEPTH | 1) * 64;
}

/* A padded pixel transposed to (channel, position), behind the pixels before it. */
static void transpose_pixel(const shape *s, const number *padded, int64_t pixel, char *across) {
    char *to = across + pixel * span_of(s) * (int64_t)sizeof(number);
    for (int64_t tile = 0; tile < column_tiles(s); tile++)
        for (int64_t p = 0; p < span_of(s); p += TILE_DEPTH) {
            bits v[LANES];
            for (int64_t i = 0; i < LANES; i++)
                v[i] = (bits)pair_rows(s, padded + (p + 2 * i) * s->channels, tile);
            transpose(v);
            for (int64_t i = 0; i < LANES; i++)
                _mm512_storeu_si512(to + (tile * LANES + i) * across_bytes(s) + p * sizeof(number),
                                    (__m512i)v[i]);
        }
}

/* sums[tap][tile of rows][tile of columns] += across, shifted by tap, * g over a group's positions. */
static void add_products(const shape *s, const char *across, int64_t taps, int64_t rows,
                         const number *g, float *sums) {
    int64_t depth = GROUP * span_of(s) / TILE_DEPTH, bytes = across_bytes(s);
    int64_t columns = column_tiles(s), next = GROUP * span_of(s) / 2 * TILE_DEPTH;
    for (int64_t tap = 0; tap < taps; tap++, sums += rows * columns * LANES * LANES) {
        const char *left = across + tap * sizeof(number);
        float *s00 = sums, *s01 = s00 + LANES * LANES;
        float *s10 = s00 + columns * LANES * LANES, *s11 = s10 + LANES * LANES;
        _tile_loadd(0, s00, 64);
        if (columns > 1) _tile_loadd(1, s01, 64);
        if (rows > 1) _tile_loadd(2, s10, 64);
        if (rows > 1 && columns > 1) _tile_loadd(3, s11, 64);
        for (int64_t k = 0; k < depth; k++) {
            _tile_loadd(4, left + k * 64, bytes);
            _tile_loadd(6, g + k * TILE_NUMBERS, 64);
            _tile_dpbf16ps(0, 4, 6);
            if (columns > 1) {
                _tile_loadd(7, g + next + k * TILE_NUMBERS, 64);
                _tile_dpbf16ps(1, 4, 7);
            }
            if (rows == 1) continue;
            _tile_loadd(5, left + LANES * bytes + k * 64, bytes);
            _tile_dpbf16ps(2, 5, 6);
            if (columns > 1) _tile_dpbf16ps(3, 5, 7);
        }
        _tile_stored(0, s00, 64);
        if (columns > 1) _tile_stored(1, s01, 64);
        if (rows > 1) _tile_stored(2, s10, 64);
        if (rows > 1 && columns > 1) _tile_stored(3, s11, 64);
    }
}
