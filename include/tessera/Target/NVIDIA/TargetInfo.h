//===- TargetInfo.h - NVIDIA's answers to the generic lowering ------------===//
// Special registers and barriers through NVVM, predicated and hinted accesses
// through inline PTX (LLVM has no predicated load), math through the chip's
// fast instructions or libdevice.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIRToLLIR/TargetInfo.h"
#include "tessera/Target/NVIDIA/Spec.h"

namespace tessera::nvidia {

class NvidiaTargetInfo : public TargetInfo {
public:
  /// A program runs on `numCTAs` thread blocks, a cluster if they are several. Of the threads of a
  /// block, `otherThreads` have code of their own and take no part in barriers.
  explicit NvidiaTargetInfo(const NvidiaSpec &spec, unsigned numCTAs = 1, unsigned numThreads = 0,
                            unsigned otherThreads = 0)
      : spec(spec), numCTAs(numCTAs), numThreads(numThreads), otherThreads(otherThreads) {}

  std::string name() const override;
  unsigned maxVectorBits() const override { return NvidiaSpec::maxVectorBits; }
  void addLegalDialects(mlir::ConversionTarget &legal) const override;
  void populatePatterns(mlir::RewritePatternSet &patterns,
                        const TTGIRTypeConverter &types) const override;

  mlir::Value programId(mlir::OpBuilder &b, mlir::Location loc, int axis) const override;
  mlir::Value numPrograms(mlir::OpBuilder &b, mlir::Location loc, int axis) const override;
  mlir::Value threadId(mlir::OpBuilder &b, mlir::Location loc, unsigned numThreads) const override;

  llvm::SmallVector<mlir::Value> load(mlir::OpBuilder &b, mlir::Location loc,
                                      const MemoryAccess &access,
                                      mlir::ValueRange other) const override;
  void store(mlir::OpBuilder &b, mlir::Location loc, const MemoryAccess &access,
             mlir::ValueRange values) const override;
  mlir::LogicalResult checkHints(mlir::Operation *op, const AccessHints &hints,
                                 bool isStore) const override;
  void barrier(mlir::OpBuilder &b, mlir::Location loc) const override;
  void warpBarrier(mlir::OpBuilder &b, mlir::Location loc) const override;
  unsigned sharedAddressSpace() const override { return 3; }

  unsigned atomicWidth(tt::RMWOp kind, mlir::Type elementType) const override;
  bool hasAtomicSwap(mlir::Type elementType) const override;
  llvm::SmallVector<mlir::Value> atomicUpdate(mlir::RewriterBase &b, mlir::Location loc,
                                              tt::RMWOp kind, const AtomicAccess &access,
                                              mlir::ValueRange values) const override;
  mlir::Value atomicSwap(mlir::RewriterBase &b, mlir::Location loc, const AtomicAccess &access,
                         mlir::Value expected, mlir::Value desired) const override;
  mlir::Value atomicRead(mlir::RewriterBase &b, mlir::Location loc,
                         const AtomicAccess &access) const override;
  void fence(mlir::OpBuilder &b, mlir::Location loc, tt::MemSyncScope scope) const override;

  llvm::ArrayRef<unsigned> asyncCopyBytes() const override;
  void asyncCopy(mlir::OpBuilder &b, mlir::Location loc, const CopyToShared &copy) const override;
  void asyncCommit(mlir::OpBuilder &b, mlir::Location loc) const override;
  void asyncWait(mlir::OpBuilder &b, mlir::Location loc, unsigned groups) const override;

  MatrixMoves matrixLoads() const override { return MatrixMoves::Rows; }
  bool hasMatrixStores() const override { return spec.hasMatrixStores(); }
  llvm::SmallVector<mlir::Value> loadMatrices(mlir::OpBuilder &b, mlir::Location loc,
                                              mlir::Value row, unsigned count,
                                              bool transposed) const override;
  void storeMatrices(mlir::OpBuilder &b, mlir::Location loc, mlir::Value row,
                     mlir::ValueRange words, bool transposed) const override;

  mlir::Value blockInCluster(mlir::OpBuilder &b, mlir::Location loc) const override;
  void clusterBarrier(mlir::OpBuilder &b, mlir::Location loc) const override;
  mlir::Value addressInCluster(mlir::OpBuilder &b, mlir::Location loc, mlir::Value pointer,
                               mlir::Value number) const override;

  mlir::Value shuffleXor(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                         unsigned mask) const override;
  mlir::Value shuffleFrom(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                          mlir::Value lane) const override;

  llvm::SmallVector<mlir::Value> convertFloats(mlir::OpBuilder &b, mlir::Location loc,
                                               mlir::ValueRange values, mlir::Type from,
                                               mlir::Type to, Rounding rounding) const override;
  mlir::Value convertIntToFloat(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                                mlir::Type to, bool isSigned) const override;
  mlir::Value convertFloatToInt(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                                mlir::Type to, bool isSigned) const override;
  llvm::SmallVector<mlir::Value> convertFloatsToBytes(mlir::OpBuilder &b, mlir::Location loc,
                                                      mlir::ValueRange values,
                                                      bool isSigned) const override;

  bool canCombineAllLanes(mlir::Operation *op) const override;
  mlir::Value combineAllLanes(mlir::OpBuilder &b, mlir::Location loc, mlir::Operation *op,
                              mlir::Value value) const override;
  void storeShared(mlir::OpBuilder &b, mlir::Location loc, mlir::Value pointer, mlir::Value value,
                   mlir::Value predicate) const override;

  mlir::Value element(mlir::OpBuilder &b, mlir::Operation *op,
                      mlir::ValueRange operands) const override;

  mlir::Value call(mlir::OpBuilder &b, tt::ExternElementwiseOp op, mlir::Type type,
                   mlir::ValueRange operands) const override;

  mlir::Type asmRegisterType(mlir::OpBuilder &b, char constraint) const override;
  llvm::StringRef asmConstraints() const override { return "r, l, h, f, d or b"; }

  void print(mlir::OpBuilder &b, mlir::Location loc, llvm::StringRef format,
             mlir::ValueRange arguments) const override;
  void failAssertion(mlir::OpBuilder &b, mlir::Location loc, llvm::StringRef message,
                     llvm::StringRef file, unsigned line, llvm::StringRef function) const override;

  mlir::DictionaryAttr descriptorArgumentAttrs(mlir::Builder &b) const override;
  void prefetchDescriptors(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange maps,
                           unsigned numThreads) const override;
  void markKernel(mlir::LLVM::LLVMFuncOp kernel, unsigned numThreads, unsigned numBlocks,
                  unsigned maxRegisters) const override;

private:
  const NvidiaSpec &spec;
  unsigned numCTAs;
  unsigned numThreads, otherThreads;
};

} // namespace tessera::nvidia
