// RUN: mapwright-opt %s --indexing-differentiate="of=f wrt=1,2" | FileCheck %s
// RUN: not mapwright-opt %s --indexing-differentiate="of=f wrt=3" 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not mapwright-opt %s --indexing-differentiate="of=f wrt=0" 2>&1 | FileCheck %s --check-prefix=NUMBER

// Arguments are counted as they are written: an array is one, and its cotangent an array of the same lengths.

// CHECK: func.func @f_vjp(%{{.*}}: tensor<i64>, %[[X:.*]]: !tarray.array<tensor<2xf32>, max = 3>, %{{.*}}: tensor<2xf32>, %{{.*}}: tensor<2xf32>) -> (!tarray.array<tensor<2xf32>, max = 3>, tensor<2xf32>)
// CHECK: %[[VALUES:.*]], %[[OFFSETS:.*]] = tarray.to_offsets %[[X]]
// CHECK: %[[RESULT:.*]] = tarray.from_offsets %{{.*}}, %[[OFFSETS]] max = [3]
// CHECK: return %[[RESULT]], %{{.*}}
// CHECK: func.func @f(%{{.*}}: !tarray.array
// CHECK: tarray.reduce
// NONE: has no argument 3
// NUMBER: argument 0 is no tensor of floating-point numbers
func.func @f(%n: tensor<i64>, %x: !tarray.array<tensor<2xf32>, max = 3>, %w: tensor<2xf32>) -> tensor<2xf32> {
  %y = tarray.parallel_foreach (%e in %x : !tarray.array<tensor<2xf32>, max = 3>) {
    %0 = stablehlo.multiply %e, %w : tensor<2xf32>
    tarray.yield %0 : tensor<2xf32>
  }
  %z = stablehlo.constant dense<0.0> : tensor<2xf32>
  %s = tarray.reduce (%e in %y : !tarray.array<tensor<2xf32>, max = 3>, %a = %z : tensor<2xf32>) {
    %0 = stablehlo.add %e, %a : tensor<2xf32>
    tarray.yield %0 : tensor<2xf32>
  }
  return %s : tensor<2xf32>
}
