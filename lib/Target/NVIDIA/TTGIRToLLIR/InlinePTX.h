//===- InlinePTX.h - instructions that LLVM does not know -----------------===//
// A statement of inline PTX is built operand by operand, outputs first:
//
//   PTXStatement ptx;
//   std::string d = ptx.output('r');          // $0
//   std::string a = ptx.input("l", pointer);  // $1
//   Value loaded = ptx.emit(b, loc, "ld.global.b32 " + d + ", [" + a + "];", types)[0];
//
// Elements smaller than a register are packed into words (PackedWords).
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

namespace tessera::nvidia {

/// The memory effects of a statement. A statement that reads is not removed, not merged with
/// another, and not moved past a statement that writes. LLVM moves no load past a statement that
/// writes, which includes atomics and fences.
enum class Effects { None, Reads, Writes };

/// "~{memory}" tells LLVM's machine passes that a statement writes. Without it, they sink
/// loads past the statement into a later block, whatever its side effects.
inline constexpr llvm::StringLiteral kClobbersMemory = ",~{memory}";

/// An inline assembly statement under construction. Operands are numbered in
/// the order they are added; outputs must come first.
class PTXStatement {
public:
  /// A result register of the class 'h', 'r', 'l', 'f' or 'd'. Early clobber: the
  /// statement writes it before it has read all inputs.
  std::string output(char registerClass, bool isEarlyClobber = false) {
    return add((isEarlyClobber ? "=&" : "=") + std::string(1, registerClass));
  }
  std::string input(llvm::Twine constraint, mlir::Value value) {
    operands.push_back(value);
    return add(constraint.str());
  }
  /// Gives output `index` a value before the statement runs.
  void tie(unsigned index, mlir::Value value) { (void)input(llvm::Twine(index), value); }
  /// "@$3 ", or nothing for no predicate.
  std::string guard(mlir::Value predicate) {
    return predicate ? "@" + input("b", predicate) + " " : "";
  }

  /// The statement, with one result for each output.
  llvm::SmallVector<mlir::Value> emit(mlir::OpBuilder &b, mlir::Location loc, llvm::StringRef text,
                                      llvm::ArrayRef<mlir::Type> results, Effects effects) const;

private:
  std::string add(std::string constraint) {
    constraints += (count ? "," : "") + constraint;
    return "$" + std::to_string(count++);
  }

  llvm::SmallVector<mlir::Value> operands;
  std::string constraints;
  unsigned count = 0;
};

/// An expression: no effects, one result, operands in order from $1.
mlir::Value emitPureAsm(mlir::OpBuilder &b, mlir::Location loc, llvm::StringRef text,
                        llvm::StringRef constraints, mlir::Type result, mlir::ValueRange operands);

/// "{$0, $1}", or "$0" when there is one.
std::string braced(llvm::ArrayRef<std::string> names);

/// How `count` elements of memory are cut into the words that registers hold: of 32 bits
/// (64 for 64-bit elements, 8 or 16 when that is all there is).
struct PackedWords {
  PackedWords(mlir::Type elementType, unsigned count);

  unsigned elementBits;
  unsigned bits;    // of a word
  unsigned count;   // of words
  unsigned perWord; // elements

  /// The register that holds a word: PTX has none of 8 bits.
  unsigned registerBits() const { return std::max(bits, 16u); }
  char registerClass() const { return bits == 64 ? 'l' : bits == 32 ? 'r' : 'h'; }
  /// ".v4", or nothing for one word.
  std::string vectorSuffix() const { return count > 1 ? ".v" + std::to_string(count) : ""; }

  llvm::SmallVector<mlir::Value> pack(mlir::OpBuilder &b, mlir::Location loc,
                                      mlir::ValueRange elements) const;
  llvm::SmallVector<mlir::Value> unpack(mlir::OpBuilder &b, mlir::Location loc,
                                        mlir::ValueRange words, mlir::Type elementType) const;
};

/// A scalar's bits as an integer, and back.
mlir::Value toInteger(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value);
mlir::Value fromInteger(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value, mlir::Type type);

} // namespace tessera::nvidia
