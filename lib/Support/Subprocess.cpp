//===- Subprocess.cpp - run a program and keep what it said ---------------===//
// 1. posix_spawn with standard input from /dev/null and two pipes. All our
//    descriptors are close-on-exec, so programs started at the same time by
//    other threads do not hold each other's pipes open.
// 2. Read both pipes as data comes until both are closed or time is up.
// 3. Wait for the program; after a timeout, kill it first.
// A grandchild that keeps a pipe open does not hold us: once the program has
// ended, what is in the pipes is taken and no more is waited for.
//===----------------------------------------------------------------------===//
#include "tessera/Support/Subprocess.h"
#include "tessera/Support/Error.h"
#include "tessera/Support/Units.h"
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace tessera {

using Clock = std::chrono::steady_clock;

namespace {
/// The reading end of a pipe and what came out of it.
struct Capture {
  int readEnd = -1, writeEnd = -1;
  std::string *text = nullptr;

  bool open() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
      return false;
    readEnd = ends[0];
    writeEnd = ends[1];
    (void)::fcntl(readEnd, F_SETFL, O_NONBLOCK);
    return true;
  }
  void closeEnd(int &end) {
    if (end >= 0)
      ::close(end);
    end = -1;
  }
  ~Capture() {
    closeEnd(readEnd);
    closeEnd(writeEnd);
  }
  /// Takes what is there; closes at the end of the stream.
  void drain(size_t limit) {
    char block[65536];
    while (readEnd >= 0) {
      ssize_t got = ::read(readEnd, block, sizeof(block));
      if (got < 0 && errno == EINTR)
        continue;
      if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        return;
      if (got <= 0)
        return closeEnd(readEnd);
      text->append(block, std::min(size_t(got), limit - std::min(limit, text->size())));
    }
  }
};
} // namespace

/// The arguments in the form of exec: with a null pointer at the end.
static void appendTexts(std::vector<char *> &list, const std::vector<std::string> &texts) {
  for (const std::string &text : texts)
    list.push_back(const_cast<char *>(text.c_str()));
  list.push_back(nullptr);
}

/// Returns 0 or an errno code.
static int spawn(const ProgramCall &call, const Capture &out, const Capture &err, pid_t &pid) {
  std::vector<char *> argv, variables;
  argv.push_back(const_cast<char *>(call.program.c_str()));
  appendTexts(argv, call.arguments);
  if (call.environment)
    appendTexts(variables, *call.environment);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out.writeEnd, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.writeEnd, STDERR_FILENO);

  // The program must not inherit signals that our host blocks or ignores.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, defaults;
  sigemptyset(&none);
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

  int code = posix_spawn(&pid, call.program.c_str(), &actions, &attributes, argv.data(),
                         call.environment ? variables.data() : environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return code;
}

/// Collects the status if the program has ended.
static bool hasEnded(pid_t pid, int &status, int flags) {
  pid_t got;
  do
    got = ::waitpid(pid, &status, flags);
  while (got < 0 && errno == EINTR);
  // A host that ignores SIGCHLD takes the status from us: then there is none.
  if (got < 0)
    status = 0;
  return got != 0;
}

/// Reads until both streams end, the program ends, or it is to be killed: at its deadline, or
/// because the watch says so. Returns whether it ended by itself.
static bool collect(pid_t pid, Capture &out, Capture &err, const ProgramCall &call,
                    Clock::time_point start, ProgramResult &result, int &status) {
  size_t limit = call.outputLimit;
  int quiet = 1; // milliseconds between looks at a program that says nothing
  while (true) {
    pollfd streams[2] = {{out.readEnd, POLLIN, 0}, {err.readEnd, POLLIN, 0}};
    bool open = out.readEnd >= 0 || err.readEnd >= 0;
    // Closed streams almost always mean the end; then block unless there is a deadline.
    if (!open && !call.timeout && !call.watch)
      return hasEnded(pid, status, 0);
    int ready = ::poll(streams, 2, quiet);
    out.drain(limit);
    err.drain(limit);
    if (hasEnded(pid, status, WNOHANG)) {
      out.drain(limit);
      err.drain(limit);
      return true;
    }
    Clock::duration elapsed = Clock::now() - start;
    result.timedOut = call.timeout && elapsed >= *call.timeout;
    result.wasStopped =
        call.watch && quiet >= 50 && !call.watch(std::chrono::duration<double>(elapsed).count());
    if (result.timedOut || result.wasStopped)
      return false;
    quiet = ready > 0 ? 1 : std::min(quiet * 2, 50);
  }
}

std::vector<std::string> currentEnvironment() {
  std::vector<std::string> variables;
  for (char **variable = environ; variable && *variable; ++variable)
    variables.push_back(*variable);
  return variables;
}

llvm::Expected<ProgramResult> runProgram(const ProgramCall &call) {
  ProgramResult result;
  Capture out, err;
  out.text = &result.out;
  err.text = &result.err;
  pid_t pid = 0;
  Clock::time_point start = Clock::now();
  int code = out.open() && err.open() ? spawn(call, out, err, pid) : errno;
  if (code != 0)
    return makeError("cannot run '" + call.program + "': " + std::generic_category().message(code));
  out.closeEnd(out.writeEnd);
  err.closeEnd(err.writeEnd);

  int status = 0;
  if (!collect(pid, out, err, call, start, result, status)) {
    ::kill(pid, SIGKILL);
    hasEnded(pid, status, 0);
  }
  if (WIFEXITED(status))
    result.exitStatus = WEXITSTATUS(status);
  else if (WIFSIGNALED(status))
    result.signal = WTERMSIG(status);
  result.wallTime = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start);
  return result;
}

std::string ProgramResult::describe() const {
  if (wasStopped)
    return "an interrupt after " + formatDuration(double(wallTime.count()) * 1e-6);
  if (timedOut)
    return "no answer within " + formatDuration(double(wallTime.count()) * 1e-6);
  if (signal != 0)
    return "signal " + std::to_string(signal) + " (" + ::strsignal(signal) + ")";
  return "exit status " + std::to_string(exitStatus);
}

} // namespace tessera
