// RUN: mapwright-opt %S/../execute/tarray_vectorize.mlir --indexing-legalize-tarray="packing=always" | mapwright run - --threads 1
// RUN: mapwright-opt %S/../execute/tarray_branches.mlir --indexing-legalize-tarray="packing=always" | mapwright run - --threads 1
// RUN: mapwright-opt %S/../execute/tarray_vectorize.mlir --indexing-legalize-tarray="packing=never" | mapwright run - --threads 1

// Functions of elements, and branches, compute the same on arrays that are what is there of them, and on those with room for their maxima.
