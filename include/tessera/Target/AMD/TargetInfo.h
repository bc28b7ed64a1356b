//===- TargetInfo.h - AMD's answers to the generic lowering ---------------===//
// Everything is LLVM's own instructions, or intrinsics of its AMDGPU back end
// called by name: no dialect of AMD's is needed.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIRToLLIR/TargetInfo.h"
#include "tessera/Target/AMD/Spec.h"

namespace tessera::amd {

class AmdTargetInfo : public TargetInfo {
public:
  /// `flushesDenormals`: f32 operations may flush subnormal numbers to zero.
  explicit AmdTargetInfo(const AmdSpec &spec, bool flushesDenormals = false)
      : spec(spec), flushesDenormals(flushesDenormals) {}

  std::string name() const override { return spec.name(); }
  unsigned maxVectorBits() const override { return AmdSpec::maxVectorBits; }
  void addLegalDialects(mlir::ConversionTarget &) const override {}
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
  void sharedBarrier(mlir::OpBuilder &b, mlir::Location loc) const override;
  void warpBarrier(mlir::OpBuilder &b, mlir::Location loc) const override;
  unsigned sharedAddressSpace() const override { return AmdSpec::sharedSpace; }
  /// The kernel's descriptor says how much shared memory it uses, and LLVM then knows how many
  /// waves fit on a processor.
  bool hasSizedSharedMemory() const override { return true; }
  void storeShared(mlir::OpBuilder &b, mlir::Location loc, mlir::Value pointer, mlir::Value value,
                   mlir::Value predicate) const override;
  MatrixMoves matrixLoads() const override { return spec.matrixLoads(); }
  llvm::SmallVector<mlir::Value> loadColumns(mlir::OpBuilder &b, mlir::Location loc,
                                             mlir::Value part, unsigned elementBits) const override;

  unsigned atomicWidth(tt::RMWOp kind, mlir::Type elementType) const override;
  bool hasAtomicSwap(mlir::Type elementType) const override;
  llvm::SmallVector<mlir::Value> atomicUpdate(mlir::RewriterBase &b, mlir::Location loc,
                                              tt::RMWOp kind, const AtomicAccess &access,
                                              mlir::ValueRange values) const override;
  mlir::Value atomicSwap(mlir::RewriterBase &b, mlir::Location loc, const AtomicAccess &access,
                         mlir::Value expected, mlir::Value desired) const override;
  mlir::Value atomicRead(mlir::RewriterBase &b, mlir::Location loc,
                         const AtomicAccess &access) const override;
  llvm::StringRef ctaScope() const override { return "workgroup"; }
  void fence(mlir::OpBuilder &b, mlir::Location loc, tt::MemSyncScope scope) const override;

  mlir::Value shuffleXor(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                         unsigned mask) const override;
  unsigned lastLaneMoves() const override;
  mlir::Value moveToLastLane(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                             unsigned move) const override;
  mlir::Value readLastLane(mlir::OpBuilder &b, mlir::Location loc,
                           mlir::Value value) const override;
  mlir::Value shuffleFrom(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                          mlir::Value lane) const override;

  llvm::SmallVector<mlir::Value> convertFloats(mlir::OpBuilder &b, mlir::Location loc,
                                               mlir::ValueRange values, mlir::Type from,
                                               mlir::Type to, Rounding rounding) const override;
  mlir::Value convertIntToFloat(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                                mlir::Type to, bool isSigned) const override;
  mlir::Value convertFloatToInt(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                                mlir::Type to, bool isSigned) const override;

  mlir::Value element(mlir::OpBuilder &b, mlir::Operation *op,
                      mlir::ValueRange operands) const override;
  mlir::Value call(mlir::OpBuilder &b, tt::ExternElementwiseOp op, mlir::Type type,
                   mlir::ValueRange operands) const override;

  mlir::Type asmRegisterType(mlir::OpBuilder &b, char constraint) const override;
  llvm::StringRef asmConstraints() const override { return "v, s or a"; }

  bool hasPrint() const override { return false; }
  void print(mlir::OpBuilder &, mlir::Location, llvm::StringRef, mlir::ValueRange) const override {}
  void failAssertion(mlir::OpBuilder &b, mlir::Location loc, llvm::StringRef message,
                     llvm::StringRef file, unsigned line, llvm::StringRef function) const override;

  void markKernel(mlir::LLVM::LLVMFuncOp kernel, unsigned numThreads, unsigned numBlocks,
                  unsigned maxRegisters) const override;

private:
  const AmdSpec &spec;
  bool flushesDenormals;
};

} // namespace tessera::amd
