/* One library for every batch size.
 *
 *   mapwright compile examples/batches/program.mlir -o libbatches.so --header batches.h
 *   cc -I. -Iinclude examples/batches/main.c ./libbatches.so -lm -o batches && ./batches
 *
 * The header says which sizes are known at run time only, by the names that the program has for them. */
#include "batches.h"
#include "mapwright-c/runtime.h"

#include <math.h>
#include <stdio.h>

enum { FEATURES = 16, CLASSES = 10, LARGEST = 64 };

static _Alignas(64) float x[LARGEST * FEATURES], w[FEATURES * CLASSES], b[CLASSES];

/* The greatest difference to the same in plain C, or -1 if an argmax or a shape is not the same. */
static double difference(int64_t batch, void *const *results, const int64_t *sizes) {
  if (sizes[0] != batch || sizes[1] != batch || sizes[2] != CLASSES)
    return -1;
  const int32_t *classes = results[0];
  const float *probabilities = results[1];
  double greatest = 0;
  for (int64_t i = 0; i < batch; ++i) {
    double y[CLASSES], sum = 0;
    int best = 0;
    for (int j = 0; j < CLASSES; ++j) {
      y[j] = b[j];
      for (int k = 0; k < FEATURES; ++k)
        y[j] += (double)x[i * FEATURES + k] * w[k * CLASSES + j];
      y[j] = fmax(y[j], 0);
      best = y[j] > y[best] ? j : best;
      sum += exp(y[j]);
    }
    if (classes[i] != best)
      return -1;
    for (int j = 0; j < CLASSES; ++j)
      greatest = fmax(greatest, fabs(probabilities[i * CLASSES + j] - exp(y[j]) / sum));
  }
  return greatest;
}

int main(void) {
  for (int i = 0; i < LARGEST * FEATURES; ++i)
    x[i] = (float)(i * 37 % 101) / 50 - 1;
  for (int i = 0; i < FEATURES * CLASSES; ++i)
    w[i] = (float)(i * 53 % 97) / 48 - 1;
  for (int i = 0; i < CLASSES; ++i)
    b[i] = (float)i / 20;

  mw_context *context = mw_context_create(0);
  if (!context)
    return 1;
  const int64_t batches[] = {1, 7, 64, 0};
  for (int i = 0; i < 4; ++i) {
    const int64_t batch = batches[i];
    const void *arguments[] = {x, w, b};
    const int64_t argument_sizes[] = {batch, FEATURES, FEATURES, CLASSES, CLASSES};
    int64_t result_sizes[3];
    void *results[2] = {0};
    if (batches_main(context, arguments, argument_sizes, results, result_sizes) != 0) {
      /* Sizes that the program refuses: here a batch of none. */
      printf("batch %d: %.135s\n", (int)batch, mw_error_message(context));
      mw_clear_error(context);
      continue;
    }
    const double most = difference(batch, results, result_sizes);
    printf("batch %d: %s\n", (int)batch, most >= 0 && most < 1e-5 ? "as in plain C" : "different");
    /* Results of run-time sizes are the caller's. */
    mw_free(context, results[0], batch * (int64_t)sizeof(int32_t));
    mw_free(context, results[1], batch * CLASSES * (int64_t)sizeof(float));
  }
  mw_context_destroy(context);
  return 0;
}
