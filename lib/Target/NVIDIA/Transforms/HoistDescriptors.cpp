//===- HoistDescriptors.cpp - let the launcher build tensor maps ----------===//
// A descriptor whose base, extents and strides are functions of the kernel's arguments is the same
// in all programs. The launcher builds its tensor map once, from a recipe:
//
//   before: tt.func public @k(%a: !tt.ptr<f16>, %m: i32, %n: i32, %stride: i64) {
//             %d = tt.make_tensor_descriptor %a, [%m, %n], [%stride, %one]
//   after:  tt.func public @k(%a: !tt.ptr<f16>, %m: i32, %n: i32, %stride: i64,
//               %d: !tt.tensordesc<…> {tt.tensor_map = {base = "arg0", extents = ["arg2", "arg1"],
//                                      strides = [["*", "arg3", 2]], fill = "zero"}})
//
// The walk over operands follows constants, integer arithmetic, and tt.addptr of the base. Integers
// of 32 bits that would wrap in the kernel make the recipe fail, so that the launch takes the
// variant without tensor maps, which wraps as the program says.
//
// Requires: descriptors that are to be tensor maps have a shared encoding. Ensures: arguments
// with recipes come last, one for each recipe and type. Cost: linear in the operands' expressions.
//===----------------------------------------------------------------------===//
#include "tessera/Support/Remarks.h"
#include "tessera/TTIR/IR/DescriptorParts.h"
#include "tessera/Target/NVIDIA/Passes.h"
#include "tessera/Target/NVIDIA/TensorMapArguments.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tessera::nvidia {
#define GEN_PASS_DEF_NVIDIAHOISTDESCRIPTORS
#include "tessera/Target/NVIDIA/Passes.h.inc"
} // namespace tessera::nvidia

using namespace tessera;
using namespace tessera::nvidia;
using Kind = LaunchExpression::Kind;

static constexpr llvm::StringLiteral kPass = "nvidia-hoist-descriptors";

namespace {
struct HoistDescriptors : nvidia::impl::NvidiaHoistDescriptorsBase<HoistDescriptors> {
  void runOnOperation() override;
};

/// A descriptor that becomes an argument.
struct Plan {
  tt::MakeTensorDescOp make;
  DictionaryAttr recipe;
};

/// Converts scalars to expressions over a kernel's arguments. After a failure, `problem` names the
/// op that is no such expression.
class ArgumentExpressions {
public:
  explicit ArgumentExpressions(tt::FuncOp kernel) : kernel(kernel) {}

  std::string problem = {};

  std::optional<LaunchExpression> of(Value value, unsigned depth = 0);
  /// The argument that a pointer is computed from, and the bytes added to it.
  bool ofPointer(Value pointer, TensorMapRecipe &recipe);

private:
  std::optional<LaunchExpression> ofOp(Operation *op, unsigned depth);
  std::optional<LaunchExpression> fail(Value value);
  bool isArgument(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && argument.getOwner() == &kernel.getBody().front();
  }
  tt::FuncOp kernel;
};
} // namespace

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

/// Expressions of arguments are short; a longer chain is cheaper on the device.
static constexpr unsigned kMaxSteps = 24;

std::optional<LaunchExpression> ArgumentExpressions::fail(Value value) {
  if (!problem.empty())
    return std::nullopt;
  Operation *op = value.getDefiningOp();
  problem = op ? "'" + op->getName().getStringRef().str() + "'" : "a loop or a branch";
  return std::nullopt;
}

/// The result of 32-bit arithmetic: the launch must not wrap silently.
static LaunchExpression fitted(LaunchExpression expression, Type type) {
  bool isSingle = expression.terms.size() == 1;
  return type.isInteger(32) && !isSingle
             ? LaunchExpression::convert(Kind::Narrow, std::move(expression))
             : expression;
}

/// The operation of a binary op; nothing for others.
static std::optional<Kind> kindOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<Kind>>(op)
      .Case([](arith::AddIOp) { return Kind::Add; })
      .Case([](arith::SubIOp) { return Kind::Subtract; })
      .Case([](arith::MulIOp) { return Kind::Multiply; })
      .Case([](arith::DivSIOp) { return Kind::Divide; })
      .Case([](arith::FloorDivSIOp) { return Kind::FloorDivide; })
      .Case([](arith::CeilDivSIOp) { return Kind::CeilDivide; })
      .Case([](arith::RemSIOp) { return Kind::Remainder; })
      .Case([](arith::MinSIOp) { return Kind::Min; })
      .Case([](arith::MaxSIOp) { return Kind::Max; })
      .Default([](Operation *) { return std::nullopt; });
}

std::optional<LaunchExpression> ArgumentExpressions::ofOp(Operation *op, unsigned depth) {
  Value result = op->getResult(0);
  if (auto cast = dyn_cast<arith::ExtSIOp>(op))
    return of(cast.getIn(), depth);
  bool isHint = isa<tt::BitcastOp>(op) && op->getOperand(0).getType() == result.getType();
  if (isHint)
    return of(op->getOperand(0), depth);
  auto widen = dyn_cast<arith::ExtUIOp>(op);
  auto narrow = dyn_cast<arith::TruncIOp>(op);
  if ((widen && widen.getIn().getType().isInteger(32)) ||
      (narrow && result.getType().isInteger(32))) {
    std::optional<LaunchExpression> inner = of(op->getOperand(0), depth);
    if (!inner)
      return std::nullopt;
    return LaunchExpression::convert(widen ? Kind::Unsigned : Kind::Narrow, std::move(*inner));
  }
  std::optional<Kind> kind = kindOf(op);
  bool hasWidth = result.getType().isInteger(32) || result.getType().isInteger(64);
  if (!kind || !hasWidth)
    return fail(result);
  std::optional<LaunchExpression> left = of(op->getOperand(0), depth);
  std::optional<LaunchExpression> right = left ? of(op->getOperand(1), depth) : std::nullopt;
  if (!right)
    return std::nullopt;
  return fitted(LaunchExpression::combine(*kind, std::move(*left), *right), result.getType());
}

std::optional<LaunchExpression> ArgumentExpressions::of(Value value, unsigned depth) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)) && constant.getBitWidth() <= 64)
    return LaunchExpression::number(constant.getBitWidth() == 1 ? constant.getZExtValue()
                                                                : constant.getSExtValue());
  if (isArgument(value) && value.getType().isIntOrIndex())
    return LaunchExpression::argument(cast<BlockArgument>(value).getArgNumber());
  Operation *op = value.getDefiningOp();
  if (!op || depth == kMaxSteps || op->getNumResults() != 1)
    return fail(value);
  return ofOp(op, depth + 1);
}

bool ArgumentExpressions::ofPointer(Value pointer, TensorMapRecipe &recipe) {
  recipe.offset = LaunchExpression::number(0);
  for (unsigned step = 0; step < kMaxSteps; ++step) {
    if (isArgument(pointer)) {
      recipe.base = cast<BlockArgument>(pointer).getArgNumber();
      return true;
    }
    Operation *op = pointer.getDefiningOp();
    if (auto cast = dyn_cast_or_null<tt::BitcastOp>(op);
        cast && isa<tt::PointerType>(cast.getSrc().getType())) {
      pointer = cast.getSrc();
      continue;
    }
    auto add = dyn_cast_or_null<tt::AddPtrOp>(op);
    if (!add)
      break;
    std::optional<LaunchExpression> elements = of(add.getOffset());
    if (!elements)
      return false;
    unsigned bits =
        cast<tt::PointerType>(pointer.getType()).getPointeeType().getIntOrFloatBitWidth();
    LaunchExpression bytes = LaunchExpression::combine(Kind::Multiply, std::move(*elements),
                                                       LaunchExpression::number(bits / 8));
    recipe.offset =
        LaunchExpression::combine(Kind::Add, std::move(recipe.offset), std::move(bytes));
    pointer = add.getPtr();
  }
  fail(pointer);
  return false;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static void decline(tt::MakeTensorDescOp make, const Twine &why) {
  declined(make, kPass, "tensor-map")
      .says("the kernel itself makes the tensor map")
      .because("{0}", why.str());
}

static std::optional<TensorMapRecipe> findRecipe(tt::MakeTensorDescOp make, tt::FuncOp kernel) {
  TensorMapRecipe recipe;
  ArgumentExpressions expressions(kernel);
  auto collect = [&](Value value, StringRef what, std::vector<LaunchExpression> &into,
                     int64_t factor) {
    std::optional<LaunchExpression> found = expressions.of(value);
    if (found)
      into.push_back(LaunchExpression::combine(Kind::Multiply, std::move(*found),
                                               LaunchExpression::number(factor)));
    else
      decline(make, what + " comes from " + expressions.problem + ", not from arguments alone");
    return found.has_value();
  };
  if (!expressions.ofPointer(make.getBase(), recipe)) {
    decline(make, "the base comes from " + expressions.problem + ", not from arguments alone");
    return std::nullopt;
  }
  for (Value extent : llvm::reverse(make.getShape()))
    if (!collect(extent, "an extent", recipe.extents, 1))
      return std::nullopt;
  RankedTensorType block = make.getType().getSignlessBlockType();
  for (Value stride : llvm::reverse(make.getStrides().drop_back()))
    if (!collect(stride, "a stride", recipe.strides, block.getElementTypeBitWidth() / 8))
      return std::nullopt;
  recipe.fillsWithNaN = make.getPadding() == tt::PaddingOption::NaN;
  if (!setBoxOf(make.getType(), recipe)) {
    decline(make, "no tensor map copies such blocks, or fills them with NaN");
    return std::nullopt;
  }
  if (std::string why = recipe.whyInvalid(kernel.getNumArguments()); !why.empty()) {
    decline(make, why);
    return std::nullopt;
  }
  return recipe;
}

static SmallVector<Plan> planArguments(tt::FuncOp kernel) {
  SmallVector<Plan> plans;
  kernel.walk([&](tt::MakeTensorDescOp make) {
    if (!make.getType().getBlockType().getEncoding())
      return;
    if (std::optional<TensorMapRecipe> recipe = findRecipe(make, kernel))
      plans.push_back({make, toAttribute(*recipe, kernel.getContext())});
  });
  return plans;
}

/// Returns the argument with this recipe and type.
static std::optional<unsigned> findArgument(tt::FuncOp kernel, const Plan &plan) {
  for (unsigned index = 0; index < kernel.getNumArguments(); ++index)
    if (kernel.getArgumentTypes()[index] == tt::MakeTensorDescOp(plan.make).getType() &&
        kernel.getArgAttr(index, tt::kTensorMapRecipeAttr) == plan.recipe)
      return index;
  return std::nullopt;
}

static void applyPlans(tt::FuncOp kernel, ArrayRef<Plan> plans) {
  Builder b(kernel.getContext());
  unsigned count = 0;
  for (Plan plan : plans) {
    std::optional<unsigned> index = findArgument(kernel, plan);
    if (!index && count == kMaxLaunchMaps) {
      decline(plan.make, "the kernel takes " + Twine(kMaxLaunchMaps) + " others already");
      continue;
    }
    decided(plan.make, kPass, "tensor-map")
        .says("the launcher builds the tensor map")
        .because("its base, extents and strides are functions of arguments");
    if (!index) {
      index = kernel.getNumArguments();
      ++count;
      (void)kernel.insertArgument(
          *index, plan.make.getType(),
          b.getDictionaryAttr(b.getNamedAttr(tt::kTensorMapRecipeAttr, plan.recipe)),
          plan.make.getLoc());
    }
    plan.make.replaceAllUsesWith(Value(kernel.getArgument(*index)));
    plan.make.erase();
  }
}

void HoistDescriptors::runOnOperation() {
  for (auto kernel : getOperation().getOps<tt::FuncOp>())
    if (kernel.isKernel() && !kernel.isExternal())
      applyPlans(kernel, planArguments(kernel));
}
