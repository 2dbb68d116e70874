//===- Attrs.td - maps and intervals --------------------------------------===//

#ifndef MAPWRIGHT_INDEXING_ATTRS
#define MAPWRIGHT_INDEXING_ATTRS

include "indexing/Base.td"
include "mlir/IR/AttrTypeBase.td"

// No `mnemonic`: the dialect parses the text itself, since it is not made of
// MLIR's tokens.
def Indexing_MapAttr : AttrDef<Indexing_Dialect, "Map"> {
  let attrName = "indexing.map";
  let summary = "an indexing map";
  let description = [{
    Which elements of one tensor an element of another one is made of:

    ```mlir
    #indexing.map<(d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 9], d1 in [0, 4], s0 in [0, 7]>
    ```
    The text between the angle brackets is the grammar of indexing maps; it is
    kept in its canonical form, so that equal texts are equal attributes.
  }];
  let parameters = (ins StringRefParameter<"the canonical text">:$text);
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    static constexpr ::llvm::StringLiteral getMnemonic() { return {"map"}; }

    /// The map with the given text, or null after `error` was called with the
    /// offending column (counted from 0) and a message.
    static MapAttr
    parseText(::mlir::MLIRContext *context, ::llvm::StringRef text,
              ::llvm::function_ref<void(intptr_t, ::llvm::StringRef)> error);
  }];
}

def Indexing_IntervalAttr : AttrDef<Indexing_Dialect, "Interval"> {
  let mnemonic = "interval";
  let summary = "a closed interval of integers";
  let description = [{
    `#indexing.interval<0, 9>`; empty when the lower end is above the upper one.
  }];
  let parameters = (ins "int64_t":$lo, "int64_t":$hi);
  let assemblyFormat = "`<` $lo `,` $hi `>`";
}

def Indexing_ScheduleAttr : AttrDef<Indexing_Dialect, "Schedule"> {
  let mnemonic = "schedule";
  let summary = "how a region runs";
  let description = [{
    An emitter, and its steps: primitives applied to loops and values.

    ```mlir
    #indexing.schedule<tiled [tile(d0, 4), lanes(d1, 16), unroll(d1, 2)]>
    ```
    `docs/schedules.md` lists the primitives. Each step is an array: the name of
    its primitive, the name of the loop or of the value that it is about, if it
    is about one, and numbers.
  }];
  let parameters = (ins StringRefParameter<"the emitter">:$emitter,
                        "::mlir::ArrayAttr":$steps);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

#endif // MAPWRIGHT_INDEXING_ATTRS
