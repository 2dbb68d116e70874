// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-lower-in-place,%one_shot_bufferize,%to_llvm)' | %run_main | FileCheck %s
// Collectives are those of one device: the only member of each group gets back what it gave, and zeros where nobody sends it anything. Of elements of four bits
// the reducer gets the numbers, not their bytes.
// CHECK: data =
// CHECK: {{\[}}[-1,   -2],
// CHECK:  [-3,   -4]]
// CHECK: {{\[}}[0,   0],
// CHECK:  [0,   0]]
// CHECK: data =
// CHECK: [0]
// CHECK: [-8,  7,  3]
// In a loop, with a size that is known at run time only: twice the operand.
// CHECK: {{\[}}[2,   4],
// CHECK:  [6,   8]]
func.func private @printMemrefF32(tensor<*xf32>)
func.func private @printMemrefI32(tensor<*xi32>)
func.func @f(%x: tensor<?x2xf32>, %go: tensor<i1>) -> tensor<?x2xf32> {
  %r:2 = stablehlo.while(%a = %x, %c = %go) : tensor<?x2xf32>, tensor<i1>
    cond {
      stablehlo.return %c : tensor<i1>
    } do {
      %no = stablehlo.constant dense<false> : tensor<i1>
      %1 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0]]> : tensor<1x1xi64>}> ({
      ^bb0(%p: tensor<f32>, %q: tensor<f32>):
        %s = stablehlo.add %p, %q : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }) : (tensor<?x2xf32>) -> tensor<?x2xf32>
      %2 = "stablehlo.all_gather"(%1) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0]]> : tensor<1x1xi64>}> : (tensor<?x2xf32>) -> tensor<?x2xf32>
      %3 = stablehlo.add %2, %2 : tensor<?x2xf32>
      stablehlo.return %3, %no : tensor<?x2xf32>, tensor<i1>
    }
  return %r#0 : tensor<?x2xf32>
}
func.func @main() {
  %x = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %n = stablehlo.negate %x : tensor<2x2xf32>
  %r = "stablehlo.all_reduce"(%n) <{replica_groups = dense<[[0]]> : tensor<1x1xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %g = "stablehlo.all_gather"(%r) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0]]> : tensor<1x1xi64>}> : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %t = "stablehlo.all_to_all"(%g) <{split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 1 : i64, replica_groups = dense<[[0]]> : tensor<1x1xi64>}> : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %s = "stablehlo.reduce_scatter"(%t) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0]]> : tensor<1x1xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %p = "stablehlo.collective_permute"(%s) <{source_target_pairs = dense<[[0, 0]]> : tensor<1x2xi64>}> : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %q = "stablehlo.collective_permute"(%s) <{source_target_pairs = dense<> : tensor<0x2xi64>}> : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %o = "stablehlo.collective_broadcast"(%p) <{replica_groups = dense<[[0]]> : tensor<1x1xi64>}> : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %u = tensor.cast %o : tensor<2x2xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  %w = tensor.cast %q : tensor<2x2xf32> to tensor<*xf32>
  call @printMemrefF32(%w) : (tensor<*xf32>) -> ()
  %id = stablehlo.replica_id : tensor<ui32>
  %k = stablehlo.convert %id : (tensor<ui32>) -> tensor<i32>
  %e = tensor.cast %k : tensor<i32> to tensor<*xi32>
  call @printMemrefI32(%e) : (tensor<*xi32>) -> ()
  %few = stablehlo.constant dense<[-8, 7, 3]> : tensor<3xi4>
  %few2 = "stablehlo.all_reduce"(%few) <{replica_groups = dense<[[0]]> : tensor<1x1xi64>}> ({
  ^bb0(%a: tensor<i4>, %b: tensor<i4>):
    %c = stablehlo.add %a, %b : tensor<i4>
    stablehlo.return %c : tensor<i4>
  }) : (tensor<3xi4>) -> tensor<3xi4>
  %few3 = stablehlo.convert %few2 : (tensor<3xi4>) -> tensor<3xi32>
  %f = tensor.cast %few3 : tensor<3xi32> to tensor<*xi32>
  call @printMemrefI32(%f) : (tensor<*xi32>) -> ()
  %given = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %open = tensor.cast %given : tensor<2x2xf32> to tensor<?x2xf32>
  %go = arith.constant dense<true> : tensor<i1>
  %doubled = call @f(%open, %go) : (tensor<?x2xf32>, tensor<i1>) -> tensor<?x2xf32>
  %d = tensor.cast %doubled : tensor<?x2xf32> to tensor<*xf32>
  call @printMemrefF32(%d) : (tensor<*xf32>) -> ()
  return
}
