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
#include <tuple>

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

namespace {
/// Columns of a source line that are shown before and after the place of a diagnostic.
constexpr size_t kAround = 70;

/// The part of a source line around a column, from one character of UTF-8 to another.
std::pair<size_t, size_t> around(StringRef line, size_t column) {
  auto inside = [&](size_t at) { return at > 0 && at < line.size() && (static_cast<unsigned char>(line[at]) & 0xC0) == 0x80; };
  size_t begin = column > kAround ? column - kAround : 0;
  size_t end = std::min(line.size(), column + kAround);
  while (inside(begin))
    --begin;
  while (inside(end))
    ++end;
  return {begin, end};
}

/// Writes a printed diagnostic so that it fits a terminal: long source lines are cut around the place that the line below them marks,
/// and control characters, which would steer the terminal, are question marks.
void writeForTerminal(StringRef printed, llvm::raw_ostream &os) {
  auto marks = [](StringRef line) { return line.contains('^') && line.find_first_not_of(" ^~") == StringRef::npos; };
  SmallVector<StringRef> lines;
  printed.split(lines, '\n');
  for (size_t i = 0; i < lines.size(); ++i) {
    if (i > 0)
      os << '\n';
    StringRef line = lines[i];
    bool quoted = i + 1 < lines.size() && marks(lines[i + 1]);
    size_t begin = 0, end = line.size();
    if (quoted && line.size() > 2 * kAround)
      std::tie(begin, end) = around(line, lines[i + 1].find('^'));
    os << (begin > 0 ? "... " : "");
    for (char c : line.slice(begin, end))
      os << (static_cast<unsigned char>(c) < 0x20 && c != '\t' ? '?' : c);
    os << (end < line.size() ? " ..." : "");
    if (!quoted)
      continue;
    ++i;
    os << '\n' << (begin > 0 ? "    " : "");
    // The colour that upstream gives this line on a terminal.
    if (os.has_colors())
      os.changeColor(llvm::raw_ostream::GREEN, /*Bold=*/true);
    os << lines[i].slice(begin, std::max(end, begin + 1));
    if (os.has_colors())
      os.resetColor();
  }
}

/// Where the printer below writes a diagnostic to; a base of it, so that it is there before the printer is.
struct Printed {
  std::string text;
  llvm::raw_string_ostream stream{text};
};

struct Printer : private Printed, SourceMgrDiagnosticHandler {
  Printer(llvm::SourceMgr &sources, MLIRContext *context, llvm::raw_ostream &os)
      : SourceMgrDiagnosticHandler(sources, context, stream) {
    setHandler([this, &os](Diagnostic &diagnostic) {
      emitDiagnostic(diagnostic);
      writeForTerminal(text, os);
      text.clear();
    });
  }
};
} // namespace

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
  Printer printer;
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
