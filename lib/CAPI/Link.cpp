//===- Link.cpp - tessera_link --------------------------------------------===//
#include "Strings.h"
#include "tessera.h"
#include "tessera/Launch/AotLink.h"
#include "tessera/Support/Error.h"
#include "tessera/Support/Json.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tessera;

/// Reads the request, and links.
static llvm::Expected<LinkedSources> linkFrom(llvm::StringRef request) {
  llvm::Expected<llvm::json::Value> parsed = parseJson(request);
  if (!parsed)
    return parsed.takeError();
  const llvm::json::Object *object = parsed->getAsObject();
  const llvm::json::Array *list = object ? object->getArray("headers") : nullptr;
  std::optional<llvm::StringRef> name = object ? object->getString("name") : std::nullopt;
  if (!list || !name)
    return makeError("tessera_link: the request has 'headers', a list, and 'name', a string");
  std::vector<LinkHeader> headers;
  for (const llvm::json::Value &each : *list) {
    const llvm::json::Object *header = each.getAsObject();
    std::optional<llvm::StringRef> path = header ? header->getString("path") : std::nullopt;
    std::optional<llvm::StringRef> text = header ? header->getString("text") : std::nullopt;
    if (!path || !text)
      return makeError("tessera_link: a header has 'path' and 'text', strings");
    headers.push_back({path->str(), text->str()});
  }
  return linkVariants(headers, *name, object->getString("prefix").value_or(""));
}

tessera_status tessera_link(const char *request, char **files, char **message) {
  if (!request || !files) {
    setString(message, "tessera_link: a null argument");
    return TESSERA_USAGE_ERROR;
  }
  *files = nullptr;
  llvm::Expected<LinkedSources> linked = linkFrom(request);
  if (!linked) {
    setString(message, llvm::toString(linked.takeError()));
    return TESSERA_PROGRAM_ERROR;
  }
  llvm::json::Object result{{"header", linked->header}, {"source", linked->source}};
  setString(files, llvm::formatv("{0}", llvm::json::Value(std::move(result))).str());
  return TESSERA_DONE;
}
