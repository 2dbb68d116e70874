// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-lower-in-place,%one_shot_bufferize,%to_llvm)' | %run_main | FileCheck %s
// An encoder layer as JAX prints it (sequence 8, model 16, 2 heads, hidden 32), called with sines of the positions; what it is compared with was computed by JAX.
// CHECK: data =
// CHECK-NEXT: [1]
func.func private @printMemrefF32(tensor<*xf32>)
  func.func @encoder(%arg0: tensor<8x16xf32>, %arg1: tensor<16xf32>, %arg2: tensor<16xf32>, %arg3: tensor<16x16xf32>, %arg4: tensor<16x16xf32>, %arg5: tensor<16x16xf32>, %arg6: tensor<16x16xf32>, %arg7: tensor<16xf32>, %arg8: tensor<16xf32>, %arg9: tensor<16x32xf32>, %arg10: tensor<32x16xf32>) -> (tensor<8x16xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<8x16xf32>, tensor<f32>) -> tensor<8xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
    %cst_0 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %3 = stablehlo.divide %1, %2 : tensor<8x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x16xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<8x16xf32>
    %6 = stablehlo.multiply %5, %5 : tensor<8x16xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<8x16xf32>, tensor<f32>) -> tensor<8xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
    %cst_2 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %10 = stablehlo.divide %8, %9 : tensor<8x1xf32>
    %11 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x16xf32>
    %12 = stablehlo.subtract %arg0, %11 : tensor<8x16xf32>
    %cst_3 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %14 = stablehlo.add %10, %13 : tensor<8x1xf32>
    %15 = stablehlo.rsqrt %14 : tensor<8x1xf32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x16xf32>
    %17 = stablehlo.multiply %12, %16 : tensor<8x16xf32>
    %18 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<16xf32>) -> tensor<1x16xf32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0, 1] : (tensor<1x16xf32>) -> tensor<8x16xf32>
    %20 = stablehlo.multiply %17, %19 : tensor<8x16xf32>
    %21 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<16xf32>) -> tensor<1x16xf32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [0, 1] : (tensor<1x16xf32>) -> tensor<8x16xf32>
    %23 = stablehlo.add %20, %22 : tensor<8x16xf32>
    %24 = stablehlo.dot_general %23, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
    %25 = stablehlo.reshape %24 : (tensor<8x16xf32>) -> tensor<8x2x8xf32>
    %26 = stablehlo.dot_general %23, %arg4, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
    %27 = stablehlo.reshape %26 : (tensor<8x16xf32>) -> tensor<8x2x8xf32>
    %28 = stablehlo.dot_general %23, %arg5, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
    %29 = stablehlo.reshape %28 : (tensor<8x16xf32>) -> tensor<8x2x8xf32>
    %30 = stablehlo.dot_general %25, %27, batching_dims = [1] x [1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x2x8xf32>, tensor<8x2x8xf32>) -> tensor<2x8x8xf32>
    %cst_4 = stablehlo.constant dense<0.353553385> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<2x8x8xf32>
    %32 = stablehlo.multiply %30, %31 : tensor<2x8x8xf32>
    %cst_5 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %33 = stablehlo.reduce(%32 init: %cst_5) applies stablehlo.maximum across dimensions = [2] : (tensor<2x8x8xf32>, tensor<f32>) -> tensor<2x8xf32>
    %cst_6 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %34 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<2x8xf32>
    %35 = stablehlo.maximum %34, %33 : tensor<2x8xf32>
    %36 = stablehlo.broadcast_in_dim %35, dims = [0, 1] : (tensor<2x8xf32>) -> tensor<2x8x1xf32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [0, 1, 2] : (tensor<2x8x1xf32>) -> tensor<2x8x8xf32>
    %38 = stablehlo.subtract %32, %37 : tensor<2x8x8xf32>
    %39 = stablehlo.exponential %38 : tensor<2x8x8xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %40 = stablehlo.reduce(%39 init: %cst_7) applies stablehlo.add across dimensions = [2] : (tensor<2x8x8xf32>, tensor<f32>) -> tensor<2x8xf32>
    %41 = stablehlo.broadcast_in_dim %40, dims = [0, 1] : (tensor<2x8xf32>) -> tensor<2x8x1xf32>
    %42 = stablehlo.broadcast_in_dim %41, dims = [0, 1, 2] : (tensor<2x8x1xf32>) -> tensor<2x8x8xf32>
    %43 = stablehlo.divide %39, %42 : tensor<2x8x8xf32>
    %44 = stablehlo.dot_general %29, %43, batching_dims = [1] x [0], contracting_dims = [0] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x2x8xf32>, tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
    %45 = stablehlo.transpose %44, dims = [2, 0, 1] : (tensor<2x8x8xf32>) -> tensor<8x2x8xf32>
    %46 = stablehlo.reshape %45 : (tensor<8x2x8xf32>) -> tensor<8x16xf32>
    %47 = stablehlo.dot_general %46, %arg6, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
    %48 = stablehlo.add %arg0, %47 : tensor<8x16xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %49 = stablehlo.reduce(%48 init: %cst_8) applies stablehlo.add across dimensions = [1] : (tensor<8x16xf32>, tensor<f32>) -> tensor<8xf32>
    %50 = stablehlo.broadcast_in_dim %49, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
    %cst_9 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %51 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %52 = stablehlo.divide %50, %51 : tensor<8x1xf32>
    %53 = stablehlo.broadcast_in_dim %52, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x16xf32>
    %54 = stablehlo.subtract %48, %53 : tensor<8x16xf32>
    %55 = stablehlo.multiply %54, %54 : tensor<8x16xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %56 = stablehlo.reduce(%55 init: %cst_10) applies stablehlo.add across dimensions = [1] : (tensor<8x16xf32>, tensor<f32>) -> tensor<8xf32>
    %57 = stablehlo.broadcast_in_dim %56, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
    %cst_11 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %58 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %59 = stablehlo.divide %57, %58 : tensor<8x1xf32>
    %60 = stablehlo.broadcast_in_dim %52, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x16xf32>
    %61 = stablehlo.subtract %48, %60 : tensor<8x16xf32>
    %cst_12 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %62 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %63 = stablehlo.add %59, %62 : tensor<8x1xf32>
    %64 = stablehlo.rsqrt %63 : tensor<8x1xf32>
    %65 = stablehlo.broadcast_in_dim %64, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x16xf32>
    %66 = stablehlo.multiply %61, %65 : tensor<8x16xf32>
    %67 = stablehlo.broadcast_in_dim %arg7, dims = [1] : (tensor<16xf32>) -> tensor<1x16xf32>
    %68 = stablehlo.broadcast_in_dim %67, dims = [0, 1] : (tensor<1x16xf32>) -> tensor<8x16xf32>
    %69 = stablehlo.multiply %66, %68 : tensor<8x16xf32>
    %70 = stablehlo.broadcast_in_dim %arg8, dims = [1] : (tensor<16xf32>) -> tensor<1x16xf32>
    %71 = stablehlo.broadcast_in_dim %70, dims = [0, 1] : (tensor<1x16xf32>) -> tensor<8x16xf32>
    %72 = stablehlo.add %69, %71 : tensor<8x16xf32>
    %73 = stablehlo.dot_general %72, %arg9, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
    %74 = stablehlo.multiply %73, %73 : tensor<8x32xf32>
    %75 = stablehlo.multiply %74, %73 : tensor<8x32xf32>
    %cst_13 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %76 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<8x32xf32>
    %77 = stablehlo.multiply %76, %75 : tensor<8x32xf32>
    %78 = stablehlo.add %73, %77 : tensor<8x32xf32>
    %cst_14 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %79 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<8x32xf32>
    %80 = stablehlo.multiply %79, %78 : tensor<8x32xf32>
    %81 = stablehlo.tanh %80 : tensor<8x32xf32>
    %cst_15 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %82 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<8x32xf32>
    %83 = stablehlo.add %82, %81 : tensor<8x32xf32>
    %cst_16 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %84 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<8x32xf32>
    %85 = stablehlo.multiply %84, %83 : tensor<8x32xf32>
    %86 = stablehlo.multiply %73, %85 : tensor<8x32xf32>
    %87 = stablehlo.dot_general %86, %arg10, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
    %88 = stablehlo.add %48, %87 : tensor<8x16xf32>
    return %88 : tensor<8x16xf32>
  }

func.func @main() {
  %i0 = stablehlo.iota dim = 0 : tensor<128xf64>
  %f0 = stablehlo.constant dense<0.37> : tensor<128xf64>
  %m0 = stablehlo.multiply %i0, %f0 : tensor<128xf64>
  %o0 = stablehlo.constant dense<0.0> : tensor<128xf64>
  %p0 = stablehlo.add %m0, %o0 : tensor<128xf64>
  %s0 = stablehlo.sine %p0 : tensor<128xf64>
  %t0 = stablehlo.convert %s0 : (tensor<128xf64>) -> tensor<128xf32>
  %a0 = stablehlo.reshape %t0 : (tensor<128xf32>) -> tensor<8x16xf32>
  %i1 = stablehlo.iota dim = 0 : tensor<16xf64>
  %f1 = stablehlo.constant dense<0.37> : tensor<16xf64>
  %m1 = stablehlo.multiply %i1, %f1 : tensor<16xf64>
  %o1 = stablehlo.constant dense<1.0> : tensor<16xf64>
  %p1 = stablehlo.add %m1, %o1 : tensor<16xf64>
  %s1 = stablehlo.sine %p1 : tensor<16xf64>
  %t1 = stablehlo.convert %s1 : (tensor<16xf64>) -> tensor<16xf32>
  %a1 = stablehlo.reshape %t1 : (tensor<16xf32>) -> tensor<16xf32>
  %i2 = stablehlo.iota dim = 0 : tensor<16xf64>
  %f2 = stablehlo.constant dense<0.37> : tensor<16xf64>
  %m2 = stablehlo.multiply %i2, %f2 : tensor<16xf64>
  %o2 = stablehlo.constant dense<2.0> : tensor<16xf64>
  %p2 = stablehlo.add %m2, %o2 : tensor<16xf64>
  %s2 = stablehlo.sine %p2 : tensor<16xf64>
  %t2 = stablehlo.convert %s2 : (tensor<16xf64>) -> tensor<16xf32>
  %a2 = stablehlo.reshape %t2 : (tensor<16xf32>) -> tensor<16xf32>
  %i3 = stablehlo.iota dim = 0 : tensor<256xf64>
  %f3 = stablehlo.constant dense<0.37> : tensor<256xf64>
  %m3 = stablehlo.multiply %i3, %f3 : tensor<256xf64>
  %o3 = stablehlo.constant dense<3.0> : tensor<256xf64>
  %p3 = stablehlo.add %m3, %o3 : tensor<256xf64>
  %s3 = stablehlo.sine %p3 : tensor<256xf64>
  %t3 = stablehlo.convert %s3 : (tensor<256xf64>) -> tensor<256xf32>
  %a3 = stablehlo.reshape %t3 : (tensor<256xf32>) -> tensor<16x16xf32>
  %i4 = stablehlo.iota dim = 0 : tensor<256xf64>
  %f4 = stablehlo.constant dense<0.37> : tensor<256xf64>
  %m4 = stablehlo.multiply %i4, %f4 : tensor<256xf64>
  %o4 = stablehlo.constant dense<4.0> : tensor<256xf64>
  %p4 = stablehlo.add %m4, %o4 : tensor<256xf64>
  %s4 = stablehlo.sine %p4 : tensor<256xf64>
  %t4 = stablehlo.convert %s4 : (tensor<256xf64>) -> tensor<256xf32>
  %a4 = stablehlo.reshape %t4 : (tensor<256xf32>) -> tensor<16x16xf32>
  %i5 = stablehlo.iota dim = 0 : tensor<256xf64>
  %f5 = stablehlo.constant dense<0.37> : tensor<256xf64>
  %m5 = stablehlo.multiply %i5, %f5 : tensor<256xf64>
  %o5 = stablehlo.constant dense<5.0> : tensor<256xf64>
  %p5 = stablehlo.add %m5, %o5 : tensor<256xf64>
  %s5 = stablehlo.sine %p5 : tensor<256xf64>
  %t5 = stablehlo.convert %s5 : (tensor<256xf64>) -> tensor<256xf32>
  %a5 = stablehlo.reshape %t5 : (tensor<256xf32>) -> tensor<16x16xf32>
  %i6 = stablehlo.iota dim = 0 : tensor<256xf64>
  %f6 = stablehlo.constant dense<0.37> : tensor<256xf64>
  %m6 = stablehlo.multiply %i6, %f6 : tensor<256xf64>
  %o6 = stablehlo.constant dense<6.0> : tensor<256xf64>
  %p6 = stablehlo.add %m6, %o6 : tensor<256xf64>
  %s6 = stablehlo.sine %p6 : tensor<256xf64>
  %t6 = stablehlo.convert %s6 : (tensor<256xf64>) -> tensor<256xf32>
  %a6 = stablehlo.reshape %t6 : (tensor<256xf32>) -> tensor<16x16xf32>
  %i7 = stablehlo.iota dim = 0 : tensor<16xf64>
  %f7 = stablehlo.constant dense<0.37> : tensor<16xf64>
  %m7 = stablehlo.multiply %i7, %f7 : tensor<16xf64>
  %o7 = stablehlo.constant dense<7.0> : tensor<16xf64>
  %p7 = stablehlo.add %m7, %o7 : tensor<16xf64>
  %s7 = stablehlo.sine %p7 : tensor<16xf64>
  %t7 = stablehlo.convert %s7 : (tensor<16xf64>) -> tensor<16xf32>
  %a7 = stablehlo.reshape %t7 : (tensor<16xf32>) -> tensor<16xf32>
  %i8 = stablehlo.iota dim = 0 : tensor<16xf64>
  %f8 = stablehlo.constant dense<0.37> : tensor<16xf64>
  %m8 = stablehlo.multiply %i8, %f8 : tensor<16xf64>
  %o8 = stablehlo.constant dense<8.0> : tensor<16xf64>
  %p8 = stablehlo.add %m8, %o8 : tensor<16xf64>
  %s8 = stablehlo.sine %p8 : tensor<16xf64>
  %t8 = stablehlo.convert %s8 : (tensor<16xf64>) -> tensor<16xf32>
  %a8 = stablehlo.reshape %t8 : (tensor<16xf32>) -> tensor<16xf32>
  %i9 = stablehlo.iota dim = 0 : tensor<512xf64>
  %f9 = stablehlo.constant dense<0.37> : tensor<512xf64>
  %m9 = stablehlo.multiply %i9, %f9 : tensor<512xf64>
  %o9 = stablehlo.constant dense<9.0> : tensor<512xf64>
  %p9 = stablehlo.add %m9, %o9 : tensor<512xf64>
  %s9 = stablehlo.sine %p9 : tensor<512xf64>
  %t9 = stablehlo.convert %s9 : (tensor<512xf64>) -> tensor<512xf32>
  %a9 = stablehlo.reshape %t9 : (tensor<512xf32>) -> tensor<16x32xf32>
  %i10 = stablehlo.iota dim = 0 : tensor<512xf64>
  %f10 = stablehlo.constant dense<0.37> : tensor<512xf64>
  %m10 = stablehlo.multiply %i10, %f10 : tensor<512xf64>
  %o10 = stablehlo.constant dense<10.0> : tensor<512xf64>
  %p10 = stablehlo.add %m10, %o10 : tensor<512xf64>
  %s10 = stablehlo.sine %p10 : tensor<512xf64>
  %t10 = stablehlo.convert %s10 : (tensor<512xf64>) -> tensor<512xf32>
  %a10 = stablehlo.reshape %t10 : (tensor<512xf32>) -> tensor<32x16xf32>
  %r = call @encoder(%a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7, %a8, %a9, %a10) : (tensor<8x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
  %expected = arith.constant dense<[[-2.2817924e+01, -2.3255192e+01, -2.0544975e+01, -1.5054100e+01, -7.5257187e+00, 1.0212364e+00, 9.4299650e+00, 1.6562397e+01, 2.1453184e+01, 2.3440384e+01, 2.2255043e+01, 1.8057575e+01, 1.1416103e+01, 3.2295227e+00, -5.3941650e+00, -1.3287778e+01], [-2.3024426e+01, -2.3486876e+01, -2.0770485e+01, -1.5242912e+01, -7.6522789e+00, 9.7405243e-01, 9.4685526e+00, 1.6681528e+01, 2.1636738e+01, 2.3663509e+01, 2.2487545e+01, 1.8267994e+01, 1.1575954e+01, 3.3171654e+00, -5.3905888e+00, -1.3368751e+01], [-2.3262901e+01, -2.3787979e+01, -2.1093464e+01, -1.5544048e+01, -7.8908195e+00, 8.3039856e-01, 9.4392242e+00, 1.6770493e+01, 2.1831955e+01, 2.3938560e+01, 2.2805202e+01, 1.8585262e+01, 1.1849892e+01, 3.5107002e+00, -5.3036537e+00, -1.3400181e+01], [-2.3500177e+01, -2.4117382e+01, -2.1470413e+01, -1.5917530e+01, -8.2102737e+00, 6.0820007e-01, 9.3443546e+00, 1.6815794e+01, 2.2011299e+01, 2.4227673e+01, 2.3164948e+01, 1.8966957e+01, 1.2201874e+01, 3.7853317e+00, -5.1435432e+00, -1.3376265e+01], [-2.3703077e+01, -2.4430285e+01, -2.1850967e+01, -1.6314213e+01, -8.5694122e+00, 3.3521271e-01, 9.1944733e+00, 1.6809305e+01, 2.2149075e+01, 2.4491068e+01, 2.3518314e+01, 1.9362469e+01, 1.2585999e+01, 4.1060715e+00, -4.9295864e+00, -1.3298051e+01], [-2.3844917e+01, -2.4686119e+01, -2.2186165e+01, -1.6683411e+01, -8.9226418e+00, 4.5761108e-02, 9.0079784e+00, 1.6751003e+01, 2.2226860e+01, 2.4694412e+01, 2.3819698e+01, 1.9721100e+01, 1.2953331e+01, 4.4323997e+00, -4.6884384e+00, -1.3174717e+01], [-2.3908733e+01, -2.4853378e+01, -2.2434235e+01, -1.6978722e+01, -9.2252235e+00, -2.2312927e-01, 8.8091621e+00, 1.6649178e+01, 2.2235804e+01, 2.4812916e+01, 2.4031715e+01, 1.9997932e+01, 1.3257530e+01, 4.7227821e+00, -4.4511719e+00, -1.3022688e+01], [-2.3887543e+01, -2.4911476e+01, -2.2563759e+01, -1.7162132e+01, -9.4377060e+00, -4.3591690e-01, 8.6248589e+00, 1.6518305e+01, 2.2176077e+01, 2.4832424e+01, 2.4127811e+01, 2.0157623e+01, 1.3459187e+01, 4.9391098e+00, -4.2494431e+00, -1.2862858e+01]]> : tensor<8x16xf32>
  %d = stablehlo.subtract %r, %expected : tensor<8x16xf32>
  %e = stablehlo.abs %d : tensor<8x16xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %most = stablehlo.reduce(%e init: %zero) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<8x16xf32>, tensor<f32>) -> tensor<f32>
  %limit = stablehlo.constant dense<1.0e-4> : tensor<f32>
  %ok = stablehlo.compare LT, %most, %limit, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %one = stablehlo.convert %ok : (tensor<i1>) -> tensor<f32>
  %u = tensor.cast %one : tensor<f32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  return
}
