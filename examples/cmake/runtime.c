/* Sorts three numbers by the runtime library. */
#include <mapwright-c/runtime.h>
#include <stdio.h>

int main(void) {
  float values[3] = {2, 3, 1};
  mw_sort_operand operand = {values, values, MW_F32};
  int64_t shape[1] = {3};
  int32_t order[1] = {MW_ASCENDING};
  const mw_context *context = mw_shared_context();
  mw_sort(context, &operand, 1, shape, 1, 0, order, 1);
  mw_stop_on_error(context);
  printf("%g %g %g\n", values[0], values[1], values[2]);
  return 0;
}
