//===- Program.cpp - which program this is, and compile-time statements ---===//
// program_id, num_programs; static_assert, constexpr, triton.cdiv and
// triton.next_power_of_2, which leave no trace in the IR.
//===----------------------------------------------------------------------===//
#include "tessera/TTIR/IR/TTOps.h"
#include "../Builtins.h"
#include "../Semantics.h"

using namespace tessera;

static FailureOr<tt::ProgramIDDim> gridAxis(Emitter &emit, const Value &axis) {
  std::optional<PythonInt> number = axis.asInt();
  if (!number || !number->fitsSigned(32) || number->toInt64() < 0 || number->toInt64() > 2)
    return emit.error("a grid axis is 0, 1 or 2, not " + axis.describe());
  return static_cast<tt::ProgramIDDim>(number->toInt64());
}

static Value int32Value(mlir::Value handle) {
  KernelType type;
  type.scalar = DType::Int32;
  return Value(Tensor{handle, type});
}

static FailureOr<Value> programId(Emitter &emit, BoundArguments args) {
  FailureOr<tt::ProgramIDDim> axis = gridAxis(emit, args[0]);
  if (failed(axis))
    return llvm::failure();
  return int32Value(
      tt::GetProgramIdOp::create(emit.builder, emit.location(), static_cast<int>(*axis)));
}

static FailureOr<Value> numPrograms(Emitter &emit, BoundArguments args) {
  FailureOr<tt::ProgramIDDim> axis = gridAxis(emit, args[0]);
  if (failed(axis))
    return llvm::failure();
  return int32Value(
      tt::GetNumProgramsOp::create(emit.builder, emit.location(), static_cast<int>(*axis)));
}

static FailureOr<Value> staticAssert(Emitter &emit, BoundArguments args) {
  if (args[0].isTensor())
    return emit.error("static_assert takes a compile-time condition, not " + args[0].describe() +
                      "; device_assert checks at run time");
  if (!args[0].is<bool>())
    return emit.error("static_assert takes a bool, not " + args[0].describe() +
                      "; write a comparison");
  if (isTruthy(args[0]))
    return Value(NoneObject{});
  const std::string *message = args[1].get<std::string>();
  return emit.error(message && !message->empty() ? "static assertion failed: " + *message
                                                 : std::string("static assertion failed"));
}

static FailureOr<Value> constexprOf(Emitter &emit, BoundArguments args) {
  if (args[0].isTensor())
    return emit.error("constexpr takes a compile-time value, not " + args[0].describe());
  return args[0];
}

static FailureOr<Value> hostCdiv(Emitter &emit, BoundArguments args) {
  std::optional<PythonInt> x = args[0].asInt(), y = args[1].asInt();
  if (!x || !y || y->isZero())
    return emit.error("triton.cdiv takes two compile-time ints, the second not 0; tl.cdiv takes "
                      "run-time values");
  return Value(*(*x + *y - PythonInt(1)).floorDiv(*y));
}

static FailureOr<Value> nextPowerOf2(Emitter &emit, BoundArguments args) {
  std::optional<PythonInt> n = args[0].asInt();
  if (!n || !n->fitsSigned(63))
    return emit.error("triton.next_power_of_2 takes a compile-time int, not " + args[0].describe());
  if (n->isNegative() || n->isZero())
    return Value(PythonInt(0)); // what the bit trick of the reference gives
  int64_t power = 1;
  while (power < n->toInt64())
    power *= 2;
  return Value(PythonInt(power));
}

static constexpr Parameter kAxis[] = {{"axis"}};
static constexpr Parameter kAssert[] = {{"cond"}, {"msg", Default::EmptyString}};
static constexpr Parameter kValue[] = {{"value"}};
static constexpr Parameter kTwo[] = {{"x"}, {"y"}};
static constexpr Parameter kOne[] = {{"n"}};

llvm::ArrayRef<Builtin> tessera::programBuiltins() {
  static constexpr Builtin rows[] = {
      {"triton.language.program_id", kAxis, programId},
      {"triton.language.num_programs", kAxis, numPrograms},
      {"triton.language.static_assert", kAssert, staticAssert, false, true},
      {"triton.language.constexpr", kValue, constexprOf, false, true},
      {"triton.cdiv", kTwo, hostCdiv, false, true},
      {"triton.next_power_of_2", kOne, nextPowerOf2, false, true},
  };
  return rows;
}
