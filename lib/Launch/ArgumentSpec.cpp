//===- ArgumentSpec.cpp - what `--arg NAME=SPEC` means --------------------===//
// Two steps: parse (pure, all checks) and make (allocates, reads, fills).
//===----------------------------------------------------------------------===//
#include "tessera/Launch/ArgumentSpec.h"
#include "tessera/Launch/NpyFile.h"
#include "tessera/Support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>
#include <cstdio>
#include <cstring>
#include <optional>

namespace tessera {

static constexpr llvm::StringLiteral kArrayForms =
    "zeros:SHAPE, empty:SHAPE, arange:SHAPE, rand:SHAPE, randn:SHAPE, randint:LO:HI:SHAPE or "
    "@file.npy";

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

llvm::Expected<KernelType> parseArgumentType(llvm::StringRef text) {
  std::optional<KernelType> type = KernelType::parse(text.trim().split(':').first.trim());
  if (type && type->pointerDepth <= 1)
    return *type;
  return makeError("type '" + text + "' has no values on the host; the types are " +
                   DType::allNames() + " and pointers to them, as in *fp32");
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

static std::string rangeOf(DType type) {
  return std::to_string(smallestInt(type)) + " to " + std::to_string(largestInt(type));
}

static llvm::Error outOfRange(llvm::StringRef text, DType type) {
  return makeError(text + " does not fit " + type.name() + " (" + rangeOf(type) + ")");
}

/// Decimal or 0x, with a sign. Sets the value's bits in two's complement.
static llvm::Error parseInteger(llvm::StringRef text, DType type, uint64_t &bits) {
  llvm::StringRef digits = text;
  bool negative = digits.consume_front("-");
  if (!negative)
    digits.consume_front("+");
  unsigned radix = digits.consume_front_insensitive("0x") ? 16 : 10;
  bool isNumber = !digits.empty() && llvm::all_of(digits, [radix](char c) {
    return radix == 16 ? llvm::isHexDigit(c) : llvm::isDigit(c);
  });
  if (!isNumber)
    return makeError("'" + text + "' is not an integer, which " + type.name() + " needs");
  uint64_t magnitude = 0;
  if (digits.getAsInteger(radix, magnitude))
    return outOfRange(text, type);
  uint64_t limit = negative ? -uint64_t(smallestInt(type)) : largestInt(type);
  if (magnitude > limit)
    return outOfRange(text, type);
  bits = negative ? -magnitude : magnitude;
  return llvm::Error::success();
}

static llvm::Error parseFloat(llvm::StringRef text, DType type, double &value) {
  // The reader also takes hexadecimal and "nan(...)"; a name of infinity or nan
  // is the only text without a digit.
  if (text.empty() || text.getAsDouble(value, /*AllowInexact=*/true))
    return makeError("'" + text + "' is not a number");
  bool named = !llvm::any_of(text, llvm::isDigit);
  char rounded[8];
  encodeFloat(type, value, rounded);
  if (!named && !std::isfinite(decodeFloat(type, rounded))) {
    char largest[32];
    std::snprintf(largest, sizeof(largest), "%g", largestFloat(type));
    return makeError(text + " does not fit " + type.name() + " (largest " + largest + ")");
  }
  return llvm::Error::success();
}

/// The value's storage, as a launch passes it.
static llvm::Error parseScalar(llvm::StringRef text, DType type, char *to) {
  if (type.isFloat()) {
    double value = 0;
    if (llvm::Error error = parseFloat(text, type, value))
      return error;
    encodeFloat(type, value, to);
    return llvm::Error::success();
  }
  uint64_t bits = 0;
  if (type == DType::Int1 && text.equals_insensitive("true"))
    bits = 1;
  else if (type == DType::Int1 && text.equals_insensitive("false"))
    bits = 0;
  else if (llvm::Error error = parseInteger(text, type, bits))
    return error;
  encodeInt(type, bits, to);
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

static llvm::Error parseShape(llvm::StringRef text, llvm::SmallVectorImpl<uint64_t> &shape) {
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, 'x');
  uint64_t count = 1;
  for (llvm::StringRef part : parts) {
    uint64_t extent = 0;
    bool isNumber = !part.empty() && llvm::all_of(part, llvm::isDigit);
    if (!isNumber)
      return makeError("'" + text + "' is not a shape such as 4096 or 4x64x28");
    if (part.getAsInteger(10, extent) || __builtin_mul_overflow(count, extent, &count) ||
        count > uint64_t(INT64_MAX))
      return makeError("the shape " + text + " has too many elements");
    shape.push_back(extent);
  }
  if (shape.size() > 32)
    return makeError("the shape " + text + " has more than 32 dimensions");
  return llvm::Error::success();
}

/// Returns whether all of [low, high] are values of the type. Floats round integers beyond their
/// precision, but must not turn them into infinity.
static bool holdsIntegers(DType type, int64_t low, int64_t high) {
  if (type.isFloat()) {
    double most = std::max(std::fabs(double(low)), std::fabs(double(high)));
    return most <= largestFloat(type);
  }
  return low >= smallestInt(type) && (high < 0 || uint64_t(high) <= largestInt(type));
}

static llvm::Error checkFill(const ArgumentSpec &spec) {
  DType type = spec.type.scalar;
  using Kind = ArgumentSpec::Kind;
  if ((spec.kind == Kind::Normal || spec.kind == Kind::Uniform) && !type.isFloat())
    return makeError(llvm::Twine(spec.kind == Kind::Normal ? "randn" : "rand") +
                     " makes fractions, which *" + type.name() +
                     " cannot hold; use randint:LO:HI:SHAPE");
  uint64_t count = 1;
  for (uint64_t extent : spec.shape)
    count *= extent;
  if (spec.kind == Kind::Sequence && count > 0 && !holdsIntegers(type, 0, int64_t(count - 1)))
    return makeError("arange counts to " + llvm::Twine(count - 1) + ", which *" + type.name() +
                     " cannot hold");
  if (spec.kind != Kind::Integers)
    return llvm::Error::success();
  if (spec.low >= spec.high)
    return makeError("randint draws from LO <= value < HI, and " + llvm::Twine(spec.low) + ":" +
                     llvm::Twine(spec.high) + " is empty");
  if (!holdsIntegers(type, spec.low, spec.high - 1))
    return makeError("randint from " + llvm::Twine(spec.low) + " to " + llvm::Twine(spec.high - 1) +
                     " does not fit *" + type.name());
  return llvm::Error::success();
}

static llvm::Error parseArray(llvm::StringRef text, ArgumentSpec &spec) {
  using Kind = ArgumentSpec::Kind;
  if (text.consume_front("@")) {
    spec.kind = Kind::File;
    spec.text = text.str();
    return text.empty() ? makeError("'@' needs a file's name after it") : llvm::Error::success();
  }
  auto [form, rest] = text.split(':');
  std::optional<Kind> kind = llvm::StringSwitch<std::optional<Kind>>(form)
                                 .Case("zeros", Kind::Zeros)
                                 .Case("empty", Kind::Empty)
                                 .Case("arange", Kind::Sequence)
                                 .Case("rand", Kind::Uniform)
                                 .Case("randn", Kind::Normal)
                                 .Case("randint", Kind::Integers)
                                 .Default(std::nullopt);
  if (!kind)
    return makeError("'" + text + "' is no array; a pointer takes " + kArrayForms +
                     (text.ends_with(".npy") ? "; did you mean '@" + text + "'?" : ""));
  spec.kind = *kind;
  if (spec.kind == Kind::Integers) {
    for (int64_t *bound : {&spec.low, &spec.high}) {
      llvm::StringRef number;
      std::tie(number, rest) = rest.split(':');
      if (number.getAsInteger(10, *bound))
        return makeError("'" + text +
                         "' is not randint:LO:HI:SHAPE, with 64-bit integers LO and HI");
    }
  }
  if (llvm::Error error = parseShape(rest, spec.shape))
    return error;
  return checkFill(spec);
}

//===----------------------------------------------------------------------===//
// The whole argument
//===----------------------------------------------------------------------===//

static llvm::Error about(llvm::StringRef name, llvm::Error error) {
  return addContext("--arg " + name, std::move(error));
}

llvm::Expected<ArgumentSpec> parseArgumentSpec(llvm::StringRef name, llvm::StringRef type,
                                               llvm::StringRef spec) {
  llvm::Expected<KernelType> argumentType = parseArgumentType(type);
  if (!argumentType)
    return about(name, argumentType.takeError());
  ArgumentSpec result;
  result.name = name.str();
  result.type = *argumentType;
  llvm::StringRef text = spec.trim();
  if (result.type.isPointer()) {
    if (llvm::Error error = parseArray(text, result))
      return about(name, std::move(error));
    return result;
  }
  result.text = text.str();
  char unused[8];
  if (text.starts_with("@") || (text.contains(':') && !text.contains_insensitive("nan(")))
    return about(name, makeError("'" + text + "' is an array, and " + type + " is a single value"));
  if (llvm::Error error = parseScalar(text, result.type.scalar, unused))
    return about(name, std::move(error));
  return result;
}

llvm::Expected<std::pair<std::string, std::string>> splitNamedValue(llvm::StringRef option,
                                                                    llvm::StringRef text) {
  auto [name, value] = text.split('=');
  if (name.trim().empty() || value.trim().empty())
    return makeError(option + ": '" + text +
                     "' is not NAME=" + (option == "--save" ? "FILE.npy" : "SPEC"));
  return std::pair(name.trim().str(), value.trim().str());
}

static llvm::Expected<HostArray> makeArray(const ArgumentSpec &spec, uint64_t seed,
                                           ThreadPool &pool) {
  using Kind = ArgumentSpec::Kind;
  if (spec.kind == Kind::File)
    return readNpy(spec.text, spec.type.scalar);
  llvm::Expected<HostArray> array = HostArray::create(spec.type.scalar, spec.shape);
  if (!array)
    return array.takeError();
  // Not a number, -1 or true: whoever reads it will notice.
  if (spec.kind == Kind::Empty)
    std::memset(array->buffer.data(), spec.type.scalar == DType::Int1 ? 1 : 0xFF, array->bytes());
  RandomSource source{seed, randomStream(spec.name)};
  if (spec.kind == Kind::Sequence)
    fillSequence(*array, pool);
  else if (spec.kind == Kind::Uniform)
    fillUniform(*array, source, pool);
  else if (spec.kind == Kind::Normal)
    fillNormal(*array, source, pool);
  else if (spec.kind == Kind::Integers)
    fillIntegers(*array, spec.low, spec.high, source, pool);
  return array;
}

llvm::Expected<HostArgument> makeHostArgument(const ArgumentSpec &spec, uint64_t seed,
                                              ThreadPool &pool) {
  HostArgument argument;
  argument.name = spec.name;
  argument.type = spec.type;
  if (!spec.type.isPointer()) {
    if (llvm::Error error = parseScalar(spec.text, spec.type.scalar, argument.scalar))
      return about(spec.name, std::move(error));
    return argument;
  }
  llvm::Expected<HostArray> array = makeArray(spec, seed, pool);
  if (!array)
    return about(spec.name, array.takeError());
  argument.array = std::move(*array);
  argument.isInitialized = spec.kind != ArgumentSpec::Kind::Empty;
  return argument;
}

} // namespace tessera
