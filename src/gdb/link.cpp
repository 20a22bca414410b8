#include "gdb/link.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>

#include "host/error.hpp"

namespace bhemu::gdb {
namespace {

constexpr int kPatience = 200;  // milliseconds

[[noreturn]] void refuse(const std::string& where, const char* what) {
  throw host::InputError("", "",
                         fmt::format("gdb: cannot {} {}: {}", what, where, std::strerror(errno)));
}

u16 port_of(const std::string& text) {
  unsigned port = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, port);
  if (text.empty() || parsed.ec != std::errc() || parsed.ptr != end || port > 0xFFFF)
    throw host::InputError(
        "", "",
        fmt::format("gdb: '{}' is neither a port (0 to 65535) nor a path with a slash", text));
  return static_cast<u16>(port);
}

}  // namespace

Link::Link(const std::string& where) {
  if (where.find('/') == std::string::npos)
    listen_on_port(where);
  else
    listen_on_path(where);
  if (::listen(listener_, 1) != 0) refuse(address_, "listen on");
}

void Link::listen_on_port(const std::string& where) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port_of(where));
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const int on = 1;
  ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    refuse("port " + where, "listen on");
  socklen_t size = sizeof address;
  ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
  address_ = fmt::format("localhost:{}", ntohs(address.sin_port));
}

void Link::listen_on_path(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    throw host::InputError("", "", fmt::format("gdb: the path {} is too long", path));
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  listener_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    refuse(path, "listen on");
  address_ = path_ = path;
}

Link::~Link() {
  close();
  if (listener_ >= 0) ::close(listener_);
  if (!path_.empty()) ::unlink(path_.c_str());
}

bool Link::accept() {
  if (client_ >= 0) return false;
  client_ = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (client_ < 0) return false;
  const int on = 1;
  ::setsockopt(client_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  reader_ = {};
  return true;
}

std::optional<Incoming> Link::poll() {
  if (auto incoming = reader_.next()) return incoming;
  if (client_ < 0) return std::nullopt;
  std::array<u8, 4096> bytes;
  const ssize_t count = ::recv(client_, bytes.data(), bytes.size(), 0);
  if (count > 0) {
    reader_.feed({bytes.data(), static_cast<std::size_t>(count)});
    return reader_.next();
  }
  if (count == 0 || (errno != EAGAIN && errno != EINTR)) close();
  return std::nullopt;
}

void Link::wait() {
  pollfd ready{client_ >= 0 ? client_ : listener_, POLLIN, 0};
  ::poll(&ready, 1, kPatience);
}

void Link::send(const std::string& bytes) {
  std::size_t sent = 0;
  while (client_ >= 0 && sent < bytes.size()) {
    const ssize_t count = ::send(client_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (count > 0) {
      sent += static_cast<std::size_t>(count);
    } else if (errno == EAGAIN || errno == EINTR) {
      pollfd ready{client_, POLLOUT, 0};
      ::poll(&ready, 1, kPatience);
    } else {
      close();
    }
  }
}

void Link::close() {
  if (client_ >= 0) ::close(client_);
  client_ = -1;
}

}  // namespace bhemu::gdb
