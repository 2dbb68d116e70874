// RUN: mapwright-opt %s | mapwright-opt | FileCheck %s

// The text of a map is kept in its canonical form; `->` inside does not end it.

// Maps have names at the top of the file.
// CHECK-DAG: #[[MAP:indexing_map[0-9]*]] = #indexing.map<(d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 9], d1 in [0, 4], s0 in [0, 7]>
// CHECK-DAG: #[[EMPTY:indexing_map[0-9]*]] = #indexing.map<KNOWN EMPTY>
// CHECK-DAG: #[[UNIT:indexing_map[0-9]*]] = #indexing.map<() -> ()>

// CHECK: @map() attributes {m = #[[MAP]]}
func.func private @map() attributes {m = #indexing.map<(d0, d1)[s0]
  ->  (d0, s0), domain: d0 in [0, 9], d1 in [0, 4], s0 in [0, 7]>}
// CHECK: @empty() attributes {m = #[[EMPTY]]}
func.func private @empty() attributes {m = #indexing.map<KNOWN EMPTY>}
// CHECK: [#[[UNIT]], #indexing.interval<-1, 9>]
func.func private @list() attributes {m = [#indexing.map<() -> ()>, #indexing.interval<-1, 9>]}
