//===- RemoteStore.h - cache entries that machines share ------------------===//
// A server that keeps blobs by name, behind the cache folder: compiled kernels
// ("kernel/KEY") and timings of autotune ("autotune/NAME").
//
//   redis://[:PASSWORD@]HOST[:PORT][/PREFIX]     GET and SET of a Redis server
//   http[s]://HOST[:PORT][/FOLDER]               GET and PUT of FOLDER/NAME
//   s3://BUCKET[/FOLDER]                         the same, signed, of Amazon's S3
//   s3+http[s]://HOST[:PORT]/BUCKET[/FOLDER]     of another server that is compatible with it
//
// A server that does not answer must not stop a program: each call ends after the
// timeout, and after a failure the server is left alone for a while, which doubles up to a
// minute. What comes back is checked by the caller, who knows the checksum; whoever may write to
// the server may write any kernel, as with a shared folder.
//
// Cost: a connection for each call; calls happen beside compilations, never in launches
// of kernels that are loaded.
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace tessera {

inline constexpr unsigned kRemoteTimeout = 500; // milliseconds
inline constexpr uint64_t kMaxRemoteBlob = uint64_t(256) << 20;

class RemoteStore {
public:
  /// An error if the URL is none of the above. `credentials` are for s3: "REGION ACCESS_KEY
  /// SECRET", and the token of temporary ones.
  static llvm::Expected<std::shared_ptr<RemoteStore>>
  open(llvm::StringRef url, unsigned timeoutMilliseconds = kRemoteTimeout,
       llvm::StringRef credentials = "");
  virtual ~RemoteStore() = default;

  /// The blob; nothing if there is none, or the server does not answer.
  std::optional<std::string> get(llvm::StringRef name);
  /// False if it was not kept.
  bool put(llvm::StringRef name, llvm::StringRef bytes);

  /// The failure after which the server is left alone; empty once it answers again. A reader takes
  /// each message once.
  std::string takeProblem();

protected:
  using Clock = std::chrono::steady_clock;
  virtual llvm::Expected<std::optional<std::string>> fetch(llvm::StringRef name,
                                                           Clock::time_point deadline) = 0;
  virtual llvm::Error send(llvm::StringRef name, llvm::StringRef bytes,
                           Clock::time_point deadline) = 0;
  std::string url; // as messages show it, without the password

private:
  bool isResting();
  void noteFailure(llvm::Error error);
  void noteAnswer();

  unsigned timeout = kRemoteTimeout;
  std::mutex lock; // of all below
  std::string problem;
  Clock::time_point restsUntil = {};
  unsigned restMilliseconds = 0;
};

} // namespace tessera
