//===- GridStations.cpp - where the launch grid shows in a kernel ---------===//
// The levels in order, for `tessera explain --grid-journey`. CPUTarget.h describes the function.
//===----------------------------------------------------------------------===//
#include "tessera/Target/CPU/CPUTarget.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tessera;

std::vector<GridStation> cpu::gridStations(const KernelRecord &record) {
  GridStation ids{
      "program ids in TTIR",
      "tl.program_id(i) and tl.num_programs(i) are ops; a CPU has no registers for them",
      "ttir",
      {"tt.get_program_id", "tt.get_num_programs"}};
  GridStation loop{
      "the loop over programs in LLVM IR",
      "the function runs the programs from begin to end, its third and fourth "
      "argument; it divides begin by the grid's extents once, and counts x, y and z up "
      "from there",
      "llir",
      {"define i32 @", " = udiv i64 ", " = urem i64 "}};
  GridStation object{"the function in the object file",
                     llvm::formatv("int32_t {0}(const void *const *args, const uint32_t grid[3], "
                                   "uint64_t begin, uint64_t end)",
                                   record.symbolInBinary()),
                     "",
                     {}};
  GridStation launch{"the launch",
                     llvm::formatv("the programs 0 to x * y * z - 1 are cut into ranges, which the "
                                   "threads of a pool take one after the other; args holds {0} "
                                   "pointers",
                                   record.passedArguments().size()),
                     "",
                     {}};
  return {ids, loop, object, launch};
}
