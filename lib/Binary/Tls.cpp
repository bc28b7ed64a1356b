//===- Tls.cpp - encrypted connections ------------------------------------===//
// The functions and numbers are those of OpenSSL's documentation, which version 3 keeps.
//===----------------------------------------------------------------------===//
#include "Tls.h"
#include "tessera/Support/Error.h"
#include <dlfcn.h>
#include <mutex>

using namespace tessera;

/// X(result, name, parameters)
#define TESSERA_SSL_FUNCTIONS(X)                                                                   \
  X(const void *, TLS_client_method, ())                                                           \
  X(void *, SSL_CTX_new, (const void *))                                                           \
  X(int, SSL_CTX_set_default_verify_paths, (void *))                                               \
  X(void, SSL_CTX_set_verify, (void *, int mode, void *))                                          \
  X(long, SSL_CTX_ctrl, (void *, int, long, void *))                                               \
  X(void *, SSL_new, (void *))                                                                     \
  X(void, SSL_free, (void *))                                                                      \
  X(long, SSL_ctrl, (void *, int, long, void *))                                                   \
  X(int, SSL_set1_host, (void *, const char *))                                                    \
  X(void, SSL_set_bio, (void *, void *, void *))                                                   \
  X(void, SSL_set_connect_state, (void *))                                                         \
  X(int, SSL_do_handshake, (void *))                                                               \
  X(int, SSL_read, (void *, void *, int))                                                          \
  X(int, SSL_write, (void *, const void *, int))                                                   \
  X(int, SSL_get_error, (const void *, int))                                                       \
  X(long, SSL_get_verify_result, (const void *))                                                   \
  X(const char *, X509_verify_cert_error_string, (long))                                           \
  X(const void *, BIO_s_mem, ())                                                                   \
  X(void *, BIO_new, (const void *))                                                               \
  X(int, BIO_read, (void *, void *, int))                                                          \
  X(int, BIO_write, (void *, const void *, int))                                                   \
  X(void, ERR_clear_error, ())

struct Tls::Library {
#define TESSERA_DECLARE(result, name, parameters) result(*name) parameters = nullptr;
  TESSERA_SSL_FUNCTIONS(TESSERA_DECLARE)
#undef TESSERA_DECLARE
  void *context = nullptr; // SSL_CTX; it lives as long as the process
  std::string problem;
};

llvm::Expected<const Tls::Library *> Tls::open() {
  constexpr int kVerifyPeer = 1, kSetLeastVersion = 123, kTls12 = 0x0303;
  static Library library;
  static std::once_flag once;
  std::call_once(once, [] {
    // libssl brings libcrypto, whose functions dlsym finds through it.
    void *handle = ::dlopen("libssl.so.3", RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
      library.problem = "https needs OpenSSL 3, and there is no libssl.so.3";
      return;
    }
    bool isWhole = true;
#define TESSERA_FIND(result, name, parameters)                                                     \
  library.name = reinterpret_cast<result(*) parameters>(::dlsym(handle, #name));                   \
  isWhole &= library.name != nullptr;
    TESSERA_SSL_FUNCTIONS(TESSERA_FIND)
#undef TESSERA_FIND
    library.context = isWhole ? library.SSL_CTX_new(library.TLS_client_method()) : nullptr;
    if (!library.context ||
        library.SSL_CTX_ctrl(library.context, kSetLeastVersion, kTls12, nullptr) != 1 ||
        library.SSL_CTX_set_default_verify_paths(library.context) != 1) {
      library.problem = "https needs OpenSSL 3, and libssl.so.3 does not start";
      return;
    }
    library.SSL_CTX_set_verify(library.context, kVerifyPeer, nullptr);
  });
  if (!library.problem.empty())
    return makeError(library.problem);
  return &library;
}

llvm::Expected<std::unique_ptr<Tls>> Tls::create(const std::string &host) {
  constexpr int kSetHostName = 55;
  llvm::Expected<const Library *> library = open();
  if (!library)
    return library.takeError();
  std::unique_ptr<Tls> made(new Tls(**library));
  made->connection = (*library)->SSL_new((*library)->context);
  made->input = (*library)->BIO_new((*library)->BIO_s_mem());
  made->output = (*library)->BIO_new((*library)->BIO_s_mem());
  if (!made->connection || !made->input || !made->output)
    return makeError("there is no memory for TLS");
  (*library)->SSL_set_bio(made->connection, made->input, made->output); // which owns both now
  (*library)->SSL_set_connect_state(made->connection);
  if ((*library)->SSL_set1_host(made->connection, host.c_str()) != 1 ||
      (*library)->SSL_ctrl(made->connection, kSetHostName, 0, const_cast<char *>(host.c_str())) !=
          1)
    return makeError("'" + host + "' is no name for a certificate");
  return made;
}

Tls::~Tls() {
  if (connection)
    library.SSL_free(connection);
}

llvm::Error Tls::failure(llvm::StringRef what) const {
  long why = library.SSL_get_verify_result(connection);
  library.ERR_clear_error();
  if (why != 0)
    return makeError("its certificate is not trusted: " +
                     llvm::Twine(library.X509_verify_cert_error_string(why)));
  return makeError(what);
}

static constexpr int kWantRead = 2, kClosed = 6;

llvm::Expected<Tls::Step> Tls::connect() {
  int result = library.SSL_do_handshake(connection);
  if (result == 1)
    return Step::Done;
  if (library.SSL_get_error(connection, result) == kWantRead)
    return Step::NeedsInput;
  return failure("it does not speak TLS 1.2 or later");
}

llvm::Error Tls::write(llvm::StringRef bytes) {
  while (!bytes.empty()) { // memory takes everything
    int count = int(std::min<size_t>(bytes.size(), 1 << 20));
    int done = library.SSL_write(connection, bytes.data(), count);
    if (done <= 0)
      return failure("TLS failed while sending");
    bytes = bytes.drop_front(size_t(done));
  }
  return llvm::Error::success();
}

llvm::Expected<Tls::Step> Tls::read(std::string &bytes) {
  char chunk[1 << 14];
  int done = library.SSL_read(connection, chunk, sizeof(chunk));
  if (done > 0) {
    bytes.append(chunk, size_t(done));
    return Step::Done;
  }
  int why = library.SSL_get_error(connection, done);
  if (why == kWantRead)
    return Step::NeedsInput;
  if (why == kClosed)
    return Step::Closed;
  return failure("TLS failed while receiving");
}

void Tls::addInput(llvm::StringRef bytes) {
  library.BIO_write(input, bytes.data(), int(bytes.size()));
}

std::string Tls::takeOutput() {
  std::string bytes;
  char chunk[1 << 14];
  for (int done; (done = library.BIO_read(output, chunk, sizeof(chunk))) > 0;)
    bytes.append(chunk, size_t(done));
  return bytes;
}
