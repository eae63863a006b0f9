// SPDX-License-Identifier: Apache-2.0
// How much a simulated board carries, in its own time: echoes of one byte one after the other, and of 4,096 bytes with `ahead` under way.
//   echo RECORDS AHEAD     prints "echo: N us a round trip, N MB/s each way, N frames sent again"
// Where to: tests/fpga/process_bench.h.
#include "tests/fpga/process_bench.h"

extern "C" {
#include "bridge/board/usb_echo.h"
}

static double echo(Harness &board, unsigned records, unsigned payload, unsigned ahead)
{
    const struct stream_port *port = board.usb ? usb_port(board.usb) : &board.port;
    const uint64_t begun = board.cycles_now();
    uint64_t ms;
    bool other = false;
    if (!usb_echo(board.stream, port, records, payload, ahead, &ms, &other))
        board.die(other ? "something else came back" : "lost");
    return static_cast<double>(board.cycles_now() - begun) / 60;
}

int main(int argc, char **argv)
{
    Harness board(1);
    const unsigned records = argc > 1 ? static_cast<unsigned>(atoi(argv[1])) : 64, ahead = argc > 2 ? static_cast<unsigned>(atoi(argv[2])) : 8;
    board.attach(0);
    const double one = echo(board, 32, 1, 1) / 32, many = echo(board, records, ECHO_PAYLOAD, ahead);
    std::printf("echo: %.1f us a round trip, %.2f MB/s each way, %llu frames sent again\n", one, records * double{ECHO_PAYLOAD} / many,
                (unsigned long long)stream_counts(board.stream)->resent);
    board.bursts = 32 + records;
    return 0;
}
