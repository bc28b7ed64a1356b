//===- Vendor.h - the interface of a vendor's folder in Target/ -----------===//
// Each folder Target/X defines `const Vendor &tessera::getXVendor()`. The registry
// (lib/Target/Registry.cpp) asks all vendors that the build has; CMake lists them in
// Config/Targets.def, so that no code outside the folder names its vendor.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Target/Target.h"

namespace tessera {

class Vendor {
public:
  virtual ~Vendor() = default;

  /// Creates the target that `text` names; null if it is not one of this vendor's.
  virtual std::unique_ptr<Target> create(llvm::StringRef text, const ToolPaths &tools) const = 0;
  /// The targets there are, in the order in which people should see them.
  virtual llvm::SmallVector<TargetDescription> list() const = 0;

  /// The flags of its own options, Target/X/Options.def.
  virtual llvm::SmallVector<llvm::StringRef> options() const { return {}; }

  /// The programs and libraries that its stages use.
  virtual llvm::SmallVector<ToolRole> tools() const { return {}; }
  /// Looks for them. A role may be served by one of several programs.
  virtual llvm::SmallVector<FoundTool> findTools(const ToolPlaces &) const { return {}; }
  /// Chooses a program for each role among those that were found.
  virtual void chooseTools(llvm::ArrayRef<FoundTool>, ToolPaths &) const {}

  /// The vendor's dialects that IR files may use, and the numbers of its machines
  /// (TTGIR/IR/Machines.h), which its passes need in every context.
  virtual void registerDialects(mlir::DialectRegistry &) const {}
  /// Registers the vendor's passes and all dialects that they read or write, for tessera-opt.
  virtual void registerPasses(mlir::DialectRegistry &) const {}
  /// Returns whether one of these passes, named by its option, requires layouts.
  virtual bool needsLayouts(llvm::StringRef) const { return false; }
};

} // namespace tessera
