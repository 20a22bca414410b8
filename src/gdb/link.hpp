// The connection to gdb: a TCP port of this host's loopback address, or a socket in the file
// system. One client at a time.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "gdb/packet.hpp"

namespace bhemu::gdb {

class Link {
 public:
  /// "0" (any free port), a port number, or a path (anything with a slash). Throws InputError.
  explicit Link(const std::string& where);
  ~Link();
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  /// As gdb's `target extended-remote` wants it: "localhost:4711" or the path.
  const std::string& address() const { return address_; }
  bool connected() const { return client_ >= 0; }
  /// Takes a client that wants in. False: none does.
  bool accept();
  /// The next that has come; none when nothing has, or the client has gone (connected()).
  std::optional<Incoming> poll();
  /// Until something comes to read or to accept, or some tenths of a second have passed.
  void wait();
  void send(const std::string& bytes);
  void close();

 private:
  void listen_on_port(const std::string& where);
  void listen_on_path(const std::string& path);

  std::string address_;
  std::string path_;  // to be removed
  int listener_ = -1;
  int client_ = -1;
  PacketReader reader_;
};

}  // namespace bhemu::gdb
