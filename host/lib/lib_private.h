/* SPDX-License-Identifier: Apache-2.0
 * Inside of the library, and what the command `gantry`, a client of it, needs beyond gantry.h: lines that go to its
 * stderr and log, options that only it has (waves, recordings, worker processes), arguments read from a script, and the
 * machine itself for tables and result files.  Nothing else includes it.
 */
#ifndef GANTRY_LIB_PRIVATE_H
#define GANTRY_LIB_PRIVATE_H
#include <stdatomic.h>

#include "config/config.h"
#include "lib/handle.h"
#include "lib/kernel_args.h"
#include "loader/object.h"
#include "local/local.h"
#include "target/external.h"

struct gantry_config {
    struct handle handle;
    struct config config;
};

struct gantry_object {
    struct handle handle;
    struct object *object;
    atomic_uint refs; /* handle, and launches and machines that hold its images */
};

/* An image in GPU memory. */
struct lib_placed {
    const struct object_image *image;
    struct gantry_object *object; /* held; NULL: the caller's */
    uint64_t base;
};

/* An argument block that a freed launch has left. */
struct lib_block {
    uint64_t address;
    uint32_t bytes;
    void *host;
};

struct gantry_machine {
    struct handle handle;
    struct gantry_cfg cfg;
    struct sim_options options;
    enum gantry_status failure; /* of what the machine could not be made with, or has lost */
    struct gantry_options told; /* functions of the caller */
    struct gantry_gpu gpu_model;
    struct external external;
    struct local *local;
    uint64_t begin; /* target cycle of the first launch */
    struct lib_placed *placed;
    size_t placed_count, placed_room;
    struct lib_block *blocks;
    size_t block_count, block_room;
    struct kernel_row *rows; /* of all launches so far */
    size_t row_count, row_room;
    struct gantry_launch *launches, *running;
    enum local_outcome ended; /* of the launch after which none starts any more, else LOCAL_DONE */
    struct local_watch watch; /* of the command, else of `told` */
    volatile int stop;        /* `told.unwanted` has said so */
};

struct gantry_launch {
    struct handle handle; /* lines: the machine's */
    struct gantry_machine *machine;
    struct gantry_launch *next, **back; /* of the machine's; back: what points here */
    const struct object_kernel *kernel;
    struct gantry_object *object; /* held; NULL: the caller's */
    struct kernel_shape shape;
    struct kernel_args *args; /* its own, with `specs`, or the caller's */
    char **specs;             /* texts that its own point to; NULL: they are the caller's */
    struct local_dispatch dispatch;
    uint64_t base; /* of the image */
    void *block;   /* arguments, in host memory */
    struct local_result result;
};

/* objects.c: one holder less. */
void lib_object_drop(struct gantry_object *object);
/* machine_memory.c: GPU memory is full: STATUS_DATA with its line. */
enum gantry_status lib_memory_full(const struct gantry_machine *m, const char *what, uint64_t bytes);
/* launches.c: what is left of a machine's launches. */
void lib_launches_free(struct gantry_machine *m);

/* ---- for the command; lines go to the calling thread's place */
/* cfg is finished and copied, options are copied with what they point to borrowed. NULL: *failure. */
struct gantry_machine *lib_machine_open(const struct gantry_cfg *cfg, const struct sim_options *options, unsigned gpu,
                                        const struct local_watch *watch, enum gantry_status *failure);
/* A buffer in VRAM with its content. */
enum gantry_status lib_buffer_place(struct gantry_machine *m, struct kernel_arg *arg);
/* args are parsed and stay the caller's, who keeps them as long as the launch; their buffers get places. */
enum gantry_status lib_launch_new(struct gantry_machine *m, const struct object_kernel *kernel,
                                  const struct kernel_shape *shape, struct kernel_args *args,
                                  struct gantry_launch **launch);
static inline struct sim *lib_sim(struct gantry_machine *m)
{
    return machine_sim(local_machine(m->local));
}
/* The rows so far; owned by the machine. */
const struct kernel_row *lib_rows(const struct gantry_machine *m, unsigned *count);
/* Their figures: rows, cycles, data, complete; the rest is for who tells it. */
struct summary;
void lib_summary(struct gantry_machine *m, struct summary *summary);
#endif
