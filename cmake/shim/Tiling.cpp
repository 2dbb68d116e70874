// Upstream's TilingInterface on operations of StableHLO, whoever registered the dialect: the loops are the dimensions of the first result, and Rust
// makes the operation for a tile of it, from the indexing maps.

#include "Dialects.h"
#include "Shim.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/TilingInterface.h"

using namespace mlir;

static MapwrightTilingHook hook = nullptr;
static MapwrightTilesHook tiles = nullptr;

void mapwrightSetTilingHooks(MapwrightTilesHook newTiles, MapwrightTilingHook newHook) {
  tiles = newTiles;
  hook = newHook;
}

namespace {

RankedTensorType firstResult(Operation *op) {
  if (op->getNumResults() == 0)
    return {};
  return dyn_cast<RankedTensorType>(op->getResult(0).getType());
}

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

FailureOr<TilingResult> tiled(Operation *op, OpBuilder &b, ArrayRef<OpFoldResult> offsets,
                              ArrayRef<OpFoldResult> sizes) {
  if (!hook)
    return failure();
  Numbers from(offsets), count(sizes);
  MapwrightTile tile = {static_cast<intptr_t>(offsets.size()), from.statics.data(), from.values.data(),
                        count.statics.data(), count.values.data()};
  Block *block = b.getInsertionBlock();
  bool atEnd = b.getInsertionPoint() == block->end();
  MlirOperation before = atEnd ? MlirOperation{nullptr} : wrap(&*b.getInsertionPoint());
  struct Made {
    TilingResult result;
    OpBuilder::Listener *listener;
  } made{{}, b.getListener()};
  SmallVector<MlirValue> values(op->getNumResults());
  auto note = [](MlirOperation wrapped, bool isSlice, void *data) {
    auto *made = static_cast<Made *>(data);
    Operation *op = unwrap(wrapped);
    (isSlice ? made->result.generatedSlices : made->result.tiledOps).push_back(op);
    if (made->listener)
      made->listener->notifyOperationInserted(op, {});
  };
  if (!hook(wrap(op), wrap(block), before, &tile, note, values.data(), &made))
    return failure();
  for (MlirValue value : values)
    made.result.tiledValues.push_back(unwrap(value));
  return made.result;
}

struct Tiling : TilingInterface::ExternalModel<Tiling, void> {
  SmallVector<utils::IteratorType> getLoopIteratorTypes(Operation *op) const {
    RankedTensorType type = firstResult(op);
    return SmallVector<utils::IteratorType>(type ? type.getRank() : 0, utils::IteratorType::parallel);
  }

  SmallVector<Range> getIterationDomain(Operation *op, OpBuilder &b) const {
    SmallVector<Range> domain;
    RankedTensorType type = firstResult(op);
    if (!type || !type.hasStaticShape())
      return domain;
    for (int64_t size : type.getShape())
      domain.push_back({b.getIndexAttr(0), b.getIndexAttr(size), b.getIndexAttr(1)});
    return domain;
  }

  FailureOr<TilingResult> getTiledImplementation(Operation *op, OpBuilder &b, ArrayRef<OpFoldResult> offsets,
                                                 ArrayRef<OpFoldResult> sizes) const {
    return tiled(op, b, offsets, sizes);
  }

  LogicalResult getResultTilePosition(Operation *, OpBuilder &, unsigned, ArrayRef<OpFoldResult> offsets,
                                      ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
                                      SmallVector<OpFoldResult> &resultSizes) const {
    resultOffsets.assign(offsets.begin(), offsets.end());
    resultSizes.assign(sizes.begin(), sizes.end());
    return success();
  }

  LogicalResult getIterationDomainTileFromResultTile(Operation *, OpBuilder &, unsigned,
                                                     ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
                                                     SmallVectorImpl<OpFoldResult> &domainOffsets,
                                                     SmallVectorImpl<OpFoldResult> &domainSizes) const {
    domainOffsets.assign(offsets.begin(), offsets.end());
    domainSizes.assign(sizes.begin(), sizes.end());
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

// Dialects are known by name, so that a host's own StableHLO gets it as well.
struct Extension : DialectExtensionBase {
  Extension() : DialectExtensionBase({"stablehlo"}) {}

  void apply(MLIRContext *context, MutableArrayRef<Dialect *>) const override {
    for (RegisteredOperationName name : context->getRegisteredOperations())
      if (name.getStringRef().starts_with("stablehlo.") && tiles && tiles(wrap(name.getStringRef())) &&
          !name.hasInterface<TilingInterface>())
        name.attachInterface<Tiling>();
  }

  std::unique_ptr<DialectExtensionBase> clone() const override { return std::make_unique<Extension>(); }
};

} // namespace

void mapwright::insertTiling(DialectRegistry &registry) {
  registry.addExtension(TypeID::get<Extension>(), std::make_unique<Extension>());
}
