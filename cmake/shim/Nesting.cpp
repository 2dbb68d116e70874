// Sources that are nested so deeply that MLIR's recursive readers, verifiers and printers would run out of stack, or take time and
// memory with the square of the depth (the indentation alone does).

#include "Nesting.h"

#include "mlir/IR/Operation.h"

#include <algorithm>

using namespace mlir;

std::optional<size_t> mapwright::tooDeep(llvm::StringRef text) {
  unsigned depth = 0;
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
      if (++depth > deepestNesting)
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
  if (depth > mapwright::deepestNesting)
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
  return "nested more than " + std::to_string(deepestNesting) + " levels deep";
}
