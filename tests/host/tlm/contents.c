// SPDX-License-Identifier: Apache-2.0
// What a machine whose GPU is RTL of its own holds in the GPU's memory behind one launch, for test_kernel.py.
// contents FILE CONFIGURATION SETTING... // CODE GRID GROUP ARG...; FILE: each page that is not zero, behind its
// number.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/lib_private.h"
#include "vm/pmem.h"

#define PAGE 4096u
#define OR_END(call)                                                                                                   \
    do {                                                                                                               \
        struct gantry_error error;                                                                                     \
        struct gantry_error *e = &error;                                                                               \
        if ((call) != GANTRY_OK) {                                                                                     \
            fprintf(stderr, "%s\n", error.line);                                                                       \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

static const uint32_t *dims(const char *text, uint32_t to[3])
{
    to[0] = to[1] = to[2] = 1;
    return sscanf(text, "%u,%u,%u", &to[0], &to[1], &to[2]) > 0 ? to : NULL;
}

static void contents_write(struct gantry_machine *m, const char *path)
{
    struct pmem *memory = machine_memory(local_machine(m->local));
    const uint64_t bytes = pmem_vram_bytes(memory);
    const uint8_t *vram = pmem_vram(memory, 0, 0, bytes);
    FILE *out = fopen(path, "w");
    for (uint64_t number = 0; out && number < bytes / PAGE; number++) {
        const uint8_t *page = vram + number * PAGE;
        if (page[0] == 0 && memcmp(page, page + 1, PAGE - 1) == 0)
            continue;
        fwrite(&number, sizeof number, 1, out);
        fwrite(page, 1, PAGE, out);
    }
    if (out == NULL || fclose(out) != 0)
        exit(2);
}

int main(int argc, char **argv)
{
    struct gantry_config *config;
    struct gantry_machine *machine;
    struct gantry_object *object;
    struct gantry_launch *launch;
    struct gantry_arg args[16] = {{.bytes = 0}};
    uint32_t grid[3], group[3];
    int i = 3;
    OR_END(gantry_config_new(&config, e));
    OR_END(gantry_config_load(config, argv[2], e));
    for (; i < argc && strcmp(argv[i], "//") != 0; i++)
        OR_END(gantry_config_set(config, argv[i], e));
    if (i + 3 >= argc || argc - i - 4 > 16)
        return 64;
    for (int n = 0; n < argc - i - 4; n++)
        args[n].spec = argv[i + 4 + n];
    OR_END(gantry_machine_new(config, NULL, &machine, e));
    OR_END(gantry_object_open(argv[i + 1], &object, e));
    OR_END(gantry_launch_new(machine, object, NULL, dims(argv[i + 2], grid), dims(argv[i + 3], group), args,
                             (unsigned)(argc - i - 4), &launch, e));
    OR_END(gantry_launch_run(launch, e));
    contents_write(machine, argv[1]);
    gantry_machine_free(machine);
    gantry_object_free(object);
    gantry_config_free(config);
    return 0;
}
