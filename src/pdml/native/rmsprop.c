/* A step of RMSProp on many tensors: each number is read once and written once.

   Every number is worked on by itself, so the number of threads does not change the result. */

#include <math.h>
#include <omp.h>
#include <stdint.h>

typedef struct {
    float rate, alpha, eps, decay;
} setting;

void rmsprop(int64_t tensors, const int64_t *lengths, float *const *weights,
             const float *const *gradients, float *const *averages, float *const *steps,
             const setting *of, int threads) {
#pragma omp parallel num_threads(threads)
    for (int64_t t = 0; t < tensors; t++) {
        float *restrict weight = weights[t], *restrict average = averages[t];
        const float *restrict gradient = gradients[t];
        float rate = of->rate, alpha = of->alpha, eps = of->eps, decay = of->decay;
#pragma omp single nowait
        *steps[t] += 1;
#pragma omp for simd schedule(static) nowait
        for (int64_t i = 0; i < lengths[t]; i++) {
            float g = gradient[i] + decay * weight[i];
            float a = alpha * average[i] + (1 - alpha) * g * g;
            average[i] = a;
            weight[i] -= rate * (g / (sqrtf(a) + eps));
        }
    }
}
