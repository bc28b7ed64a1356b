//===- TargetInfo.cpp - NVIDIA's answers: grid, threads, kernels ----------===//
// See TargetInfo.h; memory is in Accesses.cpp, arithmetic in Arithmetic.cpp.
//===----------------------------------------------------------------------===//
#include "tessera/Target/NVIDIA/TargetInfo.h"
#include "InlinePTX.h"
#include "LowerMbarriers.h"
#include "LowerMma.h"
#include "LowerTensorCopies.h"
#include "LowerWarpGroupDot.h"
#include "LowerWarpRoles.h"
#include "tessera/Target/NVIDIA/TensorMaps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvidia;

std::string NvidiaTargetInfo::name() const { return "cuda:" + std::to_string(spec.capability); }

void NvidiaTargetInfo::addLegalDialects(ConversionTarget &legal) const {
  legal.addLegalDialect<NVVM::NVVMDialect>();
}

void NvidiaTargetInfo::populatePatterns(RewritePatternSet &patterns,
                                        const TTGIRTypeConverter &types) const {
  populateMmaPatterns(patterns, types, *this, spec);
  populateWarpGroupDotPatterns(patterns, types, *this, spec);
  if (!spec.hasTensorMemoryAccess())
    return; // nor barriers in shared memory that copies complete on
  populateMbarrierPatterns(patterns, types, *this);
  populateWarpRolePatterns(patterns, types, *this);
  populateTensorCopyPatterns(patterns, types, *this);
  populateTensorMapPatterns(patterns, types, *this);
}

template <typename X, typename Y, typename Z>
static Value emitAxis(OpBuilder &b, Location loc, int axis) {
  Type type = b.getI32Type();
  if (axis == 0)
    return X::create(b, loc, type);
  return axis == 1 ? Y::create(b, loc, type).getRes() : Z::create(b, loc, type).getRes();
}

// A program that runs on several blocks is their cluster.

Value NvidiaTargetInfo::programId(OpBuilder &b, Location loc, int axis) const {
  if (numCTAs > 1)
    return emitAxis<NVVM::ClusterIdXOp, NVVM::ClusterIdYOp, NVVM::ClusterIdZOp>(b, loc, axis);
  return emitAxis<NVVM::BlockIdXOp, NVVM::BlockIdYOp, NVVM::BlockIdZOp>(b, loc, axis);
}

Value NvidiaTargetInfo::numPrograms(OpBuilder &b, Location loc, int axis) const {
  if (numCTAs > 1)
    return emitAxis<NVVM::ClusterDimXOp, NVVM::ClusterDimYOp, NVVM::ClusterDimZOp>(b, loc, axis);
  return emitAxis<NVVM::GridDimXOp, NVVM::GridDimYOp, NVVM::GridDimZOp>(b, loc, axis);
}

Value NvidiaTargetInfo::threadId(OpBuilder &b, Location loc, unsigned numThreads) const {
  // The range lets LLVM see that index bits are disjoint.
  unsigned all = otherThreads != 0 ? this->numThreads + otherThreads : numThreads;
  auto range =
      LLVM::ConstantRangeAttr::get(b.getContext(), llvm::APInt(32, 0), llvm::APInt(32, all));
  return NVVM::ThreadIdXOp::create(b, loc, b.getI32Type(), range);
}

void NvidiaTargetInfo::barrier(OpBuilder &b, Location loc) const {
  if (otherThreads == 0) {
    NVVM::Barrier0Op::create(b, loc);
    return;
  }
  // Barrier 0 is for all threads of the block.
  constexpr unsigned number = 1;
  PTXStatement ptx;
  std::string text = "bar.sync " + std::to_string(number) + ", " + std::to_string(numThreads) + ";";
  ptx.emit(b, loc, text, {}, Effects::Writes);
}

void NvidiaTargetInfo::warpBarrier(OpBuilder &b, Location loc) const {
  Value all = LLVM::ConstantOp::create(b, loc, b.getI32Type(), -1);
  NVVM::SyncWarpOp::create(b, loc, all);
}

/// A tensor map is passed by value and read where it is passed (CUDA: __grid_constant__): a copy
/// in the thread's own memory would not be visible to the engine.
DictionaryAttr NvidiaTargetInfo::descriptorArgumentAttrs(Builder &b) const {
  if (!spec.hasTensorMemoryAccess())
    return {};
  auto map = LLVM::LLVMArrayType::get(b.getI8Type(), kTensorMapBytes);
  return b.getDictionaryAttr(
      {b.getNamedAttr(LLVM::LLVMDialect::getByValAttrName(), TypeAttr::get(map)),
       b.getNamedAttr(LLVM::LLVMDialect::getAlignAttrName(), b.getI64IntegerAttr(kTensorMapAlign)),
       b.getNamedAttr(NVVM::NVVMDialect::getGridConstantAttrName(), b.getUnitAttr())});
}

/// One thread brings the maps into the cache of descriptors, while the kernel computes its first
/// coordinates.
void NvidiaTargetInfo::prefetchDescriptors(OpBuilder &b, Location loc, ValueRange maps,
                                           unsigned numThreads) const {
  if (maps.empty())
    return;
  Value zero = LLVM::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(0));
  Value isFirst =
      LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, threadId(b, loc, numThreads), zero);
  for (Value map : maps) {
    PTXStatement ptx;
    std::string address = ptx.input("l", map), guard = ptx.guard(isFirst);
    ptx.emit(b, loc, guard + "prefetch.tensormap [" + address + "];", {}, Effects::Reads);
  }
}

void NvidiaTargetInfo::markKernel(LLVM::LLVMFuncOp kernel, unsigned numThreads, unsigned numBlocks,
                                  unsigned maxRegisters) const {
  Builder b(kernel.getContext());
  kernel->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), b.getUnitAttr());
  // Exactly so many threads: ptxas then knows the register budget.
  kernel->setAttr(NVVM::NVVMDialect::getReqntidAttrName(),
                  b.getDenseI32ArrayAttr({static_cast<int32_t>(numThreads)}));
  // PTX ISA, .reqnctapercluster: launches with clusters of any other size fail.
  if (numBlocks > 1)
    kernel->setAttr(NVVM::NVVMDialect::getClusterDimAttrName(),
                    b.getDenseI32ArrayAttr({static_cast<int32_t>(numBlocks), 1, 1}));
  if (maxRegisters != 0)
    kernel->setAttr(NVVM::NVVMDialect::getMaxnregAttrName(), b.getI32IntegerAttr(maxRegisters));
  kernel.setNoUnwind(true);
}
