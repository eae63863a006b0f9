/* SPDX-License-Identifier: Apache-2.0
 * Lock step knows what wavefronts start with: an imitation of a dispatcher starts launches, as docs/contracts.md says;
 * the truth is accepted, in any order of launches, and every lie about a start is found and named (B.6).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lockstep/lockstep.h"

#define CUS 4u
#define SIMDS 4u

static struct lockstep *ls;
static char told[1024];

static void on_difference(void *ctx, const char *text)
{
    (void)ctx;
    snprintf(told, sizeof told, "%s", text);
}

static int setup(void **state)
{
    (void)state;
    told[0] = 0;
    ls = lockstep_new(NULL, 2, CUS, on_difference, NULL);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    lockstep_free(ls);
    return 0;
}

/* 100 x 9 x 3 items in groups of 40 x 4 x 2, 5 wavefronts each: partial at every edge. */
static struct msg_cp_cmd launch_of(uint16_t id)
{
    return (struct msg_cp_cmd){.kind = CP_LAUNCH,
                               .vmid = 3,
                               .id = id,
                               .root = 0x4000c00000,
                               .pc = 0x100100 + id * 0x1000u,
                               .rsrc1 = 0xf0u << 12 | 1u << 23,
                               .rsrc2 = 15u << 1 | 7u << 7 | 1u << 10 | 1u | 2u << 11,
                               .group = {40, 4, 2},
                               .waves = 5,
                               .grid = {100, 9, 3},
                               .groups = {3, 3, 2},
                               .recip_x = 26215,
                               .recip_y = 262144,
                               .lds_bytes = 1024,
                               .scratch_wave_bytes = 2048,
                               .scratch_waves = 128,
                               .vgprs = 24,
                               .sgprs = 32,
                               .user_sgprs = 15,
                               .vgpr_items = 2,
                               .sys_sgprs = 0x1f,
                               .user_sgpr = {10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 0},
                               .cu_mask = 0xb};
}

/* Messages of a launch, in order. */
struct start {
    unsigned cu;
    struct msg_cu_cmd m;
};
struct run {
    struct start start[512];
    unsigned count, sent;
};

static uint16_t least(uint32_t a, uint32_t b)
{
    return (uint16_t)(a < b ? a : b);
}

static void wave_make(const struct msg_cp_cmd *l, const uint32_t id[3], const uint16_t size[3], unsigned wave,
                      struct start *s)
{
    unsigned items = (unsigned)size[0] * size[1] * size[2], waves = (items + 63) / 64, position = wave,
             n = l->user_sgprs;
    struct msg_cu_cmd *m = &s->m;
    memset(m, 0, sizeof *m);
    m->kind = CU_WAVE;
    m->vmid = l->vmid;
    m->wave = (uint8_t)((position % SIMDS) << 4 | position / SIMDS);
    m->group = (uint8_t)(id[0] & 7);
    m->group_waves = (uint8_t)waves;
    m->wave_in_group = (uint8_t)wave;
    m->vgpr_items = l->vgpr_items;
    m->vgpr_base = 40, m->vgprs = l->vgprs;
    m->sgpr_base = 64, m->sgprs = l->sgprs;
    m->lds_base = 512 * id[0], m->lds_bytes = l->lds_bytes;
    m->scratch_base = 0x4000c000;
    m->pc = l->pc;
    for (unsigned lane = 0; lane < 64; lane++)
        m->exec |= (uint64_t)(wave * 64 + lane < items) << lane;
    memcpy(m->group_size, size, sizeof m->group_size);
    while ((uint64_t)m->recip_x * size[0] < 1 << 20)
        m->recip_x++;
    while ((uint64_t)m->recip_y * size[1] < 1 << 20)
        m->recip_y++;
    m->mode = 0xf0;
    m->ieee = 1;
    memcpy(m->sgpr, l->user_sgpr, sizeof l->user_sgpr);
    for (unsigned d = 0; d < 3; d++)
        m->sgpr[n++] = id[d];
    m->sgpr[n++] = (wave == 0 ? 0x80000000 : 0) + waves;
    m->sgpr[n++] = (s->cu * 32 + position) * 2048;
    m->init_sgprs = (uint8_t)n;
}

static void run_make(const struct msg_cp_cmd *l, uint8_t slot, struct run *r)
{
    static const unsigned cus[] = {0, 1, 3};
    r->count = r->sent = 0;
    for (uint32_t z = 0; z < l->groups[2]; z++)
        for (uint32_t y = 0; y < l->groups[1]; y++)
            for (uint32_t x = 0; x < l->groups[0]; x++) {
                const uint32_t id[3] = {x, y, z};
                const uint16_t size[3] = {least(l->group[0], l->grid[0] - x * l->group[0]),
                                          least(l->group[1], l->grid[1] - y * l->group[1]),
                                          least(l->group[2], l->grid[2] - z * l->group[2])};
                for (unsigned wave = 0; wave * 64 < (unsigned)size[0] * size[1] * size[2]; wave++) {
                    struct start *s = &r->start[r->count++];
                    s->cu = cus[(x + y) % (l->cu_mask == 0xb ? 3 : 2)];
                    wave_make(l, id, size, wave, s);
                    s->m.launch = slot;
                }
            }
}

static void send(struct run *r, unsigned count)
{
    for (; count && r->sent < r->count; count--, r->sent++)
        lockstep_dispatched(ls, 1, r->start[r->sent].cu, 1000 + r->sent, &r->start[r->sent].m);
}

static void launch_begin(const struct msg_cp_cmd *l)
{
    lockstep_cp_cmd(ls, 1, 100, l);
}

static void launch_finish(const struct msg_cp_cmd *l, const struct run *r)
{
    struct msg_cp_evt evt = {.kind = CP_EVT_LAUNCH_DONE, .id = l->id, .vmid = l->vmid, .data = r->count};
    lockstep_cp_evt(ls, 1, 5000, &evt);
}

static struct run run[4];

static void the_truth_is_accepted(void **state)
{
    struct msg_cp_cmd l[4];
    (void)state;
    for (unsigned turn = 0; turn < 20; turn++) { /* slots and the places of launches are used again */
        for (unsigned k = 0; k < 4; k++) {
            l[k] = launch_of((uint16_t)(turn * 4 + k));
            l[k].pc = k < 2 ? 0x100100 : 0x200100; /* two of each kind, which differ in their grids or not at all */
            if (k == 3)
                l[k].grid[2] = 2, l[k].groups[2] = 1;
            l[k].cu_mask = turn & 1 ? 0x3 : 0xb;
            launch_begin(&l[k]);
            run_make(&l[k], (uint8_t)((turn + 3 * k) % 8), &run[k]);
        }
        unsigned seed = turn + 1;
        for (unsigned left = 4; left;) {
            seed = seed * 1103515245 + 12345;
            unsigned k = seed >> 16 & 3;
            if (run[k].sent > run[k].count)
                continue;
            send(&run[k], 1 + (seed >> 20) % 7);
            if (run[k].sent == run[k].count) {
                launch_finish(&l[k], &run[k]);
                run[k].sent++;
                left--;
            }
        }
        assert_string_equal(told, "");
    }
    assert_true(lockstep_finish(ls));
}

#define LIE(field, bytes, word)                                                                                        \
    {                                                                                                                  \
        offsetof(struct msg_cu_cmd, field), bytes, word                                                                \
    }
/* shows B.6: one bit of one field is wrong in one message: the wavefront and the field are named. */
static void every_field_is_held_against_the_launch(void **state)
{
    static const struct {
        size_t at, bytes;
        const char *word;
    } lies[] = {
        LIE(vmid, 1, "vmid"),
        LIE(group_waves, 1, "group_waves"),
        LIE(wave_in_group, 1, "wave_in_group"),
        LIE(vgpr_items, 1, "vgpr_items"),
        LIE(vgprs, 2, "vgprs"),
        LIE(sgprs, 2, "sgprs"),
        LIE(lds_bytes, 4, "lds_bytes"),
        LIE(scratch_base, 4, "scratch_base"),
        LIE(pc, 8, "pc"),
        LIE(exec, 8, "exec"),
        LIE(group_size[0], 2, "group_size[0]"),
        LIE(group_size[1], 2, "group_size[1]"),
        LIE(group_size[2], 2, "group_size[2]"),
        LIE(recip_x, 4, "recip_x"),
        LIE(recip_y, 4, "recip_y"),
        LIE(mode, 1, "mode"),
        LIE(ieee, 1, "ieee"),
        LIE(init_sgprs, 1, "init_sgprs"),
        LIE(sgpr[0], 4, "s0"),
        LIE(sgpr[14], 4, "s14"),
        LIE(sgpr[15], 4, "s15"),
        LIE(sgpr[16], 4, "s16"),
        LIE(sgpr[17], 4, "s17"),
        LIE(sgpr[18], 4, "s18"),
        LIE(sgpr[19], 4, "s19"),
    };
    for (unsigned n = 0; n < sizeof lies / sizeof lies[0]; n++)
        for (unsigned bit = 0; bit < 8 * lies[n].bytes; bit += 1 + (unsigned)lies[n].bytes) {
            struct msg_cp_cmd l = launch_of(7);
            launch_begin(&l);
            run_make(&l, 2, &run[0]);
            send(&run[0], 8);
            assert_string_equal(told, "");
            uint8_t *field = (uint8_t *)&run[0].start[8].m + lies[n].at;
            field[bit / 8] ^= (uint8_t)(1u << bit % 8);
            send(&run[0], 1);
            char expected[64];
            snprintf(expected, sizeof expected, ": %s: rtl ", lies[n].word);
            assert_non_null(strstr(told, expected));
            assert_non_null(strstr(told, "gpu1.cu1 "));
            assert_non_null(strstr(told, "start of wavefront 3 of work-group 1,0,0: ")); /* 5 of group 0 */
            teardown(state);
            setup(state);
        }
}

/* A place that the launch does not allow, a group in two places. */
static void places_are_those_that_the_launch_allows(void **state)
{
    static const char *const words[] = {"is not in the mask b", "SIMD 3 of 2", "its work-group has",
                                        "its work-group has", "no scratch for this place"};
    for (unsigned n = 0; n < 5; n++) {
        struct msg_cp_cmd l = launch_of(7);
        if (n == 4)
            l.scratch_waves = 34; /* CU 1: positions 32 and 33 */
        launch_begin(&l);
        run_make(&l, 2, &run[0]);
        send(&run[0], n == 0 ? 5 : 7);
        assert_string_equal(told, "");
        struct start *s = &run[0].start[run[0].sent];
        if (n == 0)
            s->cu = 2, s->m.sgpr[19] = 64 * 2048;
        if (n == 1)
            lockstep_simds(ls, 2), s->m.wave = 3 << 4, s->m.sgpr[19] = (32 + 3) * 2048;
        if (n == 2)
            s->m.group ^= 1;
        if (n == 3)
            s->m.lds_base += 512;
        send(&run[0], 1);
        assert_non_null(strstr(told, words[n]));
        teardown(state);
        setup(state);
    }
}

/* Groups left out, repeated or exchanged, and a launch that ends before all have started or after another one's. */
static void every_group_starts_once(void **state)
{
    for (unsigned n = 0; n < 5; n++) {
        struct msg_cp_cmd l = launch_of(7);
        launch_begin(&l);
        run_make(&l, 2, &run[0]);
        if (n == 0) /* the last group is missing */
            send(&run[0], run[0].count - 1);
        else if (n == 1) { /* one wavefront more */
            send(&run[0], run[0].count);
            run[0].sent--;
            send(&run[0], 1);
        } else if (n == 2) { /* a group is left out */
            send(&run[0], 5);
            run[0].sent += 5;
            send(&run[0], 1);
        } else if (n == 3) { /* of no launch slot that exists */
            run[0].start[0].m.launch = 8;
            send(&run[0], 1);
        } else {
            send(&run[0], run[0].count);
            run[0].count--; /* counts one too few */
        }
        if (n == 0 || n == 4)
            assert_string_equal(told, "");
        launch_finish(&l, &run[0]);
        assert_string_not_equal(told, "");
        teardown(state);
        setup(state);
    }
}

/* A wavefront for which nobody has asked; launches that a kill has dropped. */
static void killed_launches_are_forgotten(void **state)
{
    struct msg_cp_cmd l = launch_of(1), other = launch_of(2), kill = {.kind = CP_KILL, .vmid = 3, .id = 9};
    struct msg_cp_evt done = {.kind = CP_EVT_KILL_DONE, .vmid = 3, .id = 9};
    (void)state;
    other.vmid = 4;
    launch_begin(&l);
    launch_begin(&other);
    run_make(&l, 0, &run[0]);
    run_make(&other, 1, &run[1]);
    send(&run[0], 10);
    send(&run[1], 10);
    lockstep_cp_cmd(ls, 1, 1500, &kill);
    struct msg_cp_cmd later = launch_of(3); /* sent behind the kill: lives */
    launch_begin(&later);
    send(&run[0], 2);
    lockstep_cp_evt(ls, 1, 1600, &done);
    send(&run[1], run[1].count);
    launch_finish(&other, &run[1]);
    run_make(&later, 0, &run[2]);
    send(&run[2], run[2].count);
    launch_finish(&later, &run[2]);
    assert_string_equal(told, "");
    send(&run[0], 1);
    assert_non_null(strstr(told, "of no launch"));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_truth_is_accepted),
        TEST(every_field_is_held_against_the_launch),
        TEST(places_are_those_that_the_launch_allows),
        TEST(every_group_starts_once),
        TEST(killed_launches_are_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
