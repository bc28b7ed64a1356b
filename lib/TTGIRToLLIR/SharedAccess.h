//===- SharedAccess.h - emit planned accesses of shared memory ------------===//
// Emits the code of a SharedAccessPlan: computes the thread's part of the address once, adds the
// constant of each access, and loads or stores the registers.
//
//   thread part     tid * 16 ^ (tid & 7) * 128      bits 4..11
//   access 0x2040   bit 13 is free: an immediate; bit 6 is not: one xor, which all
//                   accesses with this bit share
//
// Threads that hold the same element all store it: the same value to the same address. That costs
// less than a predicate.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/IR/TTGTypes.h"
#include "tessera/TTGIR/Layout/NamedLayouts.h"
#include "tessera/TTGIR/Layout/SharedAccessPlan.h"
#include "tessera/TTGIRToLLIR/SharedBase.h"
#include "tessera/TTGIRToLLIR/TargetInfo.h"
#include "tessera/TTGIRToLLIR/TypeConverter.h"

namespace tessera {

/// A buffer, or a view of a part of one, whose elements take up `bytes` bytes each.
struct SharedBuffer {
  mlir::Value start;     // where the buffer starts: a pointer to shared memory
  mlir::Value part;      // i32, in elements: xored into offsets; null for zero
  uint64_t partBits = 0; // the bits of `part` that may be set
  unsigned bytes = 1;    // of an element
  llvm::SmallVector<PaddingInterval> padding;
};

/// The buffer behind a lowered memdesc.
SharedBuffer describeBuffer(ttg::MemDescType type, mlir::ValueRange lowered);
/// Bytes of an element in memory: a bool takes one.
unsigned memoryBytes(mlir::Type element);

/// The addresses of a plan's accesses.
class SharedAddresses {
public:
  /// `threadBases` and the offsets given to `at` count elements.
  SharedAddresses(mlir::OpBuilder &b, mlir::Location loc, const TargetInfo &target,
                  const SharedBuffer &buffer, llvm::ArrayRef<uint64_t> threadBases);
  /// Returns the address of the element at thread part ^ offset.
  mlir::Value at(mlir::OpBuilder &b, mlir::Location loc, uint64_t offset);

private:
  mlir::Value start;
  mlir::Value threadPart; // i32, in bytes, before padding; null for zero
  uint64_t possible = 0;  // bits of threadPart
  unsigned bytes;
  llvm::SmallVector<PaddingInterval> padding;      // in bytes
  llvm::DenseMap<uint64_t, mlir::Value> addresses; // by the bits that are xored in
};

/// Returns the widest vector that has no padding inside, in bits.
unsigned unpaddedBits(const SharedBuffer &buffer, unsigned limit);

/// Emits loads of all registers; each value is an `elementType` (an LLVM type; see convertType).
llvm::SmallVector<mlir::Value> emitSharedLoads(mlir::OpBuilder &b, mlir::Location loc,
                                               const TargetInfo &target, const SharedBuffer &buffer,
                                               const SharedAccessPlan &plan,
                                               mlir::Type elementType);
void emitSharedStores(mlir::OpBuilder &b, mlir::Location loc, const TargetInfo &target,
                      const SharedBuffer &buffer, const SharedAccessPlan &plan,
                      mlir::ValueRange values);

/// The CTAs of a cluster that loads read from. An access's offset has the CTA's index above its
/// lowest `offsetBits` bits; the index of the reading CTA is xored into it by `blockBases`.
struct ClusterReads {
  mlir::Value block; // the index of the reading CTA, i32
  llvm::ArrayRef<uint64_t> blockBases;
  unsigned offsetBits;
};
llvm::SmallVector<mlir::Value> emitClusterLoads(mlir::OpBuilder &b, mlir::Location loc,
                                                const TargetInfo &target,
                                                const SharedBuffer &buffer,
                                                const SharedAccessPlan &plan,
                                                const ClusterReads &reads, mlir::Type elementType);

/// Packs two or four elements of less than 32 bits into one integer, and unpacks them.
mlir::Value packWord(mlir::OpBuilder &b, mlir::Location loc, llvm::ArrayRef<mlir::Value> elements);
llvm::SmallVector<mlir::Value> unpackWords(mlir::OpBuilder &b, mlir::Location loc,
                                           llvm::ArrayRef<mlir::Value> words,
                                           mlir::Type elementType);

} // namespace tessera
