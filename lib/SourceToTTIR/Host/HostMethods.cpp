//===- HostMethods.cpp - methods of compile-time values -------------------===//
// "relu".startswith("re"), [1].append(2), {"a": 1}.get("a"), (5).bit_length():
// what constexpr functions call, and kernels on their constants.
//===----------------------------------------------------------------------===//
#include "HostValues.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "../Operators/PythonText.h"

using namespace tessera;

static const std::vector<Value> &variadic(const Value &value) {
  return *value.get<TupleObject>()->elements;
}

/// The text that a method belongs to.
static llvm::StringRef self(BoundArguments args) { return *args[0].get<std::string>(); }

static FailureOr<llvm::StringRef> textOf(Emitter &emit, const Value &value) {
  const std::string *text = value.get<std::string>();
  if (!text)
    return emit.error("expected a text, got " + value.describe());
  return llvm::StringRef(*text);
}

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

/// Another case. Beyond ASCII that takes Unicode's tables, which no kernel's names need.
template <auto Function> static FailureOr<Value> changed(Emitter &emit, BoundArguments args) {
  if (llvm::any_of(self(args), [](unsigned char c) { return c >= 0x80; }))
    return emit.error("the case of ASCII texts only can be changed at compile time");
  return Value(std::string(Function(self(args))));
}

static std::string capitalized(llvm::StringRef text) {
  return text.empty() ? "" : text.take_front().upper() + text.drop_front().lower();
}

/// Implements str.isdigit() and the like: the string is not empty, and the predicate holds for
/// all its characters (ASCII, as in kernels' constants).
template <auto Predicate> static FailureOr<Value> allAre(Emitter &, BoundArguments args) {
  return Value(!self(args).empty() && llvm::all_of(self(args), Predicate));
}

template <bool Upper> static FailureOr<Value> hasCase(Emitter &, BoundArguments args) {
  auto isWrong = [](char c) { return Upper ? llvm::isLower(c) : llvm::isUpper(c); };
  auto isRight = [](char c) { return Upper ? llvm::isUpper(c) : llvm::isLower(c); };
  return Value(llvm::none_of(self(args), isWrong) && llvm::any_of(self(args), isRight));
}

template <bool AtStart> static FailureOr<Value> matches(Emitter &emit, BoundArguments args) {
  std::vector<Value> candidates = {args[1]};
  if (const TupleObject *tuple = args[1].get<TupleObject>())
    candidates = *tuple->elements;
  for (const Value &candidate : candidates) {
    FailureOr<llvm::StringRef> text = textOf(emit, candidate);
    if (failed(text))
      return llvm::failure();
    if (AtStart ? self(args).starts_with(*text) : self(args).ends_with(*text))
      return Value(true);
  }
  return Value(false);
}

enum class Side { Both, Left, Right };
template <Side Which> static FailureOr<Value> strip(Emitter &emit, BoundArguments args) {
  llvm::StringRef unwanted = " \t\n\r\f\v";
  if (!args[1].isNone()) {
    FailureOr<llvm::StringRef> given = textOf(emit, args[1]);
    if (failed(given))
      return llvm::failure();
    unwanted = *given;
  }
  llvm::StringRef text = self(args);
  if (Which != Side::Right)
    text = text.ltrim(unwanted);
  if (Which != Side::Left)
    text = text.rtrim(unwanted);
  return Value(text.str());
}

template <bool Prefix> static FailureOr<Value> remove(Emitter &emit, BoundArguments args) {
  FailureOr<llvm::StringRef> part = textOf(emit, args[1]);
  if (failed(part))
    return llvm::failure();
  llvm::StringRef text = self(args);
  if (Prefix)
    text.consume_front(*part);
  else
    text.consume_back(*part);
  return Value(text.str());
}

static FailureOr<Value> replace(Emitter &emit, BoundArguments args) {
  FailureOr<llvm::StringRef> from = textOf(emit, args[1]), to = textOf(emit, args[2]);
  if (failed(from) || failed(to))
    return llvm::failure();
  if (from->empty())
    return emit.error("replace takes something to replace");
  std::string result;
  llvm::StringRef rest = self(args);
  for (size_t at; (at = rest.find(*from)) != llvm::StringRef::npos;) {
    result += rest.take_front(at).str() + to->str();
    rest = rest.drop_front(at + from->size());
    if (result.size() > kMaxTextBytes)
      return emit.budget.error("this text is too long to compute with");
  }
  return Value(result + rest.str());
}

/// str.split(): without a separator, runs of blanks separate, and blanks at the ends are dropped.
static FailureOr<Value> split(Emitter &emit, BoundArguments args) {
  std::vector<Value> parts;
  std::optional<PythonInt> limit = args[2].isNone() ? PythonInt(-1) : args[2].asInt();
  if (!limit)
    return emit.error("split takes a number of splits, not " + args[2].describe());
  int64_t left = limit->isNegative() || !limit->fitsSigned(32) ? INT32_MAX : limit->toInt64();
  llvm::StringRef rest = self(args);
  if (args[1].isNone()) {
    constexpr llvm::StringLiteral blanks = " \t\n\r\f\v";
    for (rest = rest.ltrim(blanks); !rest.empty(); rest = rest.ltrim(blanks)) {
      size_t end = left-- > 0 ? rest.find_first_of(blanks) : llvm::StringRef::npos;
      parts.push_back(Value(rest.take_front(end).str()));
      rest = end == llvm::StringRef::npos ? "" : rest.drop_front(end);
    }
    return makeList(std::move(parts));
  }
  FailureOr<llvm::StringRef> separator = textOf(emit, args[1]);
  if (failed(separator))
    return llvm::failure();
  if (separator->empty())
    return emit.error("split takes a separator that is not empty");
  for (size_t at; left-- > 0 && (at = rest.find(*separator)) != llvm::StringRef::npos;
       rest = rest.drop_front(at + separator->size()))
    parts.push_back(Value(rest.take_front(at).str()));
  parts.push_back(Value(rest.str()));
  return makeList(std::move(parts));
}

static FailureOr<Value> join(Emitter &emit, BoundArguments args) {
  FailureOr<std::vector<Value>> items = itemsOf(emit, args[1]);
  if (failed(items))
    return llvm::failure();
  std::string result;
  for (auto [i, item] : llvm::enumerate(*items)) {
    FailureOr<llvm::StringRef> text = textOf(emit, item);
    if (failed(text))
      return llvm::failure();
    result += (i ? self(args) : "").str() + text->str();
    if (result.size() > kMaxTextBytes)
      return emit.budget.error("this text is too long to compute with");
  }
  return Value(result);
}

static FailureOr<Value> formatText(Emitter &emit, BoundArguments args) {
  FailureOr<std::string> text = formatFields(emit, self(args), variadic(args[1]), {});
  if (failed(text))
    return llvm::failure();
  return Value(*text);
}

/// The position in characters; -1 if it is not there.
static FailureOr<Value> find(Emitter &emit, BoundArguments args) {
  FailureOr<llvm::StringRef> part = textOf(emit, args[1]);
  if (failed(part))
    return llvm::failure();
  size_t at = self(args).find(*part);
  if (at == llvm::StringRef::npos)
    return Value(PythonInt(-1));
  return Value(PythonInt(characters(self(args).take_front(at)).size()));
}

static FailureOr<Value> countText(Emitter &emit, BoundArguments args) {
  FailureOr<llvm::StringRef> part = textOf(emit, args[1]);
  if (failed(part))
    return llvm::failure();
  if (part->empty())
    return Value(PythonInt(characters(self(args)).size() + 1));
  return Value(PythonInt(self(args).count(*part)));
}

template <char Align> static FailureOr<Value> justify(Emitter &emit, BoundArguments args) {
  std::optional<PythonInt> width = args[1].asInt();
  const std::string *fill = args[2].get<std::string>();
  if (!width || !width->fitsSigned(32) || (fill && characters(*fill).size() != 1))
    return emit.error("expected a width and one character to fill with");
  std::string spec = (fill ? *fill : " ") + Align + std::to_string(width->toInt64());
  FailureOr<std::string> text = width->isNegative() ? FailureOr<std::string>(self(args).str())
                                                    : formatValue(emit, args[0], spec);
  if (failed(text))
    return llvm::failure();
  return Value(*text);
}

//===----------------------------------------------------------------------===//
// Lists and tuples
//===----------------------------------------------------------------------===//

static std::vector<Value> &listOf(BoundArguments args) {
  return *args[0].get<ListObject>()->elements;
}
static const std::vector<Value> &sequenceOf(BoundArguments args) {
  if (const TupleObject *tuple = args[0].get<TupleObject>())
    return *tuple->elements;
  return listOf(args);
}

static FailureOr<Value> append(Emitter &emit, BoundArguments args) {
  if (failed(checkInsertion(emit, &listOf(args), listOf(args).size(), args[1])))
    return llvm::failure();
  listOf(args).push_back(args[1]);
  return Value();
}

static FailureOr<Value> extend(Emitter &emit, BoundArguments args) {
  FailureOr<std::vector<Value>> items = itemsOf(emit, args[1]);
  if (failed(items))
    return llvm::failure();
  for (const Value &item : *items)
    if (failed(append(emit, {args[0], item})))
      return llvm::failure();
  return Value();
}

/// The position that an index means in a list or tuple; nothing if it is out of range.
static std::optional<size_t> positionIn(size_t size, const Value &index) {
  std::optional<PythonInt> number = index.asInt();
  if (!number || !number->fitsSigned(32))
    return std::nullopt;
  int64_t at = number->toInt64() + (number->isNegative() ? static_cast<int64_t>(size) : 0);
  return at >= 0 && at < static_cast<int64_t>(size) ? std::optional<size_t>(at) : std::nullopt;
}

static FailureOr<Value> insert(Emitter &emit, BoundArguments args) {
  std::vector<Value> &list = listOf(args);
  std::optional<PythonInt> number = args[1].asInt();
  if (!number || !number->fitsSigned(32))
    return emit.error("insert takes a position, not " + args[1].describe());
  if (failed(checkInsertion(emit, &list, list.size(), args[2])))
    return llvm::failure();
  int64_t size = list.size(), at = number->toInt64() + (number->isNegative() ? size : 0);
  list.insert(list.begin() + std::clamp<int64_t>(at, 0, size), args[2]);
  return Value();
}

static FailureOr<Value> pop(Emitter &emit, BoundArguments args) {
  std::vector<Value> &list = listOf(args);
  std::optional<size_t> at = positionIn(list.size(), args[1]);
  if (!at)
    return emit.error("pop from " + args[0].describe() + " at " + pythonRepr(args[1]));
  Value taken = list[*at];
  list.erase(list.begin() + *at);
  return taken;
}

static FailureOr<Value> removeItem(Emitter &emit, BoundArguments args) {
  std::vector<Value> &list = listOf(args);
  auto found = llvm::find_if(list, [&](const Value &item) { return isEqual(item, args[1]); });
  if (found == list.end())
    return emit.error("the list has no " + args[1].describe() + " to remove");
  list.erase(found);
  return Value();
}

static FailureOr<Value> reverse(Emitter &, BoundArguments args) {
  std::reverse(listOf(args).begin(), listOf(args).end());
  return Value();
}

static FailureOr<Value> sort(Emitter &emit, BoundArguments args) {
  FailureOr<Value> sorted =
      lookupHostBuiltin("sorted")->get<BuiltinObject>()->builtin->handler(emit, args);
  if (failed(sorted))
    return llvm::failure();
  listOf(args) = *sorted->get<ListObject>()->elements;
  return Value();
}

static FailureOr<Value> copyList(Emitter &, BoundArguments args) { return makeList(listOf(args)); }

static FailureOr<Value> clearList(Emitter &, BoundArguments args) {
  listOf(args).clear();
  return Value();
}

static FailureOr<Value> indexOf(Emitter &emit, BoundArguments args) {
  for (auto [i, item] : llvm::enumerate(sequenceOf(args)))
    if (isEqual(item, args[1]))
      return Value(PythonInt(i));
  return emit.error(args[1].describe() + " is not in " + args[0].describe());
}

static FailureOr<Value> countItem(Emitter &, BoundArguments args) {
  return Value(PythonInt(
      llvm::count_if(sequenceOf(args), [&](const Value &item) { return isEqual(item, args[1]); })));
}

//===----------------------------------------------------------------------===//
// Dicts, sets and ints
//===----------------------------------------------------------------------===//

static FailureOr<Value> getItem(Emitter &, BoundArguments args) {
  const Value *found = findItem(*args[0].get<DictObject>(), args[1]);
  return found ? *found : args[2];
}

static FailureOr<Value> setDefault(Emitter &emit, BoundArguments args) {
  DictObject dict = *args[0].get<DictObject>();
  if (const Value *found = findItem(dict, args[1]))
    return *found;
  if (failed(checkInsertion(emit, dict.items.get(), dict.items->size(), args[2])))
    return llvm::failure();
  setItem(dict, args[1], args[2]);
  return args[2];
}

static FailureOr<Value> popItem(Emitter &emit, BoundArguments args) {
  DictObject dict = *args[0].get<DictObject>();
  const Value *found = findItem(dict, args[1]);
  if (!found && variadic(args[2]).empty())
    return emit.raise("KeyError", "the dict has no key " + args[1].describe());
  Value taken = found ? *found : variadic(args[2])[0];
  llvm::erase_if(*dict.items, [&](const auto &item) { return isEqual(item.first, args[1]); });
  return taken;
}

static FailureOr<Value> update(Emitter &emit, BoundArguments args) {
  DictObject dict = *args[0].get<DictObject>();
  const DictObject *other = args[1].get<DictObject>();
  if (!other)
    return emit.error("update takes a dict, not " + args[1].describe());
  auto items = *other->items;
  for (const auto &[key, value] : items) {
    if (failed(checkInsertion(emit, dict.items.get(), dict.items->size(), value)))
      return llvm::failure();
    setItem(dict, key, value);
  }
  return Value();
}

enum class Part { Keys, Values, Items };
template <Part Which> static FailureOr<Value> partsOf(Emitter &, BoundArguments args) {
  std::vector<Value> parts;
  for (const auto &[key, value] : *args[0].get<DictObject>()->items)
    parts.push_back(Which == Part::Keys     ? key
                    : Which == Part::Values ? value
                                            : makeTuple({key, value}));
  return makeList(std::move(parts));
}

static FailureOr<Value> copyDict(Emitter &, BoundArguments args) {
  return Value(DictObject{
      std::make_shared<std::vector<std::pair<Value, Value>>>(*args[0].get<DictObject>()->items)});
}

static FailureOr<Value> addToSet(Emitter &emit, BoundArguments args) {
  std::vector<Value> &set = *args[0].get<SetObject>()->elements;
  if (args[1].is<ListObject>() || args[1].is<DictObject>() || args[1].is<SetObject>())
    return emit.error("a set holds values that do not change, not " + args[1].describe());
  if (!containsValue(set, args[1])) {
    if (failed(checkInsertion(emit, &set, set.size(), args[1])))
      return llvm::failure();
    set.push_back(args[1]);
  }
  return Value();
}

template <BinaryOp Op> static FailureOr<Value> combineSets(Emitter &emit, BoundArguments args) {
  FailureOr<std::vector<Value>> other = itemsOf(emit, args[1]);
  if (failed(other))
    return llvm::failure();
  return foldBinary(emit, Op, args[0], makeSet(*other));
}

static FailureOr<Value> bitLength(Emitter &, BoundArguments args) {
  return Value(PythonInt(args[0].asInt()->bitLength()));
}

static FailureOr<Value> bitCount(Emitter &, BoundArguments args) {
  PythonInt number = *args[0].asInt();
  PythonInt magnitude = number.isNegative() ? -number : number;
  return Value(PythonInt(magnitude.toAPInt(magnitude.bitLength() + 1).popcount()));
}

static FailureOr<Value> isInteger(Emitter &, BoundArguments args) {
  double number = *args[0].asDouble();
  return Value(PythonInt::fromDouble(number) &&
               PythonInt::fromDouble(number)->toDouble() == number);
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

static constexpr Parameter kSelf[] = {{"self"}};
static constexpr Parameter kOne[] = {{"self"}, {"x"}};
static constexpr Parameter kOptional[] = {{"self"}, {"chars", Default::None}};
static constexpr Parameter kReplace[] = {{"self"}, {"old"}, {"new"}};
static constexpr Parameter kSplit[] = {
    {"self"}, {"sep", Default::None}, {"maxsplit", Default::None}};
static constexpr Parameter kFormat[] = {{"self"}, {"args", Default::Variadic}};
static constexpr Parameter kJustify[] = {{"self"}, {"width"}, {"fillchar", Default::None}};
static constexpr Parameter kInsert[] = {{"self"}, {"index"}, {"object"}};
static constexpr Parameter kPop[] = {{"self"}, {"index", Default::Variadic}};
static constexpr Parameter kSort[] = {
    {"self"}, {"key", Default::None}, {"reverse", Default::False}};
static constexpr Parameter kGet[] = {{"self"}, {"key"}, {"default", Default::None}};
static constexpr Parameter kPopItem[] = {{"self"}, {"key"}, {"default", Default::Variadic}};

/// pop() takes the last.
static FailureOr<Value> popAt(Emitter &emit, BoundArguments args) {
  const std::vector<Value> &given = variadic(args[1]);
  return pop(emit, {args[0], given.empty() ? Value(PythonInt(-1)) : given[0]});
}

#define METHOD(path, parameters, ...) {path, parameters, __VA_ARGS__, false, true}

llvm::ArrayRef<Builtin> tessera::hostMethods() {
  static constexpr Builtin rows[] = {
      METHOD("str.upper", kSelf, changed<[](llvm::StringRef s) { return s.upper(); }>),
      METHOD("str.lower", kSelf, changed<[](llvm::StringRef s) { return s.lower(); }>),
      METHOD("str.capitalize", kSelf, changed<capitalized>),
      METHOD("str.isdigit", kSelf, allAre<[](char c) { return llvm::isDigit(c); }>),
      METHOD("str.isalpha", kSelf, allAre<[](char c) { return llvm::isAlpha(c); }>),
      METHOD("str.isalnum", kSelf, allAre<[](char c) { return llvm::isAlnum(c); }>),
      METHOD("str.isspace", kSelf, allAre<[](char c) { return llvm::isSpace(c); }>),
      METHOD("str.isupper", kSelf, hasCase<true>),
      METHOD("str.islower", kSelf, hasCase<false>),
      METHOD("str.startswith", kOne, matches<true>),
      METHOD("str.endswith", kOne, matches<false>),
      METHOD("str.strip", kOptional, strip<Side::Both>),
      METHOD("str.lstrip", kOptional, strip<Side::Left>),
      METHOD("str.rstrip", kOptional, strip<Side::Right>),
      METHOD("str.removeprefix", kOne, remove<true>),
      METHOD("str.removesuffix", kOne, remove<false>),
      METHOD("str.replace", kReplace, replace),
      METHOD("str.split", kSplit, split),
      METHOD("str.join", kOne, join),
      METHOD("str.format", kFormat, formatText),
      METHOD("str.find", kOne, find),
      METHOD("str.count", kOne, countText),
      METHOD("str.ljust", kJustify, justify<'<'>),
      METHOD("str.rjust", kJustify, justify<'>'>),
      METHOD("str.center", kJustify, justify<'^'>),
      METHOD("list.append", kOne, append),
      METHOD("list.extend", kOne, extend),
      METHOD("list.insert", kInsert, insert),
      METHOD("list.pop", kPop, popAt),
      METHOD("list.remove", kOne, removeItem),
      METHOD("list.reverse", kSelf, reverse),
      METHOD("list.sort", kSort, sort),
      METHOD("list.copy", kSelf, copyList),
      METHOD("list.clear", kSelf, clearList),
      METHOD("list.index", kOne, indexOf),
      METHOD("list.count", kOne, countItem),
      METHOD("tuple.index", kOne, indexOf),
      METHOD("tuple.count", kOne, countItem),
      METHOD("dict.get", kGet, getItem),
      METHOD("dict.setdefault", kGet, setDefault),
      METHOD("dict.pop", kPopItem, popItem),
      METHOD("dict.update", kOne, update),
      METHOD("dict.keys", kSelf, partsOf<Part::Keys>),
      METHOD("dict.values", kSelf, partsOf<Part::Values>),
      METHOD("dict.items", kSelf, partsOf<Part::Items>),
      METHOD("dict.copy", kSelf, copyDict),
      METHOD("set.add", kOne, addToSet),
      METHOD("set.union", kOne, combineSets<BinaryOp::Or>),
      METHOD("set.intersection", kOne, combineSets<BinaryOp::And>),
      METHOD("set.difference", kOne, combineSets<BinaryOp::Sub>),
      METHOD("int.bit_length", kSelf, bitLength),
      METHOD("int.bit_count", kSelf, bitCount),
      METHOD("float.is_integer", kSelf, isInteger),
  };
  return rows;
}
