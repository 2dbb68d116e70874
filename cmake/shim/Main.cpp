// The drivers: upstream's, with our dialects and passes.

#include "Bytecode.h"
#include "Nesting.h"
#include "Shim.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <cstdio>
#include <unistd.h>

using namespace mlir;

/// Makes `bytes` what is read from standard input.
static bool becomeInput(llvm::StringRef bytes) {
  FILE *copy = tmpfile();
  bool copied = copy && fwrite(bytes.data(), 1, bytes.size(), copy) == bytes.size() && fflush(copy) == 0 &&
                fseek(copy, 0, SEEK_SET) == 0 && dup2(fileno(copy), STDIN_FILENO) >= 0;
  if (!copied)
    llvm::errs() << "error: cannot keep what was read\n";
  return copied;
}

static void append(MlirStringRef part, void *text) { static_cast<std::string *>(text)->append(part.data, part.length); }

/// Looks at the input before MLIR does. Standard input is put where it can be read again, and so is the program of a portable
/// artifact: `name` is standard input then.
static bool inputCanBeRead(std::string &name, const MapwrightArtifacts &artifacts) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(name);
  // A file that cannot be opened is MLIR's to report.
  if (!buffer)
    return true;
  llvm::StringRef bytes = (*buffer)->getBuffer();
  if (artifacts.isArtifact(wrap(bytes))) {
    std::string bytecode, shown = name == "-" ? "<stdin>" : name;
    name = "-";
    return artifacts.read(wrap(llvm::StringRef(shown)), wrap(bytes), append, &bytecode) && becomeInput(bytecode);
  }
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
  return name != "-" || becomeInput(bytes);
}

/// As `MlirOptMain`, with a portable artifact as the output.
static LogicalResult emitArtifact(llvm::StringRef input, llvm::StringRef output, llvm::StringRef version,
                                  DialectRegistry &registry, MlirOptMainConfig config,
                                  const MapwrightArtifacts &artifacts) {
  if (!config.inputSplitMarker().empty()) {
    llvm::errs() << "error: a portable artifact is one program, --split-input-file is not\n";
    return failure();
  }
  std::string error, bytecode, artifact;
  auto buffer = openInputFile(input, &error);
  auto file = buffer ? openOutputFile(output, &error) : nullptr;
  if (!file) {
    llvm::errs() << error << '\n';
    return failure();
  }
  llvm::raw_string_ostream stream(bytecode);
  config.emitBytecode(true);
  if (failed(MlirOptMain(stream, std::move(buffer), registry, config)) ||
      !artifacts.write(wrap(version), wrap(llvm::StringRef(bytecode)), append, &artifact))
    return failure();
  file->os() << artifact;
  file->keep();
  return success();
}

int mapwrightOptMain(int argc, char **argv, const MapwrightArtifacts *artifacts) {
  // Rust ignores the signal, and LLVM takes a reader that left for an error of the disk.
  signal(SIGPIPE, SIG_DFL);
  registerAllPasses();
  DialectRegistry registry;
  mapwrightDialectsInsertAll(wrap(&registry));
  static llvm::cl::opt<int> deepest("deepest-nesting", llvm::cl::value_desc("levels"),
                                    llvm::cl::desc("How deep the source may be nested"),
                                    llvm::cl::init(mapwrightDeepestNesting()));
  static llvm::cl::opt<std::string> version(
      "emit-portable-artifact", llvm::cl::ValueOptional, llvm::cl::value_desc("version"),
      llvm::cl::desc("Emit a portable artifact of StableHLO, for readers of this version, the newest if there is none"));
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
  // The output is emptied before the input, whose pages are mapped, has been read.
  if (reads && output != "-" && llvm::sys::fs::equivalent(input, output)) {
    llvm::errs() << "error: the output '" << output << "' is the input: give another file\n";
    return 1;
  }
  LogicalResult result = failure();
  auto main = [&, &input = input, &output = output] {
    if (reads && !typed && !inputCanBeRead(input, *artifacts))
      return;
    if (reads && version.getNumOccurrences() > 0)
      result = emitArtifact(input, output, version, registry, config, *artifacts);
    else
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
