/* SPDX-License-Identifier: Apache-2.0
 * Inside of the shim, the library that is preloaded into a client: it stands between the program and /dev/kfd,
 * /dev/dri, sysfs and waiting.  Everything it decides is in the driver's process; see docs/reference/driver.md.
 */
#ifndef GANTRY_SHIM_H
#define GANTRY_SHIM_H
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "clients/protocol.h"

#define EXPORT __attribute__((visibility("default")))

/* The next definition of NAME after ours; resolved at the first call, which may come before any constructor. */
#define REAL(result, name, ...)                                                                                        \
    static result (*real)(__VA_ARGS__);                                                                                \
    if (!real)                                                                                                         \
    real = (result(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

/* The same for a library that may lie in a local scope, go and come again: as our caller finds it now, or NULL. */
#define NEXT(result, name, ...)                                                                                        \
    result (*next)(__VA_ARGS__) = (result(*)(__VA_ARGS__))loading_next(name, __builtin_return_address(0))

/* loading.c */
void *loading_next(const char *name, const void *caller);
/* The file that the code at this place is of ("": the program itself) and where in it; NULL: of none.  Takes no lock:
 * for signal handlers, too.  Good as long as that code stays loaded. */
const char *loading_name(uint64_t code, uint64_t *offset);

/* environment.c: what the run gave to this process under one of protocol.h's names, whatever became of it; or NULL. */
const char *environment_given(const char *name);
const char *environment_shim(void); /* the path that the shim was loaded by */

/* connect.c */
bool shim_active(void);        /* a driver is there */
void shim_hello(pid_t parent); /* open the life line of this process, which `parent` has forked; 0: not known */
/* The same unless it was done.  Before the first request, too: a library's constructor may use the GPU before ours has
 * run, and a hello behind that would be taken for another program's in this process, which ends the one before. */
void shim_greet(void);
void shim_after_fork(pid_t parent); /* in the child */
/* One request and its answer on this thread's connection; *fd receives a passed descriptor or -1.  0, or -1 with errno.
 */
int shim_call(struct shim_request *request, struct shim_answer *answer, int *fd);
unsigned shim_calls(void); /* requests of this thread so far, but for those that only look at the clock */
bool shim_busy(void);      /* this thread waits for an answer: its signal handlers cannot ask */
void shim_lost(void) __attribute__((noreturn));

/* fault.c */
void fault_look(void); /* let the event library note a memory fault that the driver has told of */
void fault_after_fork(void);

/* descriptors.c: a descriptor made by `make` that the program does not see, whatever its own limit; -1 with errno. */
int descriptor_hide(int (*make)(void));
void descriptor_close(int fd);
void descriptors_after_fork(void); /* in the child: all of them are closed */

/* device.c */
#define DEVICE_NOT_OURS (-2)
int device_open(const char *path); /* a descriptor, -1 with errno, or DEVICE_NOT_OURS */
#define DEVICE_RENDER_NODES 64u
int device_render_node(int fd); /* which one, from 0 on; -1: none of ours */

/* clock.c */
void clock_arm(void);   /* trap the time-stamp counter when the ROCm runtime is loaded */
void clock_pause(void); /* around starting another program, in this thread */
void clock_resume(void);
bool clock_armed(void);
void clock_thread(void);         /* traps in this thread, too, which may be older than the runtime */
void clock_park(uint64_t place); /* this thread polls: wait at the driver (protocol.h) */
void clock_limited(bool wait);   /* whether this thread waits in the runtime with a time limit */
void clock_gpu_opened(void);     /* the process uses the GPU: sleeps are in target time from now on */
void clock_after_fork(void);
void clock_pass(uint64_t ns); /* let time pass for the program: on the target's clock, or before that runs on its own */

/* images.c: in place of each of the runtime's functions of images, whatever its arguments; an HSA status. */
int images_none(void);

/* sanitizer.c */
bool sanitizer_there(void);
void sanitizer_prepare(void);
/* A function of the shim was called from `code`: where it was called from for itself, when `code` is a sanitizer's
 * function in place of the C library's; 0 when a sanitizer needs it. */
uint64_t sanitizer_caller(uint64_t code);

/* time.c: the program's clocks */
#define TIME_OTHER UINT64_MAX
void time_arm(void);
bool time_program(uint64_t code);    /* code at this place sees target time */
uint64_t time_target(void);          /* ns, for the program */
uint64_t time_base(clockid_t clock); /* what this clock showed when target time was 0; TIME_OTHER: it is the host's */
void time_skip(uint64_t ns);         /* have passed for the program alone */
#endif
