/* The passes of a spectral stage with activations in bfloat16, in vector registers: for processors
   that multiply pairs of such numbers and have no tile registers. */

#if defined __AVX512F__ && defined __AVX512BW__ && defined __AVX512BF16__

#include "cells_bfloat16.h"

#include "band_passes.h"

#endif
