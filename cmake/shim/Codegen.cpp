// Passes that LLVM's code generation leaves out for our code. The command-line options that name them count for the whole process, in
// which others may generate code too; a gate counts for one context.

#include "Shim.h"

#include "mlir/CAPI/Support.h"
#include "mlir/CAPI/Wrap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace {

struct AddressesStand final : OptPassGate {
  bool isEnabled() const override { return true; }
  bool shouldRunPass(StringRef pass, StringRef) const override {
    return pass != "Loop Strength Reduction" && pass != "Post RA top-down list latency scheduler";
  }
};

} // namespace

void mapwrightLlvmContextLeaveAddresses(void *context) {
  // One for all contexts: it has no state.
  static AddressesStand gate;
  static_cast<LLVMContext *>(context)->setOptPassGate(gate);
}

MapwrightMachine mapwrightLlvmCheckMachine(MlirStringRef triple, MlirStringRef cpu, MlirStringRef feature) {
  std::string error;
  Triple of(unwrap(triple));
  const Target *target = TargetRegistry::lookupTarget(of, error);
  std::unique_ptr<MCSubtargetInfo> info(target ? target->createMCSubtargetInfo(of, "", "") : nullptr);
  StringRef name = unwrap(cpu);
  if (!info || (!name.empty() && !info->isCPUStringValid(name)))
    return MapwrightMachineNoCpu;
  auto isIt = [&](const SubtargetFeatureKV &known) { return unwrap(feature) == known.Key; };
  if (feature.length > 0 && none_of(info->getAllProcessorFeatures(), isIt))
    return MapwrightMachineNoFeature;
  // LLVM ends the process where it is asked for 64-bit code of one without it.
  if (of.getArch() == Triple::x86_64 && !name.empty()) {
    info.reset(target->createMCSubtargetInfo(of, name, ""));
    if (!info->checkFeatures("+64bit"))
      return MapwrightMachineNot64Bit;
  }
  return MapwrightMachineKnown;
}
