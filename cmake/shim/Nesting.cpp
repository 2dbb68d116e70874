// Sources that MLIR would not survive: nested so deeply that its recursive readers, verifiers and printers would run out of stack, or
// take time and memory with the square of the depth (the indentation alone does), and the few that its parser is known to die of.

#include "Nesting.h"

#include "Shim.h"

#include "mlir/CAPI/Support.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
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

bool mapwrightTextRefused(MlirStringRef text) { return mapwright::refusal(unwrap(text)).has_value(); }

bool mapwrightDeepestNestingSet(int32_t levels) { return levels > 0 && mapwright::setDeepestNesting(unsigned(levels)); }

int64_t mapwrightDeepestNestingStack() { return int64_t(stackFor(std::max(mapwright::deepestNesting(), mapwright::usualNesting))); }

namespace {

/// Reads a text as far as it takes to find what must not get to the parser.
class Scan {
public:
  explicit Scan(llvm::StringRef text) : text(text) {}

  std::optional<mapwright::Refusal> run();

private:
  bool at(size_t i, char c) const { return i < text.size() && text[i] == c; }
  static bool isWord(char c) { return llvm::isAlnum(c) || c == '_' || c == '$' || c == '.' || c == '-'; }
  size_t endOfString(size_t i) const;
  size_t endOfComment(size_t i) const { return std::min(text.find('\n', i), text.size()); }
  size_t endOfBlank(size_t i) const;
  size_t endOfWord(size_t i) const;
  std::optional<size_t> arrayOfIndex(size_t i) const;
  bool isIndex(llvm::StringRef type) const;
  bool countResults(size_t i);

  llvm::StringRef text;
  /// Of names of values: the last result that is asked for.
  llvm::StringMap<uint64_t> results;
  uint64_t allResults = 0;
};

} // namespace

/// The quote at the end of the string at `i`. A string ends at its line's end at the latest.
size_t Scan::endOfString(size_t i) const {
  for (++i; i < text.size() && text[i] != '"' && text[i] != '\n'; ++i)
    if (text[i] == '\\')
      ++i;
  return i;
}

/// Behind blanks and comments.
size_t Scan::endOfBlank(size_t i) const {
  while (i < text.size()) {
    if (at(i, '/') && at(i + 1, '/'))
      i = endOfComment(i);
    else if (llvm::isSpace(text[i]))
      ++i;
    else
      break;
  }
  return i;
}

size_t Scan::endOfWord(size_t i) const {
  while (i < text.size() && isWord(text[i]))
    ++i;
  return i;
}

/// Is a type (a word, or the name of one with its mark) the index type? Names are followed to what they stand for.
bool Scan::isIndex(llvm::StringRef type) const {
  // A name that stands for itself is the parser's to refuse.
  for (unsigned steps = 0; type.consume_front("!"); ++steps) {
    if (steps == 100)
      return true;
    llvm::StringRef name = type;
    type = "";
    for (size_t i = text.find('!'); i < text.size(); i = text.find('!', i + 1)) {
      size_t end = endOfWord(i + 1), next = endOfBlank(end);
      if (text.slice(i + 1, end) != name || !at(next, '='))
        continue;
      size_t begin = endOfBlank(next + 1);
      type = text.slice(begin, endOfWord(begin + at(begin, '!')));
      break;
    }
  }
  return type == "index";
}

/// The element type of the array attribute whose word begins at `i`, if it is the index type, whose width the parser asks for.
std::optional<size_t> Scan::arrayOfIndex(size_t i) const {
  if (i > 0 && (isWord(text[i - 1]) || text[i - 1] == '!' || text[i - 1] == '#' || text[i - 1] == '@' || text[i - 1] == '%'))
    return std::nullopt;
  size_t open = endOfBlank(i + llvm::StringRef("array").size());
  if (!at(open, '<'))
    return std::nullopt;
  size_t begin = endOfBlank(open + 1);
  if (isIndex(text.slice(begin, endOfWord(begin + at(begin, '!')))))
    return begin;
  return std::nullopt;
}

/// The parser makes room for as many results of a name as are asked for (`%name#7`) before it knows whether they are there. The type of
/// every result is written somewhere, so there are fewer of them than there are bytes.
bool Scan::countResults(size_t i) {
  size_t name = endOfWord(i + 1), end = name + 1;
  if (name == i + 1 || !at(name, '#'))
    return true;
  while (end < text.size() && llvm::isDigit(text[end]))
    ++end;
  uint64_t number = 0;
  llvm::StringRef digits = text.slice(name + 1, end);
  if (digits.empty())
    return true;
  if (digits.getAsInteger(10, number))
    return false;
  // What is small needs no account.
  if (number < 16)
    return true;
  uint64_t &most = results[text.slice(i + 1, name)];
  if (number > most) {
    allResults += number - most;
    most = number;
  }
  return number < text.size() && allResults < text.size();
}

std::optional<mapwright::Refusal> Scan::run() {
  unsigned depth = 0, deepest = mapwright::deepestNesting();
  for (size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
    case '"':
      i = endOfString(i);
      break;
    case '/':
      if (at(i + 1, '/'))
        i = endOfComment(i);
      break;
    case 'a':
      if (!text.substr(i).starts_with("array"))
        break;
      if (auto type = arrayOfIndex(i))
        return mapwright::Refusal{*type, "expected an integer or float type as the element type of an array attribute, not 'index'"};
      break;
    case '%':
      if (!countResults(i))
        return mapwright::Refusal{i, "reference to a result number that no operation of this source can have"};
      break;
    case '<':
      if (at(i + 1, '='))
        break;
      [[fallthrough]];
    case '(':
    case '[':
    case '{':
      if (++depth > deepest)
        return mapwright::Refusal{i, mapwright::nestingError()};
      break;
    case '>':
      // Not the head of an arrow, and no comparison.
      if ((i > 0 && text[i - 1] == '-') || at(i + 1, '='))
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

std::optional<mapwright::Refusal> mapwright::refusal(llvm::StringRef text) { return Scan(text).run(); }

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
