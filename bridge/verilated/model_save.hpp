// SPDX-License-Identifier: Apache-2.0
// The state of one Verilator class as bytes in memory: what Verilator's --savable writes of it, without a file.  The
// number of bytes of a class is always the same.  Not responsible for: what the wrapper holds beside it (model.hpp),
// whose state it is (rtl_part.c).
#ifndef GANTRY_MODEL_SAVE_HPP
#define GANTRY_MODEL_SAVE_HPP
#include <vector>

#include "verilated.h"
#include "verilated_save.h"

namespace gantry {

class StateOut final : public VerilatedSerialize {
  public:
    std::vector<uint8_t> bytes;
    StateOut() { m_isOpen = true; }
    void flush() override
    {
        bytes.insert(bytes.end(), m_bufp, m_cp);
        m_cp = m_bufp;
    }
};

// Verilator reads on behind its buffer's end before it looks: the buffer has so much slack.
class StateIn final : public VerilatedDeserialize {
  public:
    explicit StateIn(size_t count)
    {
        delete[] m_bufp;
        m_bufp = new uint8_t[count + bufferInsertSize()]();
        m_cp = m_bufp;
        m_endp = m_bufp + count + bufferInsertSize();
        m_isOpen = true;
    }
    uint8_t *room() { return m_bufp; }
    size_t taken() const { return static_cast<size_t>(m_cp - m_bufp); }
    void fill() override {}
};

template <class Top> std::vector<uint8_t> state_of(Top &top)
{
    StateOut out;
    out << top;
    out.flush();
    return std::move(out.bytes);
}

}  // namespace gantry
#endif
