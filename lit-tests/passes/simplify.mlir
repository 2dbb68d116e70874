// RUN: mapwright-opt %s --indexing-simplify | FileCheck %s
// RUN: mapwright-opt %s --indexing-simplify --indexing-simplify | FileCheck %s

// CHECK-DAG: #[[PAIR:indexing_map[0-9]*]] = #indexing.map<(d0, d1) -> (d0, d1), domain: d0 in [0, 6], d1 in [0, 14]>
// CHECK-DAG: #[[ONE:indexing_map[0-9]*]] = #indexing.map<(d0) -> (d0), domain: d0 in [0, 7]>

// The identity: d1 floordiv 16 is 0 and d1 mod 16 is d1 for d1 in [0, 14].
// CHECK-LABEL: func.func private @identity
// CHECK-SAME: indexing.m = #[[PAIR]]
func.func private @identity() attributes {
  indexing.m = #indexing.map<(d0, d1) -> (d0 + d1 floordiv 16, d1 mod 16), domain: d0 in [0, 6], d1 in [0, 14]>
}

// Maps inside of arrays; other elements and attributes stay.
// CHECK-LABEL: func.func private @nested
// CHECK-SAME: indexing.m = [1, {{\[}}#[[ONE]], "x"]], other = 3
func.func private @nested() attributes {
  indexing.m = [1, [#indexing.map<(d0) -> (d0 mod 8), domain: d0 in [0, 7]>, "x"]], other = 3
}
