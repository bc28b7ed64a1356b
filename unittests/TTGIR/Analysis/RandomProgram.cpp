//===- RandomProgram.cpp - TTIR functions about indices, at random --------===//
#include "RandomProgram.h"
#include <array>
#include <map>

using namespace tessera::test;

namespace {
/// Writes ops line by line, keeping the names of what was defined, by type.
class Writer {
public:
  Writer(Random &random, std::string &text) : random(random), text(text) {}

  void define(const std::string &type, const std::string &op) {
    std::string name = "%v" + std::to_string(*counter + 1);
    ++*counter;
    text += "    " + name + " = " + op + "\n";
    add(type, name);
  }
  void add(const std::string &type, const std::string &name) { pool[type].push_back(name); }

  void sources();
  void steps(unsigned count, unsigned depth);

private:
  unsigned below(unsigned n) { return random() % n; }
  template <typename T> T pick(const std::vector<T> &from) { return from[below(from.size())]; }
  bool has(const std::string &type) const { return pool.count(type) != 0; }
  /// Late definitions more often, so that chains grow.
  std::string value(const std::string &type) {
    const std::vector<std::string> &names = pool.at(type);
    return below(2) ? names[names.size() - 1 - below(std::min<size_t>(4, names.size()))]
                    : pick(names);
  }

  std::string integer() { return pick<std::string>({"i4", "i8", "i16", "i32", "i32", "i64"}); }
  std::string shape() {
    return pick<std::string>(
        {"", "16x", "16x", "8x", "1x16x", "8x1x", "8x16x", "8x16x", "16x8x", "128x", "8x2x"});
  }
  static std::string typed(const std::string &shape, const std::string &element) {
    return shape.empty() ? element : "tensor<" + shape + element + ">";
  }
  std::string number(const std::string &element);

  void constant();
  void binary();
  void index();
  void compare();
  void select();
  void cast();
  void reshape();
  void rearrange();
  void pointer();
  /// Returns a type for the values that loops carry and branches yield: numbers or pointers.
  std::string carried() { return typed(shape(), below(3) == 0 ? "!tt.ptr<i32>" : integer()); }
  void loop(unsigned depth);
  void whileLoop(unsigned depth);
  void branch(unsigned depth);

  Random &random;
  std::string &text;
  std::map<std::string, std::vector<std::string>> pool;

public:
  unsigned *counter = nullptr;
};
} // namespace

std::string Writer::number(const std::string &element) {
  static const std::vector<int64_t> numbers = {0,  1,  2,  3,   4,   6,   7,   8,    12,
                                               15, 16, 24, 32,  63,  64,  100, -1,   -2,
                                               -3, -4, -8, -12, -16, -64, 127, -128, 48};
  if (element == "i1")
    return below(2) ? "true" : "false";
  if (element == "i4")
    return std::to_string(int(below(16)) - 8);
  if (element == "i32" && below(8) == 0)
    return below(2) ? "2147483647" : "-2147483648";
  return std::to_string(pick(numbers));
}

void Writer::sources() {
  define("i32", "tt.get_program_id x : i32");
  for (int size : {8, 16})
    for (int i = 0; i < 2; ++i) {
      int start = i == 0 ? 0 : pick<int>({-16, -8, -3, 4, 8, 16, 5, 64});
      std::string type = "tensor<" + std::to_string(size) + "xi32>";
      define(type, "tt.make_range {end = " + std::to_string(start + size) +
                       " : i32, start = " + std::to_string(start) + " : i32} : " + type);
    }
  // Rows and columns of a matrix, and pointers to walk along them.
  auto last = [&](const std::string &type) { return pool[type].back(); };
  define("tensor<1x16xi32>", "tt.expand_dims " + last("tensor<16xi32>") +
                                 " {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>");
  define("tensor<8x1xi32>", "tt.expand_dims " + last("tensor<8xi32>") +
                                " {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>");
  for (std::string type : {"tensor<1x16xi32>", "tensor<8x1xi32>"})
    define("tensor<8x16xi32>",
           "tt.broadcast " + last(type) + " : " + type + " -> tensor<8x16xi32>");
  for (std::string dims : {"8x", "16x", "8x16x"}) {
    std::string type = typed(dims, "!tt.ptr<i32>");
    define(type, "tt.splat %p0 : !tt.ptr<i32> -> " + type);
    define(type, "tt.addptr " + last(type) + ", " + last(typed(dims, "i32")) + " : " + type + ", " +
                     typed(dims, "i32"));
  }
}

void Writer::constant() {
  std::string element = below(6) == 0 ? "i1" : integer(), dims = shape();
  std::string type = typed(dims, element), value = number(element);
  if (!dims.empty())
    define(type, "arith.constant dense<" + value + "> : " + type);
  else
    define(type,
           element == "i1" ? "arith.constant " + value : "arith.constant " + value + " : " + type);
}

void Writer::binary() {
  static const std::vector<std::string> ops = {
      "addi",  "addi",  "addi",  "muli",  "muli",  "subi",  "divsi",
      "divui", "remsi", "remui", "andi",  "ori",   "xori",  "shli",
      "shrsi", "shrui", "minsi", "maxsi", "minui", "maxui", "floordivsi"};
  std::string type = typed(shape(), integer());
  if (!has(type))
    return constant();
  std::string op = pick(ops), lhs = value(type), rhs = value(type);
  // Known right sides are what most rules are about.
  if (below(2) && type[0] == 't') {
    std::string element = type.substr(type.rfind('i'));
    element.pop_back();
    define(type, "arith.constant dense<" + number(element) + "> : " + type);
    rhs = pool[type].back();
  }
  define(type, "arith." + op + " " + lhs + ", " + rhs + " : " + type);
}

/// Writes index arithmetic as kernels have it: splits an index, scales it or bounds it.
void Writer::index() {
  std::string dims = pick<std::string>({"16x", "8x16x"}), type = typed(dims, "i32");
  if (!has(type))
    return;
  auto known = [&](std::vector<int> numbers) {
    define(type, "arith.constant dense<" + std::to_string(pick(numbers)) + "> : " + type);
    return pool[type].back();
  };
  std::string x = value(type), small = known({2, 4, 8, 6, 16});
  if (below(3) == 0)
    return define(typed(dims, "i1"),
                  "arith.cmpi " + pick<std::string>({"slt", "sle", "sgt", "sge", "ult", "ule"}) +
                      ", " + x + ", " + known({0, 4, 8, 12, 16, -8}) + " : " + type);
  define(type, "arith." + pick<std::string>({"divsi", "divui", "remsi", "remui"}) + " " + x + ", " +
                   small + " : " + type);
  std::string part = pool[type].back();
  define(type, "arith.muli " + part + ", " + known({1, 16, 32, 64}) + " : " + type);
  part = pool[type].back();
  bool isFirst = below(2);
  define(type, "arith.addi " + (isFirst ? part : x) + ", " + (isFirst ? x : part) + " : " + type);
}

void Writer::compare() {
  static const std::vector<std::string> predicates = {"slt", "sge", "sgt", "sle", "ult",
                                                      "uge", "ugt", "ule", "eq",  "ne"};
  std::string dims = shape(), type = typed(dims, integer());
  if (has(type))
    define(typed(dims, "i1"), "arith.cmpi " + pick(predicates) + ", " + value(type) + ", " +
                                  value(type) + " : " + type);
}

void Writer::select() {
  std::string dims = shape(), type = typed(dims, integer());
  if (!has(type))
    return;
  std::string whole = "i1", each = typed(dims, "i1");
  std::string condition = below(3) == 0 ? whole : each;
  if (!has(condition))
    return;
  std::string op =
      "arith.select " + value(condition) + ", " + value(type) + ", " + value(type) + " : ";
  define(type, op + (condition == type || dims.empty() ? "" : condition + ", ") + type);
}

void Writer::cast() {
  static const std::vector<std::string> widths = {"i4", "i8", "i16", "i32", "i64"};
  unsigned from = below(5), to = below(5);
  std::string dims = shape(), source = typed(dims, widths[from]);
  if (from == to || !has(source))
    return;
  std::string op = to < from ? "trunci" : below(2) ? "extsi" : "extui";
  std::string target = typed(dims, widths[to]);
  define(target, "arith." + op + " " + value(source) + " : " + source + " to " + target);
}

void Writer::reshape() {
  std::string element = below(6) == 0 ? "i1" : below(5) == 0 ? "!tt.ptr<i32>" : integer();
  static const std::vector<std::pair<std::string, std::string>> ways = {
      {"", "16x"},        {"", "8x16x"},     {"16x", "1x16x"},   {"8x", "8x1x"},
      {"1x16x", "8x16x"}, {"8x1x", "8x16x"}, {"1x16x", "8x16x"}, {"8x1x", "8x16x"}};
  auto [before, after] = pick(ways);
  std::string source = typed(before, element), target = typed(after, element);
  if (!has(source))
    return;
  std::string arrow = " : " + source + " -> " + target;
  if (before.empty())
    define(target, "tt.splat " + value(source) + arrow);
  else if (before == "16x" || before == "8x")
    define(target, "tt.expand_dims " + value(source) + " {axis = " + (before == "16x" ? "0" : "1") +
                       " : i32}" + arrow);
  else
    define(target, "tt.broadcast " + value(source) + arrow);
}

void Writer::rearrange() {
  std::string element = below(6) == 0 ? "i1" : below(5) == 0 ? "!tt.ptr<i32>" : integer();
  static const std::vector<std::array<std::string, 3>> ways = {
      {"trans", "8x16x", "16x8x"},   {"trans", "16x8x", "8x16x"}, {"reshape", "8x16x", "128x"},
      {"reshape", "128x", "8x16x"},  {"reshape", "8x2x", "16x"},  {"reshape", "16x", "8x2x"},
      {"reshape", "16x8x", "8x16x"}, {"reshape", "1x16x", "16x"}, {"reshape", "8x1x", "8x"},
      {"join", "8x", "8x2x"},        {"split", "8x2x", "8x"},     {"reshape", "8x16x", "16x8x"}};
  auto [op, before, after] = pick(ways);
  std::string source = typed(before, element), target = typed(after, element);
  if (!has(source))
    return;
  std::string arrow = " : " + source + " -> " + target;
  if (op == "trans")
    return define(target, "tt.trans " + value(source) + " {order = array<i32: 1, 0>}" + arrow);
  if (op == "reshape")
    return define(target, "tt.reshape " + value(source) + arrow);
  if (op == "join")
    return define(target, "tt.join " + value(source) + ", " + value(source) + arrow);
  std::string name = "%s" + std::to_string(++*counter);
  text += "    " + name + ":2 = tt.split " + value(source) + arrow + "\n";
  add(target, name + "#0");
  add(target, name + "#1");
}

void Writer::pointer() {
  std::string dims = shape(), type = typed(dims, "!tt.ptr<i32>"), word = typed(dims, "i64");
  switch (below(6)) {
  case 0:
    if (has(word))
      define(type, "tt.int_to_ptr " + value(word) + " : " + word + " -> " + type);
    return;
  case 1:
    if (has(type))
      define(word, "tt.ptr_to_int " + value(type) + " : " + type + " -> " + word);
    return;
  case 2: {
    std::string mask = typed(dims, "i1"), loaded = typed(dims, "i32");
    if (!has(type) || !has(mask) || !has(loaded))
      return;
    std::string op = "tt.load " + value(type);
    if (below(2))
      op += ", " + value(mask) + ", " + value(loaded);
    return define(loaded, op + " : " + type);
  }
  default: {
    std::string offset = typed(dims, integer());
    if (has(type) && has(offset))
      define(type,
             "tt.addptr " + value(type) + ", " + value(offset) + " : " + type + ", " + offset);
  }
  }
}

void Writer::loop(unsigned depth) {
  std::string type = carried();
  if (!has(type))
    return;
  static const std::vector<int> starts = {0, 0, 4, -8, 16, 3}, strides = {1, 2, 4, 8, 16};
  int start = pick(starts), stride = pick(strides), end = start + stride * below(4);
  auto bound = [&](int number) {
    define("i32", "arith.constant " + std::to_string(number) + " : i32");
    return pool["i32"].back();
  };
  std::string lower = bound(start), upper = bound(end), step = bound(stride), init = value(type);
  std::string tag = std::to_string(++*counter), argument = "%a" + tag, iv = "%i" + tag;
  std::string result = "%r" + tag;
  text += "    " + result + " = scf.for " + iv + " = " + lower + " to " + upper + " step " + step +
          " iter_args(" + argument + " = " + init + ") -> (" + type + ") : i32 {\n";
  Writer body = *this;
  body.add("i32", iv);
  body.add(type, argument);
  body.steps(1 + below(6), depth + 1);
  text += "    scf.yield " + body.value(type) + " : " + type + "\n    }\n";
  add(type, result);
}

/// Counts to a few while it carries something else; the test sees all of it.
void Writer::whileLoop(unsigned depth) {
  std::string type = carried();
  if (!has(type))
    return;
  std::string tag = std::to_string(++*counter), init = value(type);
  auto constant = [&](unsigned number) {
    define("i32", "arith.constant " + std::to_string(number) + " : i32");
    return pool["i32"].back();
  };
  std::string zero = constant(0), one = constant(1), end = constant(below(4));
  std::string types = "i32, " + type;
  text += "    %r" + tag + ":2 = scf.while (%c" + tag + " = " + zero + ", %a" + tag + " = " + init +
          ") : (" + types + ") -> (" + types + ") {\n    %t" + tag + " = arith.cmpi slt, %c" + tag +
          ", " + end + " : i32\n    scf.condition(%t" + tag + ") %c" + tag + ", %a" + tag + " : " +
          types + "\n    } do {\n    ^bb0(%d" + tag + ": i32, %b" + tag + ": " + type + "):\n";
  Writer body = *this;
  body.add("i32", "%d" + tag);
  body.add(type, "%b" + tag);
  body.steps(1 + below(6), depth + 1);
  text += "    %n" + tag + " = arith.addi %d" + tag + ", " + one + " : i32\n    scf.yield %n" +
          tag + ", " + body.value(type) + " : " + types + "\n    }\n";
  add("i32", "%r" + tag + "#0");
  add(type, "%r" + tag + "#1");
}

void Writer::branch(unsigned depth) {
  std::string type = carried();
  if (!has(type) || !has("i1"))
    return;
  std::string result = "%r" + std::to_string(++*counter);
  text += "    " + result + " = scf.if " + value("i1") + " -> (" + type + ") {\n";
  for (bool isElse : {false, true}) {
    Writer body = *this;
    body.steps(below(4), depth + 1);
    text += "    scf.yield " + body.value(type) + " : " + type + "\n";
    text += isElse ? "    }\n" : "    } else {\n";
  }
  add(type, result);
}

void Writer::steps(unsigned count, unsigned depth) {
  for (unsigned i = 0; i < count; ++i) {
    unsigned kind = below(40);
    if (kind < 4)
      index();
    else if (kind < 13)
      binary();
    else if (kind < 16)
      compare();
    else if (kind < 18)
      select();
    else if (kind < 21)
      cast();
    else if (kind < 25)
      reshape();
    else if (kind < 30)
      rearrange();
    else if (kind < 36)
      pointer();
    else if (kind < 38)
      constant();
    else if (depth < 2)
      kind == 39 ? branch(depth) : below(3) == 0 ? whileLoop(depth) : loop(depth);
  }
}

RandomProgram tessera::test::makeRandomProgram(Random &random, unsigned steps) {
  RandomProgram program;
  std::string body;
  unsigned counter = 0;
  Writer writer(random, body);
  writer.counter = &counter;
  std::string arguments;
  static const char *types[] = {"!tt.ptr<i32>", "i32", "i32", "i64", "i8"};
  for (unsigned i = 0; i < std::size(types); ++i) {
    int64_t divisibility = int64_t(1) << (random() % 6);
    program.divisibilities.push_back(divisibility);
    std::string name = "%p" + std::to_string(i);
    arguments += (i ? ", " : "") + name + ": " + types[i] +
                 " {tt.divisibility = " + std::to_string(divisibility) + " : i32}";
    writer.add(types[i], name);
  }
  writer.sources();
  writer.steps(steps, 0);
  program.text =
      "module {\n  tt.func public @f(" + arguments + ") {\n" + body + "    tt.return\n  }\n}\n";
  return program;
}

std::vector<int64_t> tessera::test::makeRandomArguments(Random &random,
                                                        const RandomProgram &program) {
  static const unsigned bits[] = {64, 32, 32, 64, 8};
  std::vector<int64_t> arguments;
  for (unsigned i = 0; i < std::size(bits); ++i) {
    int64_t value = 0;
    switch (random() % 4) {
    case 0:
      break;
    case 1:
      value = int64_t(random() % 8) - 4;
      break;
    default:
      value = int64_t(random());
    }
    value *= program.divisibilities[i];
    // Cut to width; a power of two still divides it.
    unsigned unused = 64 - bits[i];
    arguments.push_back(int64_t(uint64_t(value) << unused) >> unused);
  }
  return arguments;
}
