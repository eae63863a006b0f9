// SPDX-License-Identifier: Apache-2.0
// As tests/rtl/board/part_bench.h, at the other end of everything: a simulated board's process, its chip, frames by
// bridge/stream/stream.h. With the environment variable LIBUSB not by its own requests but through libftdi1 and the
// libusb of that name, or `real`: the system's, which then must find the board of serial number GANTRY. Not responsible
// for: what the records should say (tests/rtl/board/part.cpp).
#ifndef PROCESS_BENCH_H
#define PROCESS_BENCH_H
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

extern "C" {
#include "bridge/board/usb.h"
#include "tests/fpga/wire_port.h"
}

struct Sent { // a message, or a credit
    uint32_t slot;
    uint64_t cycle;
    std::vector<uint8_t> bytes;
    bool operator==(const Sent &o) const { return slot == o.slot && cycle == o.cycle && bytes == o.bytes; }
};

class Harness
{
  public:
    std::vector<uint32_t> out_bytes;
    uint64_t in_mark = 0, out_mark = 0, cycles = 0, bursts = 0;
    struct wire_port wire;
    struct stream_port port = {};
    struct usb_board *usb = nullptr;
    struct stream *stream = nullptr;

    explicit Harness(uint64_t)
    {
        const char *path = std::getenv("BOARD"), *library = std::getenv("LIBUSB");
        char why[256] = "BOARD names no simulated board";
        if (library && std::strcmp(library, "real") == 0) {
            memset(&wire, 0, sizeof wire);
            wire.fd = -1;
            usb = usb_open("GANTRY", why, sizeof why);
        } else if (library) {
            if (path && wire_start(&wire, path))
                usb = usb_open_sim(wire.fd, "GANTRY", library, why, sizeof why);
            wire.fd = -1; // the board's
        } else if (!path || !wire_open(&wire, path, &port)) {
            die(why);
        }
        if (library && !usb)
            die(why);
        stream = stream_new(usb ? usb_port(usb) : &port);
    }
    ~Harness()
    {
        const struct stream_counts *c = stream_counts(stream);
        stream_bye(stream);
        std::printf("board: %llu bursts, %llu + %llu bytes, %llu frames sent again, %llu damaged, %llu gaps, %llu "
                    "cycles of 60 MHz, %.1f us a burst\n",
                    (unsigned long long)bursts, (unsigned long long)c->bytes_sent, (unsigned long long)c->bytes_taken,
                    (unsigned long long)c->resent, (unsigned long long)c->damaged, (unsigned long long)c->gaps,
                    (unsigned long long)now(), (double)now() / 60 / (double)bursts);
        stream_free(stream);
        usb_close(usb);
        const int status = wire.pid ? wire_close(&wire) : 0;
        if (status)
            std::printf("board: exit status %d\n", status);
    }

    uint64_t cycles_now() const { return usb ? now() : wire.now; }
    uint64_t now() const { return usb ? usb_port(usb)->now_ms(usb_port(usb)->ctx) * 60000 : wire.now; }
    void attach(uint16_t id)
    {
        struct stream_hello mine = {}, theirs = {};
        mine.version = STREAM_VERSION;
        mine.flags = HELLO_ATTACH;
        mine.id = id;
        if (!stream_hello(stream, &mine, &theirs))
            die("no HELLO");
        in_mark = out_mark = 0;
    }
    void record(uint8_t kind, uint8_t flags, uint16_t link, uint32_t arg)
    {
        const struct stream_record r = {kind, flags, link, arg};
        stream_put(stream, &r, sizeof r);
    }
    void put(const void *bytes, size_t n) { stream_put(stream, bytes, n); }
    bool silent() const { return true; } // seen at the harness alone (part_bench.h)
    void message(uint32_t slot, uint64_t cycle, const void *bytes, size_t n, uint8_t flags = 0)
    {
        record(REC_MESSAGE, flags, static_cast<uint16_t>(slot), static_cast<uint32_t>(cycle - in_mark));
        stream_put(stream, bytes, n);
        in_mark = cycle;
    }
    void run(uint64_t mark, bool no_skip = false)
    {
        record(REC_RUN, no_skip ? RUN_NO_SKIP : 0, 0, static_cast<uint32_t>(mark - in_mark));
        in_mark = mark;
    }
    void get(void *bytes, size_t n)
    {
        if (!stream_get(stream, bytes, n))
            die("lost");
    }
    struct stream_record burst(std::vector<Sent> &sent, void *body, size_t room)
    {
        bursts++;
        for (;;) {
            struct stream_record head;
            get(&head, sizeof head);
            if (head.kind == REC_SENT) {
                if (head.link >= out_bytes.size() || head.flags)
                    die("a SENT record is wrong");
                out_mark += head.arg;
                Sent s{head.link, out_mark, std::vector<uint8_t>(out_bytes[head.link])};
                get(s.bytes.data(), s.bytes.size());
                sent.push_back(s);
                continue;
            }
            const size_t n = head.kind == REC_STANDING ? sizeof(struct stream_standing)
                             : head.kind == REC_ANSWER ? sizeof(struct stream_answer)
                             : head.kind == REC_ECHO   ? head.arg
                                                       : 0;
            if (n > room)
                die("the last record of a burst is wrong");
            get(body, n);
            cycles = now();
            return head;
        }
    }
    [[noreturn]] void die(const char *what)
    {
        std::printf("board: %s%s%s\n", what, stream && stream_why(stream) ? ": " : "",
                    stream && stream_why(stream) ? stream_why(stream) : "");
        std::exit(1);
    }
};
#endif
