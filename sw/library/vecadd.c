/* SPDX-License-Identifier: Apache-2.0
 * A kernel on a simulated GPU, from C (docs/library.md):
 *   cc vecadd.c $(pkg-config --cflags --libs gantry) -o vecadd && ./vecadd vecadd.co [rtl]
 */
#include <gantry/gantry.h>
#include <stdio.h>
#include <string.h>

#define ITEMS 1024u

static struct gantry_error error;

/* Ends the program with the line of what went wrong. */
#define TRY(call)                                                                                                      \
    if ((call) != GANTRY_OK)                                                                                           \
    return fprintf(stderr, "%s\n", error.line), 1

int main(int argc, char **argv)
{
    struct gantry_options options = {.size = sizeof options, .model = GANTRY_GOLDEN};
    struct gantry_config *config;
    struct gantry_machine *machine;
    struct gantry_object *object;
    struct gantry_launch *launch;
    struct gantry_row row;
    uint32_t a[ITEMS], b[ITEMS], sum[ITEMS];
    uint64_t place[3];
    const uint32_t grid[3] = {ITEMS, 1, 1}, group[3] = {256, 1, 1};

    if (argc < 2)
        return fprintf(stderr, "vecadd OBJECT [rtl]\n"), 2;
    if (argc > 2 && strcmp(argv[2], "rtl") == 0)
        options.model = GANTRY_RTL;
    for (uint32_t i = 0; i < ITEMS; i++) {
        a[i] = i;
        b[i] = 3 * i;
    }
    TRY(gantry_config_new(&config, &error));
    TRY(gantry_config_load(config, "tiny", &error));
    TRY(gantry_machine_new(config, &options, &machine, &error));
    TRY(gantry_object_open(argv[1], &object, &error));
    for (int i = 0; i < 3; i++)
        TRY(gantry_alloc(machine, GANTRY_VRAM, sizeof a, &place[i], &error));
    TRY(gantry_write(machine, place[1], a, sizeof a, &error));
    TRY(gantry_write(machine, place[2], b, sizeof b, &error));
    const struct gantry_arg args[3] = {{NULL, &place[0], 8}, {NULL, &place[1], 8}, {NULL, &place[2], 8}};
    TRY(gantry_launch_new(machine, object, "vecadd", grid, group, args, 3, &launch, &error));
    TRY(gantry_launch_run(launch, &error));
    TRY(gantry_read(machine, place[0], sum, sizeof sum, &error));
    for (uint32_t i = 0; i < ITEMS; i++)
        if (sum[i] != 4 * i)
            return fprintf(stderr, "sum %u is %u\n", i, sum[i]), 1;
    TRY(gantry_kernel_row(machine, 0, &row, &error));
    printf("%s: %llu instructions in %llu wavefronts, cycles %llu to %llu\n", row.kernel,
           (unsigned long long)row.instructions, (unsigned long long)row.wavefronts, (unsigned long long)row.start,
           (unsigned long long)row.end);
    gantry_machine_free(machine);
    gantry_object_free(object);
    gantry_config_free(config);
    return 0;
}
