//===- OcmlLibrary.cpp - math functions of an installed ROCm --------------===//
// See OcmlLibrary.h. Source of the constants' names: "Controls" in the documentation of ROCm's
// device libraries.
//===----------------------------------------------------------------------===//
#include "OcmlLibrary.h"
#include "MathLibrary.h"
#include "tessera/LLIR/DeviceLibrary.h"
#include "tessera/Support/FindTool.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace tessera;
using namespace tessera::amd;

std::string amd::findOcml(const ToolPlaces &places) {
  std::string named = places.variables.firstOf({"TESSERA_OCML_PATH", "TRITON_OCML_PATH"});
  if (!named.empty())
    return named; // whoever names a library wants no other one
  ToolSearch search;
  search.systemRoot = "/opt";
  search.systemToolkit = "rocm";
  for (StringRef name : {"ROCM_PATH", "ROCM_HOME", "HIP_PATH"})
    if (std::string folder = places.variables.get(name); !folder.empty())
      search.toolkits.push_back(folder);
  for (const std::string &folder : places.packageFolders)
    search.packages.push_back(folder + "/triton/backends/amd");
  for (StringRef place :
       {"amdgcn/bitcode/ocml.bc", "lib/llvm/lib/amdgcn/bitcode/ocml.bc", "lib/ocml.bc"}) {
    Expected<std::string> found = findToolkitFile(place, search);
    if (found)
      return *found;
    consumeError(found.takeError());
  }
  return "";
}

std::string amd::ocmlSymbol(StringRef symbol) {
  if (symbol.starts_with("__ocml_"))
    return symbol.str();
  return StringSwitch<std::string>(symbol)
      .Case("__nv_j0f", "__ocml_j0_f32")
      .Case("__nv_j0", "__ocml_j0_f64")
      .Case("__nv_j1f", "__ocml_j1_f32")
      .Case("__nv_j1", "__ocml_j1_f64")
      .Case("__nv_y0f", "__ocml_y0_f32")
      .Case("__nv_y0", "__ocml_y0_f64")
      .Case("__nv_y1f", "__ocml_y1_f32")
      .Case("__nv_y1", "__ocml_y1_f64")
      .Default("");
}

/// "gfx942" is 9402 and "gfx1100" 11000: the last two digits are hexadecimal.
static unsigned versionNumber(StringRef chip) {
  StringRef digits = chip.drop_front(StringRef("gfx").size());
  unsigned major = 0;
  digits.drop_back(2).getAsInteger(10, major);
  return major * 1000 + hexDigitValue(digits[digits.size() - 2]) * 100 +
         hexDigitValue(digits.back());
}

llvm::Error amd::linkOcml(Module &module, StringRef path, const AmdSpec &spec,
                          bool flushesDenormals) {
  if (Error error = linkDeviceLibrary(module, path))
    return error;
  inlineLibraryFunctions(module);
  for (GlobalVariable &variable : module.globals()) {
    StringRef name = variable.getName();
    if (!variable.isDeclaration() || !name.consume_front("__oclc_"))
      continue;
    unsigned value = StringSwitch<unsigned>(name)
                         .Case("ISA_version", versionNumber(spec.chip))
                         .Case("ABI_version", 500)
                         .Case("correctly_rounded_sqrt32", 1)
                         .Case("wavefrontsize64", spec.threadsPerWarp == 64)
                         .Case("daz_opt", flushesDenormals)
                         .Default(0); // finite_only_opt, unsafe_math_opt
    variable.setInitializer(ConstantInt::get(variable.getValueType(), value));
    variable.setLinkage(GlobalValue::InternalLinkage);
    variable.setConstant(true);
  }
  return Error::success();
}
