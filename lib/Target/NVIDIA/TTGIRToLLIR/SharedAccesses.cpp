//===- SharedAccesses.cpp - what a warp does to shared memory together ----===//
// PTX ISA, ldmatrix (sm_75), stmatrix and mapa (sm_90).
//===----------------------------------------------------------------------===//
#include "tessera/Target/NVIDIA/TargetInfo.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvidia;

static NVVM::MMALayout matrixOrder(bool transposed) {
  return transposed ? NVVM::MMALayout::col : NVVM::MMALayout::row;
}

SmallVector<Value> NvidiaTargetInfo::loadMatrices(OpBuilder &b, Location loc, Value row,
                                                  unsigned count, bool transposed) const {
  auto shape = NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8);
  Type word = b.getI32Type(), type = word;
  if (count > 1)
    type = LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(count, word));
  Value loaded = NVVM::LdMatrixOp::create(b, loc, type, row, count, matrixOrder(transposed), shape,
                                          NVVM::LdStMatrixEltType::B16);
  if (count == 1)
    return {loaded};
  SmallVector<Value> words;
  for (unsigned i = 0; i < count; ++i)
    words.push_back(LLVM::ExtractValueOp::create(b, loc, loaded, i));
  return words;
}

void NvidiaTargetInfo::storeMatrices(OpBuilder &b, Location loc, Value row, ValueRange words,
                                     bool transposed) const {
  auto shape = NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8);
  NVVM::StMatrixOp::create(b, loc, row, words, matrixOrder(transposed), shape,
                           NVVM::LdStMatrixEltType::B16);
}

//===----------------------------------------------------------------------===//
// Clusters (sm_90)
//===----------------------------------------------------------------------===//

Value NvidiaTargetInfo::blockInCluster(OpBuilder &b, Location loc) const {
  return NVVM::ClusterId::create(b, loc, b.getI32Type());
}

void NvidiaTargetInfo::clusterBarrier(OpBuilder &b, Location loc) const {
  // Arriving releases and waiting acquires, by default.
  NVVM::ClusterArriveOp::create(b, loc, b.getUnitAttr());
  NVVM::ClusterWaitOp::create(b, loc, b.getUnitAttr());
}

Value NvidiaTargetInfo::addressInCluster(OpBuilder &b, Location loc, Value pointer,
                                         Value number) const {
  auto type = LLVM::LLVMPointerType::get(
      b.getContext(), static_cast<unsigned>(NVVM::NVVMMemorySpace::SharedCluster));
  return NVVM::MapaOp::create(b, loc, type, pointer, number);
}
