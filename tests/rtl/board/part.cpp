// SPDX-License-Identifier: Apache-2.0
// Bench of a partition behind records of a board, against the same partition's model library, which is given the same
// messages: every message out with its cycle, evaluated cycles, idle, what it shows, counters.
//   Vboard_part LIBRARY SEED WINDOWS [any]
// With `any` messages are random bytes (any kind; both sides have the same RTL), else those of part_rdma and part_utcl2 are right ones.
// Not responsible for: what a partition does.
#include <dlfcn.h>

#ifdef PROCESS
#include "tests/fpga/process_bench.h"
#else
#include "tests/rtl/board/part_bench.h"
#endif
#include "tests/rtl/board/part_traffic.h"

static int wrong(const char *what, uint64_t cycle, uint64_t got, uint64_t want)
{
    std::printf("cycle %llu: %s: %llx, the model says %llx\n", (unsigned long long)cycle, what, (unsigned long long)got, (unsigned long long)want);
    return 1;
}

// Records that are no messages: echoes, and what a board refuses until the next session.
static int oddities(Harness &board)
{
    std::vector<Sent> none;
    std::vector<uint8_t> bytes(4096), back(4096);
    board.attach(7);
    for (uint32_t n : {0u, 1u, 100u, 511u, 4096u, 3u}) {
        for (uint8_t &b : bytes)
            b = static_cast<uint8_t>(rng());
        board.record(REC_ECHO, 0x5a, 0x1234, n);
        board.put(bytes.data(), n);
        const struct stream_record head = board.burst(none, back.data(), back.size());
        if (head.kind != REC_ECHO || head.flags != 0x5a || head.link != 0x1234 || head.arg != n || memcmp(bytes.data(), back.data(), n) || !none.empty())
            return wrong("echo", 0, head.arg, n);
    }
    const uint32_t slot = api->ports[0].out ? api->ports[1].slot : api->ports[0].slot;
    uint32_t size = 0;
    for (uint32_t i = 0; i < api->port_count; i++)
        if (!api->ports[i].out && api->ports[i].slot == slot)
            size = api->ports[i].bytes;
    for (int what = 0; what < 5; what++) {
        board.attach(7);
        switch (what) {
        case 0: board.record(REC_ECHO, 0, 0, 4097); break;
        case 1: board.record(REC_SENT, 0, 0, 0); break;
        case 2: board.record(0, 0, 0, 0); break;
        case 3: board.record(REC_MESSAGE, 0, static_cast<uint16_t>(api->ins), 0); break;
        default:
            board.message(slot, 0, bytes.data(), size);
            board.record(REC_MESSAGE, 0, static_cast<uint16_t>(slot), 0);
        }
        const struct stream_record head = board.burst(none, back.data(), back.size());
        const uint32_t want = what < 3 ? RECORD_KIND : what == 3 ? RECORD_LINK : RECORD_TWICE;
        if (head.kind != REC_ERROR || head.arg != want || head.link || head.flags || !none.empty())
            return wrong("error", 0, head.arg, want);
        board.run(100);
        if (!board.silent())
            return wrong("a record after an error is answered", 0, 1, 0);
    }
    board.attach(7); // all begins anew
    board.run(3);
    struct stream_standing standing;
    const struct stream_record head = board.burst(none, &standing, sizeof standing);
    return head.kind != REC_STANDING || standing.cycle != 3 ? wrong("a session after an error", 0, standing.cycle, 3) : 0;
}

int main(int argc, char **argv)
{
    void *library = argc >= 4 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : nullptr;
    if (!library) {
        std::printf("usage: Vboard_part LIBRARY SEED WINDOWS [any]: %s\n", argc >= 4 ? dlerror() : "");
        return 64;
    }
    api = reinterpret_cast<const struct model_api *(*)(void)>(dlsym(library, "gantry_model"))();
    const uint64_t seed = strtoull(argv[2], nullptr, 10), windows = strtoull(argv[3], nullptr, 10);
    const bool any = argc > 4;
    rng.seed(seed);
    Harness board(seed);
    for (uint32_t slot = 0; slot < api->outs; slot++) {
        board.out_bytes.push_back(0);
        for (uint32_t i = 0; i < api->port_count; i++)
            if (api->ports[i].out && slot >= api->ports[i].slot && slot < api->ports[i].slot + api->ports[i].count)
                board.out_bytes[slot] = api->ports[i].bytes;
    }
    const struct model_sink sink = {nullptr, model_sent, nullptr};
    uint64_t messages = 0, evaluated = 0, jumped = 0, asked = 0;
    // The second session begins while the target is at work.  With any bytes there is one: they make a target show registers that no reset clears.
    for (int session = 0; session < (any ? 1 : 2); session++) {
        void *model = api->create(api, "model", 0, 1);
        Traffic traffic(any);
        board.attach(0);
        uint64_t now = 0, model_edges = 0;
        bool idle = false;
        for (uint64_t w = 0; w < windows; w++) {
            // an exchange: some windows; sometimes a long gap without messages
            const uint64_t steps = rng() % 50 == 0 ? 1 + rng() % 3000 : 1 + rng() % 4;
            const bool no_skip = rng() % 16 == 0 && steps < 8;
            if (steps < 8)
                traffic.fill(now, now + 8 * steps, w / 64 % 3 == 0 ? 20 : w / 64 % 3 == 1 ? 2 : 0);
            for (uint64_t s = 0; s < steps; s++, now += PART_WINDOW) {
                std::vector<struct part_in> ins[PART_WINDOW];
                struct part_in *due[PART_WINDOW];
                uint32_t count[PART_WINDOW];
                for (uint32_t c = 0; c < PART_WINDOW; c++) {
                    auto range = traffic.due.equal_range(now + c);
                    for (auto it = range.first; it != range.second; ++it) {
                        const Due &d = it->second;
                        ins[c].push_back({d.slot, d.bytes.empty() ? nullptr : d.bytes.data()});
                        board.message(d.slot, now + c, d.bytes.data(), d.bytes.size(), no_skip ? RUN_NO_SKIP : 0);
                        messages++;
                    }
                    due[c] = ins[c].data();
                    count[c] = static_cast<uint32_t>(ins[c].size());
                }
                idle = api->step(model, now, due, count, no_skip, &sink);
                traffic.due.erase(traffic.due.begin(), traffic.due.lower_bound(now + PART_WINDOW));
            }
            board.run(now, no_skip);
            std::vector<Sent> sent;
            struct stream_standing standing;
            const struct stream_record head = board.burst(sent, &standing, sizeof standing);
            const uint64_t edges = api->evaluated(model) - model_edges;
            model_edges += edges;
            evaluated += edges;
            jumped += 8 * steps - edges;
            for (size_t i = 0; i < sent.size() && i < expected.size(); i++)
                if (!(sent[i] == expected[i])) {
                    std::printf("message %zu: output %u in cycle %llu, the model has output %u in cycle %llu%s\n", i, sent[i].slot,
                                (unsigned long long)sent[i].cycle, expected[i].slot, (unsigned long long)expected[i].cycle,
                                sent[i].bytes == expected[i].bytes ? "" : "; the bytes differ");
                    return 1;
                }
            if (sent.size() != expected.size())
                return wrong("messages", now, sent.size(), expected.size());
            if (head.kind != REC_STANDING || head.link)
                return wrong("kind of the record", now, head.kind, REC_STANDING);
            if (head.arg != edges)
                return wrong("clock edges", now, head.arg, edges);
            if (head.flags != (idle ? STANDING_IDLE : 0))
                return wrong("flags", now, head.flags, idle ? STANDING_IDLE : 0);
            if (standing.cycle != now)
                return wrong("cycle", now, standing.cycle, now);
            if (standing.shown != api->shown(model))
                return wrong("shown", now, standing.shown, api->shown(model));
            for (const Sent &s : expected)
                traffic.answer(s, now);
            expected.clear();
            if (idle && rng() % 40 == 0 && std::strcmp(api->kind, "gpu") != 0)
                for (uint32_t i = 0; i < api->counter_count; i++, asked++) {
                    struct stream_answer answer;
                    board.record(REC_ASK, 0, 0, 1u << 8 | i | 0xff0000);
                    std::vector<Sent> none;
                    const struct stream_record told = board.burst(none, &answer, sizeof answer);
                    const uint64_t want = api->counter(model, i);
                    if (told.kind != REC_ANSWER || told.arg || told.flags || told.link || !none.empty() || answer.value != want)
                        return wrong(api->counters[i].name, now, answer.value, want);
                }
        }
        api->destroy(model);
    }
    std::printf("part: %s: %llu messages in, %llu cycles evaluated, %llu jumped, %llu questions, %llu clocks\n", api->kind, (unsigned long long)messages,
                (unsigned long long)evaluated, (unsigned long long)jumped, (unsigned long long)asked, (unsigned long long)board.cycles);
    if (!any && windows >= 100 && (messages < windows || jumped < windows || asked == 0))
        return wrong("too little happened", 0, messages, windows);
    return oddities(board);
}
