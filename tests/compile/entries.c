/* Prints the table of entries of a library: `entries LIBRARY SYMBOL`. */
#include <dlfcn.h>
#include <stdio.h>

int main(int count, char **words) {
  void *library = count == 3 ? dlopen(words[1], RTLD_NOW) : NULL;
  const char *table = library ? dlsym(library, words[2]) : NULL;
  if (!table) {
    fprintf(stderr, "%s\n", count == 3 ? dlerror() : "which library, and which symbol?");
    return 1;
  }
  puts(table);
  return 0;
}
