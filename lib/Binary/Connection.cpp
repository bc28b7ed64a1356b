//===- Connection.cpp - TCP with a deadline -------------------------------===//
#include "Connection.h"
#include "tessera/Support/Error.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace tessera;

static constexpr size_t kMaxLine = 64 << 10;

static llvm::Error systemError(llvm::StringRef what, int code) {
  return makeError(what + ": " + std::strerror(code));
}

Connection::Connection(Connection &&other) noexcept
    : fd(std::exchange(other.fd, -1)), deadline(other.deadline), buffer(std::move(other.buffer)),
      tls(std::move(other.tls)) {}

Connection::~Connection() {
  if (fd >= 0)
    ::close(fd);
}

llvm::Error Connection::wait(short events) const {
  for (;;) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0)
      return makeError("it did not answer in time");
    pollfd poll = {fd, events, 0};
    int ready = ::poll(&poll, 1, int(std::min<int64_t>(left.count(), 60000)));
    if (ready > 0)
      return llvm::Error::success();
    if (ready < 0 && errno != EINTR)
      return systemError("poll", errno);
  }
}

/// Connects without blocking; an error after the deadline.
llvm::Expected<Connection> Connection::open(const std::string &host, const std::string &port,
                                            Clock::time_point deadline) {
  addrinfo hints = {}, *found = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  // Names are looked up by the system in its own time; addresses and localhost need no server.
  if (int code = ::getaddrinfo(host.c_str(), port.c_str(), &hints, &found))
    return makeError("'" + host + "' is not found: " + ::gai_strerror(code));
  std::unique_ptr<addrinfo, void (*)(addrinfo *)> guard(found, ::freeaddrinfo);
  llvm::Error last = makeError("'" + host + "' has no address");
  for (addrinfo *each = found; each; each = each->ai_next) {
    llvm::consumeError(std::move(last));
    Connection made(::socket(each->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0),
                    deadline);
    if (made.fd < 0) {
      last = systemError("socket", errno);
      continue;
    }
    int on = 1;
    (void)::setsockopt(made.fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    if (::connect(made.fd, each->ai_addr, each->ai_addrlen) == 0)
      return made;
    if (errno != EINPROGRESS) {
      last = systemError("it cannot be reached", errno);
      continue;
    }
    if (llvm::Error error = made.wait(POLLOUT)) {
      last = std::move(error);
      continue;
    }
    int code = 0;
    socklen_t size = sizeof(code);
    (void)::getsockopt(made.fd, SOL_SOCKET, SO_ERROR, &code, &size);
    if (code == 0)
      return made;
    last = systemError("it cannot be reached", code);
  }
  return last;
}

llvm::Error Connection::send(llvm::StringRef bytes) {
  while (!bytes.empty()) {
    ssize_t done = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (done > 0) {
      bytes = bytes.drop_front(size_t(done));
      continue;
    }
    if (done < 0 && errno == EINTR)
      continue;
    if (done < 0 && errno != EAGAIN && errno != EWOULDBLOCK)
      return systemError("sending", errno);
    if (llvm::Error error = wait(POLLOUT))
      return error;
  }
  return llvm::Error::success();
}

llvm::Error Connection::secure(const std::string &host) {
  llvm::Expected<std::unique_ptr<Tls>> made = Tls::create(host);
  if (!made)
    return made.takeError();
  tls = std::move(*made);
  for (;;) {
    llvm::Expected<Tls::Step> step = tls->connect();
    llvm::Error sent = send(tls->takeOutput()); // an alert, too
    if (!step) {
      llvm::consumeError(std::move(sent));
      return step.takeError();
    }
    if (sent)
      return sent;
    if (*step == Tls::Step::Done)
      return llvm::Error::success();
    llvm::Expected<bool> isMore = feedTls();
    if (!isMore)
      return isMore.takeError();
    if (!*isMore)
      return makeError("it closed the connection");
  }
}

llvm::Error Connection::write(llvm::StringRef bytes) {
  if (!tls)
    return send(bytes);
  if (llvm::Error error = tls->write(bytes))
    return error;
  return send(tls->takeOutput());
}

llvm::Expected<bool> Connection::feedTls() {
  std::string bytes;
  llvm::Expected<bool> isMore = receive(bytes);
  if (isMore)
    tls->addInput(bytes);
  return isMore;
}

llvm::Expected<bool> Connection::fill() {
  while (tls) {
    llvm::Expected<Tls::Step> step = tls->read(buffer);
    if (!step)
      return step.takeError();
    if (*step != Tls::Step::NeedsInput)
      return *step == Tls::Step::Done;
    llvm::Expected<bool> isMore = feedTls();
    // Without TLS's own end somebody may have cut the connection.
    if (isMore && !*isMore)
      return makeError("it closed the connection");
    if (!isMore)
      return isMore.takeError();
  }
  return receive(buffer);
}

llvm::Expected<bool> Connection::receive(std::string &to) {
  char chunk[1 << 16];
  for (;;) {
    ssize_t done = ::recv(fd, chunk, sizeof(chunk), 0);
    if (done > 0) {
      to.append(chunk, size_t(done));
      return true;
    }
    if (done == 0)
      return false;
    if (errno == EINTR)
      continue;
    if (errno != EAGAIN && errno != EWOULDBLOCK)
      return systemError("receiving", errno);
    if (llvm::Error error = wait(POLLIN))
      return error;
  }
}

llvm::Expected<std::string> Connection::readLine() {
  for (;;) {
    size_t end = buffer.find('\n');
    if (end != std::string::npos) {
      std::string line = buffer.substr(0, end);
      buffer.erase(0, end + 1);
      if (!line.empty() && line.back() == '\r')
        line.pop_back();
      return line;
    }
    if (buffer.size() > kMaxLine)
      return makeError("it sent a line without an end");
    llvm::Expected<bool> isMore = fill();
    if (!isMore)
      return isMore.takeError();
    if (!*isMore)
      return makeError("it closed the connection");
  }
}

llvm::Expected<std::string> Connection::read(uint64_t size) {
  while (buffer.size() < size) {
    llvm::Expected<bool> isMore = fill();
    if (!isMore)
      return isMore.takeError();
    if (!*isMore)
      return makeError("it closed the connection");
  }
  std::string bytes = buffer.substr(0, size);
  buffer.erase(0, size);
  return bytes;
}

llvm::Expected<std::string> Connection::readRest(uint64_t limit) {
  while (buffer.size() <= limit) {
    llvm::Expected<bool> isMore = fill();
    if (!isMore)
      return isMore.takeError();
    if (!*isMore)
      return std::move(buffer);
  }
  return makeError("it sent too much");
}
