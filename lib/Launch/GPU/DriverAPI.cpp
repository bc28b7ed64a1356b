//===- DriverAPI.cpp - opening a GPU's driver -----------------------------===//
#include "DriverAPI.h"
#include "tessera/Support/Error.h"

namespace tessera::gpu {

llvm::Expected<std::shared_ptr<const DriverAPI>> DriverAPI::open(const DriverFace &face,
                                                                 const std::string &library) {
  const char *problem = nullptr;
  void *handle = face.open(library.c_str(), problem);
  if (!handle)
    return makeError(llvm::Twine("no ") + face.label + " on this machine (" + problem + "); " +
                     face.source + ". The device cpu needs none");
  std::shared_ptr<DriverAPI> api(new DriverAPI(face));
  if (const char *missing = api->findFunctions(handle))
    return makeError(llvm::Twine("the ") + face.label + " " + library + " has no " + missing +
                     "; " + face.needed);
  Result result = api->init(0);
  if (result == kNoDevice)
    return makeError(llvm::Twine("the ") + face.label +
                     " finds no GPU on this machine. The device cpu needs none");
  if (llvm::Error error =
          api->check(result, Call::init, llvm::Twine("the ") + face.label + " does not start"))
    return error;
  if (face.leastVersion == 0)
    return api;
  int version = 0;
  if (llvm::Error error = api->check(api->driverGetVersion(&version), Call::driverGetVersion))
    return error;
  if (version < face.leastVersion)
    return makeError(llvm::Twine("the ") + face.label + " has version " + llvm::Twine(version) +
                     "; " + face.needed);
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

llvm::Error DriverAPI::failure(Result result, Call call, const llvm::Twine &context) const {
  std::string about = context.str();
  return makeError(llvm::StringRef(nameOf(call)) + " failed: " + describe(result) +
                   (about.empty() ? "" : "; ") + about);
}

} // namespace tessera::gpu
