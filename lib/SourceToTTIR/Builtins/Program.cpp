//===- Program.cpp - which program this is, and where it runs -------------===//
// program_id and num_programs; target_info and the launch's warps; constexpr,
// triton.cdiv and triton.next_power_of_2, which leave no trace in the IR
// (docs/language.md#programs-and-targets).
//===----------------------------------------------------------------------===//
#include "Builtins.h"
#include "tessera/Kernel/LanguageTarget.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "../Operators/Semantics.h"

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

//===----------------------------------------------------------------------===//
// The target
//===----------------------------------------------------------------------===//

/// The target; an error at a module's top level, which is not compiled for one.
static FailureOr<const LanguageTarget *> currentTarget(Emitter &emit) {
  if (emit.target)
    return emit.target;
  return emit.error("the target is known in kernels, not at a module's top level");
}

static FailureOr<Value> targetObject(Emitter &emit, BoundArguments) {
  if (failed(currentTarget(emit)))
    return llvm::failure();
  return Value(ModuleObject{kTargetObject.str()});
}

FailureOr<Value> tessera::targetAttribute(Emitter &emit, llvm::StringRef name) {
  FailureOr<const LanguageTarget *> target = currentTarget(emit);
  if (failed(target))
    return llvm::failure();
  if (name == "backend")
    return Value((*target)->backend);
  if (name == "warp_size")
    return Value(PythonInt((*target)->warpSize));
  if (name != "arch")
    return emit.error("the current target has no attribute '" + name +
                      "'; it has backend, arch and warp_size");
  if (!(*target)->arch.empty())
    return Value((*target)->arch);
  return Value(PythonInt((*target)->capability));
}

template <bool (*Predicate)(const LanguageTarget &)>
static FailureOr<Value> askTarget(Emitter &emit, BoundArguments) {
  FailureOr<const LanguageTarget *> target = currentTarget(emit);
  if (failed(target))
    return llvm::failure();
  return Value(Predicate(**target));
}
static bool isCuda(const LanguageTarget &target) { return target.backend == "cuda"; }
static bool isHip(const LanguageTarget &target) { return target.backend == "hip"; }
static bool isCdna3(const LanguageTarget &target) { return target.arch == "gfx942"; }
static bool isCdna4(const LanguageTarget &target) { return target.arch == "gfx950"; }

static FailureOr<Value> cudaCapabilityAtLeast(Emitter &emit, BoundArguments args) {
  FailureOr<const LanguageTarget *> target = currentTarget(emit);
  std::optional<PythonInt> major = args[0].asInt(), minor = args[1].asInt();
  if (failed(target))
    return llvm::failure();
  if (!major || !minor || !major->fitsSigned(16) || !minor->fitsSigned(16))
    return emit.error("cuda_capability_geq takes compile-time ints, not " +
                      (major ? args[1] : args[0]).describe());
  int64_t wanted = major->toInt64() * 10 + minor->toInt64();
  return Value(isCuda(**target) && (*target)->capability >= wanted);
}

static FailureOr<Value> numWarps(Emitter &emit, BoundArguments) {
  FailureOr<const LanguageTarget *> target = currentTarget(emit);
  if (failed(target))
    return llvm::failure();
  return Value(PythonInt((*target)->numWarps));
}

static FailureOr<Value> numThreads(Emitter &emit, BoundArguments) {
  FailureOr<const LanguageTarget *> target = currentTarget(emit);
  if (failed(target))
    return llvm::failure();
  // On a target without warps the result is that of most GPUs.
  unsigned threadsPerWarp = (*target)->warpSize > 1 ? (*target)->warpSize : 32;
  return Value(PythonInt(int64_t((*target)->numWarps) * threadsPerWarp));
}

//===----------------------------------------------------------------------===//
// Compile-time functions
//===----------------------------------------------------------------------===//

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
static constexpr Parameter kCapability[] = {{"major"}, {"minor", Default::Zero}};
static constexpr Parameter kValue[] = {{"value"}};
static constexpr Parameter kTwo[] = {{"x"}, {"y"}};
static constexpr Parameter kOne[] = {{"n"}};

llvm::ArrayRef<Builtin> tessera::programBuiltins() {
  static constexpr Builtin rows[] = {
      {"triton.language.program_id", kAxis, programId},
      {"triton.language.num_programs", kAxis, numPrograms},
      {"triton.language.target_info.current_target", {}, targetObject, false, true},
      {"triton.language.target_info.is_cuda", {}, askTarget<isCuda>, false, true},
      {"triton.language.target_info.is_hip", {}, askTarget<isHip>, false, true},
      {"triton.language.target_info.is_hip_cdna3", {}, askTarget<isCdna3>, false, true},
      {"triton.language.target_info.is_hip_cdna4", {}, askTarget<isCdna4>, false, true},
      {"triton.language.target_info.cuda_capability_geq", kCapability, cudaCapabilityAtLeast, false,
       true},
      {"triton.language.extra.cuda.num_warps", {}, numWarps, false, true},
      {"triton.language.extra.cuda.num_threads", {}, numThreads, false, true},
      {"triton.language.constexpr", kValue, constexprOf, false, true},
      {"triton.cdiv", kTwo, hostCdiv, false, true},
      {"triton.next_power_of_2", kOne, nextPowerOf2, false, true},
  };
  return rows;
}
