//===- Toolkit.cpp - where the CUDA toolkit's programs and libraries are --===//
#include "tessera/Target/NVIDIA/Toolkit.h"
#include "tessera/Support/FindTool.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;
using namespace tessera;

/// Below a folder where Python's packages lie: nvidia-cuda-nvcc, and packages with a toolkit
/// inside.
static constexpr StringLiteral kPackages[] = {"nvidia/cu13", "nvidia/cu12", "nvidia/cuda_nvcc",
                                              "triton/backends/nvidia"};

/// Below a toolkit, and in Triton's package.
static constexpr StringLiteral kLibdevice[] = {"nvvm/libdevice/libdevice.10.bc",
                                               "lib/libdevice.10.bc"};

static ToolSearch searchIn(const ToolPlaces &places) {
  ToolSearch search;
  search.systemToolkit = "cuda";
  search.path = places.variables.get("PATH");
  for (StringRef name : {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"})
    if (std::string folder = places.variables.get(name); !folder.empty())
      search.toolkits.push_back(folder);
  for (const std::string &folder : places.packageFolders)
    for (StringRef package : kPackages)
      search.packages.push_back((folder + "/" + package).str());
  return search;
}

/// Empty if there is none: the stage that needs it reports that.
static std::string orNone(Expected<std::string> found) {
  if (found)
    return *found;
  consumeError(found.takeError());
  return "";
}

static std::string findProgram(StringRef name, const ToolPlaces &places, const ToolSearch &search) {
  std::string variable = name.upper() + "_PATH";
  ToolSearch named;
  named.explicitPath = places.variables.firstOf({"TESSERA_" + variable, "TRITON_" + variable});
  if (!named.explicitPath.empty())
    if (std::string path = orNone(findTool(name, named)); !path.empty())
      return path;
  return orNone(findTool(name, search));
}

static std::string findLibdevice(const ToolPlaces &places, const ToolSearch &search) {
  std::string named = places.variables.firstOf({"TESSERA_LIBDEVICE_PATH", "TRITON_LIBDEVICE_PATH"});
  if (!named.empty())
    return named; // whoever names a library wants no other one
  for (StringRef place : kLibdevice)
    if (std::string path = orNone(findToolkitFile(place, search)); !path.empty())
      return path;
  return "";
}

nvidia::Toolkit::Toolkit(const ToolPaths &tools)
    : ptxas(tools.get(kAssemblerRole)), libdevice(tools.get(kLibraryRole)),
      disassembler(tools.get(kDisassemblerRole)), environment(tools.environment),
      temporaryFolder(tools.temporaryFolder), watch(tools.watch) {}

SmallVector<ToolRole> nvidia::listTools() {
  return {
      {.name = kAssemblerRole.str(),
       .label = "ptxas",
       .missing = "not found: cuda targets stop at ptx",
       .help = "the assembler to use instead of the one found"},
      {.name = kLibraryRole.str(), .label = "libdevice", .missing = "not found", .help = ""},
      {.name = kDisassemblerRole.str(), .label = "nvdisasm", .missing = "not found", .help = ""}};
}

void nvidia::chooseTools(ArrayRef<FoundTool> found, ToolPaths &paths) {
  auto pathOf = [&](StringRef name) {
    auto tool = find_if(found, [&](const FoundTool &each) { return each.name == name; });
    return tool == found.end() ? std::string() : tool->path;
  };
  paths.paths[kAssemblerRole.str()] = pathOf("ptxas");
  paths.paths[kLibraryRole.str()] = pathOf("libdevice");
  std::string disassembler = pathOf("nvdisasm");
  paths.paths[kDisassemblerRole.str()] = disassembler.empty() ? pathOf("cuobjdump") : disassembler;
}

SmallVector<FoundTool> nvidia::findTools(const ToolPlaces &places) {
  ToolSearch search = searchIn(places);
  SmallVector<FoundTool> tools;
  for (StringRef name : {"ptxas", "nvdisasm", "cuobjdump"})
    tools.push_back({name.str(), findProgram(name, places, search)});
  tools.push_back({"libdevice", findLibdevice(places, search)});
  return tools;
}
