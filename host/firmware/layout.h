/* SPDX-License-Identifier: Apache-2.0
 * What lies in client memory: packets, signals and amd_queue_t as byte offsets, and fields of a packet.
 */
#ifndef GANTRY_CP_LAYOUT_H
#define GANTRY_CP_LAYOUT_H
#include <stdbool.h>
#include <stdint.h>

enum aql_type {
    AQL_VENDOR = 0,
    AQL_INVALID = 1,
    AQL_KERNEL = 2,
    AQL_BARRIER_AND = 3,
    AQL_AGENT = 4,
    AQL_BARRIER_OR = 5
};
enum aql_scope { SCOPE_NONE = 0, SCOPE_AGENT = 1, SCOPE_SYSTEM = 2 };

#define AQL_BYTES 64u
#define AQL_DEPS 0x08u
#define AQL_PRIVATE 0x18u
#define AQL_OBJECT 0x20u
#define AQL_SIGNAL 0x38u

#define SIGNAL_VALUE 0x08u
#define SIGNAL_MAILBOX 0x10u
#define SIGNAL_EVENT 0x18u
#define SIGNAL_START 0x20u
#define SIGNAL_END 0x28u

/* amd_queue_t, from its beginning */
#define QUEUE_READ_INDEX 0x80u
#define QUEUE_TMPRING 0x8cu
#define QUEUE_SRD 0x90u
#define QUEUE_SCRATCH_OFFSET 0xa0u
#define QUEUE_LANE_BYTES 0xb0u
#define QUEUE_PROPERTIES 0xb4u
#define QUEUE_INACTIVE 0xc0u
#define QUEUE_PROFILING 8u     /* of the properties: timestamps are written */
#define QUEUE_SCRATCH_ONCE 16u /* a kernel has the scratch memory for itself, and then it is taken back */

static inline uint16_t get16(const uint8_t *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}
static inline uint32_t get32(const uint8_t *p)
{
    return get16(p) | (uint32_t)get16(p + 2) << 16;
}
static inline uint64_t get64(const uint8_t *p)
{
    return get32(p) | (uint64_t)get32(p + 4) << 32;
}

static inline unsigned packet_type(const uint8_t *packet)
{
    return packet[0];
}
static inline bool packet_barrier(const uint8_t *packet)
{
    return packet_type(packet) != AQL_VENDOR && packet[1] & 1;
}
static inline unsigned packet_acquire(const uint8_t *packet)
{
    return packet[1] >> 1 & 3;
}
static inline unsigned packet_release(const uint8_t *packet)
{
    return packet[1] >> 3 & 3;
}
#endif
