// SPDX-License-Identifier: Apache-2.0
// Where wavefronts are (rtl_where.h), of toy compute units that show what a test tells them: the words for each state,
// the looks at one until its next instruction is certain, the instruction there, how many are told; the report of a
// machine that waits, whole; of a machine in several processes the same.
#include "target/rtl_where.h"

#include "../machine/toy_machine.h"
#include "vm/pagetable.h"

#define CODE 0x10000u

static struct toy_machine m;

static void hang(unsigned gpu, unsigned groups, unsigned state, unsigned looks)
{
    toy_do(&m, gpu, 7, groups, (struct toy_work){.op = TOY_HANG, .value = state, .count = looks});
}

/* What is told of a GPU's wavefronts, once the machine waits. */
static const char *where(unsigned gpu, unsigned most)
{
    static char text[20000];
    memset(text, 0, sizeof text);
    FILE *out = fmemopen(text, sizeof text, "w");
    rtl_where(m.sim, gpu, most, out);
    fclose(out);
    return text;
}

static void waits(void)
{
    say_begin();
    assert_int_equal(sim_run(m.sim, UINT64_MAX), SIM_NO_PROGRESS);
    say_end();
}

/* Bits: its turn 1, ending 2, faulted 4, at a barrier 16, decoded 32, live 64, used 128. */
static void test_states(void **state)
{
    static const struct {
        unsigned bits;
        const char *text;
    } cases[] = {{0xe1, "running"},
                 {0xf1, "at a barrier"},
                 {0xa1, "has halted"},
                 {0xb1, "has halted"},
                 {0xe3, "waits for its accesses to end"},
                 {0xf3, "waits for its accesses to end"},
                 {0xe5, "has faulted"},
                 {0x87, "has faulted"},
                 {0x80, "has halted"}};
    (void)state;
    for (unsigned i = 0; i < 9; i++) {
        char line[200];
        toy_open(&m, 1, NULL, (struct sim_options){.seed = 1});
        hang(0, 1, cases[i].bits, 0);
        waits();
        snprintf(line, sizeof line, "  gpu0.cu0: CU 0 wavefront 0, %s, before pc 0x10000: no code there\n",
                 cases[i].text);
        assert_string_equal(where(0, 16), line);
        toy_close(&m);
    }
    toy_open(&m, 1, NULL, (struct sim_options){.seed = 1}); /* a place that is not used */
    hang(0, 1, 0x7f, 0);
    waits();
    assert_string_equal(where(0, 16), "");
    toy_close(&m);
}

/* One that is there is looked at once more, and one that lives until it is its turn and its next instruction is
 * decoded, 256 times more at most. */
static void test_looks(void **state)
{
    static const struct {
        unsigned bits, uncertain, looks;
    } cases[] = {{0xe1, 0, 2},   {0xe1, 1, 2}, {0xe1, 5, 6}, {0xe1, 300, 258},
                 {0xc1, 0, 258}, {0xa0, 3, 2}, {0xe5, 2, 3}};
    (void)state;
    for (unsigned i = 0; i < 7; i++) {
        toy_open(&m, 1, NULL, (struct sim_options){.seed = 1});
        hang(0, 1, cases[i].bits, cases[i].uncertain);
        waits();
        struct toy_wave *w = &toy_named("gpu0.cu0")->s.waves[0];
        const unsigned before = w->looked; /* by the report */
        w->looked = 0;
        where(0, 16);
        assert_int_equal(w->looked, cases[i].looks);
        assert_true(before == cases[i].looks);
        w->looked = 0;
        assert_string_equal(where(0, 0), "  gpu0: and 1 more wavefronts\n"); /* nobody is told, it is counted */
        assert_int_equal(w->looked, 1);
        toy_close(&m);
    }
}

/* CUs in their order, in each its SIMDs' wavefronts in turn; the instruction at the PC, across the end of a page; what
 * is too much is counted. */
static void test_instructions_and_many(void **state)
{
    static const uint32_t code[] = {0xbf810000, 0xdc700000, 0x00000402}; /* s_endpgm; flat_store_dword */
    (void)state;
    toy_open(&m, 1, NULL, (struct sim_options){.seed = 1});
    struct pagetable *table = pagetable_new(m.memory, 0);
    assert_int_equal(pagetable_map(table, CODE, pmem_addr(1, 0x1000), 0x1000, PTE_R | PTE_X), 0);
    pmem_write(m.memory, pmem_addr(1, 0x1000), code, sizeof code);
    pmem_write(m.memory, pmem_addr(1, 0x1ffc), code, 4); /* the last of the page */
    const struct msg_cp_cmd vmid = {.kind = CP_VMID, .vmid = 3, .root = pagetable_root(table)};
    sim_cmd(m.sim, 0, &vmid);
    static const unsigned pcs[] = {CODE, CODE + 4, CODE + 0xffc, CODE + 0x1000};
    for (unsigned i = 0; i < 4; i++) {
        struct msg_cp_cmd cmd = toy_launch((uint16_t)(1 + i), 1, (struct toy_work){.op = TOY_HANG, .value = 0xe1});
        cmd.pc = pcs[i];
        sim_cmd(m.sim, 0, &cmd);
    }
    waits();
    assert_string_equal(where(0, 16),
                        "  gpu0.cu0: CU 0 wavefront 0, running, before pc 0x10000: s_endpgm\n"
                        "  gpu0.cu0: CU 0 wavefront 16, running, before pc 0x10ffc: s_endpgm\n"
                        "  gpu0.cu1: CU 1 wavefront 0, running, before pc 0x10004: flat_store_dword v[2:3], v4\n"
                        "  gpu0.cu1: CU 1 wavefront 16, running, before pc 0x11000: no code there\n");
    assert_string_equal(where(0, 2), "  gpu0.cu0: CU 0 wavefront 0, running, before pc 0x10000: s_endpgm\n"
                                     "  gpu0.cu0: CU 0 wavefront 16, running, before pc 0x10ffc: s_endpgm\n"
                                     "  gpu0: and 2 more wavefronts\n");
    pagetable_free(table);
    toy_close(&m);
    toy_open(&m, 1, NULL, (struct sim_options){.seed = 1});
    hang(0, 2 * TOY_PLACES, 0xe1, 0); /* every place */
    waits();
    assert_non_null(strstr(toy_said, "CU 0 wavefront 51, running"));
    assert_null(strstr(toy_said, "CU 0 wavefront 4,"));
    assert_non_null(strstr(toy_said, "  gpu0: and 64 more wavefronts\n"));
    assert_non_null(strstr(where(0, 80), "CU 1 wavefront 57, running"));
    assert_null(strstr(where(0, 80), "more"));
    toy_close(&m);
}

/* shows B.7: The report of a machine that waits is the same wherever the GPU runs. */
static void test_report(void **state)
{
    char *one = NULL;
    (void)state;
    for (unsigned n = 0; n < 2; n++) {
        toy_open(&m, 2, n ? "place.processes=2" : NULL, (struct sim_options){.seed = 1});
        hang(1, 3, 0xf1, 2);
        toy_do(&m, 0, 8, 1, (struct toy_work){.op = TOY_HALT});
        waits();
        if (n == 0) {
            one = xstrdup(toy_said);
            assert_non_null(strstr(one, "all partitions are idle and no message is under way\n"
                                        "  host.cp waits for gpu0.dispatch: launch 8\n"
                                        "  host.cp waits for gpu1.dispatch: launch 7\n"));
            assert_non_null(strstr(one,
                                   "  gpu0.cu0: CU 0 wavefront 0, running, before pc 0x10000: no code there\n"
                                   "  gpu1.cu0: CU 0 wavefront 0, at a barrier, before pc 0x10000: no code there\n"
                                   "  gpu1.cu0: CU 0 wavefront 16, at a barrier, before pc 0x10000: no code there\n"
                                   "  gpu1.cu1: CU 1 wavefront 0, at a barrier, before pc 0x10000: no code there\n"));
        } else {
            const char *places = strstr(toy_said, "  gpu0.cu0: CU 0");
            assert_non_null(places);
            assert_string_equal(places, strstr(one, "  gpu0.cu0: CU 0"));
        }
        toy_close(&m);
    }
    free(one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_states),
        cmocka_unit_test(test_looks),
        cmocka_unit_test(test_instructions_and_many),
        cmocka_unit_test(test_report),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
