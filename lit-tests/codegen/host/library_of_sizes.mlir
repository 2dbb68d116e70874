// RUN: rm -rf %t && split-file %s %t
// RUN: mapwright compile %t/program.mlir -o %t/libsizes.so --header %t/sizes.h
// RUN: clang -std=c11 -Wall -Werror -I%t -I%examples/../include %t/main.c %t/libsizes.so -Wl,-rpath,%t -o %t/main
// RUN: %t/main | FileCheck %t/main.c

// One library for every size: parts, pieces, reshapes and broadcasts of run-time size beside plain C.

//--- program.mlir
func.func public @half(%x: tensor<?xf32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %start = stablehlo.constant dense<0> : tensor<1xi32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %half = stablehlo.divide %n, %two : tensor<i32>
  %size = stablehlo.reshape %half : (tensor<i32>) -> tensor<1xi32>
  %part = "stablehlo.dynamic_gather"(%x, %start, %size) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], start_index_map = [0]>, indices_are_sorted = true}> : (tensor<?xf32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
  %sum = stablehlo.reduce(%part init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?xf32>, tensor<f32>) -> tensor<f32>
  return %sum : tensor<f32>
}

func.func public @shifted(%x: tensor<?xf32>) -> tensor<?xf32> {
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %less = stablehlo.constant dense<-1> : tensor<i32>
  %nine = stablehlo.constant dense<9.0> : tensor<1xf32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %rest = stablehlo.add %n, %less : tensor<i32>
  %size = stablehlo.reshape %rest : (tensor<i32>) -> tensor<1xi32>
  %part = "stablehlo.dynamic_gather"(%x, %one, %size) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], start_index_map = [0]>, indices_are_sorted = true}> : (tensor<?xf32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
  %all = stablehlo.concatenate %part, %nine, dim = 0 : (tensor<?xf32>, tensor<1xf32>) -> tensor<?xf32>
  return %all : tensor<?xf32>
}

func.func public @columns(%x: tensor<?x2xf32>) -> tensor<2x?xf32> {
  %two = stablehlo.constant dense<2> : tensor<1xi32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x2xf32>) -> tensor<i32>
  %r = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %s = stablehlo.concatenate %two, %r, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %y = stablehlo.dynamic_reshape %x, %s : (tensor<?x2xf32>, tensor<2xi32>) -> tensor<2x?xf32>
  return %y : tensor<2x?xf32>
}

func.func public @stretched(%x: tensor<?xf32>, %e: tensor<?xf32>) -> tensor<?xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %s = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %b = stablehlo.dynamic_broadcast_in_dim %e, %s, dims = [0] : (tensor<?xf32>, tensor<1xi32>) -> tensor<?xf32>
  %r = stablehlo.add %x, %b : tensor<?xf32>
  return %r : tensor<?xf32>
}

//--- main.c
#include "sizes.h"
#include "mapwright-c/runtime.h"

#include <stdio.h>

enum { LARGEST = 12 };

static _Alignas(64) float x[2 * LARGEST + 2], e[LARGEST];

/* Are the results, of so many elements, as expected? They are freed. */
static int same(mw_context *context, void *result, int64_t count, const float *expected) {
  int all = 1;
  for (int64_t i = 0; i < count; ++i)
    all &= ((const float *)result)[i] == expected[i];
  mw_free(context, result, count * (int64_t)sizeof(float));
  return all;
}

int main(void) {
  /* What lies behind an argument is not read: it would be seen. */
  for (int i = 0; i < 2 * LARGEST + 2; ++i)
    x[i] = (float)(1 << (i % 20));
  for (int i = 0; i < LARGEST; ++i)
    e[i] = (float)(-3 * i - 1);
  mw_context *context = mw_context_create(0);
  if (!context)
    return 1;
  const int64_t sizes[] = {1, 2, 3, 6, 7, 12};
  for (int k = 0; k < 6; ++k) {
    const int64_t n = sizes[k];
    int64_t found[2];
    const void *arguments[] = {x, e};
    float expected[2 * LARGEST], half = 0, sum = -1;
    void *results[] = {&sum};

    for (int64_t i = 0; i < n / 2; ++i)
      half += x[i];
    int right = !sizes_half(context, arguments, &n, results, found) && sum == half;

    for (int64_t i = 0; i < n; ++i)
      expected[i] = i + 1 < n ? x[i + 1] : 9;
    results[0] = 0;
    right &= !sizes_shifted(context, arguments, &n, results, found) && found[0] == n;
    right &= same(context, results[0], n, expected);

    const int64_t rows[] = {n, 2};
    results[0] = 0;
    right &= !sizes_columns(context, arguments, rows, results, found) && found[1] == n;
    right &= same(context, results[0], 2 * n, x);

    for (int64_t one = 0; one < 2; ++one) {
      const int64_t both[] = {n, one ? 1 : n};
      for (int64_t i = 0; i < n; ++i)
        expected[i] = x[i] + e[one ? 0 : i];
      results[0] = 0;
      right &= !sizes_stretched(context, arguments, both, results, found) && found[0] == n;
      right &= same(context, results[0], n, expected);
    }
    /* CHECK: 1: as in plain C
     * CHECK-NEXT: 2: as in plain C
     * CHECK-NEXT: 3: as in plain C
     * CHECK-NEXT: 6: as in plain C
     * CHECK-NEXT: 7: as in plain C
     * CHECK-NEXT: 12: as in plain C
     */
    printf("%d: %s\n", (int)n, right ? "as in plain C" : "different");
  }
  mw_context_destroy(context);
  return 0;
}
