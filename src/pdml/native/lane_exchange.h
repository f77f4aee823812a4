/* Sixteen vectors of sixteen numbers become their transpose, in registers. */

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
