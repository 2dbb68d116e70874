// RUN: not mapwright-opt %s --split-input-file --indexing-lower-in-place 2>&1 | FileCheck %s
// RUN: mapwright-opt %s --split-input-file --indexing-lower-in-place=partial=true | FileCheck %s --check-prefix=PARTIAL

// CHECK: :[[@LINE+5]]:{{.*}}: error: 'stablehlo.custom_call' op has a value of type tensor<4xi4>, in whose bytes the runtime has copies of the sign, and LLVM has none
// PARTIAL: func.func @nibbles
// PARTIAL: stablehlo.custom_call
// PARTIAL: indexing.call_kernel @nibbles_region_{{.}}
func.func @nibbles(%x: tensor<4xi4>, %y: tensor<4xf32>) -> (tensor<4xi4>, tensor<4xf32>) {
  %0 = stablehlo.custom_call @of_somebody(%x) : (tensor<4xi4>) -> tensor<4xi4>
  %1 = stablehlo.exponential %y : tensor<4xf32>
  return %0, %1 : tensor<4xi4>, tensor<4xf32>
}

// -----

// CHECK: :[[@LINE+4]]:{{.*}}: error: 'stablehlo.outfeed' op has a value of type !stablehlo.token, which is no ranked tensor
// PARTIAL: func.func @tokens(%{{.*}}: tensor<4xf32>, %{{.*}}: !stablehlo.token) -> !stablehlo.token
// PARTIAL: stablehlo.outfeed
func.func @tokens(%x: tensor<4xf32>, %t: !stablehlo.token) -> !stablehlo.token {
  %0 = "stablehlo.outfeed"(%x, %t) : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  return %0 : !stablehlo.token
}

// -----

// CHECK: :[[@LINE+5]]:{{.*}}: error: 'stablehlo.get_tuple_element' op has a value of type tuple<tensor<4xf32>, tensor<4xi32>>, which is no ranked tensor
// PARTIAL: func.func @tuples
// PARTIAL: %[[X:.*]] = stablehlo.get_tuple_element
// PARTIAL: indexing.call_kernel @tuples_region_0 ins(%[[X]] : tensor<4xf32>)
func.func @tuples(%x: tuple<tensor<4xf32>, tensor<4xi32>>) -> tensor<4xf32> {
  %0 = stablehlo.get_tuple_element %x[0] : (tuple<tensor<4xf32>, tensor<4xi32>>) -> tensor<4xf32>
  %1 = stablehlo.add %0, %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// What is beside an error is not lowered either, and a loop around it does not become scf, but for partial=true.
// CHECK: :[[@LINE+10]]:{{.*}}: error: 'stablehlo.outfeed' op has a value of type !stablehlo.token, which is no ranked tensor
// PARTIAL: func.func @in_a_loop
// PARTIAL: scf.while
// PARTIAL: stablehlo.outfeed
func.func @in_a_loop(%x: tensor<4xf32>, %go: tensor<i1>, %t: !stablehlo.token) -> tensor<4xf32> {
  %r:2 = stablehlo.while(%a = %x, %c = %go) : tensor<4xf32>, tensor<i1>
    cond {
      stablehlo.return %c : tensor<i1>
    } do {
      %no = stablehlo.constant dense<false> : tensor<i1>
      %sent = "stablehlo.outfeed"(%a, %t) : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
      stablehlo.return %a, %no : tensor<4xf32>, tensor<i1>
    }
  return %r#0 : tensor<4xf32>
}

// -----

// CHECK: :[[@LINE+4]]:{{.*}}: error: 'stablehlo.recv' op has a value of type !stablehlo.token, which is no ranked tensor
// PARTIAL: func.func @receives
// PARTIAL: stablehlo.recv
func.func @receives(%t: !stablehlo.token) -> (tensor<4xf32>, !stablehlo.token) {
  %0:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  return %0#0, %0#1 : tensor<4xf32>, !stablehlo.token
}

// -----

// CHECK: :[[@LINE+4]]:{{.*}}: error: 'stablehlo.after_all' op has a value of type !stablehlo.token, which is no ranked tensor
// PARTIAL: func.func @joins
// PARTIAL: stablehlo.after_all
func.func @joins(%t: !stablehlo.token) -> !stablehlo.token {
  %0 = stablehlo.after_all %t, %t : !stablehlo.token
  return %0 : !stablehlo.token
}

// -----

// CHECK: :[[@LINE+4]]:{{.*}}: error: 'stablehlo.all_reduce' op names process 1, and code that is lowered in place runs as process 0 alone
// PARTIAL: func.func @reduces_over_two
// PARTIAL: stablehlo.all_reduce
func.func @reduces_over_two(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// CHECK: :[[@LINE+4]]:{{.*}}: error: 'stablehlo.collective_permute' op names process 1, and code that is lowered in place runs as process 0 alone
// PARTIAL: func.func @sends_to_another
// PARTIAL: stablehlo.collective_permute
func.func @sends_to_another(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
