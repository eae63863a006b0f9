/* SPDX-License-Identifier: Apache-2.0
 * Memory that several processes of the run have: one exports an object and gets a handle of 128 bits, which it hands to
 * others by whatever means; they import it as an object of their own.  The memory stays until the last one has freed
 * its object or ended, the exporter among them or not.  A handle is a function of the run's seed and of the order of
 * exports, and names nothing when the memory has gone.
 */
#ifndef GANTRY_SHARE_H
#define GANTRY_SHARE_H
#include <stdint.h>

struct client;
struct driver;

/* Arguments of the ioctls, as libhsakmt 5.2.3 has them; linux/kfd_ioctl.h does not. */
struct share_export_args {
    uint64_t handle;   /* in: object of the caller */
    uint32_t share[4]; /* out */
    uint32_t gpu_id;   /* in */
    uint32_t flags;    /* in: for the user space of who imports it */
};

struct share_import_args {
    uint64_t handle;      /* out: object of the caller */
    uint64_t va_addr;     /* in */
    uint64_t mmap_offset; /* out */
    uint32_t share[4];    /* in */
    uint32_t gpu_id;      /* in: whose memory it is */
    uint32_t flags;       /* out: what the exporter gave */
};

/* ioctls: 0 or errno, the argument changed in place. */
int share_export(struct driver *d, struct client *c, void *arg);
int share_import(struct driver *d, struct client *c, void *arg);
#endif
