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
/// The elements from the start of one of several buffers to that of the next.
uint64_t bufferElements(ttg::MemDescType type);
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

} // namespace tessera
