//===- KernelRecord.cpp - all that is known about a kernel ----------------===//
// To JSON and back. Field names are part of the ABI (docs/abi.md): the writer
// below is their list, and the reader asks for the same ones.
//===----------------------------------------------------------------------===//
#include "tessera/Kernel/KernelRecord.h"
#include "tessera/Support/Error.h"
#include "tessera/Support/JsonTree.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"
#include <limits>

namespace tessera {

namespace json = llvm::json;

//===----------------------------------------------------------------------===//
// Filling the record
//===----------------------------------------------------------------------===//

void KernelRecord::setWrites(llvm::ArrayRef<bool> readOnlyArguments, bool throughArgumentsOnly) {
  forgetWrites();
  if (readOnlyArguments.size() != passedArguments().size())
    return;
  size_t passed = 0;
  for (KernelArgument &argument : arguments)
    if (argument.isPassed())
      argument.isReadOnly = readOnlyArguments[passed++];
  writesOnlyArguments = throughArgumentsOnly;
}

void KernelRecord::forgetWrites() {
  for (KernelArgument &argument : arguments)
    argument.isReadOnly = false;
  writesOnlyArguments = false;
}

void KernelRecord::setHidden(std::vector<TensorMapRecipe> maps,
                             llvm::ArrayRef<HiddenArgument> others) {
  tensorMaps = std::move(maps);
  abiVersion = tensorMaps.empty() ? kFirstAbiVersion : kAbiVersion;
  hiddenArguments.assign(tensorMaps.size(), HiddenArgument::TensorMap);
  hiddenArguments.insert(hiddenArguments.end(), others.begin(), others.end());
}

void KernelRecord::adopt(const CompileOptions &compileOptions) {
  options = compileOptions.flagsAndValues();
  numCTAs = compileOptions.numCTAs;
  cluster = {compileOptions.numCTAs, 1, 1};
  cooperative = compileOptions.launchCooperativeGrid;
  dependentLaunch = compileOptions.launchPDL;
}

llvm::StringRef KernelRecord::option(llvm::StringRef wanted) const {
  for (const auto &[flag, value] : options)
    if (flag == wanted)
      return value;
  return "";
}

std::vector<const KernelArgument *> KernelRecord::passedArguments() const {
  std::vector<const KernelArgument *> passed;
  for (const KernelArgument &argument : arguments)
    if (argument.isPassed())
      passed.push_back(&argument);
  return passed;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// "tensor_map:0" is the map of the first recipe.
static constexpr llvm::StringLiteral kMapPrefix = "tensor_map:";

static llvm::StringRef hiddenName(HiddenArgument argument) {
  switch (argument) {
  case HiddenArgument::GlobalScratch:
    return "global_scratch";
  case HiddenArgument::ProfileScratch:
    return "profile_scratch";
  case HiddenArgument::Sanitizer:
    return "sanitizer";
  case HiddenArgument::TensorMap:
    return "tensor_map";
  }
  return "";
}

/// JSON holds Unicode; a file name need not.
static json::Value textValue(llvm::StringRef text) {
  return json::isUTF8(text) ? json::Value(text) : json::Value(json::fixUTF8(text));
}

static void writeArgument(json::OStream &out, const KernelArgument &argument) {
  out.object([&] {
    if (argument.constant)
      out.attribute("constant", textValue(*argument.constant));
    if (!argument.descriptor.empty())
      out.attribute("descriptor", textValue(argument.descriptor));
    if (argument.divisibility != 1)
      out.attribute("divisibility", argument.divisibility);
    out.attribute("name", textValue(argument.name));
    if (argument.isReadOnly)
      out.attribute("read_only", true);
    out.attribute("type", textValue(argument.type));
  });
}

static void writeScratch(json::OStream &out, llvm::StringRef field, const ScratchSize &scratch) {
  out.attributeObject(field, [&] {
    out.attribute("align", scratch.align);
    out.attribute("bytes", scratch.bytes);
  });
}

/// The value of an option: true or false, a number, or a string.
static json::Value optionValue(const std::string &text) {
  unsigned number;
  if (text == "true" || text == "false")
    return text == "true";
  if (!llvm::StringRef(text).getAsInteger(10, number) && std::to_string(number) == text)
    return number;
  return textValue(text);
}

/// In the order of the alphabet. Written as it goes: building the values first took
/// twice as long, and each kernel that is loaded is described once.
static void writeRecord(json::OStream &out, const KernelRecord &record) {
  out.attribute("abi_version", record.abiVersion);
  if (record.accumulatorRegisters >= 0)
    out.attribute("accumulator_registers", record.accumulatorRegisters);
  out.attributeArray("arguments", [&] {
    for (const KernelArgument &argument : record.arguments)
      writeArgument(out, argument);
  });
  out.attribute("assembler", textValue(record.assembler));
  if (!record.assemblerAdvice.empty())
    out.attribute("assembler_advice", textValue(record.assemblerAdvice));
  if (!record.attempts.empty())
    out.attribute("attempts", textValue(record.attempts));
  out.attributeArray("cluster", [&] {
    for (uint32_t extent : record.cluster)
      out.value(extent);
  });
  out.attribute("cooperative", record.cooperative);
  out.attribute("dependent_launch", record.dependentLaunch);
  if (record.sharedIsStatic)
    out.attribute("dynamic_shared", record.dynamicSharedBytes());
  writeScratch(out, "global_scratch", record.globalScratch);
  out.attributeArray("hidden_arguments", [&] {
    unsigned map = 0;
    for (HiddenArgument argument : record.hiddenArguments)
      out.value(argument == HiddenArgument::TensorMap ? kMapPrefix.str() + std::to_string(map++)
                                                      : hiddenName(argument).str());
  });
  out.attribute("name", textValue(record.kernelName));
  out.attribute("num_ctas", record.numCTAs);
  out.attribute("num_warps", record.numWarps);
  out.attributeObject("options", [&] {
    for (const auto &[flag, value] : record.options)
      out.attribute(flag, optionValue(value));
  });
  writeScratch(out, "profile_scratch", record.profileScratch);
  out.attribute("registers", record.registers);
  if (record.scalarRegisters >= 0)
    out.attribute("scalar_registers", record.scalarRegisters);
  out.attribute("shared", record.sharedBytes);
  out.attribute("source_file", textValue(record.sourceFile));
  out.attribute("source_line", record.sourceLine);
  out.attribute("spill_bytes", record.spillBytes);
  if (record.stackBytes >= 0)
    out.attribute("stack_bytes", record.stackBytes);
  if (!record.symbol.empty())
    out.attribute("symbol", textValue(record.symbol));
  out.attribute("target", textValue(record.target));
  if (!record.tensorMaps.empty())
    out.attributeArray("tensor_maps", [&] {
      for (const TensorMapRecipe &recipe : record.tensorMaps)
        out.value(toJSON(recipe, record));
    });
  out.attribute("tessera_version", textValue(record.tesseraVersion));
  out.attribute("threads_per_warp", record.threadsPerWarp);
  if (record.writesOnlyArguments)
    out.attribute("writes_only_arguments", true);
}

std::string KernelRecord::toText() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  json::OStream out(os, /*IndentSize=*/2);
  out.object([&] { writeRecord(out, *this); });
  out.flush();
  os << '\n';
  return text;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {
/// Reads the fields of one object and keeps the first failure.
class FieldReader {
public:
  FieldReader(const JsonObject &object, std::string where)
      : object(object), where(std::move(where)) {}

  template <typename Int> void number(llvm::StringRef field, Int &into) {
    std::optional<int64_t> value;
    if (const JsonValue *found = require(field))
      value = found->getAsInteger();
    else
      return;
    if (!value || *value < int64_t(std::numeric_limits<Int>::min()) ||
        (*value > 0 && uint64_t(*value) > uint64_t(std::numeric_limits<Int>::max())))
      return fail(field, "is not a number in range");
    into = Int(*value);
  }
  void boolean(llvm::StringRef field, bool &into) {
    const JsonValue *found = require(field);
    if (!found)
      return;
    if (std::optional<bool> value = found->getAsBoolean())
      into = *value;
    else
      fail(field, "is not true or false");
  }
  void text(llvm::StringRef field, std::string &into) {
    const JsonValue *found = require(field);
    if (!found)
      return;
    if (std::optional<llvm::StringRef> value = found->getAsString())
      into = value->str();
    else
      fail(field, "is not a string");
  }
  /// Calls `each` for the elements until one fails.
  void list(llvm::StringRef field, llvm::function_ref<llvm::Error(const JsonValue &)> each) {
    const JsonValue *found = require(field);
    if (!found)
      return;
    const JsonArray *array = found->getAsArray();
    if (!array)
      return fail(field, "is not a list");
    for (const JsonValue &element : *array)
      if (llvm::Error error = each(element))
        return fail(field, llvm::toString(std::move(error)));
  }
  void scratch(llvm::StringRef field, ScratchSize &into) {
    const JsonValue *found = require(field);
    if (!found)
      return;
    const JsonObject *size = found->getAsObject();
    if (!size)
      return fail(field, "is not an object");
    FieldReader inner(*size, field.str());
    inner.number("bytes", into.bytes);
    inner.number("align", into.align);
    if (llvm::Error error = inner.finish())
      fail(field, llvm::toString(std::move(error)));
  }
  bool has(llvm::StringRef field) const { return object.get(field); }
  void fail(llvm::StringRef field, const llvm::Twine &why) {
    if (message.empty())
      message = (where + ": '" + field + "' " + why).str();
  }
  llvm::Error finish() { return message.empty() ? llvm::Error::success() : makeError(message); }

private:
  const JsonValue *require(llvm::StringRef field) {
    const JsonValue *found = object.get(field);
    if (!found)
      fail(field, "is missing");
    return found;
  }

  const JsonObject &object;
  std::string where;
  std::string message;
};
} // namespace

static llvm::Expected<KernelArgument> readArgument(const JsonValue &value) {
  const JsonObject *object = value.getAsObject();
  if (!object)
    return makeError("holds something that is not an object");
  KernelArgument argument;
  FieldReader reader(*object, "an argument");
  reader.text("name", argument.name);
  reader.text("type", argument.type);
  if (reader.has("divisibility"))
    reader.number("divisibility", argument.divisibility);
  if (reader.has("constant"))
    reader.text("constant", argument.constant.emplace());
  if (reader.has("read_only"))
    reader.boolean("read_only", argument.isReadOnly);
  if (reader.has("descriptor"))
    reader.text("descriptor", argument.descriptor);
  if (llvm::Error error = reader.finish())
    return error;
  return argument;
}

static llvm::Expected<HiddenArgument> readHidden(const JsonValue &value) {
  for (HiddenArgument argument :
       {HiddenArgument::GlobalScratch, HiddenArgument::ProfileScratch, HiddenArgument::Sanitizer})
    if (value.getAsString() == hiddenName(argument))
      return argument;
  if (value.getAsString().value_or("").starts_with(kMapPrefix))
    return HiddenArgument::TensorMap; // they are in the order of their numbers
  return makeError("holds an unknown hidden argument");
}

/// The recipes of the tensor maps, which must be those of the hidden arguments.
static llvm::Error readTensorMaps(const JsonObject &object, KernelRecord &record) {
  if (const JsonValue *found = object.get("tensor_maps")) {
    const JsonArray *list = found->getAsArray();
    if (!list)
      return makeError("kernel metadata: 'tensor_maps' is not a list");
    for (const JsonValue &value : *list) {
      llvm::Expected<TensorMapRecipe> recipe = parseTensorMapRecipe(value, record);
      if (!recipe)
        return addContext("kernel metadata: 'tensor_maps'", recipe.takeError());
      record.tensorMaps.push_back(std::move(*recipe));
    }
  }
  if (size_t(llvm::count(record.hiddenArguments, HiddenArgument::TensorMap)) !=
      record.tensorMaps.size())
    return makeError("kernel metadata: not every tensor map has a recipe and a hidden argument");
  return llvm::Error::success();
}

static std::optional<std::string> optionText(const JsonValue &value) {
  if (std::optional<bool> flag = value.getAsBoolean())
    return *flag ? "true" : "false";
  if (std::optional<int64_t> number = value.getAsInteger())
    return std::to_string(*number);
  if (std::optional<llvm::StringRef> text = value.getAsString())
    return text->str();
  return std::nullopt;
}

/// In the order of the table; others, of a later Tessera, are passed over.
static llvm::Error readOptions(const JsonValue *value, KernelRecord &record) {
  const JsonObject *object = value ? value->getAsObject() : nullptr;
  if (!object)
    return makeError("kernel metadata: 'options' is not an object");
  static const auto known = CompileOptions().flagsAndValues();
  record.options.reserve(known.size());
  for (const auto &[flag, unused] : known) {
    const JsonValue *found = object->get(flag);
    if (!found)
      continue;
    std::optional<std::string> text = optionText(*found);
    if (!text)
      return makeError("kernel metadata: the option '" + flag +
                       "' is not a number, a string, true or false");
    record.options.emplace_back(flag, *text);
  }
  return llvm::Error::success();
}

/// Appends what `read` makes of each element.
template <typename T>
static auto appendTo(std::vector<T> &list, llvm::Expected<T> (*read)(const JsonValue &)) {
  return [&list, read](const JsonValue &value) -> llvm::Error {
    llvm::Expected<T> element = read(value);
    if (!element)
      return element.takeError();
    list.push_back(std::move(*element));
    return llvm::Error::success();
  };
}

static llvm::Expected<KernelRecord> readRecord(const JsonValue &value) {
  const JsonObject *object = value.getAsObject();
  if (!object)
    return makeError("kernel metadata: not a JSON object");
  KernelRecord record;
  FieldReader reader(*object, "kernel metadata");
  reader.number("abi_version", record.abiVersion);
  if (llvm::Error error = reader.finish())
    return error;
  if (record.abiVersion < kFirstAbiVersion || record.abiVersion > kAbiVersion)
    return makeError("kernel metadata: ABI version " + llvm::Twine(record.abiVersion) +
                     ", and this Tessera reads versions " + llvm::Twine(kFirstAbiVersion) + " to " +
                     llvm::Twine(kAbiVersion));
  reader.text("tessera_version", record.tesseraVersion);
  reader.text("name", record.kernelName);
  if (reader.has("symbol"))
    reader.text("symbol", record.symbol);
  reader.text("target", record.target);
  reader.list("arguments", appendTo(record.arguments, readArgument));
  reader.list("hidden_arguments", appendTo(record.hiddenArguments, readHidden));
  reader.number("num_warps", record.numWarps);
  reader.number("threads_per_warp", record.threadsPerWarp);
  reader.number("num_ctas", record.numCTAs);
  unsigned axis = 0;
  reader.list("cluster", [&](const JsonValue &extent) -> llvm::Error {
    std::optional<int64_t> number = extent.getAsInteger();
    if (axis == 3 || !number || *number < 1 || *number > INT32_MAX)
      return makeError("is not three positive numbers");
    record.cluster[axis++] = uint32_t(*number);
    return llvm::Error::success();
  });
  reader.number("shared", record.sharedBytes);
  if (reader.has("dynamic_shared")) {
    uint32_t dynamic = 0;
    reader.number("dynamic_shared", dynamic);
    record.sharedIsStatic = dynamic == 0;
    if (dynamic != 0 && dynamic != record.sharedBytes)
      reader.fail("dynamic_shared", "is neither 0 nor 'shared'");
  }
  reader.scratch("global_scratch", record.globalScratch);
  reader.scratch("profile_scratch", record.profileScratch);
  reader.boolean("cooperative", record.cooperative);
  reader.boolean("dependent_launch", record.dependentLaunch);
  if (reader.has("writes_only_arguments"))
    reader.boolean("writes_only_arguments", record.writesOnlyArguments);
  reader.number("registers", record.registers);
  reader.number("spill_bytes", record.spillBytes);
  for (auto [field, into] : {std::pair("accumulator_registers", &record.accumulatorRegisters),
                             std::pair("scalar_registers", &record.scalarRegisters),
                             std::pair("stack_bytes", &record.stackBytes)})
    if (reader.has(field))
      reader.number(field, *into);
  reader.text("assembler", record.assembler);
  if (reader.has("assembler_advice"))
    reader.text("assembler_advice", record.assemblerAdvice);
  if (reader.has("attempts"))
    reader.text("attempts", record.attempts);
  reader.text("source_file", record.sourceFile);
  reader.number("source_line", record.sourceLine);
  if (llvm::Error error = reader.finish())
    return error;
  if (llvm::Error error = readTensorMaps(*object, record))
    return error;
  if (llvm::Error error = readOptions(object->get("options"), record))
    return error;
  return record;
}

llvm::Expected<KernelRecord> KernelRecord::parse(llvm::StringRef text) {
  llvm::Expected<JsonTree> tree = JsonTree::parse(text);
  if (!tree)
    return addContext("kernel metadata", tree.takeError());
  return readRecord(tree->root());
}

} // namespace tessera
