/* The spectral stage in float32. */

#ifdef __AVX512F__
#include "spectral_passes.h"
#endif
