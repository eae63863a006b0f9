// SPDX-License-Identifier: Apache-2.0
// What the host's side of a machine tells its recording (sim.c, host_events.c, sim_goals.c): commands, requests,
// events, answers of VRAM and ends of kernels, each once, at its cycle and in the order in which they happened.
#include "../machine/hand_bench.h"
#include "record/record.h"
#include "record/record_format.h"
#include "saved/journal.h"

static void a_kernel_ends(struct hand *h, const struct hand_note *n)
{
    if (n->what == 't' && n->value == 1)
        sim_kernel(h->sim, 7);
}

// One line a record of the host: kind, GPU, cycle, bytes; without marks.
static void told(const char *file, char *text, size_t room)
{
    enum gantry_status failure;
    struct journal_reader *r = journal_open(file, RECORD_KIND, RECORD_VERSION, &failure);
    assert_non_null(r);
    struct host_record head;
    uint8_t bytes[512];
    size_t used = 0;
    text[0] = 0;
    while (journal_take(r, STREAM_HOST, &head, sizeof head)) {
        assert_true(head.bytes <= sizeof bytes);
        if (head.bytes)
            assert_true(journal_take(r, STREAM_HOST, bytes, head.bytes));
        if (head.kind == HOST_MARK)
            continue;
        used += (size_t)snprintf(text + used, room - used, "%u %u %llu %u\n", head.kind, head.gpu,
                                 (unsigned long long)head.cycle, head.kind == HOST_END ? 0 : head.bytes);
        if (head.kind == HOST_ACCESS)
            assert_int_equal(((struct access_record *)bytes)->overlap, ((struct access_record *)bytes)->req.addr != 0);
    }
    journal_reader_free(r);
}

static void what_happens_is_recorded(void **state)
{
    (void)state;
    char folder[] = "/tmp/gantry-host-recorded-XXXXXX", dir[80], file[100], text[600];
    enum gantry_status failure;
    assert_non_null(mkdtemp(folder));
    snprintf(dir, sizeof dir, "%s/rec", folder);
    snprintf(file, sizeof file, "%s/" RECORD_FILE, dir);
    struct record *record = record_open(dir, NULL, 0, &failure);
    assert_non_null(record);
    struct hand *h = hand_open(2, true, NULL);
    struct part *hostmem = h->sim->hostmem = hostmem_new(h->memory, 1, 1);
    h->sim->options.record = record;
    assert_true(record_attach(record, h->sim));
    h->act = a_kernel_ends;
    hand_cmd(h, 1, CP_LAUNCH, 3);
    sim_timer(h->sim, 503, 1);
    sim_timer(h->sim, 5000, 2); // there is always something left to do
    assert_int_equal(sim_run(h->sim, 511), SIM_STOPPED);
    hand_cmd(h, 0, CP_VMID, 0);
    hand_read(h, 0, false, 1);
    hand_read(h, (UINT64_C(2) << 48) + 64, true, 2);
    hand_event(h, 1, 1003, CP_EVT_LAUNCH_DONE, 3);
    hand_answer(h, 2, 1004, 0, 5);
    hand_answer(h, 0, 1005, 0, 5); // a stream of its own
    assert_int_equal(sim_run(h->sim, UINT64_MAX), SIM_STOPPED);
    assert_int_equal(record_close(record, true), STATUS_OK);
    hand_close(h);
    told(file, text, sizeof text);
    char wanted[600];
    snprintf(wanted, sizeof wanted,
             "%u 1 0 168\n%u 0 503 8\n%u 0 511 168\n%u 255 511 104\n%u 1 511 104\n%u 1 1003 56\n%u 1 1004 72\n",
             HOST_COMMAND, HOST_KERNEL, HOST_COMMAND, HOST_ACCESS, HOST_ACCESS, HOST_EVENT, HOST_ANSWER);
    assert_int_equal(strncmp(text, wanted, strlen(wanted)), 0);
    part_free(hostmem);
    assert_int_equal(unlink(file), 0);
    assert_int_equal(rmdir(dir), 0);
    assert_int_equal(rmdir(folder), 0);
}

// What a program has changed in VRAM is looked for before partitions run, and is there once.
static void changes_are_recorded(void **state)
{
    (void)state;
    char folder[] = "/tmp/gantry-host-recorded-XXXXXX", dir[80], file[100], text[600], wanted[600];
    enum gantry_status failure;
    assert_non_null(mkdtemp(folder));
    snprintf(dir, sizeof dir, "%s/rec", folder);
    snprintf(file, sizeof file, "%s/" RECORD_FILE, dir);
    struct record *record = record_open(dir, NULL, 0, &failure);
    assert_non_null(record);
    struct hand *h = hand_open(1, true, NULL);
    struct part *hostmem = h->sim->hostmem = hostmem_new(h->memory, 1, 1);
    struct part *store = h->sim->gpus[0].store = store_new(h->memory, 0, HAND_VRAM, 1);
    h->sim->options.record = record;
    assert_true(record_attach(record, h->sim));
    sim_timer(h->sim, 5000, 2);
    for (unsigned round = 0; round < 3; round++) {
        const uint64_t at = 100 * round;
        pmem_vram(h->memory, 0, 4096 * round, 64)[0] = 7;
        hand_cmd(h, 0, CP_VMID, 0);
        sim_still(h->sim, false);
        assert_int_equal(sim_run(h->sim, at + 99), SIM_STOPPED);
    }
    assert_int_equal(record_close(record, true), STATUS_OK);
    h->sim->gpus[0].store = NULL;
    hand_close(h);
    told(file, text, sizeof text);
    /* the first partition runs in the second round: it finds two */
    snprintf(wanted, sizeof wanted,
             "%u 0 0 168\n%u 0 99 168\n%u 0 99 72\n%u 0 99 72\n%u 0 199 168\n%u 0 199 72\n%u 0 299 0\n", HOST_COMMAND,
             HOST_COMMAND, HOST_PATCH, HOST_PATCH, HOST_COMMAND, HOST_PATCH, HOST_END);
    assert_string_equal(text, wanted);
    part_free(store);
    part_free(hostmem);
    assert_int_equal(unlink(file), 0);
    assert_int_equal(rmdir(dir), 0);
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_happens_is_recorded),
                                       cmocka_unit_test(changes_are_recorded)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
