// SPDX-License-Identifier: Apache-2.0
// The process of a simulated board: PATH --fd N.  The board's RTL (module board, sw/tools/gen/gen_board.py) under Verilator with its chip, and the
// requests of wire.h at the connected socket N; it ends when the socket does.
// The board's clock is half of the chip's; the target's has an edge where fire_o was high.  While neither side moves anything the time up to the
// next event is skipped: state that did not change for Still cycles, in which every queue between the clocks has settled, changes no more.
// GANTRY_BOARD_STATS=FILE: a line at the end is appended there.  GANTRY_BOARD_FAULT: faults.hpp.
// Exit 0 at the end of the socket, 64 for a wrong call, 70 for a fault of the board (RTL) or of a request.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>

#include "Vboard.h"
#include "fpga/sim/chip.hpp"
#include "verilated.h"

#ifndef GANTRY_BOARD_RESET
#define GANTRY_BOARD_RESET 16 // cycles of the chip, an even number
#endif

namespace {

constexpr unsigned Still = 48;                           // cycles of the chip without a byte or an edge
constexpr auto Patience = std::chrono::milliseconds(50); // real time: then an answer without a transfer

[[noreturn]] void fatal(const char *why)
{
    std::fprintf(stderr, "gantry: simulated board: %s\n", why);
    std::_Exit(70);
}

class Board {
  public:
    Chip chip;
    uint64_t evaluated = 0, edges = 0;

    explicit Board(const Faults &faults) : chip(faults)
    {
        top.rst_ni = 0;
        for (int i = 0; i < GANTRY_BOARD_RESET; i++)
            cycle();
        top.rst_ni = 1;
        chip.now = 0;
    }

    // Up to `until`, until a transfer is over, or for about as long as Patience.
    void run(uint64_t until)
    {
        const auto begun = std::chrono::steady_clock::now();
        for (unsigned n = 1; chip.over.empty() && chip.now < until && !chip.gone(); n++) {
            if (still >= Still) {
                const uint64_t next = chip.next(until);
                chip.now += (next - chip.now) & ~UINT64_C(1); // the board's clock stays in step
            }
            if (chip.now < until)
                cycle();
            if (n % 1024 == 0 && std::chrono::steady_clock::now() - begun > Patience)
                return;
        }
    }

  private:
    Vboard top;
    unsigned still = 0;

    void cycle()
    {
        const bool clocked = chip.clocked(), even = chip.now % 2 == 0, fire = top.fire_o;
        const bool oe_n = top.oe_no, rd_n = top.rd_no, wr_n = top.wr_no, siwu_n = top.siwu_no, drives = top.d_oe_o;
        const uint8_t d = top.d_o;
        const bool active = top.active_o || (clocked && (!oe_n || !rd_n || !wr_n || !siwu_n || !chip.rxf_n()));
        top.ft_clk_i = 0;
        top.eval();
        top.rxf_ni = chip.rxf_n();
        top.txe_ni = chip.txe_n();
        top.d_i = chip.data();
        top.ft_clk_i = clocked;
        top.clk_i = even;
        top.tclk_i = even && fire;
        top.eval();
        if (clocked && !chip.edge(oe_n, rd_n, wr_n, siwu_n, drives, d))
            fatal("the board and the chip drive the data bus at once");
        edges += even && fire;
        still = active ? 0 : still + 1;
        evaluated++;
        if (chip.pass())
            still = 0; // the flags may be others now
    }
};

int fd = -1;

bool get(void *bytes, size_t n)
{
    for (uint8_t *at = static_cast<uint8_t *>(bytes); n;) {
        const ssize_t got = read(fd, at, n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += got;
        n -= static_cast<size_t>(got);
    }
    return true;
}

bool put(const void *bytes, size_t n)
{
    for (const uint8_t *at = static_cast<const uint8_t *>(bytes); n;) {
        const ssize_t put = write(fd, at, n);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        at += put;
        n -= static_cast<size_t>(put);
    }
    return true;
}

bool answer(const Board &board, int32_t status, uint32_t id, uint32_t endpoint, uint32_t moved, const std::vector<uint8_t> &data)
{
    const struct wire_answer a = {status, id, moved, endpoint, board.chip.now};
    return put(&a, sizeof a) && (data.empty() || put(data.data(), data.size()));
}

// One request; false: the other side is gone.
bool serve(Board &board)
{
    struct wire_ask ask;
    if (!get(&ask, sizeof ask))
        return false;
    const bool in = ask.op == WIRE_CONTROL ? ask.setup[0] & 0x80 : ask.endpoint & 0x80;
    if (ask.length > WIRE_MOST)
        fatal("a request is too long");
    std::vector<uint8_t> data(!in && (ask.op == WIRE_CONTROL || ask.op == WIRE_SUBMIT) ? ask.length : 0);
    if (!data.empty() && !get(data.data(), data.size()))
        return false;
    switch (ask.op) {
    case WIRE_CONTROL: {
        std::vector<uint8_t> said;
        const int32_t status = board.chip.control(ask.setup, said);
        return answer(board, status, ask.id, 0, static_cast<uint32_t>(in ? said.size() : ask.length), said);
    }
    case WIRE_SUBMIT:
        board.chip.submit({ask.id, ask.endpoint, ask.length, 0, 0, WIRE_OK, std::move(data)});
        return true;
    case WIRE_CANCEL:
        board.chip.cancel(ask.id);
        return true;
    case WIRE_WAIT: {
        board.run(ask.until);
        if (board.chip.gone())
            return false;
        if (board.chip.over.empty())
            return answer(board, WIRE_OK, 0, 0, 0, {});
        const Urb u = std::move(board.chip.over.front());
        board.chip.over.pop_front();
        const bool to_host = u.endpoint & 0x80;
        return answer(board, u.status, u.id, u.endpoint, to_host ? static_cast<uint32_t>(u.data.size()) : u.at, to_host ? u.data : std::vector<uint8_t>());
    }
    default:
        fatal("a request that there is not");
    }
}

void stats(const Board &board)
{
    const char *file = std::getenv("GANTRY_BOARD_STATS");
    const int out = file ? open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
    if (out < 0)
        return;
    char line[256];
    const int n = std::snprintf(line, sizeof line, "%s cycles %llu evaluated %llu bytes-to-board %llu bytes-to-host %llu target-edges %llu\n", GANTRY_BOARD_KIND,
                                (unsigned long long)board.chip.now, (unsigned long long)board.evaluated, (unsigned long long)board.chip.bytes_out,
                                (unsigned long long)board.chip.bytes_in, (unsigned long long)board.edges);
    if (write(out, line, static_cast<size_t>(n)) != n)
        std::fprintf(stderr, "gantry: simulated board: %s: %s\n", file, std::strerror(errno));
    close(out);
}

}  // namespace

int main(int argc, char **argv)
{
    Faults faults;
    char *end = nullptr;
    const long number = argc == 3 && std::strcmp(argv[1], "--fd") == 0 ? std::strtol(argv[2], &end, 10) : -1;
    if (!end || *end || number < 0) {
        std::fprintf(stderr, "usage: %s --fd N: a connected socket\n", argv[0]);
        return 64;
    }
    if (const char *word = faults.read(std::getenv("GANTRY_BOARD_FAULT"))) {
        std::fprintf(stderr, "gantry: simulated board: GANTRY_BOARD_FAULT: %s: no such fault\n", word);
        return 64;
    }
    fd = static_cast<int>(number);
    Board board(faults);
    while (serve(board)) {
    }
    stats(board);
    close(fd);
    std::_Exit(0);
}
