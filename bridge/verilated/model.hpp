// SPDX-License-Identifier: Apache-2.0
// The body of every wrapper: drives one Verilator class by tables that the generated file fills.  Responsible for:
// clock and reset, presenting messages, collecting outputs, skipping idle cycles, counters, observation, trace, state.
// Not responsible for: which ports exist (generated), channels (bridge/link), time (bridge/run).
// A cycle is not two eval() calls: every partition has one clock and no other event (models.py checks the generated
// code for it), so Edge, which the wrapper supplies, runs what eval() would run at a rising edge and nothing else.
// Models with tracing take the two calls.  Ports, supplied too, names every output port in a line of its own: a loop over
// a table of them in each cycle is 1 % of a CU.
#ifndef GANTRY_MODEL_HPP
#define GANTRY_MODEL_HPP
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "bridge/verilated/model.h"
#include "verilated.h"
#if VM_TRACE
#include "verilated_fst_c.h"
#endif
#if GANTRY_SAVABLE
#include "bridge/verilated/model_save.hpp"
#endif

namespace gantry {

struct Input {        // one input lane or one returning credit
    void *payload;    // nullptr: a credit
    uint32_t bytes;
    uint8_t *valid;   // byte that holds the valid bit
    uint8_t bit;
};
struct Observation {
    const uint8_t *valid, *payload;
    uint32_t valid_bytes, bytes;
};

// The lanes of an output port, or of the credits of an input port, that have something to say in this cycle: mostly none.
template <class Valid, class Fn> inline void valid_lanes(Valid valid, Fn fn)
{
    for (uint64_t bits = valid; __builtin_expect(bits != 0, 0); bits &= bits - 1)
        fn(static_cast<uint32_t>(__builtin_ctzll(bits)));
}
template <size_t Words, class Fn> inline void valid_lanes(const VlWide<Words> &valid, Fn fn)
{
    for (uint32_t w = 0; w < Words; w++)
        valid_lanes(valid[w], [&](uint32_t lane) { fn(32 * w + lane); });
}
template <uint32_t Count, uint32_t Bytes, class Payload> const void *lane_of(const Payload &payload, uint32_t lane)
{
    static_assert(sizeof(Payload) == size_t{Count} * Bytes, "the port is not as wide as its messages");
    return reinterpret_cast<const uint8_t *>(&payload) + size_t{lane} * Bytes;
}

inline thread_local const char *current_name = "model";
inline thread_local uint64_t current_cycle = 0;
constexpr uint8_t no_counter = 0xff;  // the RTL need not gather a value in every cycle; a CU shows its instructions
inline void (*bug_handler)(const char *name, uint64_t cycle, const char *text) = nullptr;

template <class Top, class Edge, class Ports> class Model {
  public:
    std::string name;
    std::unique_ptr<VerilatedContext> context;
    std::unique_ptr<Top> top;
    std::vector<Input> inputs;
    std::vector<Observation> observations;
    uint64_t *cycle_port = nullptr;     // cycle_i
    uint8_t *perf_en = nullptr;         // perf_en_i
    uint8_t *perf_addr = nullptr;       // perf_addr_i; no_counter, unless one is read
    const uint64_t *perf_data = nullptr;
    uint8_t *observe_port = nullptr;    // obs_en_i
    bool idle = false, observing = false;
    bool changed = true;                // an input other than the clock since the last edge
    bool asked = false;                 // perf_data has the answer to a question, `kept` what it showed before
    bool asking = false;                // clock edges that are no cycles of the run
    uint64_t kept = 0;
    uint32_t looks = 0;
    uint64_t evaluated = 0;
#if VM_TRACE
    std::unique_ptr<VerilatedFstC> fst;
    uint64_t trace_from = 0, trace_to = 0;
    bool trace_begun = false;
#endif

    Model(const char *model_name, uint64_t seed) : name(model_name), context(new VerilatedContext)
    {
        context->randReset(2);
        context->randSeed(static_cast<int>(seed & 0x7fffffff) | 1);
#if VM_TRACE
        context->traceEverOn(true);
#endif
        top.reset(new Top(context.get(), "top"));
    }

    // Both edges of the reset count: the first evaluation, which sees no edge, stands before them.
    void reset()
    {
        current_name = name.c_str();
        for (const Input &in : inputs)
            *in.valid = 0;
        if (perf_addr)
            *perf_addr = no_counter;
        top->rst_ni = 0;
        top->clk_i = 0;
        top->eval();
        for (int i = 0; i < 2; i++)
            clock(0);
        top->rst_ni = 1;
        changed = true;
        idle = false;
        evaluated = 0;
    }

    void clock(uint64_t cycle)
    {
        current_cycle = cycle;
        if (cycle_port) {
            *cycle_port = cycle;
            changed = true;
        }
#if VM_TRACE
        if (fst && !asking && cycle > trace_from)
            trace_begin();
        top->clk_i = 1;
        top->eval();
        if (fst && !asking && cycle >= trace_from && cycle < trace_to) {
            fst->dump(2 * cycle);
            trace_begun = true;
        }
        top->clk_i = 0;
        top->eval();
        if (fst && !asking && cycle >= trace_from && cycle < trace_to)
            fst->dump(2 * cycle + 1);
#else
        Edge::run(top->rootp, changed);
#endif
        changed = false;
        evaluated++;
    }

    void present(const part_in *due, uint32_t count)
    {
        for (uint32_t i = 0; i < count; i++) {
            const Input &in = inputs[due[i].slot];
            if (in.payload)
                memcpy(in.payload, due[i].data, in.bytes);
            *in.valid |= in.bit;
        }
        changed = true;
    }

    void withdraw(const part_in *due, uint32_t count)
    {
        for (uint32_t i = 0; i < count; i++)
            *inputs[due[i].slot].valid &= static_cast<uint8_t>(~inputs[due[i].slot].bit);
        changed = true;
    }

    void collect(uint64_t cycle, const model_sink &sink)
    {
        Ports::sent(*top->rootp, [&](uint32_t slot, const void *message) { sink.send(sink.ctx, slot, cycle, message); });
        if (observing)
            collect_observed(cycle, sink);
    }

    __attribute__((noinline)) void collect_observed(uint64_t cycle, const model_sink &sink)
    {
        for (uint32_t port = 0; port < observations.size(); port++) {
            const Observation &obs = observations[port];
            uint64_t valid = 0;
            memcpy(&valid, obs.valid, obs.valid_bytes);
            valid_lanes(valid, [&](uint32_t lane) {
                sink.observe(sink.ctx, port, lane, cycle, obs.payload + static_cast<size_t>(lane) * obs.bytes);
            });
        }
    }

    bool step(uint64_t from, part_in *const *due, const uint32_t *count, bool no_skip, const model_sink &sink)
    {
        current_name = name.c_str();
        asked = false;
        for (uint32_t c = 0; c < PART_WINDOW; c++) {
            if (idle && count[c] == 0 && !no_skip)
                continue;
            if (count[c]) {
                present(due[c], count[c]);
                clock(from + c);
                withdraw(due[c], count[c]);
            } else {
                clock(from + c);
            }
            collect(from + c, sink);
            idle = top->rootp->idle_o;
        }
        return idle;
    }

    uint64_t counter(uint32_t address)
    {
        if (!perf_addr)
            return 0;
        return ask(address, 1);
    }

    // Counters stand still, the model moves on.
    uint64_t look(uint32_t what)
    {
        if (!perf_addr)
            return 0;
        *perf_en = 0;
        looks = looks * 1103515245 + 12345;
        // two clocks and some more, by chance: a series of looks sees every cycle of a loop, whatever its period
        uint64_t answer = ask(what, 3 + (looks >> 16) % 8);
        *perf_en = 1;
        return answer;
    }

    uint64_t ask(uint32_t address, unsigned clocks)
    {
        current_name = name.c_str();
        kept = shown();
        asked = true;
        *perf_addr = static_cast<uint8_t>(address);
        changed = true;
        asking = true;
        for (unsigned n = 0; n < clocks; n++)
            clock(cycle_port ? *cycle_port + 1 : 0);
        asking = false;
        evaluated -= clocks;
        *perf_addr = no_counter;
        changed = true;
        return *perf_data;
    }

    uint64_t shown() const { return asked ? kept : perf_data ? *perf_data : 0; }

    void observe(bool on)
    {
        observing = on && observe_port;
        if (observe_port)
            *observe_port = on;
        changed = true;
    }

#if GANTRY_SAVABLE
    // What the wrapper holds between two steps.  Observation is no state: a run may be continued with it or without.
    struct Own {
        uint64_t kept, evaluated;
        uint32_t looks;
        uint8_t idle, changed, asked, zero;
    };

    // What a question changes, kept while it is asked.  Clock edges of questions are of no cycle of the run.
    struct Held {
        std::vector<uint8_t> top;
        uint64_t kept, evaluated;
        uint32_t looks;
        bool idle, changed, asked;
    };
    std::unique_ptr<Held> held;

    void hold() { held.reset(new Held{state_of(*top), kept, evaluated, looks, idle, changed, asked}); }

    void release()
    {
        StateIn in(held->top.size());
        memcpy(in.room(), held->top.data(), held->top.size());
        in >> *top;
        kept = held->kept;
        evaluated = held->evaluated;
        looks = held->looks;
        idle = held->idle;
        changed = held->changed;
        asked = held->asked;
        held.reset();
    }

    // The observation port is an input: as if nobody looked.
    void save(state_writer *to)
    {
        const Own own = {kept, evaluated, looks, idle, changed, asked, 0};
        to->write(to, &own, sizeof own);
        if (observe_port)
            *observe_port = 0;
        const std::vector<uint8_t> bytes = state_of(*top);
        if (observe_port)
            *observe_port = observing;
        to->write(to, bytes.data(), bytes.size());
    }

    bool restore(state_reader *from)
    {
        Own own;
        const size_t count = state_of(*top).size();
        StateIn in(count);
        if (!from->read(from, &own, sizeof own) || !from->read(from, in.room(), count))
            return false;
        in >> *top;
        kept = own.kept;
        evaluated = own.evaluated;
        looks = own.looks;
        idle = own.idle;
        changed = own.changed;
        asked = own.asked;
        if (observe_port)
            *observe_port = observing;
        return in.taken() == count;
    }
#endif

#if VM_TRACE
    bool trace(const char *file, uint64_t from, uint64_t to)
    {
        fst.reset(new VerilatedFstC);
        top->trace(fst.get(), 99);
        fst->open(file);
        trace_from = from;
        trace_to = to;
        return fst->isOpen();
    }

    /* Nothing happened when the window began: what it found then.  A file without any time is not one. */
    void trace_begin()
    {
        if (!trace_begun)
            fst->dump(2 * trace_from);
        trace_begun = true;
    }
#endif
    ~Model()
    {
#if VM_TRACE
        if (fst) {
            trace_begin();
            fst->close();
        }
#endif
        top->final();
    }

    // ---- tables
    template <class Valid, class Payload> void input(Valid &valid, Payload &payload, uint32_t count, uint32_t bytes)
    {
        static_assert(sizeof(Payload) % 4 == 0, "whole words");
        bytes_check(sizeof(Payload), count, bytes);
        for (uint32_t lane = 0; lane < count; lane++)
            inputs.push_back({reinterpret_cast<uint8_t *>(&payload) + static_cast<size_t>(lane) * bytes, bytes,
                              reinterpret_cast<uint8_t *>(&valid) + lane / 8, static_cast<uint8_t>(1u << (lane & 7))});
    }
    template <class Valid> void credit_input(Valid &valid, uint32_t count)
    {
        for (uint32_t lane = 0; lane < count; lane++)
            inputs.push_back({nullptr, 0, reinterpret_cast<uint8_t *>(&valid) + lane / 8, static_cast<uint8_t>(1u << (lane & 7))});
    }
    template <class Valid, class Payload> uint32_t observation(Valid &valid, Payload &payload, uint32_t count)
    {
        static_assert(sizeof(Valid) <= 8, "at most 64 lanes");
        uint32_t bytes = static_cast<uint32_t>(sizeof(Payload) / count);
        observations.push_back({reinterpret_cast<const uint8_t *>(&valid), reinterpret_cast<const uint8_t *>(&payload), sizeof(Valid), bytes});
        return bytes;
    }

  private:
    void bytes_check(size_t have, uint32_t count, uint32_t bytes)
    {
        if (have != static_cast<size_t>(count) * bytes) {
            std::fprintf(stderr, "gantry: %s: port of %zu bytes where the messages have %u x %u\n", name.c_str(), have, count, bytes);
            std::_Exit(70);
        }
    }
};

[[noreturn]] inline void model_bug(const char *text)
{
    if (bug_handler)
        bug_handler(current_name, current_cycle, text);
    std::fprintf(stderr, "gantry: %s: cycle %llu: %s\n", current_name, static_cast<unsigned long long>(current_cycle), text);
    std::_Exit(70);
}

}  // namespace gantry

// Verilator's own ends (an assertion of the RTL failed) become ours.
void vl_finish(const char *, int, const char *) {}
void vl_stop(const char *file, int line, const char *hier)
{
    gantry::model_bug((std::string("assertion of the RTL failed: ") + file + ":" + std::to_string(line) + " " + hier).c_str());
}
void vl_fatal(const char *file, int line, const char *hier, const char *text)
{
    gantry::model_bug((std::string(text) + ": " + file + ":" + std::to_string(line) + " " + hier).c_str());
}
#endif
