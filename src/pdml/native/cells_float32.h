/* Cells of float32 numbers: two vectors, of the even and of the odd channel. */

#include "band_cells.h"

typedef float number;
typedef both cell;

#define TOGETHER 1 /* positions that a weight gradient takes at once */

INLINE both opened(cell c) { return c; }
INLINE cell closed(both v) { return v; }
INLINE number rounded(float value) { return value; }

/* sum + value * factor, lane by lane. */
INLINE vec added(vec sum, vec value, vec factor) { return sum + value * factor; }

/* What one tap of a pair of inputs adds to TILE positions of a pair of outputs; the weights are of
   the even output, even and odd input, then of the odd output. */
INLINE void add_tap(const cell *x, const number *w, vec *even, vec *odd) {
    vec to_even = splat(w[0]), to_odd = splat(w[2]);
    EACH_OF_TILE(i) {
        even[i] += x[i].even * to_even;
        odd[i] += x[i].even * to_odd;
    }
    to_even = splat(w[1]), to_odd = splat(w[3]);
    EACH_OF_TILE(i) {
        even[i] += x[i].odd * to_even;
        odd[i] += x[i].odd * to_odd;
    }
}

/* Channels by themselves, as a weight gradient wants them: cells are that already. */
INLINE const both *by_channel(const cell *cells, int64_t count, int64_t step, both *room) {
    (void)count, (void)step, (void)room;
    return cells;
}
#define ROOM_BY_CHANNEL 0
