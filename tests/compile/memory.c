/* Calls what `mapwright compile` made of the program of `donated_and_limited_memory_from_c` in tests/compile.rs. */
#include "memory.h"
#include "mapwright-c/runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 1000, COLUMNS = 1024, COUNT = ROWS * COLUMNS, ROW = 7 };

static void fail(const char *what) {
  fprintf(stderr, "%s\n", what);
  exit(1);
}

static float *tensor(float base) {
  float *data = aligned_alloc(64, COUNT * sizeof(float));
  if (!data)
    fail("no memory");
  for (int i = 0; i < COUNT; ++i)
    data[i] = base + (float)(i % 17);
  return data;
}

static void same(const float *data, float base, const char *what) {
  for (int i = 0; i < COUNT; ++i)
    if (data[i] != base + (float)(i % 17))
      fail(what);
}

/* `a` with row ROW taken from row 3 of `b`. */
static void updated(const float *data, const char *what) {
  for (int i = 0; i < COUNT; ++i) {
    int from = i % COLUMNS + 3 * COLUMNS;
    float expected = i / COLUMNS == ROW ? 500 + (float)(from % 17) : (float)(i % 17);
    if (data[i] != expected)
      fail(what);
  }
}

int main(void) {
  float *a = tensor(0), *b = tensor(500), *other = tensor(-1);
  _Alignas(64) int32_t row = ROW;
  _Alignas(64) float sum = 0;
  const void *arguments[] = {a, b, &row};
  int64_t sizes[4], result_sizes[2];
  void *results[] = {other, &sum};
  sizes[0] = sizes[2] = ROWS;
  sizes[1] = sizes[3] = COLUMNS;
  mw_context *context = mw_context_create(1);
  if (!context)
    fail("no context");

  if (memory_main(context, arguments, sizes, results, result_sizes) != 0)
    fail(mw_error_message(context));
  same(a, 0, "a donated argument was written to, though it is not the result");
  same(b, 500, "an argument that is not donated was written to");
  updated(other, "the result is wrong");
  puts("apart");

  results[0] = a;
  if (memory_main(context, arguments, sizes, results, result_sizes) != 0)
    fail(mw_error_message(context));
  same(b, 500, "an argument that is not donated was written to, in place");
  updated(a, "the result is wrong in place");
  puts("in place");

  /* What lies between the operations needs some megabytes. */
  int64_t live = -1;
  float before = sum;
  mw_set_memory_cache_limit(context, 0);
  mw_set_memory_limit(context, 1 << 20);
  int32_t status = memory_main(context, arguments, sizes, results, result_sizes);
  if (status != MW_OUT_OF_MEMORY || !strstr(mw_error_message(context), "memory"))
    fail("it ran with less memory than it needs, or failed otherwise");
  mw_memory_statistics(context, &live, NULL, NULL);
  if (live != 0)
    fail("a call that failed has left memory behind");
  puts("refused");

  mw_clear_error(context);
  mw_set_memory_limit(context, -1);
  sum = 0;
  if (memory_main(context, arguments, sizes, results, result_sizes) != 0)
    fail(mw_error_message(context));
  if (sum != before)
    fail("another result than before");
  puts("again");
  mw_context_destroy(context);
  free(a);
  free(b);
  free(other);
  return 0;
}
