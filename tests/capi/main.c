/* A C program that knows Mapwright by its header alone: loads a module, gets a map as text, compiles, runs. Exit code 0: all as
 * expected. */
#include "mapwright-c/mapwright.h"
#include "mapwright-c/runtime.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char program[] =
    "func.func public @main(%x: tensor<2x3xf32>, %y: tensor<3x2xf32>) -> tensor<2x3xf32> {\n"
    "  %0 = stablehlo.transpose %y, dims = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>\n"
    "  %1 = stablehlo.add %x, %0 : tensor<2x3xf32>\n"
    "  return %1 : tensor<2x3xf32>\n"
    "}\n";

/* As JAX exports it with a symbolic shape: a size that the program refuses is an error of the call. */
static const char exported[] =
    "func.func public @main(%x: tensor<?xf32>) -> tensor<?xf32> {\n"
    "  %two = stablehlo.constant dense<2> : tensor<i32>\n"
    "  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>\n"
    "  %0 = stablehlo.compare GE, %n, %two, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "  stablehlo.custom_call @shape_assertion(%0, %n) {error_message = \"n is {0}, not 2 or more\", has_side_effect = true} : "
    "(tensor<i1>, tensor<i32>) -> ()\n"
    "  %1 = stablehlo.add %x, %x : tensor<?xf32>\n"
    "  return %1 : tensor<?xf32>\n"
    "}\n";

static void check(int holds, const char *what, char *error) {
  if (holds)
    return;
  fprintf(stderr, "failed: %s: %s\n", what, error ? error : "");
  exit(1);
}

static void check_assertions(void) {
  char *error = NULL;
  MapwrightModule *module = mapwrightModuleParse("exported.mlir", exported, strlen(exported), &error);
  check(module != NULL, "parse what was exported", error);
  MapwrightExecutable *executable = mapwrightCompile(module, "main", 1, &error);
  check(executable != NULL, "compile what was exported", error);
  float x[] = {1, 2, 3};
  for (int64_t n = 3; n > 0; --n) {
    MapwrightTensor input = {"f32", 1, &n, x, (size_t)n * sizeof *x};
    MapwrightResults *results = mapwrightExecute(executable, &input, 1, &error);
    if (n < 2) {
      check(!results && error && strstr(error, "n is 1, not 2 or more"), "an assertion that does not hold", error);
      check(mapwrightStatus() == MW_SHAPE_MISMATCH, "the code of a failure", NULL);
      mapwrightStringDestroy(error);
      continue;
    }
    check(results != NULL && mapwrightStatus() == MW_OK, "an assertion that holds", error);
    MapwrightTensor sum = mapwrightResultsGet(results, 0);
    check(sum.rank == 1 && sum.shape[0] == n, "the size of the result", NULL);
    for (int64_t i = 0; i < n; ++i)
      check(((float *)sum.data)[i] == 2 * x[i], "the value of the result", NULL);
    mapwrightResultsDestroy(results);
  }
  mapwrightExecutableDestroy(executable);
  mapwrightModuleDestroy(module);
}

/* What is not there is an error with a name, not the end of the process. */
static void check_nulls(void) {
  char *error = NULL;
  check(!mapwrightCompile(NULL, "main", 1, &error) && error && strstr(error, "module is null"), "no module", error);
  check(mapwrightStatus() == MW_INVALID_ARGUMENT, "the code of a wrong argument", NULL);
  mapwrightStringDestroy(error);
  error = NULL;
  check(!mapwrightModuleRunPasses(NULL, "", &error) && error && strstr(error, "module is null"), "no module", error);
  mapwrightStringDestroy(error);
  error = NULL;
  check(!mapwrightExecute(NULL, NULL, 0, &error) && error && strstr(error, "executable is null"), "no executable", error);
  mapwrightStringDestroy(error);
  error = NULL;
  check(!mapwrightModelCall(NULL, NULL, 0, NULL, &error) && error && strstr(error, "model is null"), "no model", error);
  // What has no way to say an error leaves it alone.
  mapwrightExecutableSetSeed(NULL, 1);
  mapwrightModelSetSeed(NULL, 1);
  mapwrightStringDestroy(error);
  check(mapwrightResultsCount(NULL) == 0 && mapwrightResultsGet(NULL, 0).data == NULL, "no results", NULL);

  error = NULL;
  MapwrightModule *module = mapwrightModuleParse("exported.mlir", exported, strlen(exported), &error);
  check(module != NULL, "parse what was exported", error);
  check(!mapwrightCompile(module, NULL, 1, &error) && error && strstr(error, "entry is null"), "no entry", error);
  mapwrightStringDestroy(error);
  error = NULL;
  MapwrightExecutable *executable = mapwrightCompile(module, "main", 1, &error);
  check(executable != NULL, "compile what was exported", error);
  int64_t n = 4;
  MapwrightTensor input = {"f32", 1, &n, NULL, 16};
  check(!mapwrightExecute(executable, &input, 1, &error) && error && strstr(error, "data is null"), "no data", error);
  mapwrightStringDestroy(error);
  mapwrightExecutableDestroy(executable);
  mapwrightModuleDestroy(module);
}

static const char any_length[] =
    "func.func public @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {\n"
    "  %0 = stablehlo.add %x, %y : tensor<?xf32>\n"
    "  return %0 : tensor<?xf32>\n"
    "}\n";

/* x + y of n numbers each, and which code computed it. */
static int32_t call(const MapwrightModel *model, int64_t n) {
  char *error = NULL;
  float x[64], y[64];
  for (int i = 0; i < 64; ++i)
    x[i] = (float)i, y[i] = 100.0f * (float)n;
  MapwrightTensor inputs[] = {{"f32", 1, &n, x, (size_t)n * sizeof *x}, {"f32", 1, &n, y, (size_t)n * sizeof *y}};
  int32_t code = -1;
  MapwrightResults *results = mapwrightModelCall(model, inputs, 2, &code, &error);
  check(results != NULL, "call a model", error);
  MapwrightTensor sum = mapwrightResultsGet(results, 0);
  check(sum.rank == 1 && sum.shape[0] == n && sum.bytes == (size_t)n * sizeof *x, "the size of a model's result", NULL);
  for (int64_t i = 0; i < n; ++i)
    check(((float *)sum.data)[i] == x[i] + y[i], "a value of a model's result", NULL);
  mapwrightResultsDestroy(results);
  return code;
}

static void *many_calls(void *model) {
  for (int64_t i = 0; i < 200; ++i)
    call(model, i * 7 % 24);
  return NULL;
}

/* One handle, arguments of many lengths, two threads. */
static void check_models(void) {
  char *error = NULL;
  MapwrightModule *module = mapwrightModuleParse("any.mlir", any_length, strlen(any_length), &error);
  check(module != NULL, "parse what has any length", error);
  MapwrightModelOptions options = mapwrightModelOptionsDefault();
  check(options.specialize && options.kept == 64 && options.any_size_from == 8 && !options.wait, "default options", NULL);
  options.threads = 1;
  options.kept = 4;
  options.any_size_from = 3;
  check(!mapwrightModelCreate(module, "other", &options, &error) && error, "a model of no function", error);
  mapwrightStringDestroy(error);
  error = NULL;
  MapwrightModel *model = mapwrightModelCreate(module, "main", &options, &error);
  check(model != NULL, "make a model", error);
  mapwrightModuleDestroy(module);
  char *signature = mapwrightModelSignature(model, &error);
  check(signature && !strcmp(signature, "tensor<?xf32>\ntensor<?xf32>\n->\ntensor<?xf32>\n"), "signature of a model",
        signature ? signature : error);
  mapwrightStringDestroy(signature);

  check(call(model, 5) == MAPWRIGHT_CODE_SPECIAL && call(model, 0) == MAPWRIGHT_CODE_SPECIAL, "the first shapes", NULL);
  check(call(model, 5) == MAPWRIGHT_CODE_SPECIAL, "a shape again", NULL);
  check(call(model, 7) == MAPWRIGHT_CODE_ANY_SIZE, "the third new shape", NULL);
  mapwrightModelSettle(model);
  check(call(model, 7) == MAPWRIGHT_CODE_SPECIAL, "a shape that was compiled beside", NULL);

  float x[3] = {0};
  int64_t n = 3, m = 2;
  MapwrightTensor unlike[] = {{"f32", 1, &n, x, 12}, {"f32", 1, &m, x, 8}};
  check(!mapwrightModelCall(model, unlike, 2, NULL, &error) && error, "sizes that contradict each other", error);
  mapwrightStringDestroy(error);
  error = NULL;
  check(!mapwrightModelCall(model, unlike, 1, NULL, &error) && strstr(error, "2 tensors"), "too few inputs", error);
  mapwrightStringDestroy(error);

  pthread_t thread;
  check(!pthread_create(&thread, NULL, many_calls, model), "a thread", NULL);
  many_calls(model);
  check(!pthread_join(thread, NULL), "the thread's end", NULL);
  mapwrightModelDestroy(model);
}

static const char *const drawing =
    "func.func @main() -> tensor<2xf64> {\n"
    "  %low = stablehlo.constant dense<0.0> : tensor<f64>\n"
    "  %high = stablehlo.constant dense<1.0> : tensor<f64>\n"
    "  %shape = stablehlo.constant dense<2> : tensor<1xi64>\n"
    "  %0 = stablehlo.rng %low, %high, %shape, distribution = UNIFORM : (tensor<f64>, tensor<f64>, tensor<1xi64>) -> tensor<2xf64>\n"
    "  return %0 : tensor<2xf64>\n"
    "}\n";

/* The two numbers that a call draws; of the executable, or of the model. */
static void draw(const MapwrightExecutable *executable, const MapwrightModel *model, double *numbers) {
  char *error = NULL;
  MapwrightResults *results =
      executable ? mapwrightExecute(executable, NULL, 0, &error) : mapwrightModelCall(model, NULL, 0, NULL, &error);
  check(results != NULL, "draw", error);
  memcpy(numbers, mapwrightResultsGet(results, 0).data, 2 * sizeof *numbers);
  mapwrightResultsDestroy(results);
}

/* What is drawn goes on from call to call, and follows from the seed, which is 0 without one. */
static void check_seeds(void) {
  char *error = NULL;
  MapwrightModule *module = mapwrightModuleParse("drawing.mlir", drawing, strlen(drawing), &error);
  check(module != NULL, "parse what draws", error);
  MapwrightExecutable *executable = mapwrightCompile(module, "main", 1, &error);
  check(executable != NULL, "compile what draws", error);
  MapwrightModel *model = mapwrightModelCreate(module, "main", NULL, &error);
  check(model != NULL, "a model of what draws", error);
  double first[2], second[2], other[2];
  draw(executable, NULL, first);
  draw(executable, NULL, second);
  check(first[0] != first[1] && first[0] != second[0] && first[1] != second[1], "a second draw", NULL);
  mapwrightExecutableSetSeed(executable, 0);
  draw(executable, NULL, other);
  check(!memcmp(first, other, sizeof first), "the default seed", NULL);
  draw(NULL, model, other);
  check(!memcmp(first, other, sizeof first), "the default seed of a model", NULL);
  mapwrightModelSetSeed(model, 5);
  draw(NULL, model, second);
  check(first[0] != second[0], "another seed", NULL);
  mapwrightExecutableSetSeed(executable, 5);
  draw(executable, NULL, other);
  check(!memcmp(second, other, sizeof second), "the same seed", NULL);
  mapwrightModelDestroy(model);
  mapwrightExecutableDestroy(executable);
  mapwrightModuleDestroy(module);
}

static const char *const ragged_program =
    "!list = !tarray.array<tensor<f32>, max = 4>\n"
    "!nest = !tarray.array<!list, max = 3>\n"
    "func.func @main(%x: !nest) -> !nest {\n"
    "  %y = tarray.parallel_foreach (%l in %x : !nest) {\n"
    "    %z = tarray.parallel_foreach (%e in %l : !list) {\n"
    "      %0 = stablehlo.add %e, %e : tensor<f32>\n"
    "      tarray.yield %0 : tensor<f32>\n"
    "    }\n"
    "    tarray.yield %z : !list\n"
    "  }\n"
    "  return %y : !nest\n"
    "}\n";

/* A nested array goes in and comes out; what is not well-formed is refused. */
static void check_ragged(void) {
  char *error = NULL;
  MapwrightModule *module = mapwrightModuleParse("ragged.mlir", ragged_program, strlen(ragged_program), &error);
  check(module != NULL, "parse a program of arrays", error);
  MapwrightExecutable *executable = mapwrightCompile(module, "main", 1, &error);
  check(executable != NULL, "compile a program of arrays", error);

  float leaves[] = {1, 2, 3, 4, 5};
  int64_t shape[] = {5}, outer[] = {0, 3}, inner[] = {0, 2, 2, 5}, max[] = {3, 4};
  const int64_t *offsets[] = {outer, inner};
  size_t counts[] = {2, 4};
  MapwrightRaggedTensor array = {{"f32", 1, shape, leaves, sizeof leaves}, 2, offsets, counts};
  MapwrightResults *packed = mapwrightRaggedPack(&array, max, &error);
  check(packed != NULL && mapwrightResultsCount(packed) == 3, "pack an array", error);
  MapwrightTensor inputs[3];
  for (size_t i = 0; i < 3; ++i)
    inputs[i] = mapwrightResultsGet(packed, i);
  check(inputs[0].shape[0] == 5 && inputs[2].shape[0] == 4, "no room for the maxima", NULL);
  MapwrightResults *results = mapwrightExecute(executable, inputs, 3, &error);
  check(results != NULL, "run a program of arrays", error);
  MapwrightTensor outputs[3];
  for (size_t i = 0; i < 3; ++i)
    outputs[i] = mapwrightResultsGet(results, i);
  MapwrightResults *found = mapwrightRaggedUnpack(outputs, 3, &error);
  check(found != NULL, "unpack an array", error);
  MapwrightTensor values = mapwrightResultsGet(found, 0), ends = mapwrightResultsGet(found, 2);
  check(values.shape[0] == 5 && ends.shape[0] == 4, "what is there of an array", NULL);
  for (int i = 0; i < 5; ++i)
    check(((float *)values.data)[i] == 2 * leaves[i], "the leaves of an array", NULL);
  for (int i = 0; i < 4; ++i)
    check(((int64_t *)ends.data)[i] == inner[i], "the offsets of an array", NULL);
  mapwrightResultsDestroy(found);
  mapwrightResultsDestroy(results);
  mapwrightResultsDestroy(packed);

  int64_t short_lists[] = {3, 2}, falling[] = {0, 2, 1, 5}, beyond[] = {0, 2, 2, 6};
  check(!mapwrightRaggedPack(&array, short_lists, &error) && strstr(error, "the declared maximum is 2"), "a long list", error);
  mapwrightStringDestroy(error);
  error = NULL;
  offsets[1] = falling;
  check(!mapwrightRaggedPack(&array, max, &error) && strstr(error, "decreases from 2 to 1 at list 1"), "offsets that fall", error);
  mapwrightStringDestroy(error);
  error = NULL;
  offsets[1] = beyond;
  check(!mapwrightRaggedPack(&array, max, &error) && strstr(error, "does not have 6 leaves"), "offsets beyond the leaves", error);
  mapwrightStringDestroy(error);
  mapwrightExecutableDestroy(executable);
  mapwrightModuleDestroy(module);
}

/* The sum of `main` into memory of ours, and what is refused without a byte of it being written. */
static void check_memory_of_the_caller(const MapwrightExecutable *executable, const MapwrightTensor *inputs) {
  char *error = NULL;
  float sum[6] = {0};
  int64_t shape[] = {2, 3}, turned[] = {3, 2};
  MapwrightTensor place = {"f32", 2, shape, sum, sizeof sum};
  check(mapwrightExecuteInto(executable, inputs, 2, &place, 1, &error), "into memory of the caller", error);
  for (int i = 0; i < 6; ++i)
    check(sum[i] == 11.0f * (i + 1), "value in memory of the caller", NULL);
  struct {
    MapwrightTensor place;
    size_t count;
    const char *why;
  } wrong[] = {{{"f32", 2, turned, sum, sizeof sum}, 1, "sizes [3, 2]"},
               {{"i32", 2, shape, sum, sizeof sum}, 1, "memory is given for i32"},
               {{"f32", 2, shape, sum, sizeof sum - 1}, 1, "it has 24 bytes"},
               {{"f32", 2, shape, NULL, sizeof sum}, 1, "it has 24 bytes"},
               {{"f32", 2, shape, sum, sizeof sum}, 0, "memory is given for 0 results"}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    memset(sum, 0, sizeof sum);
    check(!mapwrightExecuteInto(executable, inputs, 2, &wrong[i].place, wrong[i].count, &error) && error &&
              strstr(error, wrong[i].why),
          wrong[i].why, error);
    check(sum[0] == 0, "nothing is written", NULL);
    mapwrightStringDestroy(error);
    error = NULL;
  }
}

/* An object and its header; without a place for them there is an error. */
static void check_object(const MapwrightModule *module, const char *object, const char *header) {
  char *error = NULL;
  check(mapwrightModuleWriteObject(module, object, header, &error), "write an object", error);
  char start[4] = {0}, text[1 << 14] = {0};
  FILE *file = fopen(object, "rb");
  check(file && fread(start, 1, 4, file) == 4 && !memcmp(start, "\177ELF", 4), "an object", NULL);
  fclose(file);
  file = fopen(header, "r");
  check(file && fread(text, 1, sizeof text - 1, file) > 0 && strstr(text, "int32_t add_main("), "a header", text);
  fclose(file);
  check(!mapwrightModuleWriteObject(module, "/nowhere/add.o", NULL, &error) && error && strstr(error, "cannot write"),
        "no folder", error);
  mapwrightStringDestroy(error);
}

int main(int count, char **arguments) {
  char *error = NULL;
  check(count == 3, "the paths of an object and a header", NULL);
  check(strlen(mapwrightVersion()) > 0, "version", NULL);
  check_nulls();

  MapwrightModule *module = mapwrightModuleParse("add.mlir", program, strlen(program), &error);
  check(module != NULL, "parse", error);

  char *maps = mapwrightModuleMaps(module, "main", 0, 1, &error);
  check(maps && !strcmp(maps, "(d0, d1) -> (d1, d0), domain: d0 in [0, 1], d1 in [0, 2]\n"), "maps", maps ? maps : error);
  mapwrightStringDestroy(maps);
  check(!mapwrightModuleMaps(module, "main", 1, 0, &error) && error && !strcmp(error, "the function has 1 result"),
        "a result that is not there", error);
  mapwrightStringDestroy(error);
  error = NULL;
  char *regions = mapwrightModuleRegions(module, &error);
  check(regions && strstr(regions, "\"name\":\"main\"") && strstr(regions, "\"schedule\":\"tiled ["), "regions",
        regions ? regions : error);
  mapwrightStringDestroy(regions);

  MapwrightExecutable *executable = mapwrightCompile(module, "main", 1, &error);
  check(executable != NULL, "compile", error);
  char *signature = mapwrightExecutableSignature(executable, &error);
  check(signature && !strcmp(signature, "tensor<2x3xf32>\ntensor<3x2xf32>\n->\ntensor<2x3xf32>\n"), "signature",
        signature ? signature : error);
  mapwrightStringDestroy(signature);

  float x[] = {1, 2, 3, 4, 5, 6}, y[] = {10, 40, 20, 50, 30, 60};
  int64_t x_shape[] = {2, 3}, y_shape[] = {3, 2};
  MapwrightTensor inputs[] = {{"f32", 2, x_shape, x, sizeof x}, {"f32", 2, y_shape, y, sizeof y}};
  MapwrightResults *results = mapwrightExecute(executable, inputs, 2, &error);
  check(results != NULL, "run", error);
  check(mapwrightResultsCount(results) == 1, "number of results", NULL);
  MapwrightTensor sum = mapwrightResultsGet(results, 0);
  check(sum.rank == 2 && sum.shape[0] == 2 && sum.shape[1] == 3 && !strcmp(sum.element_type, "f32"), "type of the result",
        NULL);
  for (int i = 0; i < 6; ++i)
    check(((float *)sum.data)[i] == 11.0f * (i + 1), "value of the result", NULL);
  check(mapwrightResultsGet(results, 1).data == NULL, "a result that is not there", NULL);
  mapwrightResultsDestroy(results);
  check_memory_of_the_caller(executable, inputs);
  check_object(module, arguments[1], arguments[2]);

  /* What is wrong is said, and nothing ends the program. */
  inputs[1].rank = 1;
  check(!mapwrightExecute(executable, inputs, 2, &error) && strstr(error, "argument 1"), "wrong shape", error);
  mapwrightStringDestroy(error);
  error = NULL;
  check(!mapwrightCompile(module, "other", 1, &error) && error, "wrong entry", error);
  mapwrightStringDestroy(error);
  error = NULL;
  check(!mapwrightModuleParse("bad.mlir", "what", 4, &error) && strstr(error, "bad.mlir:1:1: error: "), "wrong source", error);
  mapwrightStringDestroy(error);
  error = NULL;
  check(!mapwrightModuleRunPasses(module, "builtin.module(indexing-nothing)", &error) && strstr(error, "indexing-nothing"),
        "wrong pipeline", error);
  mapwrightStringDestroy(error);
  error = NULL;
  check(!mapwrightModuleParse("bad.mlir", "what", 4, NULL), "no place for the error", NULL);

  check(mapwrightModuleRunPasses(module, "builtin.module(indexing-annotate)", &error), "passes", error);
  char *text = mapwrightModulePrint(module, &error);
  check(text && strstr(text, "indexing.output_to_input"), "print", text ? text : error);
  mapwrightStringDestroy(text);

  char *simple = mapwrightMapSimplify("(d0) -> (d0 mod 8), domain: d0 in [0, 7]", &error);
  check(simple && !strcmp(simple, "(d0) -> (d0), domain: d0 in [0, 7]"), "simplify", simple ? simple : error);
  mapwrightStringDestroy(simple);
  check(!mapwrightMapSimplify("(d0) -> (d1)", &error) && strstr(error, "column"), "wrong map", error);
  mapwrightStringDestroy(error);

  mapwrightExecutableDestroy(executable);
  mapwrightModuleDestroy(module);
  check_assertions();
  check_models();
  check_seeds();
  check_ragged();
  return 0;
}
