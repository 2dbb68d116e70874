// The functions of a program for `perf`: their addresses, sizes and names where it looks for them.
// RUN: env MAPWRIGHT_PERF_MAP=1 sh -c 'mapwright run "$0" > /dev/null & wait $! && cat /tmp/perf-$!.map && rm /tmp/perf-$!.map' %s | FileCheck %s

// CHECK: {{^[0-9a-f]+ [0-9a-f]+ mw_entry_main$}}
// CHECK: {{^[0-9a-f]+ [0-9a-f]+ region_0$}}
func.func public @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = stablehlo.negate %x : tensor<64xf32>
  return %0 : tensor<64xf32>
}
