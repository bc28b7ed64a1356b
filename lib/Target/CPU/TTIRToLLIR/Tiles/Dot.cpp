//===- Dot.cpp - matrix products by register blocking --------------------===//
// For each panel of K (all of it, unless K is large):
//   for each block of columns:
//     1. B's panel: its columns stored consecutively, elements as units (packB)
//     2. for each block of rows: load the block of C, add A's units times B's
//        vectors for all steps of the panel, store it
//
// with blocks of e.g. 4 rows x 4 vectors (DotPlan.cpp has the measurements):
//
//   for step:  b0..b3 = load panel[step]
//              for i in 0..3:  ai = broadcast A[row + i][step]
//                              c[i][0..3] += ai * b0..b3
//
// A is converted as a whole before. The size of the code depends only on the block, and each kind
// of product of a kernel is a function of its own: dots of the same shape share it, and LLVM's
// register allocator, whose time grows faster than linearly, processes it separately. Every element
// of C is summed in an order that depends only on the shape and the processor.
//
// Bytes: the processor multiplies unsigned bytes of A by signed bytes of B. 128 is added to A, and
// 128 times the sum of B's column is subtracted from the block first: this is exact, because all
// sums are modulo 2^32.
//===----------------------------------------------------------------------===//
#include "Dot.h"
#include "DotPack.h"
#include "../Lanes/SmallFloat.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cpu;

namespace {
/// The matrices of one entry of the batch.
struct Matrices {
  Value a, b, accumulator, result; // `accumulator` is null if it is zero
};

/// The address of a unit of A: row * rowBytes + step * stepBytes.
struct UnitsOfA {
  Value base;
  int64_t rowBytes, stepBytes;
};

/// The addresses of the vectors of a block of columns of B.
struct VectorsOfB {
  Value base;
  int64_t stepBytes;
  Type element; // null if they are units, otherwise the type to convert from
};

/// Buffers for converted operands; null if none is needed.
struct Buffers {
  Value a, b, panel;
};

class DotKernel {
public:
  DotKernel(KernelContext &context, Location loc, const DotProblem &problem, const DotPlan &plan,
            const Buffers &buffers, ArrayRef<NextTile> next)
      : dot{context, LaneBuilder(context.builder, loc), plan}, problem(problem), plan(plan),
        bufferA(buffers.a), bufferB(buffers.b), panel(buffers.panel), next(next) {}

  void emit(const Matrices &matrices);

private:
  UnitsOfA prepareA(Value a);
  Value prepareB(Value b);
  VectorsOfB panelOfB(Value b, Value step, Value column);
  SmallVector<Value> corrections(const VectorsOfB &vectors);
  void clearResult(Value result);

  Value loadSums(Value address);
  void storeSums(Value address, Value sums);
  Value loadB(const VectorsOfB &vectors, Value row, int64_t step, int64_t vector);
  Value multiplyAdd(Value sums, Value unit, Value vector);
  Value blockNumber(Value step, Value column, Value row);
  void emitBlock(Value source, Value target, Value block, const UnitsOfA &a, const VectorsOfB &b,
                 ArrayRef<Value> corrections);
  SmallVector<Value> emitPanel(ArrayRef<Value> sums, Value block, const UnitsOfA &a,
                               const VectorsOfB &b);
  SmallVector<Value> emitSteps(ArrayRef<Value> sums, int64_t steps, const UnitsOfA &a,
                               const VectorsOfB &b);

  int64_t blocks() const {
    return problem.rows / plan.rows * (problem.columns / plan.blockColumns()) *
           (plan.steps / plan.panelSteps);
  }
  int64_t resultBytes() const { return elementBytes(problem.result); }

  DotBuilder dot;
  const DotProblem &problem;
  const DotPlan &plan;
  Value bufferA, bufferB, panel;
  ArrayRef<NextTile> next;
};
} // namespace

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

static Buffers reserveBuffers(KernelContext &context, LaneBuilder &b, const DotProblem &problem,
                              const DotPlan &plan) {
  Buffers buffers;
  int64_t unit = plan.unitBytes();
  if (plan.convertA || (plan.columnMajorA && plan.group > 1))
    buffers.a = context.reserveBytes(b, problem.rows * plan.steps * unit);
  if (plan.columnMajorB && plan.convertB)
    buffers.b = context.reserveBytes(b, problem.columns * plan.steps * unit);
  if (plan.packB)
    buffers.panel = context.reserveBytes(b, plan.panelSteps * plan.blockColumns() * unit);
  return buffers;
}

UnitsOfA DotKernel::prepareA(Value a) {
  int64_t unit = plan.unitBytes();
  UnitsOfA units{bufferA ? bufferA : a, plan.steps * unit, unit};
  if (plan.columnMajorA)
    units = {units.base, unit, problem.rows * unit};
  if (bufferA && plan.columnMajorA && plan.group > 1)
    emitInterleave(dot, a, problem.a, DotSide::A, problem.rows, bufferA, problem.rows, plan.steps);
  else if (bufferA)
    emitConvert(dot, a, problem.a, DotSide::A, bufferA, problem.rows * problem.inner);
  return units;
}

/// Converts B to parts if its columns must be transposed to vectors; otherwise returns it as it is.
Value DotKernel::prepareB(Value b) {
  if (!bufferB)
    return b;
  emitConvert(dot, b, problem.b, DotSide::B, bufferB, problem.columns * problem.inner);
  return bufferB;
}

VectorsOfB DotKernel::panelOfB(Value matrix, Value step, Value column) {
  LaneBuilder &b = dot.b;
  int64_t unit = plan.unitBytes(), bytes = elementBytes(problem.b), width = plan.blockColumns();
  if (plan.columnMajorB) {
    Value first = b.add(b.mul(column, plan.steps), step);
    Value from = b.offset(matrix, b.mul(first, unit));
    emitTranspose(dot, from, plan.steps, panel, width, plan.panelSteps);
    return {panel, width * unit, {}};
  }
  Value first = b.add(b.mul(step, plan.group * problem.columns), column);
  Value from = b.offset(matrix, b.mul(first, bytes));
  if (!plan.packB)
    return {from, problem.columns * bytes, plan.convertB ? problem.b : Type()};
  emitInterleave(dot, from, problem.b, DotSide::B, problem.columns, panel, width, plan.panelSteps);
  return {panel, width * unit, {}};
}

/// Returns 128 times the sum of each column of the panel, to correct for the 128 added to A's
/// bytes; empty if no correction is needed.
SmallVector<Value> DotKernel::corrections(const VectorsOfB &vectors) {
  LaneBuilder &b = dot.b;
  if (plan.arithmetic != DotArithmetic::Bytes)
    return {};
  Value offsets = b.integer(plan.sum, int64_t(0x80808080));
  SmallVector<Value> zeros(plan.vectors, b.zero(dot.sums()));
  return emitCounted(b, plan.panelSteps, 1, zeros, [&](Value step, ArrayRef<Value> carried) {
    Value row = b.offset(vectors.base, b.mul(step, vectors.stepBytes));
    SmallVector<Value> next;
    for (int64_t vector = 0; vector < plan.vectors; ++vector)
      next.push_back(multiplyAdd(carried[vector], offsets, loadB(vectors, row, 0, vector)));
    return next;
  });
}

//===----------------------------------------------------------------------===//
// The block of C
//===----------------------------------------------------------------------===//

Value DotKernel::loadSums(Value address) {
  LaneBuilder &b = dot.b;
  Value stored = dot.load(address, storageType(problem.result), plan.lanes);
  if (!isa<FloatType>(problem.result))
    return b.resizeSigned(stored, plan.sum);
  Value wide = widenFloat(b, stored, problem.result, dot.context.spec);
  return narrowFloat(b, wide, plan.sum, Rounding::NearestEven, dot.context.spec);
}

void DotKernel::storeSums(Value address, Value sums) {
  LaneBuilder &b = dot.b;
  if (isa<FloatType>(problem.result))
    sums = narrowFloat(b, sums, problem.result, Rounding::NearestEven, dot.context.spec);
  else
    sums = b.resizeSigned(sums, storageType(problem.result));
  dot.store(address, sums);
}

/// Clears the result, to which the panels of K are added.
void DotKernel::clearResult(Value result) {
  LaneBuilder &b = dot.b;
  int64_t count = problem.rows * problem.columns;
  emitCounted(b, count, plan.lanes, [&](Value index) {
    storeSums(b.offset(result, b.mul(index, resultBytes())), b.zero(dot.sums()));
  });
}

Value DotKernel::loadB(const VectorsOfB &vectors, Value row, int64_t step, int64_t vector) {
  Type stored = vectors.element ? storageType(vectors.element) : plan.sum;
  int64_t vectorBytes = plan.lanes * stored.getIntOrFloatBitWidth() / 8;
  Value address = dot.b.offset(row, step * vectors.stepBytes + vector * vectorBytes);
  Value value = dot.load(address, stored, plan.lanes);
  return vectors.element ? toPart(dot, value, vectors.element, DotSide::B) : value;
}

static Value bitcastTo(LaneBuilder &b, Value value, Type type) {
  return LLVM::BitcastOp::create(b.builder, b.loc, type, value);
}

/// Returns the name of the instruction for vectors of `bits`; these names have no pattern.
static StringRef wordsInstruction(unsigned bits) {
  return bits == 512   ? "llvm.x86.avx512.pmaddw.d.512"
         : bits == 256 ? "llvm.x86.avx2.pmadd.wd"
                       : "llvm.x86.sse2.pmadd.wd";
}

static StringRef bytesInstruction(unsigned bits) {
  return bits == 512   ? "llvm.x86.avx512.vpdpbusd.512"
         : bits == 256 ? "llvm.x86.avx512.vpdpbusd.256"
                       : "llvm.x86.avx512.vpdpbusd.128";
}

/// Returns sums + unit * vector, lane by lane; `unit` may be a scalar.
Value DotKernel::multiplyAdd(Value sums, Value unit, Value vector) {
  LaneBuilder &b = dot.b;
  unsigned lanes = lanesOf(sums), bits = lanes * 32;
  Value units = b.splat(unit, lanes);
  if (plan.arithmetic == DotArithmetic::Fused)
    return LLVM::FMulAddOp::create(b.builder, b.loc, units, vector, sums);
  if (plan.arithmetic == DotArithmetic::Wrapped)
    return b.add(sums, b.mul(units, vector));
  Type parts = withLanes(plan.part, lanes * plan.group);
  Value left = bitcastTo(b, units, parts), right = bitcastTo(b, vector, parts);
  if (plan.arithmetic == DotArithmetic::Words)
    return b.add(sums, b.intrinsic(wordsInstruction(bits), sums.getType(), {left, right}));
  return b.intrinsic(bytesInstruction(bits), sums.getType(), {sums, left, right});
}

/// Adds the products of `steps` steps. `sums` contains those of each chain, by rows.
SmallVector<Value> DotKernel::emitSteps(ArrayRef<Value> sums, int64_t steps, const UnitsOfA &a,
                                        const VectorsOfB &vectors) {
  LaneBuilder &b = dot.b;
  return emitCounted(b, steps, plan.unroll, sums, [&](Value first, ArrayRef<Value> now) {
    SmallVector<Value> next(now);
    Value columnOfA = b.offset(a.base, b.mul(first, a.stepBytes));
    Value rowOfB = b.offset(vectors.base, b.mul(first, vectors.stepBytes));
    for (int64_t step = 0; step < plan.unroll; ++step) {
      SmallVector<Value> right;
      for (int64_t vector = 0; vector < plan.vectors; ++vector)
        right.push_back(loadB(vectors, rowOfB, step, vector));
      size_t place = (step % plan.chains) * plan.rows * plan.vectors;
      for (int64_t row = 0; row < plan.rows; ++row) {
        Value address = b.offset(columnOfA, row * a.rowBytes + step * a.stepBytes);
        Value unit = b.splat(dot.load(address, plan.sum, 1), lanesOf(dot.sums()));
        for (Value vector : right) {
          next[place] = multiplyAdd(next[place], unit, vector);
          ++place;
        }
      }
    }
    return next;
  });
}

/// Emits all steps of the panel with prefetches between them. Prefetches are spread out, because
/// outstanding ones occupy the line fill buffers that the block's own loads need.
SmallVector<Value> DotKernel::emitPanel(ArrayRef<Value> sums, Value block, const UnitsOfA &a,
                                        const VectorsOfB &vectors) {
  LaneBuilder &b = dot.b;
  int64_t shares = 1;
  for (const NextTile &tile : next)
    shares = std::max(shares, tile.count() / blocks());
  shares = std::min(shares, plan.panelSteps / plan.unroll);
  int64_t steps = plan.panelSteps / shares;
  return emitCounted(b, shares, 1, sums, [&](Value share, ArrayRef<Value> now) {
    for (const NextTile &tile : next)
      emitPrefetch(b, tile, b.add(b.mul(block, shares), share), blocks() * shares);
    Value first = b.mul(share, steps);
    UnitsOfA units = a;
    units.base = b.offset(a.base, b.mul(first, a.stepBytes));
    VectorsOfB rows = vectors;
    rows.base = b.offset(vectors.base, b.mul(first, vectors.stepBytes));
    return emitSteps(now, steps, units, rows);
  });
}

void DotKernel::emitBlock(Value source, Value target, Value block, const UnitsOfA &a,
                          const VectorsOfB &vectors, ArrayRef<Value> corrections) {
  LaneBuilder &b = dot.b;
  auto place = [&](Value base, int64_t row, int64_t vector) {
    return b.offset(base, (row * problem.columns + vector * plan.lanes) * resultBytes());
  };
  int64_t count = plan.rows * plan.vectors;
  SmallVector<Value> sums;
  for (int64_t i = 0; i < count; ++i) {
    int64_t row = i / plan.vectors, vector = i % plan.vectors;
    Value sum = source ? loadSums(place(source, row, vector)) : b.zero(dot.sums());
    sums.push_back(corrections.empty() ? sum : b.sub(sum, corrections[vector]));
  }
  sums.resize(count * plan.chains, b.zero(dot.sums()));
  sums = emitPanel(sums, block, a, vectors);
  bool isFloat = isa<FloatType>(plan.sum);
  for (int64_t chains = plan.chains; chains > 1; chains /= 2)
    for (int64_t i = 0; i < count * chains / 2; ++i)
      sums[i] = isFloat ? b.make<LLVM::FAddOp>(sums[i], sums[i + count * chains / 2])
                        : b.add(sums[i], sums[i + count * chains / 2]);
  for (int64_t i = 0; i < count; ++i)
    storeSums(place(target, i / plan.vectors, i % plan.vectors), sums[i]);
}

/// Returns the number of the block at these indices, in the order of the loops.
Value DotKernel::blockNumber(Value step, Value column, Value row) {
  LaneBuilder &b = dot.b;
  int64_t inColumn = problem.rows / plan.rows;
  int64_t inPanel = problem.columns / plan.blockColumns() * inColumn;
  auto scale = [&](Value index, int64_t from, int64_t to) {
    return b.mul(b.shiftRight(index, llvm::Log2_64(from)), to);
  };
  return b.add(scale(step, plan.panelSteps, inPanel),
               b.add(scale(column, plan.blockColumns(), inColumn), scale(row, plan.rows, 1)));
}

//===----------------------------------------------------------------------===//
// The product
//===----------------------------------------------------------------------===//

void DotKernel::emit(const Matrices &matrices) {
  LaneBuilder &b = dot.b;
  UnitsOfA a = prepareA(matrices.a);
  Value right = prepareB(matrices.b);
  bool hasPanels = plan.panelSteps < plan.steps;
  if (hasPanels && !matrices.accumulator)
    clearResult(matrices.result);
  emitCounted(b, plan.steps, plan.panelSteps, [&](Value step) {
    Value source = matrices.accumulator;
    if (hasPanels && source) {
      Value isFirst = b.compare(LLVM::ICmpPredicate::eq, step, 0);
      source = b.select(isFirst, source, matrices.result);
    } else if (hasPanels) {
      source = matrices.result;
    }
    Value columnOfA = b.offset(a.base, b.mul(step, a.stepBytes));
    emitCounted(b, problem.columns, plan.blockColumns(), [&](Value column) {
      VectorsOfB vectors = panelOfB(right, step, column);
      SmallVector<Value> corrected = corrections(vectors);
      emitCounted(b, problem.rows, plan.rows, [&](Value row) {
        Value element = b.add(b.mul(row, problem.columns), column);
        Value bytes = b.mul(element, resultBytes());
        UnitsOfA rowsOfA = a;
        rowsOfA.base = b.offset(columnOfA, b.mul(row, a.rowBytes));
        emitBlock(source ? b.offset(source, bytes) : Value(), b.offset(matrices.result, bytes),
                  blockNumber(step, column, row), rowsOfA, vectors, corrected);
      });
    });
  });
}

/// Returns whether the product should be computed transposed: for a matrix with one column, the
/// long dimension then becomes the columns, which are vectorised.
static bool isBetterTransposed(const DotProblem &problem) {
  return problem.columns == 1 && problem.rows > 1;
}

static LLVM::LLVMFuncOp kernelOf(KernelContext &context) {
  return cast<LLVM::LLVMFuncOp>(context.builder.getBlock()->getParentOp());
}

/// Returns the name of the function for such a product in one kernel, by which other dots find it:
/// "attention.dot.1x64x32x64.f16.f16.f32.t.add".
static std::string functionName(StringRef kernel, int64_t batch, const DotProblem &problem,
                                bool accumulates, ArrayRef<NextTile> next) {
  std::string name;
  llvm::raw_string_ostream os(name);
  os << kernel << ".dot." << batch << "x" << problem.rows << "x" << problem.inner << "x"
     << problem.columns << "." << problem.a << "." << problem.b << "." << problem.result;
  os << (problem.columnMajorA ? ".t" : "") << (problem.columnMajorB ? ".bt" : "");
  os << (accumulates ? ".add" : "");
  for (const NextTile &tile : next)
    os << ".next" << tile.rows << "x" << tile.lines;
  return name;
}

/// Returns the function's arguments: A, B, the result, then the accumulator and the buffers if
/// there are any, and the addresses of the next tiles.
static SmallVector<Value> argumentsOf(const Matrices &matrices, const Buffers &buffers,
                                      ArrayRef<NextTile> next) {
  SmallVector<Value> arguments = {matrices.a, matrices.b, matrices.result};
  for (Value optional : {matrices.accumulator, buffers.a, buffers.b, buffers.panel})
    if (optional)
      arguments.push_back(optional);
  for (const NextTile &tile : next)
    arguments.append({tile.base, tile.rowBytes});
  return arguments;
}

/// Emits the function's body, in which the arguments take the place of the caller's values.
static void emitBody(KernelContext &context, LLVM::LLVMFuncOp function, int64_t batch,
                     const DotProblem &problem, const DotPlan &plan, Matrices matrices,
                     Buffers buffers, SmallVector<NextTile, 2> next) {
  OpBuilder::InsertionGuard guard(context.builder);
  Block *entry = function.addEntryBlock(context.builder);
  context.builder.setInsertionPointToEnd(entry);
  auto arguments = entry->getArguments().begin();
  matrices.a = *arguments++, matrices.b = *arguments++, matrices.result = *arguments++;
  for (Value *optional : {&matrices.accumulator, &buffers.a, &buffers.b, &buffers.panel})
    if (*optional)
      *optional = *arguments++;
  for (NextTile &tile : next)
    tile.base = *arguments++, tile.rowBytes = *arguments++;

  LaneBuilder b(context.builder, function.getLoc());
  DotKernel kernel(context, b.loc, problem, plan, buffers, next);
  emitCounted(b, batch, 1, [&](Value index) {
    auto place = [&](Value base, Type element, int64_t rows, int64_t columns) {
      return b.offset(base, b.mul(index, rows * columns * elementBytes(element)));
    };
    auto ofResult = [&](Value base) {
      return base ? place(base, problem.result, problem.rows, problem.columns) : Value();
    };
    kernel.emit({place(matrices.a, problem.a, problem.rows, problem.inner),
                 place(matrices.b, problem.b, problem.inner, problem.columns),
                 ofResult(matrices.accumulator), ofResult(matrices.result)});
  });
  LLVM::ReturnOp::create(b.builder, b.loc, ValueRange());
}

static LLVM::LLVMFuncOp createFunction(KernelContext &context, Location loc, StringRef name,
                                       ArrayRef<Value> arguments) {
  OpBuilder::InsertionGuard guard(context.builder);
  LLVM::LLVMFuncOp kernel = kernelOf(context);
  context.builder.setInsertionPointToEnd(context.module().getBody());
  Type nothing = LLVM::LLVMVoidType::get(context.builder.getContext());
  auto type =
      LLVM::LLVMFunctionType::get(nothing, llvm::to_vector(ValueRange(arguments).getTypes()));
  auto function =
      LLVM::LLVMFuncOp::create(context.builder, loc, name, type, LLVM::Linkage::Internal);
  function.setNoUnwind(true);
  function.setPassthroughAttr(kernel.getPassthroughAttr()); // the vector width
  return function;
}

void tessera::cpu::emitProduct(KernelContext &context, Location loc, const Tile &a, const Tile &b,
                               const std::optional<Tile> &accumulator, const Tile &result,
                               ArrayRef<NextTile> next) {
  size_t rank = result.shape.size();
  int64_t batch = rank == 3 ? result.shape[0] : 1;
  DotProblem problem{
      result.shape[rank - 2], result.shape[rank - 1], a.shape[rank - 1], a.element, b.element,
      result.element,         a.columnMajor,          b.columnMajor};
  Matrices matrices{a.address, b.address, accumulator ? accumulator->address : Value(),
                    result.address};
  if (isBetterTransposed(problem)) {
    std::swap(matrices.a, matrices.b);
    problem = {problem.columns, problem.rows,   problem.inner,         problem.b,
               problem.a,       problem.result, !problem.columnMajorB, !problem.columnMajorA};
  }
  DotPlan plan = planDot(problem, context.spec);
  LaneBuilder builder(context.builder, loc);
  Buffers buffers = reserveBuffers(context, builder, problem, plan);
  SmallVector<Value> arguments = argumentsOf(matrices, buffers, next);

  std::string name =
      functionName(kernelOf(context).getName(), batch, problem, accumulator.has_value(), next);
  auto function = context.module().lookupSymbol<LLVM::LLVMFuncOp>(name);
  if (!function) {
    function = createFunction(context, loc, name, arguments);
    emitBody(context, function, batch, problem, plan, matrices, buffers,
             SmallVector<NextTile, 2>(next));
  }
  LLVM::CallOp::create(context.builder, loc, function, arguments);
  for (Value address : arguments)
    context.arena().touch(address);
}

void tessera::cpu::emitDot(KernelContext &context, tt::DotOp op, const Tile &a, const Tile &b,
                           const std::optional<Tile> &accumulator, const Tile &result) {
  emitProduct(context, op.getLoc(), a, b, accumulator, result, findNextTiles(context, op));
}
