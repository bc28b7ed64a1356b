//===- RemoteStore.cpp - cache entries that machines share ----------------===//
// The two protocols are as small as their use: Redis's RESP with three commands, and
// HTTP/1.1 with GET and PUT, which S3Signature.h signs. Every number that a server sends is limited
// before memory is taken for it.
//===----------------------------------------------------------------------===//
#include "tessera/Binary/RemoteStore.h"
#include "Connection.h"
#include "S3Signature.h"
#include "tessera/Support/Error.h"
#include "llvm/ADT/StringExtras.h"

using namespace tessera;

static constexpr unsigned kFirstRest = 1000, kLongestRest = 60000; // milliseconds

//===----------------------------------------------------------------------===//
// Bounded waiting
//===----------------------------------------------------------------------===//

bool RemoteStore::isResting() {
  std::lock_guard guard(lock);
  return Clock::now() < restsUntil;
}

void RemoteStore::noteFailure(llvm::Error error) {
  std::lock_guard guard(lock);
  restMilliseconds = std::clamp(restMilliseconds * 2, kFirstRest, kLongestRest);
  restsUntil = Clock::now() + std::chrono::milliseconds(restMilliseconds);
  problem = "the cache at " + url + " is left alone for " +
            std::to_string(restMilliseconds / 1000) + " s: " + llvm::toString(std::move(error));
}

void RemoteStore::noteAnswer() {
  std::lock_guard guard(lock);
  restMilliseconds = 0;
}

std::string RemoteStore::takeProblem() {
  std::lock_guard guard(lock);
  return std::exchange(problem, "");
}

std::optional<std::string> RemoteStore::get(llvm::StringRef name) {
  if (isResting())
    return std::nullopt;
  llvm::Expected<std::optional<std::string>> bytes =
      fetch(name, Clock::now() + std::chrono::milliseconds(timeout));
  if (!bytes) {
    noteFailure(bytes.takeError());
    return std::nullopt;
  }
  noteAnswer();
  return std::move(*bytes);
}

bool RemoteStore::put(llvm::StringRef name, llvm::StringRef bytes) {
  if (isResting() || bytes.size() > kMaxRemoteBlob)
    return false;
  if (llvm::Error error = send(name, bytes, Clock::now() + std::chrono::milliseconds(timeout))) {
    noteFailure(std::move(error));
    return false;
  }
  noteAnswer();
  return true;
}

//===----------------------------------------------------------------------===//
// Redis
//===----------------------------------------------------------------------===//

static bool isPlain(llvm::StringRef text) {
  return llvm::all_of(text, [](char c) { return llvm::isPrint(c) && c != ' '; });
}

namespace {
struct Address {
  std::string host, port, path, password;
  bool isSecure = false;
};

class RedisStore : public RemoteStore {
public:
  RedisStore(Address address, std::string shown) : address(std::move(address)) { url = shown; }

protected:
  llvm::Expected<std::optional<std::string>> fetch(llvm::StringRef name,
                                                   Clock::time_point deadline) override {
    llvm::Expected<Connection> server = connect(deadline);
    if (!server)
      return server.takeError();
    if (llvm::Error error = server->write(command({"GET", keyOf(name)})))
      return error;
    return readReply(*server);
  }

  llvm::Error send(llvm::StringRef name, llvm::StringRef bytes,
                   Clock::time_point deadline) override {
    llvm::Expected<Connection> server = connect(deadline);
    if (!server)
      return server.takeError();
    if (llvm::Error error = server->write(command({"SET", keyOf(name), bytes})))
      return error;
    return readReply(*server).takeError();
  }

private:
  llvm::Expected<Connection> connect(Clock::time_point deadline) {
    llvm::Expected<Connection> server = Connection::open(address.host, address.port, deadline);
    if (!server || address.password.empty())
      return server;
    if (llvm::Error error = server->write(command({"AUTH", address.password})))
      return error;
    if (llvm::Expected<std::optional<std::string>> reply = readReply(*server); !reply)
      return reply.takeError();
    return server;
  }

  std::string keyOf(llvm::StringRef name) const {
    return (address.path.empty() ? "tessera" : address.path) + ":" + name.str();
  }

  /// An array of strings, each with its size.
  static std::string command(llvm::ArrayRef<std::string> words) {
    std::string text = "*" + std::to_string(words.size()) + "\r\n";
    for (const std::string &word : words)
      text += "$" + std::to_string(word.size()) + "\r\n" + word + "\r\n";
    return text;
  }
  static std::string command(std::initializer_list<llvm::StringRef> words) {
    std::vector<std::string> copies;
    for (llvm::StringRef word : words)
      copies.push_back(word.str());
    return command(llvm::ArrayRef<std::string>(copies));
  }

  /// "+OK", "-ERR ...", "$5" and five bytes, "$-1".
  static llvm::Expected<std::optional<std::string>> readReply(Connection &server) {
    llvm::Expected<std::string> line = server.readLine();
    if (!line)
      return line.takeError();
    llvm::StringRef rest = *line;
    int64_t size;
    if (rest.consume_front("-"))
      return makeError("Redis says: " + rest);
    if (rest.consume_front("+"))
      return std::optional<std::string>(rest.str());
    if (!rest.consume_front("$") || rest.getAsInteger(10, size) || size < -1 ||
        size > int64_t(kMaxRemoteBlob))
      return makeError("it does not answer as Redis does");
    if (size == -1)
      return std::optional<std::string>();
    llvm::Expected<std::string> bytes = server.read(uint64_t(size) + 2);
    if (!bytes)
      return bytes.takeError();
    bytes->resize(size_t(size));
    return std::optional<std::string>(std::move(*bytes));
  }

  Address address;
};

//===----------------------------------------------------------------------===//
// HTTP
//===----------------------------------------------------------------------===//

class HttpStore : public RemoteStore {
public:
  HttpStore(Address address, std::string shown, std::optional<S3Credentials> credentials)
      : address(std::move(address)), credentials(std::move(credentials)) {
    url = shown;
  }

protected:
  llvm::Expected<std::optional<std::string>> fetch(llvm::StringRef name,
                                                   Clock::time_point deadline) override {
    return request("GET", name, "", deadline);
  }

  llvm::Error send(llvm::StringRef name, llvm::StringRef bytes,
                   Clock::time_point deadline) override {
    llvm::Expected<std::optional<std::string>> reply = request("PUT", name, bytes, deadline);
    if (!reply)
      return reply.takeError();
    return *reply ? llvm::Error::success() : makeError("it refuses PUT");
  }

private:
  /// The body; nothing for 404.
  llvm::Expected<std::optional<std::string>> request(llvm::StringRef method, llvm::StringRef name,
                                                     llvm::StringRef body,
                                                     Clock::time_point deadline) {
    llvm::Expected<Connection> server = Connection::open(address.host, address.port, deadline);
    if (!server)
      return server.takeError();
    if (address.isSecure)
      if (llvm::Error error = server->secure(address.host))
        return error;
    bool isUsualPort = address.port == (address.isSecure ? "443" : "80");
    std::string host = address.host + (isUsualPort ? "" : ":" + address.port);
    std::string path = "/" + address.path + (address.path.empty() ? "" : "/") + name.str();
    std::string more;
    if (credentials) {
      path = encodePath(path);
      for (const auto &[key, value] :
           signS3Request({method, host, path, body}, *credentials, std::time(nullptr)))
        more += key + ": " + value + "\r\n";
    }
    std::string head = (method + " " + path + " HTTP/1.1\r\nHost: " + host +
                        "\r\nConnection: close\r\nUser-Agent: tessera\r\n" + more +
                        "Content-Length: " + llvm::Twine(body.size()) + "\r\n\r\n")
                           .str();
    if (llvm::Error error = server->write(head + body.str()))
      return error;
    return readReply(*server);
  }

  struct Head {
    unsigned status = 0;
    std::optional<uint64_t> size;
    bool isChunked = false;
  };

  static llvm::Expected<Head> readHead(Connection &server) {
    Head head;
    llvm::Expected<std::string> line = server.readLine();
    if (!line)
      return line.takeError();
    llvm::StringRef words = *line;
    if (!words.starts_with("HTTP/1.") ||
        words.split(' ').second.split(' ').first.getAsInteger(10, head.status))
      return makeError("it does not answer as HTTP does");
    for (unsigned lines = 0; lines < 200; ++lines) {
      if (line = server.readLine(); !line)
        return line.takeError();
      if (line->empty())
        return head;
      auto [key, value] = llvm::StringRef(*line).split(':');
      uint64_t size;
      if (key.equals_insensitive("content-length") && !value.trim().getAsInteger(10, size))
        head.size = size;
      head.isChunked |=
          key.equals_insensitive("transfer-encoding") && value.trim().equals_insensitive("chunked");
    }
    return makeError("it sends headers without an end");
  }

  static llvm::Expected<std::string> readChunks(Connection &server) {
    std::string bytes;
    for (;;) {
      llvm::Expected<std::string> line = server.readLine();
      if (!line)
        return line.takeError();
      uint64_t size;
      if (llvm::StringRef(*line).split(';').first.trim().getAsInteger(16, size) ||
          size > kMaxRemoteBlob - bytes.size())
        return makeError("it sends a chunk of a wrong size");
      if (size == 0)
        return bytes;
      llvm::Expected<std::string> chunk = server.read(size + 2);
      if (!chunk)
        return chunk.takeError();
      bytes.append(*chunk, 0, size_t(size));
    }
  }

  /// S3 says why in XML. Whoever may not list a bucket is denied what is not there.
  static llvm::Expected<std::optional<std::string>> readRefusal(Connection &server,
                                                                const Head &head) {
    constexpr uint64_t kMost = 64 << 10;
    llvm::Expected<std::string> body =
        head.isChunked ? readChunks(server) : server.read(std::min(head.size.value_or(0), kMost));
    llvm::StringRef code =
        body ? llvm::StringRef(*body).split("<Code>").second.split("</Code>").first : "";
    std::string text = code.substr(0, 60).str();
    if (!body)
      llvm::consumeError(body.takeError());
    if (head.status == 403 && text == "AccessDenied")
      return std::optional<std::string>();
    return makeError("it answers with status " + llvm::Twine(head.status) +
                     (text.empty() || !isPlain(text) ? "" : " (" + text + ")"));
  }

  static llvm::Expected<std::optional<std::string>> readReply(Connection &server) {
    llvm::Expected<Head> head = readHead(server);
    if (!head)
      return head.takeError();
    if (head->status == 404)
      return std::optional<std::string>();
    if (head->status < 200 || head->status >= 300)
      return readRefusal(server, *head);
    if (head->size && *head->size > kMaxRemoteBlob)
      return makeError("it sends too much");
    llvm::Expected<std::string> body = head->status == 204 ? std::string()
                                       : head->isChunked   ? readChunks(server)
                                       : head->size        ? server.read(*head->size)
                                                           : server.readRest(kMaxRemoteBlob);
    if (!body)
      return body.takeError();
    return std::optional<std::string>(std::move(*body));
  }

  Address address;
  std::optional<S3Credentials> credentials; // nothing: requests are not signed
};
} // namespace

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

/// "REGION ACCESS_KEY SECRET [TOKEN]"
static llvm::Expected<S3Credentials> readCredentials(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> words;
  text.split(words, ' ', -1, /*KeepEmpty=*/false);
  if (words.size() != 3 && words.size() != 4)
    return makeError("s3 needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
  return S3Credentials{words[1].str(), words[2].str(), words[0].str(),
                       words.size() == 4 ? words[3].str() : ""};
}

namespace {
struct Scheme {
  llvm::StringLiteral prefix, usualPort;
  bool isRedis, isSecure, isSigned;
};
} // namespace

static const Scheme *findScheme(llvm::StringRef url) {
  static constexpr Scheme kSchemes[] = {{"redis://", "6379", true, false, false},
                                        {"http://", "80", false, false, false},
                                        {"https://", "443", false, true, false},
                                        {"s3+http://", "80", false, false, true},
                                        {"s3+https://", "443", false, true, true}};
  for (const Scheme &scheme : kSchemes)
    if (url.starts_with(scheme.prefix))
      return &scheme;
  return nullptr;
}

llvm::Expected<std::shared_ptr<RemoteStore>>
RemoteStore::open(llvm::StringRef given, unsigned timeoutMilliseconds, llvm::StringRef secrets) {
  std::optional<S3Credentials> credentials;
  std::string url = given.str();
  if (given.starts_with("s3")) {
    llvm::Expected<S3Credentials> read = readCredentials(secrets);
    if (!read)
      return read.takeError();
    credentials = std::move(*read);
    if (llvm::StringRef bucket = given; bucket.consume_front("s3://"))
      url = "s3+https://s3." + credentials->region + ".amazonaws.com/" + bucket.str();
  }
  const Scheme *scheme = findScheme(url);
  if (!scheme || !isPlain(url))
    return makeError("a shared cache is redis://HOST:PORT, http://HOST:PORT/FOLDER, the same with "
                     "https, s3://BUCKET/FOLDER or s3+https://HOST/BUCKET/FOLDER, not '" +
                     given + "'");
  auto [place, path] = llvm::StringRef(url).drop_front(scheme->prefix.size()).split('/');
  Address address;
  if (place.contains('@')) {
    auto [user, host] = place.rsplit('@');
    address.password = user.split(':').second.str();
    place = host;
  }
  address.path = path.rtrim('/').str();
  address.isSecure = scheme->isSecure;
  bool isBracketed = place.starts_with("["); // [::1]:6379
  auto [host, port] = isBracketed ? place.drop_front().split(']') : place.split(':');
  port.consume_front(":");
  address.host = host.str();
  address.port = port.empty() ? scheme->usualPort.str() : port.str();
  uint16_t number;
  if (address.host.empty() || llvm::StringRef(address.port).getAsInteger(10, number))
    return makeError("a shared cache needs a host and a port, as in redis://localhost:6379: '" +
                     given + "'");
  if (credentials && address.path.empty())
    return makeError("s3 needs the name of a bucket, as in s3+http://localhost:9000/kernels: '" +
                     given + "'");
  std::string shown = scheme->prefix.str() + address.host + ":" + address.port;
  std::shared_ptr<RemoteStore> store;
  if (scheme->isRedis)
    store = std::make_shared<RedisStore>(std::move(address), shown);
  else
    store = std::make_shared<HttpStore>(std::move(address), shown, std::move(credentials));
  store->timeout = timeoutMilliseconds;
  return store;
}
