// A pass whose options and body are declared by Rust: `mlirCreateExternalPass` has no options.

#include "Shim.h"

#include "Dialects.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Pass.h"
#include "mlir/CAPI/Support.h"
#include "mlir/CAPI/Utils.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

#include <memory>
#include <string>
#include <vector>

using namespace mlir;

struct MapwrightPassInstance : public Pass {
  explicit MapwrightPassInstance(const MapwrightPassDescription *description)
      : Pass(TypeID::getFromOpaquePointer(description),
             description->anchor.length ? std::optional<StringRef>(unwrap(description->anchor)) : std::nullopt),
        description(description) {
    for (intptr_t i = 0; i < description->optionCount; ++i)
      values.push_back(Value(*this, description->options[i]));
  }

  StringRef getName() const override { return unwrap(description->name); }
  StringRef getArgument() const override { return unwrap(description->argument); }
  StringRef getDescription() const override { return unwrap(description->description); }

  void getDependentDialects(DialectRegistry &registry) const override {
    for (intptr_t i = 0; i < description->dialectCount; ++i)
      mapwright::insertDialect(unwrap(description->dialects[i]), registry);
    // A host that loads pass plugins alone gets the interfaces with the first pipeline that names a pass of ours.
    mapwright::insertTiling(registry);
    mapwright::insertSharding(registry);
  }

  bool canScheduleOn(RegisteredOperationName name) const override {
    std::optional<StringRef> anchor = getOpName();
    return !anchor || name.getStringRef() == *anchor;
  }

  LogicalResult initialize(MLIRContext *context) override {
    return success(description->initialize(description->pass, wrap(context), this));
  }

  void runOnOperation() override {
    if (!description->run(description->pass, wrap(getOperation()), this))
      signalPassFailure();
  }

  std::unique_ptr<Pass> clonePass() const override { return std::make_unique<MapwrightPassInstance>(description); }

  // One of the four, by the kind of the option. The pass's list of options points to them, so they never move.
  struct Value {
    std::unique_ptr<Option<std::string>> text;
    std::unique_ptr<Option<bool>> flag;
    std::unique_ptr<Option<int64_t>> number;
    std::unique_ptr<ListOption<int64_t>> numbers;

    Value(Pass &pass, const MapwrightOption &option) {
      StringRef name = unwrap(option.name);
      llvm::cl::desc help(unwrap(option.description));
      StringRef initial = unwrap(option.initial);
      switch (option.kind) {
      case MAPWRIGHT_OPTION_BOOL:
        flag = std::make_unique<Option<bool>>(pass, name, help, llvm::cl::init(initial == "true"));
        break;
      case MAPWRIGHT_OPTION_INT: {
        int64_t value = 0;
        initial.getAsInteger(10, value);
        number = std::make_unique<Option<int64_t>>(pass, name, help, llvm::cl::init(value));
        break;
      }
      case MAPWRIGHT_OPTION_INT_LIST:
        numbers = std::make_unique<ListOption<int64_t>>(pass, name, help);
        break;
      default:
        text = std::make_unique<Option<std::string>>(pass, name, help, llvm::cl::init(initial.str()));
      }
    }
  };

  LogicalResult runNested(OpPassManager &pipeline, Operation *op) { return runPipeline(pipeline, op); }

  const MapwrightPassDescription *description;
  std::vector<Value> values;
};

void mapwrightPassRegister(const MapwrightPassDescription *description) {
  // The same library can arrive twice in one process (as a plugin and linked in); a second pass of a name is a fatal error there.
  if (PassInfo::lookup(unwrap(description->argument)))
    return;
  registerPass([description]() -> std::unique_ptr<Pass> { return std::make_unique<MapwrightPassInstance>(description); });
}

MlirPass mapwrightPassCreate(const MapwrightPassDescription *description, MlirStringRef options,
                             MapwrightOptionCheck check, MlirStringCallback error, void *userData) {
  auto pass = std::make_unique<MapwrightPassInstance>(description);
  auto fail = [&](const Twine &message) {
    std::string text = message.str();
    error(wrap(StringRef(text)), userData);
    return failure();
  };
  if (failed(pass->initializeOptions(unwrap(options), fail)))
    return {nullptr};
  if (!check(description->pass, pass.get(), userData))
    return {nullptr};
  return wrap(static_cast<Pass *>(pass.release()));
}

void mapwrightPipelineRegister(MlirStringRef name, MlirStringRef description, MlirStringRef text) {
  if (PassPipelineInfo::lookup(unwrap(name)))
    return;
  PassPipelineRegistration<>(unwrap(name), unwrap(description), [pipeline = unwrap(text).str()](OpPassManager &manager) {
    // The text is ours; a mistake in it is reported on standard error by the parser.
    (void)parsePassPipeline(pipeline, manager);
  });
}

bool mapwrightPassIsRegistered(MlirStringRef argument) {
  return PassInfo::lookup(unwrap(argument)) || PassPipelineInfo::lookup(unwrap(argument));
}

MlirStringRef mapwrightOptionString(const MapwrightPassInstance *instance, intptr_t index) {
  const std::string &value = instance->values[index].text->getValue();
  return wrap(StringRef(value));
}

bool mapwrightOptionBool(const MapwrightPassInstance *instance, intptr_t index) {
  return instance->values[index].flag->getValue();
}

int64_t mapwrightOptionInt(const MapwrightPassInstance *instance, intptr_t index) {
  return instance->values[index].number->getValue();
}

const int64_t *mapwrightOptionIntList(const MapwrightPassInstance *instance, intptr_t index, intptr_t *count) {
  ArrayRef<int64_t> list = *instance->values[index].numbers;
  *count = static_cast<intptr_t>(list.size());
  return list.data();
}

bool mapwrightPassRunPipeline(MapwrightPassInstance *instance, MlirStringRef pipeline, MlirOperation operation) {
  Operation *op = unwrap(operation);
  OpPassManager manager(op->getName());
  std::string message;
  llvm::raw_string_ostream stream(message);
  if (failed(parsePassPipeline(unwrap(pipeline), manager, stream))) {
    op->emitError() << message;
    return false;
  }
  return succeeded(instance->runNested(manager, op));
}
