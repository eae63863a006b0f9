/* SPDX-License-Identifier: Apache-2.0
 * For the driver's tests: queues with rings of their own in the buffer of bench.h, kernels sent to them, and what the
 * command processors then told the fake machine.
 */
#ifndef TESTS_HOST_DRIVER_PACKETS_H
#define TESTS_HOST_DRIVER_PACKETS_H
#include "bench.h"

#define DESCRIPTOR_AT                                                                                                  \
    0xf000u /* in the buffer; rings of 64 packets, each with its amd_queue_t, lie at its beginning                     \
             */
#define SIGNAL_AT 0xe000u
#define KERNEL_HEADER 0x1502u /* barrier bit, system scope */

struct sender {
    unsigned client, gpu;
    uint32_t id;
    uint64_t ring, doorbells; /* GPU address; place of the page in the process's file */
    uint64_t packets;
};

static inline void guest_put(struct bench *b, const struct sender *s, uint64_t va, uint64_t value, unsigned bytes)
{
    assert_int_equal(pagetable_write(b->client[s->client]->gpu[s->gpu].pt, va, &value, bytes), 0);
}

static inline uint64_t guest_get(struct bench *b, const struct sender *s, uint64_t va)
{
    uint64_t value = 0;
    assert_int_equal(pagetable_read(b->client[s->client]->gpu[s->gpu].pt, va, &value, 8), 0);
    return value;
}

/* A queue whose ring is number `place` (0 to 6) of its client's buffer, with a kernel of no registers to speak of. */
static inline struct sender sender_share(struct bench *b, unsigned client, unsigned gpu, unsigned place,
                                         uint32_t percentage, uint32_t priority)
{
    struct sender s = {.client = client, .gpu = gpu, .ring = b->ring[client] + place * 0x2000u};
    struct kfd_ioctl_create_queue_args a = {.queue_percentage = percentage,
                                            .queue_priority = priority,
                                            .ring_base_address = s.ring,
                                            .write_pointer_address = s.ring + 0x1050,
                                            .read_pointer_address = s.ring + 0x1080,
                                            .ring_size = 0x2000,
                                            .gpu_id = id_of(gpu),
                                            .queue_type = KFD_IOC_QUEUE_TYPE_COMPUTE_AQL};
    assert_int_equal(call(b, client, AMDKFD_IOC_CREATE_QUEUE, &a), 0);
    assert_int_equal(queue_map_offset(b->d, b->client[client], a.doorbell_offset, 4096, &s.doorbells), 0);
    s.id = a.queue_id;
    uint64_t descriptor = b->ring[client] + DESCRIPTOR_AT;
    guest_put(b, &s, descriptor + 0x10, 0x100, 8);
    guest_put(b, &s, descriptor + 0x30, 0, 8);
    guest_put(b, &s, descriptor + 0x38, 0, 8);
    return s;
}

static inline struct sender sender_new(struct bench *b, unsigned client, unsigned gpu, unsigned place)
{
    return sender_share(b, client, gpu, place, 100, 0);
}

/* A kernel of one wavefront into the ring; private_bytes of scratch a work-item. */
static inline void sender_kernel(struct bench *b, struct sender *s, uint64_t signal, uint32_t private_bytes)
{
    uint64_t at = s->ring + s->packets++ % 64 * 64;
    guest_put(b, s, at + 2, 1, 2);
    guest_put(b, s, at + 4, 64 | 1ull << 16 | 1ull << 32, 8);
    guest_put(b, s, at + 0xc, 64 | 1ull << 32, 8);
    guest_put(b, s, at + 0x14, 1, 4);
    guest_put(b, s, at + 0x18, private_bytes, 8);
    guest_put(b, s, at + 0x20, b->ring[s->client] + DESCRIPTOR_AT, 8);
    guest_put(b, s, at + 0x28, 0, 8);
    guest_put(b, s, at + 0x38, signal, 8);
    guest_put(b, s, at, KERNEL_HEADER, 2);
    guest_put(b, s, s->ring + 0x1050, s->packets, 8);
}

/* The program stores to the doorbell; nobody looks yet. */
static inline void sender_ring(struct bench *b, const struct sender *s)
{
    ((uint32_t *)(void *)(b->client[s->client]->pages + s->doorbells))[s->id] = (uint32_t)s->packets;
}

static inline struct sim *fake(struct bench *b)
{
    return machine_sim(b->d->machine);
}

static inline void run_dry(struct bench *b)
{
    while (fake(b)->count)
        machine_run(b->d->machine, UINT64_MAX);
}

/* Wavefronts of the client have sent an interrupt, and it is through. */
static inline void interrupt(struct bench *b, unsigned client)
{
    slots_look(b->d, b->client[client]);
    run_dry(b);
}

/* One kernel from doorbell to end. */
static inline void sender_run(struct bench *b, struct sender *s)
{
    sender_kernel(b, s, 0, 0);
    sender_ring(b, s);
    assert_true(queue_doorbells(b->d));
    run_dry(b);
}

/* How many commands of this kind went to the GPU since number `from` of the log; of CP_CACHE those with `flags`. */
static inline unsigned commands(struct bench *b, unsigned from, unsigned gpu, unsigned kind, uint32_t flags)
{
    unsigned n = 0;
    for (unsigned i = from; i < fake(b)->logged; i++) {
        const struct msg_cp_cmd *cmd = &fake(b)->log[i].cmd;
        n += fake(b)->log[i].gpu == gpu && cmd->kind == kind && (kind != CP_CACHE || (cmd->flags & flags) == flags);
    }
    return n;
}

static inline const struct msg_cp_cmd *launch_last(struct bench *b)
{
    for (unsigned i = fake(b)->logged; i-- > 0;)
        if (fake(b)->log[i].cmd.kind == CP_LAUNCH)
            return &fake(b)->log[i].cmd;
    fail_msg("no launch");
    return NULL;
}

static inline uint64_t endless(struct sim *sim, unsigned gpu, const struct msg_cp_cmd *cmd, struct msg_cp_evt *evt)
{
    (void)sim, (void)gpu, (void)cmd, (void)evt;
    return 0;
}
#endif
