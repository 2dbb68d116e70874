/* Calls a function that was lowered in place and compiled by LLVM's tools, through the C interface that MLIR gives it. */
#include <stdint.h>
#include <stdio.h>

typedef struct {
  float *allocated;
  float *aligned;
  int64_t offset;
  int64_t sizes[2];
  int64_t strides[2];
} matrix;

typedef struct {
  float *allocated;
  float *aligned;
  int64_t offset;
  int64_t sizes[1];
  int64_t strides[1];
} vector;

void _mlir_ciface_largest(vector *result, matrix *argument);

int main(void) {
  /* Two rows that nobody promised to align. */
  static float memory[7] = {0, 3, 1, 2, -5, -4, -6};
  matrix argument = {memory, memory + 1, 0, {2, 3}, {3, 1}};
  vector result;
  _mlir_ciface_largest(&result, &argument);
  printf("%lld: %g %g\n", (long long)result.sizes[0], result.aligned[0], result.aligned[1]);
  return 0;
}
