//===- AotLauncher.cpp - a kernel as a C source file for a GPU's driver ---===//
// The text is built top to bottom: names, header, source. Float scalars are
// declared in their storage type, so that a caller's value arrives unharmed.
// Templates are written with CUDA's names; `say` replaces them for a kernel of an AMD
// GPU, before anything of the kernel is filled in.
//===----------------------------------------------------------------------===//
#include "tessera/Support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "../AotGrid.h"
#include "../AotLaunchers.h"
#include "../AotNames.h"
#include "../GPU/TensorMapSource.h"
#include "../HIP/AotWords.h"
#include "../LinkVariant.h"

using namespace tessera;
using namespace tessera::aot;

static constexpr llvm::StringLiteral kCudaBinary = "cubin", kHipBinary = "hsaco";

static bool isForHip(const KernelRecord &record) {
  return llvm::StringRef(record.target).starts_with("hip:");
}

/// A template in the words of the kernel's driver.
static std::string say(const KernelRecord &record, llvm::StringRef text) {
  return isForHip(record) ? sayInHIP(text) : text.str();
}

static std::string cType(const KernelRecord &record, llvm::StringRef type) {
  return type.starts_with("*") ? say(record, "CUdeviceptr") : scalarType(type).str();
}

namespace {
/// Everything the templates below are filled with.
struct Names {
  std::string function, parameters, linkerSignature, linkerInfo, linkerHints, arguments;
  std::string call;          // the parameters as arguments of a function that has the same ones
  std::string plainFunction; // for launches whose tensor maps cannot be built; may be empty
  std::string linkerVariant; // LinkVariant.h
  std::string gridX, gridY, gridZ;
  std::string stream, scratch, list, x, y, z, status, attributes, config, maps; // local names
};
} // namespace

static llvm::Expected<Names> chooseNames(const KernelRecord &record, const AotRequest &request,
                                         llvm::StringRef variant) {
  Names names;
  names.function =
      (request.outName.empty() ? record.kernelName : request.outName) + "_" + variant.str();
  std::vector<std::string> cNames = parameterNames(record, names.function);
  for (auto [field, wanted] :
       {std::pair{&names.stream, "stream"}, std::pair{&names.scratch, "scratch"},
        std::pair{&names.list, "args"}, std::pair{&names.x, "gX"}, std::pair{&names.y, "gY"},
        std::pair{&names.z, "gZ"}, std::pair{&names.status, "status"},
        std::pair{&names.attributes, "attributes"}, std::pair{&names.config, "config"},
        std::pair{&names.maps, "maps"}})
    *field = freshName(wanted, cNames);
  std::vector<std::string> declared, linked, hints, constants, ones, addresses, call;
  LinkVariant variantLine{request.outName.empty() ? record.kernelName : request.outName,
                          names.function,
                          "",
                          record.target,
                          {}};
  for (auto [argument, cName] : llvm::zip_equal(record.arguments, cNames)) {
    std::string declaration = cType(record, argument.type) + " " + cName;
    bool isFixed = argument.constant && argument.type != "constexpr";
    if (isFixed)
      ones.push_back("1");
    else if (argument.constant)
      constants.push_back(inOneLine(*argument.constant));
    if (!argument.constant || isFixed) {
      linked.push_back(declaration);
      unsigned hint = isFixed ? 1 : argument.divisibility == 16 ? 16 : 0;
      variantLine.parameters.push_back({cType(record, argument.type), cName, hint});
    }
    if (isFixed || argument.divisibility == 16)
      hints.push_back(cName + (isFixed ? "=1" : "=16"));
    if (!argument.constant) {
      declared.push_back(declaration);
      addresses.push_back("&" + cName);
      call.push_back(cName);
    }
  }
  constants.insert(constants.end(), ones.begin(), ones.end());
  names.linkerSignature = llvm::join(linked, ", ");
  names.linkerHints = llvm::join(hints, " ");
  names.linkerInfo =
      llvm::join(constants, "x") +
      llvm::formatv("_warps{0}xstages{1}", record.numWarps, numStagesOf(record)).str();
  if (request.grid.empty()) {
    names.gridX = freshName("gridX", cNames);
    names.gridY = freshName("gridY", cNames);
    names.gridZ = freshName("gridZ", cNames);
    for (const std::string &axis : {names.gridZ, names.gridY, names.gridX}) {
      declared.insert(declared.begin(), "unsigned " + axis);
      call.insert(call.begin(), axis);
      variantLine.parameters.insert(variantLine.parameters.begin(), {"unsigned", axis, 0});
    }
  } else {
    std::string *const extents[] = {&names.gridX, &names.gridY, &names.gridZ};
    if (llvm::Error error = translateGrid(request.grid, record, cNames, extents))
      return std::move(error);
  }
  variantLine.algo = names.linkerInfo;
  names.linkerVariant = linkerLine(variantLine);
  declared.insert(declared.begin(), say(record, "CUstream ") + names.stream);
  names.parameters = llvm::join(declared, ", ");
  call.insert(call.begin(), names.stream);
  names.call = llvm::join(call, ", ");
  for (size_t map = 0; map < record.tensorMaps.size(); ++map)
    addresses.push_back("&" + names.maps + "[" + std::to_string(map) + "]");
  for (HiddenArgument hidden : record.hiddenArguments)
    if (hidden != HiddenArgument::TensorMap)
      addresses.push_back("&" + names.scratch);
  names.arguments = llvm::join(addresses, ", ");
  if (request.withoutMaps)
    names.plainFunction = names.function + "_plain";
  return names;
}

static std::string banner(const KernelRecord &record) {
  return comment({llvm::formatv("{0} for {1}, made by Tessera {2}. Do not edit.", record.kernelName,
                                record.target, record.tesseraVersion)});
}

/// CUDA's header, or what of it is needed.
static constexpr llvm::StringLiteral kCUDAIncludes = R"(
#ifndef TT_KERNEL_INCLUDES
#define TT_KERNEL_INCLUDES
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__has_include)
#if __has_include(<cuda.h>)
#include <cuda.h>
#define TT_KERNEL_HAS_CUDA_H 1
#endif
#endif
#ifndef TT_KERNEL_HAS_CUDA_H
/* The part of the CUDA driver API used here, for machines without its header. */
#ifdef __cplusplus
extern "C" {
#endif
typedef int CUresult;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUstream_st *CUstream;
typedef struct CUmodule_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
#define CUDA_SUCCESS 0
#define CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES 8
#define CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED 14
#define CU_LAUNCH_ATTRIBUTE_COOPERATIVE 2
#define CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION 4
#define CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE 5
#define CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION 6
#define CU_CLUSTER_SCHEDULING_POLICY_SPREAD 1
typedef union CUlaunchAttributeValue_union {
  char pad[64];
  int cooperative;
  struct {
    unsigned x, y, z;
  } clusterDim;
  int clusterSchedulingPolicyPreference;
  int programmaticStreamSerializationAllowed;
} CUlaunchAttributeValue;
typedef struct CUlaunchAttribute_st {
  int id;
  int pad;
  CUlaunchAttributeValue value;
} CUlaunchAttribute;
typedef struct CUlaunchConfig_st {
  unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
  CUstream hStream;
  CUlaunchAttribute *attrs;
  unsigned numAttrs;
} CUlaunchConfig;
CUresult cuModuleLoadData(CUmodule *, const void *);
CUresult cuModuleUnload(CUmodule);
CUresult cuModuleGetFunction(CUfunction *, CUmodule, const char *);
CUresult cuFuncSetAttribute(CUfunction, int, int);
CUresult cuLaunchKernel(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                        unsigned, CUstream, void **, void **);
CUresult cuLaunchKernelEx(const CUlaunchConfig *, CUfunction, void **, void **);
CUresult cuMemAllocAsync(CUdeviceptr *, size_t, CUstream);
CUresult cuMemFreeAsync(CUdeviceptr, CUstream);
CUresult cuGetErrorString(CUresult, const char **);
#ifdef __cplusplus
}
#endif
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif
)";

static std::string writeHeader(const KernelRecord &record, const Names &names) {
  std::string text = banner(record);
  text += isForHip(record) ? kHIPIncludes : kCUDAIncludes;
  text += llvm::formatv(
      say(record,
          R"(/* Loads the kernel into the current context; the launch does it on first use. */
CUresult {0}_try_load(void);
/* The same, printing what went wrong. */
void load_{0}(void);
void unload_{0}(void);
// tt-linker: {0}:{1}:{2}
// tessera-linker: {0}:{3}
{5}CUresult {0}({4});
#ifdef __cplusplus
}
#endif
)")
          .c_str(),
      names.function, names.linkerSignature, names.linkerInfo, names.linkerHints, names.parameters,
      names.linkerVariant);
  return text;
}

static std::string byteArray(llvm::StringRef bytes) {
  std::string text;
  text.reserve(bytes.size() * 5);
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (i % 16 == 0)
      text += "\n   ";
    text += llvm::formatv(" 0x{0},", llvm::toHex(bytes.substr(i, 1), /*LowerCase=*/true));
  }
  return text;
}

/// Attributes that cuModuleGetFunction does not set: more shared memory, large clusters.
static std::string raiseLimits(const KernelRecord &record, llvm::StringRef function) {
  std::string text;
  auto raise = [&](llvm::StringRef attribute, unsigned value) {
    text += llvm::formatv(R"(
  if (status == CUDA_SUCCESS)
    status = cuFuncSetAttribute({0}_func, CU_FUNC_ATTRIBUTE_{1}, {2});)",
                          function, attribute, value);
  };
  if (record.dynamicSharedBytes() > 48 * 1024)
    raise("MAX_DYNAMIC_SHARED_SIZE_BYTES", record.dynamicSharedBytes());
  if (record.numCTAs > 8)
    raise("NON_PORTABLE_CLUSTER_SIZE_ALLOWED", 1);
  return text;
}

/// The statements that launch and set `status`: cuLaunchKernel, or cuLaunchKernelEx where
/// it takes attributes.
static std::string launchStatements(const KernelRecord &record, const Names &names) {
  std::string grid =
      llvm::formatv("{0} * {1}, {2}, {3}", names.x, record.numCTAs, names.y, names.z);
  // HIP has a function for cooperative launches, and no attributes.
  if (isForHip(record)) {
    llvm::StringRef call = record.cooperative ? "cuLaunchCooperativeKernel" : "cuLaunchKernel";
    return llvm::formatv("  {0} = {1}({2}_func, {3}, {4}, 1, 1, {5}, {6}, {7}{8});\n", names.status,
                         sayInHIP(call), names.function, grid, record.threadsPerBlock(),
                         record.dynamicSharedBytes(), names.stream, names.list,
                         record.cooperative ? "" : ", NULL");
  }
  llvm::SmallVector<std::string, 4> attributes;
  auto add = [&](llvm::StringRef id, llvm::StringRef value) {
    std::string at = llvm::formatv("{0}[{1}]", names.attributes, attributes.size());
    attributes.push_back(
        llvm::formatv("  {0}.id = CU_LAUNCH_ATTRIBUTE_{1};\n  {0}.value.{2};\n", at, id, value));
  };
  if (record.numCTAs != 1) {
    // A program's blocks are a cluster along x.
    add("CLUSTER_DIMENSION", llvm::formatv("clusterDim.x = {0}", record.cluster[0]).str());
    attributes.back() += llvm::formatv("  {0}[0].value.clusterDim.y = {1};\n"
                                       "  {0}[0].value.clusterDim.z = {2};\n",
                                       names.attributes, record.cluster[1], record.cluster[2]);
    add("CLUSTER_SCHEDULING_POLICY_PREFERENCE",
        "clusterSchedulingPolicyPreference = CU_CLUSTER_SCHEDULING_POLICY_SPREAD");
  }
  if (record.cooperative)
    add("COOPERATIVE", "cooperative = 1");
  if (record.dependentLaunch)
    add("PROGRAMMATIC_STREAM_SERIALIZATION", "programmaticStreamSerializationAllowed = 1");
  if (attributes.empty())
    return llvm::formatv("  {0} = cuLaunchKernel({1}_func, {2}, {3}, 1, 1, {4}, {5}, {6}, NULL);\n",
                         names.status, names.function, grid, record.threadsPerBlock(),
                         record.dynamicSharedBytes(), names.stream, names.list);
  std::string text =
      llvm::formatv("  CUlaunchAttribute {0}[{1}];\n"
                    "  CUlaunchConfig {2} = {{{3}, {4}, 1, 1, {5}, {6}, {0}, {1}};\n"
                    "  memset({0}, 0, sizeof {0});\n",
                    names.attributes, attributes.size(), names.config, grid,
                    record.threadsPerBlock(), record.dynamicSharedBytes(), names.stream);
  text += llvm::join(attributes, "");
  text += llvm::formatv("  {0} = cuLaunchKernelEx(&{1}, {2}_func, {3}, NULL);\n", names.status,
                        names.config, names.function, names.list);
  return text;
}

/// Around the launch: memory that the kernel's programs share with nobody, in the order of
/// the stream.
static std::string withScratch(const KernelRecord &record, const Names &names,
                               const std::string &launch) {
  if (record.globalScratch.bytes == 0)
    return launch;
  return llvm::formatv(
             say(record, R"(  {0} = cuMemAllocAsync(&{1}, (size_t){2} * {3} * {4} * {5} * {6}, {7});
  if ({0} != CUDA_SUCCESS)
    return {0};
)")
                 .c_str(),
             names.status, names.scratch, names.x, names.y, names.z, record.numCTAs,
             record.globalScratch.bytes, names.stream)
             .str() +
         launch +
         llvm::formatv(say(record, "  cuMemFreeAsync({0}, {1});\n").c_str(), names.scratch,
                       names.stream)
             .str();
}

/// The binary and the function that loads it; `linkage` is "static " for the variant without maps.
static std::string writeLoading(const KernelRecord &record, llvm::StringRef binary,
                                llvm::StringRef function, llvm::StringRef linkage) {
  std::string text = llvm::formatv("\nstatic const unsigned char {0}_binary[{1}] = {{{2}\n};\n",
                                   function, binary.size(), byteArray(binary));
  return text + llvm::formatv(say(record, R"(
{3}CUmodule {0}_mod = NULL;
{3}CUfunction {0}_func = NULL;

{3}CUresult {0}_try_load(void) {{
  CUresult status = cuModuleLoadData(&{0}_mod, {0}_binary);
  if (status == CUDA_SUCCESS)
    status = cuModuleGetFunction(&{0}_func, {0}_mod, "{1}");{2}
  return status;
}
)")
                                  .c_str(),
                              function, record.symbolInBinary(), raiseLimits(record, function),
                              linkage)
                    .str();
}

/// The public functions around the one that loads.
static std::string writeLoadFunctions(const KernelRecord &record, const Names &names) {
  std::string more;
  if (!names.plainFunction.empty())
    more = llvm::formatv(R"(
  if ({0}_mod)
    cuModuleUnload({0}_mod);
  {0}_mod = NULL;
  {0}_func = NULL;)",
                         names.plainFunction);
  return llvm::formatv(say(record, R"(
void load_{0}(void) {{
  const char *reason = "unknown error";
  CUresult status = {0}_try_load();
  if (status == CUDA_SUCCESS)
    return;
  cuGetErrorString(status, &reason);
  fprintf(stderr, "{0}: cannot load the kernel: %s\n", reason);
}

void unload_{0}(void) {{
  if ({0}_mod)
    cuModuleUnload({0}_mod);
  {0}_mod = NULL;
  {0}_func = NULL;{1}
}
)")
                           .c_str(),
                       names.function, more)
      .str();
}

/// Builds the tensor maps, or leaves the launch to the kernel without them.
static std::string writeMapStatements(const KernelRecord &record, const Names &names) {
  if (record.tensorMaps.empty())
    return "";
  std::string otherwise = names.plainFunction.empty()
                              ? "(CUresult)1; /* CUDA_ERROR_INVALID_VALUE */"
                              : names.plainFunction + "(" + names.call + ");";
  return llvm::formatv("  if (!{0}_build_maps({1}, {2}))\n    return {3}\n", names.function,
                       names.list, names.maps, otherwise);
}

static std::string writeLaunch(const KernelRecord &record, const Names &names,
                               llvm::StringRef linkage) {
  std::string declaredMaps;
  if (!record.tensorMaps.empty())
    declaredMaps =
        llvm::formatv("  struct tessera_rt_map {0}[{1}];\n", names.maps, record.tensorMaps.size());
  return llvm::formatv(say(record, R"(
{13}CUresult {0}({1}) {{
  unsigned {2} = (unsigned)({3}), {4} = (unsigned)({5}), {6} = (unsigned)({7});
  CUdeviceptr {8} = 0;
{14}  void *{9}[] = {{{10}};
  CUresult {11} = CUDA_SUCCESS;
  (void){8};
  if ({2} == 0 || {4} == 0 || {6} == 0)
    return CUDA_SUCCESS;
{15}  if (!{0}_func)
    {11} = {0}_try_load();
  if ({11} != CUDA_SUCCESS)
    return {11};
{12}  return {11};
}
)")
                           .c_str(),
                       names.function, names.parameters, names.x, names.gridX, names.y, names.gridY,
                       names.z, names.gridZ, names.scratch, names.list,
                       names.arguments.empty() ? "NULL" : names.arguments, names.status,
                       withScratch(record, names, launchStatements(record, names)), linkage,
                       declaredMaps, writeMapStatements(record, names))
      .str();
}

/// The driver's function that encodes tensor maps, under the name that TensorMapRuntime.c calls.
static constexpr llvm::StringLiteral kEncodeFunction = R"(
#if defined(TT_KERNEL_HAS_CUDA_H) && (!defined(CUDA_VERSION) || CUDA_VERSION < 12000)
#error "tensor maps need the cuda.h of CUDA 12 or later"
#endif
#ifdef TT_KERNEL_HAS_CUDA_H
#define TESSERA_RT_AS(type) (type)
#else
#define TESSERA_RT_AS(type)
#ifdef __cplusplus
extern "C"
#endif
CUresult cuTensorMapEncodeTiled(void *, int, uint32_t, void *, const uint64_t *, const uint64_t *,
                                const uint32_t *, const uint32_t *, int, int, int, int);
#endif
__attribute__((unused)) static int tessera_rt_encode_tiled(void *map, int type, uint32_t rank, void *address,
                                          const uint64_t *extents, const uint64_t *strides,
                                          const uint32_t *box, const uint32_t *steps,
                                          int interleave, int swizzle, int promotion, int fill) {
  return (int)cuTensorMapEncodeTiled(
      TESSERA_RT_AS(CUtensorMap *) map, TESSERA_RT_AS(CUtensorMapDataType) type, rank, address,
      extents, strides, box, steps, TESSERA_RT_AS(CUtensorMapInterleave) interleave,
      TESSERA_RT_AS(CUtensorMapSwizzle) swizzle, TESSERA_RT_AS(CUtensorMapL2promotion) promotion,
      TESSERA_RT_AS(CUtensorMapFloatOOBfill) fill);
}

)";

/// The code that builds a kernel's tensor maps, and the kernel that launches without them take.
static llvm::Expected<std::string> writeMapSources(const KernelRecord &record,
                                                   const AotRequest &request,
                                                   llvm::StringRef variant, const Names &names) {
  if (record.tensorMaps.empty())
    return "";
  llvm::Expected<std::string> builder =
      writeTensorMapFunction(record, names.function + "_build_maps");
  if (!builder)
    return builder.takeError();
  std::string text = kEncodeFunction.str() + runtimeText("GPU/TensorMapRuntime.c") + *builder;
  if (!request.withoutMaps)
    return text;
  const KernelRecord &plain = request.withoutMaps->record;
  const std::string *binary = request.withoutMaps->find(kCudaBinary.str());
  if (!binary || !plain.tensorMaps.empty())
    return makeError("'" + record.kernelName + "' has no variant without tensor maps");
  AotRequest alone = request;
  alone.withoutMaps = nullptr;
  llvm::Expected<Names> own = chooseNames(plain, alone, variant);
  if (!own)
    return own.takeError();
  own->function = names.plainFunction;
  return text + writeLoading(plain, *binary, own->function, "static ") +
         writeLaunch(plain, *own, "static ");
}

static llvm::Expected<std::string> writeSource(const CompiledKernel &kernel,
                                               const AotRequest &request, llvm::StringRef variant,
                                               llvm::StringRef binary, const Names &names,
                                               llvm::StringRef headerName) {
  const KernelRecord &record = kernel.record;
  llvm::Expected<std::string> maps = writeMapSources(record, request, variant, names);
  if (!maps)
    return maps.takeError();
  return banner(record) + "#include \"" + headerName.str() + "\"\n" + *maps +
         writeLoading(record, binary, names.function, "") + writeLoadFunctions(record, names) +
         writeLaunch(record, names, "");
}

llvm::Expected<AotSources> aot::writeGPUSources(const CompiledKernel &kernel,
                                                const AotRequest &request,
                                                llvm::StringRef headerName) {
  const KernelRecord &record = kernel.record;
  if (record.profileScratch.bytes)
    return makeError("'" + record.kernelName +
                     "' needs memory for a profiler, which the C launcher cannot provide");
  llvm::StringRef artifact = isForHip(record) ? kHipBinary : kCudaBinary;
  const std::string *binary = kernel.find(artifact.str());
  if (!binary)
    return makeError("the C launcher embeds a " + artifact + ", and " + record.target +
                     " makes none");
  // PTX and cubins do not say how they are launched.
  if (record.threadsPerBlock() == 0)
    return makeError("the C launcher must know how many threads and how much shared memory a block "
                     "has, and '" +
                     record.sourceFile + "' does not say; start from .py, .ttir or .ttgir");
  std::string variant = aotVariant(request.signature, record);
  llvm::Expected<Names> names = chooseNames(record, request, variant);
  if (!names)
    return names.takeError();
  if (!isIdentifier(names->function) || !isIdentifier(record.kernelName))
    return makeError("'" + inOneLine(record.kernelName) +
                     "' is no name in C; rename the kernel to have a C launcher");
  if (llvm::Error error = checkHeaderName(headerName))
    return std::move(error);
  llvm::Expected<std::string> source =
      writeSource(kernel, request, variant, *binary, *names, headerName);
  if (!source)
    return source.takeError();
  return AotSources{writeHeader(record, *names), std::move(*source), names->function, variant};
}
