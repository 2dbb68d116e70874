// RUN: mapwright-opt %s --split-input-file --verify-diagnostics

// Collectives: a function for each constraint of the specification, which violates it.

func.func @all_gather_c1(%a: tensor<2x2xf32>) {
  // expected-error@+1 {{(all_gather_c1)}}
  %0 = "stablehlo.all_gather"(%a) {all_gather_dim = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x2xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @all_gather_c2(%a: tensor<2x2xf32>) {
  // expected-error@+1 {{(all_gather_c2)}}
  %0 = "stablehlo.all_gather"(%a) {all_gather_dim = 1 : i64, replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>} : (tensor<2x2xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @all_gather_c4(%a: tensor<2x2xf32>) {
  // expected-error@+1 {{(all_gather_c4)}}
  %0 = "stablehlo.all_gather"(%a) {all_gather_dim = 1 : i64, replica_groups = dense<[[0, 2]]> : tensor<1x2xi64>} : (tensor<2x2xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @all_gather_c5(%a: tensor<2x2xf32>) {
  // expected-error@+1 {{(all_gather_c5)}}
  %0 = "stablehlo.all_gather"(%a) {all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>, use_global_device_ids} : (tensor<2x2xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @all_gather_c6(%a: tensor<2x2xf32>) {
  // expected-error@+1 {{(all_gather_c6)}}
  %0 = "stablehlo.all_gather"(%a) {all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x2xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @all_reduce_c1(%a: tensor<4xf32>) {
  // expected-error@+1 {{(all_reduce_c1)}}
  %0 = "stablehlo.all_reduce"(%a) ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    "stablehlo.return"(%x0) : (tensor<f32>) -> ()
  }) {replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @all_reduce_c3(%a: tensor<4xf32>) {
  // expected-error@+1 {{(all_reduce_c3)}}
  %0 = "stablehlo.all_reduce"(%a) ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    "stablehlo.return"(%x0) : (tensor<f32>) -> ()
  }) {replica_groups = dense<[[0, 2]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @all_reduce_c4(%a: tensor<4xf32>) {
  // expected-error@+1 {{(all_reduce_c4)}}
  %0 = "stablehlo.all_reduce"(%a) ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    "stablehlo.return"(%x0) : (tensor<f32>) -> ()
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>, use_global_device_ids} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @all_reduce_c5(%a: tensor<4xf32>) {
  // expected-error@+1 {{(all_reduce_c5)}}
  %0 = "stablehlo.all_reduce"(%a) ({
  ^bb0(%x0: tensor<i32>, %x1: tensor<i32>):
    "stablehlo.return"(%x0) : (tensor<i32>) -> ()
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @all_reduce_c6(%a: tensor<4xf32>) {
  // expected-error@+1 {{(all_reduce_c6)}}
  %0 = "stablehlo.all_reduce"(%a) ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    "stablehlo.return"(%x0) : (tensor<f32>) -> ()
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @all_reduce_c7(%a: tensor<4xf32>) {
  // expected-error@+1 {{(all_reduce_c7)}}
  %0 = "stablehlo.all_reduce"(%a) ({
  ^bb0(%x0: tensor<f64>, %x1: tensor<f64>):
    "stablehlo.return"(%x0) : (tensor<f64>) -> ()
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @all_to_all_c1(%a: tensor<2x4xf32>) {
  // expected-error@+1 {{(all_to_all_c1)}}
  %0 = "stablehlo.all_to_all"(%a) {split_dimension = 2 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x4xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @all_to_all_c2(%a: tensor<2x4xf32>) {
  // expected-error@+1 {{(all_to_all_c2)}}
  %0 = "stablehlo.all_to_all"(%a) {split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 3 : i64, replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>} : (tensor<2x4xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @all_to_all_c3(%a: tensor<2x4xf32>) {
  // expected-error@+1 {{(all_to_all_c3)}}
  %0 = "stablehlo.all_to_all"(%a) {split_dimension = 1 : i64, concat_dimension = 2 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x4xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @all_to_all_c4(%a: tensor<2x4xf32>) {
  // expected-error@+1 {{(all_to_all_c4)}}
  %0 = "stablehlo.all_to_all"(%a) {split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x4xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @all_to_all_c5(%a: tensor<2x4xf32>) {
  // expected-error@+1 {{(all_to_all_c5)}}
  %0 = "stablehlo.all_to_all"(%a) {split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>} : (tensor<2x4xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @all_to_all_c7(%a: tensor<2x4xf32>) {
  // expected-error@+1 {{(all_to_all_c7)}}
  %0 = "stablehlo.all_to_all"(%a) {split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 2]]> : tensor<1x2xi64>} : (tensor<2x4xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @all_to_all_c8(%a: tensor<2x4xf32>) {
  // expected-error@+1 {{(all_to_all_c8)}}
  %0 = "stablehlo.all_to_all"(%a) {split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0], [1]]> : tensor<2x1xi64>} : (tensor<2x4xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @all_to_all_c9(%a: tensor<2x4xf32>) {
  // expected-error@+1 {{(all_to_all_c9)}}
  %0 = "stablehlo.all_to_all"(%a) {split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x4xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @collective_broadcast_c1(%a: tensor<2xf32>) {
  // expected-error@+1 {{(collective_broadcast_c1)}}
  %0 = "stablehlo.collective_broadcast"(%a) {replica_groups = dense<[[1, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @collective_broadcast_c2(%a: tensor<2xf32>) {
  // expected-error@+1 {{(collective_broadcast_c2)}}
  %0 = "stablehlo.collective_broadcast"(%a) {replica_groups = dense<[[-1, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @collective_broadcast_c3(%a: tensor<2xf32>) {
  // expected-error@+1 {{(collective_broadcast_c3)}}
  %0 = "stablehlo.collective_broadcast"(%a) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @collective_broadcast_c4(%a: tensor<2xf32>, %root: tensor<2xi32>) {
  // expected-error@+1 {{'has_dynamic_root' needs a last operand of the type tensor<1xi32> (collective_broadcast_c4)}}
  %0 = "stablehlo.collective_broadcast"(%a, %root) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, has_dynamic_root} : (tensor<2xf32>, tensor<2xi32>) -> tensor<2xf32>
  return
}

// -----

func.func @collective_reduce_c1(%a: tensor<2xf32>) {
  // expected-error@+1 {{(collective_reduce_c1)}}
  %0 = "stablehlo.collective_reduce"(%a) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    stablehlo.return %p : tensor<f32>
  }) {replica_groups = dense<[[1, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @collective_reduce_c2(%a: tensor<2xf32>) {
  // expected-error@+1 {{(collective_reduce_c2)}}
  %0 = "stablehlo.collective_reduce"(%a) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    stablehlo.return %p : tensor<f32>
  }) {replica_groups = dense<[[-2, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @collective_reduce_c3(%a: tensor<2xf32>) {
  // expected-error@+1 {{(collective_reduce_c3)}}
  %0 = "stablehlo.collective_reduce"(%a) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    stablehlo.return %p : tensor<f32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @collective_reduce_c4(%a: tensor<2xf32>) {
  // expected-error@+1 {{(collective_reduce_c4)}}
  %0 = "stablehlo.collective_reduce"(%a) ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    stablehlo.return %p : tensor<i32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @collective_permute_c1(%a: tensor<2xf32>) {
  // expected-error@+1 {{(collective_permute_c1)}}
  %0 = "stablehlo.collective_permute"(%a) {source_target_pairs = dense<[[0, 1, 2]]> : tensor<1x3xi64>} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @collective_permute_c2(%a: tensor<2xf32>) {
  // expected-error@+1 {{(collective_permute_c2)}}
  %0 = "stablehlo.collective_permute"(%a) {source_target_pairs = dense<[[0, 1], [0, 2]]> : tensor<2x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @collective_permute_c3(%a: tensor<2xf32>) {
  // expected-error@+1 {{(collective_permute_c3)}}
  %0 = "stablehlo.collective_permute"(%a) {source_target_pairs = dense<[[0, 1], [2, 1]]> : tensor<2x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @collective_permute_c4(%a: tensor<2xf32>) {
  // expected-error@+1 {{(collective_permute_c4)}}
  %0 = "stablehlo.collective_permute"(%a) {source_target_pairs = dense<[[-1, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @collective_permute_c5(%a: tensor<2xf32>) {
  // expected-error@+1 {{(collective_permute_c5)}}
  %0 = "stablehlo.collective_permute"(%a) {source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @reduce_scatter_c1(%a: tensor<2x5xf32>) {
  // expected-error@+1 {{(reduce_scatter_c1)}}
  %0 = "stablehlo.reduce_scatter"(%a) ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    "stablehlo.return"(%x0) : (tensor<f32>) -> ()
  }) {scatter_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x5xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @reduce_scatter_c2(%a: tensor<2x4xf32>) {
  // expected-error@+1 {{(reduce_scatter_c2)}}
  %0 = "stablehlo.reduce_scatter"(%a) ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    "stablehlo.return"(%x0) : (tensor<f32>) -> ()
  }) {scatter_dimension = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x4xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @reduce_scatter_c3(%a: tensor<2x4xf32>) {
  // expected-error@+1 {{(reduce_scatter_c3)}}
  %0 = "stablehlo.reduce_scatter"(%a) ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    "stablehlo.return"(%x0) : (tensor<f32>) -> ()
  }) {scatter_dimension = 1 : i64, replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>} : (tensor<2x4xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @reduce_scatter_c5(%a: tensor<2x4xf32>) {
  // expected-error@+1 {{(reduce_scatter_c5)}}
  %0 = "stablehlo.reduce_scatter"(%a) ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    "stablehlo.return"(%x0) : (tensor<f32>) -> ()
  }) {scatter_dimension = 1 : i64, replica_groups = dense<[[0, 2]]> : tensor<1x2xi64>} : (tensor<2x4xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @reduce_scatter_c6(%a: tensor<2x4xf32>) {
  // expected-error@+1 {{(reduce_scatter_c6)}}
  %0 = "stablehlo.reduce_scatter"(%a) ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    "stablehlo.return"(%x0) : (tensor<f32>) -> ()
  }) {scatter_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>, use_global_device_ids} : (tensor<2x4xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @reduce_scatter_c7(%a: tensor<2x4xf32>) {
  // expected-error@+1 {{(reduce_scatter_c7)}}
  %0 = "stablehlo.reduce_scatter"(%a) ({
  ^bb0(%x0: tensor<i32>, %x1: tensor<i32>):
    "stablehlo.return"(%x0) : (tensor<i32>) -> ()
  }) {scatter_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x4xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @reduce_scatter_c8(%a: tensor<2x4xf32>) {
  // expected-error@+1 {{(reduce_scatter_c8)}}
  %0 = "stablehlo.reduce_scatter"(%a) ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    "stablehlo.return"(%x0) : (tensor<f32>) -> ()
  }) {scatter_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x4xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @reduce_scatter_c9(%a: tensor<2x4xf32>) {
  // expected-error@+1 {{(reduce_scatter_c9)}}
  %0 = "stablehlo.reduce_scatter"(%a) ({
  ^bb0(%x0: tensor<f64>, %x1: tensor<f64>):
    "stablehlo.return"(%x0) : (tensor<f64>) -> ()
  }) {scatter_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x4xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @send_c1(%a: tensor<2xf32>, %t: !stablehlo.token) {
  // expected-error@+1 {{(send_c1)}}
  %0 = "stablehlo.send"(%a, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1, 2]]> : tensor<1x3xi64>} : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  return
}

// -----

func.func @recv_c1(%t: !stablehlo.token) {
  // expected-error@+1 {{(recv_c1)}}
  %0:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1, 2]]> : tensor<1x3xi64>} : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  return
}

// -----

func.func @send_c2(%a: tensor<2xf32>, %t: !stablehlo.token) {
  // expected-error@+1 {{(send_c2)}}
  %0 = "stablehlo.send"(%a, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1], [0, 2]]> : tensor<2x2xi64>} : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  return
}

// -----

func.func @recv_c2(%t: !stablehlo.token) {
  // expected-error@+1 {{(recv_c2)}}
  %0:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1], [0, 2]]> : tensor<2x2xi64>} : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  return
}

// -----

func.func @send_c3(%a: tensor<2xf32>, %t: !stablehlo.token) {
  // expected-error@+1 {{(send_c3)}}
  %0 = "stablehlo.send"(%a, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1], [2, 1]]> : tensor<2x2xi64>} : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  return
}

// -----

func.func @recv_c3(%t: !stablehlo.token) {
  // expected-error@+1 {{(recv_c3)}}
  %0:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1], [2, 1]]> : tensor<2x2xi64>} : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  return
}

// -----

func.func @send_c4(%a: tensor<2xf32>, %t: !stablehlo.token) {
  // expected-error@+1 {{(send_c4)}}
  %0 = "stablehlo.send"(%a, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[-1, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  return
}

// -----

func.func @recv_c4(%t: !stablehlo.token) {
  // expected-error@+1 {{(recv_c4)}}
  %0:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[-1, 1]]> : tensor<1x2xi64>} : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  return
}

// -----

func.func @send_c5(%a: tensor<2xf32>, %t: !stablehlo.token) {
  // expected-error@+1 {{(send_c5)}}
  %0 = "stablehlo.send"(%a, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = false, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  return
}

// -----

func.func @recv_c5(%t: !stablehlo.token) {
  // expected-error@+1 {{(recv_c5)}}
  %0:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = false, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>} : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  return
}
