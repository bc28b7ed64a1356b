//===- StageOptions.h - a compilation's options for tessera-opt -----------===//
// The options of the pipelines with which tessera-opt runs a target's stages:
//
//   tessera-opt --nvidia-make-ttgir="target=cuda:80 num-warps=8" kernel.ttir
//
// A vendor derives from this and from mlir::PassPipelineOptions, and looks the chip up.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Support/Options.h"
#include "mlir/Pass/PassOptions.h"
#include "llvm/Support/ErrorHandling.h"

namespace tessera {

struct StageOptions : virtual mlir::detail::PassOptions {
  explicit StageOptions(const char *defaultTarget)
      : target(*this, "target", llvm::cl::desc("the chip"), llvm::cl::init(defaultTarget)) {}

  Option<std::string> target;
  Option<unsigned> numWarps{*this, "num-warps", llvm::cl::desc("warps per CTA"),
                            llvm::cl::init(CompileOptions().numWarps)};
  Option<unsigned> numStages{*this, "num-stages", llvm::cl::desc("stages of pipelined loops"),
                             llvm::cl::init(CompileOptions().numStages)};

  CompileOptions compileOptions() const {
    CompileOptions options;
    options.numWarps = numWarps;
    options.numStages = numStages;
    return options;
  }

  /// Returns the chip. A pipeline cannot fail while it is built, so an unknown name ends
  /// tessera-opt.
  template <typename Spec> const Spec &findSpec() const {
    if (const Spec *found = Spec::parse(target.getValue()))
      return *found;
    llvm::reportFatalUsageError(llvm::Twine("unknown target '") + target.getValue() +
                                "'; tessera targets lists them");
  }
};

} // namespace tessera
