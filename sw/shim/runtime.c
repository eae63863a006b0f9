/* SPDX-License-Identifier: Apache-2.0
 * What a client asks of the ROCm runtime, seen as a tool sees it: the runtime loads the tools that HSA_TOOLS_LIB names
 * (environment.c) in every hsa_init and hands them its table of functions.  So it does not count how the program has
 * found a function, and in which scope the runtime lies.  Finds polling that reads no time-stamp counter and waits
 * with a time limit, and keeps images away (images.c).
 */
#include "runtime.h"
#include "shim.h"

#define LOADS_PARK 3

/* The runtime's interface for tools (hsa_api_trace.h, C++; tests/sw/shim compares). */
struct api_version {
    uint32_t major_id, minor_id, step_id, reserved;
};
struct api_part {
    struct api_version version; /* minor_id: bytes of this table */
    void *function[];
};
struct api_table {
    struct api_version version;
    struct api_part *core, *amd, *finalizer, *image;
};

EXPORT bool OnLoad(struct api_table *table, uint64_t version, uint64_t failed_count, const char *const *failed);

/* The runtime's own functions, as of the last hsa_init. */
static int64_t (*load_relaxed)(uint64_t), (*load_scacquire)(uint64_t);
static int64_t (*wait_relaxed)(uint64_t, int, int64_t, uint64_t, int);
static int64_t (*wait_scacquire)(uint64_t, int, int64_t, uint64_t, int);
static uint64_t (*read_relaxed)(const void *), (*read_scacquire)(const void *), (*write_relaxed)(const void *);
static int (*copy)(void *, const void *, size_t);

/* hipEventQuery in a loop: the same signal with the same value again and again, and no driver call between. */
static int64_t value_loaded(uint64_t handle, int64_t value)
{
    static __thread uint64_t last_handle;
    static __thread int64_t last_value;
    static __thread unsigned repeats, calls;
    if (calls != shim_calls() || handle != last_handle || value != last_value) {
        last_handle = handle;
        last_value = value;
        calls = shim_calls();
        repeats = 0;
    } else if (++repeats >= LOADS_PARK) {
        repeats = 0;
        clock_park(PARK_LOAD);
        calls = shim_calls();
    }
    return value;
}

/* Most signals are at 0 when they are done: nobody polls for that. */
static int64_t signal_loaded(uint64_t handle, int64_t value)
{
    return value ? value_loaded(handle, value) : value;
}

static int64_t signal_load_relaxed(uint64_t handle)
{
    return signal_loaded(handle, load_relaxed(handle));
}

static int64_t signal_load_scacquire(uint64_t handle)
{
    return signal_loaded(handle, load_scacquire(handle));
}

/* A wait of the program's with a time limit ends by itself; those of the runtime itself have none. */
static int64_t signal_wait(int64_t (*real)(uint64_t, int, int64_t, uint64_t, int), uint64_t handle, int condition,
                           int64_t value, uint64_t timeout, int state)
{
    clock_thread();
    clock_limited(timeout != UINT64_MAX);
    const int64_t seen = real(handle, condition, value, timeout, state);
    clock_limited(false);
    return seen;
}

static int64_t signal_wait_relaxed(uint64_t handle, int condition, int64_t value, uint64_t timeout, int state)
{
    return signal_wait(wait_relaxed, handle, condition, value, timeout, state);
}

static int64_t signal_wait_scacquire(uint64_t handle, int condition, int64_t value, uint64_t timeout, int state)
{
    return signal_wait(wait_scacquire, handle, condition, value, timeout, state);
}

/* A full ring: the same read index of one queue again and again, and nothing put into it between.  A launch loads it
 * twice (HIP), to see that there is room: launches one behind the other wait for nothing. */
static uint64_t queue_loaded(const void *queue, uint64_t read)
{
    const uint64_t of = (uint64_t)(uintptr_t)queue ^ write_relaxed(queue) << 40;
    return (uint64_t)value_loaded(of, (int64_t)read);
}

static uint64_t queue_read_relaxed(const void *queue)
{
    return queue_loaded(queue, read_relaxed(queue));
}

static uint64_t queue_read_scacquire(const void *queue)
{
    return queue_loaded(queue, read_scacquire(queue));
}

/* Waits inside of the runtime, by its time-stamp counter. */
static int memory_copy(void *to, const void *from, size_t bytes)
{
    clock_thread();
    return copy(to, from, bytes);
}

static unsigned functions(const struct api_part *part)
{
    return (unsigned)((part->version.minor_id - sizeof part->version) / sizeof part->function[0]);
}

struct hook {
    enum shim_core place;
    void **real, *ours;
};

static void core_hook(struct api_part *core, const struct hook *hook, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        *hook[i].real = core->function[hook[i].place];
        core->function[hook[i].place] = hook[i].ours;
    }
}

static const struct hook under_the_gated_clock[] = {
    {SHIM_QUEUE_READ_SCACQUIRE, (void **)&read_scacquire, (void *)queue_read_scacquire},
    {SHIM_QUEUE_READ_RELAXED, (void **)&read_relaxed, (void *)queue_read_relaxed},
    {SHIM_MEMORY_COPY, (void **)&copy, (void *)memory_copy},
    {SHIM_SIGNAL_LOAD_RELAXED, (void **)&load_relaxed, (void *)signal_load_relaxed},
    {SHIM_SIGNAL_LOAD_SCACQUIRE, (void **)&load_scacquire, (void *)signal_load_scacquire},
    {SHIM_SIGNAL_WAIT_RELAXED, (void **)&wait_relaxed, (void *)signal_wait_relaxed},
    {SHIM_SIGNAL_WAIT_SCACQUIRE, (void **)&wait_scacquire, (void *)signal_wait_scacquire},
};

bool OnLoad(struct api_table *table, uint64_t version, uint64_t failed_count, const char *const *failed)
{
    (void)failed_count, (void)failed;
    const enum shim_amd image_create = version == 1 ? SHIM_AMD_IMAGE_CREATE_1 : SHIM_AMD_IMAGE_CREATE_3;
    if ((version != 1 && version != 3) || functions(table->core) < SHIM_CORE_USED ||
        functions(table->amd) <= image_create)
        return true;
    write_relaxed = table->core->function[SHIM_QUEUE_WRITE_RELAXED];
    if (clock_armed())
        core_hook(table->core, under_the_gated_clock, sizeof under_the_gated_clock / sizeof under_the_gated_clock[0]);
    for (unsigned i = 0; i < functions(table->image); i++)
        if (i != SHIM_SAMPLER_CREATE && i != SHIM_SAMPLER_DESTROY)
            table->image->function[i] = (void *)images_none;
    table->amd->function[image_create] = (void *)images_none;
    return true;
}
