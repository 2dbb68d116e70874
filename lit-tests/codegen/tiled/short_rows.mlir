// RUN: mapwright-opt %s --indexing-normalize --indexing-fuse --indexing-lower=vector-bits=512 | FileCheck %s
// RUN: mapwright run %s | FileCheck %s --check-prefix=VALUES

// Reductions over several rows that are shorter than a vector: the lanes behind a row get the identity of the reduction, so that the next row
// does not wait for a choice between accumulators.

// CHECK: func.func {{.*}}@region_0(
// CHECK: %[[SUMS:.*]] = arith.constant dense<-0.000000e+00> : vector<16xf32>
// CHECK: scf.for
// CHECK: scf.for
// CHECK: %[[MASK:.*]] = vector.create_mask
// CHECK: %[[ROW:.*]] = vector.maskedload {{.*}}, %[[MASK]]
// CHECK: %[[ELEMENTS:.*]] = arith.select %[[MASK]], %[[ROW]], %[[SUMS]]
// CHECK: %[[OLD:.*]] = memref.load %[[SUM:.*]][]
// CHECK: %[[NEW:.*]] = arith.addf %[[OLD]], %[[ELEMENTS]]
// CHECK: memref.store %[[NEW]], %[[SUM]][]
// CHECK: func.func {{.*}}@region_
// CHECK: dense<0xFF800000> : vector<16xf32>
// CHECK: arith.select
// CHECK: arith.maximumf
// CHECK: func.func {{.*}}@region_
// CHECK: dense<1.000000e+00> : vector<16xf32>
// CHECK: arith.select
// CHECK: arith.mulf

// VALUES: dense<[-55.0, -60.0]>
// VALUES: dense<[-4354560.0, -104509440.0]>
// VALUES: dense<[-1.0, -2.0]>
func.func @main() -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %x = stablehlo.constant dense<[[[-1.0, -2.0, -3.0, -4.0, -5.0], [-2.0, -2.0, -2.0, -3.0, -3.0]],
                                 [[-6.0, -7.0, -8.0, -9.0, -1.0], [-9.0, -8.0, -7.0, -6.0, -5.0]],
                                 [[-1.0, -2.0, -1.0, -2.0, -3.0], [-4.0, -3.0, -2.0, -2.0, -2.0]]]> : tensor<3x2x5xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0, 2] : (tensor<3x2x5xf32>, tensor<f32>) -> tensor<2xf32>
  %product = stablehlo.reduce(%x init: %one) applies stablehlo.multiply across dimensions = [0, 2] : (tensor<3x2x5xf32>, tensor<f32>) -> tensor<2xf32>
  %greatest = stablehlo.reduce(%x init: %least) applies stablehlo.maximum across dimensions = [0, 2] : (tensor<3x2x5xf32>, tensor<f32>) -> tensor<2xf32>
  return %sum, %product, %greatest : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}
