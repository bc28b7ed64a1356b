//===- DriverAPI.cpp - opening the CUDA driver ----------------------------===//
#include "DriverAPI.h"
#include "tessera/Support/Error.h"
#include <dlfcn.h>

namespace tessera::cuda {

llvm::Expected<std::shared_ptr<const DriverAPI>> DriverAPI::open(const std::string &library) {
  std::shared_ptr<DriverAPI> api(new DriverAPI);
  api->handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!api->handle) {
    const char *why = ::dlerror();
    return makeError("no CUDA driver on this machine (" + llvm::Twine(why ? why : library.c_str()) +
                     "); it comes with NVIDIA's display driver. The device cpu needs none");
  }
  std::string missing;
#define TESSERA_FIND(name, parameters)                                                             \
  api->name = reinterpret_cast<Result(*) parameters>(::dlsym(api->handle, #name));                 \
  if (!api->name && missing.empty())                                                               \
    missing = #name;
  TESSERA_CUDA_FUNCTIONS(TESSERA_FIND)
#undef TESSERA_FIND
#define TESSERA_FIND(name, parameters)                                                             \
  api->name = reinterpret_cast<Result(*) parameters>(::dlsym(api->handle, #name));
  TESSERA_CUDA_OPTIONAL_FUNCTIONS(TESSERA_FIND)
#undef TESSERA_FIND
  if (!missing.empty())
    return makeError("the CUDA driver " + library + " has no " + missing +
                     "; a driver of CUDA 11 or later is needed");
  Result result = api->cuInit(0);
  if (result == kNoDevice)
    return makeError("the CUDA driver finds no GPU on this machine. The device cpu needs none");
  if (llvm::Error error = api->check(result, "cuInit", "the CUDA driver does not start"))
    return error;
  return api;
}

/// The library stays open once it is initialised: its own threads and exit
/// handlers do not survive being unmapped.
DriverAPI::~DriverAPI() = default;

std::string DriverAPI::describe(Result result) const {
  const char *name = nullptr, *text = nullptr;
  if (cuGetErrorName(result, &name) != kSuccess || !name)
    return "error " + std::to_string(result);
  if (cuGetErrorString(result, &text) != kSuccess || !text)
    return name;
  return std::string(name) + " (" + text + ")";
}

llvm::Error DriverAPI::failure(Result result, llvm::StringRef function,
                               const llvm::Twine &context) const {
  std::string about = context.str();
  function.consume_back("_v2");
  return makeError(function + " failed: " + describe(result) + (about.empty() ? "" : "; ") + about);
}

} // namespace tessera::cuda
