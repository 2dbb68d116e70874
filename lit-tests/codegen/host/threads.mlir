// RUN: mapwright-opt %s --indexing-normalize --indexing-fuse --indexing-lower=threads=2 | FileCheck %s
// RUN: mapwright run %s --threads 1 | FileCheck %s --check-prefix=VALUES
// RUN: mapwright run %s --threads 2 | FileCheck %s --check-prefix=VALUES

// A region with work enough is handed to the pool, which calls it for ranges of its tiles.
// The sum is that of 2048 rows 0, 1, …, 2047: 2048 * 2047 * 1024.

// CHECK: llvm.func @mw_entry_main
// CHECK: llvm.call @mw_parallel
// CHECK: func.func {{.*}}@region_0({{.*}}: index, {{.*}}: index)

// VALUES: dense<4292870144> : tensor<i64>
func.func public @main() -> tensor<i64> {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %row = stablehlo.iota dim = 0 : tensor<2048x2048xi64>
  %column = stablehlo.iota dim = 1 : tensor<2048x2048xi64>
  %three = stablehlo.constant dense<3> : tensor<2048x2048xi64>
  %0 = stablehlo.multiply %row, %three : tensor<2048x2048xi64>
  %1 = stablehlo.remainder %0, %three : tensor<2048x2048xi64>
  %2 = stablehlo.add %1, %column : tensor<2048x2048xi64>
  %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<2048x2048xi64>, tensor<i64>) -> tensor<i64>
  return %3 : tensor<i64>
}
