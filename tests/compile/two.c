/* Two models in one program, and calls with sizes and memory that are not theirs. */
#include "first.h"
#include "mapwright-c/runtime.h"
#include "second.h"

#include <stdio.h>

int main(void) {
  _Alignas(64) float x[] = {1, 2, 3, 4}, y[4];
  const void *arguments[] = {x};
  int64_t sizes[] = {4}, wrong[] = {5}, result_sizes[1];
  void *results[] = {y};
  mw_context *context = mw_context_create(1);
  if (!context || first_main(context, arguments, sizes, results, result_sizes) != 0)
    return 1;
  printf("%g %g\n", y[0], y[3]);
  if (chosen_main(context, arguments, sizes, results, result_sizes) != 0)
    return 1;
  printf("%g %g\n", y[0], y[3]);
  if (first_main(context, arguments, wrong, results, result_sizes) == 0)
    return 1;
  printf("%s\n", mw_error_message(context));
  mw_clear_error(context);
  if (first_main(context, arguments, NULL, results, result_sizes) == 0)
    return 1;
  printf("%s\n", mw_error_message(context));
  mw_clear_error(context);
  const void *nothing[] = {NULL};
  void *nowhere[] = {NULL};
  int failed[] = {first_main(context, nothing, sizes, results, result_sizes), 0, 0, 0, 0};
  printf("%s\n", mw_error_message(context));
  mw_clear_error(context);
  failed[1] = first_main(context, arguments, sizes, nowhere, result_sizes);
  printf("%s\n", mw_error_message(context));
  mw_clear_error(context);
  failed[2] = first_main(context, NULL, sizes, results, result_sizes);
  printf("%s\n", mw_error_message(context));
  mw_clear_error(context);
  failed[3] = first_main(context, arguments, sizes, NULL, result_sizes);
  printf("%s\n", mw_error_message(context));
  mw_clear_error(context);
  failed[4] = first_main(context, arguments, sizes, results, NULL);
  printf("%s\n", mw_error_message(context));
  mw_context_destroy(context);
  return !(failed[0] && failed[1] && failed[2] && failed[3] && failed[4]);
}
