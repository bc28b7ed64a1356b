//===- AotLauncher.cpp - a kernel as a C source file ----------------------===//
// The text is built top to bottom: names, header, source. Float scalars are
// declared in their storage type, so that a caller's value arrives unharmed.
//===----------------------------------------------------------------------===//
#include "tessera/Binary/AotLauncher.h"
#include "tessera/Support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SHA256.h"

using namespace tessera;

static std::string hexDigest(llvm::StringRef text, unsigned digits) {
  auto bytes = llvm::SHA256::hash(llvm::arrayRefFromStringRef(text));
  return llvm::toHex(bytes, /*LowerCase=*/true).substr(0, digits);
}

static unsigned numStagesOf(const KernelMetadata &metadata) {
  unsigned numStages = CompileOptions().numStages;
  for (const auto &[flag, value] : metadata.options)
    if (flag == "num-stages")
      llvm::StringRef(value).getAsInteger(10, numStages);
  return numStages;
}

std::string tessera::aotVariant(llvm::ArrayRef<std::string> signature,
                                const KernelMetadata &metadata) {
  std::string hashed, suffix;
  for (auto [index, entry] : llvm::enumerate(signature)) {
    hashed += entry + " ";
    suffix += std::to_string(index);
    llvm::StringRef hint = llvm::StringRef(entry).split(':').second;
    suffix += hint == "1" ? "c" : hint == "16" ? "d" : "";
  }
  hashed += llvm::formatv("warps{0}xstages{1}", metadata.numWarps, numStagesOf(metadata));
  return hexDigest(hashed, 8) + "_" + suffix;
}

/// The C type of an argument; 16- and 8-bit floats travel as their bits.
static llvm::StringRef cType(llvm::StringRef type) {
  if (type.starts_with("*"))
    return "CUdeviceptr";
  return llvm::StringSwitch<llvm::StringRef>(type)
      .Cases({"u1", "u8", "fp8e5", "fp8e4nv", "fp8e4b15", "fp8e4b8", "fp8e5b16"}, "uint8_t")
      .Cases({"u16", "fp16", "bf16"}, "uint16_t")
      .Case("i1", "int8_t")
      .Case("i8", "int8_t")
      .Case("i16", "int16_t")
      .Case("i32", "int32_t")
      .Case("i64", "int64_t")
      .Case("u32", "uint32_t")
      .Case("u64", "uint64_t")
      .Case("fp32", "float")
      .Default("double");
}

/// Names that Python allows for a parameter and C or C++ does not, or that the
/// headers included below define.
static bool isReservedInC(llvm::StringRef name) {
  static constexpr llvm::StringLiteral words[] = {
      "alignas",   "alignof",   "asm",       "auto",     "bool",      "case",     "catch",
      "char",      "char16_t",  "char32_t",  "char8_t",  "compl",     "concept",  "const",
      "constexpr", "consteval", "constinit", "co_await", "co_return", "co_yield", "decltype",
      "default",   "delete",    "do",        "double",   "enum",      "explicit", "export",
      "extern",    "false",     "float",     "friend",   "goto",      "inline",   "int",
      "long",      "mutable",   "namespace", "new",      "noexcept",  "nullptr",  "operator",
      "private",   "protected", "public",    "register", "requires",  "restrict", "short",
      "signed",    "sizeof",    "static",    "struct",   "switch",    "template", "this",
      "throw",     "true",      "typedef",   "typeid",   "typename",  "typeof",   "union",
      "unsigned",  "using",     "virtual",   "void",     "volatile",  "and_eq",   "bitand",
      "bitor",     "not_eq",    "or_eq",     "xor",      "xor_eq",    "NULL",     "EOF",
      "stdin",     "stdout",    "stderr",    "linux",    "unix",      "errno"};
  return llvm::is_contained(words, name) || name.starts_with("CU") || name.starts_with("cu") ||
         name.starts_with("__") || name.ends_with("_t") ||
         (name.size() > 1 && name[0] == '_' && llvm::isUpper(name[1]));
}

/// A C name for each parameter: its own where that is one, so that --grid can use it.
static std::vector<std::string> parameterNames(const KernelMetadata &metadata) {
  llvm::StringSet<> taken;
  for (const KernelArgument &argument : metadata.arguments)
    taken.insert(argument.name);
  std::vector<std::string> names;
  for (const KernelArgument &argument : metadata.arguments) {
    std::string name = argument.name;
    if (isReservedInC(name))
      for (name = "arg_" + name; !taken.insert(name).second;)
        name += '_';
    names.push_back(name);
  }
  return names;
}

/// A name of ours that no parameter has.
static std::string freshName(llvm::StringRef wanted, const KernelMetadata &metadata) {
  std::string name = wanted.str();
  while (llvm::any_of(metadata.arguments,
                      [&](const KernelArgument &argument) { return argument.name == name; }))
    name += '_';
  return name;
}

/// A grid expression with every parameter under its C name.
static std::string renameParameters(llvm::StringRef expression, const KernelMetadata &metadata,
                                    llvm::ArrayRef<std::string> names) {
  auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  std::string result;
  while (!expression.empty()) {
    llvm::StringRef word = expression.take_while(isWord);
    if (word.empty()) {
      result += expression.front();
      expression = expression.drop_front();
      continue;
    }
    expression = expression.drop_front(word.size());
    auto match = llvm::find_if(metadata.arguments,
                               [&](const KernelArgument &each) { return each.name == word; });
    bool isKnown = match != metadata.arguments.end();
    result += isKnown ? names[match - metadata.arguments.begin()] : word.str();
  }
  return result;
}

namespace {
/// Everything the templates below are filled with.
struct Names {
  std::string function, parameters, linkerSignature, linkerInfo, arguments, gridX, gridY, gridZ;
  std::string stream, scratch, list, x, y, z, status; // local names
};
} // namespace

static Names chooseNames(const KernelMetadata &metadata, const AotRequest &request,
                         llvm::StringRef variant) {
  Names names;
  names.function =
      (request.outName.empty() ? metadata.kernelName : request.outName) + "_" + variant.str();
  for (auto [field, wanted] :
       {std::pair{&names.stream, "stream"}, std::pair{&names.scratch, "scratch"},
        std::pair{&names.list, "args"}, std::pair{&names.x, "gX"}, std::pair{&names.y, "gY"},
        std::pair{&names.z, "gZ"}, std::pair{&names.status, "status"}})
    *field = freshName(wanted, metadata);
  std::vector<std::string> cNames = parameterNames(metadata);
  std::vector<std::string> declared, linked, constants, ones, addresses;
  for (auto [argument, cName] : llvm::zip_equal(metadata.arguments, cNames)) {
    std::string declaration = (cType(argument.type) + " " + cName).str();
    bool isFixed = argument.constant && argument.type != "constexpr";
    if (isFixed)
      ones.push_back("1");
    else if (argument.constant)
      constants.push_back(*argument.constant);
    if (!argument.constant || isFixed)
      linked.push_back(declaration);
    if (!argument.constant) {
      declared.push_back(declaration);
      addresses.push_back("&" + cName);
    }
  }
  constants.insert(constants.end(), ones.begin(), ones.end());
  names.linkerSignature = llvm::join(linked, ", ");
  names.linkerInfo =
      llvm::join(constants, "x") +
      llvm::formatv("_warps{0}xstages{1}", metadata.numWarps, numStagesOf(metadata)).str();
  if (request.grid.empty()) {
    names.gridX = freshName("gridX", metadata);
    names.gridY = freshName("gridY", metadata);
    names.gridZ = freshName("gridZ", metadata);
    for (const std::string &axis : {names.gridZ, names.gridY, names.gridX})
      declared.insert(declared.begin(), "unsigned " + axis);
  } else {
    names.gridX = renameParameters(request.grid[0], metadata, cNames);
    names.gridY = renameParameters(request.grid[1], metadata, cNames);
    names.gridZ = renameParameters(request.grid[2], metadata, cNames);
  }
  declared.insert(declared.begin(), "CUstream " + names.stream);
  names.parameters = llvm::join(declared, ", ");
  for (size_t hidden = 0; hidden < metadata.hiddenArguments.size(); ++hidden)
    addresses.push_back("&" + names.scratch);
  names.arguments = llvm::join(addresses, ", ");
  return names;
}

static std::string banner(const KernelMetadata &metadata) {
  return llvm::formatv("/* {0} for {1}, made by Tessera {2}. Do not edit. */\n",
                       metadata.kernelName, metadata.target, metadata.tesseraVersion);
}

static std::string writeHeader(const KernelMetadata &metadata, const Names &names) {
  std::string text = banner(metadata);
  text += R"(
#ifndef TT_KERNEL_INCLUDES
#define TT_KERNEL_INCLUDES
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
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
CUresult cuModuleLoadData(CUmodule *, const void *);
CUresult cuModuleUnload(CUmodule);
CUresult cuModuleGetFunction(CUfunction *, CUmodule, const char *);
CUresult cuFuncSetAttribute(CUfunction, int, int);
CUresult cuLaunchKernel(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                        unsigned, CUstream, void **, void **);
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
  text += llvm::formatv(
      R"(/* Loads the kernel into the current context; the launch does it on first use. */
CUresult {0}_try_load(void);
/* The same, printing what went wrong. */
void load_{0}(void);
void unload_{0}(void);
// tt-linker: {0}:{1}:{2}
CUresult {0}({3});
#ifdef __cplusplus
}
#endif
)",
      names.function, names.linkerSignature, names.linkerInfo, names.parameters);
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

static std::string writeSource(const CompiledKernel &kernel, llvm::StringRef binary,
                               const Names &names, llvm::StringRef headerName) {
  const KernelMetadata &metadata = kernel.metadata;
  std::string text = banner(metadata);
  text +=
      llvm::formatv("#include \"{0}\"\n\nstatic const unsigned char {1}_binary[{2}] = {{{3}\n};\n",
                    headerName, names.function, binary.size(), byteArray(binary));
  std::string raiseShared;
  if (metadata.sharedBytes > 48 * 1024)
    raiseShared = llvm::formatv(R"(
  if (status == CUDA_SUCCESS)
    status = cuFuncSetAttribute({0}_func, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, {1});)",
                                names.function, metadata.sharedBytes);
  text +=
      llvm::formatv(R"(
CUmodule {0}_mod = NULL;
CUfunction {0}_func = NULL;

CUresult {0}_try_load(void) {{
  CUresult status = cuModuleLoadData(&{0}_mod, {0}_binary);
  if (status == CUDA_SUCCESS)
    status = cuModuleGetFunction(&{0}_func, {0}_mod, "{1}");{2}
  return status;
}

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
  {0}_func = NULL;
}

CUresult {0}({3}) {{
  unsigned {11} = (unsigned)({4}), {12} = (unsigned)({5}), {13} = (unsigned)({6});
  CUdeviceptr {14} = 0;
  void *{15}[] = {{{7}};
  (void){14};
  if ({11} == 0 || {12} == 0 || {13} == 0)
    return CUDA_SUCCESS;
  if (!{0}_func) {{
    CUresult {16} = {0}_try_load();
    if ({16} != CUDA_SUCCESS)
      return {16};
  }
  return cuLaunchKernel({0}_func, {11} * {8}, {12}, {13}, {9}, 1, 1, {10}, {17}, {15}, NULL);
}
)",
                    names.function, metadata.kernelName, raiseShared, names.parameters, names.gridX,
                    names.gridY, names.gridZ, names.arguments.empty() ? "NULL" : names.arguments,
                    metadata.numCTAs, metadata.threadsPerBlock(), metadata.sharedBytes, names.x,
                    names.y, names.z, names.scratch, names.list, names.status, names.stream);
  return text;
}

llvm::Expected<AotSources> tessera::writeAotSources(const CompiledKernel &kernel,
                                                    const AotRequest &request,
                                                    llvm::StringRef headerName) {
  const KernelMetadata &metadata = kernel.metadata;
  if (metadata.globalScratch.bytes || metadata.profileScratch.bytes)
    return makeError("'" + metadata.kernelName +
                     "' needs scratch memory, which the C launcher cannot provide");
  if (metadata.numCTAs != 1)
    return makeError("'" + metadata.kernelName +
                     "' runs in clusters (num_ctas > 1), which the C launcher does not launch yet");
  for (const KernelArgument &argument : metadata.arguments)
    if (!argument.constant && !llvm::isAlnum(argument.type.front()) && argument.type.front() != '*')
      return makeError("the C launcher passes scalars and pointers, and '" + argument.name +
                       "' is the tuple " + argument.type);
    else if (llvm::StringRef(argument.type).starts_with("tensordesc"))
      return makeError("the C launcher passes scalars and pointers, and '" + argument.name +
                       "' is a descriptor; make it in the kernel with tl.make_tensor_descriptor");
  const std::string *binary = kernel.find("cubin");
  if (!binary)
    return makeError("the C launcher embeds a cubin, and " + metadata.target + " makes none");
  std::string variant = aotVariant(request.signature, metadata);
  Names names = chooseNames(metadata, request, variant);
  return AotSources{writeHeader(metadata, names), writeSource(kernel, *binary, names, headerName),
                    names.function, variant};
}
