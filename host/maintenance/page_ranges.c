/* SPDX-License-Identifier: Apache-2.0
 * The pages that a command names: a range, or a list (view cp_pages of bridge/proto/messages.def).
 */
#include <string.h>

#include "base/check.h"
#include "base/xalloc.h"
#include "firmware/cp_private.h"

static_assert(CP_PAGES == CP_RANGE_PAGES && sizeof((struct msg_cp_pages){0}.page) == CP_PAGES * sizeof(uint64_t),
              "a list is what a command has room for");

void range_name(struct msg_cp_cmd *cmd, const struct cp_range *range)
{
    struct msg_cp_pages view;
    static_assert(sizeof view == sizeof *cmd, "a view has the size of its message");
    if (!range->list) {
        cmd->root = range->bytes ? range->va : 0;
        cmd->pc = range->bytes;
        return;
    }
    memcpy(&view, cmd, sizeof view);
    view.bytes = range->bytes;
    view.pages = (uint16_t)range->list->count;
    memcpy(view.page, range->list->page, sizeof view.page);
    memcpy(cmd, &view, sizeof view);
}

struct cp_range range_of_list(const uint64_t *page, size_t count, uint64_t bytes, bool more)
{
    struct cp_range range = {.va = page[0], .bytes = bytes, .more = more};
    CHECK(count && count <= CP_PAGES && bytes, "cp", "a list of %zu pages of %llu bytes", count,
          (unsigned long long)bytes);
    if (count == 1)
        return range;
    range.list = xzalloc(sizeof *range.list);
    range.list->count = (unsigned)count;
    memcpy(range.list->page, page, count * sizeof *page);
    return range;
}
