// SPDX-License-Identifier: Apache-2.0
// A recorded run of a toy machine: kernels of one or two GPUs that read and change host memory and VRAM, the host's own
// accesses, changes of VRAM by others.  What the host saw is left in the machine.  Not responsible for: the machine
// (toy_machine.h), what a test makes of the recording.
#ifndef TOY_RECORDING_H
#define TOY_RECORDING_H
#include <sys/stat.h>

#include "../machine/toy_machine.h"
#include "machine/goals.h"
#include "record/record.h"
#include "record/record_format.h"
#include "saved/journal.h"
#include "target/memory_parts.h"

#define TOY_HOST 0x5000u      // text in host memory, 256 bytes
#define TOY_PATCH 0x8000u     // changed by others, before the run and between two of its runs
#define TOY_COPIED 0x3000u    // where launch 1 of GPU 0 puts the text
#define TOY_WRITTEN 0x10000u  // in VRAM 0, launch 2 of the last GPU
#define TOY_COUNTER 0x5204u   // in host memory, launch 3
#define TOY_AGAIN_TO 0x20000u // in VRAM 0, launch 4, from TOY_PATCH

static char toy_folder[] = "/tmp/gantry-toy-XXXXXX", toy_dir[64]; // toy_dir: the recording's, not there yet

static inline int toy_folder_make(void **state)
{
    (void)state;
    return mkdtemp(toy_folder) == NULL || snprintf(toy_dir, sizeof toy_dir, "%s/run", toy_folder) < 0;
}

static inline void toy_folder_clear(const char *what)
{
    char command[200];
    snprintf(command, sizeof command, "rm -rf %s/%s", toy_folder, what);
    assert_int_equal(system(command), 0);
}

static inline int toy_folder_remove(void **state)
{
    (void)state;
    toy_folder_clear("");
    return 0;
}

/* The host counts kernels, as the command does. */
static inline void toy_count_kernel(struct toy_machine *m)
{
    uint64_t number = 0;

    for (unsigned i = 0; i < m->event_count; i++)
        number += m->events[i].evt.kind == CP_EVT_LAUNCH_DONE;
    if (m->events[m->event_count - 1].evt.kind == CP_EVT_LAUNCH_DONE)
        sim_kernel(m->sim, number);
}

static inline void toy_fill(struct toy_machine *m, unsigned owner, uint64_t at, unsigned bytes, uint8_t from)
{
    uint8_t text[512];
    for (unsigned i = 0; i < bytes; i++)
        text[i] = (uint8_t)(from + 3 * i);
    assert_int_equal(pmem_write(m->memory, pmem_addr(owner, at), text, bytes), 0);
}

static inline void toy_access(struct toy_machine *m, uint64_t cookie, enum mem_op op, uint64_t addr, bool overlap)
{
    struct msg_mem_req req = {.op = (uint8_t)op, .addr = addr, .mask = op == MEM_WRITE ? 0xff0f : 0};
    for (unsigned i = 0; i < 8; i++)
        req.data[i] = op == MEM_WRITE ? cookie * 1000 + i : 0;
    if (op == MEM_ATOMIC) {
        req.atomic = ATOMIC_ADD;
        req.size = 8;
        req.data[0] = 3;
    }
    sim_access(m->sim, &req, overlap, cookie);
}

/* First half: launches 1 to 3, accesses 100 to 104. */
static inline void toy_scene_begin(struct toy_machine *m)
{
    const unsigned last = m->config.cfg.system_gpus - 1;
    m->at_event = toy_count_kernel;
    toy_fill(m, 0, TOY_HOST, 256, 17);
    toy_fill(m, 1, TOY_PATCH, 64, 40);
    toy_do(
        m, 0, 1, 2,
        (struct toy_work){.op = TOY_COPY, .count = 2, .to = pmem_addr(1, TOY_COPIED), .from = pmem_addr(0, TOY_HOST)});
    toy_do(m, last, 2, 2, (struct toy_work){.op = TOY_WRITE, .count = 3, .to = pmem_addr(1, TOY_WRITTEN), .value = 99});
    toy_do(m, 0, 3, 1, (struct toy_work){.op = TOY_ATOMIC, .count = 2, .to = pmem_addr(0, TOY_COUNTER), .value = 5});
    toy_access(m, 100, MEM_READ, pmem_addr(1, TOY_PATCH), false);
    toy_access(m, 101, MEM_WRITE, pmem_addr(1, TOY_PATCH + 0x100), true);
    toy_access(m, 102, MEM_READ, pmem_addr(0, TOY_HOST), false);
    toy_access(m, 103, MEM_ATOMIC, pmem_addr(0, TOY_HOST + 0x300), false);
    toy_access(m, 104, MEM_WRITE, pmem_addr(0, TOY_HOST + 0x340), false);
}

/* Second half: others have changed VRAM meanwhile. */
static inline void toy_scene_go_on(struct toy_machine *m)
{
    toy_fill(m, 1, TOY_PATCH + 64, 64, 90);
    toy_do(m, 0, 4, 1,
           (struct toy_work){
               .op = TOY_COPY, .count = 2, .to = pmem_addr(1, TOY_AGAIN_TO), .from = pmem_addr(1, TOY_PATCH)});
}

static uint64_t toy_between; /* cycle between the halves of the last run */

/* A run of it into toy_dir, still open: record and machine are the test's to close. */
static inline struct record *toy_recorded_run(struct toy_machine *m, unsigned gpus, char *const *parts, unsigned count,
                                              struct sim_options options)
{
    enum gantry_status failure;
    toy_folder_clear("run");
    struct record *r = record_open(toy_dir, parts, count, &failure);
    assert_non_null(r);
    record_text(r, RECORD_CONFIG, "key: value\n", 11);
    record_text(r, RECORD_COMMAND, "run x", 5);
    options.seed = 1;
    options.record = r;
    toy_open(m, gpus, NULL, options);
    toy_scene_begin(m);
    toy_run(m);
    toy_between = sim_now(m->sim);
    toy_scene_go_on(m);
    toy_run(m);
    assert_int_equal(m->event_count, 4);
    assert_int_equal(m->answer_count, 5);
    return r;
}

/* The whole, closed. */
static inline uint64_t toy_record_all(struct toy_machine *m, unsigned gpus, char *const *parts, unsigned count)
{
    struct record *r = toy_recorded_run(m, gpus, parts, count, (struct sim_options){.seed = 1});
    const uint64_t hash = sim_write_hash(m->sim);
    record_text(r, RECORD_RESULT, "result", 6);
    assert_int_equal(record_close(r, true), STATUS_OK);
    toy_close(m);
    return hash;
}

/* The file of the run recorded last. */
static inline struct journal_reader *journal_of_run(void)
{
    char path[100];
    enum gantry_status failure;
    snprintf(path, sizeof path, "%s/" RECORD_FILE, toy_dir);
    struct journal_reader *reader = journal_open(path, RECORD_KIND, RECORD_VERSION, &failure);
    assert_non_null(reader);
    return reader;
}
#endif
