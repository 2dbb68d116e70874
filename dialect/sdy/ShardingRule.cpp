//===- ShardingRule.cpp - text of `#sdy.op_sharding_rule` -----------------===//
//
// `<([i, jk])->([jk, i]) {i=8, j=2, k=4} reduction={i}, custom>`
//
//===----------------------------------------------------------------------===//

#include "sdy/Dialect.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mapwright;
using namespace mapwright::sdy;

using Delimiter = AsmParser::Delimiter;

/// The factors 0 to 17 are `i` to `z`, the next ones `z_1`, `z_2`, ….
static constexpr int64_t lastLetter = 'z' - 'i';

static std::string factorSymbol(int64_t factor) {
  if (factor <= lastLetter)
    return std::string(1, static_cast<char>('i' + factor));
  return "z_" + std::to_string(factor - lastLetter);
}

/// Takes a factor off the front of `text`; -1 when there is none.
static int64_t takeFactor(StringRef &text) {
  if (text.empty() || text.front() < 'i' || text.front() > 'z')
    return -1;
  int64_t factor = text.front() - 'i';
  text = text.drop_front();
  if (factor == lastLetter && text.starts_with("_")) {
    StringRef digits =
        text.drop_front().take_while([](char c) { return llvm::isDigit(c); });
    int64_t number = 0;
    if (digits.empty() || digits.getAsInteger(10, number) || number < 1 ||
        number > 1 << 20)
      return -1;
    text = text.drop_front(digits.size() + 1);
    return lastLetter + number;
  }
  return factor;
}

/// `jk`: one factor after the other.
static ParseResult parseFactors(AsmParser &parser,
                                SmallVectorImpl<int64_t> &factors) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  if (parser.parseKeyword(&keyword))
    return failure();
  while (!keyword.empty()) {
    int64_t factor = takeFactor(keyword);
    if (factor < 0)
      return parser.emitError(loc, "expected factors such as 'i' or 'jk'");
    factors.push_back(factor);
  }
  return success();
}

/// `([i, jk], [j])`
static ParseResult parseMappings(AsmParser &parser, ArrayAttr &mappings) {
  SmallVector<Attribute> tensors;
  Builder &builder = parser.getBuilder();
  auto parseTensor = [&]() -> ParseResult {
    SmallVector<Attribute> dims;
    auto parseDim = [&]() -> ParseResult {
      SmallVector<int64_t> factors;
      // `*` is a dimension without factors.
      if (failed(parser.parseOptionalStar()) && parseFactors(parser, factors))
        return failure();
      dims.push_back(builder.getDenseI64ArrayAttr(factors));
      return success();
    };
    if (parser.parseCommaSeparatedList(Delimiter::Square, parseDim))
      return failure();
    tensors.push_back(builder.getArrayAttr(dims));
    return success();
  };
  if (parser.parseCommaSeparatedList(Delimiter::Paren, parseTensor))
    return failure();
  mappings = builder.getArrayAttr(tensors);
  return success();
}

static void printMappings(AsmPrinter &printer, ArrayAttr mappings) {
  printer << '(';
  llvm::interleaveComma(mappings, printer, [&](Attribute tensor) {
    printer << '[';
    if (auto dims = dyn_cast<ArrayAttr>(tensor))
      llvm::interleaveComma(dims, printer, [&](Attribute dim) {
        auto factors = dyn_cast<DenseI64ArrayAttr>(dim);
        if (!factors || factors.empty())
          printer << '*';
        else
          for (int64_t factor : factors.asArrayRef())
            printer << factorSymbol(factor);
      });
    printer << ']';
  });
  printer << ')';
}

/// `{i=8, j=2}`: the sizes of all factors, in order.
static ParseResult parseSizes(AsmParser &parser,
                              SmallVectorImpl<int64_t> &sizes) {
  auto parseSize = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    SmallVector<int64_t> factor;
    if (parseFactors(parser, factor))
      return failure();
    if (factor.size() != 1 ||
        factor.front() != static_cast<int64_t>(sizes.size()))
      return parser.emitError(loc) << "expected the factor '"
                                   << factorSymbol(sizes.size()) << "'";
    return failure(parser.parseEqual() ||
                   parser.parseInteger(sizes.emplace_back()));
  };
  return parser.parseCommaSeparatedList(Delimiter::Braces, parseSize);
}

/// ` name={i, j}` or nothing.
static ParseResult parseFactorSet(AsmParser &parser, StringRef name,
                                  SmallVectorImpl<int64_t> &factors) {
  if (failed(parser.parseOptionalKeyword(name)))
    return success();
  auto parseOne = [&] { return parseFactors(parser, factors); };
  return failure(
      parser.parseEqual() ||
      parser.parseCommaSeparatedList(Delimiter::Braces, parseOne));
}

static void printFactorSet(AsmPrinter &printer, StringRef name,
                           ArrayRef<int64_t> factors) {
  if (factors.empty())
    return;
  printer << ' ' << name << "={";
  llvm::interleaveComma(factors, printer, [&](int64_t factor) {
    printer << factorSymbol(factor);
  });
  printer << '}';
}

Attribute OpShardingRuleAttr::parse(AsmParser &parser, Type) {
  ArrayAttr operands, results;
  SmallVector<int64_t> sizes, reduction, needReplication, permutation, blocked;
  if (parser.parseLess() || parseMappings(parser, operands) ||
      parser.parseArrow() || parseMappings(parser, results) ||
      parseSizes(parser, sizes) ||
      parseFactorSet(parser, "reduction", reduction) ||
      parseFactorSet(parser, "need_replication", needReplication) ||
      parseFactorSet(parser, "permutation", permutation) ||
      parseFactorSet(parser, "blocked_propagation", blocked))
    return {};
  bool isCustom = succeeded(parser.parseOptionalComma());
  if ((isCustom && parser.parseKeyword("custom")) || parser.parseGreater())
    return {};
  return get(parser.getContext(), sizes, operands, results, reduction,
             needReplication, permutation, blocked, isCustom);
}

void OpShardingRuleAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printMappings(printer, getOperandMappings());
  printer << "->";
  printMappings(printer, getResultMappings());
  printer << " {";
  llvm::interleaveComma(llvm::enumerate(getFactorSizes()), printer,
                        [&](const auto &factor) {
                          printer << factorSymbol(factor.index()) << '='
                                  << factor.value();
                        });
  printer << '}';
  printFactorSet(printer, "reduction", getReductionFactors());
  printFactorSet(printer, "need_replication", getNeedReplicationFactors());
  printFactorSet(printer, "permutation", getPermutationFactors());
  printFactorSet(printer, "blocked_propagation",
                 getBlockedPropagationFactors());
  if (getIsCustomRule())
    printer << ", custom";
  printer << '>';
}
