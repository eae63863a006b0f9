// SPDX-License-Identifier: Apache-2.0
// Messages that wait for their cycle, by windows.  Responsible for: their payloads' storage, the order in which a window
// shows them (cycle, input, arrival).  Not responsible for: when a window may run (windowed.hpp).
#ifndef GANTRY_TLM_CALENDAR_HPP
#define GANTRY_TLM_CALENDAR_HPP
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "bridge/part/window.h"

namespace gantry {

class calendar {
  public:
    // A message (bytes 0: a credit) that input `slot` takes at `cycle`.
    void put(uint64_t cycle, uint32_t slot, const void *data, uint32_t bytes);
    bool empty() const { return days_.empty(); }
    // First cycle at which something is taken; UINT64_MAX: never.
    uint64_t next() const;
    // What the window [from, from + PART_WINDOW) takes, as model_api.step wants it; valid until the next call.
    struct shown {
        part_in *due[PART_WINDOW];
        uint32_t count[PART_WINDOW];
    };
    const shown &take(uint64_t from);

  private:
    struct entry {
        uint64_t cycle;
        uint32_t slot, at;  // of its bytes; NOTHING: a credit
    };
    struct day {
        std::vector<entry> entries;
        std::vector<uint8_t> bytes;
        uint64_t first = UINT64_MAX;  // cycle
    };
    static constexpr uint32_t NOTHING = UINT32_MAX;
    std::map<uint64_t, std::unique_ptr<day>> days_;  // by the first cycle of their window
    std::vector<std::unique_ptr<day>> spare_;
    std::unique_ptr<day> today_;
    std::vector<part_in> list_;
    shown shown_;
};

}  // namespace gantry
#endif
