// SPDX-License-Identifier: Apache-2.0
// The rule of windows; contract in windowed.hpp.
#include "bridge/tlm/windowed.hpp"

#include <algorithm>

#include "bridge/tlm/calendar.hpp"

namespace gantry {

using sc_core::sc_time;
using sc_core::sc_time_stamp;

namespace {
constexpr int STACK = 8 << 20;  // bytes, of the process: verilated models and partners run on it
constexpr uint64_t NEVER = UINT64_MAX;
std::string number(uint64_t value)
{
    return std::to_string(value);
}
}  // namespace

windowed::windowed(const sc_core::sc_module_name &name, const target_clock &clock) : sc_module(name), clock_(clock), calendar_(new calendar)
{
    sc_core::sc_spawn_options options;
    options.set_stack_size(STACK);
    sc_core::sc_spawn([this] { run(); }, "windows", &options);
}

windowed::~windowed() = default;

input_socket &windowed::add_input(const std::string &name, uint32_t bytes, uint32_t latency)
{
    input in;
    in.name = name;
    in.socket.reset(new input_socket(name.c_str()));
    in.bytes = bytes;
    in.latency = latency;
    in.socket->register_b_transport(this, &windowed::transport, static_cast<int>(inputs_.size()));
    inputs_.push_back(std::move(in));
    return *inputs_.back().socket;
}

output_socket &windowed::add_output(const std::string &name, uint32_t bytes)
{
    output out;
    out.name = name;
    out.socket.reset(new output_socket(name.c_str()));
    out.bytes = bytes;
    outputs_.push_back(std::move(out));
    return *outputs_.back().socket;
}

void windowed::set_latency(const input_socket &socket, uint32_t cycles)
{
    for (input &in : inputs_)
        if (in.socket.get() == &socket)
            in.latency = cycles;
}

void windowed::promise_on(const output_socket &socket)
{
    for (output &out : outputs_)
        if (out.socket.get() == &socket && std::find(promising_.begin(), promising_.end(), &out) == promising_.end())
            promising_.push_back(&out);
}

void windowed::end_of_elaboration()
{
    for (const input &in : inputs_)
        if (in.socket->size() > 0)
            bound_.push_back(&in);
}

bool windowed::pending() const
{
    return !calendar_->empty();
}

// ---- what comes
void windowed::transport(int slot, tlm::tlm_generic_payload &payload, sc_time &delay)
{
    input &in = inputs_[static_cast<size_t>(slot)];
    const uint64_t sent = clock_.cycle(sc_time_stamp() + delay);
    if (sent < std::max(in.promised, in.last))
        fail(place_of(in.name), "local time of cycle " + number(sent) + " lies behind " +
                                    (in.promised > in.last ? "the promise of cycle " + number(in.promised) : "the message of cycle " + number(in.last)));
    if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) {
        in.promises = true;
        in.promised = sent;
    } else {
        receive(in, static_cast<uint32_t>(slot), sent, payload);
    }
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    changes_++;
    work_.notify();
}

void windowed::receive(input &in, uint32_t slot, uint64_t sent, const tlm::tlm_generic_payload &payload)
{
    const uint32_t bytes = in.bytes ? in.bytes : 1;
    if (payload.get_command() != tlm::TLM_WRITE_COMMAND || payload.get_data_length() != bytes || payload.get_byte_enable_ptr() || payload.get_address() != 0)
        fail(place_of(in.name), "takes writes of " + number(bytes) + " bytes at address 0, all enabled: this was a " +
                                    (payload.get_command() == tlm::TLM_WRITE_COMMAND ? "write" : "read") + " of " + number(payload.get_data_length()) +
                                    " at " + number(payload.get_address()));
    const uint64_t cycle = std::max(sent + in.latency, in.free);
    if (cycle < ran_)  // the rule was broken
        fail(place_of(in.name), "a message of cycle " + number(sent) + " lies behind the window that has run, up to cycle " + number(ran_));
    in.last = sent;
    in.free = cycle + 1;
    calendar_->put(cycle, slot, payload.get_data_ptr(), in.bytes);
}

void windowed::arrive(uint32_t slot, uint64_t cycle, const void *message)
{
    if (cycle < ran_)
        fail(place_of(inputs_[slot].name), "an answer for cycle " + number(cycle) + " lies behind the window that has run, up to cycle " + number(ran_));
    calendar_->put(cycle, slot, message, message ? inputs_[slot].bytes : 0);
}

// ---- time
// First cycle of which not everything that may be taken has come.
uint64_t windowed::horizon(uint64_t now) const
{
    uint64_t first = NEVER;
    for (const input *in : bound_)
        first = std::min(first, std::max(in->promised, now) + in->latency);
    return first;
}

// As far as all partners that promise have promised; NEVER: none does.
uint64_t windowed::promised() const
{
    uint64_t goal = NEVER;
    for (const input *in : bound_)
        if (in->promises)
            goal = std::min(goal, in->promised + in->latency);
    return goal;
}

// Which input has not reached `end`, for messages.
std::string windowed::behind(uint64_t end, uint64_t now) const
{
    for (const input *in : bound_)
        if (std::max(in->promised, now) + in->latency < end)
            return in->name + " has a latency of " + number(in->latency) + " and is promised nothing from cycle " + number(in->promised) + " on";
    return "a window from before the kernel's time";
}

// End of the window that is to be reached next; NEVER: none, until something comes.  An idle module has nothing to run,
// but who has promised wants to know how far it has come.
uint64_t windowed::wanted() const
{
    const uint64_t next = idle_ ? calendar_->next() : at_;
    if (next != NEVER)
        return next - next % PART_WINDOW + PART_WINDOW;
    return promised();
}

void windowed::run()
{
    keeper_.reset();
    for (;;) {
        const uint64_t now = clock_.cycle(sc_time_stamp()), limit = horizon(now), end = wanted(), seen = changes_;
        const uint64_t first = idle_ ? calendar_->next() : at_;  // cycle to be evaluated
        if (first < now)
            fail(name(), "the kernel's time has passed cycle " + number(first) + ", which cannot run: " + behind(end, now));
        if (idle_ && limit != NEVER)
            at_ = std::max(at_, std::min(limit, first) / PART_WINDOW * PART_WINDOW);
        reach(first == NEVER && limit != NEVER ? std::max(at_, limit) : at_);
        if (changes_ != seen)
            continue;
        if (first == NEVER || end > limit) {
            wait_for(end, now, limit);
            continue;
        }
        const uint64_t from = end - PART_WINDOW;
        keeper_.set(clock_.time(std::max(from, now)) - sc_time_stamp());
        if (keeper_.get_local_time() > sc_core::SC_ZERO_TIME && keeper_.need_sync()) {
            keeper_.sync();
            continue;
        }
        window(from);
    }
}

// Until something comes, or until the kernel's time lets this module reach `end`, or as much of it as partners have
// promised: they wait for that, and promise more only then.
void windowed::wait_for(uint64_t end, uint64_t now, uint64_t limit)
{
    const uint64_t first = idle_ ? calendar_->next() : at_, known = promised(), goal = known > limit ? std::min(end, known) : end;
    uint64_t until = first == NEVER ? NEVER : first + 1;  // behind that somebody has failed
    if (goal != NEVER && goal > limit) {
        uint64_t sure = now + 1;
        bool told = true;  // time alone helps nothing: partners that have to promise do so, and each promise ends the wait
        for (const input *in : bound_) {
            if (std::max(in->promised, now) + in->latency >= goal)
                continue;
            told = told && in->promises && in->latency < PART_WINDOW;
            sure = std::max(sure, goal - std::min<uint64_t>(goal, in->latency));
        }
        if (!told)
            until = std::min(until, sure);
    }
    if (until == NEVER)
        wait(work_);
    else
        wait(clock_.time(until) - sc_time_stamp(), work_);
    keeper_.reset();
}

void windowed::window(uint64_t from)
{
    const calendar::shown &shown = calendar_->take(from);
    ran_ = from + PART_WINDOW;  // what is sent from here on is for later windows
    idle_ = step(from, shown.due, shown.count);
    at_ = ran_;
    windows_++;
    leave();
}

// ---- what leaves
void windowed::send(uint32_t slot, uint64_t cycle, const void *message)
{
    const output &out = outputs_[slot];
    leaving_.push_back({slot, static_cast<uint32_t>(leaving_bytes_.size()), cycle, out.bytes == 0});
    if (out.bytes) {
        const auto *bytes = static_cast<const uint8_t *>(message);
        leaving_bytes_.insert(leaving_bytes_.end(), bytes, bytes + out.bytes);
    }
}

bool windowed::divert(uint32_t, uint64_t, const void *)
{
    return false;
}

void windowed::call(output_socket &socket, tlm::tlm_generic_payload &payload, sc_time &delay, const std::string &name)
{
    const sc_time before = sc_time_stamp();
    socket->b_transport(payload, delay);
    if (sc_time_stamp() != before)
        fail(place_of(name), "who is bound there waits in b_transport: it must add to the delay and return");
    if (payload.get_response_status() != tlm::TLM_OK_RESPONSE)
        fail(place_of(name), "answered with " + payload.get_response_string() + " for address " + number(payload.get_address()));
}

void windowed::leave()
{
    tlm::tlm_generic_payload &payload = payload_;
    for (const leaving &l : leaving_) {
        output &out = outputs_[l.slot];
        const void *message = l.credit ? nullptr : leaving_bytes_.data() + l.at;
        if (divert(l.slot, l.cycle, message))
            continue;
        if (!bound(*out.socket))
            fail(place_of(out.name), "a message leaves in cycle " + number(l.cycle) + " and nobody is bound");
        if (l.credit)
            payload_credit(payload);
        else
            payload_message(payload, message, out.bytes);
        sc_time delay = delay_of(l.cycle);
        call(*out.socket, payload, delay, out.name);
    }
    leaving_.clear();
    leaving_bytes_.clear();
}

void windowed::reach(uint64_t cycle)
{
    if (cycle <= reached_)
        return;
    reached_ = cycle;
    for (output *out : promising_) {
        if (clock_.time(cycle) < sc_time_stamp())
            continue;
        payload_promise(payload_);
        sc_time delay = delay_of(cycle);
        call(*out->socket, payload_, delay, out->name);
    }
}

}  // namespace gantry
