// Diagnostics with notes, and their printing with the source line as mlir-opt does it.

#include "Bytecode.h"
#include "Nesting.h"
#include "Shim.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <atomic>
#include <memory>
#include <string>

using namespace mlir;

void mapwrightDiagnosticEmit(MlirLocation location, int32_t severity, MlirStringRef message, intptr_t noteCount,
                             const MlirLocation *noteLocations, const MlirStringRef *notes) {
  Location where = unwrap(location);
  auto emit = [&]() -> InFlightDiagnostic {
    switch (severity) {
    case MlirDiagnosticWarning:
      return emitWarning(where);
    case MlirDiagnosticRemark:
      return emitRemark(where);
    default:
      return emitError(where);
    }
  };
  InFlightDiagnostic diagnostic = emit();
  diagnostic << unwrap(message);
  for (intptr_t i = 0; i < noteCount; ++i) {
    std::optional<Location> at;
    if (noteLocations[i].ptr)
      at = unwrap(noteLocations[i]);
    diagnostic.attachNote(at) << unwrap(notes[i]);
  }
}

struct MapwrightDiagnostics {
  MapwrightDiagnostics(MLIRContext *context, bool toStderr)
      : context(context), stream(text), printer(sources, context, toStderr ? static_cast<llvm::raw_ostream &>(llvm::errs()) : stream) {
    // Asked before the printer, which takes every diagnostic; this one only counts and passes it on.
    counter = context->getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
        ++errors;
      return failure();
    });
  }
  ~MapwrightDiagnostics() { context->getDiagEngine().eraseHandler(counter); }

  MLIRContext *context;
  llvm::SourceMgr sources;
  std::string text;
  llvm::raw_string_ostream stream;
  SourceMgrDiagnosticHandler printer;
  DiagnosticEngine::HandlerID counter;
  std::atomic<intptr_t> errors{0};
};

MapwrightDiagnostics *mapwrightDiagnosticsCreate(MlirContext context, bool toStderr) {
  return new MapwrightDiagnostics(unwrap(context), toStderr);
}

void mapwrightDiagnosticsDestroy(MapwrightDiagnostics *diagnostics) { delete diagnostics; }

intptr_t mapwrightDiagnosticsErrorCount(const MapwrightDiagnostics *diagnostics) { return diagnostics->errors; }

void mapwrightDiagnosticsTake(MapwrightDiagnostics *diagnostics, MlirStringCallback callback, void *userData) {
  callback(wrap(StringRef(diagnostics->text)), userData);
  diagnostics->text.clear();
}

MlirModule mapwrightSourceParse(MapwrightDiagnostics *diagnostics, MlirStringRef name, MlirStringRef text) {
  // The printer finds the lines to quote by the name; the parser gets the same text.
  unsigned id = diagnostics->sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(unwrap(text), unwrap(name)), llvm::SMLoc());
  const llvm::MemoryBuffer *source = diagnostics->sources.getMemoryBuffer(id);
  if (auto error = mapwright::bytecodeError(source->getMemBufferRef())) {
    emitError(FileLineColLoc::get(diagnostics->context, unwrap(name), 0, 0)) << *error;
    return MlirModule{nullptr};
  }
  if (auto refused = mapwright::refusal(source->getBuffer()); refused && !isBytecode(source->getMemBufferRef())) {
    auto [line, column] = mapwright::lineAndColumn(source->getBuffer(), refused->byte);
    emitError(FileLineColLoc::get(diagnostics->context, unwrap(name), line, column)) << refused->message;
    return MlirModule{nullptr};
  }
  ParserConfig config(diagnostics->context);
  return wrap(parseSourceString<ModuleOp>(source->getBuffer(), config, unwrap(name)).release());
}
