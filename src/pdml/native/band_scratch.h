/* Memory of one thread, small enough for its cache: everything about sixteen pixels. */

typedef struct {
    cell *activated;   /* (pair, padded position) inputs of a convolution */
    cell *gradient;    /* (pair, padded position) gradients of its outputs */
    both *inputs;      /* the same by channel, where cells are not that already */
    both *outputs;
    moments *moments;  /* (pair) */
    sums *sums;        /* (pair) */
    both *bias;        /* (pair) gradient of the bias, by lane */
    vec *kernel;       /* (pair, input channel, tap, 2) gradient of the kernel, by lane */
    vec *bands;        /* (band) the spectra */
    number *weights;
} scratch;

/* Lays the parts out from `memory` on; returns the bytes that they take. */
static int64_t lay_out(const shape *s, char *memory, scratch *parts) {
    int64_t pairs = pairs_of(s), padded = padded_of(s), used = 0;
#define PART(NAME, COUNT)                                                \
    parts->NAME = (void *)(memory + used);                               \
    used += ((COUNT) * (int64_t)sizeof *parts->NAME + 63) / 64 * 64;
    PART(activated, pairs * padded + 1) /* and what by_channel reads behind it */
    PART(gradient, pairs * padded + 1)
    PART(inputs, ROOM_BY_CHANNEL * pairs * padded)
    PART(outputs, ROOM_BY_CHANNEL * pairs * padded)
    PART(moments, pairs)
    PART(sums, pairs)
    PART(bias, pairs)
    PART(kernel, pairs * pairs * 4 * TAPS)
    PART(bands, s->bands)
    PART(weights, pairs * pairs * TAPS * WEIGHTS)
#undef PART
    return used;
}

/* The parts of this thread, with zeros at the ends of the padded rows. */
static scratch my_scratch(const shape *s, char *memory) {
    scratch parts;
    int64_t pairs = pairs_of(s), padded = padded_of(s);
    int64_t size = lay_out(s, memory, &parts);
    lay_out(s, memory + omp_get_thread_num() * size, &parts);
    memset(parts.activated, 0, (pairs * padded + 1) * sizeof *parts.activated);
    memset(parts.gradient, 0, (pairs * padded + 1) * sizeof *parts.gradient);
    return parts;
}
