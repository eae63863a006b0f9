/* SPDX-License-Identifier: Apache-2.0
 * Memory of several clients: export, import, who may, who goes first, what is counted once.
 */
#include "../driver/bench.h"

#define EXPORT _IOWR('K', 0x81, struct share_export_args)
#define IMPORT _IOWR('K', 0x80, struct share_import_args)
#define AT UINT64_C(0x200000000)
#define BYTES UINT64_C(0x20000)

static int export(struct bench *b, unsigned client, uint64_t handle, unsigned gpu, struct share_export_args *a)
{
    *a = (struct share_export_args){.handle = handle, .gpu_id = id_of(gpu), .flags = 0x77};
    return call(b, client, EXPORT, a);
}

static int import(struct bench *b, unsigned client, const struct share_export_args *from, unsigned gpu, uint64_t va,
                  struct share_import_args *a)
{
    *a = (struct share_import_args){.va_addr = va, .gpu_id = id_of(gpu)};
    memcpy(a->share, from->share, sizeof a->share);
    return call(b, client, IMPORT, a);
}

static void gone(struct bench *b, unsigned client, uint64_t handle)
{
    struct kfd_ioctl_free_memory_of_gpu_args f = {.handle = handle};
    assert_int_equal(call(b, client, AMDKFD_IOC_FREE_MEMORY_OF_GPU, &f), 0);
}

static uint8_t *bytes_of(struct bench *b, unsigned client, uint64_t handle)
{
    const struct backing *m = memory_find(b->client[client], handle)->hold->backing;
    return m->kind == BACKING_VRAM ? pmem_vram(machine_memory(b->d->machine), m->gpu, m->offset, m->bytes)
                                   : pmem_gtt(machine_memory(b->d->machine), m->offset, m->bytes);
}

/* The importer's object is the same memory: in its page tables, on any GPU, and for mmap, at an offset other than 0. */
static void both_have_the_memory(void **state)
{
    struct bench *b = *state;
    struct share_export_args e, again;
    struct share_import_args i;
    const uint64_t h = alloc(b, 0, 1, AT, BYTES, FLAGS_VRAM, 0);
    assert_int_equal(export(b, 0, h, 1, &e), 0);
    assert_int_equal(export(b, 0, h, 1, &again), 0);
    assert_memory_equal(e.share, again.share, sizeof e.share);
    assert_int_equal(import(b, 1, &e, 1, AT + BYTES, &i), 0);
    assert_int_equal(i.flags, 0x77);
    assert_int_not_equal(i.mmap_offset, 0);
    assert_ptr_equal(bytes_of(b, 0, h), bytes_of(b, 1, i.handle));
    uint64_t own = BYTES, other = BYTES, at[2];
    const uint64_t offset = memory_find(b->client[0], h)->hold->backing->offset;
    assert_true(memory_map_file(b->d, b->client[1], 1, i.mmap_offset, &other, &at[1]) ==
                memory_map_file(b->d, b->client[0], 1, offset, &own, &at[0]));
    assert_true(own == BYTES && other == BYTES && at[0] == at[1]);
    own = BYTES + 4096;
    assert_int_equal(memory_map_file(b->d, b->client[1], 1, i.mmap_offset, &own, &at[0]), -1);
    b->client[1]->pid = getpid(); /* whose array of GPUs is read */
    assert_int_equal(map(b, 1, i.handle, 7, true), 0);
    for (unsigned g = 0; g < GPUS; g++)
        assert_int_equal(pagetable_lookup(b->client[1]->gpu[g].pt, AT + BYTES) & PTE_ADDR, pmem_addr(2, offset));
    assert_int_equal(pagetable_lookup(b->client[0]->gpu[1].pt, AT), 0); /* not the exporter's */
    assert_int_equal(map(b, 1, i.handle, 7, false), 0);
    b->client[1]->pid = b->other;
    gone(b, 1, i.handle);
    own = BYTES;
    assert_int_equal(memory_map_file(b->d, b->client[1], 1, i.mmap_offset, &own, &at[0]), -1);
    assert_int_equal(memory_map_file(b->d, b->client[0], 1, offset, &own, &at[0]) >= 0, 1);
    gone(b, 0, h);
    assert_int_equal(b->d->shared.count, 0);
}

/* Whoever goes first: the memory stays, with its contents, for the other; it counts once in the data figure. */
static void the_last_one_gives_it_back(void **state)
{
    struct bench *b = *state;
    for (unsigned first = 0; first < 2; first++) {
        struct share_export_args e;
        struct share_import_args i[2];
        const uint64_t before = b->d->data.value, room = b->d->vram[1].arena.free_bytes;
        const uint64_t h = alloc(b, 0, 1, AT, BYTES, FLAGS_VRAM, 0);
        memset(bytes_of(b, 0, h), 0x5a, BYTES);
        assert_int_equal(export(b, 0, h, 1, &e), 0);
        for (unsigned k = 0; k < 2; k++) /* twice in one client */
            assert_int_equal(import(b, 1, &e, 1, AT + (1 + k) * BYTES, &i[k]), 0);
        struct datahash once = {before};
        datahash_add(&once, bytes_of(b, 0, h), BYTES);
        if (first == 0)
            gone(b, 0, h);
        for (unsigned k = 0; k < 2; k++) {
            assert_int_equal(*bytes_of(b, 1, i[k].handle), 0x5a);
            assert_int_equal(b->d->data.value, before);
            assert_int_equal(b->d->vram[1].arena.free_bytes, room - BYTES);
            gone(b, 1, i[k].handle);
        }
        if (first == 1)
            gone(b, 0, h);
        assert_true(b->d->data.value == once.value && b->d->vram[1].arena.free_bytes == room);
        assert_int_equal(import(b, 1, &e, 1, AT, &i[0]), EINVAL); /* it names nothing */
    }
}

/* Death of the exporter: its other memory goes, what was imported stays. */
static void an_owner_ends(void **state)
{
    struct bench *b = *state;
    struct share_export_args e;
    struct share_import_args i;
    const uint64_t room = b->d->vram[1].arena.free_bytes;
    alloc(b, 1, 1, AT + BYTES, BYTES, FLAGS_VRAM, 0);
    const uint64_t h = alloc(b, 1, 1, AT, BYTES, FLAGS_VRAM, 0);
    bytes_of(b, 1, h)[5] = 0x77;
    assert_int_equal(export(b, 1, h, 1, &e), 0);
    assert_int_equal(import(b, 0, &e, 1, AT, &i), 0);
    client_end(b->d, b->client[1]);
    client_reap(b->d);
    assert_int_equal(b->d->vram[1].arena.free_bytes, room - BYTES);
    assert_int_equal(bytes_of(b, 0, i.handle)[5], 0x77);
    struct share_import_args more; /* its handle still names it */
    assert_int_equal(import(b, 0, &e, 1, AT + BYTES, &more), 0);
    gone(b, 0, i.handle);
    gone(b, 0, more.handle);
    assert_int_equal(b->d->vram[1].arena.free_bytes, room);
}

static void what_is_not_exported_is_refused(void **state)
{
    static uint8_t page[4096] __attribute__((aligned(4096)));
    struct bench *b = *state;
    struct share_export_args e, other;
    struct share_import_args i;
    const uint64_t h = alloc(b, 0, 1, AT, BYTES, FLAGS_VRAM, 0),
                   doorbell = alloc(b, 0, 1, AT + BYTES, 4096, KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL, 0);
    struct kfd_ioctl_alloc_memory_of_gpu_args user = {.va_addr = AT + 2 * BYTES,
                                                      .size = 4096,
                                                      .gpu_id = id_of(1),
                                                      .mmap_offset = (uintptr_t)page,
                                                      .flags = KFD_IOC_ALLOC_MEM_FLAGS_USERPTR};
    assert_int_equal(call(b, 0, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &user), 0);
    assert_int_equal(import(b, 1, &(struct share_export_args){.flags = 0}, 1, AT, &i), EINVAL); /* before any */
    assert_int_equal(export(b, 0, doorbell, 1, &e), EINVAL);
    assert_int_equal(export(b, 0, user.handle, 1, &e), EINVAL);
    assert_int_equal(export(b, 1, h, 1, &e), EINVAL); /* another's */
    assert_int_equal(export(b, 0, h + 1000, 1, &e), EINVAL);
    assert_int_equal(export(b, 0, h, GPUS, &e), EINVAL); /* no such GPU */
    assert_int_equal(export(b, 0, h, 1, &e), 0);
    for (unsigned bit = 0; bit < 128; bit++) {
        other = e;
        other.share[bit / 32] ^= 1u << bit % 32;
        assert_int_equal(import(b, 1, &other, 1, AT, &i), EINVAL);
    }
    assert_int_equal(import(b, 1, &e, 0, AT, &i), EINVAL); /* memory of another GPU */
    assert_int_equal(import(b, 1, &e, 1, AT + 1, &i), EINVAL);
    assert_int_equal(import(b, 1, &e, 1, (UINT64_C(1) << 40) - BYTES + 4096, &i), EINVAL);
    assert_int_equal(b->client[1]->holds.count, 1); /* of the bench */
    const uint64_t gtt = alloc(b, 0, 0, AT + 3 * BYTES, BYTES, FLAGS_GTT, 0);
    assert_int_equal(export(b, 0, gtt, 0, &other), 0);
    assert_memory_not_equal(other.share, e.share, sizeof e.share);
    assert_int_equal(import(b, 1, &other, 0, AT, &i), 0);
    assert_ptr_equal(bytes_of(b, 1, i.handle), bytes_of(b, 0, gtt));
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(both_have_the_memory), TEST(the_last_one_gives_it_back),
                                       TEST(an_owner_ends), TEST(what_is_not_exported_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
