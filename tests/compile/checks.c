/* Runs a program without arguments or results, whose checks say whether it is right. */
#include "checks.h"
#include "mapwright-c/runtime.h"

#include <stdio.h>

int main(void) {
  mw_context *context = mw_context_create(2);
  if (!context || checks_main(context, NULL, NULL, NULL, NULL) != 0) {
    fprintf(stderr, "%s\n", context ? mw_error_message(context) : "no context");
    return 1;
  }
  mw_context_destroy(context);
  return 0;
}
