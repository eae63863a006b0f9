/* SPDX-License-Identifier: Apache-2.0
 * Control messages of a command processor; contract in control.h.
 */
#include "maintenance/control.h"

#include <string.h>

#include "base/check.h"
#include "base/log.h"
#include "base/xalloc.h"
#include "firmware/cp_private.h"

static const char *group_name(uint8_t groups)
{
    switch (groups) {
    case CTL_GROUP_SQC:
        return "instruction and scalar cache";
    case CTL_GROUP_UTCL2:
        return "the L2 TLB";
    case CTL_GROUP_RDMA:
        return "the RDMA engine";
    case CTL_GROUP_NOC:
        return "the crossbar";
    case CTL_GROUP_L2:
        return "L2 slice";
    case CTL_GROUP_CU:
        return "compute unit";
    case CTL_GROUP_DISPATCH:
        return "the dispatchers";
    default:
        return "components";
    }
}

void control_text(const struct control_result *r, char *text, size_t room)
{
    static const char *const causes[] = {[CTL_OK] = "done",
                                         [CTL_ERROR_OFF] = "the component is off",
                                         [CTL_ERROR_ON] = "enable of a component that is on",
                                         [CTL_ERROR_BUSY] = "a drain, flush or discard is under way",
                                         [CTL_ERROR_TOGETHER] = "signals that do not go together",
                                         [CTL_ERROR_STATE] = "not in this state",
                                         [CTL_ERROR_OUTSTANDING] = "disable with something unfinished",
                                         [CTL_ERROR_NONE] = "no such component",
                                         [CTL_ERROR_DISCARD] = "it has no discard"};
    static const char *const states[] = {"off", "running", "paused", "draining", "flushing", "discarding"};
    const uint8_t group = r->group == 0xff ? r->groups : r->group;
    const unsigned number = r->group == 0xff ? r->number : r->at;
    char place[8] = ""; /* of a group of which a GPU has several */
    if (group & (CTL_GROUP_SQC | CTL_GROUP_L2 | CTL_GROUP_CU) && number != CP_ALL)
        snprintf(place, sizeof place, " %u", number);
    snprintf(text, room, "gpu%u: control of %s%s: signals 0x%02x: %s (%s)", r->gpu, group_name(group), place,
             r->signals, r->status < sizeof causes / sizeof causes[0] ? causes[r->status] : "unknown status",
             r->state < sizeof states / sizeof states[0] ? states[r->state] : "unknown state");
}

static void control_send(struct cp *cp)
{
    struct controls *q = &cp->controls;
    while (q->sent < q->count && q->sent < CP_CONTROLS) {
        struct control *c = &q->list[q->sent];
        const struct msg_cp_cmd cmd = {.kind = CP_CONTROL,
                                       .id = c->id,
                                       .flags = c->result.signals | (uint32_t)c->result.groups << 8 |
                                                (uint32_t)c->result.number << 16};
        q->sent++;
        sim_cmd(cp->sim, cp->gpu, &cmd);
    }
}

void control_signals(struct cp *cp, uint8_t groups, uint16_t number, uint8_t signals, control_fn done, void *ctx)
{
    struct controls *q = &cp->controls;
    CHECK(q->count < CP_CONTROLS_OPEN, "cp", "gpu%u: %zu control operations without an answer", cp->gpu, q->count);
    q->list = xgrow(q->list, &q->room, q->count + 1, sizeof *q->list);
    q->list[q->count++] = (struct control){
        .id = q->next_id++,
        .done = done,
        .ctx = ctx,
        .result = {.gpu = cp->gpu, .groups = groups, .number = number, .signals = signals & 0x3f, .status = CTL_OK}};
    control_send(cp);
}

void control_answered(struct cp *cp, const struct msg_cp_evt *evt)
{
    struct controls *q = &cp->controls;
    size_t at = 0;
    while (at < q->sent && q->list[at].id != evt->id)
        at++;
    CHECK(at < q->sent, "cp", "gpu%u: answer to control message %u, which nobody sent", cp->gpu, evt->id);
    struct control c = q->list[at];
    memmove(q->list + at, q->list + at + 1, (--q->count - at) * sizeof *q->list);
    q->sent--;
    c.result.status = evt->status;
    c.result.group = (uint8_t)(evt->cu >> 8);
    c.result.at = (uint8_t)evt->cu;
    c.result.state = evt->wave;
    if (evt->status != CTL_OK) {
        char text[200];
        control_text(&c.result, text, sizeof text);
        log_error("cp", "%s", text);
    } else if (c.result.signals & CTL_ENABLE) {
        spaces_again(cp);
        shootdowns_again(cp);
        fences_again(cp);
        withheld_again(cp);
    }
    control_send(cp);
    if (c.done)
        c.done(c.ctx, &c.result);
}

unsigned control_open(const struct cp *cp)
{
    return (unsigned)cp->controls.count;
}

void control_enable(struct cp *cp, uint8_t groups, uint16_t number, control_fn done, void *ctx)
{
    control_signals(cp, groups, number, CTL_ENABLE, done, ctx);
}
void control_disable(struct cp *cp, uint8_t groups, uint16_t number, control_fn done, void *ctx)
{
    control_signals(cp, groups, number, 0, done, ctx);
}
void control_pause(struct cp *cp, uint8_t groups, uint16_t number, control_fn done, void *ctx)
{
    control_signals(cp, groups, number, CTL_PAUSE, done, ctx);
}
void control_continue(struct cp *cp, uint8_t groups, uint16_t number, control_fn done, void *ctx)
{
    control_signals(cp, groups, number, CTL_CONTINUE, done, ctx);
}
void control_drain(struct cp *cp, uint8_t groups, uint16_t number, control_fn done, void *ctx)
{
    control_signals(cp, groups, number, CTL_DRAIN, done, ctx);
}
void control_flush(struct cp *cp, uint8_t groups, uint16_t number, control_fn done, void *ctx)
{
    control_signals(cp, groups, number, CTL_FLUSH, done, ctx);
}
void control_discard(struct cp *cp, uint8_t groups, uint16_t number, control_fn done, void *ctx)
{
    control_signals(cp, groups, number, CTL_DISCARD, done, ctx);
}
