//===- DeviceMath.cpp - the functions of NVIDIA's libdevice on any target -===//
// See DeviceMath.h. The table has a row for each symbol: its types, the function here that lowers
// it, and the parameters of that function. Most rows belong to families, which `Table` expands: f32
// and f64, four rounding directions.
//
// Types of a row: i l for 32 and 64 bits of integer, f d of float; the result,
// then the arguments. "__nv_ldexpf" is "ffi".
//===----------------------------------------------------------------------===//
#include "tessera/LLIR/DeviceMath.h"
#include "SpecialFunctions.h"
#include "tessera/LLIR/DeviceFunctions.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace tessera;
using Float = LLVM::FCmpPredicate;

namespace {
struct Row;

struct Call {
  MathLibrary &library;
  LaneBuilder &b;
  ArrayRef<Value> args;
  const Row &row;

  Type i32() const { return b.builder.getI32Type(); }
  Type i64() const { return b.builder.getI64Type(); }
  Type f64() const { return b.builder.getF64Type(); }
  /// The type of one lane of the result.
  Type result() const;
  Value x() const { return args[0]; }
  Value y() const { return args[1]; }
};

using Lowering = Value (*)(const Call &);

struct Row {
  std::string types;
  Lowering lower = nullptr;
  StringRef name; // the function for doubles, without libdevice's prefix
  Direction direction = Direction::Nearest;
};
} // namespace

Type Call::result() const { return deviceType(row.types[0], b.builder.getContext()); }

//===----------------------------------------------------------------------===//
// Functions of libm and of our own
//===----------------------------------------------------------------------===//

static Value lowerLibrary(const Call &call) {
  return call.library.call(call.b, call.row.name, call.args, call.result());
}

/// Computes in f64 and rounds once to f32 if the result is f32.
template <typename Emit> static Value computeInDouble(const Call &call, Emit emit) {
  SmallVector<Value, 4> wide;
  for (Value arg : call.args)
    wide.push_back(isa<FloatType>(laneType(arg)) ? call.b.resizeFloat(arg, call.f64()) : arg);
  Value result = emit(wide);
  return result ? call.b.resizeFloat(result, call.result()) : result;
}

static Value lowerLibraryInDouble(const Call &call) {
  return computeInDouble(
      call, [&](ArrayRef<Value> args) { return call.library.call(call.b, call.row.name, args); });
}

static Value lowerSpecial(const Call &call) {
  return computeInDouble(call, [&](ArrayRef<Value> args) {
    return emitSpecialFunction(call.b, call.row.name, args, call.library);
  });
}

static Value lowerIntegerPower(const Call &call) {
  return call.library.integerPower(call.b, call.x(), call.y());
}

/// Computes 2^(y · log2 x), as the GPU's fast power does: NaN for negative x.
static Value lowerFastPower(const Call &call) {
  Value log = call.library.call(call.b, "log2", call.x());
  return call.library.call(call.b, "exp2", call.b.mulFloat(call.y(), log));
}

static Value lowerReciprocalRoot(const Call &call) {
  return call.b.divFloat(call.b.real(call.x().getType(), 1.0), call.b.squareRoot(call.x()));
}

static Value lowerRoundedReciprocalRoot(const Call &call) {
  return computeInDouble(call, [&](ArrayRef<Value> args) {
    return call.b.divFloat(call.b.real(args[0].getType(), 1.0), call.b.squareRoot(args[0]));
  });
}

//===----------------------------------------------------------------------===//
// A few instructions
//===----------------------------------------------------------------------===//

/// Lowers functions that are the same on every target.
static Value lowerPlain(const Call &call) {
  return emitDeviceFunction(call.b, call.row.name, call.args, call.result());
}

/// Returns the upper word of the reciprocal of the upper word.
static Value lowerRoughReciprocal(const Call &call) {
  auto upper = [&](Value value) {
    Value bits = call.b.bitAnd(call.b.bitcast(value, call.i64()), ~int64_t(0xffffffff));
    return call.b.bitcast(bits, call.f64());
  };
  return upper(call.b.divFloat(call.b.real(call.x().getType(), 1.0), upper(call.x())));
}

//===----------------------------------------------------------------------===//
// Chosen rounding
//===----------------------------------------------------------------------===//

template <RoundedOp op> static Value lowerRounded(const Call &call) {
  return call.library.rounded(call.b, op, call.row.direction, call.args, call.result());
}

static Value lowerRoundedReciprocal(const Call &call) {
  Value both[] = {call.b.real(call.x().getType(), 1.0), call.x()};
  return lowerRounded<RoundedOp::Div>({call.library, call.b, both, call.row});
}

/// PTX ISA, cvt: values out of range saturate; NaN becomes 0, or only the highest bit set if the
/// source or the result has 64 bits.
static Value toInteger(const Call &call, Value rounded, bool isSigned) {
  LaneBuilder &b = call.b;
  Value integer = b.toInteger(rounded, call.result(), isSigned);
  unsigned bits = call.result().getIntOrFloatBitWidth();
  if (laneType(rounded).isF32() && bits == 32)
    return integer;
  Value nan = b.compare(Float::uno, rounded, rounded);
  return b.select(nan, b.integer(integer.getType(), APInt::getSignMask(bits)), integer);
}

template <bool isSigned> static Value lowerToInteger(const Call &call) {
  OpBuilder &builder = call.b.builder;
  Location loc = call.b.loc;
  switch (call.row.direction) {
  case Direction::Nearest:
    return toInteger(call, LLVM::RoundEvenOp::create(builder, loc, call.x()), isSigned);
  case Direction::Down:
    return toInteger(call, LLVM::FFloorOp::create(builder, loc, call.x()), isSigned);
  case Direction::Up:
    return toInteger(call, LLVM::FCeilOp::create(builder, loc, call.x()), isSigned);
  case Direction::TowardZero:
    break;
  }
  return toInteger(call, call.x(), isSigned);
}

static Value lowerRoundToInteger(const Call &call) {
  return toInteger(call, LLVM::RoundOp::create(call.b.builder, call.b.loc, call.x()), true);
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

namespace {
class Table {
public:
  Table() {
    addLibrary();
    addFloats();
    addRounded();
    addConversions();
    addPlain();
  }
  const Row *find(StringRef symbol) const {
    auto found = symbol.consume_front("__nv_") ? rows.find(symbol) : rows.end();
    return found == rows.end() ? nullptr : &found->second;
  }

private:
  void add(StringRef symbol, StringRef types, Lowering lower, StringRef name = "",
           Direction direction = Direction::Nearest) {
    rows[symbol] = Row{types.str(), lower, name, direction};
  }
  /// Adds "name" for doubles and "namef" for floats; 'd' in `types` stands for either.
  void addPair(StringRef name, StringRef types, Lowering lower) {
    add(name, types, lower, name);
    std::string single = types.str();
    llvm::replace(single, 'd', 'f');
    add((name + "f").str(), single, lower, name);
  }
  void addLibrary();
  void addFloats();
  void addRounded();
  void addConversions();
  void addPlain();

  llvm::StringMap<Row> rows;
};

struct Suffix {
  StringLiteral text;
  Direction direction;
};
} // namespace

static constexpr Suffix kSuffixes[] = {{"_rn", Direction::Nearest},
                                       {"_rz", Direction::TowardZero},
                                       {"_rd", Direction::Down},
                                       {"_ru", Direction::Up}};

void Table::addLibrary() {
  for (StringRef name : {"exp",  "exp2",  "exp10", "expm1", "log",  "log2", "log10", "log1p",
                         "sin",  "cos",   "tan",   "asin",  "acos", "atan", "sinh",  "cosh",
                         "tanh", "asinh", "acosh", "atanh", "erf",  "erfc", "cbrt",  "logb"})
    addPair(name, "dd", lowerLibrary);
  for (StringRef name : {"pow", "atan2", "fmod", "hypot", "remainder", "nextafter"})
    addPair(name, "ddd", lowerLibrary);
  // libm's f32 versions of these are less accurate than the other functions here.
  for (StringRef name : {"lgamma", "tgamma", "j0", "j1", "y0", "y1"})
    addPair(name, "dd", lowerLibraryInDouble);
  for (StringRef name : {"jn", "yn"})
    addPair(name, "did", lowerLibraryInDouble);
  addPair("ldexp", "ddi", lowerLibrary);
  addPair("ilogb", "id", lowerLibrary);
  add("scalbn", "ddi", lowerLibrary, "ldexp");
  add("scalbnf", "ffi", lowerLibrary, "ldexp");
  add("powi", "ddi", lowerIntegerPower);
  add("powif", "ffi", lowerIntegerPower);
  for (StringRef name : {"sin", "cos", "tan", "log", "log2", "log10", "exp", "exp10"})
    add(("fast_" + name + "f").str(), "ff", lowerLibrary, name);
  add("fast_powf", "fff", lowerFastPower);
  for (StringRef name : {"sinpi", "cospi", "rcbrt", "erfinv", "erfcinv", "normcdfinv", "normcdf",
                         "erfcx", "cyl_bessel_i0", "cyl_bessel_i1"})
    addPair(name, "dd", lowerSpecial);
  addPair("rhypot", "ddd", lowerSpecial);
  for (StringRef name : {"norm3d", "rnorm3d"})
    addPair(name, "dddd", lowerSpecial);
  for (StringRef name : {"norm4d", "rnorm4d"})
    addPair(name, "ddddd", lowerSpecial);
}

void Table::addFloats() {
  addPair("rsqrt", "dd", lowerReciprocalRoot);
  add("frsqrt_rn", "ff", lowerRoundedReciprocalRoot);
  addPair("fma", "dddd", lowerRounded<RoundedOp::Fma>);
  add("rcp64h", "dd", lowerRoughReciprocal);
}

void Table::addRounded() {
  for (const Suffix &suffix : kSuffixes) {
    auto both = [&](StringRef name, StringRef types, Lowering lower) {
      add(("d" + name + suffix.text).str(), types, lower, "", suffix.direction);
      std::string single = types.str();
      llvm::replace(single, 'd', 'f');
      add(("f" + name + suffix.text).str(), single, lower, "", suffix.direction);
    };
    both("add", "ddd", lowerRounded<RoundedOp::Add>);
    both("sub", "ddd", lowerRounded<RoundedOp::Sub>);
    both("mul", "ddd", lowerRounded<RoundedOp::Mul>);
    both("div", "ddd", lowerRounded<RoundedOp::Div>);
    both("sqrt", "dd", lowerRounded<RoundedOp::Sqrt>);
    both("rcp", "dd", lowerRoundedReciprocal);
    add(("fma" + suffix.text).str(), "dddd", lowerRounded<RoundedOp::Fma>, "", suffix.direction);
    add(("fmaf" + suffix.text).str(), "ffff", lowerRounded<RoundedOp::Fma>, "", suffix.direction);
  }
}

void Table::addConversions() {
  struct Kind {
    StringLiteral name;
    StringLiteral type;
    bool isSigned;
  };
  static constexpr Kind integers[] = {
      {"int", "i", true}, {"uint", "i", false}, {"ll", "l", true}, {"ull", "l", false}};
  static constexpr Kind floats[] = {{"float", "f", true}, {"double", "d", true}};
  for (const Suffix &suffix : kSuffixes) {
    add(("double2float" + suffix.text).str(), "fd", lowerRounded<RoundedOp::Narrow>, "",
        suffix.direction);
    for (const Kind &integer : integers)
      for (const Kind &number : floats) {
        add((number.name + "2" + integer.name + suffix.text).str(),
            (integer.type + number.type).str(),
            integer.isSigned ? lowerToInteger<true> : lowerToInteger<false>, "", suffix.direction);
        add((integer.name + "2" + number.name + suffix.text).str(),
            (number.type + integer.type).str(),
            integer.isSigned ? lowerRounded<RoundedOp::FromSigned>
                             : lowerRounded<RoundedOp::FromUnsigned>,
            "", suffix.direction);
      }
  }
  addPair("llrint", "ld", lowerToInteger<true>);
  addPair("llround", "ld", lowerRoundToInteger);
}

void Table::addPlain() {
  for (const DeviceFunction &function : plainDeviceFunctions())
    add(function.name, function.types, lowerPlain, function.name);
}

static const Row *findRow(StringRef symbol) {
  static const Table table;
  return table.find(symbol);
}

bool DeviceMath::hasName(StringRef symbol) { return findRow(symbol) != nullptr; }

bool DeviceMath::has(StringRef symbol, ArrayRef<Type> arguments, Type result) {
  const Row *row = findRow(symbol);
  if (!row || row->types.size() != arguments.size() + 1)
    return false;
  MLIRContext *context = result.getContext();
  if (deviceType(row->types[0], context) != result)
    return false;
  for (auto [code, type] : llvm::zip(StringRef(row->types).drop_front(), arguments))
    if (deviceType(code, context) != type)
      return false;
  return true;
}

Value DeviceMath::lower(LaneBuilder &b, StringRef symbol, ArrayRef<Value> args) {
  const Row *row = findRow(symbol);
  return row->lower({library, b, args, *row});
}
