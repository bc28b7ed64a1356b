//===- SharedAccess.h - code for a plan of shared-memory accesses ---------===//
// Follows a SharedAccessPlan: computes the thread's part of the address once, adds
// each access's constant, and moves the registers.
//
//   thread part     tid * 16 ^ (tid & 7) * 128      bits 4..11
//   access 0x2040   bit 13 is free: an immediate; bit 6 is not: one xor, which all
//                   accesses with this bit share
//
// Replicated threads all store: the same value to the same address, which costs less
// than asking who is to do it.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/IR/TTGTypes.h"
#include "tessera/TTGIR/Layout/NamedLayouts.h"
#include "tessera/TTGIR/Layout/SharedAccessPlan.h"
#include "tessera/TTGIRToLLIR/TargetInfo.h"
#include "tessera/TTGIRToLLIR/TypeConverter.h"

namespace tessera {

/// A buffer, or a view of a part of one, whose elements take up `bytes` bytes each.
struct SharedBuffer {
  mlir::Value start;     // where the buffer starts: a pointer to shared memory
  mlir::Value part;      // i32, in elements: to xor into offsets; null for zero
  uint64_t partBits = 0; // that it may have set
  unsigned bytes = 1;    // of an element
  llvm::SmallVector<PaddingInterval> padding;
};

/// The buffer behind a lowered memdesc.
SharedBuffer describeBuffer(ttg::MemDescType type, mlir::ValueRange lowered);
/// The address of byte `offset` of the kernel's shared memory.
mlir::Value emitSharedBase(mlir::OpBuilder &b, mlir::Location loc, const TargetInfo &target,
                           unsigned offset);
/// Bytes of an element in memory: a bool takes one.
unsigned memoryBytes(mlir::Type element);

/// The addresses of a plan's accesses.
class SharedAddresses {
public:
  /// `threadBases` and the offsets given to `at` count elements.
  SharedAddresses(mlir::OpBuilder &b, mlir::Location loc, const TargetInfo &target,
                  const SharedBuffer &buffer, llvm::ArrayRef<uint64_t> threadBases);
  /// Of the element at thread part ^ offset.
  mlir::Value at(mlir::OpBuilder &b, mlir::Location loc, uint64_t offset);

private:
  mlir::Value start;
  mlir::Value threadPart; // i32, in bytes, before padding; null for zero
  uint64_t possible = 0;  // bits of threadPart
  unsigned bytes;
  llvm::SmallVector<PaddingInterval> padding;      // in bytes
  llvm::DenseMap<uint64_t, mlir::Value> addresses; // by the bits that are xored in
};

/// The widest vector that padding leaves whole, in bits.
unsigned unpaddedBits(const SharedBuffer &buffer, unsigned limit);

/// The values of all registers, `elementType` each (an LLVM type; see convertType).
llvm::SmallVector<mlir::Value> emitSharedLoads(mlir::OpBuilder &b, mlir::Location loc,
                                               const TargetInfo &target, const SharedBuffer &buffer,
                                               const SharedAccessPlan &plan,
                                               mlir::Type elementType);
void emitSharedStores(mlir::OpBuilder &b, mlir::Location loc, const TargetInfo &target,
                      const SharedBuffer &buffer, const SharedAccessPlan &plan,
                      mlir::ValueRange values);

/// Which blocks of a cluster loads read from: an access's place has the block's number
/// above its lowest `offsetBits` bits, and the reading block contributes to it.
struct ClusterReads {
  mlir::Value block; // this block's number, i32
  llvm::ArrayRef<uint64_t> blockBases;
  unsigned offsetBits;
};
llvm::SmallVector<mlir::Value> emitClusterLoads(mlir::OpBuilder &b, mlir::Location loc,
                                                const TargetInfo &target,
                                                const SharedBuffer &buffer,
                                                const SharedAccessPlan &plan,
                                                const ClusterReads &reads, mlir::Type elementType);

/// Two or four elements of less than 32 bits as one integer, and back.
mlir::Value packWord(mlir::OpBuilder &b, mlir::Location loc, llvm::ArrayRef<mlir::Value> elements);
llvm::SmallVector<mlir::Value> unpackWords(mlir::OpBuilder &b, mlir::Location loc,
                                           llvm::ArrayRef<mlir::Value> words,
                                           mlir::Type elementType);

} // namespace tessera
