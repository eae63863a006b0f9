// SPDX-License-Identifier: Apache-2.0
// Messages that wait for their cycle; contract in calendar.hpp.
#include "bridge/tlm/calendar.hpp"

#include <algorithm>
#include <cstring>

namespace gantry {

void calendar::put(uint64_t cycle, uint32_t slot, const void *data, uint32_t bytes)
{
    std::unique_ptr<day> &place = days_[cycle - cycle % PART_WINDOW];
    if (!place && !spare_.empty()) {
        place = std::move(spare_.back());
        spare_.pop_back();
    }
    if (!place)
        place.reset(new day);
    const size_t at = place->bytes.size();
    place->entries.push_back({cycle, slot, bytes ? static_cast<uint32_t>(at) : NOTHING});
    place->first = std::min(place->first, cycle);
    if (bytes) {
        place->bytes.resize(at + bytes);
        memcpy(place->bytes.data() + at, data, bytes);
    }
}

uint64_t calendar::next() const
{
    return days_.empty() ? UINT64_MAX : days_.begin()->second->first;
}

const calendar::shown &calendar::take(uint64_t from)
{
    if (today_) {
        today_->entries.clear();
        today_->bytes.clear();
        today_->first = UINT64_MAX;
        spare_.push_back(std::move(today_));
    }
    std::fill(shown_.count, shown_.count + PART_WINDOW, 0u);
    std::fill(shown_.due, shown_.due + PART_WINDOW, nullptr);
    const auto found = days_.find(from);
    if (found == days_.end())
        return shown_;
    today_ = std::move(found->second);
    days_.erase(found);
    std::stable_sort(today_->entries.begin(), today_->entries.end(),
                     [](const entry &a, const entry &b) { return a.cycle != b.cycle ? a.cycle < b.cycle : a.slot < b.slot; });
    list_.clear();
    list_.reserve(today_->entries.size());
    for (const entry &e : today_->entries) {
        list_.push_back({e.slot, e.at == NOTHING ? nullptr : today_->bytes.data() + e.at});
        const uint64_t c = e.cycle - from;
        if (shown_.count[c]++ == 0)
            shown_.due[c] = &list_.back();
    }
    return shown_;
}

}  // namespace gantry
