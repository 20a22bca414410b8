// What the fuzzer of gdb's protocol does with one input, a list of packets between line ends; the
// normal suite does the same with the seeds below and their mutations. Nothing may happen but a
// reply.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gdb/packet.hpp"
#include "gdb/server.hpp"

namespace bhemu::test {

class GdbFuzz {
 public:
  void run(std::span<const u8> bytes) {
    gdb::PacketReader reader;
    reader.feed(bytes);
    while (const auto incoming = reader.next()) (void)server_.reply_to(incoming->body);
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    gdb::Fields lines(text);
    while (!lines.empty()) (void)server_.reply_to(lines.until('\n'));
    device_.run(256);
  }

 private:
  static gdb::ServerOptions options(Device& device) {
    gdb::ServerOptions options;
    options.settings.where = "0";
    options.tiles = {device.board().tensix()[0], device.board().tensix()[1]};
    options.standstill = [] { return std::string("nothing\n"); };
    return options;
  }
  static DeviceOptions one_thread() { return {}; }

  Device device_{one_thread()};
  gdb::Server server_{device_, options(device_), gdb::Server::kOnlyReplies};
};

inline const std::vector<std::string>& gdb_seeds() {
  static const std::vector<std::string> seeds = {
      "qSupported:multiprocess+;swbreak+;hwbreak+;vContSupported+;xmlRegisters=i386",
      "QStartNoAckMode\n!\n?\nqC\nqAttached:1\nqfThreadInfo\nqsThreadInfo",
      "qXfer:features:read:target.xml:0,ffb\nqXfer:threads:read::0,fff\nqXfer:threads:read::7ff,1",
      "Hgp1.1\nHcp2.5\nTp1.3\nTp3.1\nqThreadExtraInfo,p1.2\ng\np20\np43",
      "m3fb8,4\nmffb00000,40\nmffb20000,8\nmffec0000,4\nmffffffff,8\nm17ffff,2",
      "M8000,4:01020304\nX8000,4:abcd\nP20=00800000\nG" + std::string(264, '0'),
      "Z0,8000,4\nz0,8000,4\nZ2,38000,4\nz2,38000,4\nZ4,ffb00010,4\nZ2,17ffff,4\nZ1,8000,2",
      "vCont?\nvCont;s:p1.1;c\nvCont;r8000,8010:p1.2;c:p1.-1\nvCont;t\nbs\nbc\nc\ns\nC05",
      "vAttach;2\nvMustReplyEmpty\nqOffsets\nqSymbol::\nqXfer:auxv:read::0,100",
      "qRcmd," + gdb::to_hex(std::string_view("help")) + "\nqRcmd," +
          gdb::to_hex(std::string_view("dst 0 4 fp32")) + "\nqRcmd," +
          gdb::to_hex(std::string_view("lreg 3")) + "\nqRcmd," +
          gdb::to_hex(std::string_view("config 4294967295 9")),
      gdb::framed("Hgp1.1") + gdb::framed("g") + "\x03+-$#00",
  };
  return seeds;
}

}  // namespace bhemu::test
