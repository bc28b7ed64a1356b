//===- RunArguments.cpp - from `--arg NAME=SPEC` to what a launch takes ---===//
// See RunArguments.h.
//===----------------------------------------------------------------------===//
#include "RunArguments.h"
#include "tessera/Launch/NpyFile.h"
#include "tessera/Support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace tessera;
using namespace tessera::cli;

llvm::Error cli::readSpecs(const Arguments &arguments, ArgumentRequest &request) {
  for (const std::string &text : arguments.all("arg")) {
    auto split = splitNamedValue("--arg", text);
    if (!split)
      return split.takeError();
    if (!request.specs.try_emplace(split->first, split->second).second)
      return makeError("--arg " + split->first + ": given twice");
  }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// "d" for the first part "d.base" of a descriptor: the array is the descriptor's.
static llvm::StringRef nameToGive(const KernelArgument &argument) {
  llvm::StringRef name = argument.name;
  if (!argument.descriptor.empty())
    name.consume_back(".base");
  return name;
}

/// Returns the rank of "tensordesc<fp16[64, 32]>"; a descriptor is 1 + 2 * rank arguments.
static size_t rankOf(const KernelArgument &argument) {
  llvm::StringRef extents = llvm::StringRef(argument.descriptor).split(']').first;
  return argument.descriptor.empty() ? 0 : 1 + extents.count(',');
}

/// For each passed argument, whether it is a later part of a descriptor.
static std::vector<bool> findParts(llvm::ArrayRef<const KernelArgument *> passed) {
  std::vector<bool> isPart(passed.size());
  for (auto [i, argument] : llvm::enumerate(passed))
    if (size_t rank = rankOf(*argument))
      for (size_t part = i + 1; part < std::min(passed.size(), i + 1 + 2 * rank); ++part)
        isPart[part] = true;
  return isPart;
}

/// Returns the arguments that must be given; a descriptor counts as one.
static std::string namesToGive(const KernelRecord &record) {
  std::vector<const KernelArgument *> passed = record.passedArguments();
  std::vector<llvm::StringRef> names;
  for (auto [argument, isPart] : llvm::zip_equal(passed, findParts(passed)))
    if (!isPart)
      names.push_back(nameToGive(*argument));
  return llvm::join(names, ", ");
}

static std::string arraysOf(const KernelRecord &record) {
  std::vector<llvm::StringRef> names;
  for (const KernelArgument *argument : record.passedArguments())
    if (!argument->constant && argument->isPointer())
      names.push_back(argument->name);
  return names.empty() ? "none" : llvm::join(names, ", ");
}

//===----------------------------------------------------------------------===//
// Matching
//===----------------------------------------------------------------------===//

static llvm::Error checkNames(const ArgumentRequest &request, const KernelRecord &record) {
  llvm::StringMap<const KernelArgument *> known;
  for (const KernelArgument &argument : record.arguments)
    known[nameToGive(argument)] = &argument;
  for (const auto &entry : request.specs) {
    const KernelArgument *argument = known.lookup(entry.first());
    if (!argument)
      return makeError("--arg " + entry.first() + ": '" + record.kernelName +
                       "' has no such parameter; it has " + namesToGive(record));
    if (argument->constant)
      return makeError("--arg " + entry.first() + ": fixed to " + *argument->constant +
                       " by the signature");
  }
  for (const auto &[name, file] : request.saves) {
    const KernelArgument *argument = known.lookup(name);
    if (!argument || argument->constant || !argument->isPointer())
      return makeError("--save " + name + ": not an array of '" + record.kernelName + "'; it has " +
                       arraysOf(record));
  }
  return llvm::Error::success();
}

llvm::Expected<MatchedArguments> cli::matchArguments(const ArgumentRequest &request,
                                                     const KernelRecord &record) {
  if (llvm::Error error = checkNames(request, record))
    return error;
  for (const KernelArgument *argument : record.passedArguments())
    if (argument->isTensorMap())
      return makeError("argument '" + argument->name + "' of '" + record.kernelName +
                       "' is a tensor map, which --arg cannot make");
  MatchedArguments specs;
  std::vector<const KernelArgument *> passed = record.passedArguments();
  for (auto [argument, isPart] : llvm::zip_equal(passed, findParts(passed))) {
    llvm::StringRef name = nameToGive(*argument);
    auto given = request.specs.find(name);
    if (given == request.specs.end() && isPart) {
      specs.push_back(std::nullopt);
      continue;
    }
    if (given == request.specs.end())
      return makeError("--arg " + name + ": missing; give it as --arg " + name + "=" +
                       (argument->isPointer() ? "zeros:SHAPE" : "NUMBER"));
    llvm::Expected<ArgumentSpec> spec = parseArgumentSpec(name, argument->type, given->second);
    if (!spec)
      return spec.takeError();
    specs.push_back(std::move(*spec));
  }
  return specs;
}

//===----------------------------------------------------------------------===//
// Making
//===----------------------------------------------------------------------===//

/// The promise of a `:16` in the signature, which the compiled code relies on.
static llvm::Error checkDivisibility(const KernelArgument &argument, const HostArgument &value) {
  if (argument.divisibility <= 1 || value.type.isPointer() || value.type.scalar.isFloat())
    return llvm::Error::success();
  int64_t number = decodeInt(value.type.scalar, value.scalar);
  if (number % static_cast<int64_t>(argument.divisibility) == 0)
    return llvm::Error::success();
  return makeError("--arg " + argument.name + ": " + llvm::Twine(number) + " is not divisible by " +
                   llvm::Twine(argument.divisibility) + ", which the signature promises");
}

/// Returns the parts of an array's descriptor: extents, then strides.
static llvm::Expected<std::vector<int64_t>> partsFrom(llvm::StringRef name, const HostArray &array,
                                                      size_t rank) {
  if (array.shape.size() != rank)
    return makeError("--arg " + name + ": the descriptor has " + llvm::Twine(rank) +
                     (rank == 1 ? " dimension" : " dimensions") + " and the array " +
                     llvm::Twine(array.shape.size()));
  std::vector<int64_t> parts(2 * rank, 0);
  int64_t stride = 1;
  for (size_t axis = rank; axis-- > 0;) {
    if (array.shape[axis] < 1 || array.shape[axis] > INT32_MAX)
      return makeError("--arg " + name + ": the extents of a descriptor are 1 to 2^31 - 1, not " +
                       llvm::Twine(array.shape[axis]));
    parts[axis] = int64_t(array.shape[axis]);
    parts[rank + axis] = stride;
    stride *= parts[axis];
  }
  return parts;
}

/// Rows must be multiples of 16 bytes apart, and an array's need not be.
static llvm::Error checkStride(llvm::StringRef name, const KernelArgument &argument, int64_t stride,
                               size_t axis, const HostArray &array) {
  if (stride % int64_t(argument.divisibility) == 0)
    return llvm::Error::success();
  std::string last = std::to_string(array.shape.size() - 1);
  uint64_t bytes = array.type.bytesInMemory();
  return makeError("--arg " + name + ": along dimension " + llvm::Twine(axis) +
                   " the array's elements are " + llvm::Twine(uint64_t(stride) * bytes) +
                   " bytes apart, and a descriptor's are multiples of 16; make the array larger, "
                   "and give the extent that is meant as --arg " +
                   name + ".shape." + last + "=" + llvm::Twine(array.shape.back()));
}

/// Fills in the parts of the descriptor whose base is `values[first]` that no spec gave.
static llvm::Error deriveParts(llvm::ArrayRef<const KernelArgument *> passed,
                               const MatchedArguments &specs, size_t first,
                               std::vector<HostArgument> &values) {
  size_t rank = rankOf(*passed[first]);
  llvm::StringRef name = nameToGive(*passed[first]);
  const HostArray &array = values[first].array;
  size_t end = std::min(passed.size(), first + 1 + 2 * rank);
  bool isComplete = true;
  for (size_t i = first + 1; i < end; ++i)
    isComplete = isComplete && specs[i];
  std::vector<int64_t> parts(2 * rank, 0);
  if (!isComplete) {
    llvm::Expected<std::vector<int64_t>> derived = partsFrom(name, array, rank);
    if (!derived)
      return derived.takeError();
    parts = std::move(*derived);
  }
  for (size_t i = first + 1; i < end; ++i) {
    if (specs[i])
      continue;
    HostArgument &value = values[i];
    int64_t number = parts[i - first - 1];
    if (size_t strides = first + 1 + rank; i >= strides)
      if (llvm::Error error = checkStride(name, *passed[i], number, i - strides, array))
        return error;
    encodeInt(value.type.scalar, uint64_t(number), value.scalar);
  }
  return llvm::Error::success();
}

static llvm::Expected<std::vector<HostArgument>> makeValues(const ArgumentRequest &request,
                                                            const KernelRecord &record,
                                                            const MatchedArguments &specs,
                                                            ThreadPool &pool) {
  std::vector<HostArgument> values(specs.size());
  std::vector<const KernelArgument *> passed = record.passedArguments();
  for (auto [spec, argument, value] : llvm::zip_equal(specs, passed, values)) {
    if (spec) {
      llvm::Expected<HostArgument> made = makeHostArgument(*spec, request.seed, pool);
      if (!made)
        return made.takeError();
      value = std::move(*made);
      continue;
    }
    llvm::Expected<KernelType> type = parseArgumentType(argument->type);
    if (!type)
      return type.takeError();
    value.name = argument->name;
    value.type = *type;
  }
  for (size_t i = 0; i < passed.size(); ++i)
    if (!passed[i]->descriptor.empty())
      if (llvm::Error error = deriveParts(passed, specs, i, values))
        return error;
  for (auto [argument, value] : llvm::zip_equal(passed, values))
    if (llvm::Error error = checkDivisibility(*argument, value))
      return error;
  return values;
}

llvm::Expected<LaunchArguments> cli::makeArguments(const ArgumentRequest &request,
                                                   const KernelRecord &record,
                                                   const MatchedArguments &specs, Device &device,
                                                   ThreadPool &pool) {
  LaunchArguments result;
  llvm::Expected<std::vector<HostArgument>> values = makeValues(request, record, specs, pool);
  if (!values)
    return values.takeError();
  result.host = std::move(*values);
  // Addresses are taken once nothing moves any more.
  size_t count = result.host.size();
  result.memory.resize(count);
  result.addresses.resize(count);
  for (size_t i = 0; i < count; ++i) {
    HostArgument &value = result.host[i];
    if (!value.type.isPointer()) {
      result.pointers.push_back(value.scalar);
      continue;
    }
    uint64_t bytes = value.array.bytes();
    result.arrayBytes += bytes;
    result.addresses[i] = reinterpret_cast<DeviceAddress>(value.array.buffer.data());
    if (!device.properties().sharesHostMemory) {
      llvm::Expected<DeviceMemory> memory = device.allocate(bytes);
      if (!memory)
        return addContext("--arg " + value.name, memory.takeError());
      result.memory[i] = std::move(*memory);
      result.addresses[i] = result.memory[i].address();
      if (llvm::Error error =
              device.copyToDevice(result.addresses[i], value.array.buffer.data(), bytes))
        return error;
    }
    result.pointers.push_back(&result.addresses[i]);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Saving
//===----------------------------------------------------------------------===//

llvm::Error cli::saveArrays(const ArgumentRequest &request, LaunchArguments &arguments,
                            Device &device) {
  for (const auto &[name, file] : request.saves) {
    for (size_t i = 0; i < arguments.host.size(); ++i) {
      HostArgument &value = arguments.host[i];
      if (value.name != name || !value.type.isPointer())
        continue;
      if (!device.properties().sharesHostMemory)
        if (llvm::Error error = device.copyToHost(value.array.buffer.data(), arguments.addresses[i],
                                                  value.array.bytes()))
          return error;
      if (llvm::Error error = writeNpy(file, value.array))
        return addContext("--save " + name, std::move(error));
    }
  }
  return llvm::Error::success();
}
