/* SPDX-License-Identifier: Apache-2.0
 * Large pages for what is allocated next.  Responsible for: growing the heap at once and asking the kernel for large
 * pages there, so that the models of 64 compute units (some 20 MB, all of it read again and again) need few entries of
 * the host's TLBs.  Not responsible for: the allocations (malloc).
 */
#ifndef GANTRY_HUGEPAGE_H
#define GANTRY_HUGEPAGE_H
#include <stddef.h>

/* The heap grows by `bytes` of address space, of which memory is taken as it is used; from now on large blocks come
 * from the heap too.  Where the kernel has no large pages (or the heap cannot grow) allocation goes on as it would. */
void hugepage_heap(size_t bytes);
#endif
