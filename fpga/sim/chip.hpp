// SPDX-License-Identifier: Apache-2.0
// An FT2232H, channel A as synchronous 245 FIFO: pins of its 60 MHz clock on one side, USB transfers on the other.
// Times are the model's assumptions, pinned by tests/fpga/test_speed.py: a bulk packet of 512 bytes every 577 cycles (13 in a micro-frame of
// 125 us), half a micro-frame from the submission of a transfer to its first packet, 4 KiB of buffer each way.
// Responsible for: bytes, flags, packets, status bytes, latency timer, SIWU#, purge, vendor requests.
// Not responsible for: descriptors (who speaks USB for the host has them), the board.
#ifndef GANTRY_CHIP_HPP
#define GANTRY_CHIP_HPP
#include <cstdint>
#include <deque>
#include <vector>

#include "fpga/sim/faults.hpp"
#include "fpga/sim/wire.h"

struct Urb {
    uint32_t id, endpoint, room; // room: of an IN
    uint32_t at;                 // bytes of an OUT that are gone
    uint64_t ready;              // from here on it may move
    int32_t status;
    std::vector<uint8_t> data;
};

class Chip {
  public:
    uint64_t now = 0;             // cycles of 60 MHz
    uint64_t bytes_out = 0, bytes_in = 0; // from and to the host, without status bytes
    explicit Chip(const Faults &faults);

    // ---- pins
    bool clocked() const { return mode == SyncFifo && !silent(); }
    bool rxf_n() const { return to_board.empty() || paused_rx; }
    bool txe_n() const { return to_host.size() >= Buffer || paused_tx; }
    uint8_t data() const { return to_board.empty() ? 0 : to_board.front(); }
    // A rising edge of CLKOUT; what the board's pins were before it.  False: both drove the data bus.
    bool edge(bool oe_n, bool rd_n, bool wr_n, bool siwu_n, bool drives, uint8_t data);
    // Behind each cycle, clocked or not.  True: a packet has moved.
    bool pass();

    // ---- USB
    int32_t control(const uint8_t *setup, std::vector<uint8_t> &answer); // enum wire_status
    void submit(Urb urb);
    void cancel(uint32_t id);
    std::deque<Urb> over; // transfers that have ended, the first one first
    // The next cycle at which something can happen on this side while the board moves nothing; at most `until`.
    uint64_t next(uint64_t until) const;
    bool gone() const { return now >= faults.gone; }

  private:
    static constexpr uint8_t SyncFifo = 0x40;
    static constexpr size_t Buffer = 4096, Payload = 510, Packet = 512;
    static constexpr uint64_t PacketCycles = 577, Between = 20, Turn = 3750, Ms = 60000;
    const Faults faults;
    std::mt19937_64 rng;
    FaultyStream out_faults, in_faults;
    std::deque<uint8_t> to_board, to_host;
    uint64_t stale; // bytes of an earlier session that are still to be found
    std::deque<Urb> outs, ins;
    uint64_t bus_free = 0, last_in = 0, latency = 16 * Ms;
    size_t pushed = 0;            // bytes of to_host that SIWU# sends off
    uint8_t mode = 0;
    bool in_turn = false, paused_rx = false, paused_tx = false;

    bool silent() const { return now >= faults.silent; }
    bool out_packet();
    bool in_packet();
    void end(std::deque<Urb> &queue, int32_t status);
};
#endif
