//===- AllocateSharedMemory.cpp - offsets of shared memory buffers -------===//
// Assigns offsets to the buffers of local_alloc and to the scratch of ops that exchange values
// between threads; buffers that are never live at the same time may share bytes.
//
//   before: %b = ttg.convert_layout %a : tensor<64x64xf32, #rows> -> ... #cols
//   after:  the same {allocation.offset = 0 : i32}, module {ttg.shared = 16384 : i32}
//
// 1. Find which buffers are live together (SharedLiveness.h), function by function.
// 2. Assign offsets (BufferPacking.h). If it costs no occupancy, consecutive ops get separate
//    scratch, so that the second need not wait until all threads have read what the first wrote.
// 3. If the chip has less memory, report *unsupported* with the largest users.
//
// Requires: control flow as branches, for the best result.
// Ensures: the offsets are in the IR; the lowering decides nothing.
// Cost: one plan per op with scratch; quadratic in the number of buffers.
//===----------------------------------------------------------------------===//
#include "tessera/Support/Remarks.h"
#include "tessera/Support/Unsupported.h"
#include "tessera/TTGIR/Analysis/BufferPacking.h"
#include "tessera/TTGIR/Analysis/SharedLiveness.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/TTGIR/Transforms/Passes.h"
#include "tessera/TTGIR/Transforms/SharedMemory.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tessera {
#define GEN_PASS_DEF_TTGALLOCATESHAREDMEMORY
#include "tessera/TTGIR/Transforms/Passes.h.inc"
} // namespace tessera

using namespace tessera;
using llvm::BitVector;

static constexpr llvm::StringLiteral kPass = "ttg-allocate-shared-memory";

/// A total with which as many CTAs run on a multiprocessor as its threads allow (16 CTAs of 4
/// warps, of 228 KiB): below it, memory is free.
static constexpr uint64_t kFreeBytes = 8 * 1024;
/// The number of users that a diagnostic names in notes.
static constexpr unsigned kMaxUsersNamed = 8;

namespace {

/// The buffers of one function.
struct Needs {
  SmallVector<Operation *> ops; // local_allocs, then ops with scratch
  std::vector<BufferToPack> buffers;
  DenseMap<Operation *, unsigned> exchanges; // the ops whose scratch all warps share
  BitVector busiest;                         // the set of buffers live together with the most bytes
  uint64_t peak = 0;                         // its size in bytes

  uint64_t bytesOf(const BitVector &set) const {
    uint64_t bytes = 0;
    for (unsigned index : set.set_bits())
      bytes += buffers[index].bytes;
    return bytes;
  }
};

struct AllocateSharedMemory : tessera::impl::TTGAllocateSharedMemoryBase<AllocateSharedMemory> {
  using TTGAllocateSharedMemoryBase::TTGAllocateSharedMemoryBase;
  void runOnOperation() override;
  LogicalResult checkFits(tt::FuncOp func, const Needs &needs, uint64_t bytes);
};

} // namespace

//===----------------------------------------------------------------------===//
// Buffers and their live ranges
//===----------------------------------------------------------------------===//

static void addNeed(Needs &needs, Operation *op, uint64_t bytes, uint64_t alignment) {
  needs.ops.push_back(op);
  needs.buffers.push_back({llvm::alignTo(bytes, kSharedAlignment),
                           std::max<uint64_t>(alignment, kSharedAlignment),
                           {}});
}

static Needs findNeeds(Region &body, bool withCopies = true) {
  SharedAliases aliases(body);
  Needs needs;
  for (ttg::LocalAllocOp alloc : aliases.buffers())
    addNeed(needs, alloc, bufferBytes(alloc.getType()), alloc.getAlignmentOrDefault());
  body.walk([&](Operation *op) {
    ScratchNeed need = scratchNeed(op);
    if (need.bytes == 0)
      return;
    if (!need.withinWarp)
      needs.exchanges[op] = needs.ops.size();
    addNeed(needs, op, need.bytes, need.alignment);
  });
  for (BufferToPack &buffer : needs.buffers)
    buffer.conflicts.resize(needs.buffers.size());
  SharedLiveness liveness(body, aliases, ArrayRef(needs.ops).drop_front(aliases.buffers().size()),
                          withCopies);
  liveness.forEachSet([&](const BitVector &set) {
    for (unsigned index : set.set_bits())
      needs.buffers[index].conflicts |= set;
    if (uint64_t bytes = needs.bytesOf(set); bytes > needs.peak) {
      needs.peak = bytes;
      needs.busiest = set;
    }
  });
  for (auto [index, buffer] : llvm::enumerate(needs.buffers))
    buffer.conflicts.reset(index);
  return needs;
}

uint64_t tessera::peakSharedBytes(Region &body) {
  return findNeeds(body, /*withCopies=*/false).peak;
}

uint64_t tessera::packedSharedBytes(Region &body) {
  Needs needs = findNeeds(body, /*withCopies=*/false);
  return packBuffers(needs.buffers, needs.peak).bytes;
}

//===----------------------------------------------------------------------===//
// Offsets
//===----------------------------------------------------------------------===//

/// Makes scratch conflict with the scratch of the op that runs before it on some path.
static std::vector<BufferToPack> separateNeighbours(Region &body, const Needs &needs) {
  std::vector<BufferToPack> buffers = needs.buffers;
  DenseMap<Block *, BitVector> lastOut; // scratch that may have been used last
  for (Block &block : body)
    lastOut[&block].resize(buffers.size());
  bool changed = true;
  while (changed) {
    changed = false;
    for (Block &block : body) {
      BitVector last(buffers.size());
      for (Block *predecessor : block.getPredecessors())
        last |= lastOut[predecessor];
      for (Operation &op : block) {
        auto it = needs.exchanges.find(&op);
        if (it == needs.exchanges.end())
          continue;
        last.reset(it->second); // itself, in a loop
        for (unsigned before : last.set_bits()) {
          buffers[before].conflicts.set(it->second);
          buffers[it->second].conflicts.set(before);
        }
        last.reset();
        last.set(it->second);
      }
      changed |= last != lastOut[&block];
      lastOut[&block] = std::move(last);
    }
  }
  return buffers;
}

static Packing choosePlaces(Region &body, const Needs &needs) {
  Packing packing = packBuffers(needs.buffers, needs.peak);
  Packing apart = packBuffers(separateNeighbours(body, needs), needs.peak);
  bool isFree = apart.bytes <= std::max(packing.bytes, kFreeBytes);
  // A remark is made only if the two packings differ.
  if (apart.offsets != packing.offsets) {
    Operation *func = body.getParentOp();
    PassRemark remark = isFree ? decided(func, kPass, "scratch") : declined(func, kPass, "scratch");
    remark
        .says(isFree ? "consecutive exchanges between threads have separate scratch"
                     : "consecutive exchanges between threads share scratch")
        .because("separate scratch takes {0} bytes in all, shared scratch {1}", apart.bytes,
                 packing.bytes)
        .number("separate-bytes", apart.bytes)
        .number("shared-bytes", packing.bytes);
  }
  return isFree ? apart : packing;
}

/// Reports the kernel's shared memory, and how much of it is live at once.
static void explain(tt::FuncOp func, const Needs &needs, uint64_t bytes) {
  if (needs.ops.empty())
    return;
  noted(func.getLoc(), kPass, "shared-memory")
      .says("the kernel takes {0} bytes of shared memory for {1} buffers; {2} are live at once",
            bytes, needs.ops.size(), needs.peak)
      .number("bytes", bytes)
      .number("buffers", needs.ops.size())
      .number("live-bytes", needs.peak);
}

//===----------------------------------------------------------------------===//
// The limit of the chip
//===----------------------------------------------------------------------===//

static unsigned countSlots(ttg::MemDescType type) {
  return bufferBytes(type) / std::max(1u, slotBytes(type));
}

static void noteUser(Diagnostic &diagnostic, Operation *op, uint64_t bytes) {
  Diagnostic &note = diagnostic.attachNote(op->getLoc());
  note << bytes << " bytes ";
  auto alloc = dyn_cast<ttg::LocalAllocOp>(op);
  if (!alloc) {
    note << "for '" << op->getName() << "' to exchange values between threads";
    return;
  }
  ttg::MemDescType type = alloc.getType();
  note << "for ";
  if (unsigned slots = countSlots(type); slots > 1)
    note << slots << " stages of ";
  std::string shape;
  llvm::raw_string_ostream os(shape);
  llvm::interleave(type.getLayoutShape(), os, "x");
  os << 'x' << type.getElementType();
  note << shape;
}

LogicalResult AllocateSharedMemory::checkFits(tt::FuncOp func, const Needs &needs, uint64_t bytes) {
  if (maxBytes == 0 || bytes <= maxBytes)
    return success();
  bool hasStages = llvm::any_of(needs.busiest.set_bits(), [&](unsigned index) {
    auto alloc = dyn_cast<ttg::LocalAllocOp>(needs.ops[index]);
    return alloc && countSlots(alloc.getType()) > 1;
  });
  InFlightDiagnostic error = emitUnsupported(func);
  error << "kernel '" << func.getName() << "' needs " << bytes << " bytes of shared memory, "
        << (chip.empty() ? StringRef("the target") : StringRef(chip)) << " has "
        << maxBytes.getValue() << "; use smaller blocks"
        << (hasStages ? " or fewer num_stages" : "");
  setCode(error, "shared-memory", {bytes, maxBytes.getValue()});
  SmallVector<unsigned> users(needs.busiest.set_bits());
  llvm::sort(users, [&](unsigned a, unsigned b) {
    return std::pair(needs.buffers[b].bytes, a) < std::pair(needs.buffers[a].bytes, b);
  });
  for (unsigned index : ArrayRef(users).take_front(kMaxUsersNamed))
    noteUser(*error.getUnderlyingDiagnostic(), needs.ops[index], needs.buffers[index].bytes);
  return error;
}

void AllocateSharedMemory::runOnOperation() {
  ModuleOp module = getOperation();
  Builder b(&getContext());
  uint64_t total = 0;
  for (auto func : module.getOps<tt::FuncOp>()) {
    if (func.isExternal())
      continue;
    Needs needs = findNeeds(func.getBody());
    Packing packing = choosePlaces(func.getBody(), needs);
    if (failed(checkFits(func, needs, packing.bytes)))
      return signalPassFailure();
    explain(func, needs, packing.bytes);
    for (auto [op, offset] : llvm::zip(needs.ops, packing.offsets))
      op->setAttr(ttg::kAllocationOffsetAttr, b.getI32IntegerAttr(offset));
    total = std::max(total, packing.bytes);
  }
  ttg::setSharedBytes(module, total);
}
