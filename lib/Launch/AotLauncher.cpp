//===- AotLauncher.cpp - a kernel as a C source file ----------------------===//
// Chooses the device's writer, and names variants.
//===----------------------------------------------------------------------===//
#include "tessera/Launch/AotLauncher.h"
#include "AotLaunchers.h"
#include "tessera/Support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SHA256.h"

using namespace tessera;

static std::string hexDigest(llvm::StringRef text, unsigned digits) {
  auto bytes = llvm::SHA256::hash(llvm::arrayRefFromStringRef(text));
  return llvm::toHex(bytes, /*LowerCase=*/true).substr(0, digits);
}

unsigned aot::numStagesOf(const KernelRecord &record) {
  unsigned numStages = CompileOptions().numStages;
  record.option("num-stages").getAsInteger(10, numStages);
  return numStages;
}

std::string tessera::chipToken(llvm::StringRef target) {
  std::string token;
  for (char c : target)
    if (llvm::isAlnum(c))
      token += c;
  return token;
}

std::string tessera::aotVariant(llvm::ArrayRef<std::string> signature, const KernelRecord &record) {
  std::string hashed, suffix;
  for (auto [index, entry] : llvm::enumerate(signature)) {
    hashed += entry + " ";
    suffix += std::to_string(index);
    llvm::StringRef hint = llvm::StringRef(entry).split(':').second;
    suffix += hint == "1" ? "c" : hint == "16" ? "d" : "";
  }
  hashed += llvm::formatv("warps{0}xstages{1}", record.numWarps, aot::numStagesOf(record));
  return chipToken(record.target) + "x" + hexDigest(hashed, 8) + "_" + suffix;
}

llvm::Expected<AotSources> tessera::writeAotSources(const CompiledKernel &kernel,
                                                    const AotRequest &request,
                                                    llvm::StringRef headerName) {
  for (const KernelArgument &argument : kernel.record.arguments)
    if (argument.isTensorMap())
      return makeError(
          "no C launcher can pass argument '" + argument.name + "' of '" +
          kernel.record.kernelName +
          "', a tensor map; launch the binary with cuLaunchKernel, as docs/abi.md says");
  if (kernel.find("obj"))
    return aot::writeHostSources(kernel.record, request, headerName);
  return aot::writeGPUSources(kernel, request, headerName);
}
