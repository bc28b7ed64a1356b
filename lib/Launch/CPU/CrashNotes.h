//===- CrashNotes.h - a crash names the kernel that may have caused it ----===//
// A kernel on the CPU that writes outside its arrays faults, or damages the
// heap so that the process is aborted later. A handler then writes one line:
//
//   tessera: kernel 'scale' (scale.py:5) accessed memory that does not exist, at line 9. ADVICE
//   tessera: the process was aborted after kernel 'scale' (scale.py:5) ran on the CPU. ADVICE
//
// and leaves the signal to whoever handled it before: the program's own
// handler, Python's faulthandler, or the default action.
//
//   explainCrashes("TRITON_INTERPRET=1 finds ...");      once, by the host program
//   auto *code = noteCode(record, object, entry);        for each kernel that is loaded
//   noteLaunch(code);                                    for each launch: one store
//
// explainCrashes is declared in Device.h. Signal handlers belong to the process, so this file keeps
// state of the process. Requires: nothing; without explainCrashes no handler is installed. Ensures:
// the handler calls only async-signal-safe functions and takes no lock.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Kernel/KernelRecord.h"
#include "llvm/ADT/StringRef.h"
#include <atomic>

namespace tessera {

/// What a handler knows about the code of one kernel. Never freed: a handler may be reading it.
struct CrashCode;

/// Describes the code of a kernel whose entry point was linked to `entry`; null if the object
/// cannot be read.
CrashCode *noteCode(const KernelRecord &record, llvm::StringRef object, const void *entry);
/// The code is about to be unmapped. Its name is still known as that of the last launch.
void forgetCode(CrashCode *code);

extern std::atomic<const CrashCode *> lastLaunchedCode;
inline void noteLaunch(const CrashCode *code) {
  lastLaunchedCode.store(code, std::memory_order_relaxed);
}

} // namespace tessera
