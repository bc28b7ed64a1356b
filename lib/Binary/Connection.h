//===- Connection.h - TCP with a deadline ---------------------------------===//
#pragma once

#include "Tls.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <chrono>
#include <string>

namespace tessera {

/// A connection every call of which ends at the deadline.
class Connection {
public:
  using Clock = std::chrono::steady_clock;
  static llvm::Expected<Connection> open(const std::string &host, const std::string &port,
                                         Clock::time_point deadline);
  /// Encrypts what follows.
  llvm::Error secure(const std::string &host);
  Connection(Connection &&other) noexcept;
  ~Connection();

  llvm::Error write(llvm::StringRef bytes);
  /// A line without its end, "\r\n" or "\n".
  llvm::Expected<std::string> readLine();
  /// Exactly so many bytes.
  llvm::Expected<std::string> read(uint64_t size);
  /// All bytes until the server closes the connection, or `limit`.
  llvm::Expected<std::string> readRest(uint64_t limit);

private:
  Connection(int fd, Clock::time_point deadline) : fd(fd), deadline(deadline) {}
  llvm::Error wait(short events) const;
  llvm::Error send(llvm::StringRef bytes);
  /// Adds bytes of the network to `to`; false at the end.
  llvm::Expected<bool> receive(std::string &to);
  /// Passes what the server sends to TLS; false at the end.
  llvm::Expected<bool> feedTls();
  /// Reads more into `buffer`; false at the end.
  llvm::Expected<bool> fill();

  int fd = -1;
  Clock::time_point deadline;
  std::string buffer;
  std::unique_ptr<Tls> tls; // null: plain
};

} // namespace tessera
