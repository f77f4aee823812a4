/* Cells of bfloat16 numbers: one vector, with the even channel in the lower half of each lane and
   the odd one in the upper half. That is what the processor multiplies in pairs. */

#include "band_cells.h"

typedef uint16_t number;
typedef bits cell;

#define TOGETHER 2 /* positions that a weight gradient takes at once */

INLINE both opened(cell c) { return (both){(vec)(c << 16), (vec)(c & 0xffff0000u)}; }
INLINE cell closed(both v) { /* to nearest, ties to even */
    __m512i halves = (__m512i)_mm512_cvtne2ps_pbh((__m512)v.odd, (__m512)v.even);
    const __m512i interleaved = (__m512i)(bits){
        0x100000, 0x110001, 0x120002, 0x130003, 0x140004, 0x150005, 0x160006, 0x170007,
        0x180008, 0x190009, 0x1a000a, 0x1b000b, 0x1c000c, 0x1d000d, 0x1e000e, 0x1f000f};
    return (cell)_mm512_permutexvar_epi16(interleaved, halves);
}
INLINE number rounded(float value) {
    return (number)_mm_extract_epi16((__m128i)_mm_cvtneps_pbh(_mm_set_ss(value)), 0);
}

/* sum + value * factor, both halves of a lane into one float32. */
INLINE vec added(vec sum, vec value, vec factor) {
    return (vec)_mm512_dpbf16_ps((__m512)sum, (__m512bh)value, (__m512bh)factor);
}

/* What one tap of a pair of inputs adds to TILE positions of a pair of outputs; the weights are of
   the even output, even and odd input, then of the odd output. */
INLINE void add_tap(const cell *x, const number *w, vec *even, vec *odd) {
    uint32_t both_inputs[2];
    memcpy(both_inputs, w, sizeof both_inputs);
    vec to_even = (vec)(both_inputs[0] - (bits){}), to_odd = (vec)(both_inputs[1] - (bits){});
    EACH_OF_TILE(i) {
        even[i] = added(even[i], (vec)x[i], to_even);
        odd[i] = added(odd[i], (vec)x[i], to_odd);
    }
}

/* Channels by themselves, as a weight gradient wants them: each position, or
   each second one, with the one behind it. */
INLINE const both *by_channel(const cell *cells, int64_t count, int64_t step, both *room) {
    for (int64_t p = 0; p < count; p += step)
        room[p] = (both){(vec)((cells[p] & 0xffffu) | cells[p + 1] << 16),
                         (vec)(cells[p] >> 16 | (cells[p + 1] & 0xffff0000u))};
    return room;
}
#define ROOM_BY_CHANNEL 1
