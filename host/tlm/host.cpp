// SPDX-License-Identifier: Apache-2.0
// The host model as a module; contract in host.hpp.  The machine (target/external.h) and the GPUs go from window to
// window together: what arrives in a window is sent to the GPU, with the promise that nothing else does; the GPU runs the
// window and promises so; what it has sent meanwhile is handed to the machine.
#include "tlm/host.hpp"

#include <algorithm>

#include "bridge/part/window.h"
#include "gantry_msg.h"
extern "C" {
#include "target/external.h"
#include "target/external_memory.h"
#include "tlm/command.h"
#include "tlm/source.h"
}

namespace gantry {

namespace {
constexpr int STACK = 32 << 20;         // of the command
constexpr unsigned INSTRUCTION_BITS = 40;  // bridge/verilated/rtl_part.h, RTL_ISSUED
}  // namespace

// What the machine calls; ctx is the module.
struct host::calls {
    static host &of(void *ctx) { return *static_cast<host *>(ctx); }
    static bool begin(void *ctx, sim *machine, const gantry_cfg *cfg, gantry_status *status)
    {
        if (tlm_source_fits(of(ctx).config_.source(), cfg))
            return of(ctx).begin(machine);
        if (status)
            *status = STATUS_CONFIG;
        return false;
    }
    static void end(void *ctx) { of(ctx).end(); }
    static void take(void *ctx, unsigned gpu, external_port port, unsigned lane, uint64_t cycle, const void *message)
    {
        of(ctx).take(gpu, port, lane, cycle, message);
    }
    static bool step(void *ctx, unsigned gpu, uint64_t from) { return of(ctx).step(gpu, from); }
    static void shown(void *ctx, unsigned gpu, uint64_t *instructions, uint64_t *groups)
    {
        const uint64_t word = of(ctx).links_[gpu]->module->shown();
        *instructions = word & ((UINT64_C(1) << INSTRUCTION_BITS) - 1);
        *groups = word >> INSTRUCTION_BITS;
    }
    static const model_api *model(void *ctx, unsigned gpu, void **instance) { return of(ctx).links_[gpu]->module->model(instance); }
    static void patch(void *ctx, unsigned, uint64_t at, const void *data, size_t bytes)
    {
        gpu &module = *static_cast<gpu *>(ctx);
        const uint64_t took = module.load(at, data, bytes);
        if (took < bytes)
            fail(module.name(), "its memory takes no transport_dbg of byte " + std::to_string(at + took));
    }
};

host::host(const sc_core::sc_module_name &name, const configuration &config, const std::vector<gpu *> &gpus, const std::vector<std::string> &words,
           links between)
    : sc_module(name), config_(config), words_(words), clock_(config.clock()), links_(config.gpus())
{
    for (const std::string &word : words_) {
        if (word == "--")
            break;
        if (word.compare(0, 2, "-c") == 0 || word.compare(0, 5, "--set") == 0)
            throw error("gantry: " + word + ": the configuration is that of the modules", 64);
    }
    if (!words_.empty() && words_[0] != "replay")  // which has its own
        words_.insert(words_.begin() + 1, config.words().begin(), config.words().end());
    for (gpu *module : gpus)
        bind(*module, between);
    for (unsigned i = 0; i < links_.size(); i++)
        if (!links_[i])
            throw error(std::string("gantry: ") + this->name() + ": gpu" + std::to_string(i) + " of the configuration is not there", 64);
    sc_core::sc_spawn_options options;
    options.set_stack_size(STACK);
    sc_core::sc_spawn([this] { run(); }, "command", &options);
}

host::~host() = default;

// ---- wiring
void host::to_gpu(link &l, const std::string &name, int port, unsigned lane, input_socket &socket, bool credit)
{
    std::unique_ptr<initiator> &mine = (credit ? l.credits : l.messages)[{port, lane}];
    mine.reset(new initiator((std::string(l.module->basename()) + "_" + name).c_str()));
    mine->bind(socket);
    l.module->set_latency(socket, 0);  // the machine's link has it
}

void host::from_gpu(link &l, const std::string &name, int port, unsigned lane, output_socket &socket)
{
    arrivals_.push_back({l.module->number(), port, lane, nullptr});
    arrivals_.back().socket.reset(new target((std::string(l.module->basename()) + "_" + name).c_str()));
    arrivals_.back().socket->register_b_transport(this, &host::transport, static_cast<int>(arrivals_.size() - 1));
    socket.bind(*arrivals_.back().socket);
}

void host::bind(gpu &gpu, links between)
{
    if (gpu.number() >= links_.size() || links_[gpu.number()])
        throw error(std::string("gantry: ") + name() + ": gpu" + std::to_string(gpu.number()) + " is there twice, or is none of the configuration", 64);
    links_[gpu.number()].reset(new link{&gpu, {}, {}, 0, true, nullptr});
    link &l = *links_[gpu.number()];
    to_gpu(l, "cp_cmd", EXTERNAL_CMD, 0, gpu.commands(), false);
    from_gpu(l, "cp_cmd_credit", EXTERNAL_CMD, 0, gpu.in_credit("cp_cmd"));
    from_gpu(l, "cp_evt", EXTERNAL_EVT, 0, gpu.events());
    gpu.promise_on(gpu.events());
    // those of GPUs that are not there send nothing, and each would be promised in every window
    const unsigned lanes = between == peers ? std::min(gpu.far_ports(), static_cast<unsigned>(links_.size()) + 1) : 1;
    for (const char *port : {"far_req", "far_rsp"}) {
        const int number = port == std::string("far_req") ? EXTERNAL_FAR_REQ : EXTERNAL_FAR_RSP;
        for (unsigned lane = 0; lane < lanes; lane++) {
            const std::string at = std::string(port) + "_" + std::to_string(lane);
            to_gpu(l, at + "_in", number, lane, gpu.in(port, lane), false);
            from_gpu(l, at + "_in_credit", number, lane, gpu.in_credit(port, lane));
            from_gpu(l, at + "_out", number, lane, gpu.out(port, lane));
            to_gpu(l, at + "_out_credit", number, lane, gpu.out_credit(port, lane), true);
        }
    }
    gpu.watch_dram([this, n = gpu.number()](unsigned slice, uint64_t cycle, const msg_dram_req &req) { dram(n, slice, cycle, req); });
}

// ---- what the GPU sends
void host::transport(int tag, tlm::tlm_generic_payload &payload, sc_core::sc_time &delay)
{
    const arrival &a = arrivals_[static_cast<size_t>(tag)];
    const uint64_t cycle = clock_.cycle(sc_core::sc_time_stamp() + delay);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) {
        links_[a.gpu]->reached = cycle;
        reached_.notify();
        return;
    }
    sent(a.gpu, a.port, a.lane, cycle, payload.get_data_length() > 1 ? payload.get_data_ptr() : nullptr);
}

void host::dram(unsigned gpu, unsigned slice, uint64_t cycle, const msg_dram_req &req)
{
    sent(gpu, EXTERNAL_DRAM_REQ, slice, cycle, &req);
}

void host::sent(unsigned gpu, int port, unsigned lane, uint64_t cycle, const void *message)
{
    if (sim_ && external_send(sim_, gpu, static_cast<external_port>(port), lane, cycle, message) != STATUS_OK)
        fail(name(), "the machine refuses what gpu" + std::to_string(gpu) + " sends in cycle " + std::to_string(cycle));
}

// ---- what the machine sends
void host::send(link &l, initiator &socket, uint64_t cycle, const void *message, uint32_t bytes)
{
    tlm::tlm_generic_payload &payload = payload_;
    if (bytes)
        payload_message(payload, message, bytes);
    else if (message)
        payload_promise(payload);
    else
        payload_credit(payload);
    sc_core::sc_time delay = clock_.time(cycle) - sc_core::sc_time_stamp();
    socket->b_transport(payload, delay);
    if (payload.get_response_status() != tlm::TLM_OK_RESPONSE)
        fail(name(), std::string(l.module->name()) + " answers with " + payload.get_response_string());
}

void host::take(unsigned gpu, int port, unsigned lane, uint64_t cycle, const void *message)
{
    link &l = *links_[gpu];
    if (port == EXTERNAL_DRAM_RSP)  // contents come from the memory behind the GPU's socket
        return;
    external_memory_changes(l.memory, calls::patch, l.module);
    const auto &sockets = message ? l.messages : l.credits;
    const auto found = sockets.find({port, lane});
    if (found == sockets.end())
        fail(name(), "something arrives at far port " + std::to_string(lane) + " of gpu" + std::to_string(gpu) + ", which others serve");
    send(l, *found->second, cycle, message, message ? external_bytes(static_cast<external_port>(port)) : 0);
}

bool host::step(unsigned gpu, uint64_t from)
{
    link &l = *links_[gpu];
    external_memory_changes(l.memory, calls::patch, l.module);
    for (const auto *sockets : {&l.messages, &l.credits})
        for (const auto &[at, socket] : *sockets)
            send(l, *socket, from + PART_WINDOW, &l, 0);
    while (l.reached < from + PART_WINDOW)
        wait(reached_);
    bool quiet = true;
    for (const auto &other : links_)
        quiet = quiet && other->module->quiet();
    for (const auto &other : links_)
        if (!quiet && other->idle && other.get() != &l) {  // something of this one may come to it that the machine does not see
            external_wake(sim_, other->module->number());
            other->idle = false;
        }
    return l.idle = quiet;
}

// ---- the command
bool host::begin(sim *machine)
{
    sim_ = machine;
    for (const auto &l : links_) {
        l->memory = external_memory_new(machine, l->module->number());
        if (!l->memory)
            return false;
    }
    return true;
}

void host::end()
{
    sim_ = nullptr;
    for (const auto &l : links_) {
        external_memory_free(l->memory);
        l->memory = nullptr;
    }
}

void host::run()
{
    external outside{};
    outside.ctx = this;
    outside.begin = calls::begin;
    outside.end = calls::end;
    outside.take = calls::take;
    outside.step = calls::step;
    outside.shown = calls::shown;
    outside.model = calls::model;
    outside.credits = true;
    for (unsigned i = 0; i < links_.size(); i++)
        outside.gpus |= UINT64_C(1) << i;
    std::vector<const char *> list;
    for (const std::string &word : words_)
        list.push_back(word.c_str());
    status_ = tlm_command(list.data(), static_cast<unsigned>(list.size()), &outside);
    sc_core::sc_stop();
}

}  // namespace gantry
