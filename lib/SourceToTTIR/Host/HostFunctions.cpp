//===- HostFunctions.cpp - Python's own functions, at compile time --------===//
// sorted, sum, zip, isinstance, ...: on compile-time values, with CPython's
// results. What is lazy in Python (zip, map, reversed, a range) is a list here.
//===----------------------------------------------------------------------===//
#include "HostValues.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/ConvertUTF.h"
#include "../Operators/PythonText.h"
#include "../Values/Definitions.h"
#include <cmath>

using namespace tessera;

/// The elements that a variadic parameter took.
static const std::vector<Value> &variadic(const Value &value) {
  return *value.get<TupleObject>()->elements;
}

static FailureOr<Value> call(Emitter &emit, const Value &function, llvm::ArrayRef<Value> values) {
  llvm::SmallVector<CallArgument> arguments;
  for (const Value &value : values)
    arguments.push_back({"", value, emit.range});
  return callHost(emit, function, arguments);
}

static LogicalResult needNumber(Emitter &emit, llvm::StringRef function, const Value &value) {
  if (value.isNumber())
    return llvm::success();
  return emit.error(function + " takes a number, not " + value.describe());
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

static FailureOr<Value> absolute(Emitter &emit, BoundArguments args) {
  if (failed(needNumber(emit, "abs", args[0])))
    return llvm::failure();
  if (std::optional<PythonInt> number = args[0].asInt())
    return Value(number->isNegative() ? -*number : *number);
  return Value(std::fabs(*args[0].asDouble()));
}

static FailureOr<Value> divideWithRest(Emitter &emit, BoundArguments args) {
  FailureOr<Value> quotient = foldBinary(emit, BinaryOp::FloorDiv, args[0], args[1]);
  FailureOr<Value> rest =
      failed(quotient) ? quotient : foldBinary(emit, BinaryOp::Mod, args[0], args[1]);
  if (failed(rest))
    return llvm::failure();
  return makeTuple({*quotient, *rest});
}

static FailureOr<Value> power(Emitter &emit, BoundArguments args) {
  if (args[2].isNone())
    return foldBinary(emit, BinaryOp::Pow, args[0], args[1]);
  std::optional<PythonInt> base = args[0].asInt(), exponent = args[1].asInt(),
                           modulus = args[2].asInt();
  if (!base || !exponent || !modulus || exponent->isNegative() || modulus->isZero())
    return emit.error("pow with three arguments takes ints, the second not negative");
  PythonInt result(1);
  std::optional<PythonInt> square = base->mod(*modulus);
  for (unsigned i = 0; square && i < exponent->bitLength(); ++i) {
    if (exponent->toAPInt(exponent->bitLength() + 1)[i])
      result = *result.mul(*square)->mod(*modulus);
    std::optional<PythonInt> product = square->mul(*square);
    square = product ? product->mod(*modulus) : std::nullopt;
  }
  if (!square)
    return emit.error("pow of such large numbers");
  return Value(*result.mod(*modulus));
}

/// Half goes to the even neighbour, also in decimal places.
static FailureOr<Value> roundNumber(Emitter &emit, BoundArguments args) {
  if (failed(needNumber(emit, "round", args[0])))
    return llvm::failure();
  std::optional<PythonInt> digits = args[1].asInt();
  if (!digits && !args[1].isNone())
    return emit.error("round takes a number of digits, not " + args[1].describe());
  if (digits && !digits->fitsSigned(16))
    return emit.error("round to " + digits->str() + " digits");
  if (std::optional<PythonInt> number = args[0].asInt()) {
    if (!digits || !digits->isNegative())
      return Value(*number);
    PythonInt unit = *PythonInt(10).pow(-*digits);
    PythonInt rest = *number->mod(unit), down = *number - rest, twice = rest + rest;
    int side = twice.compare(unit);
    bool isOdd = !down.floorDiv(unit)->mod(PythonInt(2))->isZero();
    return Value(side > 0 || (side == 0 && isOdd) ? down + unit : down);
  }
  double number = *args[0].asDouble();
  if (!digits) {
    std::optional<PythonInt> rounded = PythonInt::fromDouble(std::nearbyint(number));
    if (!rounded)
      return emit.error("round cannot make an int of " + args[0].describe());
    return Value(*rounded);
  }
  int64_t places = digits->toInt64();
  if (!std::isfinite(number) || places > 300)
    return Value(number);
  if (places < 0) {
    double unit = std::pow(10.0, static_cast<double>(-places));
    return Value(std::isfinite(unit) ? std::nearbyint(number / unit) * unit : 0.0 * number);
  }
  // The C library rounds the exact binary value once, as CPython does.
  std::string text(400 + places, 0);
  std::snprintf(text.data(), text.size(), "%.*f", static_cast<int>(places), number);
  return Value(std::strtod(text.c_str(), nullptr));
}

template <unsigned Radix> static FailureOr<Value> inRadix(Emitter &emit, BoundArguments args) {
  std::optional<PythonInt> number = args[0].asInt();
  if (!number)
    return emit.error("expected an int, got " + args[0].describe());
  PythonInt magnitude = number->isNegative() ? -*number : *number;
  llvm::StringRef prefix = Radix == 2 ? "0b" : Radix == 8 ? "0o" : "0x";
  return Value((number->isNegative() ? "-" : "") + prefix.str() +
               llvm::StringRef(magnitude.str(Radix)).lower());
}

static FailureOr<Value> character(Emitter &emit, BoundArguments args) {
  std::optional<PythonInt> number = args[0].asInt();
  char buffer[4], *end = buffer;
  if (!number || !number->fitsUnsigned(21) || !llvm::ConvertCodePointToUTF8(number->toInt64(), end))
    return emit.error("chr takes a code point, not " + args[0].describe());
  return Value(std::string(buffer, end));
}

static FailureOr<Value> ordinal(Emitter &emit, BoundArguments args) {
  const std::string *text = args[0].get<std::string>();
  if (!text || characters(*text).size() != 1)
    return emit.error("ord takes one character, not " + args[0].describe());
  auto *begin = reinterpret_cast<const llvm::UTF8 *>(text->data());
  llvm::UTF32 code = 0;
  if (llvm::convertUTF8Sequence(&begin, begin + text->size(), &code, llvm::lenientConversion) !=
      llvm::conversionOK)
    return emit.error("ord takes one character, not " + args[0].describe());
  return Value(PythonInt(code));
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

static FailureOr<Value> toBool(Emitter &emit, BoundArguments args) {
  if (args[0].isTensor() || args[0].is<HostObject>())
    return emit.error(args[0].describe() + " has no truth value at compile time");
  return Value(isTruthy(args[0]));
}

static FailureOr<Value> toText(Emitter &emit, BoundArguments args) {
  const std::vector<Value> &given = variadic(args[0]);
  if (!given.empty() && failed(countDigits(emit, given[0])))
    return llvm::failure();
  return Value(given.empty() ? std::string() : pythonStr(given[0]));
}

static FailureOr<Value> toRepr(Emitter &emit, BoundArguments args) {
  if (failed(countDigits(emit, args[0])))
    return llvm::failure();
  return Value(pythonRepr(args[0]));
}

static FailureOr<Value> format(Emitter &emit, BoundArguments args) {
  const std::string *spec = args[1].get<std::string>();
  FailureOr<std::string> text = formatValue(emit, args[0], spec ? *spec : "");
  return failed(text) ? FailureOr<Value>(llvm::failure()) : FailureOr<Value>(Value(*text));
}

enum class Container { Tuple, List, Set };
template <Container Kind> static FailureOr<Value> toContainer(Emitter &emit, BoundArguments args) {
  std::vector<Value> items;
  if (!variadic(args[0]).empty()) {
    FailureOr<std::vector<Value>> given = itemsOf(emit, variadic(args[0])[0]);
    if (failed(given))
      return llvm::failure();
    items = std::move(*given);
  }
  // Each element of a set is compared with those before.
  if (Kind == Container::Set &&
      failed(emit.budget.countStatement(items.size() * items.size() / 1024)))
    return llvm::failure();
  return Kind == Container::Tuple  ? makeTuple(std::move(items))
         : Kind == Container::List ? makeList(std::move(items))
                                   : makeSet(items);
}

/// dict(), dict(other), dict([(key, value), ...]).
static FailureOr<Value> toDict(Emitter &emit, BoundArguments args) {
  DictObject result{std::make_shared<std::vector<std::pair<Value, Value>>>()};
  if (variadic(args[0]).empty())
    return Value(result);
  const Value &given = variadic(args[0])[0];
  if (const DictObject *dict = given.get<DictObject>()) {
    *result.items = *dict->items;
    return Value(result);
  }
  FailureOr<std::vector<Value>> items = itemsOf(emit, given);
  if (failed(items))
    return llvm::failure();
  for (const Value &item : *items) {
    FailureOr<std::vector<Value>> pair = itemsOf(emit, item);
    if (failed(pair))
      return llvm::failure();
    if (pair->size() != 2)
      return emit.error("dict takes pairs, not " + item.describe());
    setItem(result, (*pair)[0], (*pair)[1]);
  }
  return Value(result);
}

//===----------------------------------------------------------------------===//
// Iterables
//===----------------------------------------------------------------------===//

static FailureOr<Value> length(Emitter &emit, BoundArguments args) {
  FailureOr<std::vector<Value>> items = itemsOf(emit, args[0]);
  if (failed(items))
    return llvm::failure();
  return Value(PythonInt(items->size()));
}

static FailureOr<Value> sum(Emitter &emit, BoundArguments args) {
  FailureOr<std::vector<Value>> items = itemsOf(emit, args[0]);
  FailureOr<Value> total = args[1];
  if (failed(items))
    return llvm::failure();
  for (const Value &item : *items) {
    if (item.isTensor())
      return emit.error("sum takes compile-time numbers, not " + item.describe());
    total = foldBinary(emit, BinaryOp::Add, *total, item);
    if (failed(total))
      return llvm::failure();
  }
  return total;
}

template <bool All> static FailureOr<Value> anyOrAll(Emitter &emit, BoundArguments args) {
  FailureOr<std::vector<Value>> items = itemsOf(emit, args[0]);
  if (failed(items))
    return llvm::failure();
  for (const Value &item : *items)
    if (item.isTensor() || item.is<HostObject>())
      return emit.error(item.describe() + " has no truth value at compile time");
  return Value(All ? llvm::all_of(*items, isTruthy) : llvm::any_of(*items, isTruthy));
}

/// The values to compare: the items, or the results of `key` for them.
static FailureOr<std::vector<Value>> keysOf(Emitter &emit, const std::vector<Value> &items,
                                            const Value &key) {
  if (key.isNone())
    return items;
  std::vector<Value> keys;
  for (const Value &item : items) {
    FailureOr<Value> value = call(emit, key, {item});
    if (failed(value))
      return llvm::failure();
    keys.push_back(*value);
  }
  return keys;
}

/// A stable merge sort that survives any comparison, also one that fails.
static bool mergeSort(std::vector<size_t> &order, size_t begin, size_t end,
                      llvm::function_ref<FailureOr<bool>(size_t, size_t)> isLess) {
  if (end - begin < 2)
    return true;
  size_t middle = begin + (end - begin) / 2;
  if (!mergeSort(order, begin, middle, isLess) || !mergeSort(order, middle, end, isLess))
    return false;
  std::vector<size_t> merged;
  for (size_t a = begin, b = middle; a < middle || b < end;) {
    bool takesRight = a == middle;
    if (a < middle && b < end) {
      FailureOr<bool> less = isLess(order[b], order[a]);
      if (failed(less))
        return false;
      takesRight = *less;
    }
    merged.push_back(takesRight ? order[b++] : order[a++]);
  }
  llvm::copy(merged, order.begin() + begin);
  return true;
}

static FailureOr<Value> sorted(Emitter &emit, BoundArguments args) {
  FailureOr<std::vector<Value>> items = itemsOf(emit, args[0]);
  FailureOr<std::vector<Value>> keys = failed(items) ? items : keysOf(emit, *items, args[1]);
  if (failed(keys) || failed(emit.budget.countStatement(items->size() / 8)))
    return llvm::failure();
  std::vector<size_t> order(items->size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  CompareOp before = isTruthy(args[2]) ? CompareOp::Gt : CompareOp::Lt;
  auto isLess = [&](size_t a, size_t b) -> FailureOr<bool> {
    FailureOr<Value> less = foldCompare(emit, before, (*keys)[a], (*keys)[b]);
    if (failed(less))
      return llvm::failure();
    return isTruthy(*less);
  };
  if (!mergeSort(order, 0, order.size(), isLess))
    return llvm::failure();
  std::vector<Value> result;
  for (size_t i : order)
    result.push_back((*items)[i]);
  return makeList(std::move(result));
}

template <CompareOp Better> static FailureOr<Value> extremum(Emitter &emit, BoundArguments args) {
  FailureOr<std::vector<Value>> items = variadic(args[0]);
  if (items->size() == 1)
    items = itemsOf(emit, (*items)[0]);
  FailureOr<std::vector<Value>> keys = failed(items) ? items : keysOf(emit, *items, args[1]);
  if (failed(keys))
    return llvm::failure();
  if (items->empty() && args[2].isNone())
    return emit.error("min and max of nothing");
  if (items->empty())
    return args[2];
  size_t best = 0;
  for (size_t i = 1; i < items->size(); ++i) {
    FailureOr<Value> isBetter = foldCompare(emit, Better, (*keys)[i], (*keys)[best]);
    if (failed(isBetter))
      return llvm::failure();
    if (isTruthy(*isBetter))
      best = i;
  }
  return (*items)[best];
}

static FailureOr<Value> enumerate(Emitter &emit, BoundArguments args) {
  FailureOr<std::vector<Value>> items = itemsOf(emit, args[0]);
  std::optional<PythonInt> start = args[1].asInt();
  if (failed(items))
    return llvm::failure();
  if (!start)
    return emit.error("enumerate starts at an int, not at " + args[1].describe());
  std::vector<Value> pairs;
  for (auto [i, item] : llvm::enumerate(*items))
    pairs.push_back(makeTuple({Value(*start + PythonInt(i)), item}));
  return makeList(std::move(pairs));
}

static FailureOr<std::vector<Value>> zipped(Emitter &emit, llvm::ArrayRef<Value> iterables) {
  std::vector<std::vector<Value>> columns;
  size_t count = iterables.empty() ? 0 : kMaxElements;
  for (const Value &iterable : iterables) {
    FailureOr<std::vector<Value>> items = itemsOf(emit, iterable);
    if (failed(items))
      return llvm::failure();
    count = std::min(count, items->size());
    columns.push_back(std::move(*items));
  }
  std::vector<Value> rows;
  for (size_t i = 0; i < count; ++i) {
    std::vector<Value> row;
    for (const std::vector<Value> &column : columns)
      row.push_back(column[i]);
    rows.push_back(makeTuple(std::move(row)));
  }
  return rows;
}

static FailureOr<Value> zip(Emitter &emit, BoundArguments args) {
  FailureOr<std::vector<Value>> rows = zipped(emit, variadic(args[0]));
  if (failed(rows))
    return llvm::failure();
  return makeList(std::move(*rows));
}

static FailureOr<Value> map(Emitter &emit, BoundArguments args) {
  FailureOr<std::vector<Value>> rows = zipped(emit, variadic(args[1]));
  if (failed(rows))
    return llvm::failure();
  for (Value &row : *rows) {
    FailureOr<Value> value = call(emit, args[0], variadic(row));
    if (failed(value))
      return llvm::failure();
    row = *value;
  }
  return makeList(std::move(*rows));
}

static FailureOr<Value> filter(Emitter &emit, BoundArguments args) {
  FailureOr<std::vector<Value>> items = itemsOf(emit, args[1]);
  if (failed(items))
    return llvm::failure();
  std::vector<Value> kept;
  for (const Value &item : *items) {
    FailureOr<Value> test = args[0].isNone() ? FailureOr<Value>(item) : call(emit, args[0], {item});
    if (failed(test))
      return llvm::failure();
    if (isTruthy(*test))
      kept.push_back(item);
  }
  return makeList(std::move(kept));
}

static FailureOr<Value> reversed(Emitter &emit, BoundArguments args) {
  FailureOr<std::vector<Value>> items = itemsOf(emit, args[0]);
  if (failed(items))
    return llvm::failure();
  std::reverse(items->begin(), items->end());
  return makeList(std::move(*items));
}

/// The first item: generators are lists here, and iterators have no state.
static FailureOr<Value> next(Emitter &emit, BoundArguments args) {
  FailureOr<std::vector<Value>> items = itemsOf(emit, args[0]);
  if (failed(items))
    return llvm::failure();
  if (!items->empty())
    return items->front();
  const std::vector<Value> &fallback = variadic(args[1]);
  if (fallback.empty())
    return emit.error("next of nothing");
  return fallback[0];
}

static FailureOr<Value> iterate(Emitter &emit, BoundArguments args) {
  FailureOr<std::vector<Value>> items = itemsOf(emit, args[0]);
  if (failed(items))
    return llvm::failure();
  return makeList(std::move(*items));
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static bool isOfClass(const Value &value, llvm::StringRef name) {
  return llvm::StringSwitch<bool>(name)
      .Case("int", value.asInt().has_value())
      .Case("bool", value.is<bool>())
      .Case("float", value.is<double>())
      .Case("str", value.is<std::string>())
      .Case("tuple", value.is<TupleObject>())
      .Case("list", value.is<ListObject>())
      .Cases({"set", "frozenset"}, value.is<SetObject>())
      .Case("dict", value.is<DictObject>())
      .Default(name == "object");
}

static FailureOr<bool> isInstanceOf(Emitter &emit, const Value &value, const Value &type) {
  if (const TupleObject *tuple = type.get<TupleObject>()) {
    for (const Value &each : *tuple->elements) {
      FailureOr<bool> result = isInstanceOf(emit, value, each);
      if (failed(result) || *result)
        return result;
    }
    return false;
  }
  const BuiltinObject *object = type.get<BuiltinObject>();
  llvm::StringRef path = object ? llvm::StringRef(object->builtin->path) : "";
  if (path.consume_front("host.") || path.consume_front("builtins."))
    return isOfClass(value, path);
  if (value.is<HostObject>())
    return emit.error(value.describe() + " is not known at compile time");
  if (path == "triton.language.constexpr")
    return value.isConstexpr();
  return isInstance(emit, value, type);
}

static FailureOr<Value> instanceTest(Emitter &emit, BoundArguments args) {
  FailureOr<bool> result = isInstanceOf(emit, args[0], args[1]);
  return failed(result) ? FailureOr<Value>(llvm::failure()) : FailureOr<Value>(Value(*result));
}

static FailureOr<Value> typeOf(Emitter &emit, BoundArguments args) {
  const Value &value = args[0];
  llvm::StringRef name = value.is<bool>()          ? "bool"
                         : value.is<PythonInt>()   ? "int"
                         : value.is<double>()      ? "float"
                         : value.is<std::string>() ? "str"
                         : value.is<TupleObject>() ? "tuple"
                         : value.is<ListObject>()  ? "list"
                         : value.is<SetObject>()   ? "set"
                         : value.is<DictObject>()  ? "dict"
                                                   : "";
  if (const TupleObject *tuple = value.get<TupleObject>(); tuple && tuple->type)
    return Value(ClassObject{tuple->type});
  if (const AggregateObject *object = value.get<AggregateObject>())
    return Value(ClassObject{object->type});
  std::optional<Value> type = lookupHostBuiltin(name);
  if (!type)
    type = lookupPythonBuiltin(name);
  if (!type)
    return emit.error("type takes a compile-time value, not " + value.describe());
  return *type;
}

static FailureOr<Value> isCallable(Emitter &, BoundArguments args) {
  return Value(args[0].is<BuiltinObject>() || args[0].is<JitObject>() ||
               args[0].is<FunctionObject>() || args[0].is<ClassObject>() ||
               args[0].is<MethodObject>());
}

static FailureOr<Value> print(Emitter &emit, BoundArguments args) {
  std::string text;
  for (const Value &value : variadic(args[0]))
    text += (text.empty() ? "" : " ") + pythonStr(value);
  emit.diagnostics.output(text + "\n");
  return Value();
}

static FailureOr<Value> makeVersion(Emitter &emit, BoundArguments args) {
  const std::string *text = args[0].get<std::string>();
  if (!text)
    return emit.error("a version is a text, not " + args[0].describe());
  // The release numbers, without trailing zeros: 3.0 and 3.0.0 are one version.
  std::vector<Value> numbers;
  llvm::StringRef rest = llvm::StringRef(*text).ltrim("vV");
  unsigned number;
  while (!rest.consumeInteger(10, number)) {
    numbers.push_back(Value(PythonInt(number)));
    if (!rest.consume_front("."))
      break;
  }
  while (!numbers.empty() && numbers.back().asInt()->isZero())
    numbers.pop_back();
  return makeTuple(std::move(numbers));
}

/// @functools.cache and its like: functions here have no state, so nothing changes.
static FailureOr<Value> theFunction(Emitter &, BoundArguments args) { return args[0]; }

static constexpr Parameter kX[] = {{"x"}};
static constexpr Parameter kAny[] = {{"object", Default::Variadic}};
static constexpr Parameter kTwo[] = {{"a"}, {"b"}};
static constexpr Parameter kPower[] = {{"base"}, {"exp"}, {"mod", Default::None}};
static constexpr Parameter kRound[] = {{"number"}, {"ndigits", Default::None}};
static constexpr Parameter kSum[] = {{"iterable"}, {"start", Default::Zero}};
static constexpr Parameter kSorted[] = {
    {"iterable"}, {"key", Default::None}, {"reverse", Default::False}};
static constexpr Parameter kExtremum[] = {
    {"args", Default::Variadic}, {"key", Default::None}, {"default", Default::None}};
static constexpr Parameter kEnumerate[] = {{"iterable"}, {"start", Default::Zero}};
static constexpr Parameter kMap[] = {{"function"}, {"iterables", Default::Variadic}};
static constexpr Parameter kInstance[] = {{"object"}, {"classinfo"}};
static constexpr Parameter kFormat[] = {{"value"}, {"format_spec", Default::EmptyString}};
static constexpr Parameter kVersion[] = {{"version"}};

llvm::ArrayRef<Builtin> tessera::hostFunctions() {
  static constexpr Builtin rows[] = {
      {"host.abs", kX, absolute, false, true},
      {"host.all", kX, anyOrAll<true>, false, true},
      {"host.any", kX, anyOrAll<false>, false, true},
      {"host.bin", kX, inRadix<2>, false, true},
      {"host.bool", kX, toBool, false, true},
      {"host.callable", kX, isCallable, false, true},
      {"host.chr", kX, character, false, true},
      {"host.dict", kAny, toDict, false, true},
      {"host.divmod", kTwo, divideWithRest, false, true},
      {"host.enumerate", kEnumerate, enumerate, false, true},
      {"host.filter", kTwo, filter, false, true},
      {"host.format", kFormat, format, false, true},
      {"host.frozenset", kAny, toContainer<Container::Set>, false, true},
      {"host.hex", kX, inRadix<16>, false, true},
      {"host.isinstance", kInstance, instanceTest, false, true},
      {"host.iter", kX, iterate, false, true},
      {"host.len", kX, length, false, true},
      {"host.list", kAny, toContainer<Container::List>, false, true},
      {"host.map", kMap, map, false, true},
      {"host.max", kExtremum, extremum<CompareOp::Gt>, false, true},
      {"host.min", kExtremum, extremum<CompareOp::Lt>, false, true},
      {"host.next", kMap, next, false, true},
      {"host.oct", kX, inRadix<8>, false, true},
      {"host.ord", kX, ordinal, false, true},
      {"host.pow", kPower, power, false, true},
      {"host.print", kAny, print, false, true},
      {"host.repr", kX, toRepr, false, true},
      {"host.reversed", kX, reversed, false, true},
      {"host.round", kRound, roundNumber, false, true},
      {"host.set", kAny, toContainer<Container::Set>, false, true},
      {"host.sorted", kSorted, sorted, false, true},
      {"host.str", kAny, toText, false, true},
      {"host.sum", kSum, sum, false, true},
      {"host.tuple", kAny, toContainer<Container::Tuple>, false, true},
      {"host.type", kX, typeOf, false, true},
      {"host.zip", kAny, zip, false, true},
      {"packaging.version.parse", kVersion, makeVersion, false, true},
      {"packaging.version.Version", kVersion, makeVersion, false, true},
      {"functools.cache", kX, theFunction, false, true},
      {"functools.lru_cache", kX, theFunction, false, true},
  };
  return rows;
}
