//===- ObjectLoader.cpp - object code in memory, ready to call ------------===//
// The smallest use of ORC that links one object: a session, one dylib for the
// object, one generator that answers for everything outside it. LLJIT is not
// used because it brings a compiler along; everything runs on the calling
// thread. One session per kernel keeps kernels apart (two may define the same
// symbol) and costs well under a millisecond.
//===----------------------------------------------------------------------===//
#include "ObjectLoader.h"
#include "RuntimeSymbols.h"
#include "tessera/Support/Error.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/Core.h"
#include "llvm/ExecutionEngine/Orc/Debugging/DebugInfoSupport.h"
#include "llvm/ExecutionEngine/Orc/Debugging/ELFDebugObjectPlugin.h"
#include "llvm/ExecutionEngine/Orc/Debugging/PerfSupportPlugin.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/ExecutionEngine/Orc/SelfExecutorProcessControl.h"
#include "llvm/ExecutionEngine/Orc/TargetProcess/JITLoaderPerf.h"
#include "llvm/ExecutionEngine/Orc/TaskDispatch.h"
#include <dlfcn.h>

namespace tessera {

namespace orc = llvm::orc;

namespace {

/// Shared libraries that generated code calls, open as long as the code lives.
class SystemLibraries {
public:
  SystemLibraries() {
    for (const char *name : {"libm.so.6", "libmvec.so.1", "libc.so.6"})
      if (void *handle = ::dlopen(name, RTLD_LAZY | RTLD_LOCAL))
        handles.push_back(handle);
  }
  ~SystemLibraries() {
    for (void *handle : handles)
      ::dlclose(handle);
  }
  SystemLibraries(const SystemLibraries &) = delete;
  SystemLibraries &operator=(const SystemLibraries &) = delete;

  void *find(llvm::StringRef name) const {
    if (void *address = findRuntimeSymbol(name))
      return address;
    std::string text = name.str();
    for (void *handle : handles)
      if (void *address = ::dlsym(handle, text.c_str()))
        return address;
    return nullptr;
  }

private:
  llvm::SmallVector<void *, 3> handles;
};

/// Answers for the symbols an object does not define itself.
class LibraryGenerator : public orc::DefinitionGenerator {
public:
  explicit LibraryGenerator(const SystemLibraries &libraries) : libraries(libraries) {}

  llvm::Error tryToGenerate(orc::LookupState &, orc::LookupKind, orc::JITDylib &dylib,
                            orc::JITDylibLookupFlags,
                            const orc::SymbolLookupSet &symbols) override {
    orc::SymbolMap found;
    for (const auto &[name, flags] : symbols)
      if (void *address = libraries.find(*name))
        found[name] = {orc::ExecutorAddr::fromPtr(address), llvm::JITSymbolFlags::Exported};
    if (found.empty())
      return llvm::Error::success();
    return dylib.define(orc::absoluteSymbols(std::move(found)));
  }

private:
  const SystemLibraries &libraries;
};

class LinkedObject : public LoadedObject {
public:
  explicit LinkedObject(std::unique_ptr<orc::ExecutorProcessControl> control)
      : session(std::move(control)), layer(session) {
    // The linker prints failures by default; we return them.
    session.setErrorReporter([this](llvm::Error error) {
      reported += (reported.empty() ? "" : "; ") + llvm::toString(std::move(error));
    });
  }
  ~LinkedObject() override { llvm::consumeError(session.endSession()); }

  llvm::Error tell(const LoadOptions &options) {
    if (options.tellDebugger) {
      llvm::Error error = llvm::Error::success();
      auto plugin = std::make_unique<orc::ELFDebugObjectPlugin>(
          session, /*RequireDebugSections=*/true, /*AutoRegisterCode=*/true, error);
      if (error)
        return error;
      layer.addPlugin(std::move(plugin));
    }
    if (options.tellProfiler) {
      // Lines come from the object's debug sections, which the linker drops unless told.
      auto keep = orc::DebugInfoPreservationPlugin::Create();
      if (!keep)
        return keep.takeError();
      layer.addPlugin(std::move(*keep));
      layer.addPlugin(std::make_unique<orc::PerfSupportPlugin>(
          session.getExecutorProcessControl(),
          orc::ExecutorAddr::fromPtr(&llvm_orc_registerJITLoaderPerfStart),
          orc::ExecutorAddr::fromPtr(&llvm_orc_registerJITLoaderPerfEnd),
          orc::ExecutorAddr::fromPtr(&llvm_orc_registerJITLoaderPerfImpl), /*EmitDebugInfo=*/true,
          /*EmitUnwindInfo=*/false));
    }
    return llvm::Error::success();
  }

  llvm::Error link(llvm::StringRef object, llvm::StringRef symbol) {
    orc::JITDylib &dylib = session.createBareJITDylib("kernel");
    dylib.addGenerator(std::make_unique<LibraryGenerator>(libraries));
    if (llvm::Error error = layer.add(dylib, llvm::MemoryBuffer::getMemBufferCopy(object)))
      return error;
    auto found = session.lookup({&dylib}, session.intern(symbol));
    if (!found) {
      // The reporter has the cause; the lookup only says that there was one.
      std::string text = llvm::toString(found.takeError());
      return makeError(reported.empty() ? text : reported);
    }
    address = found->getAddress().toPtr<void *>();
    return llvm::Error::success();
  }
  void *entry() const override { return address; }

private:
  SystemLibraries libraries; // outlives the code that calls it
  std::string reported;
  orc::ExecutionSession session;
  orc::ObjectLinkingLayer layer;
  void *address = nullptr;
};

} // namespace

llvm::Expected<std::unique_ptr<LoadedObject>>
loadObject(llvm::StringRef object, llvm::StringRef symbol, const LoadOptions &options) {
  auto control = orc::SelfExecutorProcessControl::Create(
      std::make_shared<orc::SymbolStringPool>(), std::make_unique<orc::InPlaceTaskDispatcher>());
  if (!control)
    return control.takeError();
  auto linked = std::make_unique<LinkedObject>(std::move(*control));
  if (llvm::Error error = linked->tell(options))
    return error;
  if (llvm::Error error = linked->link(object, symbol))
    return error;
  return linked;
}

} // namespace tessera
