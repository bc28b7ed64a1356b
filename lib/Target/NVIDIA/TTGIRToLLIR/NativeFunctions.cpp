//===- NativeFunctions.cpp - libdevice's functions that are instructions --===//
// These need no libdevice.10.bc, and the optimiser sees through them:
//
//   __nv_fadd_rz       add.rz.f32           __nv_float2ll_ru   cvt.rpi.s64.f32
//   __nv_byte_perm     prmt.b32             __nv_fast_sinf     sin.approx.ftz.f32
//   __nv_clz ...       LLIR/DeviceFunctions.h, the same on every target
//
// The exact ones keep subnormal numbers, as the language's own operators do; the
// approximate ones flush them, as libdevice's do in kernels.
//===----------------------------------------------------------------------===//
#include "NativeFunctions.h"
#include "tessera/LLIR/DeviceFunctions.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvidia;

/// "rd" and "ru" are "rm" and "rp" in PTX; empty for anything else.
static StringRef modeOf(StringRef suffix) {
  return llvm::StringSwitch<StringRef>(suffix)
      .Cases({"rn", "rz"}, suffix)
      .Case("rd", "rm")
      .Case("ru", "rp")
      .Default("");
}

static bool allAre(ArrayRef<Value> args, size_t count, Type type) {
  return args.size() == count &&
         llvm::all_of(args, [&](Value arg) { return arg.getType() == type; });
}

//===----------------------------------------------------------------------===//
// Chosen rounding
//===----------------------------------------------------------------------===//

/// fadd_rz, dsqrt_ru, fmaf_rd ...
static Value emitRounded(LaneBuilder &b, StringRef name, ArrayRef<Value> args, Type result) {
  auto [stem, suffix] = name.rsplit('_');
  StringRef mode = modeOf(suffix);
  if (mode.empty())
    return {};
  bool isSingle = stem == "fmaf" || (stem != "fma" && stem.starts_with("f"));
  StringRef op = stem == "fmaf" || stem == "fma" ? "fma" : stem.drop_front();
  size_t count = llvm::StringSwitch<size_t>(op)
                     .Cases({"add", "sub", "mul", "div"}, 2)
                     .Cases({"sqrt", "rcp"}, 1)
                     .Case("fma", 3)
                     .Default(0);
  Type type = isSingle ? b.builder.getF32Type() : b.builder.getF64Type();
  bool isKnown = count != 0 && (isSingle || op == "fma" || stem.starts_with("d"));
  if (!isKnown || result != type || !allAre(args, count, type))
    return {};
  SmallVector<Value> in(args);
  if (op == "sub") { // x - y is x + -y, rounded alike
    in[1] = LLVM::FNegOp::create(b.builder, b.loc, in[1]);
    op = "add";
  }
  return b.intrinsic(("llvm.nvvm." + op + "." + mode + (isSingle ? ".f" : ".d")).str(), type, in);
}

/// Returns the name that NVVM's conversion intrinsics have for a type of libdevice: "ui" for uint.
static StringRef conversionName(StringRef type) {
  return llvm::StringSwitch<StringRef>(type)
      .Case("float", "f")
      .Case("double", "d")
      .Case("int", "i")
      .Case("uint", "ui")
      .Cases({"ll", "ull"}, type)
      .Default("");
}

/// float2int_rn, ull2double_ru ...
static Value emitConversion(LaneBuilder &b, StringRef name, ArrayRef<Value> args, Type result) {
  auto [types, suffix] = name.rsplit('_');
  auto [fromName, toName] = types.split('2');
  StringRef from = conversionName(fromName), to = conversionName(toName), mode = modeOf(suffix);
  if (from.empty() || to.empty() || mode.empty() || args.size() != 1)
    return {};
  auto typeOf = [&](StringRef name) -> Type {
    if (name == "f" || name == "d")
      return deviceType(name[0], b.builder.getContext());
    return deviceType(name.ends_with("ll") ? 'l' : 'i', b.builder.getContext());
  };
  bool isFloat = from == "f" || from == "d", toFloat = to == "f" || to == "d";
  bool exists = isFloat != toFloat || (from == "d" && to == "f");
  if (!exists || args[0].getType() != typeOf(from) || result != typeOf(to))
    return {};
  return b.intrinsic(("llvm.nvvm." + from + "2" + to + "." + mode).str(), result, args);
}

//===----------------------------------------------------------------------===//
// Approximations
//===----------------------------------------------------------------------===//

static Value emitApproximation(LaneBuilder &b, StringRef name, ArrayRef<Value> args, Type result) {
  Type f32 = b.builder.getF32Type();
  size_t count = name == "fast_powf" || name == "fast_fdividef" ? 2 : 1;
  if (result != f32 || !allAre(args, count, f32))
    return {};
  Value x = args[0];
  auto call = [&](StringRef op, ValueRange in) -> Value {
    return b.intrinsic(("llvm.nvvm." + op).str(), f32, in);
  };
  auto exp2 = [&](Value value) { return call("ex2.approx.ftz", value); };
  auto log2 = [&] { return call("lg2.approx.ftz.f", x); };
  auto divide = [&](Value numerator, Value denominator) {
    return call("div.approx.ftz.f", ValueRange{numerator, denominator});
  };
  if (name == "rsqrtf")
    return call("rsqrt.approx.ftz.f", x);
  if (name == "exp2f")
    return exp2(x);
  if (name == "fast_sinf")
    return call("sin.approx.ftz.f", x);
  if (name == "fast_cosf")
    return call("cos.approx.ftz.f", x);
  if (name == "fast_tanf")
    return divide(call("sin.approx.ftz.f", x), call("cos.approx.ftz.f", x));
  if (name == "fast_log2f")
    return log2();
  if (name == "fast_logf") // times ln 2
    return b.mulFloat(log2(), 0.693147180559945309);
  if (name == "fast_log10f") // times log10 2
    return b.mulFloat(log2(), 0.301029995663981195);
  if (name == "fast_expf") // log2 e
    return exp2(b.mulFloat(x, 1.44269504088896341));
  if (name == "fast_exp10f") // log2 10
    return exp2(b.mulFloat(x, 3.32192809488736235));
  if (name == "fast_powf")
    return exp2(b.mulFloat(args[1], log2()));
  if (name == "fast_fdividef")
    return divide(x, args[1]);
  return {};
}

//===----------------------------------------------------------------------===//
// Single instructions
//===----------------------------------------------------------------------===//

static Value emitInstruction(LaneBuilder &b, StringRef name, ArrayRef<Value> args, Type result) {
  struct Row {
    StringLiteral name, types, intrinsic;
  };
  static constexpr Row rows[] = {
      {"byte_perm", "iiii", "llvm.nvvm.prmt"},        {"sad", "iiii", "llvm.nvvm.sad.i"},
      {"usad", "iiii", "llvm.nvvm.sad.ui"},           {"mul24", "iii", "llvm.nvvm.mul24.i"},
      {"umul24", "iii", "llvm.nvvm.mul24.ui"},        {"saturatef", "ff", "llvm.nvvm.saturate.f"},
      {"rcp64h", "dd", "llvm.nvvm.rcp.approx.ftz.d"}, {"llrintf", "lf", "llvm.nvvm.f2ll.rn"},
      {"llrint", "ld", "llvm.nvvm.d2ll.rn"},          {"fmaf", "ffff", "llvm.nvvm.fma.rn.f"},
      {"fma", "dddd", "llvm.nvvm.fma.rn.d"},
  };
  for (const Row &row : rows) {
    MLIRContext *context = b.builder.getContext();
    if (row.name != name || row.types.size() != args.size() + 1 ||
        deviceType(row.types[0], context) != result)
      continue;
    auto matches = [&](auto pair) {
      return deviceType(std::get<0>(pair), context) == std::get<1>(pair).getType();
    };
    if (!llvm::all_of(llvm::zip(row.types.drop_front(), args), matches))
      continue;
    SmallVector<Value> in(args);
    if (name == "byte_perm") // a fourth bit of a selector, which prmt takes for "repeat the sign",
                             // is ignored
      in[2] = b.bitAnd(in[2], 0x7777);
    return b.intrinsic(row.intrinsic, result, in);
  }
  return {};
}

Value nvidia::emitNativeFunction(LaneBuilder &b, StringRef symbol, ArrayRef<Value> args,
                                 Type result) {
  if (!symbol.consume_front("__nv_"))
    return {};
  for (auto emit : {emitInstruction, emitRounded, emitConversion, emitApproximation})
    if (Value value = emit(b, symbol, args, result))
      return value;
  return emitDeviceFunction(b, symbol, args, result);
}
