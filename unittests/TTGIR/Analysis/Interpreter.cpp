//===- Interpreter.cpp - runs small TTIR functions on numbers -------------===//
#include "Interpreter.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::test;

using Lane = std::optional<int64_t>;

static SmallVector<int64_t> shapeOf(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return SmallVector<int64_t>(tensor.getShape());
  return {1};
}

static unsigned bitsOf(Type type) {
  Type element = getElementTypeOrSelf(type);
  return isa<tt::PointerType>(element) || element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
}

static int64_t elementBytes(Type type) { return std::max(8u, tt::getPointeeBits(type)) / 8; }

/// A tensor of `type` whose element at each index is what `at` says.
template <typename At> static Tensor generate(Type type, At at) {
  Tensor result{shapeOf(type), {}};
  SmallVector<int64_t> index(result.shape.size(), 0);
  int64_t count = 1;
  for (int64_t size : result.shape)
    count *= size;
  for (int64_t flat = 0; flat < count; ++flat) {
    int64_t rest = flat;
    for (unsigned d = index.size(); d-- > 0; rest /= result.shape[d])
      index[d] = rest % result.shape[d];
    result.elements.push_back(at(index));
  }
  return result;
}

static Lane elementAt(const Tensor &tensor, ArrayRef<int64_t> index) {
  int64_t flat = 0;
  for (unsigned d = 0; d < tensor.shape.size(); ++d)
    flat = flat * tensor.shape[d] + index[d];
  return tensor.elements[flat];
}

bool Interpreter::run(Operation *function, ArrayRef<int64_t> arguments, int64_t id) {
  programId = id;
  overflow = wrapped = negativeDivisor = false;
  values.clear();
  Block &entry = function->getRegion(0).front();
  for (auto [argument, value] : llvm::zip_equal(entry.getArguments(), arguments))
    set(argument, {{1}, {value}});
  return runBlock(entry);
}

void Interpreter::set(Value value, Tensor tensor) {
  observe(value, tensor);
  values[value] = std::move(tensor);
}

bool Interpreter::runBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (!runOp(op))
      return false;
  yielded.clear();
  for (Value operand : block.getTerminator()->getOperands())
    yielded.push_back(values[operand]);
  return true;
}

bool Interpreter::runOp(Operation &op) {
  if (isa<scf::ForOp>(op))
    return runLoop(op);
  if (isa<scf::WhileOp>(op))
    return runWhile(op);
  if (isa<scf::IfOp>(op))
    return runIf(op);
  return runShape(op) || runPointer(op) || runBinary(op);
}

bool Interpreter::runLoop(Operation &op) {
  auto loop = cast<scf::ForOp>(op);
  Lane lower = values[loop.getLowerBound()].elements[0];
  Lane upper = values[loop.getUpperBound()].elements[0];
  Lane step = values[loop.getStep()].elements[0];
  if (!lower || !upper || !step || *step <= 0)
    return false;
  SmallVector<Tensor> carried;
  for (Value init : loop.getInitArgs())
    carried.push_back(values[init]);
  for (int64_t i = *lower; i < *upper; i += *step) {
    set(loop.getInductionVar(), {{1}, {i}});
    for (auto [argument, value] : llvm::zip_equal(loop.getRegionIterArgs(), carried))
      set(argument, value);
    if (!runBlock(*loop.getBody()))
      return false;
    carried = yielded;
  }
  for (auto [result, value] : llvm::zip_equal(op.getResults(), carried))
    set(result, value);
  return true;
}

bool Interpreter::runWhile(Operation &op) {
  auto loop = cast<scf::WhileOp>(op);
  SmallVector<Tensor> carried;
  for (Value init : loop.getInits())
    carried.push_back(values[init]);
  for (;;) {
    for (auto [argument, value] : llvm::zip_equal(loop.getBeforeArguments(), carried))
      set(argument, value);
    if (!runBlock(*loop.getBeforeBody()))
      return false;
    Lane goesOn = yielded[0].elements[0]; // scf.condition: whether to go on, and with what
    if (!goesOn)
      return false;
    carried.assign(yielded.begin() + 1, yielded.end());
    if (!*goesOn)
      break;
    for (auto [argument, value] : llvm::zip_equal(loop.getAfterArguments(), carried))
      set(argument, value);
    if (!runBlock(*loop.getAfterBody()))
      return false;
    carried = yielded;
  }
  for (auto [result, value] : llvm::zip_equal(op.getResults(), carried))
    set(result, value);
  return true;
}

bool Interpreter::runIf(Operation &op) {
  auto branch = cast<scf::IfOp>(op);
  Lane condition = values[branch.getCondition()].elements[0];
  if (!condition)
    return false; // undefined behaviour
  if (!runBlock(*condition ? branch.getThenRegion().front() : branch.getElseRegion().front()))
    return false;
  SmallVector<Tensor> results = yielded;
  for (auto [result, value] : llvm::zip_equal(op.getResults(), results))
    set(result, value);
  return true;
}

bool Interpreter::runShape(Operation &op) {
  Type type = op.getNumResults() ? op.getResult(0).getType() : Type();
  return llvm::TypeSwitch<Operation *, bool>(&op)
      .Case<arith::ConstantOp>([&](arith::ConstantOp c) {
        Attribute value = c.getValue();
        if (auto dense = dyn_cast<DenseElementsAttr>(value))
          value = dense.getSplatValue<Attribute>();
        int64_t number = cast<IntegerAttr>(value).getValue().getSExtValue();
        set(c, generate(type, [&](ArrayRef<int64_t>) { return number; }));
        return true;
      })
      .Case<tt::GetProgramIdOp>([&](auto id) {
        set(id, {{1}, {programId}});
        return true;
      })
      .Case<tt::MakeRangeOp>([&](tt::MakeRangeOp range) {
        set(range, generate(type, [&](ArrayRef<int64_t> i) { return range.getStart() + i[0]; }));
        return true;
      })
      .Case<tt::SplatOp>([&](tt::SplatOp splat) {
        Lane lane = values[splat.getSrc()].elements[0];
        set(splat, generate(type, [&](ArrayRef<int64_t>) { return lane; }));
        return true;
      })
      .Case<tt::ExpandDimsOp>([&](tt::ExpandDimsOp expand) {
        Tensor source = values[expand.getSrc()];
        set(expand, generate(type, [&](ArrayRef<int64_t> i) {
              SmallVector<int64_t> inner(i);
              inner.erase(inner.begin() + expand.getAxis());
              return elementAt(source, inner);
            }));
        return true;
      })
      .Case<tt::BroadcastOp>([&](tt::BroadcastOp broadcast) {
        Tensor source = values[broadcast.getSrc()];
        set(broadcast, generate(type, [&](ArrayRef<int64_t> i) {
              SmallVector<int64_t> inner(i);
              for (unsigned d = 0; d < inner.size(); ++d)
                inner[d] = source.shape[d] == 1 ? 0 : inner[d];
              return elementAt(source, inner);
            }));
        return true;
      })
      .Case<tt::TransOp>([&](tt::TransOp trans) {
        Tensor source = values[trans.getSrc()];
        set(trans, generate(type, [&](ArrayRef<int64_t> i) {
              SmallVector<int64_t> inner(i.size());
              for (auto [d, from] : llvm::enumerate(trans.getOrder()))
                inner[from] = i[d];
              return elementAt(source, inner);
            }));
        return true;
      })
      .Case<tt::ReshapeOp>([&](tt::ReshapeOp reshape) {
        set(reshape, {shapeOf(type), values[reshape.getSrc()].elements});
        return true;
      })
      .Case<tt::JoinOp>([&](tt::JoinOp join) {
        Tensor lhs = values[join.getLhs()], rhs = values[join.getRhs()];
        set(join, generate(type, [&](ArrayRef<int64_t> i) {
              return elementAt(i.back() == 0 ? lhs : rhs, i.drop_back());
            }));
        return true;
      })
      .Case<tt::SplitOp>([&](tt::SplitOp split) {
        Tensor source = values[split.getSrc()];
        for (int64_t half : {0, 1})
          set(split->getResult(half), generate(type, [&](ArrayRef<int64_t> i) {
                SmallVector<int64_t> inner(i);
                inner.push_back(half);
                return elementAt(source, inner);
              }));
        return true;
      })
      .Case<arith::SelectOp>([&](arith::SelectOp select) {
        Tensor condition = values[select.getCondition()];
        Tensor yes = values[select.getTrueValue()], no = values[select.getFalseValue()];
        bool isWhole = !isa<RankedTensorType>(select.getCondition().getType());
        set(select, generate(type, [&](ArrayRef<int64_t> i) -> Lane {
              Lane choice = isWhole ? condition.elements[0] : elementAt(condition, i);
              if (!choice)
                return std::nullopt;
              return elementAt(*choice ? yes : no, i);
            }));
        return true;
      })
      .Default(false);
}

bool Interpreter::runPointer(Operation &op) {
  Type type = op.getNumResults() ? op.getResult(0).getType() : Type();
  return llvm::TypeSwitch<Operation *, bool>(&op)
      .Case<tt::AddPtrOp>([&](tt::AddPtrOp add) {
        Tensor base = values[add.getPtr()], offset = values[add.getOffset()];
        int64_t bytes = elementBytes(type);
        set(add, generate(type, [&](ArrayRef<int64_t> i) -> Lane {
              Lane b = elementAt(base, i), o = elementAt(offset, i);
              if (!b || !o)
                return std::nullopt;
              return int64_t(uint64_t(*b) + uint64_t(*o) * bytes);
            }));
        return true;
      })
      .Case<tt::IntToPtrOp, tt::PtrToIntOp, tt::BitcastOp, ttg::ConvertLayoutOp>([&](auto cast) {
        set(cast, Tensor(values[cast.getSrc()]));
        return true;
      })
      .Case<tt::LoadOp>([&](tt::LoadOp load) {
        Tensor pointers = values[load.getPtr()];
        unsigned bits = bitsOf(type);
        set(load, generate(type, [&](ArrayRef<int64_t> i) -> Lane {
              if (load.getMask()) {
                Lane mask = elementAt(values[load.getMask()], i);
                if (!mask)
                  return std::nullopt;
                if (!*mask)
                  return load.getOther() ? elementAt(values[load.getOther()], i) : std::nullopt;
              }
              Lane address = elementAt(pointers, i);
              if (!address)
                return std::nullopt;
              // Memory holds something that only depends on the address.
              uint64_t hash = uint64_t(*address) * 0x9E3779B97F4A7C15u;
              return APInt(64, hash >> 17).trunc(bits).getSExtValue();
            }));
        return true;
      })
      .Default(false);
}

/// One lane of a binary or unary integer op; nothing for poison. `known` is cleared
/// for an op that is not one of these.
static Lane computeLane(Operation &op, const APInt &l, const APInt &r, bool &known) {
  auto number = [](const APInt &value) -> Lane { return value.getSExtValue(); };
  auto guarded = [](bool defined, auto compute) -> Lane {
    return defined ? Lane(compute().getSExtValue()) : Lane();
  };
  bool divides = !r.isZero() && !(l.isMinSignedValue() && r.isAllOnes());
  bool shifts = r.ult(r.getBitWidth());
  unsigned bits = bitsOf(op.getResult(0).getType());
  return llvm::TypeSwitch<Operation *, Lane>(&op)
      .Case<arith::AddIOp>([&](auto) { return number(l + r); })
      .Case<arith::SubIOp>([&](auto) { return number(l - r); })
      .Case<arith::MulIOp>([&](auto) { return number(l * r); })
      .Case<arith::AndIOp>([&](auto) { return number(l & r); })
      .Case<arith::OrIOp>([&](auto) { return number(l | r); })
      .Case<arith::XOrIOp>([&](auto) { return number(l ^ r); })
      .Case<arith::MinSIOp>([&](auto) { return number(llvm::APIntOps::smin(l, r)); })
      .Case<arith::MaxSIOp>([&](auto) { return number(llvm::APIntOps::smax(l, r)); })
      .Case<arith::MinUIOp>([&](auto) { return number(llvm::APIntOps::umin(l, r)); })
      .Case<arith::MaxUIOp>([&](auto) { return number(llvm::APIntOps::umax(l, r)); })
      .Case<arith::DivSIOp>([&](auto) { return guarded(divides, [&] { return l.sdiv(r); }); })
      .Case<arith::RemSIOp>([&](auto) { return guarded(divides, [&] { return l.srem(r); }); })
      .Case<arith::FloorDivSIOp>([&](auto) {
        return guarded(divides,
                       [&] { return llvm::APIntOps::RoundingSDiv(l, r, APInt::Rounding::DOWN); });
      })
      .Case<arith::DivUIOp>([&](auto) { return guarded(!r.isZero(), [&] { return l.udiv(r); }); })
      .Case<arith::RemUIOp>([&](auto) { return guarded(!r.isZero(), [&] { return l.urem(r); }); })
      .Case<arith::ShLIOp>([&](auto) { return guarded(shifts, [&] { return l.shl(r); }); })
      .Case<arith::ShRSIOp>([&](auto) { return guarded(shifts, [&] { return l.ashr(r); }); })
      .Case<arith::ShRUIOp>([&](auto) { return guarded(shifts, [&] { return l.lshr(r); }); })
      .Case<arith::CmpIOp>([&](arith::CmpIOp cmp) {
        return number(APInt(1, arith::applyCmpPredicate(cmp.getPredicate(), l, r)));
      })
      .Case<arith::ExtSIOp>([&](auto) { return number(l.sext(bits)); })
      .Case<arith::ExtUIOp>([&](auto) { return number(l.zext(bits)); })
      .Case<arith::TruncIOp>([&](auto) { return number(l.trunc(bits)); })
      .Default([&](Operation *) -> Lane {
        known = false;
        return std::nullopt;
      });
}

/// The result if integers had no end.
static __int128 onTheLine(Operation &op, int64_t l, int64_t r, int64_t result) {
  __int128 left = l;
  if (isa<arith::AddIOp>(op))
    return left + r;
  if (isa<arith::SubIOp>(op))
    return left - r;
  if (isa<arith::MulIOp>(op))
    return left * r;
  if (isa<arith::ShLIOp>(op))
    return left * (__int128(1) << r);
  if (isa<arith::TruncIOp, arith::ExtSIOp, arith::ExtUIOp>(op))
    return left;
  return result;
}

bool Interpreter::runBinary(Operation &op) {
  if (op.getNumResults() != 1 || op.getNumOperands() == 0 || op.getNumOperands() > 2)
    return false;
  Tensor lhs = values[op.getOperand(0)], rhs = values[op.getOperands().back()];
  unsigned bits = bitsOf(op.getOperand(0).getType());
  bool known = true;
  set(op.getResult(0), generate(op.getResult(0).getType(), [&](ArrayRef<int64_t> i) -> Lane {
        Lane l = elementAt(lhs, i), r = elementAt(rhs, i);
        if (!l || !r)
          return std::nullopt;
        Lane result = computeLane(op, APInt(64, *l, true).trunc(bits),
                                  APInt(64, *r, true).trunc(bits), known);
        if (result && *result != onTheLine(op, *l, *r, *result))
          wrapped = true;
        if (isa<arith::AddIOp, arith::MulIOp>(op) && *l >= 0 && *r >= 0 && result && *result < 0)
          overflow = true;
        if (isa<arith::ShLIOp>(op) && *l >= 0 && result && *result < 0)
          overflow = true;
        if (isa<arith::DivSIOp, arith::FloorDivSIOp>(op) && *l >= 0 && *r < 0)
          negativeDivisor = true;
        return result;
      }));
  return known;
}
