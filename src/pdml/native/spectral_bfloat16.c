/* The spectral stage with activations in bfloat16, sums and statistics in float32 or better. */

#if defined __AVX512BF16__ && defined __AVX512BW__
#define BFLOAT16
#include "spectral_passes.h"
#endif
