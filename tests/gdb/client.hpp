// A gdb for tests: says what it is told to over the socket, and returns the replies.
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <string>
#include <thread>

#include "gdb/packet.hpp"

namespace bhemu::test {

class GdbClient {
 public:
  explicit GdbClient(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    socket_ = ::socket(AF_UNIX, SOCK_STREAM, 0);
    while (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  ~GdbClient() { ::close(socket_); }
  GdbClient(const GdbClient&) = delete;
  GdbClient& operator=(const GdbClient&) = delete;

  void say(const std::string& packet) {
    const std::string text = gdb::framed(packet);
    EXPECT_EQ(::send(socket_, text.data(), text.size(), MSG_NOSIGNAL), ssize_t(text.size()));
  }
  /// The next packet but console output; "" when the connection ends.
  std::string hear() {
    for (;;) {
      while (const auto incoming = reader_.next()) {
        if (incoming->kind != gdb::Incoming::Kind::Packet) continue;
        if (incoming->body.size() > 2 && incoming->body[0] == 'O' && incoming->body != "OK")
          continue;
        return incoming->body;
      }
      u8 bytes[4096];
      const ssize_t count = ::recv(socket_, bytes, sizeof bytes, 0);
      if (count <= 0) return "";
      reader_.feed({bytes, static_cast<std::size_t>(count)});
    }
  }
  std::string ask(const std::string& packet) {
    say(packet);
    return hear();
  }
  u32 word(const std::string& packet) {
    const auto bytes = gdb::bytes_of_hex(ask(packet));
    u32 value = 0;
    if (bytes && bytes->size() == 4) std::memcpy(&value, bytes->data(), 4);
    return value;
  }

 private:
  int socket_;
  gdb::PacketReader reader_;
};

}  // namespace bhemu::test
