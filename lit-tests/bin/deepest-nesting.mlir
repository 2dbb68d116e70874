// How deep a source may be nested is a limit that can be moved: by an option, or by the environment where no option can be given.
// RUN: mapwright maps %s
// RUN: mapwright-opt %s -o /dev/null
// RUN: not mapwright maps %s --deepest-nesting 4 2>&1 | FileCheck %s
// RUN: not mapwright-opt %s --deepest-nesting=4 2>&1 | FileCheck %s
// RUN: not env MAPWRIGHT_DEEPEST_NESTING=4 mapwright maps %s 2>&1 | FileCheck %s
// RUN: not env MAPWRIGHT_DEEPEST_NESTING=4 mapwright-opt %s 2>&1 | FileCheck %s
// RUN: env MAPWRIGHT_DEEPEST_NESTING=4 mapwright maps %s --deepest-nesting 5
// RUN: env MAPWRIGHT_DEEPEST_NESTING=some mapwright maps %s 2>&1 | FileCheck %s --check-prefix=WORD
// RUN: mapwright-opt %s --emit-bytecode -o %t.mlirbc
// RUN: mapwright-opt %t.mlirbc --deepest-nesting=2 -o /dev/null
// RUN: not mapwright-opt %t.mlirbc --deepest-nesting=1 2>&1 | FileCheck %s --check-prefix=BYTECODE
// RUN: not mapwright-opt %s --deepest-nesting=0 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: mapwright-opt --help | FileCheck %s --check-prefix=HELP

// CHECK: deepest-nesting.mlir:[[# @LINE + 6]]:{{[0-9]+}}: error: nested more than 4 levels deep (the limit can be raised: --deepest-nesting, or MAPWRIGHT_DEEPEST_NESTING in the environment)
// WORD: warning: MAPWRIGHT_DEEPEST_NESTING is "some", not a number of levels: the limit stays at 5000
// BYTECODE: error: nested more than 1 levels deep
// NONE: error: --deepest-nesting=0: not a number of levels
// HELP: --deepest-nesting=<levels>
module {
  func.func @main() attributes {a = [[[0]]]} {
    return
  }
}
