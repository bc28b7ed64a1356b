//===- Describe.cpp - what the library can do, as JSON --------------------===//
// Every list comes from the table that the compiler itself reads: Options.def,
// ScalarTypes.def, the targets' stages and chips.
//===----------------------------------------------------------------------===//
#include "tessera/Driver/Describe.h"
#include "tessera/Driver/DefaultSession.h"
#include "tessera/Kernel/DType.h"
#include "tessera/Support/Version.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace tessera;
namespace json = llvm::json;

/// A default of Options.def as JSON.
static json::Value valueOf(unsigned value) { return int64_t(value); }
static json::Value valueOf(bool value) { return value; }
static json::Value valueOf(const std::string &value) { return value; }

static json::Object option(llvm::StringRef flag, json::Value value, llvm::StringRef help,
                           bool changesCode) {
  return json::Object{
      {"name", flag}, {"default", std::move(value)}, {"help", help}, {"hashed", changesCode}};
}

static json::Array describeOptions() {
  json::Array options;
#define COMPILE_OPTION(type, field, value, flag, help)                                             \
  options.push_back(option(flag, valueOf(type(value)), help, /*changesCode=*/true));
#define DEBUG_OPTION(type, field, value, flag, help)                                               \
  options.push_back(option(flag, valueOf(type(value)), help, /*changesCode=*/false));
#include "tessera/Support/Options.def"
  return options;
}

static json::Array describeTypes() {
  json::Array types;
  for (DType::Kind kind : DType::all()) {
    DType type(kind);
    types.push_back(json::Object{{"name", type.name()},
                                 {"language_name", type.languageName()},
                                 {"bits", type.bits()},
                                 {"c_type", type.cType()}});
  }
  return types;
}

static json::Array describeTargets() {
  json::Array targets;
  for (const TargetDescription &target : listTargets())
    targets.push_back(json::Object{{"name", target.name},
                                   {"summary", target.summary},
                                   {"chip", target.chip},
                                   {"features", json::Array(target.features)}});
  return targets;
}

/// A path as a JSON string. Bytes that are no UTF-8 become \udc80 to \udcff, as in Python's
/// surrogateescape, so that no path is lost.
static std::string quotePath(llvm::StringRef path) {
  std::string text = "\"";
  while (!path.empty()) {
    auto lead = static_cast<unsigned char>(path.front());
    size_t size = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    llvm::StringRef character = path.take_front(size);
    if (!json::isUTF8(character)) {
      character = path.take_front(1);
      llvm::raw_string_ostream(text) << llvm::format("\\udc%02x", lead);
    } else {
      std::string quoted = llvm::formatv("{0}", json::Value(character)).str();
      text += llvm::StringRef(quoted).drop_front().drop_back();
    }
    path = path.drop_front(character.size());
  }
  return text + "\"";
}

static void writePath(json::OStream &out, llvm::StringRef name, llvm::StringRef path) {
  out.attributeBegin(name);
  out.rawValue(quotePath(path));
  out.attributeEnd();
}

static json::Array describeStages(const Target &target) {
  json::Array stages;
  for (const Stage &stage : target.stages())
    stages.push_back(json::Object{
        {"name", stage.name}, {"extension", stage.extension}, {"on_demand", stage.onDemand}});
  return stages;
}

static json::Object describeLanguage(const LanguageTarget &language) {
  json::Array fp8;
  for (DType::Kind kind : language.fp8Types)
    fp8.push_back(DType(kind).name());
  return json::Object{{"backend", language.backend},
                      {"warp_size", language.warpSize},
                      {"fp8_types", std::move(fp8)},
                      {"dot_precisions", json::Array(language.dotPrecisions)},
                      {"min_dot_inner", language.minDotInner},
                      {"min_dot_inner_8bit", language.minDotInner8Bit},
                      {"max_imprecise_accumulations", language.maxImpreciseAccumulations}};
}

static void writeTarget(json::OStream &out, const Target &target) {
  out.attribute("target", target.name());
  out.attribute("stages", describeStages(target));
  out.attribute("language", describeLanguage(target.languageTarget()));
  for (const TargetDescription &known : listTargets())
    if (known.name == target.name()) {
      out.attribute("chip", known.chip);
      out.attribute("features", json::Array(known.features));
    }
}

static void writeCommon(json::OStream &out, const ToolPlaces &places) {
  out.attribute("version", getVersion());
  out.attribute("options", describeOptions());
  out.attribute("scalar_types", describeTypes());
  out.attribute("targets", describeTargets());
  out.attributeObject("tools", [&] {
    for (const FoundTool &tool : findTools(places))
      writePath(out, tool.name, tool.path);
  });
  writePath(out, "cache_folder", defaultCacheFolder(places.variables));
}

std::string tessera::describeLibrary(const ToolPlaces &places) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  json::OStream out(stream);
  out.object([&] { writeCommon(out, places); });
  return text;
}

llvm::Expected<std::string> tessera::describeTarget(llvm::StringRef name) {
  llvm::Expected<std::unique_ptr<Target>> target = createTarget(name, {});
  if (!target)
    return target.takeError();
  std::string text;
  llvm::raw_string_ostream stream(text);
  json::OStream out(stream);
  out.object([&] { writeTarget(out, **target); });
  return text;
}
