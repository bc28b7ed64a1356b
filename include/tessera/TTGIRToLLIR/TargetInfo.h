//===- TargetInfo.h - the instructions that the lowering asks a target for ===//
// The lowering from tensors to scalar code is written once for all targets. For operations that
// differ between machines (special registers, predicated accesses, barriers, fast math) it calls
// this interface; each target implements it in its own folder.
//
// All functions emit code at the builder's insertion point, on scalars of LLVM types.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/LLIR/SmallFloat.h"
#include "tessera/TTGIR/Layout/MachineModel.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Transforms/DialectConversion.h"

namespace tessera {

class TTGIRTypeConverter;

/// The cache hints of an access, and whether it is volatile.
struct AccessHints {
  tt::CacheModifier cache = tt::CacheModifier::None;
  tt::EvictionPolicy evict = tt::EvictionPolicy::Normal;
  bool isVolatile = false;

  bool any() const {
    return cache != tt::CacheModifier::None || evict != tt::EvictionPolicy::Normal || isVolatile;
  }
};

/// One access of one thread: `count` consecutive elements at `pointer`, or at `offset` elements
/// from it. Only targets with a dialect of such accesses (ttg::OffsetAccessOpInterface) get
/// offsets; they are from a pointer that is equal for all threads.
struct MemoryAccess {
  mlir::Value pointer;    // to global memory
  mlir::Type elementType; // as in memory: an integer, float or pointer of whole bytes
  unsigned count;         // a power of two; count * element size <= maxVectorBits
  mlir::Value predicate;  // i1, or null: always
  AccessHints hints;
  mlir::Value offset = {}; // i32, or null: none
};

/// One atomic operation of one thread on consecutive elements at `pointer`.
struct AtomicAccess {
  mlir::Value pointer;    // to global memory
  mlir::Type elementType; // as in memory
  mlir::Value predicate;  // i1, or null: always
  tt::MemSemantic order;
  tt::MemSyncScope scope;
  bool isRead; // the previous values are used
};

/// One asynchronous copy of one thread from global to shared memory.
struct CopyToShared {
  mlir::Value source;      // in global memory, aligned to `bytes`
  mlir::Value destination; // in shared memory, likewise
  unsigned bytes;          // one of asyncCopyBytes()
  mlir::Value mask;        // i1, or null: always true. If false, zeros are written
  mlir::Value predicate;   // i1, or null: always true. If false, nothing is written
  AccessHints hints;
  mlir::Value size = {}; // i32, or null. Instead of a mask: the bytes to read; zeros follow
};

class TargetInfo {
public:
  virtual ~TargetInfo() = default;

  /// The target's name for diagnostics: "cuda:90".
  virtual std::string name() const = 0;
  /// The widest access of one thread.
  virtual unsigned maxVectorBits() const = 0;
  /// The dialects of the ops that the functions below emit.
  virtual void addLegalDialects(mlir::ConversionTarget &legal) const = 0;
  /// Adds the patterns of ops that only this target lowers in its own way, such as those of its
  /// matrix units. They have a higher benefit than the generic patterns, which are the fallback.
  virtual void populatePatterns(mlir::RewritePatternSet &patterns,
                                const TTGIRTypeConverter &types) const = 0;

  // -- Indices of program and thread ---------------------------------------

  /// The index of the program in the grid, and the size of the grid; i32.
  virtual mlir::Value programId(mlir::OpBuilder &b, mlir::Location loc, int axis) const = 0;
  virtual mlir::Value numPrograms(mlir::OpBuilder &b, mlir::Location loc, int axis) const = 0;
  /// The index of the thread in its CTA, below `numThreads`: lane + threadsPerWarp * warp; i32.
  virtual mlir::Value threadId(mlir::OpBuilder &b, mlir::Location loc,
                               unsigned numThreads) const = 0;

  // -- Memory --------------------------------------------------------------

  /// Returns the loaded values, one per element; if the predicate is false, `other` (one per
  /// element, or empty for zeros). Requires: checkHints succeeded.
  virtual llvm::SmallVector<mlir::Value> load(mlir::OpBuilder &b, mlir::Location loc,
                                              const MemoryAccess &access,
                                              mlir::ValueRange other) const = 0;
  virtual void store(mlir::OpBuilder &b, mlir::Location loc, const MemoryAccess &access,
                     mlir::ValueRange values) const = 0;
  /// Fails with an error if the target has no such hints for a load (or a store).
  virtual mlir::LogicalResult checkHints(mlir::Operation *op, const AccessHints &hints,
                                         bool isStore) const = 0;
  /// Emits a barrier of the CTA, which orders the memory accesses of its threads.
  virtual void barrier(mlir::OpBuilder &b, mlir::Location loc) const = 0;
  /// Emits a barrier of the CTA that needs to order only accesses of shared memory.
  virtual void sharedBarrier(mlir::OpBuilder &b, mlir::Location loc) const { barrier(b, loc); }
  /// Emits a barrier of the lanes of a warp.
  virtual void warpBarrier(mlir::OpBuilder &b, mlir::Location loc) const = 0;
  /// The address space of shared memory.
  virtual unsigned sharedAddressSpace() const = 0;
  /// Returns whether a kernel's shared memory is a variable of its size; otherwise the launch
  /// says how much there is.
  virtual bool hasSizedSharedMemory() const { return false; }

  // -- Atomics -------------------------------------------------------------

  /// Returns the number of consecutive elements that one instruction updates, each atomically; 0 if
  /// the target cannot. The pointer must be aligned to the size of all of them.
  virtual unsigned atomicWidth(tt::RMWOp kind, mlir::Type elementType) const = 0;
  /// Returns whether the target has compare-and-swap for this type.
  virtual bool hasAtomicSwap(mlir::Type elementType) const = 0;
  /// Returns the previous values, one per element, or zeros if the predicate is false. May return
  /// nothing if access.isRead is false.
  virtual llvm::SmallVector<mlir::Value> atomicUpdate(mlir::RewriterBase &b, mlir::Location loc,
                                                      tt::RMWOp kind, const AtomicAccess &access,
                                                      mlir::ValueRange values) const = 0;
  virtual mlir::Value atomicSwap(mlir::RewriterBase &b, mlir::Location loc,
                                 const AtomicAccess &access, mlir::Value expected,
                                 mlir::Value desired) const = 0;
  /// Emits an atomic load. Requires: the order is relaxed or acquire.
  virtual mlir::Value atomicRead(mlir::RewriterBase &b, mlir::Location loc,
                                 const AtomicAccess &access) const = 0;
  /// LLVM's name for the scope of a CTA, for atomics of shared memory.
  virtual llvm::StringRef ctaScope() const { return "block"; }
  /// Emits a fence with acquire and release semantics.
  virtual void fence(mlir::OpBuilder &b, mlir::Location loc, tt::MemSyncScope scope) const = 0;

  // -- Asynchronous copies ---------------------------------------------------

  /// The sizes that one copy can have; empty if the target has no asynchronous copies.
  virtual llvm::ArrayRef<unsigned> asyncCopyBytes() const { return {}; }
  virtual void asyncCopy(mlir::OpBuilder &, mlir::Location, const CopyToShared &) const {}
  /// Makes one group of the copies that this thread started since the last commit.
  virtual void asyncCommit(mlir::OpBuilder &, mlir::Location) const {}
  /// Waits until at most the newest `groups` of this thread's groups are in flight.
  virtual void asyncWait(mlir::OpBuilder &, mlir::Location, unsigned /*groups*/) const {}

  // -- Shared memory ---------------------------------------------------------

  /// The instructions by which the lanes of a warp read for each other (SharedTiles.h describes
  /// which lane gets which element).
  virtual MatrixMoves matrixLoads() const { return MatrixMoves::None; }
  /// Returns whether a warp stores matrices of 8 rows of 16 bytes.
  virtual bool hasMatrixStores() const { return false; }
  /// Loads 1, 2 or 4 matrices; returns one i32 per matrix. `row` points to the row whose address
  /// this lane passes.
  virtual llvm::SmallVector<mlir::Value> loadMatrices(mlir::OpBuilder &, mlir::Location,
                                                      mlir::Value /*row*/, unsigned /*count*/,
                                                      bool /*transposed*/) const {
    return {};
  }
  /// Loads columns of 16 rows or fewer, with elements of `elementBits` bits; returns i32 words with
  /// those of this lane. `part` points to the part of a row whose address this lane passes.
  virtual llvm::SmallVector<mlir::Value> loadColumns(mlir::OpBuilder &, mlir::Location,
                                                     mlir::Value /*part*/,
                                                     unsigned /*elementBits*/) const {
    return {};
  }
  virtual void storeMatrices(mlir::OpBuilder &, mlir::Location, mlir::Value /*row*/,
                             mlir::ValueRange /*words*/, bool /*transposed*/) const {}

  // -- CTAs of a cluster ------------------------------------------------------

  /// The index of this CTA in its cluster; i32, or null if the target has no clusters.
  virtual mlir::Value blockInCluster(mlir::OpBuilder &, mlir::Location) const { return {}; }
  /// Emits a barrier of all threads of the cluster, which orders their memory accesses.
  virtual void clusterBarrier(mlir::OpBuilder &, mlir::Location) const {}
  /// Maps an address in this CTA's shared memory to the same offset in the shared memory of CTA
  /// `number` of the cluster. The result can be loaded from.
  virtual mlir::Value addressInCluster(mlir::OpBuilder &, mlir::Location, mlir::Value pointer,
                                       mlir::Value /*number*/) const {
    return pointer;
  }

  // -- Shuffles --------------------------------------------------------------
  // All lanes of the warp take part. Values are scalars of 8 to 64 bits, or i1, or pointers.

  /// Returns the value of the lane whose index differs in the bits of `mask`.
  virtual mlir::Value shuffleXor(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                                 unsigned mask) const = 0;
  /// Returns the value of lane `lane` (i32); bits above those of a lane's index are ignored.
  virtual mlir::Value shuffleFrom(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                                  mlir::Value lane) const = 0;

  // -- Conversions ---------------------------------------------------------

  /// Converts elements of the float type `from` to `to`; returns nothing if the target has no
  /// instruction that rounds in this way. 8-bit floats are bytes. A value that is too large becomes
  /// the largest number if `to` has 8 bits or the rounding is toward zero.
  virtual llvm::SmallVector<mlir::Value> convertFloats(mlir::OpBuilder &b, mlir::Location loc,
                                                       mlir::ValueRange values, mlir::Type from,
                                                       mlir::Type to, Rounding rounding) const = 0;
  /// Converts an integer to a float type of 16 bits or more, with one rounding. Returns null if
  /// neither LLVM's instruction nor the target does that.
  virtual mlir::Value convertIntToFloat(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                                        mlir::Type to, bool isSigned) const = 0;
  /// Converts an f32 or f64 to an integer: rounds toward zero, saturates to the range of `to`, and
  /// converts NaN to zero. Returns null if the target cannot.
  virtual mlir::Value convertFloatToInt(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                                        mlir::Type to, bool isSigned) const = 0;
  /// The same from f32 to bytes, where an instruction converts several at a time; else nothing.
  virtual llvm::SmallVector<mlir::Value> convertFloatsToBytes(mlir::OpBuilder &, mlir::Location,
                                                              mlir::ValueRange /*values*/,
                                                              bool /*isSigned*/) const {
    return {};
  }

  // -- Reductions ------------------------------------------------------------

  /// Returns whether an instruction reduces the values of all lanes of a warp by `op`, an arith op
  /// of two operands.
  virtual bool canCombineAllLanes(mlir::Operation * /*op*/) const { return false; }
  /// Emits this reduction; all lanes get the result. Returns null and emits nothing if there is no
  /// such instruction.
  virtual mlir::Value combineAllLanes(mlir::OpBuilder &, mlir::Location, mlir::Operation * /*op*/,
                                      mlir::Value /*value*/) const {
    return {};
  }
  /// The moves between lanes after which the last lane of a warp has combined the values of all, if
  /// each lane combines what it has with what it gets, and the order does not matter. 0: shuffles
  /// cost no more.
  virtual unsigned lastLaneMoves() const { return 0; }
  virtual mlir::Value moveToLastLane(mlir::OpBuilder &, mlir::Location, mlir::Value value,
                                     unsigned /*move*/) const {
    return value;
  }
  /// Returns the last lane's value, in all lanes.
  virtual mlir::Value readLastLane(mlir::OpBuilder &, mlir::Location, mlir::Value value) const {
    return value;
  }
  /// Stores a scalar of 8 to 64 bits to shared memory if `predicate` is true; null means always.
  virtual void storeShared(mlir::OpBuilder &b, mlir::Location loc, mlir::Value pointer,
                           mlir::Value value, mlir::Value predicate) const = 0;

  // -- Arithmetic ----------------------------------------------------------

  /// Emits one element of `op`, an arith, math or tt elementwise op for which LLVM has no generic
  /// instruction, or only a slow one. Returns null and emits nothing if the target has none either.
  virtual mlir::Value element(mlir::OpBuilder &b, mlir::Operation *op,
                              mlir::ValueRange operands) const = 0;

  /// Calls the device library's function that `op` names; the result has type `type`. Returns null
  /// and emits nothing if the target has no such library.
  virtual mlir::Value call(mlir::OpBuilder &b, tt::ExternElementwiseOp op, mlir::Type type,
                           mlir::ValueRange operands) const = 0;

  // -- Inline assembly -----------------------------------------------------

  /// Returns the register type of a constraint letter; null if there is no such letter.
  virtual mlir::Type asmRegisterType(mlir::OpBuilder &b, char constraint) const = 0;
  /// The constraint letters, for diagnostics.
  virtual llvm::StringRef asmConstraints() const = 0;

  // -- Prints and assertions -------------------------------------------------

  /// Returns whether kernels can print.
  virtual bool hasPrint() const { return true; }
  /// Emits a printf on the device; the arguments are i32, i64, f64 or pointers.
  virtual void print(mlir::OpBuilder &b, mlir::Location loc, llvm::StringRef format,
                     mlir::ValueRange arguments) const = 0;
  /// Ends the kernel with a report of the failed assertion. The caller ends the basic block.
  virtual void failAssertion(mlir::OpBuilder &b, mlir::Location loc, llvm::StringRef message,
                             llvm::StringRef file, unsigned line,
                             llvm::StringRef function) const = 0;

  // -- Functions -----------------------------------------------------------

  /// The attributes of a kernel's parameter that is a tensor descriptor: a pointer to what the
  /// target's hardware reads. Null if the target has no such thing.
  virtual mlir::DictionaryAttr descriptorArgumentAttrs(mlir::Builder &) const { return {}; }
  /// Emits what a kernel does first with its descriptor parameters: hints for the hardware.
  virtual void prefetchDescriptors(mlir::OpBuilder &, mlir::Location, mlir::ValueRange,
                                   unsigned /*numThreads*/) const {}
  /// Marks a function as a kernel with `numThreads` threads per CTA and `numBlocks` CTAs per
  /// cluster; `maxRegisters` is 0 for no limit.
  virtual void markKernel(mlir::LLVM::LLVMFuncOp kernel, unsigned numThreads, unsigned numBlocks,
                          unsigned maxRegisters) const = 0;
};

} // namespace tessera
