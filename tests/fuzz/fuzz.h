/* SPDX-License-Identifier: Apache-2.0
 * What the fuzzers share.  Each is one C file with fuzz_start (once, may be empty) and fuzz_one (an input), linked with
 * libFuzzer and a libgantry.a that has sanitizers (sw/tools/verify/fuzzers.py).  A failed CHECK, an exit() of the
 * library, a report and more than FUZZ_SECONDS of CPU time for an input are findings; lines for the user are thrown
 * away unless FUZZ_VERBOSE is set, as it is when a finding is run again.
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/check.h"
#include "base/log.h"

#define FUZZ_SECONDS 2.0

static void fuzz_start(void);
static void fuzz_one(const uint8_t *data, size_t bytes);

size_t LLVMFuzzerMutate(uint8_t *data, size_t bytes, size_t room);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t bytes, size_t room, unsigned seed);

/* CPU time: other work on the machine is no hang. */
static double fuzz_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    setenv("GANTRY_CORE", "1", 1); /* CHECK aborts, which libFuzzer sees */
    if (!getenv("FUZZ_VERBOSE"))
        stderr = fopen("/dev/null", "w");
    fuzz_start();
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    double begin = fuzz_seconds();
    fuzz_one(data, bytes);
    CHECK(fuzz_seconds() - begin < FUZZ_SECONDS, "fuzz", "an input took %.1f s", fuzz_seconds() - begin);
    return 0;
}

/* The input as a file: its name. */
__attribute__((unused)) static const char *fuzz_file(const uint8_t *data, size_t bytes)
{
    static char name[64];
    static int fd = -1;
    if (fd < 0) {
        fd = memfd_create("input", MFD_CLOEXEC);
        snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    }
    CHECK(ftruncate(fd, 0) == 0 && pwrite(fd, data, bytes, 0) == (ssize_t)bytes, "fuzz", "no room for an input");
    return name;
}

/* A generator of its own for mutators: libFuzzer hands out a seed. */
__attribute__((unused)) static uint32_t fuzz_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}
#endif
