module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["data"=4, "model"=2]> {stablehlo.mesh = {axes = [{name = "data", size = 4 : i64}, {name = "model", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<32000x4096xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, %arg1: tensor<32x4096x11008xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"model"}]>}, %arg2: tensor<32x4096x32x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"model"}, {}]>}, %arg3: tensor<32x4096xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg4: tensor<32x4096xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg5: tensor<32x32x128x4096xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}, {}]>}, %arg6: tensor<32x4096x32x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"model"}, {}]>}, %arg7: tensor<32x4096x11008xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"model"}]>}, %arg8: tensor<32x4096x32x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"model"}, {}]>}, %arg9: tensor<32x11008x4096xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}]>}, %arg10: tensor<4096x32000xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, %arg11: tensor<77776x2048xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}) -> (tensor<77776x2048x32000xf32> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<77776x2048xi32>
    %1 = stablehlo.compare LT, %arg11, %0, SIGNED : (tensor<77776x2048xi32>, tensor<77776x2048xi32>) -> tensor<77776x2048xi1>
    %c_0 = stablehlo.constant dense<32000> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<77776x2048xi32>
    %3 = stablehlo.add %arg11, %2 : tensor<77776x2048xi32>
    %4 = stablehlo.select %1, %3, %arg11 : tensor<77776x2048xi1>, tensor<77776x2048xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<77776x2048xi32>) -> tensor<77776x2048x1xi32>
    %6 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 4096>}> : (tensor<32000x4096xf32>, tensor<77776x2048x1xi32>) -> tensor<77776x2048x4096xf32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %7:11 = stablehlo.while(%iterArg = %arg1, %iterArg_2 = %arg2, %iterArg_3 = %arg3, %iterArg_4 = %arg4, %iterArg_5 = %arg5, %iterArg_6 = %arg6, %iterArg_7 = %arg7, %iterArg_8 = %arg8, %iterArg_9 = %arg9, %iterArg_10 = %c_1, %iterArg_11 = %6) : tensor<32x4096x11008xf32>, tensor<32x4096x32x128xf32>, tensor<32x4096xf32>, tensor<32x4096xf32>, tensor<32x32x128x4096xf32>, tensor<32x4096x32x128xf32>, tensor<32x4096x11008xf32>, tensor<32x4096x32x128xf32>, tensor<32x11008x4096xf32>, tensor<i32>, tensor<77776x2048x4096xf32>
    cond {
      %c_12 = stablehlo.constant dense<32> : tensor<i32>
      %9 = stablehlo.compare LT, %iterArg_10, %c_12, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    } do {
      %9 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_10) : (tensor<32x4096x11008xf32>, tensor<i32>) -> tensor<4096x11008xf32>
      %10 = func.call @dynamic_index_in_dim_0(%iterArg_2, %iterArg_10) : (tensor<32x4096x32x128xf32>, tensor<i32>) -> tensor<4096x32x128xf32>
      %11 = func.call @dynamic_index_in_dim_1(%iterArg_3, %iterArg_10) : (tensor<32x4096xf32>, tensor<i32>) -> tensor<4096xf32>
      %12 = func.call @dynamic_index_in_dim_1(%iterArg_4, %iterArg_10) : (tensor<32x4096xf32>, tensor<i32>) -> tensor<4096xf32>
      %13 = func.call @dynamic_index_in_dim_2(%iterArg_5, %iterArg_10) : (tensor<32x32x128x4096xf32>, tensor<i32>) -> tensor<32x128x4096xf32>
      %14 = func.call @dynamic_index_in_dim_0(%iterArg_6, %iterArg_10) : (tensor<32x4096x32x128xf32>, tensor<i32>) -> tensor<4096x32x128xf32>
      %15 = func.call @dynamic_index_in_dim(%iterArg_7, %iterArg_10) : (tensor<32x4096x11008xf32>, tensor<i32>) -> tensor<4096x11008xf32>
      %16 = func.call @dynamic_index_in_dim_0(%iterArg_8, %iterArg_10) : (tensor<32x4096x32x128xf32>, tensor<i32>) -> tensor<4096x32x128xf32>
      %17 = func.call @dynamic_index_in_dim_3(%iterArg_9, %iterArg_10) : (tensor<32x11008x4096xf32>, tensor<i32>) -> tensor<11008x4096xf32>
      %18 = func.call @closed_call(%iterArg_11, %9, %10, %11, %12, %13, %14, %15, %16, %17) : (tensor<77776x2048x4096xf32>, tensor<4096x11008xf32>, tensor<4096x32x128xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<32x128x4096xf32>, tensor<4096x32x128xf32>, tensor<4096x11008xf32>, tensor<4096x32x128xf32>, tensor<11008x4096xf32>) -> tensor<77776x2048x4096xf32>
      %c_12 = stablehlo.constant dense<1> : tensor<i32>
      %19 = stablehlo.add %iterArg_10, %c_12 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_2, %iterArg_3, %iterArg_4, %iterArg_5, %iterArg_6, %iterArg_7, %iterArg_8, %iterArg_9, %19, %18 : tensor<32x4096x11008xf32>, tensor<32x4096x32x128xf32>, tensor<32x4096xf32>, tensor<32x4096xf32>, tensor<32x32x128x4096xf32>, tensor<32x4096x32x128xf32>, tensor<32x4096x11008xf32>, tensor<32x4096x32x128xf32>, tensor<32x11008x4096xf32>, tensor<i32>, tensor<77776x2048x4096xf32>
    }
    %8 = stablehlo.dot_general %7#10, %arg10, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<77776x2048x4096xf32>, tensor<4096x32000xf32>) -> tensor<77776x2048x32000xf32>
    return %8 : tensor<77776x2048x32000xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<32x4096x11008xf32>, %arg1: tensor<i32>) -> tensor<4096x11008xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 4096, 11008] : (tensor<32x4096x11008xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4096x11008xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x4096x11008xf32>) -> tensor<4096x11008xf32>
    return %1 : tensor<4096x11008xf32>
  }
  func.func private @dynamic_index_in_dim_0(%arg0: tensor<32x4096x32x128xf32>, %arg1: tensor<i32>) -> tensor<4096x32x128xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, sizes = [1, 4096, 32, 128] : (tensor<32x4096x32x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4096x32x128xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x4096x32x128xf32>) -> tensor<4096x32x128xf32>
    return %1 : tensor<4096x32x128xf32>
  }
  func.func private @dynamic_index_in_dim_1(%arg0: tensor<32x4096xf32>, %arg1: tensor<i32>) -> tensor<4096xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, sizes = [1, 4096] : (tensor<32x4096xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4096xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x4096xf32>) -> tensor<4096xf32>
    return %1 : tensor<4096xf32>
  }
  func.func private @dynamic_index_in_dim_2(%arg0: tensor<32x32x128x4096xf32>, %arg1: tensor<i32>) -> tensor<32x128x4096xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, sizes = [1, 32, 128, 4096] : (tensor<32x32x128x4096xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x32x128x4096xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x32x128x4096xf32>) -> tensor<32x128x4096xf32>
    return %1 : tensor<32x128x4096xf32>
  }
  func.func private @dynamic_index_in_dim_3(%arg0: tensor<32x11008x4096xf32>, %arg1: tensor<i32>) -> tensor<11008x4096xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 11008, 4096] : (tensor<32x11008x4096xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x11008x4096xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x11008x4096xf32>) -> tensor<11008x4096xf32>
    return %1 : tensor<11008x4096xf32>
  }
  func.func private @closed_call(%arg0: tensor<77776x2048x4096xf32>, %arg1: tensor<4096x11008xf32>, %arg2: tensor<4096x32x128xf32>, %arg3: tensor<4096xf32>, %arg4: tensor<4096xf32>, %arg5: tensor<32x128x4096xf32>, %arg6: tensor<4096x32x128xf32>, %arg7: tensor<4096x11008xf32>, %arg8: tensor<4096x32x128xf32>, %arg9: tensor<11008x4096xf32>) -> tensor<77776x2048x4096xf32> {
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<77776x2048x4096xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<77776x2048x4096xf32>, tensor<f32>) -> tensor<77776x2048xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<77776x2048xf32>) -> tensor<77776x2048x1xf32>
    %cst_0 = stablehlo.constant dense<4.096000e+03> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<77776x2048x1xf32>
    %4 = stablehlo.divide %2, %3 : tensor<77776x2048x1xf32>
    %cst_1 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<77776x2048x1xf32>
    %6 = stablehlo.add %4, %5 : tensor<77776x2048x1xf32>
    %7 = stablehlo.rsqrt %6 : tensor<77776x2048x1xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2] : (tensor<77776x2048x1xf32>) -> tensor<77776x2048x4096xf32>
    %9 = stablehlo.multiply %arg0, %8 : tensor<77776x2048x4096xf32>
    %10 = stablehlo.broadcast_in_dim %arg3, dims = [2] : (tensor<4096xf32>) -> tensor<1x1x4096xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1, 2] : (tensor<1x1x4096xf32>) -> tensor<77776x2048x4096xf32>
    %12 = stablehlo.multiply %9, %11 : tensor<77776x2048x4096xf32>
    %13 = stablehlo.dot_general %12, %arg6, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<77776x2048x4096xf32>, tensor<4096x32x128xf32>) -> tensor<77776x2048x32x128xf32>
    %14 = stablehlo.dot_general %12, %arg2, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<77776x2048x4096xf32>, tensor<4096x32x128xf32>) -> tensor<77776x2048x32x128xf32>
    %15 = stablehlo.dot_general %12, %arg8, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<77776x2048x4096xf32>, tensor<4096x32x128xf32>) -> tensor<77776x2048x32x128xf32>
    %16 = stablehlo.dot_general %13, %14, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<77776x2048x32x128xf32>, tensor<77776x2048x32x128xf32>) -> tensor<77776x32x2048x2048xf32>
    %cst_2 = stablehlo.constant dense<11.3137083> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<77776x32x2048x2048xf32>
    %18 = stablehlo.divide %16, %17 : tensor<77776x32x2048x2048xf32>
    %c = stablehlo.constant dense<true> : tensor<i1>
    %19 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i1>) -> tensor<2048x2048xi1>
    %20 = call @tril(%19) : (tensor<2048x2048xi1>) -> tensor<2048x2048xi1>
    %cst_3 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %21 = call @_where(%20, %18, %cst_3) : (tensor<2048x2048xi1>, tensor<77776x32x2048x2048xf32>, tensor<f32>) -> tensor<77776x32x2048x2048xf32>
    %cst_4 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %22 = stablehlo.reduce(%21 init: %cst_4) applies stablehlo.maximum across dimensions = [3] : (tensor<77776x32x2048x2048xf32>, tensor<f32>) -> tensor<77776x32x2048xf32>
    %cst_5 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<77776x32x2048xf32>
    %24 = stablehlo.maximum %23, %22 : tensor<77776x32x2048xf32>
    %25 = stablehlo.broadcast_in_dim %24, dims = [0, 1, 2] : (tensor<77776x32x2048xf32>) -> tensor<77776x32x2048x1xf32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [0, 1, 2, 3] : (tensor<77776x32x2048x1xf32>) -> tensor<77776x32x2048x2048xf32>
    %27 = stablehlo.subtract %21, %26 : tensor<77776x32x2048x2048xf32>
    %28 = stablehlo.exponential %27 : tensor<77776x32x2048x2048xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %29 = stablehlo.reduce(%28 init: %cst_6) applies stablehlo.add across dimensions = [3] : (tensor<77776x32x2048x2048xf32>, tensor<f32>) -> tensor<77776x32x2048xf32>
    %30 = stablehlo.broadcast_in_dim %29, dims = [0, 1, 2] : (tensor<77776x32x2048xf32>) -> tensor<77776x32x2048x1xf32>
    %31 = stablehlo.broadcast_in_dim %30, dims = [0, 1, 2, 3] : (tensor<77776x32x2048x1xf32>) -> tensor<77776x32x2048x2048xf32>
    %32 = stablehlo.divide %28, %31 : tensor<77776x32x2048x2048xf32>
    %33 = stablehlo.dot_general %15, %32, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<77776x2048x32x128xf32>, tensor<77776x32x2048x2048xf32>) -> tensor<77776x32x128x2048xf32>
    %34 = stablehlo.transpose %33, dims = [0, 3, 1, 2] : (tensor<77776x32x128x2048xf32>) -> tensor<77776x2048x32x128xf32>
    %35 = stablehlo.dot_general %34, %arg5, contracting_dims = [3, 2] x [1, 0], precision = [DEFAULT, DEFAULT] : (tensor<77776x2048x32x128xf32>, tensor<32x128x4096xf32>) -> tensor<77776x2048x4096xf32>
    %36 = stablehlo.add %arg0, %35 : tensor<77776x2048x4096xf32>
    %37 = stablehlo.multiply %36, %36 : tensor<77776x2048x4096xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %38 = stablehlo.reduce(%37 init: %cst_7) applies stablehlo.add across dimensions = [2] : (tensor<77776x2048x4096xf32>, tensor<f32>) -> tensor<77776x2048xf32>
    %39 = stablehlo.broadcast_in_dim %38, dims = [0, 1] : (tensor<77776x2048xf32>) -> tensor<77776x2048x1xf32>
    %cst_8 = stablehlo.constant dense<4.096000e+03> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<77776x2048x1xf32>
    %41 = stablehlo.divide %39, %40 : tensor<77776x2048x1xf32>
    %cst_9 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %42 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<77776x2048x1xf32>
    %43 = stablehlo.add %41, %42 : tensor<77776x2048x1xf32>
    %44 = stablehlo.rsqrt %43 : tensor<77776x2048x1xf32>
    %45 = stablehlo.broadcast_in_dim %44, dims = [0, 1, 2] : (tensor<77776x2048x1xf32>) -> tensor<77776x2048x4096xf32>
    %46 = stablehlo.multiply %36, %45 : tensor<77776x2048x4096xf32>
    %47 = stablehlo.broadcast_in_dim %arg4, dims = [2] : (tensor<4096xf32>) -> tensor<1x1x4096xf32>
    %48 = stablehlo.broadcast_in_dim %47, dims = [0, 1, 2] : (tensor<1x1x4096xf32>) -> tensor<77776x2048x4096xf32>
    %49 = stablehlo.multiply %46, %48 : tensor<77776x2048x4096xf32>
    %50 = stablehlo.dot_general %49, %arg1, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<77776x2048x4096xf32>, tensor<4096x11008xf32>) -> tensor<77776x2048x11008xf32>
    %51 = call @silu(%50) : (tensor<77776x2048x11008xf32>) -> tensor<77776x2048x11008xf32>
    %52 = stablehlo.dot_general %49, %arg7, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<77776x2048x4096xf32>, tensor<4096x11008xf32>) -> tensor<77776x2048x11008xf32>
    %53 = stablehlo.multiply %51, %52 : tensor<77776x2048x11008xf32>
    %54 = stablehlo.dot_general %53, %arg9, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<77776x2048x11008xf32>, tensor<11008x4096xf32>) -> tensor<77776x2048x4096xf32>
    %55 = stablehlo.add %36, %54 : tensor<77776x2048x4096xf32>
    return %55 : tensor<77776x2048x4096xf32>
  }
  func.func private @tril(%arg0: tensor<2048x2048xi1>) -> tensor<2048x2048xi1> {
    %0 = stablehlo.iota dim = 0 : tensor<2048x2048xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2048x2048xi32>
    %2 = stablehlo.add %0, %1 : tensor<2048x2048xi32>
    %3 = stablehlo.iota dim = 1 : tensor<2048x2048xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<2048x2048xi32>, tensor<2048x2048xi32>) -> tensor<2048x2048xi1>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<2048x2048xi1>
    %6 = stablehlo.select %4, %arg0, %5 : tensor<2048x2048xi1>, tensor<2048x2048xi1>
    return %6 : tensor<2048x2048xi1>
  }
  func.func private @_where(%arg0: tensor<2048x2048xi1>, %arg1: tensor<77776x32x2048x2048xf32>, %arg2: tensor<f32>) -> tensor<77776x32x2048x2048xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<2048x2048xi1>) -> tensor<77776x32x2048x2048xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<77776x32x2048x2048xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<77776x32x2048x2048xi1>, tensor<77776x32x2048x2048xf32>
    return %3 : tensor<77776x32x2048x2048xf32>
  }
  func.func private @silu(%arg0: tensor<77776x2048x11008xf32>) -> tensor<77776x2048x11008xf32> {
    %0 = stablehlo.negate %arg0 : tensor<77776x2048x11008xf32>
    %1 = stablehlo.exponential %0 : tensor<77776x2048x11008xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<77776x2048x11008xf32>
    %3 = stablehlo.add %2, %1 : tensor<77776x2048x11008xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<77776x2048x11008xf32>
    %5 = stablehlo.divide %4, %3 : tensor<77776x2048x11008xf32>
    %6 = stablehlo.multiply %arg0, %5 : tensor<77776x2048x11008xf32>
    return %6 : tensor<77776x2048x11008xf32>
  }
}

