/* SPDX-License-Identifier: Apache-2.0
 * A launch by libgantry.so, for host_clients.py: CONFIGURATION [KEY=VALUE...] // CODE GRID GROUP ARG...
 */
#include <stdio.h>
#include <string.h>

#include "lib/gantry.h"

#define ARGS_MOST 16

static struct gantry_error error;

/* Ends the program with the line of what went wrong. */
#define TRY(call)                                                                                                      \
    do                                                                                                                 \
        if ((call) != GANTRY_OK)                                                                                       \
            return fprintf(stderr, "%s\n", error.line), 1;                                                             \
    while (0)

static int launch(struct gantry_config *config, char **words, int count)
{
    struct gantry_machine *machine;
    struct gantry_object *object;
    struct gantry_launch *launch;
    struct gantry_summary summary;
    struct gantry_arg args[ARGS_MOST] = {{.bytes = 0}};
    uint32_t shape[2][3] = {{1, 1, 1}, {1, 1, 1}};
    for (int i = 0; i < 2; i++)
        if (sscanf(words[1 + i], "%u,%u,%u", &shape[i][0], &shape[i][1], &shape[i][2]) < 1)
            return 64;
    for (int i = 3; i < count; i++)
        args[i - 3].spec = words[i];
    TRY(gantry_machine_new(config, NULL, &machine, &error));
    TRY(gantry_object_open(words[0], &object, &error));
    TRY(gantry_launch_new(machine, object, NULL, shape[0], shape[1], args, (unsigned)count - 3, &launch, &error));
    TRY(gantry_launch_run(launch, &error));
    TRY(gantry_summarize(machine, &summary, &error));
    printf("cycles=%llu counters=%016llx\n", (unsigned long long)summary.cycles, (unsigned long long)summary.counters);
    gantry_machine_free(machine);
    gantry_object_free(object);
    gantry_config_free(config);
    return 0;
}

int main(int argc, char **argv)
{
    struct gantry_config *config;
    int i = 2;
    TRY(gantry_config_new(&config, &error));
    TRY(gantry_config_load(config, argc > 1 ? argv[1] : "", &error));
    for (; i < argc && strcmp(argv[i], "//") != 0; i++)
        TRY(gantry_config_set(config, argv[i], &error));
    if (argc - i < 4 || argc - i - 4 > ARGS_MOST)
        return 64;
    return launch(config, argv + i + 1, argc - i - 1);
}
