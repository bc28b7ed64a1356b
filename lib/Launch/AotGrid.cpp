//===- AotGrid.cpp - the expressions of --grid ----------------------------===//
// A recursive-descent parser over the characters of one expression. Each part
// is its C text, with the spaces of the original, and its value if that is known.
//===----------------------------------------------------------------------===//
#include "AotGrid.h"
#include "AotNames.h"
#include "tessera/Launch/AotLauncher.h"
#include "tessera/Support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace tessera;

namespace {
struct Part {
  std::string text;
  std::optional<int64_t> value = std::nullopt; // if it is a known integer
};

/// Returns the value of a name; an error if it is undefined.
using Lookup = llvm::function_ref<llvm::Expected<Part>(llvm::StringRef name)>;

struct Operator {
  llvm::StringLiteral spelling, inC;
  int precedence; // as in C: higher binds tighter
};

class GridParser {
public:
  GridParser(llvm::StringRef expression, Lookup lookup)
      : whole(expression), rest(expression), lookup(lookup) {}

  llvm::Expected<Part> parse() {
    llvm::Expected<Part> part = parseChoice();
    if (!part)
      return part;
    skipSpace();
    if (!rest.empty())
      return unexpected("an operator");
    return part;
  }

private:
  llvm::StringRef whole, rest;
  Lookup lookup;
  unsigned depth = 0;
  static constexpr unsigned kMaxDepth = 200;

  llvm::Error error(const llvm::Twine &what) const {
    return makeError("--grid: '" + whole + "': " + what);
  }
  llvm::Error unexpected(llvm::StringRef wanted) const {
    if (rest.empty())
      return error("it ends where " + wanted + " is expected");
    return error("'" + rest.take_front(16) + "' stands where " + wanted +
                 " is expected; an expression has the kernel's parameters, numbers, + - * / %, "
                 "comparisons, ?:, cdiv(a, b), min, max and parentheses");
  }

  /// Returns whether there was any.
  bool skipSpace() {
    size_t before = rest.size();
    rest = rest.ltrim(" \t");
    return rest.size() != before;
  }
  bool consume(llvm::StringRef token) {
    skipSpace();
    return rest.consume_front(token);
  }

  static bool isWordStart(char c) {
    return llvm::isAlpha(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
  }
  llvm::StringRef takeWord() {
    llvm::StringRef word =
        rest.take_while([](char c) { return isWordStart(c) || llvm::isDigit(c); });
    rest = rest.drop_front(word.size());
    return word;
  }

  llvm::Expected<Part> parseChoice();
  llvm::Expected<Part> parseBinary(int least);
  llvm::Expected<Part> parseUnary();
  llvm::Expected<Part> parsePrimary();
  llvm::Expected<Part> parseNumber();
  llvm::Expected<Part> parseCall(llvm::StringRef function);
  std::optional<std::string> parseCast();
  const Operator *peekOperator() const;
};
} // namespace

/// Longer spellings come before those that begin them.
static constexpr Operator kOperators[] = {
    {"||", "||", 1}, {"&&", "&&", 2}, {"==", "==", 6}, {"!=", "!=", 6}, {"<<", "<<", 8},
    {">>", ">>", 8}, {"<=", "<=", 7}, {">=", ">=", 7}, {"//", "/", 10}, {"|", "|", 3},
    {"^", "^", 4},   {"&", "&", 5},   {"<", "<", 7},   {">", ">", 7},   {"+", "+", 9},
    {"-", "-", 9},   {"*", "*", 10},  {"/", "/", 10},  {"%", "%", 10}};

const Operator *GridParser::peekOperator() const {
  for (const Operator &each : kOperators)
    if (rest.starts_with(each.spelling))
      return &each;
  return nullptr;
}

/// The value of `a op b` where C defines one.
static std::optional<int64_t> fold(llvm::StringRef op, int64_t a, int64_t b) {
  int64_t result = 0;
  bool overflows = false;
  if (op == "+")
    overflows = llvm::AddOverflow(a, b, result);
  else if (op == "-")
    overflows = llvm::SubOverflow(a, b, result);
  else if (op == "*")
    overflows = llvm::MulOverflow(a, b, result);
  else if (op == "/" || op == "%")
    return b == 0 || b == -1 ? std::nullopt : std::optional(op == "/" ? a / b : a % b);
  else if (op == "<<" || op == ">>")
    return b < 0 || b > 31 || a < 0 || a > INT32_MAX ? std::nullopt
                                                     : std::optional(op == "<<" ? a << b : a >> b);
  else
    result = op == "||"   ? a || b
             : op == "&&" ? a && b
             : op == "|"  ? a | b
             : op == "^"  ? a ^ b
             : op == "&"  ? a & b
             : op == "==" ? a == b
             : op == "!=" ? a != b
             : op == "<=" ? a <= b
             : op == ">=" ? a >= b
             : op == "<"  ? a < b
                          : a > b;
  return overflows ? std::nullopt : std::optional(result);
}

/// In front of a second sign, C would read -- or ++.
static std::string afterSign(const Part &part) {
  bool hasSign = part.text.starts_with('-') || part.text.starts_with('+');
  return hasSign ? "(" + part.text + ")" : part.text;
}

/// `c ? a : b`, or what is in it.
llvm::Expected<Part> GridParser::parseChoice() {
  if (++depth > kMaxDepth)
    return error("it nests too deeply");
  llvm::Expected<Part> test = parseBinary(1);
  if (!test)
    return test;
  if (consume("?")) {
    llvm::Expected<Part> yes = parseChoice();
    if (!yes)
      return yes;
    if (!consume(":"))
      return unexpected("':'");
    llvm::Expected<Part> no = parseChoice();
    if (!no)
      return no;
    std::optional<int64_t> value;
    if (test->value)
      value = *test->value ? yes->value : no->value;
    test = Part{test->text + " ? " + yes->text + " : " + no->text, value};
  }
  --depth;
  return test;
}

llvm::Expected<Part> GridParser::parseBinary(int least) {
  llvm::Expected<Part> left = parseUnary();
  if (!left)
    return left;
  while (true) {
    llvm::StringRef end = rest;
    std::string before = skipSpace() ? " " : "";
    const Operator *op = peekOperator();
    if (!op || op->precedence < least) {
      rest = end; // the space belongs to whoever goes on
      return left;
    }
    rest = rest.drop_front(op->spelling.size());
    std::string after = skipSpace() ? " " : "";
    llvm::Expected<Part> right = parseBinary(op->precedence + 1);
    if (!right)
      return right;
    if (right->value == 0 && (op->inC == "/" || op->inC == "%"))
      return error("it divides by zero");
    std::optional<int64_t> value;
    if (left->value && right->value)
      value = fold(op->inC, *left->value, *right->value);
    left = Part{left->text + before + op->inC.str() + after + afterSign(*right), value};
  }
}

/// `(unsigned)` in front of an expression; nothing is taken if it is none.
std::optional<std::string> GridParser::parseCast() {
  static constexpr llvm::StringLiteral types[] = {"int",     "long",    "unsigned", "size_t",
                                                  "int32_t", "int64_t", "uint32_t", "uint64_t"};
  llvm::StringRef saved = rest;
  if (consume("(")) {
    skipSpace();
    llvm::StringRef word = takeWord();
    if (llvm::is_contained(types, word) && consume(")"))
      return "(" + word.str() + ")";
  }
  rest = saved;
  return std::nullopt;
}

llvm::Expected<Part> GridParser::parseUnary() {
  if (++depth > kMaxDepth)
    return error("it nests too deeply");
  skipSpace();
  std::optional<std::string> sign = parseCast();
  if (!sign && !rest.empty() && llvm::StringRef("+-!~").contains(rest.front())) {
    sign = rest.take_front(1).str();
    rest = rest.drop_front(1);
  }
  llvm::Expected<Part> part = sign ? parseUnary() : parsePrimary();
  --depth;
  if (!part || !sign)
    return part;
  std::optional<int64_t> value;
  if (part->value && *part->value != INT64_MIN)
    value = *sign == "-"   ? -*part->value
            : *sign == "!" ? !*part->value
            : *sign == "~" ? ~*part->value
            : *sign == "+" ? part->value
                           : std::nullopt; // a cast
  return Part{*sign + afterSign(*part), value};
}

llvm::Expected<Part> GridParser::parsePrimary() {
  skipSpace();
  if (consume("(")) {
    llvm::Expected<Part> part = parseChoice();
    if (!part)
      return part;
    if (!consume(")"))
      return unexpected("')'");
    return Part{"(" + part->text + ")", part->value};
  }
  if (!rest.empty() && (llvm::isDigit(rest.front()) || rest.front() == '.'))
    return parseNumber();
  if (rest.empty() || !isWordStart(rest.front()))
    return unexpected("a parameter or a number");
  llvm::StringRef word = takeWord();
  if (rest.ltrim(" \t").starts_with("("))
    return parseCall(word);
  llvm::Expected<Part> part = lookup(word);
  return part ? std::move(part) : error(llvm::toString(part.takeError()));
}

/// 1024, 0x400, 16u, 2.5, 1e3.
llvm::Expected<Part> GridParser::parseNumber() {
  llvm::StringRef start = rest;
  uint64_t value = 0;
  bool isHex = rest.consume_front("0x") || rest.consume_front("0X");
  llvm::StringRef digits =
      rest.take_while([&](char c) { return isHex ? llvm::isHexDigit(c) : llvm::isDigit(c); });
  rest = rest.drop_front(digits.size());
  bool isFloat = !isHex && (rest.starts_with(".") || rest.starts_with_insensitive("e"));
  if (isFloat) {
    rest = start.drop_while([](char c) { return llvm::isDigit(c) || c == '.'; });
    if (rest.consume_front("e") || rest.consume_front("E")) {
      if (rest.starts_with("+") || rest.starts_with("-"))
        rest = rest.drop_front();
      isFloat = !rest.empty() && llvm::isDigit(rest.front()); // LLVM takes 1e for 1
      rest = rest.drop_while(llvm::isDigit);
    }
    double number;
    llvm::StringRef text = start.drop_back(rest.size());
    if (!isFloat || text.getAsDouble(number) || (!rest.empty() && isWordStart(rest.front())))
      return error("'" + start.take_front(text.size() + 1) + "' is no number");
    return Part{text.str()};
  }
  rest = rest.drop_while([](char c) { return llvm::StringRef("uUlL").contains(c); });
  llvm::StringRef text = start.drop_back(rest.size());
  bool isOctal = !isHex && digits.size() > 1 && digits.front() == '0';
  if (digits.empty() || isOctal || (!rest.empty() && isWordStart(rest.front())))
    return error("'" + start.take_front(text.size() + 1) + "' is no number" +
                 (isOctal ? "; a 0 in front makes it octal in C" : ""));
  if (digits.getAsInteger(isHex ? 16 : 10, value) || value > INT64_MAX)
    return error("'" + text + "' is too large");
  return Part{text.str(), int64_t(value)};
}

/// cdiv, min and max, which C does not have.
llvm::Expected<Part> GridParser::parseCall(llvm::StringRef function) {
  if (function != "cdiv" && function != "min" && function != "max")
    return error("'" + function + "(' is a call; there are cdiv(a, b), min(a, b) and max(a, b)");
  consume("(");
  llvm::Expected<Part> a = parseChoice();
  if (!a)
    return a;
  if (!consume(","))
    return unexpected("','");
  llvm::Expected<Part> b = parseChoice();
  if (!b)
    return b;
  if (!consume(")"))
    return unexpected("')'");
  std::string x = "(" + a->text + ")", y = "(" + b->text + ")";
  bool areKnown = a->value && b->value;
  if (function != "cdiv") {
    llvm::StringRef op = function == "min" ? " < " : " > ";
    std::optional<int64_t> value;
    if (areKnown)
      value = function == "min" ? std::min(*a->value, *b->value) : std::max(*a->value, *b->value);
    return Part{"(" + x + op.str() + y + " ? " + x + " : " + y + ")", value};
  }
  if (b->value == 0)
    return error("it divides by zero");
  std::optional<int64_t> value;
  if (areKnown && *a->value >= 0 && *b->value > 0)
    value = *a->value / *b->value + (*a->value % *b->value != 0);
  return Part{"((" + x + " + " + y + " - 1) / " + y + ")", value};
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

static bool isArithmetic(llvm::StringRef type) {
  return type == "fp32" || type == "fp64" || type.starts_with("i") || type.starts_with("u");
}

/// Returns the C expression for an expression's name.
static llvm::Expected<Part> lookUpParameter(llvm::StringRef word, const KernelRecord &record,
                                            llvm::ArrayRef<std::string> names) {
  auto match = llvm::find_if(
      record.arguments, [&](const KernelArgument &each) { return aot::plainName(each) == word; });
  if (match == record.arguments.end()) {
    std::vector<std::string> usable;
    for (const KernelArgument &each : record.arguments)
      if (each.constant || isArithmetic(each.type))
        usable.push_back(aot::plainName(each));
    return makeError("'" + word + "' is no parameter of '" + record.kernelName + "'; there " +
                     (usable.empty()
                          ? "is none that is a number"
                          : (usable.size() == 1 ? "is " : "are ") + llvm::join(usable, ", ")));
  }
  if (!match->constant && isArithmetic(match->type))
    return Part{names[match - record.arguments.begin()]};
  if (!match->constant)
    return makeError("'" + word + "' is a " + match->type + ", which is no number in C");
  llvm::StringRef constant = *match->constant;
  int64_t value;
  if (constant == "True" || constant == "False")
    return Part{constant == "True" ? "1" : "0", constant == "True"};
  if (!constant.getAsInteger(10, value))
    return Part{value < 0 ? "(" + constant.str() + ")" : constant.str(), value};
  double number;
  if (!constant.getAsDouble(number) && std::isfinite(number))
    return Part{"(" + constant.str() + ")"};
  return makeError("'" + word + "' is " + constant + ", which is no number");
}

/// A number of programs that is known must be one.
static llvm::Error checkExtent(llvm::StringRef expression, const Part &part) {
  if (part.value && *part.value <= 0)
    return makeError("--grid: '" + expression + "' is " + llvm::Twine(*part.value) +
                     ", and a grid has at least one program along each axis");
  if (part.value && *part.value > INT32_MAX)
    return makeError("--grid: '" + expression + "' is more than " + llvm::Twine(INT32_MAX) +
                     " programs");
  // C converts a number such as 1e3 to an integer; arithmetic with it has no value here.
  double number;
  if (!llvm::StringRef(part.text).trim("()").getAsDouble(number) &&
      !(number >= 1 && number <= INT32_MAX))
    return makeError("--grid: '" + expression + "' is not from 1 to " + llvm::Twine(INT32_MAX) +
                     " programs");
  return llvm::Error::success();
}

/// Reads all expressions; `take` gets each as C.
static llvm::Error readGrid(llvm::ArrayRef<std::string> grid, Lookup lookup,
                            llvm::function_ref<void(size_t index, std::string text)> take) {
  for (auto [index, expression] : llvm::enumerate(grid)) {
    llvm::Expected<Part> part = GridParser(expression, lookup).parse();
    if (!part)
      return part.takeError();
    if (llvm::Error error = checkExtent(expression, *part))
      return error;
    take(index, std::move(part->text));
  }
  return llvm::Error::success();
}

llvm::Error aot::translateGrid(llvm::ArrayRef<std::string> grid, const KernelRecord &record,
                               llvm::ArrayRef<std::string> names,
                               llvm::ArrayRef<std::string *> extents) {
  return readGrid(
      grid, [&](llvm::StringRef word) { return lookUpParameter(word, record, names); },
      [&](size_t index, std::string text) { *extents[index] = std::move(text); });
}

llvm::Expected<std::string> aot::translateCondition(llvm::StringRef condition,
                                                    const KernelRecord &record,
                                                    llvm::ArrayRef<std::string> names) {
  llvm::Expected<Part> part = GridParser(condition, [&](llvm::StringRef word) {
                                return lookUpParameter(word, record, names);
                              }).parse();
  if (!part)
    return part.takeError();
  return std::move(part->text);
}

/// Looks names up in the kernel; any name is one without a kernel.
template <typename Read> static auto withLookup(const KernelRecord *kernel, Read read) {
  std::vector<std::string> names(kernel ? kernel->arguments.size() : 0);
  return read([&](llvm::StringRef word) -> llvm::Expected<Part> {
    return kernel ? lookUpParameter(word, *kernel, names) : Part{word.str()};
  });
}

llvm::Error tessera::checkGrid(llvm::ArrayRef<std::string> grid, const KernelRecord *kernel) {
  return withLookup(
      kernel, [&](Lookup lookup) { return readGrid(grid, lookup, [](size_t, std::string) {}); });
}

llvm::Error tessera::checkCondition(llvm::StringRef condition, const KernelRecord *kernel) {
  return withLookup(kernel, [&](Lookup lookup) {
    llvm::Expected<Part> part = GridParser(condition, lookup).parse();
    return part ? llvm::Error::success() : part.takeError();
  });
}

llvm::Expected<std::vector<std::string>> tessera::splitGrid(llvm::StringRef text) {
  // Commas inside parentheses belong to an expression.
  std::vector<std::string> grid;
  std::string current;
  int depth = 0;
  for (char c : text) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == ',' && depth == 0)
      grid.push_back(std::exchange(current, ""));
    else
      current += c;
  }
  grid.push_back(current);
  for (std::string &expression : grid) {
    expression = llvm::StringRef(expression).trim().str();
    if (expression.empty())
      return makeError("--grid: '" + text +
                       "' has an empty part; write up to three, as in 1024,1,1");
  }
  if (grid.size() > 3 || depth != 0)
    return makeError("--grid: '" + text + "' is not one to three expressions separated by commas");
  grid.resize(3, "1");
  if (llvm::Error error = checkGrid(grid, /*kernel=*/nullptr))
    return std::move(error);
  return grid;
}
