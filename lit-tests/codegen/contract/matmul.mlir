// RUN: mapwright-opt %s --indexing-normalize --indexing-fuse --indexing-lower=vector-bits=512 | FileCheck %s
// RUN: mapwright-opt %s --indexing-normalize --indexing-fuse '--indexing-lower=vector-bits=512 disable=contraction' | FileCheck %s --check-prefix=OFF
// RUN: mapwright run %s --threads 1 | FileCheck %s --check-prefix=VALUES
// RUN: mapwright run %s --threads 2 | FileCheck %s --check-prefix=VALUES

// A product with its bias: rows of the register tile are carried through the loop over the contracted dimension, the bias is added
// where the sums are written. 5 rows and 19 columns fit no vector.

// CHECK: module @blocks_0
// CHECK: func.func {{.*}}@region_2
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> ({{.*}}vector<16xf32>
// CHECK: math.fma {{.*}} : vector<16xf32>
// CHECK: scf.yield
// CHECK: arith.addf {{.*}} : vector<16xf32>

// OFF-NOT: math.fma {{.*}} : vector

// Element (i, j) is the sum over k of (i - k) * (j + k), plus j: for 7 values of k, 7ij + 21i - 21j - 91 + j.

// VALUES: dense<{{\[\[}}-91.0, -111.0, -131.0, …, -411.0, -431.0, -451.0],
// VALUES-SAME: [-70.0, -83.0, -96.0, …, -278.0, -291.0, -304.0],
// VALUES-SAME: [-49.0, -55.0, -61.0, …, -145.0, -151.0, -157.0],
// VALUES-SAME: [-28.0, -27.0, -26.0, …, -12.0, -11.0, -10.0],
// VALUES-SAME: [-7.0, 1.0, 9.0, …, 121.0, 129.0, 137.0]]> : tensor<5x19xf32>
func.func public @main() -> tensor<5x19xf32> {
  %i = stablehlo.iota dim = 0 : tensor<5x7xf32>
  %ik = stablehlo.iota dim = 1 : tensor<5x7xf32>
  %jk = stablehlo.iota dim = 0 : tensor<7x19xf32>
  %j = stablehlo.iota dim = 1 : tensor<7x19xf32>
  %a = stablehlo.subtract %i, %ik : tensor<5x7xf32>
  %b = stablehlo.add %j, %jk : tensor<7x19xf32>
  %c = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<5x7xf32>, tensor<7x19xf32>) -> tensor<5x19xf32>
  %bias = stablehlo.iota dim = 1 : tensor<5x19xf32>
  %d = stablehlo.add %c, %bias : tensor<5x19xf32>
  return %d : tensor<5x19xf32>
}
