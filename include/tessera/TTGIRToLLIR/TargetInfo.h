//===- TargetInfo.h - what the lowering asks of a target ------------------===//
// The lowering from tiles to scalar code is written once. Where hardware
// differs (special registers, predicated accesses, barriers, fast math) it asks
// this interface; each target implements it in its own folder.
//
// Everything is emitted at the builder's insertion point and works on scalars
// of LLVM types.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/LLIR/SmallFloat.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Transforms/DialectConversion.h"

namespace tessera {

class TTGIRTypeConverter;

/// How an access behaves beyond its address.
struct AccessHints {
  tt::CacheModifier cache = tt::CacheModifier::None;
  tt::EvictionPolicy evict = tt::EvictionPolicy::Normal;
  bool isVolatile = false;

  bool any() const {
    return cache != tt::CacheModifier::None || evict != tt::EvictionPolicy::Normal || isVolatile;
  }
};

/// One access of one thread: `count` consecutive elements at `pointer`.
struct MemoryAccess {
  mlir::Value pointer;    // to global memory
  mlir::Type elementType; // as in memory: an integer, float or pointer of whole bytes
  unsigned count;         // a power of two; count * element size <= maxVectorBits
  mlir::Value predicate;  // i1, or null: always
  AccessHints hints;
};

/// One atomic operation of one thread on consecutive elements at `pointer`.
struct AtomicAccess {
  mlir::Value pointer;    // to global memory
  mlir::Type elementType; // as in memory
  mlir::Value predicate;  // i1, or null: always
  tt::MemSemantic order;
  tt::MemSyncScope scope;
  bool isRead; // whether anybody asks for what was there before
};

/// One copy of one thread from global to shared memory, beside the program.
struct CopyToShared {
  mlir::Value source;      // in global memory, aligned to `bytes`
  mlir::Value destination; // in shared memory, likewise
  unsigned bytes;          // one of asyncCopyBytes()
  mlir::Value mask;        // i1, or null: always. Where false, zeros are written
  mlir::Value predicate;   // i1, or null: always. Where false, nothing happens
  AccessHints hints;
  mlir::Value size = {}; // i32, or null: instead of a mask, the bytes to read before zeros
};

class TargetInfo {
public:
  virtual ~TargetInfo() = default;

  /// For diagnostics: "cuda:90".
  virtual std::string name() const = 0;
  /// The widest access of one thread.
  virtual unsigned maxVectorBits() const = 0;
  /// The dialects of the ops that the functions below emit.
  virtual void addLegalDialects(mlir::ConversionTarget &legal) const = 0;
  /// Patterns for what only this target does in its own way: its matrix units.
  /// Of higher benefit than the generic ones, which stay as the fallback.
  virtual void populatePatterns(mlir::RewritePatternSet &patterns,
                                const TTGIRTypeConverter &types) const = 0;

  // -- Where this thread is ------------------------------------------------

  /// Of the program in the grid, and the grid's size; i32.
  virtual mlir::Value programId(mlir::OpBuilder &b, mlir::Location loc, int axis) const = 0;
  virtual mlir::Value numPrograms(mlir::OpBuilder &b, mlir::Location loc, int axis) const = 0;
  /// Within the thread block, below `numThreads`: lane + threadsPerWarp * warp; i32.
  virtual mlir::Value threadId(mlir::OpBuilder &b, mlir::Location loc,
                               unsigned numThreads) const = 0;

  // -- Memory --------------------------------------------------------------

  /// The values read, one per element; `other` (one per element, or empty for
  /// zero) where the predicate is false. Requires: checkAccess succeeded.
  virtual llvm::SmallVector<mlir::Value> load(mlir::OpBuilder &b, mlir::Location loc,
                                              const MemoryAccess &access,
                                              mlir::ValueRange other) const = 0;
  virtual void store(mlir::OpBuilder &b, mlir::Location loc, const MemoryAccess &access,
                     mlir::ValueRange values) const = 0;
  /// Whether the hints mean something for a load (or a store) here; says why not.
  virtual mlir::LogicalResult checkHints(mlir::Operation *op, const AccessHints &hints,
                                         bool isStore) const = 0;
  /// All threads of the block arrive, and see each other's accesses.
  virtual void barrier(mlir::OpBuilder &b, mlir::Location loc) const = 0;
  /// The same among the lanes of a warp.
  virtual void warpBarrier(mlir::OpBuilder &b, mlir::Location loc) const = 0;
  /// The address space of memory that the threads of a block share.
  virtual unsigned sharedAddressSpace() const = 0;

  // -- Atomics -------------------------------------------------------------

  /// How many consecutive elements one update changes, each atomically; 0 when the
  /// target cannot. Pointers must be aligned to all of them.
  virtual unsigned atomicWidth(tt::RMWOp kind, mlir::Type elementType) const = 0;
  /// Whether elements of this type can be compared and swapped.
  virtual bool hasAtomicSwap(mlir::Type elementType) const = 0;
  /// What was there before, one value per element, zero where the predicate is false;
  /// perhaps nothing if access.isRead is false.
  virtual llvm::SmallVector<mlir::Value> atomicUpdate(mlir::OpBuilder &b, mlir::Location loc,
                                                      tt::RMWOp kind, const AtomicAccess &access,
                                                      mlir::ValueRange values) const = 0;
  virtual mlir::Value atomicSwap(mlir::OpBuilder &b, mlir::Location loc, const AtomicAccess &access,
                                 mlir::Value expected, mlir::Value desired) const = 0;
  /// The order is relaxed or acquire.
  virtual mlir::Value atomicRead(mlir::OpBuilder &b, mlir::Location loc,
                                 const AtomicAccess &access) const = 0;
  /// Acquires and releases.
  virtual void fence(mlir::OpBuilder &b, mlir::Location loc, tt::MemSyncScope scope) const = 0;

  // -- Copies beside the program ---------------------------------------------

  /// The sizes that one copy can have; none where the target has no such copies.
  virtual llvm::ArrayRef<unsigned> asyncCopyBytes() const { return {}; }
  virtual void asyncCopy(mlir::OpBuilder &, mlir::Location, const CopyToShared &) const {}
  /// The copies that this thread started since the last commit are one group.
  virtual void asyncCommit(mlir::OpBuilder &, mlir::Location) const {}
  /// Until at most `groups` of this thread's groups, the newest, are under way.
  virtual void asyncWait(mlir::OpBuilder &, mlir::Location, unsigned /*groups*/) const {}

  // -- Shared memory ---------------------------------------------------------

  /// Whether the lanes of a warp move matrices of 8 rows of 16 bytes together
  /// (SharedAccessPlan.h says which lane has what).
  virtual bool hasMatrixLoads() const { return false; }
  virtual bool hasMatrixStores() const { return false; }
  /// One i32 per matrix; 1, 2 or 4 of them. `row` points to the row that this lane names.
  virtual llvm::SmallVector<mlir::Value> loadMatrices(mlir::OpBuilder &, mlir::Location,
                                                      mlir::Value /*row*/, unsigned /*count*/,
                                                      bool /*transposed*/) const {
    return {};
  }
  virtual void storeMatrices(mlir::OpBuilder &, mlir::Location, mlir::Value /*row*/,
                             mlir::ValueRange /*words*/, bool /*transposed*/) const {}

  // -- Between the blocks of a cluster ----------------------------------------

  /// This block's number among those of its cluster; i32, null where there are none.
  virtual mlir::Value blockInCluster(mlir::OpBuilder &, mlir::Location) const { return {}; }
  /// All threads of the cluster arrive, and see each other's accesses.
  virtual void clusterBarrier(mlir::OpBuilder &, mlir::Location) const {}
  /// The address, in the shared memory of block `number` of the cluster, of what `pointer`
  /// is in this block's. It can be loaded from.
  virtual mlir::Value addressInCluster(mlir::OpBuilder &, mlir::Location, mlir::Value pointer,
                                       mlir::Value /*number*/) const {
    return pointer;
  }

  // -- Between the lanes of a warp -------------------------------------------
  // All lanes take part. Values are scalars of 8 to 64 bits, or i1, or pointers.

  /// What the lane whose number differs in the bits of `mask` holds.
  virtual mlir::Value shuffleXor(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                                 unsigned mask) const = 0;
  /// What lane `lane` (i32) holds; bits above those of a lane's number do not count.
  virtual mlir::Value shuffleFrom(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                                  mlir::Value lane) const = 0;

  // -- Conversions ---------------------------------------------------------

  /// Elements of the float type `from` as `to`, where the target has instructions that
  /// round so; else nothing. Floats of 8 bits are bytes. Too large for 8 bits, or for a
  /// type toward zero, becomes the largest number.
  virtual llvm::SmallVector<mlir::Value> convertFloats(mlir::OpBuilder &b, mlir::Location loc,
                                                       mlir::ValueRange values, mlir::Type from,
                                                       mlir::Type to, Rounding rounding) const = 0;
  /// An integer rounded once to a float type of 16 bits or more; null where LLVM's
  /// instruction does not do that and the target has nothing better.
  virtual mlir::Value convertIntToFloat(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                                        mlir::Type to, bool isSigned) const = 0;
  /// An f32 or f64 toward zero, limited to what `to` holds, NaN as zero; or null.
  virtual mlir::Value convertFloatToInt(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                                        mlir::Type to, bool isSigned) const = 0;
  /// The same from f32 to bytes, where an instruction converts several at a time; else nothing.
  virtual llvm::SmallVector<mlir::Value> convertFloatsToBytes(mlir::OpBuilder &, mlir::Location,
                                                              mlir::ValueRange /*values*/,
                                                              bool /*isSigned*/) const {
    return {};
  }

  // -- Reductions ------------------------------------------------------------

  /// Whether an instruction combines what all lanes of a warp hold by `op`, an arith op of
  /// two operands.
  virtual bool canCombineAllLanes(mlir::Operation * /*op*/) const { return false; }
  /// The combination, in all lanes. Null, with nothing emitted, without the instruction.
  virtual mlir::Value combineAllLanes(mlir::OpBuilder &, mlir::Location, mlir::Operation * /*op*/,
                                      mlir::Value /*value*/) const {
    return {};
  }
  /// Stores a scalar of 8 to 64 bits in shared memory where `predicate` is true; null is
  /// always.
  virtual void storeShared(mlir::OpBuilder &b, mlir::Location loc, mlir::Value pointer,
                           mlir::Value value, mlir::Value predicate) const = 0;

  // -- Arithmetic ----------------------------------------------------------

  /// One element of `op` (an arith, math or tt elementwise op that LLVM's
  /// generic instructions do not cover or cover too slowly). Null, with
  /// nothing emitted, when the target has no way.
  virtual mlir::Value element(mlir::OpBuilder &b, mlir::Operation *op,
                              mlir::ValueRange operands) const = 0;

  /// The result of type `type` of a call of the device library's function that
  /// `op` names. Null, with nothing emitted, when there is no such library here.
  virtual mlir::Value call(mlir::OpBuilder &b, tt::ExternElementwiseOp op, mlir::Type type,
                           mlir::ValueRange operands) const = 0;

  // -- Inline assembly -----------------------------------------------------

  /// The type of a register that a constraint's letter stands for; null for none.
  virtual mlir::Type asmRegisterType(mlir::OpBuilder &b, char constraint) const = 0;
  /// The letters there are, for diagnostics.
  virtual llvm::StringRef asmConstraints() const = 0;

  // -- Prints and assertions -------------------------------------------------

  /// C's printf from the device; the arguments are i32, i64, f64 or pointers.
  virtual void print(mlir::OpBuilder &b, mlir::Location loc, llvm::StringRef format,
                     mlir::ValueRange arguments) const = 0;
  /// Ends the kernel with a report. The caller ends the block.
  virtual void failAssertion(mlir::OpBuilder &b, mlir::Location loc, llvm::StringRef message,
                             llvm::StringRef file, unsigned line,
                             llvm::StringRef function) const = 0;

  // -- Functions -----------------------------------------------------------

  /// The attributes of a kernel's parameter that is a tensor descriptor: a pointer to what the
  /// target's hardware reads. Null if the target has no such thing.
  virtual mlir::DictionaryAttr descriptorArgumentAttrs(mlir::Builder &) const { return {}; }
  /// Marks a function as a kernel of `numThreads` threads per block and `numBlocks`
  /// blocks per cluster; `maxRegisters` is 0 for no limit.
  virtual void markKernel(mlir::LLVM::LLVMFuncOp kernel, unsigned numThreads, unsigned numBlocks,
                          unsigned maxRegisters) const = 0;
};

} // namespace tessera
