//===- FaultGuard.cpp - a kernel that leaves its arrays -------------------===//
// A handler may only call what is safe in a signal: the message is composed
// beforehand and written with write(2).
//===----------------------------------------------------------------------===//
#include "FaultGuard.h"
#include "tessera/Driver/Session.h"
#include "llvm/Support/FormatVariadic.h"
#include <atomic>
#include <string>
#include <unistd.h>

using namespace tessera;
using namespace tessera::cli;

static constexpr int kSignals[] = {SIGSEGV, SIGBUS};
static std::string message; // what the handler writes; set while a guard lives

static std::atomic_flag reported = ATOMIC_FLAG_INIT;

static void reportFault(int) {
  if (reported.test_and_set())
    for (;;) // another thread is ending the process
      pause();
  [[maybe_unused]] ssize_t written = write(STDERR_FILENO, message.data(), message.size());
  _exit(kProgramError);
}

FaultGuard::FaultGuard(llvm::StringRef kernelName) {
  message = llvm::formatv(
      "tessera: error: '{0}' read or wrote memory outside its arrays; run it with "
      "--sanitize to see where: a mask, a stride, an array's shape, or an offset that "
      "passes 2^31 (a program id times a block size is 32 bits wide)\n",
      kernelName);
  struct sigaction action = {};
  action.sa_handler = reportFault;
  sigemptyset(&action.sa_mask);
  for (int i = 0; i < 2; ++i)
    sigaction(kSignals[i], &action, &previous[i]);
}

FaultGuard::~FaultGuard() {
  for (int i = 0; i < 2; ++i)
    sigaction(kSignals[i], &previous[i], nullptr);
}
