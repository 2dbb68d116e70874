/* Calls functions of a table for arguments of sizes that standard input says, and prints what they give: sizes and bits.
 *
 *   number of the function, and the sizes of its arguments: n, m, n, k */
#include "table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { ARGUMENTS = 4, RANKS = 5, MOST = 4096 };

static float *input(int64_t count, int64_t from) {
  float *data = aligned_alloc(64, ((size_t)count * sizeof(float) + 64) / 64 * 64);
  for (int64_t k = 0; data && k < count; ++k)
    data[k] = (float)((k * 7 + from) % 23 - 11);
  return data;
}

int main(void) {
  mw_context *context = mw_context_create(2);
  int number;
  int64_t n, m, k;
  while (context && scanf("%d %" SCNd64 " %" SCNd64 " %" SCNd64, &number, &n, &m, &k) == 4) {
    float *arguments[ARGUMENTS] = {input(n, 3), input(m, 1), input(n * 6, 2), input(k, 8)};
    const int64_t sizes[RANKS] = {n, m, n, 6, k};
    static _Alignas(64) float own[MOST];
    void *result = TABLE[number].is_static ? own : NULL;
    int64_t result_sizes[RANKS];
    const void *const *taken = (const void *const *)arguments;
    const int32_t status = TABLE[number].entry(context, taken, sizes, &result, result_sizes);
    if (status != 0) {
      printf("%s\n", mw_error_message(context));
      mw_clear_error(context);
    } else {
      int64_t count = 1;
      printf("[");
      for (int d = 0; d < TABLE[number].rank; ++d) {
        printf("%s%" PRId64, d ? ", " : "", result_sizes[d]);
        count *= result_sizes[d];
      }
      printf("] [");
      for (int64_t i = 0; i < count; ++i)
        printf("%s%" PRIu32, i ? ", " : "", ((const uint32_t *)result)[i]);
      printf("]\n");
      if (result != own)
        mw_free(context, result, count * (int64_t)sizeof(float));
    }
    for (int i = 0; i < ARGUMENTS; ++i)
      free(arguments[i]);
  }
  mw_context_destroy(context);
  return context ? 0 : 1;
}
