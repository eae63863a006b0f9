// SPDX-License-Identifier: Apache-2.0
// What the tests of the library share: a kernel, a machine of the smallest kind, errors compared with the command's
// lines.
#ifndef LIB_BENCH_H
#define LIB_BENCH_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/gantry.h"

#define VECADD "build/kernels/vecadd.v4.co"
#define ITEMS 256u
#define BYTES (4 * ITEMS)

static const uint32_t grid[3] = {ITEMS, 1, 1}, group[3] = {64, 1, 1};
static const struct gantry_arg vecadd_args[3] = {
    {.spec = "zero:1024"}, {.spec = "fill:1:1024"}, {.spec = "fill:2:1024"}};

// The call fails like that, and says so.
#define REFUSED(status, text, call)                                                                                    \
    do {                                                                                                               \
        struct gantry_error error_, *error = &error_;                                                                  \
        assert_int_equal(call, status);                                                                                \
        assert_int_equal(error->code, status);                                                                         \
        assert_string_equal(error->line, text);                                                                        \
    } while (0)
#define DONE(call)                                                                                                     \
    do {                                                                                                               \
        struct gantry_error error_, *error = &error_;                                                                  \
        if ((call) != GANTRY_OK)                                                                                       \
            fail_msg("%s", error->line);                                                                               \
        assert_true(error->code == GANTRY_OK && !*error->line);                                                        \
    } while (0)

static inline struct gantry_config *tiny(void)
{
    struct gantry_config *config;
    DONE(gantry_config_new(&config, error));
    DONE(gantry_config_load(config, "tiny", error));
    return config;
}

static inline struct gantry_machine *machine_of(const struct gantry_options *options)
{
    struct gantry_config *config = tiny();
    struct gantry_machine *machine;
    DONE(gantry_machine_new(config, options, &machine, error));
    gantry_config_free(config);
    return machine;
}

static inline struct gantry_machine *golden(void)
{
    const struct gantry_options options = {.size = sizeof options, .model = GANTRY_GOLDEN};
    return machine_of(&options);
}

static inline struct gantry_object *vecadd_open(void)
{
    struct gantry_object *object;
    DONE(gantry_object_open(VECADD, &object, error));
    return object;
}

static inline struct gantry_launch *vecadd_launch(struct gantry_machine *machine, struct gantry_object *object)
{
    struct gantry_launch *launch;
    DONE(gantry_launch_new(machine, object, NULL, grid, group, vecadd_args, 3, &launch, error));
    return launch;
}

// Its sums are right.
static inline void vecadd_check(struct gantry_machine *machine, struct gantry_launch *launch)
{
    uint32_t sums[ITEMS];
    uint64_t address, bytes;
    DONE(gantry_launch_buffer(launch, 0, &address, &bytes, error));
    assert_true(bytes == BYTES);
    DONE(gantry_read(machine, address, sums, BYTES, error));
    for (unsigned i = 0; i < ITEMS; i++)
        assert_int_equal(sums[i], 0x03030303);
}

static inline int kernels_build(void **state)
{
    (void)state;
    return system("make -s " VECADD " build/kernels/saxpy.v4.co >/dev/null 2>&1 </dev/null");
}
#endif
