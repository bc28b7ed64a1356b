//===- PrintAssert.cpp - tt.print, tt.assert ------------------------------===//
// The output of a kernel is written through the C library alone, so that object files need nothing
// of Tessera.
//
// tt.print writes a line per element to stdout, operand after operand:
//
//   pid (0, 0, 0) idx ( 3) x: 1.500000
//   pid (0, 0, 0) idx () two: (operand 1) 7
//
// A line is one call of printf, which is atomic between threads; lines of programs on different
// threads come in any order, those of one program in order. A small float is printed as the number
// that it represents, and hex=True prints the bits of any element. stdout is flushed after each op.
// With --print-rows an op prints one line, in which dimensions of more than 16 elements are
// shortened to the first and the last four:
//
//   pid (0, 0, 0) two: [0, 0.5, 1, 1.5, ..., 510, 510.5, 511, 511.5], 7
//
// tt.assert writes one line to stderr, for the first element that is false,
// and leaves the kernel with KernelStatus::AssertionFailed:
//
//   k.py:12: assertion failed in kernel 'k', program (5, 0, 0), element (3): x > 0
//
// followed by the call sites, if the assertion is in a called function.
//===----------------------------------------------------------------------===//
#include "TileElements.h"
#include "tessera/LLIR/PrintText.h"
#include "tessera/TTIR/IR/Breakpoint.h"
#include "llvm/Support/MathExtras.h"
#include "../Kernel/Loops.h"
#include "../Lanes/SmallFloat.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cpu;
using Int = LLVM::ICmpPredicate;

//===----------------------------------------------------------------------===//
// The C library
//===----------------------------------------------------------------------===//

/// Returns a constant of the module with `text` and a zero byte; equal strings share one.
static LLVM::GlobalOp makeText(KernelContext &context, LaneBuilder &b, StringRef text) {
  std::string value = text.str() + '\0';
  unsigned count = 0;
  for (auto global : context.module().getOps<LLVM::GlobalOp>()) {
    auto known = dyn_cast_or_null<StringAttr>(global.getValueOrNull());
    if (known && known.getValue() == value)
      return global;
    ++count;
  }
  std::string name; // the dot distinguishes it from kernels' names
  do
    name = "text." + std::to_string(count++);
  while (context.module().lookupSymbol(name));
  OpBuilder::InsertionGuard guard(b.builder);
  b.builder.setInsertionPointToStart(context.module().getBody());
  auto type = LLVM::LLVMArrayType::get(b.builder.getI8Type(), value.size());
  auto global =
      LLVM::GlobalOp::create(b.builder, context.module().getLoc(), type, /*isConstant=*/true,
                             LLVM::Linkage::Private, name, b.builder.getStringAttr(value));
  global.setUnnamedAddr(LLVM::UnnamedAddr::Global);
  return global;
}

/// Loads the stream from the C library's variable `stdout` or `stderr`.
static Value loadStream(KernelContext &context, LaneBuilder &b, StringRef name) {
  Type pointer = LLVM::LLVMPointerType::get(b.builder.getContext());
  auto variable = context.module().lookupSymbol<LLVM::GlobalOp>(name);
  if (!variable) {
    OpBuilder::InsertionGuard guard(b.builder);
    b.builder.setInsertionPointToStart(context.module().getBody());
    variable =
        LLVM::GlobalOp::create(b.builder, context.module().getLoc(), pointer, /*isConstant=*/false,
                               LLVM::Linkage::External, name, Attribute());
  }
  Value address = LLVM::AddressOfOp::create(b.builder, b.loc, variable);
  return LLVM::LoadOp::create(b.builder, b.loc, pointer, address);
}

/// Calls printf, or fprintf if there is a stream.
static void callPrintf(KernelContext &context, LaneBuilder &b, Value stream, StringRef format,
                       ArrayRef<Value> values) {
  Type pointer = LLVM::LLVMPointerType::get(b.builder.getContext());
  Type i32 = b.builder.getI32Type();
  SmallVector<Value> arguments;
  if (stream)
    arguments.push_back(stream);
  SmallVector<Type> fixed(arguments.size() + 1, pointer);
  arguments.push_back(LLVM::AddressOfOp::create(b.builder, b.loc, makeText(context, b, format)));
  llvm::append_range(arguments, values);
  auto function = context.declare(stream ? "fprintf" : "printf", i32, fixed, /*variadic=*/true);
  LLVM::CallOp::create(b.builder, b.loc, function, arguments);
}

/// Calls fflush, flockfile or funlockfile.
static void callOnStream(KernelContext &context, LaneBuilder &b, StringRef name, Value stream) {
  Type result = name == "fflush" ? Type(b.builder.getI32Type())
                                 : Type(LLVM::LLVMVoidType::get(b.builder.getContext()));
  auto function = context.declare(name, result, stream.getType());
  LLVM::CallOp::create(b.builder, b.loc, function, stream);
}

//===----------------------------------------------------------------------===//
// tt.print
//===----------------------------------------------------------------------===//

/// Splits a row-major index into one i32 per dimension.
static SmallVector<Value> splitIndex(LaneBuilder &b, Value index, ArrayRef<int64_t> shape) {
  SmallVector<Value> result(shape.size());
  for (size_t dim = shape.size(); dim-- > 0;) {
    result[dim] = b.resizeSigned(b.bitAnd(index, shape[dim] - 1), b.builder.getI32Type());
    index = b.shiftRight(index, int64_t(llvm::Log2_64(shape[dim])));
  }
  return result;
}

static SmallVector<Value> programIds(KernelContext &context) {
  return {context.program()[0], context.program()[1], context.program()[2]};
}

/// breakpoint(): calls tessera_break (Launch/CPU/Breakpoints.h) with the addresses of the operands,
/// and leaves the kernel if the host says so.
static void emitBreakpoint(KernelContext &context, LaneBuilder &b, tt::PrintOp op,
                           ArrayRef<TileOrScalar> operands) {
  Type pointer = LLVM::LLVMPointerType::get(b.builder.getContext()), i32 = b.builder.getI32Type();
  auto textOf = [&](StringRef text) -> Value {
    return LLVM::AddressOfOp::create(b.builder, b.loc, makeText(context, b, text));
  };
  Value addresses = context.reserveBytes(b, sizeof(void *) * std::max<size_t>(1, operands.size()));
  for (auto [number, operand] : llvm::enumerate(operands)) {
    Value address = operand.tile ? operand.tile->address : Value();
    if (!address) {
      address = context.reserveSlot(operand.scalar.getType());
      LLVM::StoreOp::create(b.builder, b.loc, operand.scalar, address);
    }
    Value place = LLVM::GEPOp::create(b.builder, b.loc, pointer, pointer, addresses,
                                      ArrayRef<LLVM::GEPArg>{int32_t(number)});
    LLVM::StoreOp::create(b.builder, b.loc, address, place);
  }
  SmallVector<PrintedPlace> places = findPlaces(op.getLoc());
  auto number = [&](uint64_t value) { return b.integer(i32, int64_t(value)); };
  SmallVector<Value> arguments = {textOf(op.getPrefix().drop_front(tt::kBreakpointPrefix.size())),
                                  textOf(places.empty() ? "" : places.front().file),
                                  number(places.empty() ? 0 : places.front().line), addresses,
                                  number(operands.size())};
  llvm::append_range(arguments, programIds(context));
  auto function =
      context.declare("tessera_break", i32, {pointer, pointer, i32, pointer, i32, i32, i32, i32});
  Value ends = LLVM::CallOp::create(b.builder, b.loc, function, arguments).getResult();
  for (const TileOrScalar &operand : operands)
    if (operand.tile)
      touchTiles(context, *operand.tile);
  Block *goesOn = appendBlock(b);
  LLVM::CondBrOp::create(b.builder, b.loc, b.compare(Int::ne, ends, 0), context.assertionFailed(),
                         ValueRange(), goesOn, ValueRange());
  b.builder.setInsertionPointToEnd(goesOn);
}

/// The most elements of a dimension that --print-rows prints, and how many of a longer one it
/// prints at either end.
static constexpr int64_t kRowLength = 16, kRowEnd = 4;

/// Prints the elements of `tile` from dimension `dim` on as [[1, 2], [3, 4]]; `index` is the
/// row-major index of the first.
static void printRow(KernelContext &context, LaneBuilder &b, const Tile &tile, size_t dim,
                     Value index, function_ref<void(Value element, Value separator)> print,
                     Value separator) {
  if (dim == tile.shape.size())
    return print(loadElements(b, tile, index), separator);
  auto textOf = [&](StringRef text) -> Value {
    return LLVM::AddressOfOp::create(b.builder, b.loc, makeText(context, b, text));
  };
  callPrintf(context, b, {}, "%s[", separator);
  int64_t extent = tile.shape[dim], inner = 1;
  for (int64_t size : ArrayRef(tile.shape).drop_front(dim + 1))
    inner *= size;
  bool isShortened = extent > kRowLength;
  Value nothing = textOf(""), comma = textOf(", "), dots = isShortened ? textOf(", ..., ") : comma;
  forEach(b, b.i64(0), b.i64(isShortened ? 2 * kRowEnd : extent), 1, [&](Value step) {
    Value own = step, before = b.select(b.compare(Int::eq, step, 0), nothing, comma);
    if (isShortened) {
      own = b.select(b.compare(Int::slt, step, kRowEnd), step, b.add(step, extent - 2 * kRowEnd));
      before = b.select(b.compare(Int::eq, step, kRowEnd), dots, before);
    }
    Value first = b.add(index, b.mul(own, inner));
    printRow(context, b, tile, dim + 1, first, print, before);
  });
  callPrintf(context, b, {}, "]", {});
}

/// --print-rows: one line for all operands. The lock keeps lines of other threads out.
static void emitPrintRow(KernelContext &context, LaneBuilder &b, tt::PrintOp op,
                         ArrayRef<TileOrScalar> operands) {
  Value stream = loadStream(context, b, "stdout");
  callOnStream(context, b, "flockfile", stream);
  callPrintf(context, b, {}, ("pid " + kProgramFormat).str() + escapePercent(op.getPrefix()),
             programIds(context));
  for (auto [number, operand] : llvm::enumerate(operands)) {
    Type element = getElementTypeOrSelf(op.getArgs()[number]);
    bool isSigned = op.getIsSigned()[number] != 0;
    auto print = [&](Value value, Value separator) {
      PrintConversion last =
          convertToPrint(b, value, element, isSigned, op.getHex(), context.spec.halfConversions);
      callPrintf(context, b, {}, "%s" + (last.format == "%f" ? "%g" : last.format),
                 {separator, last.argument});
    };
    Value separator =
        LLVM::AddressOfOp::create(b.builder, b.loc, makeText(context, b, number == 0 ? "" : ", "));
    if (!operand.tile) {
      print(operand.scalar, separator);
      continue;
    }
    printRow(context, b, *operand.tile, 0, b.i64(0), print, separator);
    touchTiles(context, *operand.tile);
  }
  callPrintf(context, b, {}, "\n", {});
  callOnStream(context, b, "fflush", stream);
  callOnStream(context, b, "funlockfile", stream);
}

void tessera::cpu::emitPrint(KernelContext &context, tt::PrintOp op,
                             ArrayRef<TileOrScalar> operands) {
  LaneBuilder b(context.builder, op.getLoc());
  if (op.getPrefix().starts_with(tt::kBreakpointPrefix))
    return emitBreakpoint(context, b, op, operands);
  if (context.printRows)
    return emitPrintRow(context, b, op, operands);
  std::string head = ("pid " + kProgramFormat).str(), prefix = escapePercent(op.getPrefix());
  if (operands.empty())
    callPrintf(context, b, {}, head + prefix + "\n", programIds(context));
  for (auto [number, operand] : llvm::enumerate(operands)) {
    Type element = getElementTypeOrSelf(op.getArgs()[number]);
    std::string which =
        operands.size() > 1 ? "(operand " + std::to_string(number) + ") " : std::string();
    auto print = [&, number = number](Value value, ArrayRef<Value> indices, StringRef format) {
      bool isSigned = op.getIsSigned()[number] != 0;
      PrintConversion last =
          convertToPrint(b, value, element, isSigned, op.getHex(), context.spec.halfConversions);
      SmallVector<Value> values = programIds(context);
      llvm::append_range(values, indices);
      values.push_back(last.argument);
      callPrintf(context, b, {},
                 head + " idx " + format.str() + prefix + which + last.format + "\n", values);
    };
    if (!operand.tile) {
      print(operand.scalar, {}, "()");
      continue;
    }
    const Tile &tile = *operand.tile;
    forEach(b, b.i64(0), b.i64(tile.elements()), 1, [&](Value index) {
      print(loadElements(b, tile, index), splitIndex(b, index, tile.shape),
            alignedIndexFormat(tile.shape));
    });
    touchTiles(context, tile);
  }
  callOnStream(context, b, "fflush", loadStream(context, b, "stdout"));
}

//===----------------------------------------------------------------------===//
// tt.assert
//===----------------------------------------------------------------------===//

/// Reports the failure and leaves the kernel; this terminates the block.
static void emitFailure(KernelContext &context, LaneBuilder &b, tt::AssertOp op,
                        ArrayRef<Value> indices) {
  std::string text = describePlaces(op.getLoc());
  text += "assertion failed in kernel '" + op->getParentOfType<tt::FuncOp>().getName().str() + "'";
  text = escapePercent(text) + (", program " + kProgramFormat).str();
  for (size_t dim = 0; dim < indices.size(); ++dim)
    text += dim ? ", %u" : ", element (%u";
  if (!indices.empty())
    text += ")";
  if (!op.getMessage().empty())
    text += ": " + escapePercent(op.getMessage());
  SmallVector<Value> values = programIds(context);
  llvm::append_range(values, indices);
  callPrintf(context, b, loadStream(context, b, "stderr"), text + "\n", values);
  LLVM::BrOp::create(b.builder, b.loc, ValueRange(), context.assertionFailed());
}

/// Returns whether any element of `tile` is false.
static Value anyIsFalse(KernelContext &context, LaneBuilder &b, const Tile &tile) {
  unsigned lanes = std::min<int64_t>(tile.elements(), context.spec.vectorBits / 8);
  Type byte = b.builder.getI8Type();
  Tile bytes{tile.address, tile.shape, byte}; // 0 or 1 each
  Value all = b.integer(withLanes(byte, lanes), int64_t(1));
  all = forEach(b, b.i64(0), b.i64(tile.elements()), lanes, all,
                [&](Value index, ArrayRef<Value> before) -> SmallVector<Value> {
                  return {b.bitAnd(before[0], loadElements(b, bytes, index, lanes))};
                })[0];
  return b.compare(Int::eq, b.intrinsic("llvm.vector.reduce.and", byte, all), 0);
}

/// Returns the index of the first false element; requires that there is one.
static Value findFalse(LaneBuilder &b, const Tile &tile) {
  Block *look = appendBlock(b, b.builder.getI64Type()), *next = appendBlock(b);
  Block *found = appendBlock(b);
  LLVM::BrOp::create(b.builder, b.loc, b.i64(0), look);
  b.builder.setInsertionPointToEnd(look);
  Value index = look->getArgument(0);
  LLVM::CondBrOp::create(b.builder, b.loc, loadElements(b, tile, index), next, ValueRange(), found,
                         ValueRange());
  b.builder.setInsertionPointToEnd(next);
  LLVM::BrOp::create(b.builder, b.loc, b.add(index, 1), look);
  b.builder.setInsertionPointToEnd(found);
  return index;
}

void tessera::cpu::emitAssert(KernelContext &context, tt::AssertOp op,
                              const TileOrScalar &condition) {
  LaneBuilder b(context.builder, op.getLoc());
  Value fails =
      condition.tile ? anyIsFalse(context, b, *condition.tile) : b.logicalNot(condition.scalar);
  Block *failed = appendBlock(b), *holds = appendBlock(b);
  LLVM::CondBrOp::create(b.builder, b.loc, fails, failed, ValueRange(), holds, ValueRange());
  b.builder.setInsertionPointToEnd(failed);
  if (condition.tile) {
    const Tile &tile = *condition.tile;
    SmallVector<Value> indices = splitIndex(b, findFalse(b, tile), tile.shape);
    emitFailure(context, b, op, indices);
    touchTiles(context, tile);
  } else {
    emitFailure(context, b, op, {});
  }
  b.builder.setInsertionPointToEnd(holds);
}
