//===- CAPI.cpp - the C interface over Session and Device -----------------===//
// Thin: converts strings in, errors out. Null pointers are usage errors.
//===----------------------------------------------------------------------===//
#include "Strings.h"
#include "tessera.h"
#include "tessera/Binary/CacheStore.h"
#include "tessera/Binary/KeptKernel.h"
#include "tessera/Driver/DefaultSession.h"
#include "tessera/Driver/Outline.h"
#include "tessera/Driver/Report.h"
#include "tessera/Driver/SanitizerText.h"
#include "tessera/Driver/Session.h"
#include "tessera/Explain/Json.h"
#include "tessera/Explain/Page.h"
#include "tessera/Launch/AotLauncher.h"
#include "tessera/Launch/ArgumentSpec.h"
#include "tessera/Launch/Device.h"
#include "tessera/Support/Error.h"
#include "tessera/Support/Json.h"
#include "tessera/Support/Subprocess.h"
#include "tessera/Support/ThreadPool.h"
#include "tessera/Support/Version.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <mutex>

using namespace tessera;

struct tessera_session {
  Session session = Session(SessionOptions());
  SessionOptions &options = session.settings();
};
struct tessera_kernel {
  KeptKernel compiled;
  std::vector<StageReport> stages;
  std::string key;
  bool isCached;
  /// Written when somebody asks: a launch needs no text.
  mutable std::string metadata = {};
  mutable std::once_flag isMetadataWritten = {};
};
struct tessera_device {
  std::unique_ptr<Device> device;
};
struct tessera_loaded_kernel {
  Device *device;
  std::unique_ptr<LoadedKernel> kernel;
  size_t argumentCount = kernel->record.passedArguments().size(); // counting allocates
};

/// The argumentCount of a binary whose parameters nobody said.
static constexpr size_t kUnknownParameters = ~size_t(0);

static void setMessage(char **message, llvm::StringRef text) { setString(message, text); }

// Cold, so that what a launch does lies together.
[[gnu::cold]] static tessera_status fail(char **message, llvm::Error error, tessera_status status) {
  setMessage(message, llvm::toString(std::move(error)));
  return status;
}

[[gnu::cold]] static tessera_status misuse(char **message, const llvm::Twine &text) {
  setMessage(message, text.str());
  return TESSERA_USAGE_ERROR;
}

const char *tessera_version(void) { return getVersion().data(); }
void tessera_string_free(char *text) { std::free(text); }

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

tessera_session *tessera_session_create(void) {
  auto *session = new tessera_session();
  // Now, as nobody but the caller knows when other threads change the environment.
  session->options.tools.environment =
      std::make_shared<const std::vector<std::string>>(currentEnvironment());
  llvm::SmallString<128> folder;
  llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, folder);
  session->options.tools.temporaryFolder = folder.str().str();
  return session;
}
void tessera_session_free(tessera_session *session) { delete session; }

tessera_status tessera_session_set(tessera_session *session, const char *name, const char *value,
                                   char **message) {
  if (!session || !name || !value)
    return misuse(message, "tessera_session_set: a null argument");
  llvm::StringRef key = name;
  if (llvm::any_of(listTools(), [&](const ToolRole &role) { return role.name == key; }))
    session->options.tools.paths[name] = value;
  else if (key == "cache-dir")
    session->options.cacheFolder = value;
  else if (key == "cache-trust")
    session->options.cacheTrust =
        llvm::StringRef(value) == "all" ? CacheTrust::AllUsers : CacheTrust::ThisUser;
  else if (key == "reproducer-dir")
    session->options.reproducerFolder = value;
  else if (key == "always-compile")
    session->options.alwaysCompile = llvm::StringRef(value) == "true";
  else if (isStoreOption(key)) {
    if (llvm::Error error = setStoreOption(session->options, key, value))
      return fail(message, std::move(error), TESSERA_USAGE_ERROR);
  } else if (llvm::Error error = setOption(session->options.debug, key, value))
    return fail(message, std::move(error), TESSERA_USAGE_ERROR);
  return TESSERA_DONE;
}

tessera_status tessera_session_choices(const tessera_session *session, const char *kernel,
                                       char **choices, char **message) {
  if (!session || !kernel || !choices)
    return misuse(message, "tessera_session_choices: a null argument");
  llvm::Expected<std::string> text = packedChoices(session->options, kernel);
  if (!text)
    return fail(message, text.takeError(), TESSERA_PROGRAM_ERROR);
  setString(choices, *text);
  return TESSERA_DONE;
}

tessera_status tessera_session_fetch(const tessera_session *session, const char *name, void **bytes,
                                     size_t *size) {
  if (!session || !name || !bytes || !size)
    return TESSERA_USAGE_ERROR;
  *bytes = nullptr;
  *size = 0;
  std::optional<std::string> blob =
      session->options.cacheServer ? session->options.cacheServer->get(name) : std::nullopt;
  void *copy = blob ? std::malloc(blob->size() + 1) : nullptr;
  if (!copy)
    return TESSERA_UNSUPPORTED;
  std::memcpy(copy, blob->data(), blob->size());
  *bytes = copy;
  *size = blob->size();
  return TESSERA_DONE;
}

tessera_status tessera_session_share(const tessera_session *session, const char *name,
                                     const void *bytes, size_t size) {
  if (!session || !name || (!bytes && size))
    return TESSERA_USAGE_ERROR;
  llvm::StringRef blob(static_cast<const char *>(bytes), size);
  bool isKept = session->options.cacheServer && session->options.cacheServer->put(name, blob);
  return isKept ? TESSERA_DONE : TESSERA_UNSUPPORTED;
}

void tessera_session_watch(tessera_session *session,
                           int (*watch)(void *data, const char *work, double seconds), void *data) {
  if (!session)
    return;
  session->options.tools.watch = nullptr;
  if (watch)
    session->options.tools.watch = [=](const std::string &work, double seconds) {
      return watch(data, work.c_str(), seconds) == 0;
    };
}

static std::vector<std::string> splitList(const char *text) {
  std::vector<std::string> parts;
  for (llvm::StringRef part : llvm::split(llvm::StringRef(text ? text : ""), ','))
    if (!part.trim().empty())
      parts.push_back(part.trim().str());
  return parts;
}

/// A value of a JSON object of options, as setOption reads it.
static std::string optionText(const llvm::json::Value &value) {
  if (std::optional<llvm::StringRef> text = value.getAsString())
    return text->str();
  return llvm::formatv("{0}", value);
}

/// "num-warps=8,num-stages=2", or a JSON object, whose values may hold commas.
static llvm::Error readOptions(const char *text, CompileOptions &options) {
  if (!text || llvm::StringRef(text).ltrim().empty())
    return llvm::Error::success();
  if (llvm::StringRef(text).ltrim().front() == '{') {
    llvm::Expected<llvm::json::Value> parsed = parseJson(text);
    if (!parsed)
      return parsed.takeError();
    for (const auto &[flag, value] : *parsed->getAsObject())
      if (llvm::Error error = setOption(options, flag, optionText(value)))
        return error;
    return checkOptions(options);
  }
  for (const std::string &option : splitList(text)) {
    auto [flag, value] = llvm::StringRef(option).split('=');
    if (llvm::Error error = setOption(options, flag.trim(), value.trim()))
      return error;
  }
  return checkOptions(options);
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
  if (llvm::Error error = readOptions(from.options, request.options))
    return error;
  request.outputs = splitList(from.outputs);
  return request;
}

/// The file name of a program. A program names the files of its functions itself; this name is part
/// of its cache key.
static constexpr llvm::StringLiteral kProgramPath = "kernel.program";

static tessera_kernel *makeKernel(CompileResult result) {
  return new tessera_kernel{KeptKernel(std::move(result.kernel)), std::move(result.stages),
                            std::move(result.key), result.fromCache};
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
  std::optional<CompileResult> result = session->session.compile(*converted, diagnostics);
  if (!result) {
    setMessage(message, diagnostics.render());
    return static_cast<tessera_status>(exitStatus(diagnostics));
  }
  *kernel = makeKernel(std::move(*result));
  return TESSERA_DONE;
}

/// Ends a call that is wrong itself with a report about that.
static tessera_status reportMisuse(char **report, llvm::Error error) {
  DiagnosticEngine diagnostics;
  reportError(diagnostics, "", std::move(error));
  setMessage(report, writeReport(diagnostics));
  return TESSERA_USAGE_ERROR;
}

/// Compiles, and writes a report if there is anything to tell.
static tessera_status compileAndReport(const tessera_session &session,
                                       const CompileRequest &request, tessera_kernel **kernel,
                                       char **report) {
  DiagnosticEngine diagnostics;
  std::vector<std::string> questions;
  std::optional<CompileResult> result = session.session.compile(request, diagnostics, &questions);
  if (!result || !diagnostics.diagnostics().empty())
    setMessage(report, writeReport(diagnostics, questions));
  if (!result)
    return questions.empty() ? static_cast<tessera_status>(exitStatus(diagnostics))
                             : TESSERA_QUESTIONS;
  *kernel = makeKernel(std::move(*result));
  return TESSERA_DONE;
}

tessera_status tessera_compile_with_report(tessera_session *session,
                                           const tessera_compile_request *request,
                                           tessera_kernel **kernel, char **report) {
  if (report)
    *report = nullptr;
  if (!session || !request || !kernel)
    return reportMisuse(report, makeError("tessera_compile_with_report: a null argument"));
  *kernel = nullptr;
  llvm::Expected<CompileRequest> converted = readRequest(*request);
  if (!converted)
    return reportMisuse(report, converted.takeError());
  return compileAndReport(*session, *converted, kernel, report);
}

tessera_status tessera_compile_program(tessera_session *session, const char *program,
                                       const char *target, const char *options, const char *outputs,
                                       tessera_kernel **kernel, char **report) {
  if (report)
    *report = nullptr;
  if (!session || !program || !target || !kernel)
    return reportMisuse(report, makeError("tessera_compile_program: a null argument"));
  *kernel = nullptr;
  CompileRequest request;
  request.path = kProgramPath.str();
  request.text = program;
  request.target = target;
  request.outputs = splitList(outputs);
  if (llvm::Error error = readOptions(options, request.options))
    return reportMisuse(report, std::move(error));
  return compileAndReport(*session, request, kernel, report);
}

tessera_status tessera_explain(tessera_session *session, const tessera_compile_request *request,
                               char **report, char **message) {
  if (!session || !request || !report)
    return misuse(message, "tessera_explain: a null argument");
  *report = nullptr;
  llvm::Expected<CompileRequest> converted = readRequest(*request);
  if (!converted)
    return fail(message, converted.takeError(), TESSERA_USAGE_ERROR);
  Explanation explanation =
      explainKernel(session->session, std::move(*converted), /*forPeople=*/true);
  setMessage(report, writeExplanations(explanation));
  return static_cast<tessera_status>(explanation.status);
}

tessera_status tessera_explain_page(const char *report, char **page, char **message) {
  if (!report || !page)
    return misuse(message, "tessera_explain_page: a null argument");
  setMessage(page, writePage(report));
  return TESSERA_DONE;
}

tessera_status tessera_program_references(const char *text, const char *path, unsigned line,
                                          char **references, char **message) {
  if (!text || !path || !references)
    return misuse(message, "tessera_program_references: a null argument");
  *references = nullptr;
  llvm::Expected<std::vector<std::string>> found = readReferences(text, path, line);
  if (!found)
    return fail(message, found.takeError(), TESSERA_PROGRAM_ERROR);
  llvm::json::Array paths;
  for (std::string &name : *found)
    if (llvm::json::isUTF8(name))
      paths.push_back(std::move(name));
  setMessage(references, llvm::formatv("{0}", llvm::json::Value(std::move(paths))).str());
  return TESSERA_DONE;
}

tessera_status tessera_module_outline(const char *text, const char *path, char **outline,
                                      char **message) {
  if (!text || !path || !outline)
    return misuse(message, "tessera_module_outline: a null argument");
  *outline = nullptr;
  llvm::Expected<std::string> found = outlineModule(text, path);
  if (!found)
    return fail(message, found.takeError(), TESSERA_PROGRAM_ERROR);
  setMessage(outline, *found);
  return TESSERA_DONE;
}

const char *tessera_kernel_key(const tessera_kernel *kernel) {
  return kernel ? kernel->key.c_str() : nullptr;
}

int tessera_kernel_is_cached(const tessera_kernel *kernel) { return kernel && kernel->isCached; }

tessera_status tessera_program_key(tessera_session *session, const char *program,
                                   const char *target, const char *options, char **key,
                                   char **message) {
  if (!session || !program || !target || !key)
    return misuse(message, "tessera_program_key: a null argument");
  *key = nullptr;
  CompileRequest request;
  request.path = kProgramPath.str();
  request.text = program;
  request.target = target;
  if (llvm::Error error = readOptions(options, request.options))
    return fail(message, std::move(error), TESSERA_USAGE_ERROR);
  DiagnosticEngine diagnostics;
  std::optional<std::string> found = session->session.keyOf(request, diagnostics);
  if (!found) {
    setMessage(message, diagnostics.render());
    return static_cast<tessera_status>(exitStatus(diagnostics));
  }
  setMessage(key, *found);
  return TESSERA_DONE;
}

void *tessera_kernel_pack(const tessera_kernel *kernel, size_t *size) {
  if (!kernel || !size)
    return nullptr;
  const CompiledKernel *compiled = kernel->compiled.keep();
  if (!compiled)
    return nullptr;
  std::string bytes = encodeCacheEntry(kernel->key, *compiled);
  void *copy = std::malloc(bytes.size());
  if (copy)
    std::memcpy(copy, bytes.data(), bytes.size());
  *size = copy ? bytes.size() : 0;
  return copy;
}

tessera_status tessera_kernel_unpack(const char *key, const void *bytes, size_t size,
                                     tessera_kernel **kernel, char **message) {
  if (!key || !bytes || !kernel)
    return misuse(message, "tessera_kernel_unpack: a null argument");
  *kernel = nullptr;
  llvm::Expected<CompiledKernel> compiled =
      decodeCacheEntry(key, llvm::StringRef(static_cast<const char *>(bytes), size));
  if (!compiled)
    return fail(message, compiled.takeError(), TESSERA_USAGE_ERROR);
  CompileResult result;
  result.kernel = std::move(*compiled);
  result.key = key;
  result.fromCache = true;
  *kernel = makeKernel(std::move(result));
  return TESSERA_DONE;
}

void tessera_kernel_free(tessera_kernel *kernel) { delete kernel; }

const char *tessera_kernel_metadata(const tessera_kernel *kernel) {
  if (!kernel)
    return nullptr;
  if (const CompiledKernel *compiled = kernel->compiled.keep();
      compiled && !compiled->recordText.empty())
    return compiled->recordText.c_str();
  std::call_once(kernel->isMetadataWritten,
                 [kernel] { kernel->metadata = kernel->compiled.record().toText(); });
  return kernel->metadata.c_str();
}

const char *tessera_kernel_name(const tessera_kernel *kernel) {
  return kernel ? kernel->compiled.record().kernelName.c_str() : nullptr;
}

int tessera_kernel_argument(const tessera_kernel *kernel, size_t number, const char **name,
                            const char **type, int *isReadOnly) {
  if (!kernel || !name || !type || !isReadOnly)
    return 0;
  for (const KernelArgument &argument : kernel->compiled.record().arguments) {
    if (!argument.isPassed() || number-- != 0)
      continue;
    *name = argument.name.c_str();
    *type = argument.type.c_str();
    *isReadOnly = argument.isReadOnly;
    return 1;
  }
  return 0;
}

int64_t tessera_kernel_number(const tessera_kernel *kernel, const char *field) {
  if (!kernel || !field)
    return -1;
  const KernelRecord &record = kernel->compiled.record();
  return llvm::StringSwitch<int64_t>(field)
      .Case("global_scratch_bytes", int64_t(record.globalScratch.bytes))
      .Case("global_scratch_align", int64_t(record.globalScratch.align))
      .Case("num_ctas", record.numCTAs)
      .Case("shared", record.sharedBytes)
      .Case("tensor_maps", int64_t(record.tensorMaps.size()))
      .Default(-1);
}

const void *tessera_kernel_artifact(const tessera_kernel *kernel, const char *extension,
                                    size_t *size) {
  const CompiledKernel *compiled = kernel && extension ? kernel->compiled.keep() : nullptr;
  const std::string *artifact = compiled ? compiled->find(extension) : nullptr;
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

/// The list of strings under `name`; empty without one. Null is nothing.
static llvm::Expected<std::vector<std::string>> textsOf(const llvm::json::Object &object,
                                                        llvm::StringRef name) {
  std::vector<std::string> texts;
  const llvm::json::Value *value = object.get(name);
  if (!value || value->getAsNull())
    return texts;
  const llvm::json::Array *array = value->getAsArray();
  auto isText = [](const llvm::json::Value &each) { return each.getAsString().has_value(); };
  if (!array || !llvm::all_of(*array, isText))
    return makeError("tessera_kernel_launcher: '" + name + "' is a list of strings");
  for (const llvm::json::Value &each : *array)
    texts.push_back(each.getAsString()->str());
  return texts;
}

/// The string under `name`, or `fallback` without one. Null is nothing.
static llvm::Expected<std::string> textOf(const llvm::json::Object &object, llvm::StringRef name,
                                          const std::string &fallback) {
  const llvm::json::Value *value = object.get(name);
  if (!value || value->getAsNull())
    return fallback;
  if (std::optional<llvm::StringRef> text = value->getAsString())
    return text->str();
  return makeError("tessera_kernel_launcher: '" + name + "' is a string");
}

/// Reads the JSON argument of tessera_kernel_launcher; `path` becomes the path of the files.
static llvm::Expected<AotRequest> readLauncher(const llvm::json::Object &object,
                                               const KernelRecord &record, std::string &path) {
  AotRequest launcher;
  launcher.usesVariantNames = true;
  llvm::Expected<std::vector<std::string>> signature = textsOf(object, "signature");
  if (!signature)
    return signature.takeError();
  llvm::Expected<std::vector<std::string>> grid = textsOf(object, "grid");
  if (!grid)
    return grid.takeError();
  llvm::Expected<std::string> name = textOf(object, "name", "");
  if (!name)
    return name.takeError();
  llvm::Expected<std::string> file =
      textOf(object, "path", name->empty() ? record.kernelName : *name);
  if (!file)
    return file.takeError();
  if (!grid->empty() && grid->size() != 3)
    return makeError("tessera_kernel_launcher: the grid has three expressions");
  if (llvm::Error error = checkGrid(*grid, &record))
    return std::move(error);
  launcher.outName = std::move(*name);
  launcher.signature = std::move(*signature);
  launcher.grid = std::move(*grid);
  path = std::move(*file);
  return launcher;
}

tessera_status tessera_kernel_launcher(const tessera_kernel *kernel, const char *request,
                                       char **files, char **message) {
  if (!kernel || !request || !files)
    return misuse(message, "tessera_kernel_launcher: a null argument");
  *files = nullptr;
  llvm::Expected<llvm::json::Value> parsed = parseJson(request);
  if (!parsed)
    return fail(message, parsed.takeError(), TESSERA_USAGE_ERROR);
  const llvm::json::Object *object = parsed->getAsObject();
  if (!object)
    return misuse(message, "tessera_kernel_launcher: the request is not a JSON object");
  const KernelRecord &record = kernel->compiled.record();
  std::string path;
  llvm::Expected<AotRequest> launcher = readLauncher(*object, record, path);
  if (!launcher)
    return fail(message, launcher.takeError(), TESSERA_USAGE_ERROR);
  std::string header = path + "." + aotVariant(launcher->signature, record) + ".h";
  const CompiledKernel *compiled = kernel->compiled.keep();
  if (!compiled)
    return misuse(message, "tessera_kernel_launcher: the pack of the kernel was changed");
  llvm::Expected<AotSources> sources =
      writeAotSources(*compiled, *launcher, llvm::sys::path::filename(header));
  if (!sources)
    return fail(message, sources.takeError(), TESSERA_UNSUPPORTED);
  llvm::json::Object result{{"function", sources->function},
                            {"variant", sources->variant},
                            {"header", sources->header},
                            {"source", sources->source}};
  setMessage(files, llvm::formatv("{0}", llvm::json::Value(std::move(result))).str());
  return TESSERA_DONE;
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
  std::unique_ptr<LoadedKernel> ready;
  llvm::Error error = kernel->compiled.use([&](const CompiledKernel &compiled) {
    return device->device->load(compiled).moveInto(ready);
  });
  if (error)
    return fail(message, std::move(error), TESSERA_UNSUPPORTED);
  *loaded = new tessera_loaded_kernel{device->device.get(), std::move(ready)};
  return TESSERA_DONE;
}

tessera_status tessera_load_binary(tessera_device *device, const char *symbol, const void *binary,
                                   size_t size, uint32_t sharedBytes,
                                   tessera_loaded_kernel **loaded, char **message) {
  if (!device || !symbol || !binary || !loaded)
    return misuse(message, "tessera_load_binary: a null argument");
  *loaded = nullptr;
  CompiledKernel compiled;
  KernelRecord &record = compiled.record;
  record.kernelName = symbol;
  record.target = device->device->properties().target;
  record.sharedBytes = sharedBytes;
  std::string image(static_cast<const char *>(binary), size);
  std::string form = device->device->artifactOf(image).str();
  compiled.artifacts[form] = std::move(image);
  tessera_kernel kernel{KeptKernel(std::move(compiled)), {}, {}, /*isCached=*/false};
  tessera_status status = tessera_load(device, &kernel, loaded, message);
  if (status == TESSERA_DONE)
    (*loaded)->argumentCount = kUnknownParameters;
  return status;
}

tessera_status tessera_loaded_kernel_set_fallback(tessera_loaded_kernel *loaded,
                                                  tessera_loaded_kernel *fallback, char **message) {
  if (!loaded || !fallback)
    return misuse(message, "tessera_loaded_kernel_set_fallback: a null argument");
  if (llvm::Error error = loaded->kernel->setVariantWithoutMaps(*fallback->kernel))
    return fail(message, std::move(error), TESSERA_USAGE_ERROR);
  return TESSERA_DONE;
}

void tessera_loaded_kernel_free(tessera_loaded_kernel *loaded) { delete loaded; }

tessera_status tessera_loaded_kernel_occupancy(const tessera_loaded_kernel *loaded,
                                               uint32_t sharedBytes, uint32_t clusterBlocks,
                                               int *count, char **message) {
  if (!loaded || !count)
    return misuse(message, "tessera_loaded_kernel_occupancy: a null argument");
  llvm::Expected<int> found =
      loaded->device->occupancy(*loaded->kernel, sharedBytes, clusterBlocks);
  if (!found)
    return fail(message, found.takeError(), TESSERA_UNSUPPORTED);
  *count = *found;
  return TESSERA_DONE;
}

tessera_status tessera_device_set_limit(tessera_device *device, const char *name, uint64_t bytes,
                                        char **message) {
  if (!device || !name)
    return misuse(message, "tessera_device_set_limit: a null argument");
  if (llvm::Error error = device->device->setLimit(name, bytes))
    return fail(message, std::move(error), TESSERA_UNSUPPORTED);
  return TESSERA_DONE;
}

int tessera_loaded_kernel_resource(const tessera_loaded_kernel *loaded, const char *name) {
  if (!loaded || !name)
    return -1;
  KernelResources found = loaded->kernel->resources();
  return llvm::StringSwitch<int>(name)
      .Case("registers", found.registers)
      .Case("local_bytes", found.localBytes)
      .Case("static_shared_bytes", found.staticSharedBytes)
      .Case("max_threads_per_block", found.maxThreadsPerBlock)
      .Default(-1);
}

void *tessera_loaded_kernel_handle(const tessera_loaded_kernel *loaded, const char *name) {
  return loaded && name ? loaded->kernel->handle(name) : nullptr;
}

int64_t tessera_device_property(const tessera_device *device, const char *name) {
  return device && name ? device->device->property(name) : -1;
}

int tessera_device_can_access(const tessera_device *device, const void *address) {
  return device && device->device->canAccess(reinterpret_cast<DeviceAddress>(address));
}

/// Watches the memory that the request names by its extents.
static std::unique_ptr<Sanitizer> watchArguments(const KernelRecord &record,
                                                 const tessera_launch_request &request) {
  std::vector<SanitizedArgument> watched;
  for (const KernelArgument *argument : record.passedArguments()) {
    const tessera_extent &extent = request.extents[watched.size()];
    SanitizedArgument entry;
    entry.name = argument->name;
    entry.type = argument->type;
    if (llvm::Expected<KernelType> type = parseArgumentType(argument->type)) {
      entry.type = type->scalar.name().str();
      entry.isPointer = type->isPointer();
      entry.elementBytes = type->scalar.bytesInMemory();
    } else {
      llvm::consumeError(type.takeError()); // shown as it is written
    }
    entry.address = extent.address;
    entry.bytes = extent.bytes;
    entry.shape = {extent.bytes / entry.elementBytes};
    watched.push_back(std::move(entry));
  }
  return std::make_unique<Sanitizer>(std::move(watched));
}

/// Writes the sanitizer's reports to `message`; out-of-bounds accesses are an error.
static tessera_status tellReports(const Sanitizer &sanitizer, char **message) {
  std::vector<SanitizerReport> reports = sanitizer.reports();
  RenderOptions options;
  options.noteExcerpts = true;
  if (!reports.empty())
    setMessage(message, renderReports(reports, options));
  bool areMeetings = llvm::all_of(reports, [](const SanitizerReport &r) { return r.isMeeting; });
  return areMeetings ? TESSERA_DONE : TESSERA_PROGRAM_ERROR;
}

[[gnu::cold]] static tessera_status refuseCount(const tessera_loaded_kernel &loaded, size_t count,
                                                char **message) {
  const std::string &name = loaded.kernel->record.kernelName;
  if (loaded.argumentCount == kUnknownParameters)
    return misuse(message, "tessera_launch: '" + name +
                               "' was loaded from a binary: its parameters are not known");
  return misuse(message, "tessera_launch: '" + name + "' takes " +
                             llvm::Twine(loaded.argumentCount) + " arguments, not " +
                             llvm::Twine(count));
}

tessera_status tessera_launch_with(tessera_loaded_kernel *loaded,
                                   const tessera_launch_request *request, char **message) {
  if (!loaded || !request || (request->argument_count && !request->arguments))
    return misuse(message, "tessera_launch: a null argument");
  // Programs that were compiled before these fields existed have a smaller struct.
  constexpr size_t firstSize = offsetof(tessera_launch_request, threads);
  if (request->size < firstSize)
    return misuse(message, "tessera_launch: request.size is smaller than this version's struct");
  size_t count = request->argument_count;
  if (count != loaded->argumentCount || count == kUnknownParameters)
    return refuseCount(*loaded, count, message);
  llvm::ArrayRef<void *> arguments(request->arguments, count);
  if (llvm::is_contained(arguments, nullptr)) [[unlikely]]
    return misuse(message, "tessera_launch: arguments[" +
                               llvm::Twine(llvm::find(arguments, nullptr) - arguments.begin()) +
                               "] is null; it must be the address of the argument's value");
  auto ask = [request] { return request->is_interrupted(request->data) != 0; };
  LaunchOptions options;
  options.stream = request->stream;
  options.scratch = request->scratch;
  options.profile = request->profile;
  if (request->size >= sizeof(tessera_launch_request)) {
    options.threads = request->threads;
    options.hostThreads = request->host_threads;
  }
  if (request->is_interrupted)
    options.isInterrupted = ask;
  std::unique_ptr<Sanitizer> sanitizer;
  if (request->extents) [[unlikely]] {
    sanitizer = watchArguments(loaded->kernel->record, *request);
    options.sanitizer = sanitizer.get();
  }
  Grid grid{request->grid_x, request->grid_y, request->grid_z};
  if (llvm::Error error = loaded->device->launch(*loaded->kernel, grid, arguments, options)) {
    tessera_status status =
        error.isA<TensorMapError>() ? TESSERA_NO_TENSOR_MAP : TESSERA_PROGRAM_ERROR;
    return fail(message, std::move(error), status);
  }
  return sanitizer ? tellReports(*sanitizer, message) : TESSERA_DONE;
}

tessera_status tessera_launch(tessera_loaded_kernel *loaded, uint32_t gridX, uint32_t gridY,
                              uint32_t gridZ, void **arguments, size_t count, void *stream,
                              char **message) {
  tessera_launch_request request = {};
  request.size = sizeof(request);
  request.grid_x = gridX;
  request.grid_y = gridY;
  request.grid_z = gridZ;
  request.arguments = arguments;
  request.argument_count = count;
  request.stream = stream;
  return tessera_launch_with(loaded, &request, message);
}

void tessera_explain_crashes(const char *advice) { explainCrashes(advice ? advice : ""); }

void tessera_handle_breakpoints(BreakpointHandler handler) { setBreakpointHandler(handler); }

tessera_status tessera_synchronize(tessera_device *device, char **message) {
  if (!device)
    return misuse(message, "tessera_synchronize: a null argument");
  if (llvm::Error error = device->device->synchronize())
    return fail(message, std::move(error), TESSERA_PROGRAM_ERROR);
  return TESSERA_DONE;
}
