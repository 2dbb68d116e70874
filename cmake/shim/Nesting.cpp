// Sources that are nested so deeply that MLIR's recursive readers, verifiers and printers would run out of stack, or take time and
// memory with the square of the depth (the indentation alone does).

#include "Nesting.h"

#include "Shim.h"

#include "mlir/IR/Operation.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <pthread.h>

using namespace mlir;

/// What threads get; never less than the system's own choice.
static size_t stackFor(unsigned levels) { return size_t(levels) * mapwright::stackOfLevel; }

/// New threads of this process have room for so many levels.
static bool setStackOfNewThreads(unsigned levels) {
#ifdef __GLIBC__
  pthread_attr_t attributes;
  size_t usual = 0;
  if (pthread_getattr_default_np(&attributes) != 0)
    return false;
  bool done = pthread_attr_getstacksize(&attributes, &usual) == 0 &&
              pthread_attr_setstacksize(&attributes, std::max(usual, stackFor(levels))) == 0 &&
              pthread_setattr_default_np(&attributes) == 0;
  pthread_attr_destroy(&attributes);
  return done;
#else
  return levels <= mapwright::usualNesting;
#endif
}

/// The limit of the environment, if there is one.
static unsigned initialNesting() {
  const char *text = std::getenv("MAPWRIGHT_DEEPEST_NESTING");
  if (!text)
    return mapwright::usualNesting;
  unsigned levels = 0;
  if (llvm::StringRef(text).getAsInteger(10, levels) || levels == 0) {
    llvm::errs() << "warning: MAPWRIGHT_DEEPEST_NESTING is \"" << text << "\", not a number of levels: the limit stays at "
                 << mapwright::usualNesting << '\n';
    return mapwright::usualNesting;
  }
  if (levels > mapwright::usualNesting && !setStackOfNewThreads(levels)) {
    llvm::errs() << "warning: MAPWRIGHT_DEEPEST_NESTING is " << levels << ", for which there is no stack: the limit stays at "
                 << mapwright::usualNesting << '\n';
    return mapwright::usualNesting;
  }
  return levels;
}

static std::atomic<unsigned> &nesting() {
  static std::atomic<unsigned> levels(initialNesting());
  return levels;
}

unsigned mapwright::deepestNesting() { return nesting(); }

bool mapwright::setDeepestNesting(unsigned levels) {
  if (levels > usualNesting && levels > nesting() && !setStackOfNewThreads(levels))
    return false;
  nesting() = levels;
  return true;
}

bool mapwright::onDeepStack(llvm::function_ref<void()> work) {
  pthread_attr_t attributes;
  pthread_t thread;
  if (pthread_attr_init(&attributes) != 0)
    return false;
  auto call = [](void *work) -> void * {
    (*static_cast<llvm::function_ref<void()> *>(work))();
    return nullptr;
  };
  bool made = pthread_attr_setstacksize(&attributes, stackFor(std::max(deepestNesting(), usualNesting))) == 0 &&
              pthread_create(&thread, &attributes, call, &work) == 0;
  pthread_attr_destroy(&attributes);
  return made && pthread_join(thread, nullptr) == 0;
}

int32_t mapwrightDeepestNesting() { return int32_t(mapwright::deepestNesting()); }

bool mapwrightDeepestNestingSet(int32_t levels) { return levels > 0 && mapwright::setDeepestNesting(unsigned(levels)); }

int64_t mapwrightDeepestNestingStack() { return int64_t(stackFor(std::max(mapwright::deepestNesting(), mapwright::usualNesting))); }

std::optional<size_t> mapwright::tooDeep(llvm::StringRef text) {
  unsigned depth = 0, deepest = deepestNesting();
  for (size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
    case '"':
      // A string ends at its line's end at the latest.
      for (++i; i < text.size() && text[i] != '"' && text[i] != '\n'; ++i)
        if (text[i] == '\\')
          ++i;
      break;
    case '/':
      if (i + 1 < text.size() && text[i + 1] == '/')
        i = std::min(text.find('\n', i), text.size());
      break;
    case '<':
      if (i + 1 < text.size() && text[i + 1] == '=')
        break;
      [[fallthrough]];
    case '(':
    case '[':
    case '{':
      if (++depth > deepest)
        return i;
      break;
    case '>':
      // Not the head of an arrow, and no comparison.
      if ((i > 0 && text[i - 1] == '-') || (i + 1 < text.size() && text[i + 1] == '='))
        break;
      [[fallthrough]];
    case ')':
    case ']':
    case '}':
      depth -= depth > 0;
      break;
    default:
      break;
    }
  }
  return std::nullopt;
}

std::pair<unsigned, unsigned> mapwright::lineAndColumn(llvm::StringRef text, size_t byte) {
  llvm::StringRef before = text.take_front(byte);
  size_t start = before.rfind('\n');
  start = start == llvm::StringRef::npos ? 0 : start + 1;
  return {before.count('\n') + 1, byte - start + 1};
}

static bool tooDeepAt(Block &block, unsigned depth) {
  if (depth > mapwright::deepestNesting())
    return true;
  for (Operation &op : block)
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        if (tooDeepAt(inner, depth + 1))
          return true;
  return false;
}

bool mapwright::tooDeep(Block &block) { return tooDeepAt(block, 0); }

std::string mapwright::nestingError() {
  return "nested more than " + std::to_string(deepestNesting()) + " levels deep (the limit can be raised: --deepest-nesting, or MAPWRIGHT_DEEPEST_NESTING "
         "in the environment)";
}
