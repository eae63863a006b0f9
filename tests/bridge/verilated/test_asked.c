// SPDX-License-Identifier: Apache-2.0
// Requests under way (asked.c): any order of answers, equal tags, tables that grow, against a list; what a report says;
// what is never answered, or not asked for.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bridge/verilated/asked.h"
#include "gantry_msg.h"

static const struct model_port initiator = {
    .name = "mem_req", .out = 1, .count = 1, .bytes = sizeof(struct msg_mem_req)};

static const char *report(const struct asked *a)
{
    static char text[1000];
    memset(text, 0, sizeof text);
    FILE *out = fmemopen(text, sizeof text, "w");
    asked_report(a, out);
    fclose(out);
    return text;
}

static struct model_port port(const char *name, uint32_t bytes)
{
    return (struct model_port){.name = name, .out = 1, .count = 1, .bytes = bytes};
}

static void what_a_report_says(void **state)
{
    (void)state;
    struct asked *a = asked_new(&initiator);
    assert_true(asked_answers(a));
    assert_string_equal(report(a), "");
    for (unsigned i = 0; i < 6; i++) {
        const struct msg_mem_req req = {
            .op = (uint8_t)(i % 5), .tag = 0x80000000 + i % 3, .source = 9, .addr = 0x1000 * i};
        asked_sent(a, 100 - i, &req); /* no order is taken for granted */
    }
    const struct msg_mem_rsp other = {.tag = 77}, none = {.tag = 0x80000001, .source = 4};
    asked_answered(a, &other);
    assert_string_equal(report(a),
                        "    since cycle 95: read at 0x5000\n    since cycle 96: translation at 0x4000\n"
                        "    since cycle 97: atomic at 0x3000\n    since cycle 98: store at 0x2000\n    and 2 more\n");
    asked_answered(a, &none); /* whatever source: an initiator is alone; the first with that tag */
    asked_answered(a, &none);
    asked_answered(a, &none);
    assert_string_equal(report(a), "    since cycle 95: read at 0x5000\n    since cycle 97: atomic at 0x3000\n"
                                   "    since cycle 98: store at 0x2000\n    since cycle 100: read at 0x0\n");
    asked_free(a);
    asked_free(NULL);
}

static void other_messages(void **state)
{
    (void)state;
    struct model_port p = port("dram_req", sizeof(struct msg_dram_req));
    struct asked *a = asked_new(&p);
    struct msg_dram_req dram = {.write = 1, .tag = 3, .addr = 64};
    asked_sent(a, 5, &dram);
    dram.write = 0;
    asked_sent(a, 6, &dram);
    assert_false(asked_answers(a));
    assert_int_equal(asked_unanswerable(a), 1);
    assert_string_equal(report(a), ""); /* whoever has asked the slice knows */
    asked_free(a);

    p = port("ifetch_req", sizeof(struct msg_ifetch_req));
    a = asked_new(&p);
    struct msg_ifetch_req fetch = {.wave = 7, .epoch = 1, .va = 32};
    asked_sent(a, 9, &fetch);
    fetch.epoch = 2, fetch.va = 64;
    asked_sent(a, 10, &fetch);
    const struct msg_ifetch_rsp code = {.wave = 7, .epoch = 2};
    asked_answered(a, &code);
    assert_string_equal(report(a), "    since cycle 9: code at 0x20\n");
    asked_free(a);

    p = port("smem_req", sizeof(struct msg_smem_req));
    a = asked_new(&p);
    struct msg_smem_req scalar = {.op = SMEM_DATA, .wave = 7, .tag = 1, .va = 4};
    asked_sent(a, 7, &scalar);
    scalar.op = SMEM_LOAD;
    asked_sent(a, 8, &scalar);
    scalar.tag = 2, scalar.va = 8;
    asked_sent(a, 9, &scalar);
    const struct msg_smem_rsp got = {.wave = 7, .tag = 1};
    asked_answered(a, &got);
    assert_int_equal(asked_unanswerable(a), 1);
    assert_string_equal(report(a), "    since cycle 9: scalar access at 0x8\n");
    asked_free(a);
    p = port("ctl_cmd", 32);
    assert_null(asked_new(&p));
    p = port("mem_req", 4); /* a message of another table */
    assert_null(asked_new(&p));
    p = initiator, p.count = 4; /* a crossbar's, which hands on */
    assert_null(asked_new(&p));
}

/* Against a list in the order of sending; at most 300 under way, of 40 tags. */
static void any_order(void **state)
{
    static struct {
        uint32_t tag;
        uint64_t cycle;
    } list[400];
    (void)state;
    struct asked *a = asked_new(&initiator);
    unsigned count = 0;
    srand(1);
    for (uint64_t cycle = 1; cycle < 20000; cycle++) {
        const unsigned most = cycle % 4000 < 2000 ? 300 : 3;
        const uint32_t tag = (uint32_t)rand() % 40 << 24;
        if (count < most && rand() % 2) {
            const struct msg_mem_req req = {.tag = tag, .addr = cycle};
            asked_sent(a, cycle, &req);
            list[count].tag = tag, list[count++].cycle = cycle;
        } else {
            const struct msg_mem_rsp rsp = {.tag = tag};
            asked_answered(a, &rsp);
            for (unsigned i = 0; i < count; i++)
                if (list[i].tag == tag) {
                    memmove(&list[i], &list[i + 1], (--count - i) * sizeof list[0]);
                    break;
                }
        }
        if (cycle % 7)
            continue;
        char want[400] = "";
        for (unsigned i = 0; i < count && i < 4; i++)
            snprintf(want + strlen(want), sizeof want - strlen(want), "    since cycle %llu: read at 0x%llx\n",
                     (unsigned long long)list[i].cycle, (unsigned long long)list[i].cycle);
        if (count > 4)
            snprintf(want + strlen(want), sizeof want - strlen(want), "    and %u more\n", count - 4);
        assert_string_equal(report(a), want);
    }
    asked_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_report_says),
        cmocka_unit_test(other_messages),
        cmocka_unit_test(any_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
