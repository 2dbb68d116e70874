// RUN: mapwright run %s
// RUN: mapwright run %s --interpret
// RUN: mapwright run %s --threads 1

// Messages by pairs of a source and a target: each partition sends what it has to the next one, and to nobody from the last one; to the first
// one nobody sends, which gets zeros. Two messages of one channel keep their order.

func.func @main() {
  %t = stablehlo.create_token : !stablehlo.token
  %a = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %b = stablehlo.constant dense<[10, 20]> : tensor<2xi32>
  %c = stablehlo.constant dense<[100, 200]> : tensor<2xi32>
  %d = stablehlo.constant dense<[1000, 2000]> : tensor<2xi32>
  // Partitions of one replica.
  %p:12 = "interpreter.run_parallel"(%a, %t, %b, %t, %c, %t, %d, %t) {programs = [[@shift, @shift, @shift, @shift]]} : (tensor<2xi32>, !stablehlo.token, tensor<2xi32>, !stablehlo.token, tensor<2xi32>, !stablehlo.token, tensor<2xi32>, !stablehlo.token) -> (tensor<2xi32>, tensor<2xi32>, !stablehlo.token, tensor<2xi32>, tensor<2xi32>, !stablehlo.token, tensor<2xi32>, tensor<2xi32>, !stablehlo.token, tensor<2xi32>, tensor<2xi32>, !stablehlo.token)
  check.expect_eq_const %p#0, dense<0> : tensor<2xi32>
  check.expect_eq_const %p#1, dense<0> : tensor<2xi32>
  check.expect_eq %p#3, %a : tensor<2xi32>
  check.expect_eq_const %p#4, dense<[2, 4]> : tensor<2xi32>
  check.expect_eq %p#6, %b : tensor<2xi32>
  check.expect_eq %p#9, %c : tensor<2xi32>
  check.expect_eq_const %p#10, dense<[200, 400]> : tensor<2xi32>

  // Replicas of one partition each.
  %r:12 = "interpreter.run_parallel"(%a, %t, %b, %t, %c, %t, %d, %t) {programs = [[@shift], [@shift], [@shift], [@shift]]} : (tensor<2xi32>, !stablehlo.token, tensor<2xi32>, !stablehlo.token, tensor<2xi32>, !stablehlo.token, tensor<2xi32>, !stablehlo.token) -> (tensor<2xi32>, tensor<2xi32>, !stablehlo.token, tensor<2xi32>, tensor<2xi32>, !stablehlo.token, tensor<2xi32>, tensor<2xi32>, !stablehlo.token, tensor<2xi32>, tensor<2xi32>, !stablehlo.token)
  check.expect_eq_const %r#0, dense<0> : tensor<2xi32>
  check.expect_eq %r#6, %b : tensor<2xi32>
  check.expect_eq_const %r#10, dense<[200, 400]> : tensor<2xi32>
  return
}

func.func private @shift(%x: tensor<2xi32>, %t: !stablehlo.token) -> (tensor<2xi32>, tensor<2xi32>, !stablehlo.token) {
  %twice = stablehlo.add %x, %x : tensor<2xi32>
  %0 = "stablehlo.send"(%x, %t) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3]]> : tensor<3x2xi64>}> : (tensor<2xi32>, !stablehlo.token) -> !stablehlo.token
  %1 = "stablehlo.send"(%twice, %0) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3]]> : tensor<3x2xi64>}> : (tensor<2xi32>, !stablehlo.token) -> !stablehlo.token
  %2:2 = "stablehlo.recv"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3]]> : tensor<3x2xi64>}> : (!stablehlo.token) -> (tensor<2xi32>, !stablehlo.token)
  %3:2 = "stablehlo.recv"(%2#1) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3]]> : tensor<3x2xi64>}> : (!stablehlo.token) -> (tensor<2xi32>, !stablehlo.token)
  return %2#0, %3#0, %3#1 : tensor<2xi32>, tensor<2xi32>, !stablehlo.token
}
