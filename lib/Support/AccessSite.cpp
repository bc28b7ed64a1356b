//===- AccessSite.cpp - the records of sanitized code ---------------------===//
// See AccessSite.h.
//===----------------------------------------------------------------------===//
#include "tessera/Support/AccessSite.h"
#include "llvm/Support/JSON.h"
#include <cstring>

namespace tessera {

namespace json = llvm::json;

static std::string utf8(llvm::StringRef text) {
  return json::isUTF8(text) ? text.str() : json::fixUTF8(text);
}

static json::Value writePlace(const SourcePlace &place) {
  return json::Array{utf8(place.path), place.line, place.column, utf8(place.name)};
}

static SourcePlace readPlace(const json::Value *value) {
  SourcePlace place;
  const json::Array *parts = value ? value->getAsArray() : nullptr;
  if (!parts || parts->size() != 4)
    return place;
  place.path = (*parts)[0].getAsString().value_or("").str();
  place.line = static_cast<uint32_t>((*parts)[1].getAsInteger().value_or(0));
  place.column = static_cast<uint32_t>((*parts)[2].getAsInteger().value_or(0));
  place.name = (*parts)[3].getAsString().value_or("").str();
  return place;
}

template <typename Record> static std::string pack(const Record &record, json::Value text) {
  std::string bytes(reinterpret_cast<const char *>(&record), sizeof(record));
  llvm::raw_string_ostream(bytes) << text;
  bytes.push_back('\0');
  return bytes;
}

template <typename Record> static json::Value unpack(const Record &record) {
  llvm::Expected<json::Value> value = json::parse(reinterpret_cast<const char *>(&record + 1));
  if (value)
    return std::move(*value);
  llvm::consumeError(value.takeError());
  return nullptr;
}

std::string packRecord(const AccessSite &site, const AccessText &text) {
  json::Array callers;
  for (const SourcePlace &place : text.callers)
    callers.push_back(writePlace(place));
  json::Object object{{"kernel", utf8(text.kernel)},
                      {"operation", text.operation},
                      {"type", text.type},
                      {"place", writePlace(text.place)},
                      {"callers", std::move(callers)},
                      {"shape", json::Array(text.shape)}};
  if (text.hasMask)
    object["mask"] = writePlace(text.mask);
  return pack(site, std::move(object));
}

std::string packRecord(const WrapSite &site, const SourcePlace &place) {
  return pack(site, writePlace(place));
}

AccessText readText(const AccessSite &record) {
  AccessText text;
  json::Value value = unpack(record);
  const json::Object *object = value.getAsObject();
  if (!object)
    return text;
  text.kernel = object->getString("kernel").value_or("").str();
  text.operation = object->getString("operation").value_or("").str();
  text.type = object->getString("type").value_or("").str();
  text.place = readPlace(object->get("place"));
  if (const json::Array *callers = object->getArray("callers"))
    for (const json::Value &place : *callers)
      text.callers.push_back(readPlace(&place));
  if (const json::Array *shape = object->getArray("shape"))
    for (const json::Value &extent : *shape)
      text.shape.push_back(extent.getAsInteger().value_or(1));
  text.hasMask = object->get("mask") != nullptr;
  text.mask = readPlace(object->get("mask"));
  return text;
}

SourcePlace readText(const WrapSite &record) {
  json::Value value = unpack(record);
  return readPlace(&value);
}

} // namespace tessera
