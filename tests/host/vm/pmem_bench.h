/* SPDX-License-Identifier: Apache-2.0
 * The physical memory of a test: two GPUs with 64 MiB each and 16 MiB of the host.
 */
#ifndef PMEM_BENCH_H
#define PMEM_BENCH_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "vm/pmem.h"

#define VRAM (UINT64_C(64) << 20)
#define GTT (UINT64_C(16) << 20)

static int setup(void **state)
{
    *state = pmem_new(2, VRAM, GTT);
    return *state ? 0 : -1;
}

static int teardown(void **state)
{
    pmem_free(*state);
    return 0;
}

#endif
