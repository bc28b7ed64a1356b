//===- Elementwise.cpp - arith, math and tt arithmetic on lanes -----------===//
// See Elementwise.h. Four families: integers, floats (small ones widen to f32
// and round back), casts, pointers. Cost: a few LLVM ops each.
//===----------------------------------------------------------------------===//
#include "Elementwise.h"
#include "SmallFloat.h"
#include "tessera/Support/Unsupported.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cpu;
using Int = LLVM::ICmpPredicate;

Type tessera::cpu::convertElement(Type type) {
  MLIRContext *context = type.getContext();
  if (isSmallFloat(type))
    return IntegerType::get(context, type.getIntOrFloatBitWidth());
  if (type.isF32() || type.isF64())
    return type;
  if (type.isSignlessInteger())
    return llvm::is_contained({1u, 8u, 16u, 32u, 64u}, type.getIntOrFloatBitWidth()) ? type
                                                                                     : Type();
  if (isa<tt::PointerType>(type) && !tt::isTensorPointer(type))
    return LLVM::LLVMPointerType::get(context);
  return {};
}

unsigned tessera::cpu::elementBytes(Type type) {
  return isa<tt::PointerType>(type) ? 8 : std::max(1u, type.getIntOrFloatBitWidth() / 8);
}

static Type elementOf(Value value) { return getElementTypeOrSelf(value.getType()); }

//===----------------------------------------------------------------------===//
// Which ops
//===----------------------------------------------------------------------===//

static bool isIntegerOp(Operation *op) {
  return isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::DivSIOp, arith::DivUIOp,
             arith::RemSIOp, arith::RemUIOp, arith::AndIOp, arith::OrIOp, arith::XOrIOp,
             arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp, arith::CmpIOp, arith::SelectOp,
             arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp, arith::MinUIOp, math::AbsIOp,
             math::CtPopOp, math::CountLeadingZerosOp, math::CountTrailingZerosOp, tt::MulhiUIOp>(
      op);
}

/// libdevice's functions are libm's under other names: __nv_tanhf, __nv_tanh.
static StringRef libdeviceName(tt::ExternElementwiseOp call) {
  StringRef name = call.getSymbol();
  Type element = elementOf(call.getResult());
  bool same = llvm::all_of(call->getOperandTypes(),
                           [&](Type type) { return getElementTypeOrSelf(type) == element; });
  if (!same || !call.getPure() || !name.consume_front("__nv_") ||
      (element.isF32() && !name.consume_back("f")) || !(element.isF32() || element.isF64()))
    return "";
  bool two = llvm::is_contained({"pow", "atan2", "fmod", "fmax", "fmin"}, name);
  bool known = Elementwise::isLibraryFunction(name) && name != "fma";
  return known && call->getNumOperands() == (two ? 2 : 1) ? name : "";
}

/// libm's name of a function without the `f` of its f32 version; empty for others.
static StringRef libraryName(Operation *op) {
  return TypeSwitch<Operation *, StringRef>(op)
      .Case([](math::ExpOp) { return "exp"; })
      .Case([](math::Exp2Op) { return "exp2"; })
      .Case([](math::ExpM1Op) { return "expm1"; })
      .Case([](math::LogOp) { return "log"; })
      .Case([](math::Log2Op) { return "log2"; })
      .Case([](math::Log10Op) { return "log10"; })
      .Case([](math::Log1pOp) { return "log1p"; })
      .Case([](math::SinOp) { return "sin"; })
      .Case([](math::CosOp) { return "cos"; })
      .Case([](math::TanOp) { return "tan"; })
      .Case([](math::AsinOp) { return "asin"; })
      .Case([](math::AcosOp) { return "acos"; })
      .Case([](math::AtanOp) { return "atan"; })
      .Case([](math::SinhOp) { return "sinh"; })
      .Case([](math::CoshOp) { return "cosh"; })
      .Case([](math::TanhOp) { return "tanh"; })
      .Case([](math::AsinhOp) { return "asinh"; })
      .Case([](math::AcoshOp) { return "acosh"; })
      .Case([](math::AtanhOp) { return "atanh"; })
      .Case([](math::ErfOp) { return "erf"; })
      .Case([](math::CbrtOp) { return "cbrt"; })
      .Case([](math::PowFOp) { return "pow"; })
      .Case([](math::Atan2Op) { return "atan2"; })
      .Case([](arith::RemFOp) { return "fmod"; })
      .Case([](tt::ExternElementwiseOp call) { return libdeviceName(call); })
      .Default([](Operation *) { return ""; });
}

static bool isFloatOp(Operation *op) {
  return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp, arith::NegFOp,
             arith::CmpFOp, arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
             arith::MinNumFOp, math::SqrtOp, math::RsqrtOp, math::FloorOp, math::CeilOp,
             math::TruncOp, math::RoundOp, math::RoundEvenOp, math::AbsFOp, math::FmaOp,
             math::CopySignOp, tt::ClampFOp, tt::PreciseSqrtOp, tt::PreciseDivFOp>(op) ||
         !libraryName(op).empty();
}

static bool isCastOp(Operation *op) {
  return isa<arith::ExtFOp, arith::TruncFOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp,
             arith::SIToFPOp, arith::UIToFPOp, arith::FPToSIOp, arith::FPToUIOp, arith::BitcastOp,
             tt::FpToFpOp>(op);
}

static bool isPointerOp(Operation *op) {
  return isa<tt::AddPtrOp, tt::BitcastOp, tt::IntToPtrOp, tt::PtrToIntOp>(op);
}

bool Elementwise::handles(Operation *op) {
  return isIntegerOp(op) || isFloatOp(op) || isCastOp(op) || isPointerOp(op);
}

bool Elementwise::isLibraryFunction(StringRef symbol) {
  auto isOne = [](StringRef name) {
    return llvm::is_contained({"exp",   "exp2",      "expm1", "log",   "log2",  "log10", "log1p",
                               "sin",   "cos",       "tan",   "asin",  "acos",  "atan",  "sinh",
                               "cosh",  "tanh",      "asinh", "acosh", "atanh", "erf",   "cbrt",
                               "pow",   "atan2",     "fmod",  "fma",   "floor", "ceil",  "trunc",
                               "round", "roundeven", "fmax",  "fmin"},
                              name);
  };
  return symbol.starts_with("_ZGV") || isOne(symbol) ||
         (symbol.ends_with("f") && isOne(symbol.drop_back()));
}

Value Elementwise::lower(LaneBuilder &b, Operation *op, ArrayRef<Value> operands) {
  SmallVector<Value, 3> args(operands);
  if (!isa<arith::SelectOp>(op))
    b.unify(args);
  if (isIntegerOp(op))
    return lowerInteger(b, op, args);
  if (isFloatOp(op))
    return lowerFloat(b, op, args);
  if (isCastOp(op))
    return lowerCast(b, op, args);
  return lowerPointer(b, op, args);
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

static bool isNonZeroConstant(Value value) {
  auto constant = value.getDefiningOp<LLVM::ConstantOp>();
  if (!constant)
    return false;
  APInt bits;
  if (auto splat = dyn_cast<SplatElementsAttr>(constant.getValue()))
    bits = splat.getSplatValue<APInt>();
  else if (auto integer = dyn_cast<IntegerAttr>(constant.getValue()))
    bits = integer.getValue();
  else
    return false;
  return !bits.isZero() && !bits.isAllOnes();
}

/// Quotients of at most 32 bits are exact in f64, for which processors have
/// vectors; they have none for integer division.
static Value divideByFloat(LaneBuilder &b, Value x, Value y, bool isSigned) {
  Type f64 = withLanes(b.builder.getF64Type(), lanesOf(x));
  Type narrow = x.getType(), wide = b.builder.getI32Type();
  auto toFloat = [&](Value value) -> Value {
    if (isSigned)
      return LLVM::SIToFPOp::create(b.builder, b.loc, f64, b.resizeSigned(value, wide));
    return LLVM::UIToFPOp::create(b.builder, b.loc, f64, b.resizeUnsigned(value, wide));
  };
  Value quotient = LLVM::FDivOp::create(b.builder, b.loc, toFloat(x), toFloat(y));
  Type integer = withLanes(wide, lanesOf(x));
  Value result = isSigned ? Value(LLVM::FPToSIOp::create(b.builder, b.loc, integer, quotient))
                          : Value(LLVM::FPToUIOp::create(b.builder, b.loc, integer, quotient));
  return b.resizeSigned(result, laneType(narrow));
}

Value Elementwise::divide(LaneBuilder &b, Operation *op, Value x, Value y) {
  bool isSigned = isa<arith::DivSIOp, arith::RemSIOp>(op);
  bool remainder = isa<arith::RemSIOp, arith::RemUIOp>(op);
  auto plain = [&](Value divisor) -> Value {
    if (lanesOf(x) && laneType(x).getIntOrFloatBitWidth() <= 32 && !isNonZeroConstant(divisor))
      return divideByFloat(b, x, divisor, isSigned);
    return isSigned ? b.make<LLVM::SDivOp>(x, divisor) : b.make<LLVM::UDivOp>(x, divisor);
  };
  if (isNonZeroConstant(y)) {
    if (!remainder)
      return plain(y);
    return isSigned ? b.make<LLVM::SRemOp>(x, y) : b.make<LLVM::URemOp>(x, y);
  }
  // The divisors that trap are replaced by one, and their results afterwards.
  Value byZero = b.compare(Int::eq, y, 0);
  Value one = b.integer(y.getType(), int64_t(1));
  Value safe = b.select(byZero, one, y);
  Value quotient;
  if (isSigned) {
    Value byMinusOne = b.compare(Int::eq, y, -1);
    quotient = plain(b.select(byMinusOne, one, safe));
    quotient = b.select(byMinusOne, b.sub(b.zero(x.getType()), x), quotient);
  } else {
    quotient = plain(safe);
  }
  if (remainder) // quotient times zero is zero, so x % 0 comes out as x
    return b.sub(x, b.mul(quotient, y));
  return b.select(byZero, b.integer(x.getType(), int64_t(-1)), quotient);
}

static Value shift(LaneBuilder &b, Operation *op, Value x, Value amount) {
  int64_t bits = laneType(x).getIntOrFloatBitWidth();
  if (isa<arith::ShRSIOp>(op))
    return b.signedShiftRight(x, b.unsignedMin(amount, bits - 1));
  Value inRange = b.compare(Int::ult, amount, bits);
  Value safe = b.select(inRange, amount, b.zero(amount.getType()));
  Value shifted = isa<arith::ShLIOp>(op) ? b.shiftLeft(x, safe) : b.shiftRight(x, safe);
  return b.select(inRange, shifted, b.zero(x.getType()));
}

Value Elementwise::lowerInteger(LaneBuilder &b, Operation *op, ArrayRef<Value> args) {
  OpBuilder &builder = b.builder;
  Location loc = b.loc;
  return TypeSwitch<Operation *, Value>(op)
      .Case([&](arith::AddIOp) { return b.add(args[0], args[1]); })
      .Case([&](arith::SubIOp) { return b.sub(args[0], args[1]); })
      .Case([&](arith::MulIOp) { return b.mul(args[0], args[1]); })
      .Case<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(
          [&](Operation *division) { return divide(b, division, args[0], args[1]); })
      .Case([&](arith::AndIOp) { return b.bitAnd(args[0], args[1]); })
      .Case([&](arith::OrIOp) { return b.bitOr(args[0], args[1]); })
      .Case([&](arith::XOrIOp) { return b.bitXor(args[0], args[1]); })
      .Case<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(
          [&](Operation *by) { return shift(b, by, args[0], args[1]); })
      .Case([&](arith::CmpIOp compare) {
        // The two enumerations agree.
        auto predicate = static_cast<LLVM::ICmpPredicate>(compare.getPredicate());
        return b.compare(predicate, args[0], args[1]);
      })
      .Case([&](arith::SelectOp) { return b.select(args[0], args[1], args[2]); })
      .Case([&](arith::MaxSIOp) { return b.signedMax(args[0], args[1]); })
      .Case([&](arith::MinSIOp) { return b.signedMin(args[0], args[1]); })
      .Case([&](arith::MaxUIOp) { return b.make<LLVM::UMaxOp>(args[0], args[1]); })
      .Case([&](arith::MinUIOp) { return b.unsignedMin(args[0], args[1]); })
      .Case([&](math::AbsIOp) {
        return LLVM::AbsOp::create(builder, loc, args[0].getType(), args[0],
                                   /*is_int_min_poison=*/false);
      })
      .Case([&](tt::MulhiUIOp) {
        unsigned bits = laneType(args[0]).getIntOrFloatBitWidth();
        Type twice = builder.getIntegerType(2 * bits);
        Value product = b.mul(b.resizeUnsigned(args[0], twice), b.resizeUnsigned(args[1], twice));
        return b.resizeSigned(b.shiftRight(product, bits), laneType(args[0]));
      })
      .Case([&](math::CtPopOp) { return LLVM::CtPopOp::create(builder, loc, args[0]); })
      .Case([&](math::CountLeadingZerosOp) {
        return LLVM::CountLeadingZerosOp::create(builder, loc, args[0].getType(), args[0],
                                                 /*is_zero_poison=*/false);
      })
      .Case([&](math::CountTrailingZerosOp) {
        return LLVM::CountTrailingZerosOp::create(builder, loc, args[0].getType(), args[0],
                                                  /*is_zero_poison=*/false);
      })
      .Default([](Operation *) { return Value(); });
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

Value Elementwise::lowerFloat(LaneBuilder &b, Operation *op, ArrayRef<Value> args) {
  Type element = elementOf(op->getOperand(0));
  SmallVector<Value, 3> wide;
  for (Value arg : args)
    wide.push_back(widenFloat(b, arg, element, spec));
  if (auto compare = dyn_cast<arith::CmpFOp>(op)) {
    // arith counts from "always false" as LLVM does.
    auto predicate = static_cast<LLVM::FCmpPredicate>(compare.getPredicate());
    return b.compare(predicate, wide[0], wide[1]);
  }
  OpBuilder &builder = b.builder;
  Location loc = b.loc;
  auto flags = contract ? LLVM::FastmathFlags::contract : LLVM::FastmathFlags::none;
  Type type = wide[0].getType();
  Value result =
      TypeSwitch<Operation *, Value>(op)
          .Case([&](arith::AddFOp) {
            return LLVM::FAddOp::create(builder, loc, wide[0], wide[1], flags);
          })
          .Case([&](arith::SubFOp) {
            return LLVM::FSubOp::create(builder, loc, wide[0], wide[1], flags);
          })
          .Case([&](arith::MulFOp) {
            return LLVM::FMulOp::create(builder, loc, wide[0], wide[1], flags);
          })
          .Case<arith::DivFOp, tt::PreciseDivFOp>(
              [&](Operation *) { return LLVM::FDivOp::create(builder, loc, wide[0], wide[1]); })
          .Case([&](tt::ClampFOp clamp) -> Value {
            if (clamp.getPropagateNan() == tt::PropagateNan::All)
              return LLVM::MinimumOp::create(
                  builder, loc, LLVM::MaximumOp::create(builder, loc, wide[0], wide[1]), wide[2]);
            return LLVM::MinNumOp::create(
                builder, loc, LLVM::MaxNumOp::create(builder, loc, wide[0], wide[1]), wide[2]);
          })
          .Case([&](arith::NegFOp) { return LLVM::FNegOp::create(builder, loc, wide[0]); })
          .Case([&](arith::MaximumFOp) {
            return LLVM::MaximumOp::create(builder, loc, wide[0], wide[1]);
          })
          .Case([&](arith::MinimumFOp) {
            return LLVM::MinimumOp::create(builder, loc, wide[0], wide[1]);
          })
          .Case([&](arith::MaxNumFOp) {
            return LLVM::MaxNumOp::create(builder, loc, wide[0], wide[1]);
          })
          .Case([&](arith::MinNumFOp) {
            return LLVM::MinNumOp::create(builder, loc, wide[0], wide[1]);
          })
          .Case<math::SqrtOp, tt::PreciseSqrtOp>(
              [&](Operation *) { return LLVM::SqrtOp::create(builder, loc, wide[0]); })
          .Case([&](math::RsqrtOp) {
            Value root = LLVM::SqrtOp::create(builder, loc, wide[0]);
            return LLVM::FDivOp::create(builder, loc, b.real(type, 1.0), root);
          })
          .Case([&](math::FloorOp) { return LLVM::FFloorOp::create(builder, loc, wide[0]); })
          .Case([&](math::CeilOp) { return LLVM::FCeilOp::create(builder, loc, wide[0]); })
          .Case([&](math::TruncOp) { return LLVM::FTruncOp::create(builder, loc, wide[0]); })
          .Case([&](math::RoundOp) { return LLVM::RoundOp::create(builder, loc, wide[0]); })
          .Case([&](math::RoundEvenOp) { return LLVM::RoundEvenOp::create(builder, loc, wide[0]); })
          .Case([&](math::AbsFOp) { return LLVM::FAbsOp::create(builder, loc, wide[0]); })
          .Case([&](math::FmaOp) {
            return LLVM::FMAOp::create(builder, loc, wide[0], wide[1], wide[2]);
          })
          .Case([&](math::CopySignOp) {
            return LLVM::CopySignOp::create(builder, loc, wide[0], wide[1]);
          })
          .Default([&](Operation *other) { return callLibrary(b, libraryName(other), wide); });
  return narrowFloat(b, result, element, Rounding::NearestEven, spec);
}

/// What libmvec has of the functions above, from glibc 2.35 on.
static bool hasVectorVersion(StringRef function) {
  return !llvm::is_contained(
      {"fmod", "fmax", "fmin", "floor", "ceil", "trunc", "round", "roundeven"}, function);
}

Value Elementwise::callOnce(LaneBuilder &b, StringRef symbol, ArrayRef<Value> args) {
  auto callee = module.lookupSymbol<LLVM::LLVMFuncOp>(symbol);
  if (!callee) {
    OpBuilder::InsertionGuard guard(b.builder);
    b.builder.setInsertionPointToStart(module.getBody());
    SmallVector<Type> types(args.size(), args[0].getType());
    callee = LLVM::LLVMFuncOp::create(b.builder, module.getLoc(), symbol,
                                      LLVM::LLVMFunctionType::get(args[0].getType(), types));
    // Without these every call would be a barrier to the optimiser.
    callee.setMemoryEffectsAttr(LLVM::MemoryEffectsAttr::get(
        b.builder.getContext(),
        {LLVM::ModRefInfo::NoModRef, LLVM::ModRefInfo::NoModRef, LLVM::ModRefInfo::NoModRef,
         LLVM::ModRefInfo::NoModRef, LLVM::ModRefInfo::NoModRef, LLVM::ModRefInfo::NoModRef}));
    callee.setNoUnwind(true);
    callee.setWillReturn(true);
  }
  return LLVM::CallOp::create(b.builder, b.loc, callee, args).getResult();
}

Value Elementwise::callLibrary(LaneBuilder &b, StringRef function, ArrayRef<Value> args) {
  Type element = laneType(args[0]);
  unsigned lanes = lanesOf(args[0]), bits = element.getIntOrFloatBitWidth();
  std::string scalar = (function + (element.isF32() ? "f" : "")).str();
  if (lanes == 0)
    return callOnce(b, scalar, args);

  // Vector ABI names: b is 128 bits, d 256, e 512; N without a mask; v per argument.
  unsigned piece = std::min(lanes, spec.vectorBits / bits);
  char isa = piece * bits == 512 ? 'e' : piece * bits == 256 ? 'd' : 'b';
  bool vector = spec.vectorMathLibrary && hasVectorVersion(function) && piece * bits >= 128;
  std::string symbol = vector ? "_ZGV" + std::string(1, isa) + "N" + std::to_string(piece) +
                                    std::string(args.size(), 'v') + "_" + scalar
                              : scalar;
  if (!vector) {
    Value result = LLVM::PoisonOp::create(b.builder, b.loc, args[0].getType());
    for (unsigned lane = 0; lane < lanes; ++lane) {
      SmallVector<Value, 2> one;
      for (Value arg : args)
        one.push_back(b.extract(arg, lane));
      result = b.insert(result, callOnce(b, symbol, one), lane);
    }
    return result;
  }
  SmallVector<Value> results;
  for (unsigned begin = 0; begin < lanes; begin += piece) {
    SmallVector<Value, 2> part;
    for (Value arg : args)
      part.push_back(b.slice(arg, begin, piece));
    results.push_back(callOnce(b, symbol, part));
  }
  return b.concat(results);
}

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

Value Elementwise::intToFloat(LaneBuilder &b, Value value, Type to, bool isSigned) {
  // Through f64 when f32 would round before the small format does.
  bool exact = laneType(value).getIntOrFloatBitWidth() <= 16;
  Type via = !isSmallFloat(to) ? to
             : exact           ? Type(b.builder.getF32Type())
                               : Type(b.builder.getF64Type());
  Type type = withLanes(via, lanesOf(value));
  Value number = isSigned ? Value(LLVM::SIToFPOp::create(b.builder, b.loc, type, value))
                          : Value(LLVM::UIToFPOp::create(b.builder, b.loc, type, value));
  return narrowFloat(b, number, to, Rounding::NearestEven, spec);
}

Value Elementwise::floatToInt(LaneBuilder &b, Value value, Type to, bool isSigned) {
  return b.intrinsic(isSigned ? "llvm.fptosi.sat" : "llvm.fptoui.sat",
                     withLanes(to, lanesOf(value)), value);
}

Value Elementwise::lowerCast(LaneBuilder &b, Operation *op, ArrayRef<Value> args) {
  Type from = elementOf(op->getOperand(0)), to = elementOf(op->getResult(0));
  Value value = args[0];
  auto convertFloat = [&](Rounding rounding) {
    return narrowFloat(b, widenFloat(b, value, from, spec), to, rounding, spec);
  };
  return TypeSwitch<Operation *, Value>(op)
      .Case<arith::ExtFOp, arith::TruncFOp>(
          [&](Operation *) { return convertFloat(Rounding::NearestEven); })
      .Case([&](tt::FpToFpOp convert) {
        bool towardZero = convert.getRounding() == tt::RoundingMode::TowardZero;
        return convertFloat(towardZero ? Rounding::TowardZero : Rounding::NearestEven);
      })
      .Case([&](arith::ExtUIOp) { return b.resizeUnsigned(value, to); })
      .Case<arith::ExtSIOp, arith::TruncIOp>([&](Operation *) { return b.resizeSigned(value, to); })
      .Case([&](arith::SIToFPOp) { return intToFloat(b, value, to, true); })
      .Case([&](arith::UIToFPOp) { return intToFloat(b, value, to, false); })
      .Case([&](arith::FPToSIOp) {
        return floatToInt(b, widenFloat(b, value, from, spec), to, true);
      })
      .Case([&](arith::FPToUIOp) {
        return floatToInt(b, widenFloat(b, value, from, spec), to, false);
      })
      .Case([&](arith::BitcastOp) { return b.bitcast(value, convertElement(to)); })
      .Default([](Operation *) { return Value(); });
}

//===----------------------------------------------------------------------===//
// Pointers
//===----------------------------------------------------------------------===//

Value Elementwise::lowerPointer(LaneBuilder &b, Operation *op, ArrayRef<Value> args) {
  Type to = convertElement(elementOf(op->getResult(0)));
  Type type = withLanes(to, lanesOf(args[0]));
  return TypeSwitch<Operation *, Value>(op)
      .Case([&](tt::AddPtrOp add) {
        auto pointer = cast<tt::PointerType>(elementOf(add.getResult()));
        Value offset = b.resizeSigned(args[1], b.builder.getI64Type());
        return b.offset(args[0], b.mul(offset, elementBytes(pointer.getPointeeType())));
      })
      .Case([&](tt::BitcastOp) -> Value {
        return isa<LLVM::LLVMPointerType>(to) ? args[0] : b.bitcast(args[0], to);
      })
      .Case(
          [&](tt::IntToPtrOp) { return LLVM::IntToPtrOp::create(b.builder, b.loc, type, args[0]); })
      .Case([&](tt::PtrToIntOp) { return b.addressOf(args[0]); })
      .Default([](Operation *) { return Value(); });
}
