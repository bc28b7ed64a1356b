//===- LowerInlineAsm.cpp - assembly on groups of elements ----------------===//
// Each group of `packed_element` registers of a thread (PackGroups.h) becomes one statement.
// Elements narrower than 32 bits share a register, the first in the lowest bits.
//
//   before: tt.elementwise_inline_asm "..." {constraints = "=r,=r,r", packed_element = 4}
//             %a : tensor<128xi8, #l> -> tensor<128xi16, #l>
//   after:  $0, $1: two registers of two 16-bit elements; $2: four 8-bit elements
//
// The text and the constraints are the user's: they are checked here, because LLVM
// ends the process over mistakes in them.
//===----------------------------------------------------------------------===//
#include "Lowering.h"
#include "tessera/TTGIR/IR/TTGLayouts.h"
#include "tessera/TTGIR/Transforms/PackGroups.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InlineAsm.h"

using namespace mlir;
using namespace tessera;

namespace {
/// Elements [first, first + count) of a group of one operand or result.
struct AsmRegister {
  unsigned value;
  unsigned first;
  unsigned count;
  Type type; // as the constraint wants it
};

/// A statement's registers in the order of $0, $1, ...
struct AsmPlan {
  SmallVector<AsmRegister> outputs, inputs;
};
} // namespace

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// LLVM's template language: $3, ${3:h}, ${:uid}, $$, and $( $| $).
static LogicalResult checkTemplate(tt::ElementwiseInlineAsmOp op, unsigned numOperands) {
  StringRef text = op.getAsmString();
  for (size_t i = text.find('$'); i != StringRef::npos; i = text.find('$', i)) {
    StringRef rest = text.drop_front(++i);
    if (!rest.empty() && StringRef("$(|)").contains(rest.front())) {
      ++i;
      continue;
    }
    bool isBraced = rest.consume_front("{");
    if (isBraced && rest.starts_with(":uid}"))
      continue;
    unsigned number;
    bool isBad = rest.consumeInteger(10, number);
    if (!isBad && isBraced)
      isBad = rest.consume_front(":") ? rest.find('}') != 1 : !rest.starts_with("}");
    if (isBad)
      return emitProgramError(op)
             << "inline assembly has a '$' that stands for nothing; write $0, $1, ... "
                "for operands and $$ for a dollar sign";
    if (number >= numOperands)
      return emitProgramError(op) << "inline assembly names operand $" << number
                                  << ", and the constraints \"" << op.getConstraints() << "\" make "
                                  << numOperands;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

static unsigned elementsPerRegister(Type element, unsigned pack) {
  Type scalar = getElementTypeOrSelf(element);
  if (!scalar.isIntOrFloat())
    return 1; // a pointer
  unsigned bits = std::max(8u, scalar.getIntOrFloatBitWidth());
  return std::min(bits < 32 ? 32 / bits : 1, pack);
}

static SmallVector<AsmRegister> cutIntoRegisters(TypeRange types, unsigned pack) {
  SmallVector<AsmRegister> registers;
  for (auto [value, type] : llvm::enumerate(types)) {
    unsigned count = elementsPerRegister(type, pack);
    for (unsigned first = 0; first < pack; first += count)
      registers.push_back({static_cast<unsigned>(value), first, count, Type()});
  }
  return registers;
}

/// Returns the constraints without the spaces of "=r, l", which LLVM would take for register codes.
static std::string constraintsOf(tt::ElementwiseInlineAsmOp op) {
  std::string constraints = op.getConstraints().str();
  llvm::erase_if(constraints, llvm::isSpace);
  return constraints;
}

/// Gives each register the type that its constraint asks for.
static FailureOr<AsmPlan> planRegisters(tt::ElementwiseInlineAsmOp op, const TargetInfo &target,
                                        OpBuilder &b) {
  using llvm::InlineAsm;
  unsigned pack = op.getPackedElement();
  AsmPlan plan{cutIntoRegisters(op.getResultTypes(), pack),
               cutIntoRegisters(op.getArgs().getTypes(), pack)};
  InlineAsm::ConstraintInfoVector constraints = InlineAsm::ParseConstraints(constraintsOf(op));
  SmallVector<Type> outputs, inputs;
  for (const InlineAsm::ConstraintInfo &constraint : constraints) {
    if (constraint.Type == InlineAsm::isClobber)
      continue;
    bool isOutput = constraint.Type == InlineAsm::isOutput;
    if (constraint.Type == InlineAsm::isLabel)
      return emitProgramError(op) << "inline assembly cannot jump, and the constraints \""
                                  << op.getConstraints() << "\" name a label";
    if (isOutput && !inputs.empty())
      return emitProgramError(op)
             << "inline assembly names its outputs first, and the constraints \""
             << op.getConstraints() << "\" name one after an input";
    StringRef code = constraint.Codes.empty() ? StringRef() : StringRef(constraint.Codes[0]);
    unsigned tied;
    Type type = code.size() == 1 ? target.asmRegisterType(b, code[0]) : Type();
    if (!code.getAsInteger(10, tied) && tied < outputs.size())
      type = outputs[tied];
    if (!type || constraint.isIndirect)
      return emitProgramError(op) << "inline assembly constraint '" << code << "' in \""
                                  << op.getConstraints() << "\" is none of " << target.name()
                                  << "'s: use " << target.asmConstraints();
    (isOutput ? outputs : inputs).push_back(type);
  }
  if (outputs.size() != plan.outputs.size() || inputs.size() != plan.inputs.size())
    return emitProgramError(op) << "inline assembly needs " << plan.outputs.size() << " output and "
                                << plan.inputs.size() << " input registers for groups of " << pack
                                << " elements, and the constraints \"" << op.getConstraints()
                                << "\" name " << outputs.size() << " and " << inputs.size();
  for (auto [reg, type] : llvm::zip_equal(plan.outputs, outputs))
    reg.type = type;
  for (auto [reg, type] : llvm::zip_equal(plan.inputs, inputs))
    reg.type = type;
  return plan;
}

//===----------------------------------------------------------------------===//
// Values and registers
//===----------------------------------------------------------------------===//

static Type integerLike(OpBuilder &b, Type type) {
  if (isa<LLVM::LLVMPointerType>(type))
    return b.getI64Type();
  return b.getIntegerType(type.getIntOrFloatBitWidth());
}

static Value toBits(OpBuilder &b, Location loc, Value value) {
  Type integer = integerLike(b, value.getType());
  if (isa<LLVM::LLVMPointerType>(value.getType()))
    return LLVM::PtrToIntOp::create(b, loc, integer, value);
  return value.getType() == integer ? value
                                    : LLVM::BitcastOp::create(b, loc, integer, value).getResult();
}

static Value fromBits(OpBuilder &b, Location loc, Value bits, Type type) {
  if (isa<LLVM::LLVMPointerType>(type))
    return LLVM::IntToPtrOp::create(b, loc, type, bits);
  return bits.getType() == type ? bits : LLVM::BitcastOp::create(b, loc, type, bits).getResult();
}

static Value resize(OpBuilder &b, Location loc, Value bits, unsigned width) {
  unsigned from = bits.getType().getIntOrFloatBitWidth();
  Type type = b.getIntegerType(width);
  if (from == width)
    return bits;
  return from < width ? LLVM::ZExtOp::create(b, loc, type, bits).getResult()
                      : LLVM::TruncOp::create(b, loc, type, bits).getResult();
}

/// `elements` in one register, the first in the lowest bits.
static Value packRegister(OpBuilder &b, Location loc, ArrayRef<Value> elements, Type type) {
  Value bits = toBits(b, loc, elements[0]);
  if (elements.size() > 1) {
    // Bools take a byte.
    unsigned width = std::max(8u, bits.getType().getIntOrFloatBitWidth());
    auto vector = VectorType::get(elements.size(), b.getIntegerType(width));
    Value packed = LLVM::PoisonOp::create(b, loc, vector);
    for (auto [i, element] : llvm::enumerate(elements)) {
      Value place = LLVM::ConstantOp::create(b, loc, b.getI32Type(), i);
      packed = LLVM::InsertElementOp::create(b, loc, packed,
                                             resize(b, loc, toBits(b, loc, element), width), place);
    }
    bits = LLVM::BitcastOp::create(b, loc, b.getIntegerType(width * elements.size()), packed);
  }
  return fromBits(b, loc, resize(b, loc, bits, integerLike(b, type).getIntOrFloatBitWidth()), type);
}

static SmallVector<Value> unpackRegister(OpBuilder &b, Location loc, Value reg, unsigned count,
                                         Type element) {
  Value bits = toBits(b, loc, reg);
  unsigned own = integerLike(b, element).getIntOrFloatBitWidth();
  if (count == 1)
    return {fromBits(b, loc, resize(b, loc, bits, own), element)};
  unsigned width = std::max(8u, own);
  bits = resize(b, loc, bits, width * count);
  Value vector =
      LLVM::BitcastOp::create(b, loc, VectorType::get(count, b.getIntegerType(width)), bits);
  SmallVector<Value> elements;
  for (unsigned i = 0; i < count; ++i) {
    Value place = LLVM::ConstantOp::create(b, loc, b.getI32Type(), i);
    Value part = LLVM::ExtractElementOp::create(b, loc, vector, place);
    elements.push_back(fromBits(b, loc, resize(b, loc, part, own), element));
  }
  return elements;
}

//===----------------------------------------------------------------------===//
// The op
//===----------------------------------------------------------------------===//

namespace {

struct InlineAsmLowering : Lowering<tt::ElementwiseInlineAsmOp> {
  using Lowering::Lowering;

  LogicalResult matchAndRewrite(tt::ElementwiseInlineAsmOp op, Operands operands,
                                ConversionPatternRewriter &b) const final {
    if (op.getPackedElement() < 1)
      return emitProgramError(op) << "inline assembly on groups of " << op.getPackedElement()
                                  << " elements";
    FailureOr<AsmPlan> plan = planRegisters(op, target, b);
    if (failed(plan) || failed(checkTemplate(op, plan->outputs.size() + plan->inputs.size())))
      return failure();
    SmallVector<Type> elementTypes;
    for (Type type : op.getResultTypes()) {
      elementTypes.push_back(types.convertType(getElementTypeOrSelf(type)));
      if (!elementTypes.back())
        return emitUnsupported(op) << "inline assembly with a result of type " << type;
    }

    SmallVector<Type> registers;
    if (failed(types.convertTypes(op->getResult(0).getType(), registers)))
      return failure();
    PackedGroups packed = groupRegisters(op, registers.size());
    SmallVector<SmallVector<Value>> results(op.getNumResults(),
                                            SmallVector<Value>(registers.size()));
    std::map<SmallVector<void *>, SmallVector<SmallVector<Value>>> known; // of pure statements
    for (ArrayRef<unsigned> members : packed.groups) {
      SmallVector<Value> group = gather(operands.getArgs(), members, op.getPackedElement());
      SmallVector<void *> key;
      for (Value value : group)
        key.push_back(value.getAsOpaquePointer());
      SmallVector<SmallVector<Value>> &values = known[key];
      if (values.empty() || !op.getPure())
        values = emitStatement(b, op, *plan, group, elementTypes);
      for (auto [list, group] : llvm::zip_equal(results, values))
        for (auto [reg, value] : llvm::zip(members, group))
          list[reg] = value;
    }
    for (SmallVector<Value> &list : results)
      for (auto [reg, holder] : llvm::enumerate(packed.holder))
        list[reg] = list[holder];
    b.replaceOpWithMultiple(op, llvm::map_to_vector(results, [](SmallVector<Value> &list) {
                              return ValueRange(list);
                            }));
    return success();
  }

  /// The registers of a thread, `packed_element` at a time: the groups that the op names, or
  /// one after the other in the order of its layout.
  static PackedGroups groupRegisters(tt::ElementwiseInlineAsmOp op, unsigned count) {
    unsigned pack = op.getPackedElement();
    SmallVector<TensorBit> bits = getPackBits(op);
    if (auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType()); type && !bits.empty())
      if (std::optional<PackedGroups> named = packRegisters(ttg::toLinearLayout(type), bits))
        return *named;
    PackedGroups groups;
    for (unsigned reg = 0; reg < count; ++reg) {
      if (reg % pack == 0)
        groups.groups.emplace_back();
      groups.groups.back().push_back(reg);
      groups.holder.push_back(reg);
    }
    return groups;
  }

  /// The members of a group of each operand. One with fewer than `pack` repeats its last.
  static SmallVector<Value> gather(ArrayRef<ValueRange> operands, ArrayRef<unsigned> members,
                                   unsigned pack) {
    SmallVector<Value> group;
    for (ValueRange list : operands)
      for (unsigned i = 0; i < pack; ++i)
        group.push_back(list[members[std::min<size_t>(i, members.size() - 1)]]);
    return group;
  }

  SmallVector<SmallVector<Value>> emitStatement(OpBuilder &b, tt::ElementwiseInlineAsmOp op,
                                                const AsmPlan &plan, ArrayRef<Value> group,
                                                ArrayRef<Type> elementTypes) const {
    Location loc = op.getLoc();
    unsigned pack = op.getPackedElement();
    SmallVector<Value> inputs;
    for (const AsmRegister &reg : plan.inputs)
      inputs.push_back(
          packRegister(b, loc, group.slice(reg.value * pack + reg.first, reg.count), reg.type));
    SmallVector<Type> outputs;
    for (const AsmRegister &reg : plan.outputs)
      outputs.push_back(reg.type);
    Type result = outputs.size() == 1 ? outputs[0]
                                      : LLVM::LLVMStructType::getLiteral(b.getContext(), outputs);
    // Loads must not move past what may write (see "~{memory}" in LLVM's language reference).
    std::string constraints = constraintsOf(op);
    if (!op.getPure() && !StringRef(constraints).contains("~{memory}"))
      constraints += ",~{memory}";
    Value all = LLVM::InlineAsmOp::create(b, loc, result, inputs, op.getAsmString(), constraints,
                                          /*has_side_effects=*/!op.getPure(),
                                          /*is_align_stack=*/false,
                                          LLVM::tailcallkind::TailCallKind::None, {}, {})
                    .getResult(0);
    SmallVector<SmallVector<Value>> values(op.getNumResults());
    for (auto [i, reg] : llvm::enumerate(plan.outputs)) {
      Value word =
          outputs.size() == 1 ? all : LLVM::ExtractValueOp::create(b, loc, all, i).getResult();
      llvm::append_range(values[reg.value],
                         unpackRegister(b, loc, word, reg.count, elementTypes[reg.value]));
    }
    return values;
  }
};

} // namespace

void tessera::populateInlineAsmPatterns(RewritePatternSet &patterns,
                                        const TTGIRTypeConverter &types, const TargetInfo &target) {
  patterns.add<InlineAsmLowering>(types, target);
}
