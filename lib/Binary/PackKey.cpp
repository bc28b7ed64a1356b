//===- PackKey.cpp - how kernels are found in a pack ----------------------===//
// Hashes the tree of a JSON program in an order that does not depend on how it was
// written. Cost: one parse of the program, about 2 us per KiB, and its hash.
//===----------------------------------------------------------------------===//
#include "tessera/Binary/PackKey.h"
#include "tessera/Kernel/Signature.h"
#include "tessera/Support/Error.h"
#include "tessera/Support/Hashing.h"
#include "tessera/Support/Json.h"
#include "tessera/Support/JsonTree.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include <algorithm>

using namespace tessera;
namespace json = llvm::json;

//===----------------------------------------------------------------------===//
// Hashing a program
//===----------------------------------------------------------------------===//

static bool isPlace(llvm::StringRef key) { return key == "path" || key == "line"; }

/// The double of {"float": "0x1.8p+1"}; nothing for any other object.
static std::optional<double> floatOf(const JsonObject &object) {
  std::optional<llvm::StringRef> text =
      object.size() == 1 ? object.getString("float") : std::nullopt;
  double value;
  if (!text || text->getAsDouble(value))
    return std::nullopt;
  return value;
}

/// Adds a value, without the members of `dropped` if it is an object.
static void addValue(FieldHasher &hasher, const JsonValue &value,
                     llvm::function_ref<bool(llvm::StringRef)> dropped) {
  auto keepAll = [](llvm::StringRef) { return false; };
  if (const JsonObject *object = value.getAsObject()) {
    if (std::optional<double> number = floatOf(*object)) {
      hasher.add("f").add(llvm::bit_cast<uint64_t>(*number));
      return;
    }
    auto isKept = [&](const JsonMember &member) { return !dropped(member.key); };
    hasher.add("{").add(uint64_t(llvm::count_if(*object, isKept)));
    for (const JsonMember &member : llvm::make_filter_range(*object, isKept)) {
      hasher.add(member.key);
      addValue(hasher, member.value, keepAll);
    }
    return;
  }
  if (const JsonArray *array = value.getAsArray()) {
    hasher.add("[").add(uint64_t(array->size()));
    for (const JsonValue &each : *array)
      addValue(hasher, each, keepAll);
    return;
  }
  if (std::optional<llvm::StringRef> text = value.getAsString())
    hasher.add("s").add(*text);
  else if (std::optional<bool> truth = value.getAsBoolean())
    hasher.add(*truth ? "true" : "false");
  else if (value.isNull())
    hasher.add("null");
  else if (std::optional<int64_t> number = value.getAsInteger())
    hasher.add(std::to_string(*number));
  else // 1.5
    hasher.add(llvm::formatv("{0}", value.copy()).str());
}

/// The functions and classes, without their places in files, and how they are used.
static PackHash hashSource(const JsonObject &program) {
  FieldHasher hasher;
  hasher.add("tessera pack source 1");
  for (llvm::StringRef list : {"functions", "classes"}) {
    const JsonArray *array = program.getArray(list);
    hasher.add(uint64_t(array ? array->size() : 0));
    if (array)
      for (const JsonValue &each : *array)
        addValue(hasher, each, isPlace);
  }
  for (llvm::StringRef name : {"kernel", "plain_globals"}) {
    const JsonValue *value = program.get(name);
    addValue(hasher, value ? *value : JsonValue(), isPlace);
  }
  return hasher.finish();
}

//===----------------------------------------------------------------------===//
// Signatures
//===----------------------------------------------------------------------===//

/// The entry of a signature for an ARGUMENT; empty if there is none.
static std::string entryOf(const JsonValue &argument) {
  if (std::optional<llvm::StringRef> type = argument.getAsString())
    return type->str();
  const JsonObject *object = argument.getAsObject();
  const JsonValue *constant = object && !object->get("tuple") ? object->get("constant") : nullptr;
  if (!constant)
    return "";
  if (constant->isNull())
    return "None";
  if (std::optional<bool> truth = constant->getAsBoolean())
    return *truth ? "True" : "False";
  if (std::optional<llvm::StringRef> text = constant->getAsString()) {
    bool isPlain = llvm::all_of(
        *text, [](char c) { return llvm::isAlnum(c) || llvm::StringRef("_ .+-").contains(c); });
    return isPlain ? "'" + text->str() + "'" : "";
  }
  const JsonObject *inner = constant->getAsObject();
  if (!inner || inner->size() != 1)
    return "";
  if (std::optional<llvm::StringRef> number = inner->getString("int"))
    return number->str();
  std::optional<double> number = floatOf(*inner);
  if (!number || !std::isfinite(*number))
    return "";
  for (int digits = 1; digits <= 17; ++digits) { // the shortest text that is the same number
    std::string text = llvm::formatv("{0}", llvm::format("%.*g", digits, *number));
    double again;
    if (!llvm::StringRef(text).getAsDouble(again) && again == *number)
      return llvm::StringRef(text).find_first_of(".e") == llvm::StringRef::npos ? text + ".0"
                                                                                : text;
  }
  return "";
}

llvm::Expected<json::Array> tessera::argumentsOfSignature(llvm::StringRef signature) {
  json::Array arguments;
  auto add = [&](json::Value constant) {
    arguments.push_back(json::Object{{"constant", std::move(constant)}});
  };
  llvm::Expected<std::vector<SignatureEntry>> entries = parseSignature(signature);
  if (!entries)
    return entries.takeError();
  for (const SignatureEntry &entry : *entries) {
    llvm::StringRef text = entry.text;
    double number;
    if (entry.isTuple)
      return makeError("the signature's '" + text + "': a tuple is written in 'arguments'");
    if (!entry.isConstant && !entry.isFixedToOne)
      arguments.push_back(text.str());
    else if (entry.isFixedToOne)
      add(json::Object{{"int", "1"}});
    else if (text == "None")
      add(nullptr);
    else if (text == "True" || text == "False")
      add(text == "True");
    else if (text.size() >= 2 && (text[0] == '\'' || text[0] == '"'))
      add(text.drop_front().drop_back().str());
    else if (llvm::StringRef digits = text;
             (digits.consume_front("-"), !digits.empty() && llvm::all_of(digits, llvm::isDigit)))
      add(json::Object{{"int", text.str()}});
    else if (!text.getAsDouble(number))
      add(json::Object{{"float", llvm::formatv("{0}", llvm::format("%a", number)).str()}});
    else
      return makeError("the signature's '" + text + "' is written in 'arguments', as JSON");
  }
  return arguments;
}

//===----------------------------------------------------------------------===//
// Keys and rows
//===----------------------------------------------------------------------===//

static std::vector<std::pair<std::string, std::string>> changes(const CompileOptions &options) {
  std::vector<std::pair<std::string, std::string>> changed = options.changedFlagsAndValues();
  llvm::sort(changed);
  return changed;
}

std::string tessera::changedOptions(const CompileOptions &options) {
  std::string text;
  for (const auto &[flag, value] : changes(options))
    text += (text.empty() ? "" : ",") + flag + "=" + value;
  return text;
}

std::optional<KnownSources::Source> KnownSources::find(llvm::StringRef rest) const {
  std::lock_guard guard(lock);
  for (const auto &[text, source] : llvm::reverse(sources)) // mostly one of the last
    if (text == rest)
      return source;
  return std::nullopt;
}

void KnownSources::add(llvm::StringRef rest, Source source) {
  std::lock_guard guard(lock);
  if (bytes + rest.size() > kMostBytes) {
    sources.clear();
    bytes = 0;
  }
  bytes += rest.size();
  sources.emplace_back(rest.str(), std::move(source));
}

static KnownSources::Source describeSource(const JsonObject &program) {
  KnownSources::Source source;
  source.hash = hashSource(program);
  const JsonArray *functions = program.getArray("functions");
  std::optional<int64_t> number = program.getInteger("kernel");
  const JsonObject *kernel =
      functions && number && *number >= 0 && size_t(*number) < functions->size()
          ? (*functions)[size_t(*number)].getAsObject()
          : nullptr;
  if (!kernel)
    return source;
  source.kernelName = kernel->getString("name").value_or("").str();
  std::string file = llvm::sys::path::filename(kernel->getString("path").value_or("")).str();
  if (!file.empty())
    source.origin = file + ":" + std::to_string(kernel->getInteger("line").value_or(0));
  return source;
}

static PackKeys keysOf(KnownSources::Source source, const JsonArray &arguments,
                       const JsonValue &calls, const CompileOptions &options,
                       llvm::StringRef target) {
  PackKeys keys;
  keys.source = source.hash;
  keys.kernelName = std::move(source.kernelName);
  keys.origin = std::move(source.origin);
  keys.options = changedOptions(options);
  std::vector<std::string> entries;
  for (const JsonValue &argument : arguments)
    entries.push_back(entryOf(argument));
  keys.isSignature = !llvm::is_contained(entries, "");
  keys.signature = keys.isSignature ? llvm::join(entries, ",")
                                    : llvm::formatv("{0}", JsonValue(&arguments).copy()).str();
  FieldHasher hasher;
  hasher.add("tessera pack key 1").add(target).add(keys.options);
  hasher.add(llvm::StringRef(reinterpret_cast<const char *>(keys.source.data()), 32));
  auto keepAll = [](llvm::StringRef) { return false; };
  addValue(hasher, JsonValue(&arguments), keepAll);
  addValue(hasher, calls, keepAll);
  keys.key = hasher.finish();
  return keys;
}

/// The source of the text behind the arguments of a program; nothing if it has members that are
/// part of a variant, or is wrong.
static std::optional<KnownSources::Source> sourceOfRest(llvm::StringRef rest, KnownSources &known) {
  if (std::optional<KnownSources::Source> source = known.find(rest))
    return source;
  std::string text = "{" + rest.drop_front().str();
  llvm::Expected<JsonTree> tree = JsonTree::parse(text);
  const JsonObject *object = tree ? tree->root().getAsObject() : nullptr;
  if (!object || object->size() == 0 || object->get("arguments") || object->get("calls")) {
    llvm::consumeError(tree ? llvm::Error::success() : tree.takeError());
    return std::nullopt;
  }
  KnownSources::Source source = describeSource(*object);
  known.add(rest, source);
  return source;
}

/// The keys of a program that begins with its arguments, and does not call functions of its host.
static std::optional<PackKeys> keysOfVariant(llvm::StringRef program, const CompileOptions &options,
                                             llvm::StringRef target, KnownSources &known) {
  llvm::StringRef rest = program;
  if (!rest.consume_front("{\"arguments\":"))
    return std::nullopt;
  llvm::Expected<JsonTree> tree = JsonTree::takeFront(rest);
  if (!tree) {
    llvm::consumeError(tree.takeError());
    return std::nullopt;
  }
  const JsonArray *arguments = tree->root().getAsArray();
  if (!arguments || !rest.starts_with(",") || rest.starts_with(",\"calls\""))
    return std::nullopt;
  std::optional<KnownSources::Source> source = sourceOfRest(rest, known);
  if (!source)
    return std::nullopt;
  return keysOf(std::move(*source), *arguments, JsonValue(), options, target);
}

llvm::Expected<PackKeys> tessera::computePackKeys(llvm::StringRef program,
                                                  const CompileOptions &options,
                                                  llvm::StringRef target, KnownSources *known) {
  if (std::optional<PackKeys> keys =
          known ? keysOfVariant(program, options, target, *known) : std::nullopt)
    return std::move(*keys);
  llvm::Expected<JsonTree> tree = JsonTree::parse(program);
  if (!tree)
    return tree.takeError();
  const JsonObject *object = tree->root().getAsObject();
  const JsonArray *arguments = object ? object->getArray("arguments") : nullptr;
  if (!arguments)
    return makeError("this is no program: it has no 'arguments' (docs/program.md)");
  const JsonValue *calls = object->get("calls");
  return keysOf(describeSource(*object), *arguments, calls ? *calls : JsonValue(), options, target);
}

/// Removes the promises from an ARGUMENT; returns whether it had any.
static bool removeSmallTensors(json::Value &argument) {
  if (std::optional<llvm::StringRef> text = argument.getAsString()) {
    llvm::StringRef rest = *text;
    if (!rest.starts_with("*") || !rest.contains(':') || !rest.consume_back("S"))
      return false;
    rest.consume_back(":");
    argument = json::Value(rest.str());
    return true;
  }
  json::Object *object = argument.getAsObject();
  json::Array *elements = object ? object->getArray("tuple") : nullptr;
  bool isChanged = false;
  if (elements)
    for (json::Value &element : *elements)
      isChanged |= removeSmallTensors(element);
  return isChanged;
}

std::optional<std::string> tessera::withoutSmallTensors(llvm::StringRef program) {
  llvm::Expected<json::Value> parsed = parseJson(program);
  if (!parsed) {
    llvm::consumeError(parsed.takeError());
    return std::nullopt;
  }
  json::Object *object = parsed->getAsObject();
  json::Array *arguments = object ? object->getArray("arguments") : nullptr;
  bool isChanged = false;
  if (arguments)
    for (json::Value &argument : *arguments)
      isChanged |= removeSmallTensors(argument);
  if (!isChanged)
    return std::nullopt;
  return llvm::formatv("{0}", *parsed).str();
}

PackHash tessera::choicesKey(llvm::StringRef kernel) {
  return FieldHasher().add("tessera pack choices 1").add(kernel).finish();
}

static std::string tomlString(llvm::StringRef text) {
  if (text.contains('"') && !text.contains('\''))
    return ("'" + text + "'").str();
  return llvm::formatv("{0}", json::Value(text)).str();
}

std::string tessera::manifestRow(const PackKeys &keys, const CompileOptions &options,
                                 llvm::StringRef target) {
  std::string text =
      (keys.isSignature ? "{ signature = " : "{ arguments = ") + tomlString(keys.signature);
  std::string chosen;
  for (const auto &[flag, value] : changes(options)) {
    bool isBare = value == "true" || value == "false" ||
                  (!value.empty() && llvm::all_of(value, llvm::isDigit));
    chosen += (chosen.empty() ? " " : ", ") + flag + " = " + (isBare ? value : tomlString(value));
  }
  if (!chosen.empty())
    text += ", options = {" + chosen + " }";
  return text + ", targets = [" + tomlString(target) + "] },";
}
