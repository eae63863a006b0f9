// SPDX-License-Identifier: Apache-2.0
// Wavefronts of toy models (toy_parts.h, which includes this): what a dispatcher does with commands and a compute unit
// with wavefronts.  A dispatcher places one wavefront a cycle, on the next unit of the launch's mask.
#ifndef TOY_WAVES_H
#define TOY_WAVES_H

enum toy_stage {
    TOY_NONE,
    TOY_FETCH,
    TOY_FETCHING,
    TOY_RUN,
    TOY_ASKED_LINE,
    TOY_PUT,
    TOY_ASKED_PUT,
    TOY_LAST,
    TOY_STAYS
};
#define TOY_SIMDS 4u
#define TOY_PLACES 40u // wavefronts of a CU

// ---- compute unit
static struct toy_work toy_work_of(const struct msg_cu_cmd *cmd)
{
    struct toy_work work;
    memcpy(&work, cmd->sgpr, sizeof work);
    return work;
}

static unsigned toy_group_of(const struct msg_cu_cmd *cmd)
{
    return cmd->init_sgprs > sizeof(struct toy_work) / 4 ? cmd->sgpr[sizeof(struct toy_work) / 4] : 0;
}

static bool toy_event(struct toy *t, unsigned number, enum cu_evt_kind kind, const struct toy_work *work)
{
    const struct msg_cu_cmd *cmd = &t->s.waves[number].cmd;
    const struct msg_cu_evt evt = {.kind = (uint8_t)kind,
                                   .wave = cmd->wave,
                                   .launch = cmd->launch,
                                   .status = kind == CU_EVT_FAULT ? (uint8_t)work->value : 0,
                                   .vmid = cmd->vmid,
                                   .group = cmd->group,
                                   .instructions = kind == CU_EVT_WAVE_DONE ? 2 + t->s.waves[number].done : 0,
                                   .data = kind == CU_EVT_INTERRUPT ? work->value : 0,
                                   .va = kind == CU_EVT_FAULT ? work->to : 0,
                                   .pc = kind == CU_EVT_WAVE_DONE ? 0 : cmd->pc};
    return toy_send(t, "cu_evt", 0, &evt);
}

static bool toy_request(struct toy *t, unsigned number, const struct toy_work *work, bool put)
{
    const struct toy_wave *w = &t->s.waves[number];
    const uint64_t line = 64 * ((uint64_t)toy_group_of(&w->cmd) * work->count + w->done);
    const bool atomic = work->op == TOY_ATOMIC;
    struct msg_mem_req req = {.op = atomic ? MEM_ATOMIC
                                    : put  ? MEM_WRITE
                                           : MEM_READ,
                              .vmid = w->cmd.vmid,
                              .atomic = atomic ? ATOMIC_ADD : 0,
                              .size = atomic ? 4 : 0,
                              .tag = number,
                              .addr = atomic ? work->to : (put ? work->to : work->from) + line,
                              .mask = put && !atomic ? UINT64_MAX : 0};
    req.target = (uint8_t)toy_target(t, req.addr);
    if (atomic)
        req.data[0] = work->value;
    for (unsigned i = 0; put && !atomic && i < 8; i++)
        req.data[i] = work->op == TOY_COPY ? w->line[i] : work->value;
    return toy_send(t, "mem_req", 0, &req);
}

static void toy_begin(struct toy *t, unsigned number, const struct toy_work *work)
{
    struct toy_wave *w = &t->s.waves[number];
    const bool lines = work->op == TOY_WRITE || work->op == TOY_COPY || work->op == TOY_ATOMIC;
    if (work->op == TOY_BUG)
        toy_bug(t->name, t->now, "toy.sv:1: assertion failed");
    if (work->op == TOY_FAULT || work->op == TOY_HALT || work->op == TOY_INTERRUPT) {
        const enum cu_evt_kind kind = work->op == TOY_FAULT  ? CU_EVT_FAULT
                                      : work->op == TOY_HALT ? CU_EVT_HALT
                                                             : CU_EVT_INTERRUPT;
        if (toy_event(t, number, kind, work))
            w->stage = work->op == TOY_INTERRUPT ? TOY_LAST : TOY_STAYS;
    } else if (work->op == TOY_HANG) {
        w->stage = TOY_STAYS;
    } else if (!lines || w->done == work->count) {
        w->stage = TOY_LAST;
    } else if (toy_request(t, number, work, work->op != TOY_COPY)) {
        w->stage = work->op == TOY_COPY ? TOY_ASKED_LINE : TOY_ASKED_PUT;
    }
}

static void toy_wave(struct toy *t, unsigned number)
{
    struct toy_wave *w = &t->s.waves[number];
    const struct toy_work work = toy_work_of(&w->cmd);
    if (w->stage == TOY_FETCH) {
        const struct msg_ifetch_req req = {.wave = (uint8_t)number, .vmid = w->cmd.vmid, .va = w->cmd.pc};
        if (toy_send(t, "ifetch_req", 0, &req))
            w->stage = TOY_FETCHING;
    } else if (w->stage == TOY_RUN) {
        toy_begin(t, number, &work);
    } else if (w->stage == TOY_PUT) {
        if (toy_request(t, number, &work, true))
            w->stage = TOY_ASKED_PUT;
    } else if (w->stage == TOY_LAST && toy_event(t, number, CU_EVT_WAVE_DONE, &work)) {
        t->s.issued++;
        memset(w, 0, sizeof *w);
    }
}

static bool toy_cu_command(struct toy *t, const struct msg_cu_cmd *cmd)
{
    if (cmd->kind == CU_WAVE) {
        t->s.waves[cmd->wave % TOY_WAVES] = (struct toy_wave){.stage = TOY_FETCH, .cmd = *cmd};
        return true;
    }
    if (!toy_send(t, "cu_evt", 0, &(struct msg_cu_evt){.kind = CU_EVT_ACK, .vmid = cmd->vmid}))
        return false;
    for (unsigned n = 0; cmd->kind == CU_KILL && n < TOY_WAVES; n++)
        if (t->s.waves[n].cmd.vmid == cmd->vmid)
            memset(&t->s.waves[n], 0, sizeof t->s.waves[n]);
    return true;
}

static bool toy_cu(struct toy *t, const char *port, void *data)
{
    if (strcmp(port, "cu_cmd") == 0)
        return toy_cu_command(t, data);
    const struct msg_mem_rsp *rsp = data;
    const bool fetched = strcmp(port, "ifetch_rsp") == 0;
    struct toy_wave *w = &t->s.waves[fetched ? ((struct msg_ifetch_rsp *)data)->wave : rsp->tag % TOY_WAVES];
    if (fetched && w->stage == TOY_FETCHING) {
        w->stage = TOY_RUN;
        t->s.issued++;
    } else if (w->stage == TOY_ASKED_LINE) {
        memcpy(w->line, rsp->data, sizeof w->line);
        w->stage = TOY_PUT;
    } else if (w->stage == TOY_ASKED_PUT) {
        w->stage = TOY_RUN;
        w->done++;
        t->s.issued++;
    }
    return true;
}

static bool toy_moves(const struct toy_wave *w)
{
    return w->stage == TOY_FETCH || w->stage == TOY_RUN || w->stage == TOY_PUT || w->stage == TOY_LAST;
}

// Where wavefront `what` is: docs/contracts.md; of one that hangs what its work says, at first with no turn.
static uint64_t toy_look(void *model, uint32_t what)
{
    struct toy *t = model;
    struct toy_wave *w = &t->s.waves[what % TOY_WAVES];
    const struct toy_work work = toy_work_of(&w->cmd);
    if (strcmp(t->kind->api.kind, "gpu") == 0)
        return 1000 + what;
    if (w->stage == TOY_NONE)
        return 0;
    uint64_t state = 0xe1; // used, live, decoded, its turn
    if (work.op == TOY_HANG)
        state = w->looked++ < work.count ? work.value & ~1u : work.value;
    return state << 56 | (uint64_t)w->cmd.vmid << 48 | (w->cmd.pc + 4 * w->done);
}

// ---- dispatcher
static bool toy_all_free(const struct toy *t, const char *name)
{
    const struct model_port *port = toy_port(t, name, true);
    bool all = true;
    for (uint32_t i = 0; i < port->count; i++)
        all = all && toy_free(t, port, i);
    return all;
}

static void toy_tell_units(struct toy *t, const struct msg_cp_cmd *cmd, enum cu_cmd_kind kind)
{
    struct msg_cu_cmd tell = {.kind = (uint8_t)kind, .vmid = cmd->vmid};
    tell.pc = kind == CU_TRAP ? cmd->root : 0;
    tell.exec = kind == CU_TRAP ? cmd->pc : 0;
    for (unsigned i = 0; i < t->kind->cus; i++)
        t->s.acks += toy_send(t, "cu_cmd", i, &tell);
}

static bool toy_launch_begin(struct toy *t, const struct msg_cp_cmd *cmd)
{
    for (unsigned i = 0; i < TOY_LAUNCHES; i++) {
        struct toy_launch *l = &t->s.launches[i];
        if (l->used)
            continue;
        *l = (struct toy_launch){.used = 1, .cmd = *cmd};
        l->total = cmd->groups[0] * cmd->groups[1] * cmd->groups[2] * cmd->waves;
        return true;
    }
    return false;
}

static void toy_launches_drop(struct toy *t, uint8_t vmid)
{
    for (unsigned i = 0; i < TOY_LAUNCHES; i++) {
        struct toy_launch *l = &t->s.launches[i];
        if (!l->used || l->cmd.vmid != vmid)
            continue;
        t->s.ended += l->cmd.groups[0] * l->cmd.groups[1] * l->cmd.groups[2] - l->done / l->cmd.waves;
        memset(l, 0, sizeof *l);
        for (unsigned c = 0; c < TOY_CUS; c++)
            for (unsigned n = 0; n < TOY_WAVES; n++)
                if (t->s.placed[c][n] == i + 1)
                    t->s.placed[c][n] = 0;
    }
}

static bool toy_command(struct toy *t, const struct msg_cp_cmd *cmd)
{
    if (cmd->kind == CP_LAUNCH)
        return toy_launch_begin(t, cmd);
    if (t->s.acks || !toy_all_free(t, "cu_cmd") || !toy_all_free(t, "ctl_cmd"))
        return false;
    const struct msg_ctl_cmd tell = {.op = cmd->kind == CP_VMID ? CTL_ROOT : CTL_INV,
                                     .vmid = cmd->vmid,
                                     .flags = cmd->flags,
                                     .root = cmd->kind == CP_VMID ? cmd->root : 0};
    t->s.asked = *cmd;
    if (cmd->kind == CP_VMID || cmd->kind == CP_CACHE)
        t->s.acks += toy_send(t, "ctl_cmd", 0, &tell); /* the L2 TLB's */
    for (unsigned i = 3; cmd->kind == CP_CACHE && i < t->kind->agents; i++)
        t->s.acks += toy_send(t, "ctl_cmd", i, &tell);
    if (cmd->kind == CP_KILL)
        toy_launches_drop(t, cmd->vmid);
    if (cmd->kind == CP_KILL || cmd->kind == CP_TRAP)
        toy_tell_units(t, cmd, cmd->kind == CP_KILL ? CU_KILL : CU_TRAP);
    return true;
}

static bool toy_acknowledged(struct toy *t)
{
    static const uint8_t done[] = {
        [CP_CACHE] = CP_EVT_CACHE_DONE, [CP_KILL] = CP_EVT_KILL_DONE, [CP_TRAP] = CP_EVT_TRAP_DONE};
    const struct msg_cp_cmd *cmd = &t->s.asked;
    if (t->s.acks == 1 && cmd->kind != CP_VMID &&
        !toy_send(t, "cp_evt", 0, &(struct msg_cp_evt){.kind = done[cmd->kind], .id = cmd->id, .vmid = cmd->vmid}))
        return false;
    if (--t->s.acks == 0)
        memset(&t->s.asked, 0, sizeof t->s.asked);
    return true;
}

static bool toy_wave_done(struct toy *t, struct toy_launch *l, uint32_t cu, const struct msg_cu_evt *evt)
{
    const struct msg_cp_evt end = {.kind = CP_EVT_LAUNCH_DONE,
                                   .id = l->cmd.id,
                                   .vmid = l->cmd.vmid,
                                   .data = l->total,
                                   .start = l->start,
                                   .end = t->now,
                                   .instructions = l->instructions + evt->instructions};
    if (l->done + 1 == l->total && !toy_send(t, "cp_evt", 0, &end))
        return false;
    l->instructions += evt->instructions;
    t->s.placed[cu][evt->wave] = 0;
    t->s.ended += ++l->done % l->cmd.waves == 0;
    if (l->done == l->total)
        memset(l, 0, sizeof *l);
    return true;
}

static bool toy_dispatch(struct toy *t, const char *port, uint32_t lane, void *data)
{
    static const uint8_t kinds[] = {
        [CU_EVT_FAULT] = CP_EVT_FAULT, [CU_EVT_INTERRUPT] = CP_EVT_INTERRUPT, [CU_EVT_HALT] = CP_EVT_HALT};
    if (strcmp(port, "cp_cmd") == 0)
        return toy_command(t, data);
    const struct msg_cu_evt *evt = data;
    if (strcmp(port, "ctl_evt") == 0 || evt->kind == CU_EVT_ACK)
        return toy_acknowledged(t);
    const unsigned launch = t->s.placed[lane][evt->wave % TOY_WAVES];
    if (launch == 0) // it was killed meanwhile
        return true;
    struct toy_launch *l = &t->s.launches[launch - 1];
    if (evt->kind == CU_EVT_WAVE_DONE)
        return toy_wave_done(t, l, lane, evt);
    const struct msg_cp_evt tell = {.kind = kinds[evt->kind],
                                    .status = evt->status,
                                    .id = l->cmd.id,
                                    .cu = (uint16_t)lane,
                                    .wave = evt->wave,
                                    .vmid = evt->vmid,
                                    .va = evt->va,
                                    .pc = evt->pc,
                                    .data = evt->data};
    return toy_send(t, "cp_evt", 0, &tell);
}

static struct msg_cu_cmd toy_wave_command(const struct toy_launch *l, unsigned number, unsigned wave)
{
    const struct msg_cp_cmd *cmd = &l->cmd;
    struct msg_cu_cmd start = {.kind = CU_WAVE,
                               .vmid = cmd->vmid,
                               .wave = (uint8_t)wave,
                               .launch = (uint8_t)number,
                               .group_waves = (uint8_t)cmd->waves,
                               .wave_in_group = (uint8_t)(l->placed % cmd->waves),
                               .pc = cmd->pc,
                               .exec = UINT64_MAX,
                               .init_sgprs = cmd->user_sgprs};
    uint32_t group = l->placed / cmd->waves;
    memcpy(start.sgpr, cmd->user_sgpr, cmd->user_sgprs * sizeof *start.sgpr);
    for (unsigned d = 0; d < 3; group /= cmd->groups[d], d++)
        if (cmd->sys_sgprs >> d & 1)
            start.sgpr[start.init_sgprs++] = group % cmd->groups[d];
    return start;
}

static bool toy_place(struct toy *t, unsigned number)
{
    struct toy_launch *l = &t->s.launches[number];
    for (unsigned i = 0; i < t->kind->cus; i++) {
        const unsigned cu = (t->s.next_cu + i) % t->kind->cus;
        for (unsigned n = 0; (l->cmd.cu_mask >> cu & 1) && n < TOY_PLACES; n++) {
            const unsigned wave = n % TOY_SIMDS << 4 | n / TOY_SIMDS;
            const struct msg_cu_cmd start = toy_wave_command(l, number, wave);
            if (t->s.placed[cu][wave])
                continue;
            if (!toy_send(t, "cu_cmd", cu, &start))
                return false;
            t->s.placed[cu][wave] = (uint8_t)(number + 1);
            if (l->placed++ == 0)
                l->start = t->now;
            t->s.next_cu = (cu + 1) % t->kind->cus;
            return true;
        }
    }
    return false;
}

// ---- a whole GPU: writes of launches, a line a cycle, and accesses of others, one at a time
static bool toy_whole(struct toy *t, const char *port, uint32_t lane, void *data)
{
    struct msg_mem_req *req = data;
    if (strcmp(port, "cp_cmd") == 0)
        return ((struct msg_cp_cmd *)data)->kind != CP_LAUNCH || toy_launch_begin(t, data);
    if (strcmp(port, "far_rsp") == 0)
        return true;
    if (strcmp(port, "dram_rsp") == 0) {
        struct msg_mem_rsp rsp = toy_answer(&t->s.held);
        memcpy(rsp.data, ((struct msg_dram_rsp *)data)->data, 64);
        t->s.holds = !toy_send(t, "far_rsp", t->s.lane, &rsp);
        return !t->s.holds;
    }
    const struct msg_mem_rsp rsp = toy_answer(req);
    struct msg_dram_req ask = {.write = req->op == MEM_WRITE, .addr = req->addr & PMEM_OFFSET_MASK, .mask = req->mask};
    memcpy(ask.data, req->data, 64);
    if (t->s.holds || (ask.write && !toy_free(t, toy_port(t, "far_rsp", true), lane)) ||
        !toy_send(t, "dram_req", toy_target(t, req->addr), &ask))
        return false;
    t->s.held = *req;
    t->s.lane = lane;
    t->s.holds = !ask.write;
    return !ask.write || toy_send(t, "far_rsp", lane, &rsp);
}

static bool toy_write_line(struct toy *t, struct toy_launch *l)
{
    struct toy_work work;
    memcpy(&work, l->cmd.user_sgpr, sizeof work);
    struct msg_dram_req put = {
        .write = 1, .addr = (work.to & PMEM_OFFSET_MASK) + 64 * (uint64_t)l->placed, .mask = UINT64_MAX};
    for (unsigned i = 0; i < 8; i++)
        put.data[i] = work.value;
    const struct msg_cp_evt end = {
        .kind = CP_EVT_LAUNCH_DONE, .id = l->cmd.id, .vmid = l->cmd.vmid, .data = l->total, .end = t->now};
    const bool last = l->placed + 1 == l->total;
    if ((last && !toy_free(t, toy_port(t, "cp_evt", true), 0)) ||
        !toy_send(t, "dram_req", toy_target(t, pmem_addr(t->gpu + 1, put.addr)), &put))
        return false;
    t->s.issued++;
    t->s.ended++;
    l->placed++;
    if (last && toy_send(t, "cp_evt", 0, &end))
        memset(l, 0, sizeof *l);
    return true;
}

// ---- all
static bool toy_works(const struct toy *t)
{
    bool works = false;
    for (unsigned n = 0; n < TOY_WAVES; n++)
        works = works || toy_moves(&t->s.waves[n]);
    for (unsigned i = 0; i < TOY_LAUNCHES; i++)
        works = works || t->s.launches[i].placed < t->s.launches[i].total;
    return works;
}

static void toy_work(struct toy *t)
{
    for (unsigned n = 0; n < TOY_WAVES; n++)
        if (toy_moves(&t->s.waves[n]))
            toy_wave(t, n);
    for (unsigned i = 0; i < TOY_LAUNCHES; i++)
        if (t->s.launches[i].placed < t->s.launches[i].total &&
            (strcmp(t->kind->api.kind, "gpu") == 0 ? toy_write_line(t, &t->s.launches[i]) : toy_place(t, i)))
            break;
}
#endif
