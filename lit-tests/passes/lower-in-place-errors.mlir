// RUN: not mapwright-opt %s --split-input-file --indexing-lower-in-place 2>&1 | FileCheck %s
// RUN: mapwright-opt %s --split-input-file --indexing-lower-in-place=partial=true | FileCheck %s --check-prefix=PARTIAL

// CHECK: :[[@LINE+6]]:{{.*}}: error: 'stablehlo.all_reduce' op cannot be lowered in place
// PARTIAL: func.func @communicates
// PARTIAL: indexing.call_kernel @communicates_region_0
// PARTIAL: stablehlo.all_reduce
func.func @communicates(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.negate %x : tensor<4xf32>
  %1 = "stablehlo.all_reduce"(%0) <{replica_groups = dense<[[0]]> : tensor<1x1xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// CHECK: :[[@LINE+5]]:{{.*}}: error: 'stablehlo.add' op has a value of type tensor<4xi4>, whose elements upstream's buffers hold in another form
// PARTIAL: func.func @nibbles
// PARTIAL: stablehlo.add
// PARTIAL: indexing.call_kernel @nibbles_region_{{.}}
func.func @nibbles(%x: tensor<4xi4>, %y: tensor<4xf32>) -> (tensor<4xi4>, tensor<4xf32>) {
  %0 = stablehlo.add %x, %x : tensor<4xi4>
  %1 = stablehlo.exponential %y : tensor<4xf32>
  return %0, %1 : tensor<4xi4>, tensor<4xf32>
}

// -----

// CHECK: :[[@LINE+4]]:{{.*}}: error: 'stablehlo.add' op has a value of type tensor<?xf32, #stablehlo.bounds<4>>, whose bounds upstream's buffers do not have
// PARTIAL: func.func @bounded
// PARTIAL: stablehlo.add
func.func @bounded(%x: tensor<?xf32, #stablehlo.bounds<4>>) -> tensor<?xf32, #stablehlo.bounds<4>> {
  %0 = stablehlo.add %x, %x : tensor<?xf32, #stablehlo.bounds<4>>
  return %0 : tensor<?xf32, #stablehlo.bounds<4>>
}
