/* SPDX-License-Identifier: Apache-2.0
 * Which memory may move: each kind that may not, for its reason alone.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "migrate/movable.h"

static const struct memory_fact plain = {.kind = MEMORY_VRAM, .executable = true, .mapped = 5};

static void why(struct memory_fact fact, const char *text)
{
    const char *said = movable_why_not(&fact);
    assert_true(text ? said && strstr(said, text) : !said);
}

static void memory_of_two_gpus_may(void **state)
{
    struct memory_fact fact = plain;
    (void)state;
    why(fact, NULL);
    fact.mapped = UINT64_MAX;
    why(fact, NULL);
    fact.mapped = UINT64_C(1) << 63 | UINT64_C(1) << 62;
    why(fact, NULL);
}

static void memory_of_one_gpu_may_not(void **state)
{
    struct memory_fact fact = plain;
    (void)state;
    for (unsigned g = 0; g < 64; g++) {
        fact.mapped = UINT64_C(1) << g; /* code, and what nobody else uses */
        why(fact, "fewer than two");
    }
    fact.mapped = 0;
    why(fact, "fewer than two");
}

static void host_memory_may_not(void **state)
{
    struct memory_fact fact = plain;
    (void)state;
    fact.kind = MEMORY_HOST;
    why(fact, "host memory");
}

static void client_memory_may_not(void **state)
{
    struct memory_fact fact = plain;
    (void)state;
    fact.kind = MEMORY_CLIENT;
    why(fact, "of a process");
}

static void fine_grained_memory_may_not(void **state)
{
    struct memory_fact fact = plain;
    (void)state;
    fact.fine = true;
    why(fact, "fine-grained");
}

static void scratch_may_not(void **state)
{
    struct memory_fact fact = plain;
    (void)state;
    fact.executable = false;
    why(fact, "scratch");
}

static void a_ring_may_not(void **state)
{
    struct memory_fact fact = plain;
    (void)state;
    fact.ring = true;
    why(fact, "queue");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_of_two_gpus_may),
        cmocka_unit_test(memory_of_one_gpu_may_not),
        cmocka_unit_test(host_memory_may_not),
        cmocka_unit_test(client_memory_may_not),
        cmocka_unit_test(fine_grained_memory_may_not),
        cmocka_unit_test(scratch_may_not),
        cmocka_unit_test(a_ring_may_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
