//===- Tls.h - encrypted connections --------------------------------------===//
// TLS by OpenSSL 3, which is opened when a store first needs it: nothing of it is linked, and a
// machine without it uses no https. OpenSSL works on memory alone; the connection moves the bytes,
// with its deadline. The server's certificate must be valid for the host, by the system's
// certificates or those that SSL_CERT_FILE and SSL_CERT_DIR name, which OpenSSL reads.
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>

namespace tessera {

class Tls {
public:
  /// The state of a client's connection to a host; an error if there is no OpenSSL.
  static llvm::Expected<std::unique_ptr<Tls>> create(const std::string &host);
  ~Tls();
  Tls(const Tls &) = delete;

  enum class Step { Done, NeedsInput, Closed };
  llvm::Expected<Step> connect();
  /// Encrypts; the result is in takeOutput().
  llvm::Error write(llvm::StringRef bytes);
  /// Adds decrypted bytes to `bytes`.
  llvm::Expected<Step> read(std::string &bytes);
  /// The bytes that the server sent.
  void addInput(llvm::StringRef bytes);
  /// The bytes that must be sent to the server.
  std::string takeOutput();

private:
  struct Library;
  explicit Tls(const Library &library) : library(library) {}
  static llvm::Expected<const Library *> open();
  llvm::Error failure(llvm::StringRef what) const;

  const Library &library;
  void *connection = nullptr, *input = nullptr, *output = nullptr; // SSL, BIO
};

} // namespace tessera
