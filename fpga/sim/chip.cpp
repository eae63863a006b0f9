// SPDX-License-Identifier: Apache-2.0
// The FT2232H of a simulated board; contract in chip.hpp.
#include "fpga/sim/chip.hpp"

#include <algorithm>

Chip::Chip(const Faults &f) : faults(f), rng(f.seed), out_faults(f, 0), in_faults(f, 1), stale(f.stale)
{
    if (faults.latency)
        latency = faults.latency * Ms;
}

bool Chip::edge(bool oe_n, bool rd_n, bool wr_n, bool siwu_n, bool drives, uint8_t d)
{
    if (!oe_n && drives)
        return false;
    if (!rd_n && !oe_n && !rxf_n())
        to_board.pop_front();
    if (!wr_n && !txe_n())
        in_faults.pass(d, [this](uint8_t b) { to_host.push_back(b); });
    if (!siwu_n)
        pushed = to_host.size(); // an empty buffer has nothing to send off
    if (faults.pause) {
        paused_rx = rng() % 100 < faults.pause;
        paused_tx = rng() % 100 < faults.pause;
    }
    return true;
}

bool Chip::pass()
{
    now++;
    if (now < bus_free || silent())
        return false;
    const bool moved = in_turn ? in_packet() || out_packet() : out_packet() || in_packet();
    if (moved)
        in_turn = !in_turn;
    return moved;
}

void Chip::end(std::deque<Urb> &queue, int32_t status)
{
    queue.front().status = status;
    over.push_back(std::move(queue.front()));
    queue.pop_front();
}

bool Chip::out_packet()
{
    if (outs.empty() || outs.front().ready > now)
        return false;
    Urb &u = outs.front();
    const size_t n = std::min<size_t>(u.data.size() - u.at, Packet);
    if (to_board.size() + n > Buffer)
        return false; // NAK
    for (size_t i = 0; i < n; i++)
        out_faults.pass(u.data[u.at + i], [this](uint8_t b) { to_board.push_back(b); });
    bytes_out += n;
    u.at += static_cast<uint32_t>(n);
    bus_free = now + n * PacketCycles / Packet + Between;
    if (u.at == u.data.size())
        end(outs, WIRE_OK);
    return true;
}

bool Chip::in_packet()
{
    if (ins.empty() || ins.front().ready > now)
        return false;
    if (to_host.size() < Payload && pushed == 0 && now - last_in < latency)
        return false; // NAK
    Urb &u = ins.front();
    const size_t n = std::min(to_host.size(), Payload);
    if (u.data.size() + n + 2 > u.room) {
        end(ins, WIRE_OVERFLOW);
        return true;
    }
    u.data.push_back(0x31); // modem status, line status: what the chip says when nothing is connected
    u.data.push_back(0x60);
    u.data.insert(u.data.end(), to_host.begin(), to_host.begin() + static_cast<std::ptrdiff_t>(n));
    to_host.erase(to_host.begin(), to_host.begin() + static_cast<std::ptrdiff_t>(n));
    pushed -= std::min(pushed, n);
    bytes_in += n;
    last_in = now;
    bus_free = now + (n + 2) * PacketCycles / Packet + Between;
    if (n < Payload || u.data.size() + Packet > u.room)
        end(ins, WIRE_OK);
    return true;
}

uint64_t Chip::next(uint64_t until) const
{
    uint64_t at = std::min(until, faults.gone);
    if (silent())
        return at;
    if (!outs.empty())
        at = std::min(at, std::max(outs.front().ready, bus_free));
    if (!ins.empty()) {
        const uint64_t due = to_host.size() >= Payload || pushed ? now : last_in + latency;
        at = std::min(at, std::max(std::max(ins.front().ready, bus_free), due));
    }
    return std::max(at, now);
}

// Vendor requests of the chip (names: SIO_... of ftdi.h); of others, that a host may send to any chip of the family, nothing follows here.
int32_t Chip::control(const uint8_t *setup, std::vector<uint8_t> &answer)
{
    const uint8_t type = setup[0], request = setup[1];
    const unsigned value = setup[2] | setup[3] << 8, index = setup[4] | setup[5] << 8, length = setup[6] | setup[7] << 8;
    if ((type & 0x60) != 0x40)
        return WIRE_STALLED;
    if (type & 0x80) {
        switch (request) {
        case 0x05: answer = {0x31, 0x60}; break; // modem status
        case 0x0a: answer = {static_cast<uint8_t>(latency / Ms)}; break;
        case 0x0c: answer = {0}; break;          // pins
        case 0x90: // a word of the EEPROM; of word 0 the host reads that channel A is a 245 FIFO
            if ((index & 0xff) == 0)
                answer = {0x01, 0x08};
            else
                answer = {0xff, 0xff};
            break;
        default: return WIRE_STALLED;
        }
        answer.resize(std::min<size_t>(answer.size(), length));
        return WIRE_OK;
    }
    switch (request) {
    case 0x00: // reset; 1: drop what the board has not read; 2: what the host has not read
        if (value != 2)
            to_board.clear();
        if (value != 1) {
            to_host.clear();
            pushed = 0;
        }
        return WIRE_OK;
    case 0x09:
        if (!faults.latency)
            latency = std::max(value & 0xff, 1u) * Ms;
        return WIRE_OK;
    case 0x0b:
        mode = static_cast<uint8_t>(value >> 8);
        return WIRE_OK;
    case 0x01: case 0x02: case 0x03: case 0x04: case 0x06: case 0x07: // modem control, flow control, rate, format, characters
        return WIRE_OK;
    default:
        return WIRE_STALLED;
    }
}

void Chip::submit(Urb urb)
{
    urb.at = 0;
    urb.ready = now + Turn;
    if (urb.endpoint & 0x80) {
        for (; stale; stale--) // no purge has taken them
            to_host.push_front(static_cast<uint8_t>(rng()));
        ins.push_back(std::move(urb));
    } else
        outs.push_back(std::move(urb));
}

void Chip::cancel(uint32_t id)
{
    for (std::deque<Urb> *queue : {&ins, &outs})
        for (auto at = queue->begin(); at != queue->end(); ++at)
            if (at->id == id) {
                at->status = WIRE_CANCELLED;
                over.push_back(std::move(*at));
                queue->erase(at);
                return;
            }
}
