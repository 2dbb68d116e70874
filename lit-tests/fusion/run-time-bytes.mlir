// RUN: mapwright fusion %s | FileCheck %s
// RUN: mapwright fusion --json %s | FileCheck %s --check-prefix=JSON
// What a region reads and writes, as a formula of the sizes that are known at run time only; static sizes are a number in it, and values of static
// sizes a number before it.
// CHECK: region 0: {{.*}}, reads 2 * dim(%arg0, 0) * dim(%arg0, 1) bytes, writes 8 * dim(%arg0, 1) * dim(%arg0, 0) bytes
// CHECK: region 1: {{.*}}, reads 32 bytes, writes 32 bytes
// CHECK: region 2: {{.*}}, reads 128 + 32 * dim(%arg1, 0) bytes, writes 16 * dim(%arg1, 0) bytes
// JSON: "bytes_read":null,"bytes_written":null,"bytes_read_formula":"2 * dim(%arg0, 0) * dim(%arg0, 1)"
// JSON: "bytes_read":32,"bytes_written":32,"bytes_read_formula":null
// JSON: "bytes_read":null,"bytes_written":null,"bytes_read_formula":"128 + 32 * dim(%arg1, 0)"
func.func @main(%x: tensor<?x?xbf16>, %y: tensor<?x8xf32>, %z: tensor<8xf32>, %w: tensor<8x4xf32>) -> (tensor<?x?xf64>, tensor<8xf32>, tensor<?x4xf32>) {
  %0 = stablehlo.convert %x : (tensor<?x?xbf16>) -> tensor<?x?xf64>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %2 = stablehlo.tanh %z : tensor<8xf32>
  %3 = stablehlo.dot_general %y, %w, contracting_dims = [1] x [0] : (tensor<?x8xf32>, tensor<8x4xf32>) -> tensor<?x4xf32>
  return %1, %2, %3 : tensor<?x?xf64>, tensor<8xf32>, tensor<?x4xf32>
}
