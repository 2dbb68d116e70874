//===- CallKernelOp.cpp - kernels on tensors, and their buffers -----------===//

#include "indexing/Dialect.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace mapwright::indexing;

/// The number of `operand` among the inputs or the initial values.
static int64_t numberAmong(OperandRange range, OpOperand &operand) {
  return operand.getOperandNumber() - range.getBeginOperandIndex();
}

LogicalResult CallKernelOp::verify() {
  auto inits = static_cast<int64_t>(getInits().size());
  auto inputs = static_cast<int64_t>(getInputs().size());
  for (int64_t number : getUpdates().value_or(ArrayRef<int64_t>()))
    if (number < 0 || number >= inits)
      return emitOpError("updates initial value #")
             << number << ", but has " << inits;
  if (ArrayAttr copied = getCopiedByAttr()) {
    auto isKernel = [](Attribute a) { return isa<FlatSymbolRefAttr, UnitAttr>(a); };
    if (copied.size() != getUpdates().value_or(ArrayRef<int64_t>()).size() ||
        !llvm::all_of(copied, isKernel))
      return emitOpError("wants a kernel, or unit, in 'copied_by' for each of "
                         "its updates");
  }
  ArrayRef<int64_t> pairs = getElementwise().value_or(ArrayRef<int64_t>());
  if (pairs.size() % 2 != 0)
    return emitOpError("has an odd number of values in 'elementwise'");
  for (size_t i = 0; i < pairs.size(); i += 2) {
    if (pairs[i] < 0 || pairs[i] >= inits || pairs[i + 1] < 0 ||
        pairs[i + 1] >= inputs)
      return emitOpError("pairs initial value #")
             << pairs[i] << " with input #" << pairs[i + 1] << ", but has "
             << inits << " and " << inputs;
  }
  return success();
}

/// The buffer that a kernel takes for a tensor.
static MemRefType kernelBuffer(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return MemRefType::get(tensor.getShape(), tensor.getElementType());
}

LogicalResult
CallKernelOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  // Within an operation of a dialect that is not loaded nobody knows whose
  // symbols these are.
  if (!SymbolTable::getNearestSymbolTable(*this))
    return success();
  Operation *target =
      symbolTable.lookupNearestSymbolFrom(*this, getKernelAttr());
  if (!target)
    return emitOpError("refers to a kernel that does not exist: ")
           << getKernelAttr();
  auto kernel = dyn_cast<FunctionOpInterface>(target);
  if (!kernel)
    return emitOpError("refers to something that is not a function: ")
           << getKernelAttr();
  ArrayRef<Type> wanted = kernel.getArgumentTypes();
  if (wanted.size() != getNumOperands() || kernel.getNumResults() != 0)
    return emitOpError("has ")
           << getNumOperands() << " operands, but " << getKernelAttr()
           << " takes " << wanted.size() << " arguments and gives "
           << kernel.getNumResults() << " results";
  for (auto [index, pair] :
       llvm::enumerate(llvm::zip(getOperandTypes(), wanted)))
    if (!memref::CastOp::areCastCompatible(kernelBuffer(std::get<0>(pair)),
                                           std::get<1>(pair)))
      return emitOpError("operand #")
             << index << " is a " << std::get<0>(pair) << ", but "
             << getKernelAttr() << " takes a " << std::get<1>(pair);
  return success();
}

Speculation::Speculatability CallKernelOp::getSpeculatability() {
  return getImpure() ? Speculation::NotSpeculatable
                      : Speculation::Speculatable;
}

void CallKernelOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  if (!getImpure())
    return;
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

bool CallKernelOp::bufferizesToMemoryRead(OpOperand &operand,
                                          const AnalysisState &) {
  if (!isDpsInit(&operand))
    return true;
  return llvm::is_contained(getUpdates().value_or(ArrayRef<int64_t>()),
                            numberAmong(getInits(), operand));
}

bool CallKernelOp::bufferizesToMemoryWrite(OpOperand &operand,
                                           const AnalysisState &) {
  return isDpsInit(&operand);
}

AliasingValueList CallKernelOp::getAliasingValues(OpOperand &operand,
                                                  const AnalysisState &) {
  if (isDpsInit(&operand))
    return {{getTiedOpResult(&operand), BufferRelation::Equivalent}};
  return {};
}

bool CallKernelOp::bufferizesToElementwiseAccess(
    const AnalysisState &, ArrayRef<OpOperand *> operands) {
  ArrayRef<int64_t> pairs = getElementwise().value_or(ArrayRef<int64_t>());
  auto isPair = [&](OpOperand *init, OpOperand *input) {
    int64_t a = numberAmong(getInits(), *init);
    int64_t b = numberAmong(getInputs(), *input);
    for (size_t i = 0; i + 1 < pairs.size(); i += 2)
      if (pairs[i] == a && pairs[i + 1] == b)
        return true;
    return false;
  };
  for (OpOperand *init : operands)
    for (OpOperand *other : operands) {
      if (init == other || !isDpsInit(init))
        continue;
      if (isDpsInit(other) || !isPair(init, other))
        return false;
    }
  return true;
}

LogicalResult CallKernelOp::resolveConflicts(RewriterBase &rewriter,
                                             const AnalysisState &analysis,
                                             const BufferizationState &state) {
  SmallVector<Value> before(getInits());
  auto self = cast<BufferizableOpInterface>(getOperation());
  if (failed(self.resolveTensorOpOperandConflicts(rewriter, analysis, state)))
    return failure();
  ArrayAttr kernels = getCopiedByAttr();
  if (!kernels)
    return success();
  // Upstream's copies are made by kernels of ours where there are such.
  for (auto [number, kernel] : llvm::zip(*getUpdates(), kernels)) {
    Value init = getInits()[number];
    auto copy = init.getDefiningOp<AllocTensorOp>();
    auto symbol = dyn_cast<FlatSymbolRefAttr>(kernel);
    if (init == before[number] || !symbol || !copy || !copy.getCopy())
      continue;
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(copy);
    Location loc = getLoc();
    Value from = copy.getCopy();
    auto type = cast<RankedTensorType>(from.getType());
    SmallVector<Value> sizes;
    for (auto [dimension, size] : llvm::enumerate(type.getShape()))
      if (ShapedType::isDynamic(size))
        sizes.push_back(tensor::DimOp::create(rewriter, loc, from, dimension));
    auto empty = AllocTensorOp::create(rewriter, loc, Type(type), sizes,
                                       /*copy=*/Value(), /*size_hint=*/Value(),
                                       copy.getMemorySpaceAttr());
    OperationState call(loc, getOperationName());
    call.addOperands({from, empty.getResult()});
    call.addTypes(type);
    auto &properties = call.getOrAddProperties<Properties>();
    properties.kernel = symbol;
    properties.operandSegmentSizes = {1, 1};
    rewriter.replaceOp(copy, rewriter.create(call)->getResults());
  }
  return success();
}

/// The sizes of `buffer` that are known at run time.
static SmallVector<Value> dynamicSizes(OpBuilder &b, Location loc,
                                       Value buffer) {
  SmallVector<Value> sizes;
  auto type = cast<MemRefType>(buffer.getType());
  for (auto [number, size] : llvm::enumerate(type.getShape()))
    if (ShapedType::isDynamic(size))
      sizes.push_back(memref::DimOp::create(b, loc, buffer, number));
  return sizes;
}

LogicalResult CallKernelOp::bufferize(RewriterBase &rewriter,
                                      const BufferizationOptions &options,
                                      BufferizationState &state) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(*this);
  Location loc = getLoc();
  SmallVector<Value> arguments, results;
  // Buffers that are filled from the contiguous ones after the call.
  SmallVector<std::pair<Value, Value>> copies;
  for (OpOperand &operand : (*this)->getOpOperands()) {
    FailureOr<Value> buffer =
        getBuffer(rewriter, operand.get(), options, state);
    if (failed(buffer))
      return failure();
    bool isInit = isDpsInit(&operand);
    if (isInit)
      results.push_back(*buffer);
    MemRefType wanted = kernelBuffer(operand.get().getType());
    auto type = cast<MemRefType>(buffer->getType());
    if (type == wanted) {
      arguments.push_back(*buffer);
      continue;
    }
    // Of the same shape in another layout.
    FailureOr<Value> contiguous = options.createAlloc(
        rewriter, loc, wanted, dynamicSizes(rewriter, loc, *buffer));
    if (failed(contiguous))
      return failure();
    bool isRead =
        !isInit || llvm::is_contained(getUpdates().value_or(ArrayRef<int64_t>()),
                                      numberAmong(getInits(), operand));
    if (isRead &&
        failed(options.createMemCpy(rewriter, loc, *buffer, *contiguous)))
      return failure();
    if (isInit)
      copies.emplace_back(*contiguous, *buffer);
    arguments.push_back(*contiguous);
  }
  // Upstream's canonicalization may have found more of the sizes.
  if (auto kernel = dyn_cast_or_null<FunctionOpInterface>(
          SymbolTable::lookupNearestSymbolFrom(*this, getKernelAttr())))
    for (auto [argument, type] : llvm::zip(arguments, kernel.getArgumentTypes()))
      if (argument.getType() != type)
        argument = memref::CastOp::create(rewriter, loc, type, argument);
  func::CallOp::create(rewriter, loc, getKernelAttr(), TypeRange(), arguments);
  for (auto [from, to] : copies)
    if (failed(options.createMemCpy(rewriter, loc, from, to)))
      return failure();
  replaceOpWithBufferizedValues(rewriter, *this, results);
  return success();
}
