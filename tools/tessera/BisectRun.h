//===- BisectRun.h - ways to run the program that a pass left behind ------===//
#pragma once

#include "Bisect.h"
#include "tessera/Launch/Device.h"
#include "tessera/Support/ThreadPool.h"

namespace tessera::cli {

/// A target that can compile programs, and a device or the emulator that runs them.
struct RunWay {
  std::string target;
  Device *device = nullptr; // null: the emulator
  std::string name;         // for people: "on the CPU"
  std::string loaded;       // the extension of what the device or the emulator reads
  bool isOwn = false;       // the target that is explained
};

/// What became of a program.
struct RunOutcome {
  enum Kind { NotRun, Failed, Ran } kind = NotRun;
  std::string why;                  // it was not run or failed
  std::vector<HostArgument> arrays; // after the run
};

/// Compiles and runs the program after a step. Passes that have run do not run again, and optional
/// ones are left out, because one of them may be wrong.
class StepRunner {
public:
  StepRunner(const Session &session, const Explanation &explanation, const BisectPlan &plan);
  /// Looks for devices, and checks that the arguments fit the kernel.
  llvm::Error open();
  /// The ways there are, the preferred one first.
  llvm::ArrayRef<RunWay> ways() const { return found; }
  const Target &target() const { return *own; }
  RunOutcome run(size_t step, const RunWay &way);

private:
  /// A program as a compilation reads it.
  struct Input {
    std::string extension, text;
    std::vector<std::string> done; // the passes that have run on it
  };
  std::optional<Input> makeInput(size_t step, const RunWay &way) const;
  /// The MLIR passes of a stage, up to a step.
  void addPasses(std::vector<std::string> &names, llvm::StringRef stage, size_t last) const;
  llvm::Expected<CompiledKernel> compile(const Input &input, const RunWay &way);
  llvm::Expected<CompiledKernel> compile(const Input &input, const RunWay &way, LeaveOut leaveOut);
  llvm::Error launch(size_t step, Device &device, const CompiledKernel &kernel,
                     LaunchArguments &values);
  llvm::Error emulate(const CompiledKernel &kernel, llvm::StringRef extension,
                      LaunchArguments &values);

  const Session &session;
  const Explanation &explanation;
  const PassTrace &trace;
  const BisectPlan &plan;
  std::shared_ptr<ThreadPool> pool;
  std::unique_ptr<Target> own;
  llvm::SmallVector<Stage> stages; // of the own target
  std::unique_ptr<Device> cpu, gpu;
  std::vector<RunWay> found;
};

} // namespace tessera::cli
