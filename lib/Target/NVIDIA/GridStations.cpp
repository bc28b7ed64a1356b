//===- GridStations.cpp - where the launch grid shows in a kernel ---------===//
// The levels in order, for `tessera explain --grid-journey`. PTX ISA, Special Registers: %ctaid and
// %nctaid are the position and the extents of the grid in CTAs, %clusterid those in clusters.
//===----------------------------------------------------------------------===//
#include "tessera/Target/NVIDIA/NvidiaTarget.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tessera;

static std::string describeLaunch(const KernelRecord &record) {
  std::string extents =
      record.numCTAs == 1 ? "x, y, z" : llvm::formatv("x * {0}, y, z", record.numCTAs).str();
  std::string text = llvm::formatv(
      "cuLaunchKernel{0}(function, grid = ({1}), block = ({2}, 1, 1), shared = {3} bytes, stream, "
      "{4} visible and {5} hidden arguments)",
      record.numCTAs == 1 && !record.cooperative && !record.dependentLaunch ? "" : "Ex", extents,
      record.threadsPerBlock(), record.sharedBytes, record.passedArguments().size(),
      record.hiddenArguments.size());
  if (record.numCTAs > 1)
    text += llvm::formatv(", with clusters of ({0}, {1}, {2}) CTAs", record.cluster[0],
                          record.cluster[1], record.cluster[2]);
  return text;
}

std::vector<GridStation> nvidia::gridStations(const KernelRecord &record) {
  bool isCluster = record.numCTAs > 1;
  std::string program =
      isCluster ? llvm::formatv("a cluster of {0} CTAs", record.numCTAs).str() : "one CTA";
  GridStation layout{"the CTA's layout in TTGIR",
                     llvm::formatv("a program is {0} of {1} warps with {2} threads each; layouts "
                                   "spread a tensor over these, and the grid is not in them",
                                   program, record.numWarps, record.threadsPerWarp),
                     "ttgir",
                     {"module attributes", "#ttg.blocked<"}};
  GridStation ids{"program ids in LLVM IR",
                  isCluster ? "tl.program_id(i) reads the cluster's position in the grid, and "
                              "tl.num_programs(i) the grid's extent in clusters"
                            : "tl.program_id(i) reads the CTA's position in the grid, and "
                              "tl.num_programs(i) the grid's extent; the kernel itself combines "
                              "them to one number if it needs one",
                  "llir",
                  {"sreg.ctaid", "sreg.nctaid", "sreg.clusterid", "sreg.nclusterid"}};
  GridStation registers{"special registers in PTX",
                        "the hardware sets them for each CTA before the kernel starts",
                        "ptx",
                        {"%ctaid", "%nctaid", "%clusterid", "%nclusterid"}};
  GridStation bounds{
      "launch bounds",
      llvm::formatv("the assembler assigns registers for {0} threads per CTA{1}, and "
                    "the driver refuses a launch with other blocks",
                    record.threadsPerBlock(),
                    record.registers >= 0 ? llvm::formatv(", {0} each", record.registers).str()
                                          : ""),
      "ptx",
      {".reqntid", ".maxntid", ".minnctapersm", ".maxnreg", ".reqnctapercluster",
       ".explicitcluster"}};
  GridStation launch{"the launch", describeLaunch(record), "", {}};
  return {layout, ids, registers, bounds, launch};
}
