// SPDX-License-Identifier: Apache-2.0
// RTL GPUs as partitions and links (rtl_gpu.h), of toy models: latency, depth and rate of the links between GPUs, to
// the host and to memory; which partitions the scheduler visits together; a GPU as one model, its work, what it shows
// and where it is looked at; one GPU alone.
#include <malloc.h>

#include "target/rtl_gpu.h"

#include "../machine/toy_machine.h"

#include "target/bounds.h"
#include "target/gpu_links.h"

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
            assert_wires(name, req, 1, c->link_gpu, 192);
            assert_wires(name, rsp, 1, c->link_gpu, 192);
            assert_wires(name, 0, 2, c->link_gpu, 192); /* credits of both */
            snprintf(name, sizeof name, "gpu%u%s -> host.memory", g, far);
            assert_wires(name, req, 1, c->link_host, 96);
            assert_wires(name, 0, 1, c->link_host, 96);
            snprintf(name, sizeof name, "host.memory -> gpu%u%s", g, far);
            assert_wires(name, rsp, 1, c->link_host, 96);
            assert_wires(name, 0, 1, c->link_host, 96);
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

static const struct wire *wire_of(const char *name, uint32_t bytes)
{
    const struct wire *w = NULL;
    if (wires(name, bytes, &w) == 0)
        fail_msg("%s: no channel of %u bytes", name, bytes);
    return w;
}

/* Credits between host memory and a GPU take eight bytes of the link on which they go; those between GPUs none. */
static void assert_credits(const char *name, uint32_t rate, const struct wire *first)
{
    const struct channel *c = &wire_of(name, 0)->channel;
    assert_true(c->rate.bytes_per_cycle == rate && c->rate.header == (rate ? 8 : 0) && c->rate.payload[0] == 0);
    assert_ptr_equal(c->shared, first ? &first->channel : NULL);
}

/* One that carries so many bytes a cycle, with a line where the message has one; its own link or that of `first`. */
static void assert_rate(const char *name, bool answers, uint32_t rate, const struct wire *first)
{
    static const unsigned line[2][5] = {{[MEM_WRITE] = 64, [MEM_ATOMIC] = 64},
                                        {[MEM_READ] = 64, [MEM_READ_NC] = 64, [MEM_ATOMIC] = 64}};
    const struct wire *w = wire_of(name, answers ? sizeof(struct msg_mem_rsp) : sizeof(struct msg_mem_req));
    const struct channel_rate *r = &w->channel.rate;
    assert_int_equal(r->bytes_per_cycle, rate);
    assert_int_equal(r->header, 16);
    assert_int_equal(r->kind_at, answers ? offsetof(struct msg_mem_rsp, op) : offsetof(struct msg_mem_req, op));
    for (unsigned op = 0; op < 5; op++)
        assert_int_equal(r->payload[op], line[answers][op]);
    assert_ptr_equal(w->channel.shared, first ? &first->channel : NULL);
}

/* Every message between host and GPUs, and between GPUs, takes its bytes of its link, one for each direction: what
 * GPUs ask of host memory with what they answer to the host, what they ask each other with what they answer. */
static void test_rates(void **state)
{
    const uint32_t req = sizeof(struct msg_mem_req), rsp = sizeof(struct msg_mem_rsp);
    (void)state;
    for (unsigned whole = 0; whole < 2; whole++) {
        const char *far = whole ? "" : ".rdma";
        char up[40], down[40], to_host[40], from_host[40], peer[40];
        toy_open(&m, 2, whole ? "system.rtl=whole" : NULL, (struct sim_options){.seed = 1});
        for (unsigned g = 0; g < 2; g++) {
            snprintf(up, sizeof up, "gpu%u%s -> host.memory", g, far);
            snprintf(down, sizeof down, "host.memory -> gpu%u%s", g, far);
            snprintf(to_host, sizeof to_host, "gpu%u%s -> host.cp", g, far);
            snprintf(from_host, sizeof from_host, "host.cp -> gpu%u%s", g, far);
            snprintf(peer, sizeof peer, "gpu%u%s -> gpu%u%s", g, far, !g, far);
            assert_rate(up, false, 16, NULL);
            assert_rate(down, true, 16, NULL);
            if (!whole) { /* as one model a GPU has channels of commands with the same name, of another width */
                assert_rate(to_host, true, 16, wire_of(up, req));
                assert_rate(from_host, false, 16, wire_of(down, rsp));
                assert_credits(to_host, 16, wire_of(up, req));
                assert_credits(from_host, 16, wire_of(down, rsp));
            }
            assert_credits(up, 16, wire_of(up, req));
            assert_credits(down, 16, wire_of(down, rsp));
            assert_credits(peer, 0, NULL);
            assert_rate(peer, false, 32, NULL);
            assert_rate(peer, true, 32, wire_of(peer, req));
        }
        assert_rate("host.cp -> host.memory", false, 16, NULL);
        assert_rate("host.memory -> host.cp", true, 16, NULL);
        assert_credits("host.cp -> host.memory", 16, wire_of("host.cp -> host.memory", req));
        assert_credits("host.memory -> host.cp", 16, wire_of("host.memory -> host.cp", rsp));
        toy_close(&m);
    }
}

/* Each key acts on its own links, and on the credits that keep them full; golden GPUs have no links. */
static void test_keys(void **state)
{
    (void)state;
    toy_open(&m, 2, "link.host_bytes_per_cycle=8", (struct sim_options){.seed = 1});
    assert_rate("gpu1.rdma -> host.memory", false, 8, NULL);
    assert_rate("gpu1.rdma -> gpu0.rdma", false, 32, NULL);
    assert_wires("gpu1.rdma -> host.memory", sizeof(struct msg_mem_req), 1, 140, 48);
    toy_close(&m);
    toy_open(&m, 2, "link.gpu_bytes_per_cycle=5", (struct sim_options){.seed = 1});
    assert_rate("gpu1.rdma -> host.memory", false, 16, NULL);
    assert_rate("gpu1.rdma -> gpu0.rdma", false, 5, NULL);
    assert_wires("gpu1.rdma -> gpu0.rdma", sizeof(struct msg_mem_req), 1, 140, 32);
    toy_close(&m);
    toy_open(&m, 2, NULL, (struct sim_options){.seed = 1, .model = SIM_GOLDEN});
    for (uint32_t i = 0; i < m.sim->sched.wire_count; i++)
        assert_int_equal(m.sim->sched.wires[i]->channel.rate.bytes_per_cycle, 0);
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
        cmocka_unit_test(test_placed_again), cmocka_unit_test(test_links),  cmocka_unit_test(test_rates),
        cmocka_unit_test(test_keys),         cmocka_unit_test(test_groups), cmocka_unit_test(test_whole),
        cmocka_unit_test(test_parts),        cmocka_unit_test(test_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
