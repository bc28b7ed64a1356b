//===- Sanitizer.h - finds wrong accesses while a kernel runs -------------===//
// Watches the launches of a kernel that was compiled with `sanitize`
// (docs/sanitizer.md): accesses outside the buffer that a pointer came from,
// reads of memory that nobody wrote, and programs that write what others read
// or write. A wrong access is not performed, so the kernel always ends.
//
//   Sanitizer sanitizer(arguments);                   // one entry per passed argument
//   device.launch(kernel, grid, args, {.sanitizer = &sanitizer});
//   for (const SanitizerReport &report : sanitizer.reports()) ...
//
// A sanitizer watches one launch at a time; the launch may use many threads.
// Cost: at most 4 bytes per element that is written, 4 more if it is also read,
// 1 for memory that is not initialised; paid for when touched.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Launch/Grid.h"
#include "tessera/Support/AccessSite.h"
#include "llvm/ADT/SmallVector.h"
#include <memory>
#include <string>
#include <vector>

namespace tessera {

/// A passed argument. Scalars have no bytes.
struct SanitizedArgument {
  std::string name;
  std::string type; // of an element: "fp32"
  bool isPointer = false;
  uint64_t address = 0, bytes = 0;
  unsigned elementBytes = 1;
  llvm::SmallVector<uint64_t, 4> shape;
  bool isInitialized = true; // its contents were there before the launch
};

struct SanitizerNote {
  SourcePlace place; // may be unknown
  std::string text;
};

/// One mistake at one place of the source.
struct SanitizerReport {
  SourcePlace place;
  std::string message;
  std::vector<SanitizerNote> notes;
  /// Two programs touch the same element; each alone does nothing wrong.
  bool isMeeting = false;
};

class Sanitizer {
public:
  explicit Sanitizer(std::vector<SanitizedArgument> arguments);
  ~Sanitizer();
  Sanitizer(const Sanitizer &) = delete;

  /// Forgets which program touched what; initialised memory stays so.
  void beginLaunch(const Grid &grid);

  /// The hidden argument of the kernel.
  void *handle();

  bool foundSomething() const;
  /// Accesses that are wrong by themselves, then data races; each in the order of the source. The
  /// same whatever the number of threads, as long as each mistake is made at one place.
  std::vector<SanitizerReport> reports() const;

  struct State; // of the implementation

private:
  std::unique_ptr<State> state;
};

} // namespace tessera
