//===- PackHeader.cpp - tessera pack header: typed C functions ------------===//
// Writes a header with an inline function for each kernel of a pack:
//
//   static inline tessera_pack_status scale(tessera_pack *pack, const tessera_pack_place *place,
//                                           const uint32_t grid[3], const void *x_ptr, int32_t n);
//
// The same function launches on the CPU and on GPUs, where pointers are the device's.
// Parameters that are constant in every variant are passed as int64_t if they are
// integers that differ between variants, and left out otherwise.
//===----------------------------------------------------------------------===//
#include "Edge.h"
#include "Pack.h"
#include "tessera/Binary/PackFile.h"
#include "tessera/Kernel/KernelType.h"
#include "tessera/Launch/KernelLibrary.h"
#include "tessera/Support/Error.h"
#include "tessera/Support/Files.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include <map>

using namespace tessera;
using namespace tessera::cli;

namespace {
struct HeaderParameter {
  std::string name, type;             // of a variant that passes it; empty: none does
  std::vector<std::string> constants; // the different ones
};
using HeaderKernels = std::map<std::string, std::vector<HeaderParameter>>;
} // namespace

/// A name in C: "t.0" becomes t_0.
static std::string nameInC(llvm::StringRef text) {
  std::string name;
  for (char c : text)
    name += llvm::isAlnum(c) || c == '_' ? c : '_';
  return whyNoLibraryFunction(name, "").empty() ? name : "arg_" + name;
}

static bool isInteger(llvm::StringRef text) {
  text.consume_front("-");
  return !text.empty() && llvm::all_of(text, llvm::isDigit);
}

/// The C type of a parameter; empty if it is not passed.
static std::string typeInC(const HeaderParameter &parameter) {
  llvm::StringRef type = parameter.type;
  if (type.starts_with("*"))
    return "const void *";
  if (type.empty()) {
    bool isChosen = parameter.constants.size() > 1 && llvm::all_of(parameter.constants, isInteger);
    return isChosen ? "int64_t " : "";
  }
  for (const auto &[name, c] : {std::pair("fp32", "float "),
                                {"fp64", "double "},
                                {"fp16", "uint16_t "},
                                {"bf16", "uint16_t "},
                                {"u1", "uint8_t "},
                                {"i1", "uint8_t "}})
    if (type == name)
      return c;
  if (type.starts_with("fp8"))
    return "uint8_t ";
  return (type[0] == 'u' ? "uint" : "int") + type.drop_front().str() + "_t ";
}

static llvm::Expected<HeaderKernels> collect(const PackFile &pack) {
  HeaderKernels kernels;
  for (uint32_t i = 0; i < pack.view().size(); ++i) {
    PackEntry entry = pack.view().entry(i);
    if (entry.kind != PackEntryKind::Kernel)
      continue;
    llvm::Expected<CompiledKernel> kernel = pack.load(i);
    if (!kernel)
      return kernel.takeError();
    std::vector<HeaderParameter> &parameters = kernels[std::string(entry.name)];
    const std::vector<KernelArgument> &arguments = kernel->record.arguments;
    if (!parameters.empty() && parameters.size() != arguments.size())
      return makeError("the variants of '" + kernel->record.kernelName +
                       "' have different numbers of parameters");
    parameters.resize(arguments.size());
    for (auto [parameter, argument] : llvm::zip_equal(parameters, arguments)) {
      parameter.name = nameInC(argument.name);
      if (!argument.constant)
        parameter.type = argument.type;
      else if (!llvm::is_contained(parameter.constants, *argument.constant))
        parameter.constants.push_back(*argument.constant);
    }
  }
  return kernels;
}

static std::string functionText(llvm::StringRef kernel,
                                llvm::ArrayRef<HeaderParameter> parameters) {
  std::string declared, values;
  for (const HeaderParameter &parameter : parameters) {
    std::string type = typeInC(parameter);
    declared += type.empty() ? "" : ", " + type + parameter.name;
    values += (values.empty() ? "" : ", ") + (type.empty() ? "0" : "&" + parameter.name);
  }
  std::string count = std::to_string(parameters.size());
  return "static inline tessera_pack_status " + nameInC(kernel) +
         "(tessera_pack *tessera_pack_, const tessera_pack_place *tessera_place_, const uint32_t "
         "tessera_grid_[3]" +
         declared + ") {\n  const void *const tessera_values_[] = {" +
         (values.empty() ? "0" : values) + "};\n  return tessera_pack_launch(tessera_pack_, \"" +
         kernel.str() + "\", tessera_grid_, tessera_values_, " + count +
         ", tessera_place_);\n}\n\n";
}

int cli::runPackHeader(const Arguments &arguments) {
  if (arguments.positional.size() != 1)
    return usageError("pack header needs one PACK");
  llvm::Expected<std::shared_ptr<const PackFile>> pack = PackFile::open(arguments.positional[0]);
  if (!pack)
    return failure(pack.takeError(), kProgramError);
  llvm::Expected<HeaderKernels> kernels = collect(**pack);
  if (!kernels)
    return failure(kernels.takeError(), kProgramError);
  std::string stem = nameInC(llvm::sys::path::stem((*pack)->path())), guard;
  for (char c : stem)
    guard += llvm::toUpper(c);
  std::string text = "/* The kernels of " + llvm::sys::path::filename((*pack)->path()).str() +
                     ", written by `tessera pack header`. */\n#ifndef " + guard +
                     "_TPACK_H\n#define " + guard + "_TPACK_H\n\n#include \"tessera_pack.h\"\n\n";
  for (const auto &[name, parameters] : *kernels)
    text += functionText(name, parameters);
  text += "#endif\n";
  std::string path = arguments.get("out-path", "-");
  if (path == "-") {
    std::fputs(text.c_str(), stdout);
    return kDone;
  }
  if (llvm::Error error = writeFile(path, text))
    return failure(std::move(error), kProgramError);
  return kDone;
}
