/* SPDX-License-Identifier: Apache-2.0
 * A monitor on the real CUs of a whole machine (S3.5): all that a dispatcher sends to a CU for a kernel is its
 * wavefronts, all that a CU sends to the dispatcher is that they have ended, one message for each, in the recording of
 * a run.  No CU says that it has taken a wavefront, or that it has not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "saved/journal.h"
#include "gantry_msg.h"
#include "record/message_log.h"
#include "record/record_format.h"

#define CUS 4u
#define GROUPS 96u
#define GROUP_WAVES 4u

static char folder[] = "/tmp/gantry-monitor-XXXXXX";

struct seen {
    unsigned kinds[8];
    uint64_t first, last; /* cycles */
};

/* Of the port whose messages have this size: no other of a CU in this direction has it. */
static struct seen messages(struct journal_reader *reader, unsigned stream, uint32_t bytes)
{
    struct message_log log = {.stream = stream};
    struct message message;
    struct seen seen = {.kinds = {0}};
    while (message_read(&log, reader, &message)) {
        if (message.bytes != bytes)
            continue;
        assert_true(message.data[0] < 8); /* kind, of both messages */
        seen.first = seen.first ? seen.first : message.cycle;
        seen.last = message.cycle;
        seen.kinds[message.data[0]]++;
    }
    message_log_fini(&log);
    return seen;
}

static void run(const char *options)
{
    char command[600];
    snprintf(command, sizeof command,
             "make -s build/kernels/vecadd.v4.co && build/bin/gantry kernel -q -c demo --set system.gpus=1 %s "
             "--record %s/r,gpu0.cu0,gpu0.cu1,gpu0.cu2,gpu0.cu3 build/kernels/vecadd.v4.co --grid %u --group %u "
             "--arg zero:%u --arg fill:1:%u --arg fill:2:%u >%s/log 2>&1",
             options, folder, GROUPS * GROUP_WAVES * 64, GROUP_WAVES * 64, GROUPS * GROUP_WAVES * 256,
             GROUPS * GROUP_WAVES * 256, GROUPS * GROUP_WAVES * 256, folder);
    assert_int_equal(system(command), 0);
}

/* shows S3.5: Each wavefront is told to a CU once, with no answer but its end, while CUs are full and groups wait. */
static void ends_are_all_that_is_said(void **state)
{
    (void)state;
    enum gantry_status failure;
    char path[sizeof folder + 16];
    run("");
    snprintf(path, sizeof path, "%s/r/" RECORD_FILE, folder);
    struct journal_reader *reader = journal_open(path, RECORD_KIND, RECORD_VERSION, &failure);
    assert_non_null(reader);
    unsigned waves = 0;
    for (unsigned cu = 0; cu < CUS; cu++) {
        const struct seen told = messages(reader, STREAM_PART_IN(cu), sizeof(struct msg_cu_cmd));
        const struct seen said = messages(reader, STREAM_PART_OUT(cu), sizeof(struct msg_cu_evt));
        for (unsigned kind = 0; kind < 8; kind++) {
            assert_int_equal(told.kinds[kind] != 0, kind == CU_WAVE);
            assert_int_equal(said.kinds[kind] != 0, kind == CU_EVT_WAVE_DONE);
        }
        assert_int_equal(told.kinds[CU_WAVE], said.kinds[CU_EVT_WAVE_DONE]);
        assert_true(said.first > told.first && said.last > told.last && said.first < told.last);
        waves += told.kinds[CU_WAVE];
    }
    assert_int_equal(waves, GROUPS * GROUP_WAVES);
    journal_reader_free(reader);
}

static int folder_make(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int folder_remove(void **state)
{
    char command[80];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command) == 0 ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ends_are_all_that_is_said)};
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
