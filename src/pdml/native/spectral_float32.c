/* The passes of a spectral stage in float32, in vector registers. */

#if defined __AVX512F__ && defined __AVX512BW__

#include "cells_float32.h"

#include "band_passes.h"

#endif
