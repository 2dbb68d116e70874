/* Calls what `mapwright compile` made of the program in tests/command.rs. */
#include "add.h"
#include "mapwright-c/runtime.h"

#include <stdio.h>

int main(void) {
  _Alignas(64) float x[] = {1, 2, 3, 4, 5, 6};
  _Alignas(64) float y[] = {10, 40, 20, 50, 30, 60};
  _Alignas(64) float sum[6];
  const void *arguments[] = {x, y};
  int64_t argument_sizes[] = {2, 3, 3, 2}, result_sizes[2];
  void *results[] = {sum};
  mw_context *context = mw_context_create(1);
  if (!context || add_main(context, arguments, argument_sizes, results, result_sizes) != 0) {
    fprintf(stderr, "%s\n", context ? mw_error_message(context) : "no context");
    return 1;
  }
  mw_context_destroy(context);
  for (int i = 0; i < 6; ++i)
    printf("%g%c", sum[i], i == 5 ? '\n' : ' ');
  return 0;
}
