//===- CAPI.cpp - the C interface over Session and Device -----------------===//
// Thin: converts strings in, errors out. Null pointers are usage errors.
//===----------------------------------------------------------------------===//
#include "tessera.h"
#include "tessera/Driver/Session.h"
#include "tessera/Launch/Device.h"
#include "tessera/Support/Error.h"
#include "tessera/Support/ThreadPool.h"
#include "tessera/Support/Version.h"
#include "llvm/ADT/StringExtras.h"
#include <cstdlib>
#include <cstring>

using namespace tessera;

struct tessera_session {
  SessionOptions options;
  std::shared_ptr<ContextPool> contexts = std::make_shared<ContextPool>();
};
struct tessera_kernel {
  CompiledKernel compiled;
  std::string metadata;
  std::vector<StageReport> stages;
};
struct tessera_device {
  std::unique_ptr<Device> device;
};
struct tessera_loaded_kernel {
  Device *device;
  std::unique_ptr<LoadedKernel> kernel;
  size_t argumentCount = kernel->metadata().passedArguments().size(); // counting allocates
};

static void setMessage(char **message, llvm::StringRef text) {
  if (!message)
    return;
  *message = static_cast<char *>(std::malloc(text.size() + 1));
  if (!*message)
    return;
  std::memcpy(*message, text.data(), text.size());
  (*message)[text.size()] = 0;
}

static tessera_status fail(char **message, llvm::Error error, tessera_status status) {
  setMessage(message, llvm::toString(std::move(error)));
  return status;
}

static tessera_status misuse(char **message, const llvm::Twine &text) {
  setMessage(message, text.str());
  return TESSERA_USAGE_ERROR;
}

const char *tessera_version(void) { return getVersion().data(); }
void tessera_string_free(char *text) { std::free(text); }

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

tessera_session *tessera_session_create(void) { return new tessera_session(); }
void tessera_session_free(tessera_session *session) { delete session; }

tessera_status tessera_session_set(tessera_session *session, const char *name, const char *value,
                                   char **message) {
  if (!session || !name || !value)
    return misuse(message, "tessera_session_set: a null argument");
  llvm::StringRef key = name;
  if (key == "ptxas")
    session->options.tools.ptxas = value;
  else if (key == "disassembler")
    session->options.tools.disassembler = value;
  else if (key == "libdevice")
    session->options.tools.libdevice = value;
  else if (key == "cache-dir")
    session->options.cacheFolder = value;
  else if (llvm::Error error = setOption(session->options.debug, key, value))
    return fail(message, std::move(error), TESSERA_USAGE_ERROR);
  return TESSERA_DONE;
}

static std::vector<std::string> splitList(const char *text) {
  std::vector<std::string> parts;
  for (llvm::StringRef part : llvm::split(llvm::StringRef(text ? text : ""), ','))
    if (!part.trim().empty())
      parts.push_back(part.trim().str());
  return parts;
}

static llvm::Expected<CompileRequest> readRequest(const tessera_compile_request &from) {
  CompileRequest request;
  if (from.size < sizeof(tessera_compile_request))
    return makeError("tessera_compile: request.size is smaller than this version's struct");
  if (!from.path)
    return makeError("tessera_compile: request.path is null");
  request.path = from.path;
  if (from.text)
    request.text = from.text;
  request.kernelName = from.kernel_name ? from.kernel_name : "";
  request.signature = from.signature ? from.signature : "";
  if (from.target)
    request.target = from.target;
  for (const std::string &option : splitList(from.options)) {
    auto [flag, value] = llvm::StringRef(option).split('=');
    if (llvm::Error error = setOption(request.options, flag.trim(), value.trim()))
      return error;
  }
  if (llvm::Error error = checkOptions(request.options))
    return error;
  request.outputs = splitList(from.outputs);
  return request;
}

tessera_status tessera_compile(tessera_session *session, const tessera_compile_request *request,
                               tessera_kernel **kernel, char **message) {
  if (!session || !request || !kernel)
    return misuse(message, "tessera_compile: a null argument");
  *kernel = nullptr;
  llvm::Expected<CompileRequest> converted = readRequest(*request);
  if (!converted)
    return fail(message, converted.takeError(), TESSERA_USAGE_ERROR);
  DiagnosticEngine diagnostics;
  std::optional<CompileResult> result =
      Session(session->options, session->contexts).compile(*converted, diagnostics);
  if (!result) {
    setMessage(message, diagnostics.render());
    return static_cast<tessera_status>(exitStatus(diagnostics));
  }
  auto *made = new tessera_kernel{std::move(result->kernel), "", std::move(result->stages)};
  made->metadata = made->compiled.metadata.toText();
  *kernel = made;
  return TESSERA_DONE;
}

void tessera_kernel_free(tessera_kernel *kernel) { delete kernel; }

const char *tessera_kernel_metadata(const tessera_kernel *kernel) {
  return kernel ? kernel->metadata.c_str() : nullptr;
}

const void *tessera_kernel_artifact(const tessera_kernel *kernel, const char *extension,
                                    size_t *size) {
  const std::string *artifact = kernel && extension ? kernel->compiled.find(extension) : nullptr;
  if (size)
    *size = artifact ? artifact->size() : 0;
  return artifact ? artifact->data() : nullptr;
}

double tessera_kernel_stage_seconds(const tessera_kernel *kernel, const char *stage) {
  if (kernel && stage)
    for (const StageReport &report : kernel->stages)
      if (report.name == stage)
        return report.seconds;
  return -1;
}

//===----------------------------------------------------------------------===//
// Launching
//===----------------------------------------------------------------------===//

/// "threads=4"
static llvm::Expected<DeviceOptions> readDeviceOptions(const char *text) {
  DeviceOptions options;
  for (const std::string &option : splitList(text)) {
    auto [name, value] = llvm::StringRef(option).split('=');
    unsigned threads = 0;
    if (name.trim() != "threads")
      return makeError("unknown device option '" + name.trim() + "': there is threads=N");
    if (value.trim().getAsInteger(10, threads) || threads < 1 || threads > 1024)
      return makeError("threads is a number from 1 to 1024, not '" + value.trim() + "'");
    options.threads = std::make_shared<ThreadPool>(threads);
  }
  return options;
}

tessera_status tessera_device_open_with(const char *name, const char *options,
                                        tessera_device **device, char **message) {
  if (!name || !device)
    return misuse(message, "tessera_device_open: a null argument");
  *device = nullptr;
  llvm::Expected<DeviceOptions> read = readDeviceOptions(options);
  if (!read)
    return fail(message, read.takeError(), TESSERA_USAGE_ERROR);
  llvm::Expected<std::unique_ptr<Device>> opened = createDevice(name, *read);
  if (!opened)
    return fail(message, opened.takeError(), TESSERA_UNSUPPORTED);
  *device = new tessera_device{std::move(*opened)};
  return TESSERA_DONE;
}

tessera_status tessera_device_open(const char *name, tessera_device **device, char **message) {
  return tessera_device_open_with(name, nullptr, device, message);
}

void tessera_device_free(tessera_device *device) { delete device; }

const char *tessera_device_target(const tessera_device *device) {
  return device ? device->device->properties().target.c_str() : nullptr;
}

tessera_status tessera_load(tessera_device *device, const tessera_kernel *kernel,
                            tessera_loaded_kernel **loaded, char **message) {
  if (!device || !kernel || !loaded)
    return misuse(message, "tessera_load: a null argument");
  *loaded = nullptr;
  llvm::Expected<std::unique_ptr<LoadedKernel>> ready = device->device->load(kernel->compiled);
  if (!ready)
    return fail(message, ready.takeError(), TESSERA_UNSUPPORTED);
  *loaded = new tessera_loaded_kernel{device->device.get(), std::move(*ready)};
  return TESSERA_DONE;
}

void tessera_loaded_kernel_free(tessera_loaded_kernel *loaded) { delete loaded; }

tessera_status tessera_launch(tessera_loaded_kernel *loaded, uint32_t gridX, uint32_t gridY,
                              uint32_t gridZ, void **arguments, size_t count, void *stream,
                              char **message) {
  if (!loaded || (count && !arguments))
    return misuse(message, "tessera_launch: a null argument");
  if (count != loaded->argumentCount)
    return misuse(message, "tessera_launch: '" + loaded->kernel->metadata().kernelName +
                               "' takes " + llvm::Twine(loaded->argumentCount) +
                               " arguments, not " + llvm::Twine(count));
  LaunchOptions options;
  options.stream = stream;
  if (llvm::Error error = loaded->device->launch(*loaded->kernel, Grid{gridX, gridY, gridZ},
                                                 llvm::ArrayRef<void *>(arguments, count), options))
    return fail(message, std::move(error), TESSERA_PROGRAM_ERROR);
  return TESSERA_DONE;
}

tessera_status tessera_synchronize(tessera_device *device, char **message) {
  if (!device)
    return misuse(message, "tessera_synchronize: a null argument");
  if (llvm::Error error = device->device->synchronize())
    return fail(message, std::move(error), TESSERA_PROGRAM_ERROR);
  return TESSERA_DONE;
}
