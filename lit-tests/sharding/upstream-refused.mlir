// RUN: not mapwright-opt %s --pass-pipeline='builtin.module(func.func(shard-partition))' 2>&1 | FileCheck %s

// Annotations that split what is cut: propagation would have it put together before.
shard.grid @grid(shape = 4)

func.func @cut(%a: tensor<8x16xf32>) -> tensor<8x8xf32> {
  %columns = shard.sharding @grid split_axes = [[], [0]] : !shard.sharding
  %0 = shard.shard %a to %columns : tensor<8x16xf32>
  %1 = shard.shard %0 to %columns annotate_for_users : tensor<8x16xf32>
  // CHECK: upstream-refused.mlir:[[@LINE+1]]:8: error: 'tensor.extract_slice' op has a dimension that is split, but has to be read or written whole
  %2 = tensor.extract_slice %1[0, 0] [8, 8] [1, 1] : tensor<8x16xf32> to tensor<8x8xf32>
  %3 = shard.shard %2 to %columns : tensor<8x8xf32>
  %4 = shard.shard %3 to %columns annotate_for_users : tensor<8x8xf32>
  return %4 : tensor<8x8xf32>
}
