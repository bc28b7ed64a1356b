//===- Sanitize.cpp - tessera run --sanitize ------------------------------===//
// See Sanitize.h.
//===----------------------------------------------------------------------===//
#include "Sanitize.h"
#include "Edge.h"
#include "tessera/Driver/SanitizerText.h"
#include "tessera/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

using namespace tessera;
using namespace tessera::cli;

std::unique_ptr<Sanitizer> cli::watchArguments(llvm::ArrayRef<HostArgument> arguments) {
  std::vector<SanitizedArgument> watched;
  for (const HostArgument &argument : arguments) {
    SanitizedArgument entry;
    entry.name = argument.name;
    entry.type = argument.type.scalar.name().str();
    entry.isPointer = argument.type.isPointer();
    entry.elementBytes = argument.type.scalar.bytesInMemory();
    if (entry.isPointer) {
      entry.address = reinterpret_cast<uint64_t>(argument.array.buffer.data());
      entry.bytes = argument.array.bytes();
      entry.shape.assign(argument.array.shape.begin(), argument.array.shape.end());
      entry.isInitialized = argument.isInitialized;
    }
    watched.push_back(std::move(entry));
  }
  return std::make_unique<Sanitizer>(std::move(watched));
}

llvm::Error cli::printReports(const Sanitizer &sanitizer, llvm::StringRef kernelName) {
  std::vector<SanitizerReport> reports = sanitizer.reports();
  if (reports.empty())
    return llvm::Error::success();
  llvm::outs().flush(); // what went before comes first
  RenderOptions options;
  options.color = !palette(stderr).reset.empty();
  options.noteExcerpts = true;
  std::fputs(renderReports(reports, options).c_str(), stderr);
  size_t count = reports.size();
  return makeError("--sanitize found " + llvm::Twine(count) +
                   (count == 1 ? " mistake in '" : " mistakes in '") + kernelName + "'");
}
