//===- DeviceLibrary.cpp - link the vendor's math functions ---------------===//
// See DeviceLibrary.h. Cost: the bitcode is read lazily, in about a millisecond; only functions
// that are called are materialised.
//===----------------------------------------------------------------------===//
#include "tessera/LLIR/DeviceLibrary.h"
#include "tessera/LLIR/Backend.h"
#include "tessera/Support/Error.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Transforms/IPO/Internalize.h"

using namespace llvm;

std::string tessera::firstUndefinedFunction(const Module &module, ArrayRef<StringRef> provided) {
  for (const Function &function : module)
    if (function.isDeclaration() && !function.isIntrinsic() && !function.use_empty() &&
        !is_contained(provided, function.getName()))
      return function.getName().str();
  return "";
}

/// A call may not match its callee's type, because pointers are opaque; the code would be invalid.
static Error checkCalls(const Module &module) {
  for (const Function &function : module)
    for (const User *user : function.users())
      if (auto *call = dyn_cast<CallBase>(user);
          call && call->getCalledFunction() == nullptr && call->getCalledOperand() == &function)
        return createStringError(
            "'" + function.getName() +
            "' of the device library takes other types than it is called with");
  return Error::success();
}

Error tessera::linkDeviceLibrary(Module &module, StringRef path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer = MemoryBuffer::getFile(path);
  if (!buffer)
    return makeUnsupported("using the device library '" + path +
                           "', which cannot be read: " + buffer.getError().message());
  return linkDeviceLibrary(module, std::move(*buffer), path);
}

Error tessera::linkDeviceLibrary(Module &module, std::unique_ptr<MemoryBuffer> buffer,
                                 StringRef path) {
  Expected<std::unique_ptr<Module>> library =
      getOwningLazyBitcodeModule(std::move(buffer), module.getContext());
  if (!library)
    return makeUnsupported("using '" + path +
                           "', which is no device library: " + toString(library.takeError()));
  // The library has a generic target triple, and the linker would warn about the difference.
  (*library)->setTargetTriple(module.getTargetTriple());
  (*library)->setDataLayout(module.getDataLayout());

  BackendErrors errors(module.getContext());
  // Linked functions become internal, so that those that are inlined everywhere are removed.
  auto makeInternal = [](Module &linked, const StringSet<> &names) {
    internalizeModule(linked, [&](const GlobalValue &value) {
      return !value.hasName() || !names.contains(value.getName());
    });
  };
  bool failed =
      Linker::linkModules(module, std::move(*library), Linker::LinkOnlyNeeded, makeInternal);
  Error error = errors.take();
  if (failed && !error)
    return createStringError("cannot link the device library '" + path + "'");
  if (error)
    return error;
  std::string invalid;
  raw_string_ostream stream(invalid);
  if (verifyModule(module, &stream))
    return createStringError("'" + path + "' has invalid LLVM IR: " + invalid);
  return checkCalls(module);
}
