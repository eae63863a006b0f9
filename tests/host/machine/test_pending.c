// SPDX-License-Identifier: Apache-2.0
// What the machine owes the host (pending.c): which event ends which command, what a kill ends besides, whom the host
// has not answered yet; and what a GPU has been told of address spaces (spaces.c).
#include "hand_bench.h"

static void add(struct sim_gpu *g, uint8_t kind, uint8_t vmid, uint16_t id)
{
    const struct msg_cp_cmd cmd = {.kind = kind, .vmid = vmid, .id = id};
    pending_add(g, &cmd);
}

static void told(struct sim_gpu *g, uint8_t kind, uint16_t id)
{
    const struct msg_cp_evt evt = {.kind = kind, .id = id};
    pending_account(g, &evt, 77);
}

// Kind, address space and number of all that is pending.
static const char *left(const struct sim_gpu *g)
{
    static char text[4096];
    size_t used = 0;
    text[0] = 0;
    for (uint32_t i = 0; i < g->pending_count; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%u.%u.%u", i ? " " : "", g->pending[i].kind,
                                 g->pending[i].vmid, g->pending[i].id);
    return text;
}

static const struct {
    uint8_t event, command;
    bool ends;
} events[] = {
    {CP_EVT_LAUNCH_DONE, CP_LAUNCH, true}, {CP_EVT_CACHE_DONE, CP_CACHE, true},  {CP_EVT_KILL_DONE, CP_KILL, true},
    {CP_EVT_FAULT, CP_LAUNCH, false},      {CP_EVT_INTERRUPT, CP_LAUNCH, false}, {CP_EVT_HALT, CP_LAUNCH, false},
    {CP_EVT_TRAP_DONE, CP_TRAP, true},
};

// An event is for the command of its kind and number, the oldest of them; some end it.
static void events_of_commands(void **state)
{
    (void)state;
    static const uint8_t kinds[] = {CP_LAUNCH, CP_CACHE, CP_KILL, CP_TRAP};
    for (unsigned e = 0; e < sizeof events / sizeof *events; e++) {
        struct sim_gpu g = {.pending = NULL};
        char before[200], wanted[200] = "";
        for (unsigned k = 0; k < 4; k++)
            for (uint16_t id = 256; id < 259; id++)
                add(&g, kinds[k], k, id);
        for (unsigned k = 0; k < 4; k++)
            add(&g, kinds[k], 9, 257);
        snprintf(before, sizeof before, "%s", left(&g));
        told(&g, events[e].event, 257);
        for (unsigned k = 0, n = 0; k < 4; k++)
            for (unsigned id = 256; id < 259; id++)
                if (!events[e].ends || kinds[k] != events[e].command || id != 257)
                    snprintf(wanted + strlen(wanted), sizeof wanted - strlen(wanted), "%s%u.%u.%u", n++ ? " " : "",
                             kinds[k], k, id);
        snprintf(wanted + strlen(wanted), sizeof wanted - strlen(wanted), " 1.9.257 2.9.257 4.9.257 5.9.257");
        assert_string_equal(left(&g), wanted);
        assert_int_equal(strcmp(before, wanted) == 0, !events[e].ends);
        free(g.pending);
    }
}

// A kill ends the launches of its address space that are before it, and nothing else.
static void a_kill_ends_launches(void **state)
{
    (void)state;
    struct sim_gpu g = {.pending = NULL};
    add(&g, CP_LAUNCH, 3, 1);
    add(&g, CP_LAUNCH, 4, 2);
    add(&g, CP_CACHE, 3, 3);
    add(&g, CP_LAUNCH, 3, 4);
    add(&g, CP_KILL, 3, 5);
    add(&g, CP_LAUNCH, 3, 6);
    add(&g, CP_KILL, 4, 7);
    told(&g, CP_EVT_KILL_DONE, 5);
    assert_string_equal(left(&g), "1.4.2 2.3.3 1.3.6 4.4.7");
    told(&g, CP_EVT_CACHE_DONE, 3); // ends no launches
    assert_string_equal(left(&g), "1.4.2 1.3.6 4.4.7");
    told(&g, CP_EVT_KILL_DONE, 7);
    assert_string_equal(left(&g), "1.3.6");
    told(&g, CP_EVT_LAUNCH_DONE, 6);
    assert_string_equal(left(&g), "");
    free(g.pending);
}

static void many_are_pending(void **state)
{
    (void)state;
    struct sim_gpu g = {.pending = NULL};
    for (unsigned i = 0; i < 1000; i++)
        add(&g, CP_CACHE, 1, (uint16_t)i);
    for (unsigned i = 0; i < 1000; i++) {
        assert_int_equal(g.pending_count, 1000 - i);
        told(&g, CP_EVT_CACHE_DONE, (uint16_t)(i * 7 % 1000));
    }
    assert_int_equal(g.pending_count, 0);
    free(g.pending);
}

// Somebody waits, unless the host has not answered a wavefront that has stopped: a fault, or an interrupt and a halt of
// one launch, in any order.
static void who_waits_for_the_host(void **state)
{
    (void)state;
    static const struct {
        uint8_t events[3];
        bool any;
    } cases[] = {{{0}, true},
                 {{CP_EVT_FAULT}, false},
                 {{CP_EVT_HALT}, true},
                 {{CP_EVT_INTERRUPT}, true},
                 {{CP_EVT_HALT, CP_EVT_HALT}, true},
                 {{CP_EVT_INTERRUPT, CP_EVT_INTERRUPT}, true},
                 {{CP_EVT_HALT, CP_EVT_INTERRUPT}, false},
                 {{CP_EVT_INTERRUPT, CP_EVT_HALT}, false},
                 {{CP_EVT_INTERRUPT, CP_EVT_HALT, CP_EVT_INTERRUPT}, false},
                 {{CP_EVT_FAULT, CP_EVT_INTERRUPT}, false}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned gpu = 0; gpu < 2; gpu++) {
            struct sim_gpu gpus[2] = {{.pending = NULL}};
            const struct sim sim = {.gpus = gpus, .gpu_count = 2};
            assert_false(pending_any(&sim));
            add(&gpus[0], CP_CACHE, 1, 1);
            assert_true(pending_any(&sim));
            add(&gpus[gpu], CP_LAUNCH, 1, 2);
            add(&gpus[1], CP_LAUNCH, 1, 3);
            for (unsigned n = 0; n < 3 && cases[i].events[n]; n++)
                told(&gpus[gpu], cases[i].events[n], 2);
            assert_int_equal(pending_any(&sim), cases[i].any);
            told(&gpus[1], CP_EVT_LAUNCH_DONE, 3);
            assert_int_equal(pending_any(&sim), cases[i].any);
            told(&gpus[gpu], CP_EVT_LAUNCH_DONE, 2);
            assert_true(pending_any(&sim));
            told(&gpus[0], CP_EVT_CACHE_DONE, 1);
            assert_false(pending_any(&sim));
            for (unsigned g = 0; g < 2; g++)
                free(gpus[g].pending);
        }
}

// ---- bugs
static void event(void *arg)
{
    struct part part = {.name = "gpu5.dispatch"};
    struct sim_gpu g = {.dispatch = &part};
    add(&g, CP_LAUNCH, 0, 1);
    add(&g, CP_CACHE, 0, 2);
    add(&g, CP_TRAP, 0, 3);
    add(&g, CP_CONTROL, 0, 4);
    add(&g, CP_COUNTS, 0, 5);
    told(&g, ((const uint8_t *)arg)[0], ((const uint8_t *)arg)[1]);
}

static void an_event_for_nobody_is_our_bug(void **state)
{
    (void)state;
    static const struct {
        uint8_t event[2];
        const char *said; // NULL: all right
    } cases[] = {{{CP_EVT_LAUNCH_DONE, 1}, NULL},
                 {{CP_EVT_TRAP_DONE, 3}, NULL},
                 {{CP_EVT_TRAP_DONE, 4}, "event 7 for command 4, which is not under way"},
                 {{CP_EVT_LAUNCH_DONE, 2}, "event 1 for command 2, which is not under way"},
                 {{CP_EVT_CONTROL_DONE, 4}, NULL},
                 {{CP_EVT_CONTROL_DONE, 3}, "event 8 for command 3, which is not under way"},
                 {{0, 1}, "event of kind 0"},
                 {{CP_EVT_XLAT_DONE, 4}, "event 9 for command 4, which is not under way"},
                 {{CP_EVT_ROOT_REFUSED, 9}, NULL}, // of no command that is waited for
                 {{CP_EVT_COUNT, 9}, NULL},        // the same
                 {{CP_EVT_COUNTED, 5}, NULL},
                 {{CP_EVT_COUNTED, 4}, "event 15 for command 4, which is not under way"},
                 {{CP_EVT_COUNTED + 1, 1}, "event of kind 16"}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *said;
        uint8_t arg[2] = {cases[i].event[0], cases[i].event[1]};
        assert_int_equal(hand_aborts(event, arg, &said), cases[i].said != NULL);
        if (cases[i].said) {
            assert_non_null(strstr(said, cases[i].said));
            assert_non_null(strstr(said, "gpu5.dispatch"));
            assert_non_null(strstr(said, "cycle=77"));
        }
        free(said);
    }
}

// ---- address spaces
struct heard {
    struct msg_cp_cmd cmd[8];
    unsigned count;
};

static void hears(void *ctx, const struct msg_cp_cmd *cmd)
{
    struct heard *h = ctx;
    assert_true(h->count < 8);
    h->cmd[h->count++] = *cmd;
}

static void heard_is(const struct heard *h, unsigned i, uint8_t kind, uint8_t vmid, uint64_t root, uint64_t pc)
{
    const struct msg_cp_cmd wanted = {.kind = kind, .vmid = vmid, .root = root, .pc = pc};
    assert_true(i < h->count);
    assert_memory_equal(&h->cmd[i], &wanted, sizeof wanted);
}

// What was told last of each address space is told again, in their order, root first; of what is gone nothing.
static void address_spaces_are_told_again(void **state)
{
    (void)state;
    struct sim_gpu *g = calloc(1, sizeof *g);
    struct heard h = {.count = 0};
    spaces_tell(g, hears, &h);
    assert_int_equal(h.count, 0);
    const struct msg_cp_cmd cmds[] = {{.kind = CP_TRAP, .vmid = 255, .root = 0x100, .pc = 0x200},
                                      {.kind = CP_VMID, .vmid = 255, .root = 0x300, .pc = 9},
                                      {.kind = CP_VMID, .vmid = 0, .root = 0x400},
                                      {.kind = CP_TRAP, .vmid = 7, .root = 0x500},
                                      {.kind = CP_TRAP, .vmid = 8, .pc = 0x600},
                                      {.kind = CP_VMID, .vmid = 9, .root = 0x700},
                                      {.kind = CP_VMID, .vmid = 9},
                                      {.kind = CP_TRAP, .vmid = 10, .root = 1, .pc = 1},
                                      {.kind = CP_TRAP, .vmid = 10},
                                      {.kind = CP_LAUNCH, .vmid = 11, .root = 5, .pc = 6},
                                      {.kind = CP_CACHE, .vmid = 11, .root = 5, .pc = 6},
                                      {.kind = CP_KILL, .vmid = 0, .root = 5, .pc = 6}};
    for (unsigned i = 0; i < sizeof cmds / sizeof *cmds; i++)
        spaces_note(g, &cmds[i]);
    assert_int_equal(g->traps[255].handler, 0x100);
    assert_int_equal(g->traps[255].memory, 0x200);
    spaces_tell(g, hears, &h);
    assert_int_equal(h.count, 5);
    heard_is(&h, 0, CP_VMID, 0, 0x400, 0);
    heard_is(&h, 1, CP_TRAP, 7, 0x500, 0);
    heard_is(&h, 2, CP_TRAP, 8, 0, 0x600);
    heard_is(&h, 3, CP_VMID, 255, 0x300, 0);
    heard_is(&h, 4, CP_TRAP, 255, 0x100, 0x200);
    free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_of_commands),
        cmocka_unit_test(a_kill_ends_launches),
        cmocka_unit_test(many_are_pending),
        cmocka_unit_test(who_waits_for_the_host),
        cmocka_unit_test(an_event_for_nobody_is_our_bug),
        cmocka_unit_test(address_spaces_are_told_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
