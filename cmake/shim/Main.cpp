// The drivers: upstream's, with our dialects and passes.

#include "Bytecode.h"
#include "Nesting.h"
#include "Shim.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/CAPI/IR.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdio>
#include <unistd.h>

using namespace mlir;

/// Looks at the input before MLIR does. Standard input is put where it can be read again.
static bool inputCanBeRead(llvm::StringRef name) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(name);
  // A file that cannot be opened is MLIR's to report.
  if (!buffer)
    return true;
  llvm::StringRef bytes = (*buffer)->getBuffer();
  if (auto error = mapwright::bytecodeError((*buffer)->getMemBufferRef())) {
    llvm::errs() << (name == "-" ? "<stdin>" : name) << ":0:0: error: " << *error << '\n';
    return false;
  }
  if (auto refused = mapwright::refusal(bytes); refused && !isBytecode((*buffer)->getMemBufferRef())) {
    auto [line, column] = mapwright::lineAndColumn(bytes, refused->byte);
    llvm::errs() << (name == "-" ? "<stdin>" : name) << ':' << line << ':' << column
                 << ": error: " << refused->message << '\n';
    return false;
  }
  if (name == "-") {
    FILE *copy = tmpfile();
    bool copied = copy && fwrite(bytes.data(), 1, bytes.size(), copy) == bytes.size() && fflush(copy) == 0 &&
                  fseek(copy, 0, SEEK_SET) == 0 && dup2(fileno(copy), STDIN_FILENO) >= 0;
    if (!copied) {
      llvm::errs() << "error: cannot keep what was read from standard input\n";
      return false;
    }
  }
  return true;
}

int mapwrightOptMain(int argc, char **argv) {
  registerAllPasses();
  DialectRegistry registry;
  mapwrightDialectsInsertAll(wrap(&registry));
  static llvm::cl::opt<int> deepest("deepest-nesting", llvm::cl::value_desc("levels"),
                                    llvm::cl::desc("How deep the source may be nested"),
                                    llvm::cl::init(mapwrightDeepestNesting()));
  auto [input, output] =
      registerAndParseCLIOptions(argc, argv, "Mapwright modular optimizer driver\n", registry);
  if (!mapwrightDeepestNestingSet(deepest)) {
    llvm::errs() << "error: --deepest-nesting=" << deepest
                 << (deepest > 0 ? ": there is no stack for so many levels\n" : ": not a number of levels\n");
    return 1;
  }
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  bool reads = !config.shouldShowDialects() && !config.shouldListPasses();
  // Whoever types the input types text.
  bool typed = input == "-" && isatty(STDIN_FILENO);
  LogicalResult result = failure();
  auto main = [&, &input = input, &output = output] {
    if (!reads || typed || inputCanBeRead(input))
      result = MlirOptMain(argc, argv, input, output, registry);
  };
  if (!mapwright::onDeepStack(main))
    llvm::errs() << "error: there is no stack for a source of " << deepest << " levels\n";
  return failed(result);
}

int mapwrightLspServerMain(int argc, char **argv) {
  DialectRegistry registry;
  mapwrightDialectsInsertAll(wrap(&registry));
  return failed(MlirLspServerMain(argc, argv, registry));
}
