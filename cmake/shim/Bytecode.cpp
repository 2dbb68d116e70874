// Bytecode that somebody damaged. MLIR's reader trusts much of what it reads: it may crash on it, ask for more memory than there is,
// or damage its own when it gives up. So a child process reads it first, and this one reads only what the child could read.

#include "Bytecode.h"

#include "Nesting.h"
#include "Shim.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/CAPI/IR.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Parser/Parser.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;

namespace {

/// Seconds after which reading is taken to hang: most bytecode takes milliseconds, a megabyte of it far less than a second.
unsigned timeLimit(size_t size) { return 20 + unsigned(size >> 20); }

/// What the child may allocate besides what the process has: a module is some tens of times larger than its bytecode.
void limitMemory(size_t size) {
  rlim_t limit = rlim_t(1) << 30;
  limit += rlim_t(size) * 64;
  if (FILE *file = fopen("/proc/self/statm", "r")) {
    unsigned long pages = 0;
    if (fscanf(file, "%lu", &pages) == 1)
      limit += rlim_t(pages) * sysconf(_SC_PAGESIZE);
    fclose(file);
  }
  rlimit both = {limit, limit};
  setrlimit(RLIMIT_AS, &both);
}

/// Reads the bytecode; exits with 1 and writes the first error to `errors` where that fails.
[[noreturn]] void readAndExit(llvm::MemoryBufferRef bytecode, int errors) {
  for (int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGALRM})
    std::signal(signal, SIG_DFL);
  rlimit noCore = {0, 0};
  setrlimit(RLIMIT_CORE, &noCore);
  if (int null = open("/dev/null", O_WRONLY); null >= 0) {
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
  }
  alarm(timeLimit(bytecode.getBufferSize()));
  limitMemory(bytecode.getBufferSize());
  DialectRegistry registry;
  mapwrightDialectsInsertAll(wrap(&registry));
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.allowUnregisteredDialects();
  bool first = true;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (first && diagnostic.getSeverity() == DiagnosticSeverity::Error) {
      first = false;
      std::string message = diagnostic.str();
      (void)!write(errors, message.data(), std::min<size_t>(message.size(), PIPE_BUF));
    }
    return success();
  });
  // What is well-formed bytecode of an ill-formed program is reported when it is read again.
  ParserConfig config(&context, /*verifyAfterParse=*/false);
  Block block;
  if (failed(parseSourceString(bytecode.getBuffer(), &block, config, bytecode.getBufferIdentifier())))
    _exit(1);
  if (mapwright::tooDeep(block)) {
    std::string message = mapwright::nestingError();
    (void)!write(errors, message.data(), message.size());
    _exit(1);
  }
  _exit(0);
}

/// What comes out of `descriptor` until it is closed.
std::string readAll(int descriptor) {
  std::string text;
  char part[512];
  for (ssize_t n; (n = read(descriptor, part, sizeof part)) != 0;) {
    if (n > 0)
      text.append(part, n);
    else if (errno != EINTR)
      break;
  }
  return text;
}

} // namespace

std::optional<std::string> mapwright::bytecodeError(llvm::MemoryBufferRef source) {
  int ends[2];
  if (!isBytecode(source) || pipe(ends) != 0)
    return std::nullopt;
  pid_t child = fork();
  if (child == 0)
    readAndExit(source, ends[1]);
  close(ends[1]);
  std::string message = child < 0 ? "" : readAll(ends[0]);
  close(ends[0]);
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return std::nullopt;
  if (child < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 0))
    return std::nullopt;
  bool rejected = WIFEXITED(status) && !message.empty();
  return rejected ? message : "malformed bytecode";
}
