//===- JsonMutator.cpp - change a JSON program as a wrong host would ------===//
#include "JsonMutator.h"
#include "ProgramMutator.h"
#include "tessera/Support/Json.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace tessera::fuzz;
namespace json = llvm::json;

/// What a program may have somewhere, and what it may not.
static const char *const kValues[] = {
    "null",
    "true",
    "false",
    "0",
    "-1",
    "1",
    "7",
    "4294967296",
    "-9223372036854775808",
    "1e308",
    "[]",
    "{}",
    "[[]]",
    "\"\"",
    "\"x\"",
    "\"_\"",
    "\"self\"",
    "\"tl\"",
    "\"i32\"",
    "\"i1\"",
    "\"*fp32\"",
    "\"*fp32:16\"",
    "\"*i8:16\"",
    "\"fp16\"",
    "\"i32:1\"",
    "\"*k*i8\"",
    "\"constexpr\"",
    "\"tensordesc<fp16[64, 32]>\"",
    "\"tensordesc<fp32[4]>:16\"",
    "\"jit\"",
    "\"plain\"",
    "\"namedtuple\"",
    "\"aggregate\"",
    R"({"constant": null})",
    R"({"constant": {"int": "16"}})",
    R"({"constant": {"function": 0}})",
    R"({"tuple": []})",
    R"({"tuple": ["i32", "*fp32"]})",
    R"({"tuple": ["i32"], "class": 0})",
    R"({"int": "5"})",
    R"({"int": "-0"})",
    R"({"int": "170141183460469231731687303715884105728"})",
    R"({"int": "1048576"})",
    R"({"float": "nan"})",
    R"({"float": "-inf"})",
    R"({"float": "0x1.8p+1"})",
    R"({"float": "0x1p-1074"})",
    R"({"dtype": "*fp32"})",
    R"({"dtype": "i32"})",
    R"({"dtype": "void"})",
    R"({"dtype": "fp8e5"})",
    R"({"language": "triton.language"})",
    R"({"language": "triton.language.load"})",
    R"({"language": "triton.language.tensor"})",
    R"({"language": "triton.language.constexpr"})",
    R"({"language": "triton.language.extra.libdevice"})",
    R"({"language": "triton.language.sum"})",
    R"({"language": "triton.cdiv"})",
    R"({"language": "a.b"})",
    R"({"function": 0})",
    R"({"function": 1})",
    R"({"class": 0})",
    R"({"class": 1})",
    R"({"constexpr": {"int": "3"}})",
    R"({"constexpr": {"constexpr": null}})",
    R"({"constexpr": {"tuple": [{"int": "1"}, {"dtype": "fp32"}]}})",
    R"({"list": [{"int": "1"}, {"list": []}]})",
    R"({"set": [{"int": "1"}]})",
    R"({"dict": [[{"int": "1"}, "one"], ["k", null]]})",
    R"({"module": "cfg", "members": {"BLOCK": {"int": "8"}}})",
    R"({"object": "an object", "members": {}})",
    R"({"object": "m", "same": "Mode.A", "members": {"value": {"int": "1"}}})",
    R"({"absent": true})",
    R"({"function": 0, "arguments": [], "keywords": {}, "result": {"int": "4"}})",
    R"({"function": 0, "arguments": [{"int": "1"}], "raises": "ValueError: no"})",
};
/// Members that programs know.
static const char *const kNames[] = {"arguments",
                                     "functions",
                                     "classes",
                                     "calls",
                                     "kernel",
                                     "symbol",
                                     "plain_globals",
                                     "name",
                                     "module",
                                     "qualname",
                                     "path",
                                     "line",
                                     "text",
                                     "kind",
                                     "noinline",
                                     "debug",
                                     "must_use_result",
                                     "constexprs",
                                     "names",
                                     "defaults",
                                     "fields",
                                     "members",
                                     "function",
                                     "class",
                                     "tuple",
                                     "constant",
                                     "same",
                                     "raises",
                                     "result",
                                     "keywords",
                                     "tl",
                                     "x",
                                     "absent"};

static json::Value known(const char *text) { return llvm::cantFail(json::parse(text)); }

void JsonMutator::collect(json::Value &value, const std::string &name, std::vector<Place> &out) {
  if (json::Object *object = value.getAsObject())
    for (auto &[key, member] : *object) {
      out.push_back({&value, 0, key.str(), &member});
      collect(member, key.str(), out);
    }
  else if (json::Array *list = value.getAsArray())
    for (size_t i = 0; i < list->size(); ++i) {
      out.push_back({&value, i, name, &(*list)[i]});
      collect((*list)[i], name, out);
    }
}

json::Value JsonMutator::anyValue(const std::vector<Place> &places) {
  if (!places.empty() && oneIn(3))
    return *places[below(places.size())].value;
  return known(kValues[below(std::size(kValues))]);
}

void JsonMutator::changeText(Place &place) {
  std::string text = place.value->getAsString()->str();
  bool isCode = place.name == "text";
  if (isCode || oneIn(4)) {
    text = ProgramMutator(unsigned(random())).mutate(text);
  } else if (!text.empty()) {
    static const char *const kSplinters[] = {"",  ".",  "0",  "*", ":",        "_",  "<",
                                             "[", "\n", "\t", " ", "\xc3\xa9", "\\", "9"};
    text.replace(below(text.size()), below(3), kSplinters[below(std::size(kSplinters))]);
  }
  *place.value = json::fixUTF8(text);
}

void JsonMutator::changePlace(json::Value &document) {
  std::vector<Place> places;
  collect(document, "", places);
  if (places.empty()) {
    document = anyValue(places);
    return;
  }
  // The functions' texts are few among the places and most of what there is to test.
  std::vector<Place *> texts;
  for (Place &place : places)
    if (place.name == "text" && place.value->getAsString())
      texts.push_back(&place);
  if (!texts.empty() && oneIn(2))
    return changeText(*texts[below(texts.size())]);
  Place &place = places[below(places.size())];
  json::Value replacement = anyValue(places);
  json::Object *object = place.parent->getAsObject();
  json::Array *list = place.parent->getAsArray();
  switch (below(6)) {
  case 0:
    object ? void(object->erase(place.name)) : void(list->erase(list->begin() + place.index));
    break;
  case 1:
    if (list)
      list->insert(list->begin() + place.index, std::move(replacement));
    else
      (*object)[oneIn(2) ? std::string(kNames[below(std::size(kNames))])
                         : places[below(places.size())].name] = std::move(replacement);
    break;
  case 2:
  case 3:
    if (place.value->getAsString())
      changeText(place);
    else
      *place.value = std::move(replacement);
    break;
  case 4: { // under another name, or in another place
    json::Value moved = *place.value;
    Place &other = places[below(places.size())];
    if (other.name == place.name || oneIn(3))
      *other.value = std::move(moved);
    break;
  }
  default:
    *place.value = std::move(replacement);
  }
}

static std::optional<json::Value> read(std::string_view text) {
  llvm::Expected<json::Value> document = tessera::parseJson({text.data(), text.size()});
  if (document)
    return std::move(*document);
  llvm::consumeError(document.takeError());
  return std::nullopt;
}

static std::string write(const json::Value &document) {
  return llvm::formatv("{0}", document).str();
}

std::optional<std::string> JsonMutator::mutate(std::string_view text) {
  std::optional<json::Value> document = read(text);
  if (!document)
    return std::nullopt;
  for (size_t changes = 1 + below(4); changes > 0; --changes)
    changePlace(*document);
  return write(*document);
}

std::optional<std::string> JsonMutator::splice(std::string_view text, std::string_view other) {
  std::optional<json::Value> document = read(text), donor = read(other);
  if (!document || !donor)
    return std::nullopt;
  std::vector<Place> places, gifts;
  collect(*document, "", places);
  collect(*donor, "", gifts);
  if (places.empty() || gifts.empty())
    return std::nullopt;
  const Place &gift = gifts[below(gifts.size())];
  std::vector<Place *> fitting;
  for (Place &place : places)
    if (place.name == gift.name)
      fitting.push_back(&place);
  Place &place = fitting.empty() ? places[below(places.size())] : *fitting[below(fitting.size())];
  json::Value copy = *gift.value;
  if (json::Array *list = place.parent->getAsArray(); list && oneIn(2))
    list->insert(list->begin() + place.index, std::move(copy));
  else
    *place.value = std::move(copy);
  return write(*document);
}
