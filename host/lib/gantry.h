/* SPDX-License-Identifier: Apache-2.0
 * libgantry: simulated GPUs inside another program.  Load a configuration, make a machine, load a code object, allocate
 * memory, launch kernels, run to a cycle or to the end of a kernel, read memory, counters, kernel rows and faults.
 * The page is docs/library.md; examples are in sw/library.
 *
 * Errors.  Functions that can fail return enum gantry_result (GANTRY_OK is 0, failures are negative) and fill *error,
 * which may be NULL: the class and the line or lines that the command `gantry` prints for it, without line feed at the
 * end.  Nothing is written to stderr, but by the builder of RTL models when one is missing.  Nothing ends the process
 * but a bug of Gantry itself: gantry_options.bug is told its line, then the process is aborted.  A handle that is NULL,
 * has been freed, or is used by a thread while another is inside of a call with it, is refused (GANTRY_USAGE); where
 * there is no status to return, the process is aborted with a line on stderr.
 *
 * Threads.  Any function may be called from any thread, also while others are inside of functions with other handles. A
 * configuration, a machine and the launches of a machine are for one thread at a time; an object may be used by several
 * machines at once.  Callbacks (gantry_options, gantry_gpu) come on the thread that has called, within its call; `line`
 * and `bug` also on the machine's own threads.  A callback calls no function of its machine but gantry_now,
 * gantry_gpu_send, gantry_gpu_serve and gantry_gpu_next.  The library catches no signals.  It starts processes when an
 * RTL model is to be built; who waits for any child (waitpid(-1)) or ignores SIGCHLD takes their ends away, and the
 * build fails.
 *
 * Ownership.  What a function returns by a handle is the caller's until the handle's *_free; texts and pointers into a
 * handle live as long as the handle.  What is passed in is borrowed for the call, unless it is said otherwise.
 *
 * Time is in target cycles, sizes are in bytes, addresses are those that a kernel sees.
 *
 * Stability: within a major version functions, enumerators and members stay; structures that the caller fills begin
 * with their size and grow at the end only; those that the library fills do not change.
 */
#ifndef GANTRY_GANTRY_H
#define GANTRY_GANTRY_H
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GANTRY_LIBRARY_MAJOR 1
#define GANTRY_LIBRARY_MINOR 1
#define GANTRY_LIBRARY_PATCH 0

#if defined(__GNUC__)
#define GANTRY_API __attribute__((visibility("default")))
#else
#define GANTRY_API
#endif

/* Outcomes; the command's exit status behind each (docs/reference/cli.md). */
enum gantry_result {
    GANTRY_OK = 0,
    GANTRY_STOPPED = 1,       /* gantry_options.unwanted has said so; no line */
    GANTRY_USAGE = -10,       /* 64: wrong arguments, wrong order, a handle that is none */
    GANTRY_CONFIG = -20,      /* 65: bad configuration */
    GANTRY_OBJECT = -21,      /* 65: bad code object */
    GANTRY_DATA = -22,        /* 65: bad input data, memory is full */
    GANTRY_MISSING = -30,     /* 66: a file is missing */
    GANTRY_INTERNAL = -40,    /* 70: other than recorded */
    GANTRY_IO = -50,          /* 74: the system does not give something: files, memory, threads */
    GANTRY_NO_PROGRESS = -60, /* 75: a limit, or the kernel can never end */
    GANTRY_GUEST_FAULT = -70, /* 76: the kernel has faulted (gantry_launch_fault) */
    GANTRY_DIFFERS = -80      /* 1: other results than expected */
};

#define GANTRY_LINE_MAX 4096
struct gantry_error {
    int code;                   /* enum gantry_result */
    char line[GANTRY_LINE_MAX]; /* "gantry: PLACE: CAUSE", "" without failure; several lines have '\n' between them */
};

struct gantry_config;
struct gantry_machine;
struct gantry_object;
struct gantry_launch;

/* ---- version of the library that is loaded, "1.1.0"; of the simulator, "0.1 (COMMIT)" */
GANTRY_API const char *gantry_library_version(void);
GANTRY_API const char *gantry_simulator_version(void);

/* ---- configuration: all keys (docs/reference/config.md) at their defaults */
GANTRY_API int gantry_config_new(struct gantry_config **config, struct gantry_error *error);
GANTRY_API void gantry_config_free(struct gantry_config *config); /* NULL: nothing */
/* Apply a YAML file, or a named configuration ("tiny"), as `gantry -c` does; later calls override earlier ones. */
GANTRY_API int gantry_config_load(struct gantry_config *config, const char *file, struct gantry_error *error);
/* Apply "KEY=VALUE", as `--set` does. */
GANTRY_API int gantry_config_set(struct gantry_config *config, const char *setting, struct gantry_error *error);
/* The value of a key as text, cut to `room` bytes with the NUL; GANTRY_USAGE: there is no such key. */
GANTRY_API int gantry_config_get(struct gantry_config *config, const char *key, char *text, size_t room,
                                 struct gantry_error *error);

/* ---- a GPU that the caller simulates (see gantry_options.gpu) */
/* Messages have the layouts of include/gantry/gantry_msg.h.  Lanes: 0 of COMMAND and EVENT, an L2 slice each of
 * DRAM_*; of FAR_* 0 leads to the host, k + 1 to GPU k. */
enum gantry_port {
    GANTRY_PORT_COMMAND,      /* arrives: struct msg_cp_cmd */
    GANTRY_PORT_EVENT,        /* leaves: struct msg_cp_evt */
    GANTRY_PORT_DRAM_REQUEST, /* leaves: struct msg_dram_req, to the contents of its VRAM */
    GANTRY_PORT_DRAM_ANSWER,  /* arrives: struct msg_dram_rsp */
    GANTRY_PORT_FAR_REQUEST,  /* both ways: struct msg_mem_req; arriving: somebody else wants its memory */
    GANTRY_PORT_FAR_ANSWER    /* both ways: struct msg_mem_rsp */
};
#define GANTRY_WINDOW 8 /* cycles */
struct gantry_gpu {
    size_t size;   /* sizeof(struct gantry_gpu) */
    uint64_t gpus; /* which: bit k is GPU k */
    void *ctx;
    /* A message arrives at `cycle`; it is valid during the call.  NULL: a credit, only with `credits`. */
    void (*take)(void *ctx, unsigned gpu, int port, unsigned lane, uint64_t cycle, const void *message);
    /* Run cycles [from, from + GANTRY_WINDOW), after all that arrives in them has come by `take`.  Not 0: idle, nothing
     * happens until something arrives or is sent, and such windows may be left out.  May be NULL: never idle. */
    int (*step)(void *ctx, unsigned gpu, uint64_t from);
    /* Wavefront instructions and work-groups ended so far.  May be NULL. */
    void (*shown)(void *ctx, unsigned gpu, uint64_t *instructions, uint64_t *groups);
    /* Not 0: the model gives places back itself, by messages NULL on COMMAND, FAR_REQUEST and FAR_ANSWER, one for each
     * message taken there, and is told those for its own.  0: the library does both. */
    int credits;
};

/* ---- machine */
enum gantry_model { GANTRY_RTL, GANTRY_GOLDEN };
struct gantry_options {
    size_t size;         /* sizeof(struct gantry_options); members beyond it, and those that are 0, are defaults */
    int model;           /* enum gantry_model */
    unsigned gpu;        /* on which kernels run */
    unsigned threads;    /* of the host, 0 or 1: only the caller's */
    int lockstep;        /* compare every retired instruction of the RTL with the golden model */
    uint64_t max_cycles; /* launches end there with GANTRY_NO_PROGRESS; 0: none */
    void *ctx;           /* of the functions below, each of which may be NULL */
    /* Every line that the command would print, warnings too, with its line feed, when it arises. */
    void (*line)(void *ctx, const char *line);
    /* A bug of Gantry, with its line: the process is aborted when this returns. */
    void (*bug)(void *ctx, const char *line);
    /* Does nobody wait any more?  Asked now and then while models are built and while kernels run: what runs then ends
     * with GANTRY_STOPPED. */
    int (*unwanted)(void *ctx);
    const struct gantry_gpu *gpu_model; /* copied; NULL: all GPUs are simulated here.  Needs system.rtl: whole */
};
/* The configuration is copied: it may be changed or freed afterwards.  options may be NULL.  Refused:
 * place.processes above 1 and place.boards, which start processes of their own. */
GANTRY_API int gantry_machine_new(struct gantry_config *config, const struct gantry_options *options,
                                  struct gantry_machine **machine, struct gantry_error *error);
/* Frees its launches, too; its memory is gone.  NULL: nothing. */
GANTRY_API void gantry_machine_free(struct gantry_machine *machine);

/* ---- memory */
enum gantry_memory { GANTRY_VRAM, GANTRY_HOST };
/* Zeroed memory that kernels may read, write and execute; it is there until the machine is freed.  GANTRY_DATA: full.
 */
GANTRY_API int gantry_alloc(struct gantry_machine *machine, int memory, uint64_t bytes, uint64_t *address,
                            struct gantry_error *error);
/* Copy to and from memory; the range lies in one allocation (buffers of launches count as such).  While a launch runs,
 * memory is what caches have written back so far, and VRAM cannot be written (GANTRY_USAGE). */
GANTRY_API int gantry_write(struct gantry_machine *machine, uint64_t address, const void *from, uint64_t bytes,
                            struct gantry_error *error);
GANTRY_API int gantry_read(struct gantry_machine *machine, uint64_t address, void *to, uint64_t bytes,
                           struct gantry_error *error);
/* The bytes themselves, without a copy; valid until the machine is freed. */
GANTRY_API int gantry_map(struct gantry_machine *machine, uint64_t address, uint64_t bytes, void **bytes_there,
                          struct gantry_error *error);

/* The pages of 4 KiB of [address, +bytes), of one allocation in VRAM, go to the memory of GPU `gpu`; kernels
 * reach them by the same address.  It begins at once, also while a launch runs, which is not over before they are
 * there; without one they go while gantry_run does.  64 pages (blocks of 64 KiB, where they are whole) are under way at
 * a time. GANTRY_USAGE: there is no such GPU or allocation, or 1,024 moves wait.  That GPU has no memory left: a line,
 * the rest stays, and the run that it happens in returns GANTRY_DATA. */
GANTRY_API int gantry_move(struct gantry_machine *machine, uint64_t address, uint64_t bytes, unsigned gpu,
                           struct gantry_error *error);

/* ---- code objects: what `gantry kernel` takes */
GANTRY_API int gantry_object_open(const char *path, struct gantry_object **object, struct gantry_error *error);
GANTRY_API void gantry_object_free(struct gantry_object *object); /* launches keep what they need.  NULL: nothing */
/* Of an object that is none: 0. */
GANTRY_API unsigned gantry_object_kernels(const struct gantry_object *object);
/* Name of kernel n, NULL beyond the last. */
GANTRY_API const char *gantry_object_kernel(const struct gantry_object *object, unsigned n);

/* ---- launches */
/* An argument: `spec` as `--arg` of the command has it ("u32:7", "f32:1.5", "zero:4096", "in:FILE", "lds:1024"; a
 * buffer is allocated in VRAM), but without files to write and names; or, where spec is NULL, `bytes` bytes at `data`:
 * a value, or an address of gantry_alloc (8 bytes). */
struct gantry_arg {
    const char *spec;
    const void *data;
    uint32_t bytes;
};
/* A kernel with its shape and arguments, ready to run any number of times.  kernel: its name, NULL: the only one. grid:
 * work-items in x, y, z; group: NULL: what the kernel demands. */
GANTRY_API int gantry_launch_new(struct gantry_machine *machine, struct gantry_object *object, const char *kernel,
                                 const uint32_t grid[3], const uint32_t group[3], const struct gantry_arg *args,
                                 unsigned arg_count, struct gantry_launch **launch, struct gantry_error *error);
/* Not while it runs, nor while a call with its machine is under way: the process is aborted.  NULL: nothing. */
GANTRY_API void gantry_launch_free(struct gantry_launch *launch);
/* Another value for argument n, not while it runs: as many bytes as it has. */
GANTRY_API int gantry_launch_set(struct gantry_launch *launch, unsigned n, const void *data, uint32_t bytes,
                                 struct gantry_error *error);
/* Address and size of the buffer that argument n is; GANTRY_USAGE: it is none. */
GANTRY_API int gantry_launch_buffer(struct gantry_launch *launch, unsigned n, uint64_t *address, uint64_t *bytes,
                                    struct gantry_error *error);
/* Run to its end.  GANTRY_GUEST_FAULT, GANTRY_NO_PROGRESS, GANTRY_STOPPED: then the machine starts no other launch. */
GANTRY_API int gantry_launch_run(struct gantry_launch *launch, struct gantry_error *error);
/* Send it, to run by gantry_run; one at a time. */
GANTRY_API int gantry_launch_start(struct gantry_launch *launch, struct gantry_error *error);

enum gantry_event {
    GANTRY_AT_CYCLE,    /* `until` is reached */
    GANTRY_LAUNCH_OVER, /* the launch under way has ended */
    GANTRY_NOTHING_LEFT /* nothing is under way, and nothing would ever happen */
};
/* Run until target cycle `until` (UINT64_MAX: no limit), or until the launch under way is over, whose failure is this
 * call's.  On the golden model a launch takes no cycles: it runs to its end. */
GANTRY_API int gantry_run(struct gantry_machine *machine, uint64_t until, int *event, struct gantry_error *error);
/* Current target cycle. */
GANTRY_API int gantry_now(struct gantry_machine *machine, uint64_t *cycle, struct gantry_error *error);

/* ---- figures */
struct gantry_fault {
    int kind;             /* 0: none; 1: of memory, `address`; 2: of the queue, `cause` */
    uint64_t address;     /* that was accessed */
    int cause;            /* of memory: enum fault_kind, of the queue: its error code */
    uint64_t pc;          /* of the wavefront; 0: not known */
    uint64_t instruction; /* its first 8 bytes there, of an illegal one */
};
/* Of the last run of this launch. */
GANTRY_API int gantry_launch_fault(struct gantry_launch *launch, struct gantry_fault *fault,
                                   struct gantry_error *error);

struct gantry_row { /* of the kernel table */
    const char *kernel;
    uint32_t gpu, grid[3], group[3];
    uint32_t unfinished; /* it was under way when its launch ended badly: no end, no counts */
    uint32_t untimed;    /* golden model: start and end only order it */
    uint64_t start, end; /* cycles: first wavefront placed, last one ended */
    uint64_t work_groups, wavefronts, instructions;
};
/* Kernel n of the table, from 0; GANTRY_USAGE: there are fewer. */
GANTRY_API int gantry_kernel_row(struct gantry_machine *machine, unsigned n, struct gantry_row *row,
                                 struct gantry_error *error);
/* All counters, as in metrics.sqlite ("gpu0.cu3.valu", name, value, unit); texts are valid during the call. */
typedef void (*gantry_counter_fn)(void *ctx, const char *place, const char *name, uint64_t value, const char *unit);
GANTRY_API int gantry_counters(struct gantry_machine *machine, gantry_counter_fn fn, void *ctx,
                               struct gantry_error *error);
/* The final line of the command, as numbers. */
struct gantry_summary {
    uint32_t gpus, kernels;
    uint64_t cycles, instructions, hash, data, counters, now;
};
GANTRY_API int gantry_summarize(struct gantry_machine *machine, struct gantry_summary *summary,
                                struct gantry_error *error);

/* ---- recordings: what `gantry replay DIR` does */
/* Run the RTL of a recorded run again (made by `gantry run --record DIR` or `gantry kernel --record DIR`), held against
 * it.  settings: setting_count of KEY=VALUE that a replay may change, as `--set` of the command.  GANTRY_INTERNAL:
 * the line is the first difference.  *summary may be NULL. */
GANTRY_API int gantry_replay(const char *dir, const char *const *settings, unsigned setting_count,
                             const struct gantry_options *options, struct gantry_summary *summary,
                             struct gantry_error *error);

/* ---- for a GPU that the caller simulates: also from its callbacks */
/* The GPU sends on `port` in `cycle`, which is at most one window before gantry_gpu_next (DRAM_REQUEST: not before it,
 * unless link.store is 16 or more), and not before that of the message before on this lane.  bytes: of the message,
 * checked; message NULL: a credit.  GANTRY_USAGE: it cannot be. */
GANTRY_API int gantry_gpu_send(struct gantry_machine *machine, unsigned gpu, int port, unsigned lane, uint64_t cycle,
                               const void *message, size_t bytes, struct gantry_error *error);
/* Do a request to memory at once, without time: request is a struct msg_mem_req with a physical address, answer a
 * struct msg_mem_rsp. */
GANTRY_API int gantry_gpu_serve(struct gantry_machine *machine, const void *request, size_t request_bytes, void *answer,
                                size_t answer_bytes, struct gantry_error *error);
/* First cycle that the machine has not run yet, a multiple of GANTRY_WINDOW. */
GANTRY_API int gantry_gpu_next(struct gantry_machine *machine, uint64_t *cycle, struct gantry_error *error);

#ifdef __cplusplus
}
#endif
#endif
