//===- TypeDirectives.cpp - types in pretty operation syntax --------------===//

#include "common/TypeDirectives.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

/// `type` has to be a function type of `nOperands` inputs and one result.
static ParseResult checkFunctional(OpAsmParser &parser, SMLoc loc,
                                   FunctionType type, size_t nOperands) {
  if (type.getNumInputs() != nOperands)
    return parser.emitError(loc)
           << "expected " << nOperands << " operand types, but "
           << type.getNumInputs() << " are given";
  if (type.getNumResults() != 1)
    return parser.emitError(loc) << "expected one result type, but "
                                 << type.getNumResults() << " are given";
  return success();
}

ParseResult mapwright::parseSharedType(OpAsmParser &parser,
                                       ArrayRef<Type *> operands,
                                       Type &result) {
  SMLoc loc = parser.getCurrentLocation();
  Type type;
  if (parser.parseType(type))
    return failure();
  auto functional = dyn_cast<FunctionType>(type);
  if (!functional) {
    for (Type *operand : operands)
      *operand = type;
    result = type;
    return success();
  }
  if (checkFunctional(parser, loc, functional, operands.size()))
    return failure();
  for (auto [operand, input] : llvm::zip(operands, functional.getInputs()))
    *operand = input;
  result = functional.getResult(0);
  return success();
}

void mapwright::printSharedType(OpAsmPrinter &printer, ArrayRef<Type> operands,
                                Type result) {
  if (llvm::all_of(operands, [&](Type type) { return type == result; })) {
    printer << result;
    return;
  }
  printer.printFunctionalType(operands, ArrayRef<Type>(result));
}

ParseResult mapwright::parseVariadicSameOperandsAndResultType(
    OpAsmParser &parser, ArrayRef<OpAsmParser::UnresolvedOperand> operands,
    SmallVectorImpl<Type> &operandTypes, Type &result) {
  operandTypes.resize(operands.size());
  SmallVector<Type *> pointers;
  for (Type &type : operandTypes)
    pointers.push_back(&type);
  return parseSharedType(parser, pointers, result);
}

void mapwright::printVariadicSameOperandsAndResultType(
    OpAsmPrinter &printer, Operation *, OperandRange, TypeRange operandTypes,
    Type result) {
  printSharedType(printer, llvm::to_vector(operandTypes), result);
}

ParseResult
mapwright::parsePairwiseOpType(OpAsmParser &parser,
                               SmallVectorImpl<Type> &operandTypes,
                               SmallVectorImpl<Type> &resultTypes) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<Type> types;
  if (parser.parseTypeList(types))
    return parser.emitError(loc, "expected a list of types");
  if (types.size() == 1)
    if (auto functional = dyn_cast<FunctionType>(types.front())) {
      llvm::append_range(operandTypes, functional.getInputs());
      llvm::append_range(resultTypes, functional.getResults());
      return success();
    }
  operandTypes.append(types.begin(), types.end());
  resultTypes.append(types.begin(), types.end());
  return success();
}

void mapwright::printPairwiseOpType(OpAsmPrinter &printer, Operation *,
                                    TypeRange operandTypes,
                                    TypeRange resultTypes) {
  if (llvm::equal(operandTypes, resultTypes)) {
    llvm::interleaveComma(operandTypes, printer);
    return;
  }
  printer.printFunctionalType(operandTypes, resultTypes);
}

ParseResult mapwright::parseComplexOpType(OpAsmParser &parser, Type &lhs,
                                          Type &rhs, Type &result) {
  SMLoc loc = parser.getCurrentLocation();
  Type type;
  if (parser.parseType(type))
    return failure();
  if (auto functional = dyn_cast<FunctionType>(type)) {
    if (checkFunctional(parser, loc, functional, 2))
      return failure();
    lhs = functional.getInput(0);
    rhs = functional.getInput(1);
    result = functional.getResult(0);
    return success();
  }
  auto tensor = dyn_cast<RankedTensorType>(type);
  auto complex =
      tensor ? dyn_cast<ComplexType>(tensor.getElementType()) : ComplexType();
  if (!complex)
    return parser.emitError(loc, "expected a tensor of complex elements");
  lhs = rhs = tensor.clone(complex.getElementType());
  result = type;
  return success();
}

void mapwright::printComplexOpType(OpAsmPrinter &printer, Operation *, Type lhs,
                                   Type rhs, Type result) {
  auto tensor = dyn_cast<RankedTensorType>(result);
  auto complex =
      tensor ? dyn_cast<ComplexType>(tensor.getElementType()) : ComplexType();
  if (complex && lhs == rhs && lhs == tensor.clone(complex.getElementType())) {
    printer << result;
    return;
  }
  printer.printFunctionalType(ArrayRef<Type>{lhs, rhs},
                              ArrayRef<Type>(result));
}

ParseResult mapwright::parseSelectOpType(OpAsmParser &parser, Type &pred,
                                         Type &onTrue, Type &onFalse,
                                         Type &result) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<Type> types;
  if (parser.parseTypeList(types))
    return failure();
  if (types.size() == 2) {
    pred = types[0];
    onTrue = onFalse = result = types[1];
    return success();
  }
  auto functional = types.size() == 1 ? dyn_cast<FunctionType>(types[0])
                                      : FunctionType();
  if (!functional)
    return parser.emitError(loc, "expected a functional type or a list of two "
                                 "types");
  if (checkFunctional(parser, loc, functional, 3))
    return failure();
  pred = functional.getInput(0);
  onTrue = functional.getInput(1);
  onFalse = functional.getInput(2);
  result = functional.getResult(0);
  return success();
}

void mapwright::printSelectOpType(OpAsmPrinter &printer, Operation *, Type pred,
                                  Type onTrue, Type onFalse, Type result) {
  if (onTrue == result && onFalse == result) {
    printer << pred << ", " << result;
    return;
  }
  printer.printFunctionalType(ArrayRef<Type>{pred, onTrue, onFalse},
                              ArrayRef<Type>(result));
}

ParseResult mapwright::parseTupleOpType(OpAsmParser &parser,
                                        SmallVectorImpl<Type> &operandTypes,
                                        Type &result) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseType(result))
    return failure();
  auto tuple = dyn_cast<TupleType>(result);
  if (!tuple)
    return parser.emitError(loc, "expected a tuple type");
  llvm::append_range(operandTypes, tuple.getTypes());
  return success();
}

void mapwright::printTupleOpType(OpAsmPrinter &printer, Operation *, TypeRange,
                                 Type result) {
  printer << result;
}
