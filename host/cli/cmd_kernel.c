/* SPDX-License-Identifier: Apache-2.0
 * gantry kernel: kernels of code objects, without ROCm, through the same packets and command processor.
 */
#include <stdlib.h>

#include "base/log.h"
#include "cli/cli.h"
#include "cli/kernel_list.h"
#include "cli/kernel_run.h"
#include "cli/kernel_script.h"
#include "cli/kernel_word.h"
#include "cli/options.h"
#include "cli/recording.h"

/* What is launched: of the word behind the options, or of the script. */
static enum gantry_status launches_read(struct session *session, struct kernel_script *script, int argc, char **argv)
{
    const struct cli_options *o = &session->options;

    if (o->script) {
        if (o->first < argc || o->shape.grid_dims || o->shape.group_dims || o->arg_count) {
            diag("--script", "%s",
                 o->first < argc ? "code objects stand in the script"
                                 : "grid, group and arguments stand in the script");
            return STATUS_USAGE;
        }
        return script_read(script, o->script);
    }
    if (o->first == argc - 1)
        return script_of_word(script, o, argv[o->first]);
    if (o->first >= argc)
        diag("kernel",
             "no code object: gantry kernel -c CONFIG [options] FILE[:KERNEL] --grid X --group X [--arg SPEC]...");
    else
        diag("kernel", "unexpected argument %s", argv[o->first + 1]);
    return STATUS_USAGE;
}

/* --list: nothing is launched. */
static enum gantry_status file_list(const struct cli_options *o, int argc, char **argv)
{
    const char *name;

    if (o->script || o->first != argc - 1) {
        diag("--list", "of one code object: gantry kernel --list FILE[:KERNEL]");
        return STATUS_USAGE;
    }
    char *path = kernel_word_split(argv[o->first], &name);
    enum gantry_status status = kernel_list(path, name);
    free(path);
    return status;
}

int cmd_kernel(int argc, char **argv)
{
    struct session session;
    struct kernel_script script = {.launch_count = 0};
    enum gantry_status status = session_open(&session, "kernel", argc, argv);

    if (status == STATUS_OK && session.options.list) {
        status = file_list(&session.options, argc, argv);
        return session_close(&session, status_exit(status));
    }
    if (status == STATUS_OK)
        status = launches_read(&session, &script, argc, argv);
    if (status == STATUS_OK)
        status = recording_begin(&session);
    const int exit_status = status == STATUS_OK ? kernel_run(&session, &script) : status_exit(status);
    script_fini(&script);
    return session_close(&session, exit_status);
}
