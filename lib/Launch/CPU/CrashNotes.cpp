//===- CrashNotes.cpp - a crash names the kernel that may have caused it --===//
// The codes of kernels are a list that only grows at its front, so a handler
// reads it without a lock. Entries of unloaded kernels are used again.
//===----------------------------------------------------------------------===//
#include "CrashNotes.h"
#include "LineTable.h"
#include "tessera/Launch/Device.h"
#include "llvm/Object/ELFObjectFile.h"
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <mutex>
#include <ucontext.h>
#include <unistd.h>

namespace tessera {

struct CrashCode {
  std::atomic<uintptr_t> begin{0}, end{0}; // of the code; both 0 when it is unmapped
  std::string name, file;
  unsigned line = 0; // of the def
  std::string lines; // the object's .debug_line
  CrashCode *next = nullptr;
};

std::atomic<const CrashCode *> lastLaunchedCode{nullptr};

namespace {

/// What the handler needs, and what must be given back to the program.
struct Handlers {
  static constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGABRT};
  static constexpr size_t kCount = std::size(kSignals);
  struct sigaction previous[kCount] = {};
  std::string advice;
  std::atomic<CrashCode *> codes{nullptr};
  std::atomic_flag hasSpoken = ATOMIC_FLAG_INIT;
  std::mutex lock; // of changes to `codes`
  std::once_flag installed;

  struct sigaction *previousOf(int signal) {
    for (size_t i = 0; i < kCount; ++i)
      if (kSignals[i] == signal)
        return &previous[i];
    return nullptr;
  }
};

/// A line of text on the stack.
class Line {
public:
  Line &operator<<(llvm::StringRef words) {
    size_t count = std::min(words.size(), sizeof(text) - used);
    std::memcpy(text + used, words.data(), count);
    used += count;
    return *this;
  }
  Line &operator<<(unsigned number) {
    char digits[12];
    char *at = digits + sizeof(digits);
    do
      *--at = char('0' + number % 10);
    while ((number /= 10) != 0);
    return *this << llvm::StringRef(at, size_t(digits + sizeof(digits) - at));
  }
  void write() const { [[maybe_unused]] ssize_t written = ::write(STDERR_FILENO, text, used); }

private:
  char text[1024];
  size_t used = 0;
};

} // namespace

/// Never destroyed: a handler may run while the process ends.
static Handlers &handlers() {
  static auto *made = new Handlers;
  return *made;
}

static uintptr_t faultingInstruction(void *context) {
#if defined(__x86_64__)
  return uintptr_t(static_cast<ucontext_t *>(context)->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return uintptr_t(static_cast<ucontext_t *>(context)->uc_mcontext.pc);
#else
  return 0;
#endif
}

static const CrashCode *findCode(uintptr_t address) {
  for (CrashCode *code = handlers().codes.load(); code; code = code->next)
    if (address >= code->begin && address < code->end)
      return code;
  return nullptr;
}

static Line &operator<<(Line &line, const CrashCode &code) {
  line << "kernel '" << code.name << "'";
  if (!code.file.empty() && code.line)
    line << " (" << code.file << ":" << code.line << ")";
  return line;
}

static void describeFault(int signal, const CrashCode &code, uintptr_t at) {
  Line line;
  line << "tessera: " << code
       << (signal == SIGFPE ? " divided an integer by zero, or the smallest one by -1"
                            : " accessed memory that does not exist");
  if (unsigned found = findLine(code.lines, at - code.begin, code.file))
    line << ", at line " << found;
  (line << ". " << handlers().advice << "\n").write();
}

static void describeLast(int signal, const CrashCode &code) {
  Line line;
  line << "tessera: the process " << (signal == SIGABRT ? "was aborted" : "crashed") << " after "
       << code << " ran on the CPU. If the kernel wrote outside its arrays: " << handlers().advice
       << "\n";
  line.write();
}

/// Hands the signal on. A fault happens again when the handler returns, and then meets the previous
/// handler, with all that the system tells about it.
static void handOn(int signal, siginfo_t *info, void *context, bool isOurs) {
  struct sigaction *previous = handlers().previousOf(signal);
  bool hasFunction = previous->sa_handler != SIG_DFL && previous->sa_handler != SIG_IGN;
  if (hasFunction && !isOurs) {
    // A program may handle faults and go on. It stays as it is: our handler is still the first.
    if (previous->sa_flags & SA_SIGINFO)
      previous->sa_sigaction(signal, info, context);
    else
      previous->sa_handler(signal);
    return;
  }
  ::sigaction(signal, previous, nullptr);
  // A signal that abort(), raise() or another process sent does not happen again by itself. It is
  // blocked here, and arrives when this handler returns.
  if (!info || info->si_code <= 0)
    ::raise(signal);
}

static void handleCrash(int signal, siginfo_t *info, void *context) {
  int saved = errno;
  uintptr_t at = signal == SIGABRT ? 0 : faultingInstruction(context);
  const CrashCode *code = at ? findCode(at) : nullptr;
  const CrashCode *last = lastLaunchedCode.load(std::memory_order_relaxed);
  struct sigaction *previous = handlers().previousOf(signal);
  // Faults outside kernels may be part of how another runtime works: if it handles them, no note.
  bool isHandled = previous->sa_handler != SIG_DFL && signal != SIGABRT;
  bool speaks = code || (last && !isHandled && signal != SIGFPE);
  if (speaks && !handlers().hasSpoken.test_and_set()) {
    if (code)
      describeFault(signal, *code, at);
    else
      describeLast(signal, *last);
  }
  errno = saved;
  handOn(signal, info, context, code || !isHandled);
}

void explainCrashes(llvm::StringRef advice) {
  std::call_once(handlers().installed, [&] {
    handlers().advice = advice.str();
    struct sigaction action = {};
    action.sa_sigaction = handleCrash;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < Handlers::kCount; ++i)
      ::sigaction(Handlers::kSignals[i], nullptr, &handlers().previous[i]);
    for (int signal : Handlers::kSignals)
      ::sigaction(signal, &action, nullptr);
  });
}

//===----------------------------------------------------------------------===//
// The kernels' code
//===----------------------------------------------------------------------===//

/// Finds where the object's code lies in memory, from the address of one symbol.
static bool locate(llvm::StringRef object, llvm::StringRef symbol, uintptr_t entry, CrashCode &code,
                   uintptr_t &begin, uintptr_t &end) {
  auto file = llvm::object::ObjectFile::createELFObjectFile({object, "kernel"});
  if (!file) {
    llvm::consumeError(file.takeError());
    return false;
  }
  auto take = [](auto expected, auto other) {
    if (expected)
      return decltype(other)(*expected);
    llvm::consumeError(expected.takeError());
    return other;
  };
  for (const llvm::object::SymbolRef &each : (*file)->symbols()) {
    if (take(each.getName(), llvm::StringRef()) != symbol)
      continue;
    auto section = each.getSection();
    if (!section || *section == (*file)->section_end())
      return llvm::consumeError(section.takeError()), false;
    begin = entry - take(each.getValue(), uint64_t(0));
    end = begin + (*section)->getSize();
  }
  for (const llvm::object::SectionRef &section : (*file)->sections())
    if (take(section.getName(), llvm::StringRef()) == ".debug_line")
      code.lines = take(section.getContents(), llvm::StringRef()).str();
  return begin != 0;
}

/// An entry of the list that no loaded kernel uses, or a new one.
static CrashCode *freeEntry() {
  Handlers &all = handlers();
  for (CrashCode *code = all.codes.load(); code; code = code->next)
    if (code->end == 0 && code != lastLaunchedCode.load())
      return code;
  auto *fresh = new CrashCode;
  fresh->next = all.codes.load();
  all.codes.store(fresh);
  return fresh;
}

CrashCode *noteCode(const KernelRecord &record, llvm::StringRef object, const void *entry) {
  std::lock_guard<std::mutex> guard(handlers().lock);
  CrashCode *code = freeEntry();
  code->name = record.kernelName;
  code->file = record.sourceFile;
  code->line = record.sourceLine;
  uintptr_t begin = 0, end = 0;
  if (!locate(object, record.symbolInBinary(), uintptr_t(entry), *code, begin, end))
    return code;
  code->begin = begin;
  code->end = end;
  return code;
}

void forgetCode(CrashCode *code) {
  if (!code)
    return;
  std::lock_guard<std::mutex> guard(handlers().lock);
  code->end = 0;
  code->begin = 0;
}

} // namespace tessera
