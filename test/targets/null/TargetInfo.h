//===- TargetInfo.h - null's answers to the generic lowering --------------===//
// What hardware would have an instruction for is a call of a function that is declared
// and never defined: `null.barrier`, `null.shuffle_xor.f32`. The last part of a name is
// the type of the value it is about. Special registers are words of memory:
// `null.thread_id`.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIRToLLIR/TargetInfo.h"
#include "null/Spec.h"

namespace tessera::null {

class NullTargetInfo : public TargetInfo {
public:
  std::string name() const override { return NullSpec::name; }
  unsigned maxVectorBits() const override { return NullSpec::maxVectorBits; }
  unsigned sharedAddressSpace() const override { return NullSpec::sharedAddressSpace; }
  void addLegalDialects(mlir::ConversionTarget &) const override {}
  void populatePatterns(mlir::RewritePatternSet &, const TTGIRTypeConverter &) const override {}

  mlir::Value programId(mlir::OpBuilder &b, mlir::Location loc, int axis) const override;
  mlir::Value numPrograms(mlir::OpBuilder &b, mlir::Location loc, int axis) const override;
  mlir::Value threadId(mlir::OpBuilder &b, mlir::Location loc, unsigned numThreads) const override;

  llvm::SmallVector<mlir::Value> load(mlir::OpBuilder &b, mlir::Location loc,
                                      const MemoryAccess &access,
                                      mlir::ValueRange other) const override;
  void store(mlir::OpBuilder &b, mlir::Location loc, const MemoryAccess &access,
             mlir::ValueRange values) const override;
  /// No cache does what a hint asks for, and results do not depend on it.
  mlir::LogicalResult checkHints(mlir::Operation *, const AccessHints &, bool) const override {
    return mlir::success();
  }
  void barrier(mlir::OpBuilder &b, mlir::Location loc) const override;
  void warpBarrier(mlir::OpBuilder &b, mlir::Location loc) const override;
  void storeShared(mlir::OpBuilder &b, mlir::Location loc, mlir::Value pointer, mlir::Value value,
                   mlir::Value predicate) const override;

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

  mlir::Value shuffleXor(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                         unsigned mask) const override;
  mlir::Value shuffleFrom(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                          mlir::Value lane) const override;

  /// Conversions, math and libraries: what LLVM cannot do, this machine cannot either.
  llvm::SmallVector<mlir::Value> convertFloats(mlir::OpBuilder &, mlir::Location, mlir::ValueRange,
                                               mlir::Type, mlir::Type, Rounding) const override {
    return {};
  }
  mlir::Value convertIntToFloat(mlir::OpBuilder &, mlir::Location, mlir::Value, mlir::Type,
                                bool) const override {
    return {};
  }
  mlir::Value convertFloatToInt(mlir::OpBuilder &, mlir::Location, mlir::Value, mlir::Type,
                                bool) const override {
    return {};
  }
  mlir::Value element(mlir::OpBuilder &b, mlir::Operation *op,
                      mlir::ValueRange operands) const override;
  mlir::Value call(mlir::OpBuilder &, tt::ExternElementwiseOp, mlir::Type,
                   mlir::ValueRange) const override {
    return {};
  }

  mlir::Type asmRegisterType(mlir::OpBuilder &b, char constraint) const override;
  llvm::StringRef asmConstraints() const override { return "r, l or f"; }

  void print(mlir::OpBuilder &b, mlir::Location loc, llvm::StringRef format,
             mlir::ValueRange arguments) const override;
  void failAssertion(mlir::OpBuilder &b, mlir::Location loc, llvm::StringRef message,
                     llvm::StringRef file, unsigned line, llvm::StringRef function) const override;

  void markKernel(mlir::LLVM::LLVMFuncOp kernel, unsigned numThreads, unsigned numBlocks,
                  unsigned maxRegisters) const override;
};

/// A call of the function NAME, or NAME.TYPE with the type of `about`, which is declared on
/// first use. The result is null for a void function.
mlir::Value emitCall(mlir::OpBuilder &b, mlir::Location loc, llvm::StringRef name,
                     mlir::Type result, mlir::ValueRange operands, mlir::Type about = {});

} // namespace tessera::null
