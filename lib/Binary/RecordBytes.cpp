//===- RecordBytes.cpp - the record in a cache entry ----------------------===//
// Numbers take eight bytes, little-endian; texts and lists follow their length.
// `visitFields` is the one list of the fields, for both directions: a structured
// binding must name all of them, so a new field does not compile until it is here.
//===----------------------------------------------------------------------===//
#include "RecordBytes.h"
#include "llvm/Support/Endian.h"
#include <type_traits>

namespace tessera {

namespace endian = llvm::support::endian;

template <typename Record, typename T>
concept IsRecord = std::is_same_v<std::remove_const_t<Record>, T>;

template <typename Visit> static void visitFields(IsRecord<KernelArgument> auto &r, Visit visit) {
  auto &[name, type, divisibility, constant, isReadOnly, descriptor] = r;
  visit(name, type, divisibility, constant, isReadOnly, descriptor);
}

template <typename Visit> static void visitFields(IsRecord<ScratchSize> auto &r, Visit visit) {
  auto &[bytes, align] = r;
  visit(bytes, align);
}

template <typename Visit>
static void visitFields(IsRecord<LaunchExpression::Term> auto &r, Visit visit) {
  auto &[kind, value] = r;
  visit(kind, value);
}

template <typename Visit> static void visitFields(IsRecord<LaunchExpression> auto &r, Visit visit) {
  auto &[terms] = r;
  visit(terms);
}

template <typename Visit> static void visitFields(IsRecord<TensorMapRecipe> auto &r, Visit visit) {
  auto &[base, offset, type, extents, strides, box, swizzle, fillsWithNaN, l2Bytes] = r;
  visit(base, offset, type, extents, strides, box, swizzle, fillsWithNaN, l2Bytes);
}

template <typename Visit> static void visitFields(IsRecord<KernelRecord> auto &r, Visit visit) {
  auto &[abiVersion, tesseraVersion, kernelName, symbol, target, arguments, hiddenArguments,
         tensorMaps, numWarps, threadsPerWarp, numCTAs, cluster, sharedBytes, sharedIsStatic,
         globalScratch, profileScratch, cooperative, dependentLaunch, writesOnlyArguments,
         registers, spillBytes, accumulatorRegisters, scalarRegisters, stackBytes, assembler,
         assemblerAdvice, attempts, sourceFile, sourceLine, options] = r;
  visit(abiVersion, tesseraVersion, kernelName, symbol, target, arguments, hiddenArguments,
        tensorMaps, numWarps, threadsPerWarp, numCTAs, cluster, sharedBytes, sharedIsStatic,
        globalScratch, profileScratch, cooperative, dependentLaunch, writesOnlyArguments, registers,
        spillBytes, accumulatorRegisters, scalarRegisters, stackBytes, assembler, assemblerAdvice,
        attempts, sourceFile, sourceLine, options);
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

namespace {
struct Writer {
  std::string bytes = {};

  template <typename T> void put(const T &value) {
    if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      char buffer[8];
      endian::write64le(buffer, uint64_t(value));
      bytes.append(buffer, sizeof(buffer));
    } else {
      visitFields(value, [this](const auto &...fields) { (this->put(fields), ...); });
    }
  }
  void put(const std::string &text) {
    put(text.size());
    bytes += text;
  }
  template <typename T> void put(const std::optional<T> &value) {
    put(value.has_value());
    if (value)
      put(*value);
  }
  template <typename A, typename B> void put(const std::pair<A, B> &pair) {
    put(pair.first);
    put(pair.second);
  }
  template <typename T, size_t N> void put(const std::array<T, N> &values) {
    for (const T &value : values)
      put(value);
  }
  template <typename T> void put(const std::vector<T> &values) {
    put(values.size());
    for (const T &value : values)
      put(value);
  }
};
} // namespace

std::string encodeRecord(const KernelRecord &record) {
  Writer writer;
  writer.put(record);
  return std::move(writer.bytes);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static constexpr HiddenArgument lastOf(HiddenArgument) { return HiddenArgument::TensorMap; }
static constexpr LaunchExpression::Kind lastOf(LaunchExpression::Kind) {
  return LaunchExpression::kLastKind;
}

namespace {
/// Takes values off the front. After a failure all are zero or empty.
struct Reader {
  llvm::StringRef bytes;
  bool isGood = true;

  uint64_t takeNumber() {
    if (bytes.size() < 8)
      isGood = false;
    if (!isGood)
      return 0;
    uint64_t number = endian::read64le(bytes.data());
    bytes = bytes.drop_front(8);
    return number;
  }
  template <typename T> void take(T &value) {
    if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      uint64_t number = takeNumber();
      if constexpr (std::is_enum_v<T>)
        isGood &= number <= uint64_t(lastOf(T()));
      if constexpr (std::is_same_v<T, bool>)
        isGood &= number <= 1;
      value = T(number);
      isGood &= uint64_t(value) == number;
    } else {
      visitFields(value, [this](auto &...fields) { (this->take(fields), ...); });
    }
  }
  void take(std::string &text) {
    uint64_t size = takeNumber();
    isGood &= size <= bytes.size();
    if (!isGood)
      return;
    text = bytes.take_front(size).str();
    bytes = bytes.drop_front(size);
  }
  template <typename T> void take(std::optional<T> &value) {
    bool isThere = false;
    take(isThere);
    if (isThere)
      take(value.emplace());
  }
  template <typename A, typename B> void take(std::pair<A, B> &pair) {
    take(pair.first);
    take(pair.second);
  }
  template <typename T, size_t N> void take(std::array<T, N> &values) {
    for (T &value : values)
      take(value);
  }
  template <typename T> void take(std::vector<T> &values) {
    uint64_t count = takeNumber();
    isGood &= count <= bytes.size() / 8; // each takes at least a number
    if (isGood)
      values.resize(count);
    for (T &value : values)
      take(value);
  }
};
} // namespace

std::optional<KernelRecord> decodeRecord(llvm::StringRef bytes) {
  Reader reader{bytes};
  KernelRecord record;
  reader.take(record);
  if (!reader.isGood || !reader.bytes.empty() || record.abiVersion < kFirstAbiVersion ||
      record.abiVersion > kAbiVersion)
    return std::nullopt;
  size_t passed = record.passedArguments().size();
  for (const TensorMapRecipe &recipe : record.tensorMaps)
    if (!recipe.whyInvalid(passed).empty())
      return std::nullopt;
  return record;
}

} // namespace tessera
