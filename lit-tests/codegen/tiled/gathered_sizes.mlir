// RUN: mapwright-opt %s --indexing-normalize --indexing-fuse --indexing-lower=vector-bits=512 | FileCheck %s
// RUN: rm -rf %t && mkdir %t && mapwright run %s --entry argument --output-dir %t && mv %t/out0.npy %t/arg0.npy
// RUN: mapwright run %s --specialize=off --inputs %t | FileCheck --check-prefix=VALUE %s

// The size of what is gathered is an operand, and no sum of the sizes of operands: the kernel of the reduction, which loops to it, is given it beside
// the size of the argument and its tiles.
// CHECK-LABEL: llvm.func @mw_entry_main
// CHECK: llvm.call @region_2({{.*}}) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i64, i64, i64) -> ()

// numpy.arange(1, 9)[:4].sum(), and numpy.append(numpy.arange(1, 9)[:4], 9).
// VALUE: dense<10.0> : tensor<f32>
// VALUE-NEXT: dense<[1.0, 2.0, 3.0, 4.0, 9.0]> : tensor<5xf32>
func.func @main(%x: tensor<?xf32>) -> (tensor<f32>, tensor<?xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %start = stablehlo.constant dense<0> : tensor<1xi32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %nine = stablehlo.constant dense<9.0> : tensor<1xf32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %half = stablehlo.divide %n, %two : tensor<i32>
  %size = stablehlo.reshape %half : (tensor<i32>) -> tensor<1xi32>
  %part = "stablehlo.dynamic_gather"(%x, %start, %size) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], start_index_map = [0]>, indices_are_sorted = true}> : (tensor<?xf32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
  %sum = stablehlo.reduce(%part init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?xf32>, tensor<f32>) -> tensor<f32>
  %more = stablehlo.concatenate %part, %nine, dim = 0 : (tensor<?xf32>, tensor<1xf32>) -> tensor<?xf32>
  return %sum, %more : tensor<f32>, tensor<?xf32>
}

func.func @argument() -> tensor<8xf32> {
  %x = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32>
  return %x : tensor<8xf32>
}
