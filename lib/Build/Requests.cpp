//===- Requests.cpp - the compilation that a row of a manifest asks for ---===//
// A kernel of a .py file is compiled by its name and signature. A recorded kernel is a
// program (docs/program.md), in which a row replaces the arguments.
//===----------------------------------------------------------------------===//
#include "Manifest.h"
#include "tessera/Binary/PackKey.h"
#include "tessera/Support/Error.h"
#include "tessera/Support/Files.h"
#include "tessera/Support/Json.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tessera;
using namespace tessera::build;
namespace json = llvm::json;

static llvm::Expected<json::Array> argumentsOf(const ManifestVariant &variant) {
  if (variant.arguments.empty())
    return argumentsOfSignature(variant.signature);
  llvm::Expected<json::Value> parsed = parseJson(variant.arguments);
  if (!parsed)
    return parsed.takeError();
  json::Array *array = parsed->getAsArray();
  if (!array)
    return makeError("'arguments' is a JSON array (docs/program.md)");
  return std::move(*array);
}

static llvm::Expected<std::string> programOf(const ManifestKernel &kernel,
                                             const ManifestVariant &variant) {
  llvm::Expected<std::string> text = readFile(kernel.file);
  if (!text)
    return text.takeError();
  llvm::Expected<json::Value> parsed = parseJson(*text);
  if (!parsed)
    return makeError("'" + kernel.file + "': " + llvm::toString(parsed.takeError()));
  json::Object *program = parsed->getAsObject();
  if (!program || !program->getArray("functions"))
    return makeError("'" + kernel.file + "' is no program that `tessera record` wrote");
  llvm::Expected<json::Array> arguments = argumentsOf(variant);
  if (!arguments)
    return arguments.takeError();
  (*program)["arguments"] = std::move(*arguments);
  return llvm::formatv("{0}", *parsed).str();
}

llvm::Expected<CompileRequest> build::requestFor(const ManifestKernel &kernel, size_t variant,
                                                 llvm::StringRef target) {
  const ManifestVariant &own = kernel.variants[variant];
  CompileRequest request;
  request.path = kernel.file;
  request.target = target.str();
  request.options = optionsFor(own, target);
  if (!kernel.isRecorded()) {
    request.kernelName = kernel.name;
    request.signature = own.signature;
    return request;
  }
  llvm::Expected<std::string> program = programOf(kernel, own);
  if (!program)
    return program.takeError();
  // Where the manifest lies is no part of the kernel's key: the program has the paths that count.
  request.path = "kernel.program";
  request.text = std::move(*program);
  return request;
}

void build::makePortable(CompileRequest &request, const ManifestVariant &variant) {
  auto isProcessor = [](const ManifestOption &option) { return option.flag == "mcpu"; };
  if (llvm::none_of(variant.options, isProcessor))
    llvm::consumeError(setOption(request.options, "mcpu", "portable"));
}
