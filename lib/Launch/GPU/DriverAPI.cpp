//===- DriverAPI.cpp - opening a GPU's driver -----------------------------===//
#include "DriverAPI.h"
#include "tessera/Support/Error.h"
#include <dlfcn.h>

namespace tessera::gpu {

/// Sets the members whose functions the library has.
llvm::Error DriverAPI::findFunctions(void *handle, const std::string &library) {
  for (const DriverSymbol &symbol : face.symbols) {
    void *found = ::dlsym(handle, symbol.name);
    if (!found && !symbol.isOptional)
      return makeError("the " + face.label + " " + library + " has no " + symbol.name + "; " +
                       face.needed);
    switch (symbol.call) {
#define TESSERA_SET(name, parameters)                                                              \
  case Call::name:                                                                                 \
    name = reinterpret_cast<Result(*) parameters>(found);                                          \
    break;
      TESSERA_DRIVER_FUNCTIONS(TESSERA_SET)
#undef TESSERA_SET
    }
  }
  return llvm::Error::success();
}

llvm::Expected<std::shared_ptr<const DriverAPI>> DriverAPI::open(const DriverFace &face,
                                                                 const std::string &library) {
  std::string problem;
  void *handle = face.open(library, problem);
  if (!handle)
    return makeError("no " + face.label + " on this machine (" + problem + "); " + face.source +
                     ". The device cpu needs none");
  std::shared_ptr<DriverAPI> api(new DriverAPI(face));
  if (llvm::Error error = api->findFunctions(handle, library))
    return error;
  Result result = api->init(0);
  if (result == kNoDevice)
    return makeError("the " + face.label +
                     " finds no GPU on this machine. The device cpu needs none");
  if (llvm::Error error = api->check(result, Call::init, "the " + face.label + " does not start"))
    return error;
  if (face.leastVersion == 0)
    return api;
  int version = 0;
  if (llvm::Error error = api->check(api->driverGetVersion(&version), Call::driverGetVersion))
    return error;
  if (version < face.leastVersion)
    return makeError("the " + face.label + " has version " + llvm::Twine(version) + "; " +
                     face.needed);
  return api;
}

/// The library stays open once it is initialised: its own threads and exit
/// handlers do not survive being unmapped.
DriverAPI::~DriverAPI() = default;

std::string DriverAPI::describe(Result result) const {
  const char *name = nullptr, *text = nullptr;
  if (getErrorName(result, &name) != kSuccess || !name)
    return "error " + std::to_string(result);
  if (getErrorString(result, &text) != kSuccess || !text)
    return name;
  return std::string(name) + " (" + text + ")";
}

llvm::StringRef DriverAPI::nameOf(Call call) const {
  for (const DriverSymbol &symbol : face.symbols)
    if (symbol.call == call) {
      llvm::StringRef name = symbol.name;
      name.consume_back("_v2");
      return name;
    }
  return "the driver";
}

llvm::Error DriverAPI::failure(Result result, Call call, const llvm::Twine &context) const {
  std::string about = context.str();
  return makeError(nameOf(call) + " failed: " + describe(result) + (about.empty() ? "" : "; ") +
                   about);
}

} // namespace tessera::gpu
