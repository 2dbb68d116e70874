// Upstream's TilingInterface on operations of StableHLO, whoever registered the dialect, and on regions: the loops are the dimensions of the first
// result and then those that are reduced, and Rust makes the operation for a tile of them, from the indexing maps.

#include "Dialects.h"
#include "Shim.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/TilingInterface.h"

using namespace mlir;

static MapwrightTilingHooks hooks = {};

void mapwrightSetTilingHooks(const MapwrightTilingHooks *newHooks) { hooks = *newHooks; }

namespace {

using Mixed = SmallVector<OpFoldResult>;

RankedTensorType result(Operation *op, unsigned number) {
  return number < op->getNumResults() ? dyn_cast<RankedTensorType>(op->getResult(number).getType()) : RankedTensorType();
}

int64_t rankOf(Operation *op) {
  RankedTensorType type = result(op, 0);
  return type ? type.getRank() : 0;
}

int64_t countReduced(Operation *op) { return hooks.loops ? hooks.loops(wrap(op)) : 0; }

// Where Rust builds.
struct Place {
  explicit Place(OpBuilder &b) : block(wrap(b.getInsertionBlock())) {
    bool atEnd = b.getInsertionPoint() == b.getInsertionBlock()->end();
    before = atEnd ? MlirOperation{nullptr} : wrap(&*b.getInsertionPoint());
  }
  MlirBlock block;
  MlirOperation before;
};

// What is known at compile time, and values for the rest.
struct Numbers {
  explicit Numbers(ArrayRef<OpFoldResult> mixed) {
    for (OpFoldResult one : mixed) {
      std::optional<int64_t> known = getConstantIntValue(one);
      statics.push_back(known.value_or(ShapedType::kDynamic));
      values.push_back(known ? MlirValue{nullptr} : wrap(cast<Value>(one)));
    }
  }
  SmallVector<int64_t> statics;
  SmallVector<MlirValue> values;
};

// The sizes of a result, or (-1) of the loops.
FailureOr<Mixed> sizes(Operation *op, OpBuilder &b, int64_t number) {
  int64_t count = number < 0 ? rankOf(op) + countReduced(op) : result(op, number).getRank();
  SmallVector<int64_t> statics(count, ShapedType::kDynamic);
  SmallVector<MlirValue> values(count, MlirValue{nullptr});
  Place place(b);
  if (!hooks.sizes || !hooks.sizes(wrap(op), place.block, place.before, number, statics.data(), values.data()))
    return failure();
  Mixed found;
  for (auto [known, value] : llvm::zip_equal(statics, values))
    found.push_back(ShapedType::isDynamic(known) ? OpFoldResult(unwrap(value)) : OpFoldResult(b.getIndexAttr(known)));
  return found;
}

struct Made {
  TilingResult result;
  OpBuilder::Listener *listener;
};

void note(MlirOperation wrapped, bool isSlice, void *data) {
  auto *made = static_cast<Made *>(data);
  Operation *op = unwrap(wrapped);
  (isSlice ? made->result.generatedSlices : made->result.tiledOps).push_back(op);
  if (made->listener)
    made->listener->notifyOperationInserted(op, {});
}

FailureOr<TilingResult> tiled(Operation *op, OpBuilder &b, ArrayRef<OpFoldResult> offsets,
                              ArrayRef<OpFoldResult> sizes, bool isPart = false) {
  if (!hooks.tiled)
    return failure();
  Numbers from(offsets), count(sizes);
  MapwrightTile tile = {static_cast<intptr_t>(offsets.size()), from.statics.data(), from.values.data(),
                        count.statics.data(), count.values.data(), isPart};
  Place place(b);
  Made made{{}, b.getListener()};
  SmallVector<MlirValue> values(op->getNumResults());
  if (!hooks.tiled(wrap(op), place.block, place.before, &tile, note, values.data(), &made))
    return failure();
  for (MlirValue value : values)
    made.result.tiledValues.push_back(unwrap(value));
  return made.result;
}

// What is reduced, a tile reduces whole: its parts are for PartialReductionOpInterface.
bool reducesWhole(Operation *op, ArrayRef<OpFoldResult> offsets) {
  return llvm::all_of(offsets.drop_front(rankOf(op)), [](OpFoldResult offset) { return isZeroInteger(offset); });
}

struct Tiling : TilingInterface::ExternalModel<Tiling, void> {
  SmallVector<utils::IteratorType> getLoopIteratorTypes(Operation *op) const {
    SmallVector<utils::IteratorType> types(rankOf(op), utils::IteratorType::parallel);
    types.append(countReduced(op), utils::IteratorType::reduction);
    return types;
  }

  SmallVector<Range> getIterationDomain(Operation *op, OpBuilder &b) const {
    SmallVector<Range> domain;
    FailureOr<Mixed> all = sizes(op, b, -1);
    if (failed(all))
      return domain;
    for (OpFoldResult size : *all)
      domain.push_back({b.getIndexAttr(0), size, b.getIndexAttr(1)});
    return domain;
  }

  FailureOr<TilingResult> getTiledImplementation(Operation *op, OpBuilder &b, ArrayRef<OpFoldResult> offsets,
                                                 ArrayRef<OpFoldResult> sizes) const {
    if (!reducesWhole(op, offsets))
      return op->emitOpError("reduces what is to be tiled: this takes partial reductions");
    return tiled(op, b, offsets, sizes);
  }

  LogicalResult getResultTilePosition(Operation *op, OpBuilder &, unsigned, ArrayRef<OpFoldResult> offsets,
                                      ArrayRef<OpFoldResult> sizes, Mixed &resultOffsets, Mixed &resultSizes) const {
    resultOffsets = Mixed(offsets.take_front(rankOf(op)));
    resultSizes = Mixed(sizes.take_front(rankOf(op)));
    return success();
  }

  LogicalResult getIterationDomainTileFromResultTile(Operation *op, OpBuilder &b, unsigned,
                                                     ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
                                                     SmallVectorImpl<OpFoldResult> &domainOffsets,
                                                     SmallVectorImpl<OpFoldResult> &domainSizes) const {
    domainOffsets.assign(offsets.begin(), offsets.end());
    domainSizes.assign(sizes.begin(), sizes.end());
    if (countReduced(op) == 0)
      return success();
    FailureOr<Mixed> all = ::sizes(op, b, -1);
    if (failed(all))
      return failure();
    for (OpFoldResult size : ArrayRef<OpFoldResult>(*all).drop_front(rankOf(op))) {
      domainOffsets.push_back(b.getIndexAttr(0));
      domainSizes.push_back(size);
    }
    return success();
  }

  FailureOr<TilingResult> generateResultTileValue(Operation *op, OpBuilder &b, unsigned number,
                                                  ArrayRef<OpFoldResult> offsets,
                                                  ArrayRef<OpFoldResult> sizes) const {
    FailureOr<TilingResult> result = tiled(op, b, offsets, sizes);
    if (failed(result))
      return failure();
    return TilingResult{result->tiledOps, {result->tiledValues[number]}, result->generatedSlices};
  }
};

// What is summed up has a dimension more for every loop that is cut, at the end. Of loops that run side by side each tile gives a value, at the number
// of the tile there; of those that run one after another each element of a tile is summed up by itself.
struct Partial : PartialReductionOpInterface::ExternalModel<Partial, void> {
  static bool isOuterParallel(ReductionTilingStrategy strategy) {
    return strategy == ReductionTilingStrategy::PartialReductionOuterParallel;
  }

  FailureOr<SmallVector<Value>> generateInitialTensorForPartialReduction(Operation *op, OpBuilder &b, Location loc,
                                                                        ArrayRef<OpFoldResult> sizes,
                                                                        const SetVector<unsigned> &cut) const {
    Mixed shape(sizes.take_front(rankOf(op)));
    for (unsigned loop : cut)
      shape.push_back(sizes[loop]);
    Numbers from(Mixed(shape.size(), b.getIndexAttr(0))), count(shape);
    MapwrightTile tile = {static_cast<intptr_t>(shape.size()), from.statics.data(), from.values.data(),
                          count.statics.data(), count.values.data(), true};
    Place place(b);
    Made made{{}, b.getListener()};
    SmallVector<MlirValue> values(op->getNumResults());
    if (!hooks.begun || !hooks.begun(wrap(op), place.block, place.before, &tile, note, values.data(), &made))
      return op->emitOpError("has no parts to sum up");
    SmallVector<Value> tensors;
    for (MlirValue value : values)
      tensors.push_back(unwrap(value));
    return tensors;
  }

  FailureOr<TilingResult> tileToPartialReduction(Operation *op, OpBuilder &b, Location loc,
                                                 ReductionTilingStrategy strategy, ValueRange sums,
                                                 ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
                                                 const SetVector<unsigned> &cut,
                                                 ArrayRef<OpFoldResult> numbers) const {
    if (isOuterParallel(strategy))
      return tiled(op, b, offsets, sizes, /*isPart=*/true);
    Mixed sumOffsets, sumSizes;
    (void)getPartialResultTilePosition(op, b, 0, strategy, offsets, sizes, cut, numbers, sumOffsets, sumSizes);
    Mixed steps(sumOffsets.size(), b.getIndexAttr(1));
    Made made{{}, b.getListener()};
    SmallVector<MlirValue> parts, values(op->getNumResults());
    for (Value sum : sums) {
      auto slice = tensor::ExtractSliceOp::create(b, loc, sum, sumOffsets, sumSizes, steps);
      made.result.generatedSlices.push_back(slice);
      parts.push_back(wrap(slice.getResult()));
    }
    SmallVector<intptr_t> loops(cut.begin(), cut.end());
    Numbers from(offsets), count(sizes);
    MapwrightTile tile = {static_cast<intptr_t>(offsets.size()), from.statics.data(), from.values.data(),
                          count.statics.data(), count.values.data(), true};
    Place place(b);
    if (!hooks.summed || !hooks.summed(wrap(op), place.block, place.before, &tile, parts.data(), loops.size(),
                                       loops.data(), note, values.data(), &made))
      return op->emitOpError("has no sum of elements one by one");
    // Upstream's transforms have one handle for a tile: that of the operation that sums up.
    SmallVector<Operation *> &ops = made.result.tiledOps;
    ops.erase(ops.begin(), ops.empty() ? ops.end() : std::prev(ops.end()));
    for (MlirValue value : values)
      made.result.tiledValues.push_back(unwrap(value));
    return made.result;
  }

  LogicalResult getPartialResultTilePosition(Operation *op, OpBuilder &b, unsigned, ReductionTilingStrategy strategy,
                                             ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
                                             const SetVector<unsigned> &cut, ArrayRef<OpFoldResult> numbers,
                                             Mixed &resultOffsets, Mixed &resultSizes) const {
    resultOffsets = Mixed(offsets.take_front(rankOf(op)));
    resultSizes = Mixed(sizes.take_front(rankOf(op)));
    if (!isOuterParallel(strategy)) {
      for (unsigned loop : cut) {
        resultOffsets.push_back(b.getIndexAttr(0));
        resultSizes.push_back(sizes[loop]);
      }
      return success();
    }
    for (OpFoldResult number : numbers) {
      resultOffsets.push_back(number);
      resultSizes.push_back(b.getIndexAttr(1));
    }
    return success();
  }

  FailureOr<MergeResult> mergeReductions(Operation *op, OpBuilder &b, Location, ValueRange parts,
                                         const SetVector<unsigned> &cut) const {
    SmallVector<MlirValue> wrapped, values(op->getNumResults());
    for (Value part : parts)
      wrapped.push_back(wrap(part));
    Place place(b);
    Made made{{}, b.getListener()};
    if (!hooks.merged || !hooks.merged(wrap(op), place.block, place.before, wrapped.size(), wrapped.data(), cut.size(),
                                       note, values.data(), &made))
      return op->emitOpError("has no sum of its parts");
    MergeResult merged;
    merged.mergeOps = made.result.tiledOps;
    for (MlirValue value : values)
      merged.replacements.push_back(unwrap(value));
    return merged;
  }
};

// The sizes of a result as upstream wants them: numbers where the type has them, and values where it does not, even if the size is known.
FailureOr<Mixed> shapeOf(Operation *op, OpBuilder &b, int64_t number) {
  FailureOr<Mixed> all = sizes(op, b, number);
  if (failed(all))
    return failure();
  for (auto [size, known] : llvm::zip_equal(*all, result(op, number).getShape()))
    if (auto value = getConstantIntValue(size); value && ShapedType::isDynamic(known))
      size = arith::ConstantIndexOp::create(b, op->getLoc(), *value).getResult();
  return all;
}

// Tensors for results of run-time sizes are made in front of the operation.
struct Shapes : ReifyRankedShapedTypeOpInterface::ExternalModel<Shapes, void> {
  LogicalResult reifyResultShapes(Operation *op, OpBuilder &b, ReifiedRankedShapedTypeDims &shapes) const {
    for (unsigned i = 0; i < op->getNumResults(); ++i) {
      if (!result(op, i))
        return failure();
      FailureOr<Mixed> shape = shapeOf(op, b, i);
      if (failed(shape))
        return failure();
      shapes.push_back(*shape);
    }
    return success();
  }

  FailureOr<Mixed> reifyShapeOfResult(Operation *op, OpBuilder &b, int number) const { return shapeOf(op, b, number); }

  FailureOr<OpFoldResult> reifyDimOfResult(Operation *op, OpBuilder &b, int number, int dim) const {
    FailureOr<Mixed> shape = shapeOf(op, b, number);
    if (failed(shape))
      return failure();
    return (*shape)[dim];
  }
};

void attach(MLIRContext *context, StringRef dialect) {
  for (RegisteredOperationName name : context->getRegisteredOperations()) {
    if (name.getDialectNamespace() != dialect || !hooks.tiles || !hooks.tiles(wrap(name.getStringRef())) ||
        name.hasInterface<TilingInterface>())
      continue;
    name.attachInterface<Tiling>();
    if (hooks.reduces(wrap(name.getStringRef())))
      name.attachInterface<Partial>();
    if (!name.hasInterface<ReifyRankedShapedTypeOpInterface>())
      name.attachInterface<Shapes>();
  }
}

// Dialects are known by name, so that a host's own StableHLO gets it as well.
struct HloExtension : DialectExtensionBase {
  HloExtension() : DialectExtensionBase({"stablehlo"}) {}
  void apply(MLIRContext *context, MutableArrayRef<Dialect *>) const override { attach(context, "stablehlo"); }
  std::unique_ptr<DialectExtensionBase> clone() const override { return std::make_unique<HloExtension>(); }
};

struct RegionExtension : DialectExtensionBase {
  RegionExtension() : DialectExtensionBase({"indexing"}) {}
  void apply(MLIRContext *context, MutableArrayRef<Dialect *>) const override { attach(context, "indexing"); }
  std::unique_ptr<DialectExtensionBase> clone() const override { return std::make_unique<RegionExtension>(); }
};

} // namespace

void mapwright::insertTiling(DialectRegistry &registry) {
  registry.addExtension(TypeID::get<HloExtension>(), std::make_unique<HloExtension>());
  registry.addExtension(TypeID::get<RegionExtension>(), std::make_unique<RegionExtension>());
}
