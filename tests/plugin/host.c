/* Loads a plugin as mlir-opt does, and prints the API versions that it claims. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

typedef struct {
  uint32_t version;
  const char *name;
  const char *plugin_version;
  void (*callback)(void);
} Info;

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  Info (*passes)(void) = (Info(*)(void))dlsym(library, "mlirGetPassPluginInfo");
  Info (*dialects)(void) = (Info(*)(void))dlsym(library, "mlirGetDialectPluginInfo");
  if (!passes || !dialects)
    return 1;
  printf("passes: api %u\n", passes().version);
  printf("dialects: api %u\n", dialects().version);
  return 0;
}
