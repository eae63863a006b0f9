// SPDX-License-Identifier: Apache-2.0
// RTL GPUs as partitions and links (rtl_gpu.h), of toy models: latency, depth and rate of the links between GPUs, to
// the host and to memory; which partitions the scheduler visits together; a GPU as one model, its work, what it shows
// and where it is looked at; one GPU alone.
#include <malloc.h>

#include "machine/rtl_gpu.h"

#include "toy_machine.h"

#include "machine/bounds.h"
#include "machine/links.h"

static struct toy_machine m;

/* The wires of that name that carry messages of so many bytes. */
static unsigned wires(const char *name, uint32_t bytes, const struct wire **first)
{
    unsigned n = 0;
    for (uint32_t i = 0; i < m.sim->sched.wire_count; i++) {
        const struct wire *w = m.sim->sched.wires[i];
        if (strcmp(w->channel.name, name) != 0 || w->channel.bytes != bytes)
            continue;
        if (n++ == 0)
            *first = w;
    }
    return n;
}

static void assert_wires(const char *name, uint32_t bytes, unsigned count, uint32_t latency, uint32_t depth)
{
    const struct wire *w = NULL;
    const unsigned n = wires(name, bytes, &w);
    if (n != count || w->channel.latency != latency || w->channel.depth != depth)
        fail_msg("%s: %u of latency %u, depth %u", name, n, w ? w->channel.latency : 0, w ? w->channel.depth : 0);
}

static void test_links(void **state)
{
    (void)state;
    for (unsigned whole = 0; whole < 2; whole++) {
        toy_open(&m, 2, whole ? "system.rtl=whole" : NULL, (struct sim_options){.seed = 1});
        const struct gantry_cfg *c = &m.config.cfg;
        const char *far = whole ? "" : ".rdma";
        char name[80];
        const uint32_t req = sizeof(struct msg_mem_req), rsp = sizeof(struct msg_mem_rsp);
        for (unsigned g = 0; g < 2; g++) {
            snprintf(name, sizeof name, "gpu%u%s -> gpu%u%s", g, far, !g, far);
            assert_wires(name, req, 1, c->link_gpu, 16);
            assert_wires(name, rsp, 1, c->link_gpu, 16);
            assert_wires(name, 0, 2, c->link_gpu, 16); /* credits of both */
            snprintf(name, sizeof name, "gpu%u%s -> host.memory", g, far);
            assert_wires(name, req, 1, c->link_host, 16);
            assert_wires(name, 0, 1, c->link_host, 16);
            snprintf(name, sizeof name, "host.memory -> gpu%u%s", g, far);
            assert_wires(name, rsp, 1, c->link_host, 16);
            assert_wires(name, 0, 1, c->link_host, 16);
            for (unsigned s = 0; s < (whole ? 1 : c->gpu_l2_slices); s++) {
                char l2[20] = "";
                if (!whole)
                    snprintf(l2, sizeof l2, ".l2s%u", s);
                const unsigned lanes = whole ? c->gpu_l2_slices : 1;
                snprintf(name, sizeof name, "gpu%u%s -> gpu%u.store", g, l2, g);
                assert_wires(name, sizeof(struct msg_dram_req), lanes, c->link_store,
                             bound_depth(c, BOUND_PORT, c->link_store));
                snprintf(name, sizeof name, "gpu%u.store -> gpu%u%s", g, g, l2);
                assert_wires(name, sizeof(struct msg_dram_rsp), lanes, c->link_store + c->gpu_dram_path,
                             c->gpu_l2_mshrs);
            }
        }
        toy_close(&m);
    }
}

/* What the host's memory may send to a GPU in a cycle: answers by what they carry. */
static void test_rate(void **state)
{
    (void)state;
    toy_open(&m, 2, NULL, (struct sim_options){.seed = 1});
    const struct wire *w = NULL;
    assert_int_equal(wires("host.memory -> gpu1.rdma", sizeof(struct msg_mem_rsp), &w), 1);
    const struct channel_rate *r = &w->channel.rate;
    assert_int_equal(r->bytes_per_cycle, m.config.cfg.gpu_rdma_bytes_per_cycle);
    assert_int_equal(r->header, 16);
    assert_int_equal(r->kind_at, offsetof(struct msg_mem_rsp, op));
    static const unsigned payload[] = {[MEM_READ] = 64,
                                       [MEM_READ_NC] = 64,
                                       [MEM_WRITE] = 0,
                                       [MEM_ATOMIC] = 64 /* of a line, perhaps */,
                                       [MEM_XLAT] = 64};
    for (unsigned op = 0; op < 5; op++)
        assert_int_equal(r->payload[op], payload[op]);
    assert_int_equal(wires("gpu1.rdma -> host.memory", sizeof(struct msg_mem_req), &w), 1);
    assert_int_equal(w->channel.rate.bytes_per_cycle, 0);
    toy_close(&m);
}

static unsigned group_of(const char *name)
{
    return sim_part(m.sim, name)->group;
}

static void test_groups(void **state)
{
    (void)state;
    toy_open(&m, 2, "gpu.sqc.cus_per_group=2", (struct sim_options){.seed = 1});
    for (unsigned g = 0; g < 2; g++) {
        static const char *const same[] = {"sqc0", "cu0", "cu1"}, *const others[] = {"dispatch", "noc",  "l2s0",
                                                                                     "utcl2",    "rdma", "store"};
        char name[40];
        for (unsigned i = 0; i < 3; i++) {
            snprintf(name, sizeof name, "gpu%u.%s", g, same[i]);
            assert_int_equal(group_of(name), 1 + g);
        }
        for (unsigned i = 0; i < 6; i++) {
            snprintf(name, sizeof name, "gpu%u.%s", g, others[i]);
            assert_int_equal(group_of(name), 0);
        }
    }
    toy_close(&m);
    toy_open(&m, 2, "gpu.sqc.cus_per_group=1", (struct sim_options){.seed = 1});
    for (unsigned g = 0; g < 2; g++) {
        for (unsigned i = 0; i < 2; i++) {
            char name[40];
            snprintf(name, sizeof name, "gpu%u.sqc%u", g, i);
            assert_int_equal(group_of(name), 1 + 2 * g + i);
            snprintf(name, sizeof name, "gpu%u.cu%u", g, i);
            assert_int_equal(group_of(name), 1 + 2 * g + i);
        }
    }
    toy_close(&m);
}

static void test_whole(void **state)
{
    (void)state;
    toy_open(&m, 2, "system.rtl=whole", (struct sim_options){.seed = 1});
    toy_do(&m, 1, 5, 300, (struct toy_work){.op = TOY_WRITE, .to = pmem_addr(2, 0x3000), .value = 77});
    struct msg_mem_req req = {.op = MEM_READ, .addr = pmem_addr(2, 0x3000)};
    toy_run(&m);
    assert_int_equal(m.event_count, 1);
    assert_true(m.events[0].gpu == 1 && m.events[0].evt.id == 5 && m.events[0].evt.data == 300);
    for (unsigned i = 0; i < 301; i++)
        assert_int_equal(toy_read(&m, 2, 0x3000 + 64 * i), i < 300 ? 77 : 0);
    sim_access(m.sim, &req, false, 3);
    req = (struct msg_mem_req){.op = MEM_WRITE, .addr = pmem_addr(1, 0x8000), .mask = 0xff, .data = {55}};
    sim_access(m.sim, &req, false, 4);
    toy_run(&m);
    assert_int_equal(m.answer_count, 2);
    for (unsigned i = 0; i < 2; i++)
        assert_true(m.answers[i].cookie != 3 || m.answers[i].rsp.data[7] == 77);
    assert_int_equal(toy_read(&m, 1, 0x8000), 55);
    assert_int_equal(sim_instructions(m.sim), 300);
    assert_int_equal(sim_groups(m.sim, 0), 0);
    assert_int_equal(sim_groups(m.sim, 1), 300);
    assert_int_equal(rtl_machine_issued(m.sim->rtl, 1), 300);
    assert_int_equal(rtl_machine_slices(m.sim->rtl), m.config.cfg.gpu_l2_slices);
    assert_int_equal(rtl_machine_cus(m.sim->rtl), 2);
    assert_int_equal(rtl_machine_look(m.sim->rtl, 1, 1, 17), 1000 + (2 << 8) + 17); /* behind the dispatcher */
    assert_string_equal(rtl_machine_far(m.sim->rtl, 1)->name, "gpu1");
    /* nobody looks at what its dispatcher sends: a work-group is known when there is one */
    const struct msg_cp_cmd cmd = toy_launch(5, 300, (struct toy_work){.op = TOY_WRITE});
    uint32_t group[3] = {9, 9, 9};
    assert_int_equal(sim_group(m.sim, 1, &m.events[0].evt, &cmd, group), 6);
    assert_true(group[0] == 0 && group[1] == 0 && group[2] == 0);
    toy_close(&m);
}

/* In partitions: sums over its units, the far ports' own. */
static void test_parts(void **state)
{
    (void)state;
    toy_open(&m, 2, NULL, (struct sim_options){.seed = 1});
    toy_do(&m, 1, 5, 3, (struct toy_work){.op = TOY_HANG, .value = 0xe1});
    say_begin();
    assert_int_equal(sim_run(m.sim, UINT64_MAX), SIM_NO_PROGRESS);
    say_end();
    assert_int_equal(rtl_machine_issued(m.sim->rtl, 0), 0);
    assert_int_equal(rtl_machine_issued(m.sim->rtl, 1), 3);
    assert_int_equal(rtl_machine_ended(m.sim->rtl, 1), 0);
    assert_true(rtl_machine_look(m.sim->rtl, 1, 1, 0) == (UINT64_C(0xe1) << 56 | UINT64_C(3) << 48 | 0x10000));
    assert_true(rtl_machine_look(m.sim->rtl, 1, 0, 16) != 0 && rtl_machine_look(m.sim->rtl, 1, 1, 16) == 0);
    assert_string_equal(rtl_machine_far(m.sim->rtl, 1)->name, "gpu1.rdma");
    assert_string_equal(rtl_machine_cu(m.sim->rtl, 1, 1)->name, "gpu1.cu1");
    assert_string_equal(rtl_machine_l2(m.sim->rtl, 0, 1)->name, "gpu0.l2s1");
    const struct msg_cp_cmd kill = {.kind = CP_KILL, .vmid = 3, .id = 6};
    toy_close(&m);
    toy_open(&m, 1, NULL, (struct sim_options){.seed = 1});
    toy_do(&m, 0, 5, 3, (struct toy_work){.op = TOY_FAULT, .value = FAULT_BUS});
    toy_run(&m);
    sim_cmd(m.sim, 0, &kill);
    toy_run(&m);
    assert_int_equal(rtl_machine_ended(m.sim->rtl, 0), 3);
    toy_close(&m);
}

/* One of two: the other has no partitions, and its memory's stream is none. */
static void test_only(void **state)
{
    (void)state;
    for (unsigned g = 0; g < 2; g++) {
        const unsigned before = toy_created;
        toy_open(&m, 2, NULL, (struct sim_options){.seed = 1, .only = g + 1});
        assert_int_equal(toy_created - before, 9); /* dispatcher, 2 CUs, cache group, crossbar, 2 slices, TLB, engine */
        for (unsigned i = 0; i < 64; i++)
            assert_true(!toy_models[i] || toy_models[i]->gpu == g);
        toy_do(&m, g, 5, 3, (struct toy_work){.op = TOY_WRITE, .count = 1, .to = pmem_addr(g + 1, 0x3000), .value = 1});
        toy_run(&m);
        assert_int_equal(m.event_count, 1);
        assert_int_equal(sim_instructions(m.sim), 9);
        toy_close(&m);
    }
}

/* A machine in several processes gives back what its plan took: some KiB a GPU (freed pieces that the allocator keeps
 * in its caches count as taken, but are fewer). */
static void test_placed_again(void **state)
{
    size_t heap[32];
    (void)state;
    for (unsigned n = 0; n < 32; n++) {
        toy_open(&m, 2, "place.processes=2", (struct sim_options){.seed = 1});
        toy_close(&m);
        const struct mallinfo2 info = mallinfo2();
        heap[n] = info.uordblks + info.hblkhd;
    }
    assert_true(heap[31] < heap[15] + 16 * sizeof(struct sim_gpu));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_placed_again), cmocka_unit_test(test_links), cmocka_unit_test(test_rate),
        cmocka_unit_test(test_groups),       cmocka_unit_test(test_whole), cmocka_unit_test(test_parts),
        cmocka_unit_test(test_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
