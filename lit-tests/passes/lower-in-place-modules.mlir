// RUN: mapwright-opt %s --split-input-file --allow-unregistered-dialect --indexing-lower-in-place | FileCheck %s --implicit-check-not=stablehlo. --implicit-check-not=indexing.sizes
// RUN: mapwright-opt %s --split-input-file --allow-unregistered-dialect --indexing-lower-in-place=partial=true | FileCheck %s --implicit-check-not=stablehlo.

// Modules in which StableHLO stands among other things.

// CHECK-LABEL: func.func @while_of_scf(
// CHECK: scf.while
// CHECK: indexing.call_kernel @while_of_scf_region_0
// CHECK: scf.condition
// CHECK: indexing.call_kernel @while_of_scf_region_1
func.func @while_of_scf(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.while (%a = %x, %i = %c0) : (tensor<4xf32>, index) -> (tensor<4xf32>, index) {
    %go = arith.cmpi slt, %i, %n : index
    %h = stablehlo.negate %a : tensor<4xf32>
    scf.condition(%go) %h, %i : tensor<4xf32>, index
  } do {
  ^bb0(%a: tensor<4xf32>, %i: index):
    %b = stablehlo.exponential %a : tensor<4xf32>
    %j = arith.addi %i, %c1 : index
    scf.yield %b, %j : tensor<4xf32>, index
  }
  return %r#0 : tensor<4xf32>
}

// -----

// Nobody knows whose symbols those are in an operation of a dialect that is not loaded.
// CHECK-LABEL: func.func @unknown_dialect(
// CHECK: "other.wrap"
// CHECK: indexing.call_kernel @unknown_dialect_region_0
// CHECK: "other.yield"
// CHECK: note = "kept"
func.func @unknown_dialect(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = "other.wrap"(%x) ({
  ^bb0(%a: tensor<4xf32>):
    %0 = stablehlo.add %a, %a : tensor<4xf32>
    "other.yield"(%0) : (tensor<4xf32>) -> ()
  }) {note = "kept"} : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// Names of kernels that are taken; attributes of functions, arguments and results; functions without bodies.
// CHECK: func.func private @outside(tensor<4xf32>) -> tensor<4xf32> attributes {other.marked}
// CHECK: func.func @names_region_0()
// CHECK-LABEL: func.func @names(
// CHECK-SAME: tensor<4xf32> {other.kept = 3 : i64}) -> (tensor<4xf32> {other.also})
// CHECK: indexing.call_kernel @names_region_1
// CHECK: call @outside
// CHECK: indexing.call_kernel @names_region_2
// CHECK: func.func private @names_region_1(
func.func private @outside(tensor<4xf32>) -> tensor<4xf32> attributes {other.marked}
func.func @names_region_0() {
  return
}
func.func @names(%x: tensor<4xf32> {other.kept = 3 : i64}) -> (tensor<4xf32> {other.also}) {
  %0 = stablehlo.add %x, %x : tensor<4xf32>
  %1 = call @outside(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.multiply %1, %x : tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @recursive(
// CHECK: indexing.call_kernel @recursive_region_0
// CHECK: func.call @recursive
func.func @recursive(%x: tensor<4xf32>, %n: i32) -> tensor<4xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %done = arith.cmpi eq, %n, %c0 : i32
  %r = scf.if %done -> tensor<4xf32> {
    scf.yield %x : tensor<4xf32>
  } else {
    %y = stablehlo.add %x, %x : tensor<4xf32>
    %m = arith.subi %n, %c1 : i32
    %z = func.call @recursive(%y, %m) : (tensor<4xf32>, i32) -> tensor<4xf32>
    scf.yield %z : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func private @task(
// CHECK: indexing.call_kernel @task_region_0
// CHECK-LABEL: func.func @asynchronous(
// CHECK: async.execute
// CHECK: func.call @task
// CHECK: indexing.call_kernel @asynchronous_region_0
func.func private @task(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.tanh %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @asynchronous(%x: tensor<4xf32>) -> tensor<4xf32> {
  %token, %v = async.execute -> !async.value<tensor<4xf32>> {
    %0 = func.call @task(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = stablehlo.add %0, %0 : tensor<4xf32>
    async.yield %1 : tensor<4xf32>
  }
  %r = async.await %v : !async.value<tensor<4xf32>>
  return %r : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @buffers(
// CHECK-SAME: %[[M:.*]]: memref<4xf32>
// CHECK: %[[R:.*]] = indexing.call_kernel @buffers_region_0
// CHECK: bufferization.materialize_in_destination %[[R]] in writable %[[M]]
func.func @buffers(%m: memref<4xf32>, %x: tensor<4xf32>) {
  %0 = stablehlo.add %x, %x : tensor<4xf32>
  bufferization.materialize_in_destination %0 in writable %m : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

// -----

// CHECK-LABEL: func.func @complex_numbers(
// CHECK: indexing.call_kernel {{.*}} -> tensor<4xf32>
// CHECK: indexing.call_kernel {{.*}} -> tensor<4xcomplex<f32>>
func.func @complex_numbers(%x: tensor<4xcomplex<f32>>) -> (tensor<4xf32>, tensor<4xcomplex<f32>>) {
  %0 = stablehlo.real %x : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %1 = stablehlo.multiply %x, %x : tensor<4xcomplex<f32>>
  return %0, %1 : tensor<4xf32>, tensor<4xcomplex<f32>>
}

// -----

// Values that other blocks of the function use.
// CHECK-LABEL: func.func @blocks(
// CHECK: %[[A:.*]] = indexing.call_kernel @blocks_region_0
// CHECK: cf.cond_br %{{.*}}, ^bb1(%[[A]] : tensor<4xf32>), ^bb2
// CHECK: ^bb2:
// CHECK: indexing.call_kernel @blocks_region_2 ins(%[[A]] : tensor<4xf32>)
func.func @blocks(%x: tensor<4xf32>, %c: i1) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %x : tensor<4xf32>
  cf.cond_br %c, ^a(%0 : tensor<4xf32>), ^b
^a(%p: tensor<4xf32>):
  %1 = stablehlo.negate %p : tensor<4xf32>
  return %1 : tensor<4xf32>
^b:
  %2 = stablehlo.exponential %0 : tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// Kernels are where the symbols of their callers are.
// CHECK: gpu.module @kernels {
// CHECK: func.func private @inner(
// CHECK: indexing.call_kernel @inner_region_0
// CHECK: func.func private @inner_region_0_kernel(
// CHECK: func.func private @inner_region_0(
// CHECK: }
module attributes {gpu.container_module} {
  gpu.module @kernels {
    func.func private @inner(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = stablehlo.add %x, %x : tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    func.func @outer(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = func.call @inner(%x) : (tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }
  }
}

// -----

// Sizes have names while regions are formed, which nothing keeps.
// CHECK-LABEL: func.func @sizes(
// CHECK: tensor.extract_slice %{{.*}} : tensor<?x8xf32> to tensor<?x8xf32>{{$}}
// CHECK: indexing.call_kernel @sizes_region_0
func.func @sizes(%x: tensor<?x8xf32>, %n: index) -> tensor<?xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = tensor.extract_slice %x[0, 0] [%n, 8] [1, 1] : tensor<?x8xf32> to tensor<?x8xf32>
  %0 = stablehlo.exponential %s : tensor<?x8xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<?x8xf32>, tensor<f32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// -----

// Tensors in the bodies of operations of linalg and of loops in parallel.
// CHECK-LABEL: func.func @in_parallel(
// CHECK: scf.forall
// CHECK: tensor.extract_slice
// CHECK: indexing.call_kernel @in_parallel_region_0
// CHECK: tensor.parallel_insert_slice
func.func @in_parallel(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %r = scf.forall (%i) in (4) shared_outs(%o = %e) -> tensor<4x8xf32> {
    %row = tensor.extract_slice %x[%i, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<1x8xf32>
    %0 = stablehlo.tanh %row : tensor<1x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %0 into %o[%i, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<4x8xf32>
    }
  }
  return %r : tensor<4x8xf32>
}
