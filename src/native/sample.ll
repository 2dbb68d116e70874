; A kernel with a bit of most things that kernels have: see `warm_up`.
declare i32 @sample_call(ptr, ptr)
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
declare <16 x float> @llvm.fma.v16f32(<16 x float>, <16 x float>, <16 x float>)
declare <16 x float> @llvm.fabs.v16f32(<16 x float>)
declare <8 x i32> @llvm.smax.v8i32(<8 x i32>, <8 x i32>)
declare float @llvm.vector.reduce.fadd.v16f32(float, <16 x float>)

define void @sample(ptr align 64 %from, ptr align 64 %to, i64 %begin, i64 %end) {
  %memory = alloca float, i64 16, align 64
  %d0 = insertvalue { ptr, ptr, i64, [1 x i64], [1 x i64] } poison, ptr %from, 0
  %d1 = insertvalue { ptr, ptr, i64, [1 x i64], [1 x i64] } %d0, ptr %from, 1
  %d2 = insertvalue { ptr, ptr, i64, [1 x i64], [1 x i64] } %d1, i64 4096, 3, 0
  br label %head

head:
  %i = phi i64 [ %next, %latch ], [ %begin, %0 ]
  %sum = phi <16 x float> [ %added, %latch ], [ zeroinitializer, %0 ]
  %more = icmp slt i64 %i, %end
  br i1 %more, label %body, label %exit

body:
  %base = extractvalue { ptr, ptr, i64, [1 x i64], [1 x i64] } %d2, 1
  %offset = mul i64 %i, 16
  %ahead = add i64 %offset, 256
  %last = call i64 @llvm.smin.i64(i64 %ahead, i64 4095)
  %far = getelementptr float, ptr %base, i64 %last
  call void @llvm.prefetch.p0(ptr %far, i32 0, i32 3, i32 1)
  %at = getelementptr float, ptr %base, i64 %offset
  %x = load <16 x float>, ptr %at, align 4
  %absolute = call <16 x float> @llvm.fabs.v16f32(<16 x float> %x)
  %bits = bitcast <16 x float> %absolute to <16 x i32>
  %low = shufflevector <16 x i32> %bits, <16 x i32> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %high = shufflevector <16 x i32> %bits, <16 x i32> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %most = call <8 x i32> @llvm.smax.v8i32(<8 x i32> %low, <8 x i32> %high)
  %over = icmp ugt <8 x i32> %most, splat (i32 1118738842)
  %mask = bitcast <8 x i1> %over to i8
  %seldom = icmp ne i8 %mask, 0
  br i1 %seldom, label %rare, label %usual, !prof !0

rare:
  store <16 x float> %x, ptr %memory, align 4
  %status = call i32 @sample_call(ptr %memory, ptr %to)
  %y0 = load <16 x float>, ptr %memory, align 4
  br label %latch

usual:
  %scaled = call <16 x float> @llvm.fma.v16f32(<16 x float> %x, <16 x float> splat (float 2.5), <16 x float> splat (float 8.0))
  %shifted = shl <16 x i32> %bits, splat (i32 20)
  %wide = bitcast <16 x i32> %shifted to <16 x float>
  %positive = fcmp olt <16 x float> %x, %scaled
  %chosen = select <16 x i1> %positive, <16 x float> %wide, <16 x float> %scaled
  %y1 = fdiv <16 x float> %chosen, %x
  br label %latch

latch:
  %y = phi <16 x float> [ %y0, %rare ], [ %y1, %usual ]
  %out = getelementptr float, ptr %to, i64 %offset
  store <16 x float> %y, ptr %out, align 4
  %added = fadd <16 x float> %sum, %y
  %next = add i64 %i, 1
  br label %head, !llvm.loop !1

exit:
  %total = call float @llvm.vector.reduce.fadd.v16f32(float -0.0, <16 x float> %sum)
  store float %total, ptr %to, align 4
  ret void
}

!0 = !{!"branch_weights", !"expected", i32 1, i32 2000}
!1 = distinct !{!1, !2}
!2 = !{!"llvm.loop.unroll.disable"}
