/* SPDX-License-Identifier: Apache-2.0
 * The commands of an address space, each as a whole message: what bridge/proto/messages.def says of it, and zeros in
 * all that is not of its kind (S3.12, B.8).
 */
#include "queue_bench.h"

/* The command number `nth` since `from` is this, and it was for this GPU. */
static void sent(struct bench *b, unsigned from, unsigned nth, unsigned gpu, struct msg_cp_cmd expected)
{
    assert_true(from + nth < b->sim->logged);
    const struct msg_cp_cmd *cmd = &b->sim->log[from + nth].cmd;
    assert_int_equal(b->sim->log[from + nth].gpu, gpu);
    assert_int_equal(cmd->kind, expected.kind);
    assert_int_equal(cmd->vmid, expected.vmid);
    assert_int_equal(cmd->id, expected.id);
    assert_int_equal(cmd->flags, expected.flags);
    assert_true(cmd->root == expected.root && cmd->pc == expected.pc);
    assert_memory_equal(&cmd->rsrc1, &expected.rsrc1, sizeof *cmd - offsetof(struct msg_cp_cmd, rsrc1));
}

static void a_space_opens_and_closes(void **state)
{
    struct bench *b = *state;
    for (unsigned gpu = 0; gpu < 2; gpu++) {
        struct cp_space space = {.pt = b->space[0][gpu].pt, .vmid = 7, .owner = b, .tba = 0x1234, .tma = 0x5678};
        unsigned from = b->sim->logged;
        const uint64_t root = pagetable_root(space.pt);
        cp_space_open(b->cp[gpu], &space);
        assert_int_equal(b->sim->logged, from + 2);
        sent(b, from, 0, gpu, (struct msg_cp_cmd){.kind = CP_VMID, .vmid = 7, .id = CP_NO_JOB, .root = root});
        sent(b, from, 1, gpu,
             (struct msg_cp_cmd){.kind = CP_TRAP, .vmid = 7, .id = CP_NO_JOB, .root = 0x1234, .pc = 0x5678});
        from = b->sim->logged;
        cp_space_close(b->cp[gpu], &space);
        assert_int_equal(b->sim->logged, from + 2);
        sent(b, from, 0, gpu, (struct msg_cp_cmd){.kind = CP_VMID, .vmid = 7, .id = CP_NO_JOB});
        sent(b, from, 1, gpu,
             (struct msg_cp_cmd){.kind = CP_CACHE, .vmid = 7, .id = CP_NO_JOB, .flags = CACHE_INV_TLB});
        assert_ptr_equal(b->last_closed, &space);
    }
}

/* The CUs know of a number whether it has a handler, each for itself: it is taken away where there was one. */
static void handlers_of_numbers(void **state)
{
    struct bench *b = *state;
    for (unsigned had = 0; had < 16; had++) {
        struct cp_space space = {
            .pt = b->space[0][0].pt, .vmid = (uint8_t)had, .owner = b, .tba = had % 3 ? 0x1000 : 0};
        cp_space_trap(b->cp[0], &space);
    }
    for (unsigned vmid = 0; vmid < 16; vmid++) {
        struct cp_space space = {.pt = b->space[0][0].pt, .vmid = (uint8_t)vmid, .owner = b};
        const bool had = vmid % 3;
        for (unsigned again = 0; again < 2; again++) {
            const unsigned from = b->sim->logged;
            cp_space_open(b->cp[0], &space);
            assert_int_equal(b->sim->logged - from, had && !again ? 2 : 1);
            if (had && !again)
                sent(b, from, 1, 0, (struct msg_cp_cmd){.kind = CP_TRAP, .vmid = (uint8_t)vmid, .id = CP_NO_JOB});
        }
    }
}

/* A kernel with all its commands, a shoot-down and old contents beside it, and its end by a fault. */
static void commands_of_a_kernel(void **state)
{
    struct bench *b = *state;
    fake_launch = slow;
    queue_open(b, 0, 1, 1);
    cp_caches_drop(b->cp[1], true); /* nothing runs: before the descriptor is read */
    unsigned from = b->sim->logged;
    kernel_put(b, 0, 0x1502, 0);
    ring(b, 0);
    kernel_started(b, 1);
    assert_int_equal(b->sim->logged, from + 4);
    const uint16_t id = job_id(b->cp[1], &b->cp[1]->jobs[0]);
    sent(b, from, 0, 1, (struct msg_cp_cmd){.kind = CP_CACHE, .id = CP_DROP, .flags = 31});
    sent(b, from, 1, 1, (struct msg_cp_cmd){.kind = CP_CACHE, .vmid = 2, .id = id, .flags = 63});
    sent(b, from, 2, 1,
         (struct msg_cp_cmd){.kind = CP_FETCH, .vmid = 2, .id = CP_NO_JOB, .pc = b->cp[1]->jobs[0].launch.pc});
    sent(b, from, 3, 1, b->cp[1]->jobs[0].launch);
    assert_true(b->cp[1]->jobs[0].launch.id == id && b->cp[1]->jobs[0].launch.vmid == 2);
    from = b->sim->logged;
    cp_space_shootdown(b->cp[1], &b->space[1][1], 0x7f00001000, 0x3000);
    cp_space_shootdown(b->cp[1], &b->space[1][1], 0x7f00001000, 0);
    cp_caches_drop(b->cp[1], true);
    cp_caches_drop(b->cp[1], false);
    const struct msg_cp_evt fault = {.kind = CP_EVT_FAULT, .status = FAULT_ILLEGAL, .vmid = 2, .id = id};
    cp_event(b->cp[1], &fault);
    assert_int_equal(b->sim->logged, from + 5);
    struct msg_cp_cmd all = {.kind = CP_CACHE, .vmid = 2, .id = CP_SHOOTDOWN, .flags = CACHE_INV_TLB}, some = all;
    some.root = 0x7f00001000, some.pc = 0x3000;
    sent(b, from, 0, 1, some);
    sent(b, from, 1, 1, all);
    sent(b, from, 2, 1, (struct msg_cp_cmd){.kind = CP_CACHE, .id = CP_SHOOTDOWN, .flags = 31});
    sent(b, from, 3, 1, (struct msg_cp_cmd){.kind = CP_CACHE, .id = CP_SHOOTDOWN, .flags = 7});
    sent(b, from, 4, 1, (struct msg_cp_cmd){.kind = CP_KILL, .vmid = 2, .id = CP_NO_JOB});
    run(b);
    assert_int_equal(b->sim->logged, from + 5);
}

/* Ids never meet: of a place's packets one after another, and of places; none is one of those that nobody waits for. */
static void ids_of_commands(void **state)
{
    struct bench *b = *state;
    struct cp *cp = b->cp[0];
    for (unsigned i = 0; i < CP_JOBS; i++)
        for (unsigned generation = 0; generation < 256; generation += 5) {
            cp->jobs[i].generation = (uint8_t)generation;
            cp->jobs[i].state = JOB_RUN;
            const uint16_t id = job_id(cp, &cp->jobs[i]);
            assert_int_equal(id, generation << 8 | i);
            assert_ptr_equal(job_of(cp, id), &cp->jobs[i]);
            assert_null(job_of(cp, (uint16_t)(id + 0x100)));
            assert_null(job_of(cp, (uint16_t)(id ^ 0x80)));
            assert_true((id & 0xff) != CP_NO_JOB && (id & 0xff) != CP_SHOOTDOWN && (id & 0xff) != CP_DROP);
            cp->jobs[i].state = JOB_FREE;
            assert_null(job_of(cp, id));
            cp->jobs[i].generation = 0;
        }
    assert_null(job_of(cp, CP_JOBS));
    assert_null(job_of(cp, CP_NO_JOB));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, bench_setup, bench_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_space_opens_and_closes),
        TEST(handlers_of_numbers),
        TEST(commands_of_a_kernel),
        TEST(ids_of_commands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
