/* SPDX-License-Identifier: Apache-2.0
 * Memory divided among clients: what one can map never holds a byte of another; a single client gets the addresses of
 * plain first fit (S0.4, S3.12).
 */
#include "../driver/bench.h"

#include <sys/mman.h>

#include "memory/granules.h"

#define OWNERS 3u
#define LIVE 200u
#define PAGE 4096u

struct live {
    uint64_t at, bytes;
    uint32_t owner;
};

/* Random allocations and frees of `owners` clients in a small memory, the store held against a plain arena when there
 * is one owner, and against granules that nobody shares when there are more. */
static void churn(struct store *s, uint32_t owners, unsigned rounds)
{
    static struct live live[LIVE];
    struct arena plain;
    arena_init(&plain, 0, s->arena.free_bytes);
    memset(live, 0, sizeof live);
    for (unsigned round = 0; round < rounds; round++) {
        struct live *l = &live[(unsigned)rand() % LIVE];
        if (l->bytes) {
            const uint8_t *kept = pmem_vram(s->pm, 0, l->at, l->bytes), tag = (uint8_t)(1 + (l - live));
            for (uint64_t i = 0; i < l->bytes; i += PAGE / 2) /* whatever came and went beside it */
                assert_int_equal(kept[i], tag);
            store_free(s, l->at, l->bytes);
            if (owners == 1)
                arena_free(&plain, l->at, l->bytes);
            l->bytes = 0;
            continue;
        }
        uint64_t bytes = (1 + (uint64_t)rand() % (rand() % 4 ? 20 : 600)) * PAGE, align = pagetable_align(bytes);
        uint64_t like = ((uint64_t)rand() % 4096) * PAGE;
        uint32_t owner = 1 + (uint32_t)rand() % owners;
        uint64_t at = store_alloc(s, owner, bytes, align, like);
        if (owners == 1)
            assert_int_equal(at, arena_alloc(&plain, bytes, align, like));
        if (at == ARENA_NONE)
            continue;
        assert_int_equal((at - like) % align, 0);
        *l = (struct live){at, bytes, owner};
        const uint8_t *host = pmem_vram(s->pm, 0, at, bytes);
        for (uint64_t i = 0; i < bytes; i += PAGE / 2)
            assert_int_equal(host[i], 0);
        memset(pmem_vram(s->pm, 0, at, bytes), (int)(1 + (l - live)), bytes);
        for (unsigned i = 0; i < LIVE; i++) /* nobody else in the granules */
            assert_true(!live[i].bytes || live[i].owner == owner ||
                        (live[i].at + live[i].bytes - 1) / s->granule < at / s->granule ||
                        live[i].at / s->granule > (at + bytes - 1) / s->granule);
    }
    for (unsigned i = 0; i < LIVE; i++)
        if (live[i].bytes)
            store_free(s, live[i].at, live[i].bytes);
    arena_release(&plain);
    uint64_t at, bytes = 1;
    for (uint64_t g = 0; g < s->arena.free_bytes; g += s->granule)
        assert_int_equal(store_fd(s, g, &at, &bytes), -1); /* all slabs have gone */
    assert_int_equal(s->arena.free.count, 1);
}

/* shows S0.4, S3.12 */
static void owners_share_no_granule(void **state)
{
    struct pmem *pm = pmem_new(1, UINT64_C(16) << 20, UINT64_C(4) << 20);
    struct store s;
    (void)state;
    srand(11);
    store_init(&s, pm, 0);
    churn(&s, 1, 4000);
    churn(&s, OWNERS, 4000);
    store_fini(&s);
    pmem_free(pm);
}

static int render_map(struct bench *b, unsigned client, unsigned gpu, uint64_t offset, uint64_t *bytes)
{
    uint64_t at = 0;
    int fd = memory_map_file(b->d, b->client[client], gpu, offset, bytes, &at);
    assert_true(fd < 0 || at % PAGE == 0);
    return fd;
}

/* shows S3.12: which part of a render node a client can map: its own objects, whole or in part. */
static void clients_map_their_own(void **state)
{
    struct bench *b = *state;
    const uint64_t vram = pmem_vram_bytes(machine_memory(b->d->machine)), granule = b->d->vram[1].granule;
    struct object *own = memory_find(b->client[0], alloc(b, 0, 1, 0x20000000, 3 * granule, FLAGS_VRAM, 0));
    struct object *other = memory_find(b->client[1], alloc(b, 1, 1, 0x20000000, PAGE, FLAGS_VRAM, 0));
    struct object *gtt = memory_find(b->client[0], alloc(b, 0, 2, 0x30000000, PAGE, FLAGS_GTT, 0));
    const struct {
        unsigned client, gpu;
        uint64_t offset, bytes;
        bool good;
    } asked[] = {
        {0, 1, own->hold->backing->offset, 3 * granule, true},
        {0, 1, own->hold->backing->offset + PAGE, PAGE, true},
        {0, 1, own->hold->backing->offset + 3 * granule - PAGE, PAGE, true},
        {0, 1, own->hold->backing->offset + 3 * granule - PAGE, 2 * PAGE, false},
        {0, 1, own->hold->backing->offset, 3 * granule + 1, false},
        {0, 1, own->hold->backing->offset, UINT64_MAX, false},
        {0, 1, own->hold->backing->offset, 0, false},
        {0, 1, own->hold->backing->offset + 1, PAGE, false},
        {0, 0, own->hold->backing->offset, PAGE, false},
        {0, 2, own->hold->backing->offset, PAGE, false},
        {1, 1, own->hold->backing->offset, PAGE, false},
        {0, 1, other->hold->backing->offset, PAGE, false},
        {1, 1, other->hold->backing->offset, PAGE, true},
        {0, 0, vram + gtt->hold->backing->offset, PAGE, true}, /* host memory lies behind each render node's VRAM */
        {0, 2, vram + gtt->hold->backing->offset, PAGE, true},
        {0, 1, vram + gtt->hold->backing->offset, PAGE, true},
        {0, GPUS, vram + gtt->hold->backing->offset, PAGE, false},
        {0, 0, vram, PAGE, true}, /* its first page is the first client's ring */
        {1, 0, vram + gtt->hold->backing->offset, PAGE, false},
        {1, 2, vram + gtt->hold->backing->offset, PAGE, false},
        {0, 2, vram + gtt->hold->backing->offset, 2 * PAGE, false},
        {0, 2, vram + gtt->hold->backing->offset + 1, PAGE, false},
        {0, 1, vram + vram, PAGE, false}, /* host memory has 64 MiB as each VRAM: behind its end */
        {0, 1, vram - PAGE, PAGE, false}, /* page tables */
        {0, 0, vram - PAGE, PAGE, false},
        {0, 0, UINT64_MAX - PAGE + 1, PAGE, false},
        {0, 2, UINT64_MAX - PAGE + 1, PAGE, false},
    };
    for (unsigned i = 0; i < sizeof asked / sizeof asked[0]; i++) {
        uint64_t bytes = asked[i].bytes;
        int fd = render_map(b, asked[i].client, asked[i].gpu, asked[i].offset, &bytes);
        assert_int_equal(fd >= 0, asked[i].good);
        assert_true(fd < 0 || bytes == asked[i].bytes);
    }
    struct kfd_ioctl_free_memory_of_gpu_args f = {.handle = own->handle.at};
    uint64_t at = own->hold->backing->offset, bytes = PAGE;
    assert_int_equal(call(b, 0, AMDKFD_IOC_FREE_MEMORY_OF_GPU, &f), 0);
    assert_int_equal(render_map(b, 0, 1, at, &bytes), -1);
}

/* What ALLOC_MEMORY answers for mmap leads to the memory itself: VRAM on its own render node, host memory on the first.
 */
static void offsets_lead_to_the_memory(void **state)
{
    struct bench *b = *state;
    struct pmem *pm = machine_memory(b->d->machine);
    for (unsigned n = 0; n < 6; n++) {
        bool gtt = n & 1;
        struct kfd_ioctl_alloc_memory_of_gpu_args a = {.va_addr = 0x20000000 + n * UINT64_C(0x1000000),
                                                       .size = 2 * PAGE,
                                                       .gpu_id = id_of(1),
                                                       .flags = gtt ? FLAGS_GTT : FLAGS_VRAM};
        uint64_t bytes = 2 * PAGE, at;
        uint32_t word = 0x1234 + n, found = 0;
        assert_int_equal(call(b, 0, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &a), 0);
        const struct object *o = memory_find(b->client[0], a.handle);
        uint8_t *there =
            gtt ? pmem_gtt(pm, o->hold->backing->offset, bytes) : pmem_vram(pm, 1, o->hold->backing->offset, bytes);
        memcpy(there + PAGE, &word, sizeof word);
        int fd = memory_map_file(b->d, b->client[0], gtt ? 0 : 1, a.mmap_offset, &bytes, &at);
        assert_true(fd >= 0 && bytes == 2 * PAGE);
        assert_int_equal(pread(fd, &found, sizeof found, (off_t)(at + PAGE)), sizeof found);
        assert_int_equal(found, word);
    }
}

/* shows S3.12: no granule holds bytes of two clients, whichever of them comes first, in VRAM and in host memory. */
static void clients_share_no_granule(void **state)
{
    struct bench *b = *state;
    for (unsigned kind = 0; kind < 2; kind++) {
        const struct store *s = kind ? &b->d->gtt : &b->d->vram[1];
        uint64_t granule[6];
        alloc(b, 1, 1, 0x1f000000, PAGE, kind ? FLAGS_GTT : FLAGS_VRAM, 0); /* the second client comes first */
        for (unsigned i = 0; i < 6; i++) {
            uint64_t va = 0x20000000 + (2 * i + kind) * UINT64_C(0x1000000);
            uint64_t handle = alloc(b, i & 1, 1, va, PAGE, kind ? FLAGS_GTT : FLAGS_VRAM, 0);
            granule[i] = memory_find(b->client[i & 1], handle)->hold->backing->offset / s->granule;
            for (unsigned k = 0; k < i; k++)
                assert_int_equal(granule[i] == granule[k], (i & 1) == (k & 1)); /* one client's lie together */
        }
        const uint64_t most = s->granule - 2 * PAGE; /* no room beside what it has */
        uint64_t large = alloc(b, 0, 1, 0x50000000 + kind * 0x1000000, most, kind ? FLAGS_GTT : FLAGS_VRAM, 0);
        uint64_t first = memory_find(b->client[0], large)->hold->backing->offset, last = first + most - 1;
        assert_true(last / s->granule < granule[1] || first / s->granule > granule[1]); /* nor does one without room */
    }
}

/* A client keeps what it has mapped: writes of a dead mapping reach nobody, and files keep their length. */
static void freed_memory_is_let_go(void **state)
{
    struct bench *b = *state;
    const uint64_t granule = b->d->vram[0].granule;
    uint64_t h = alloc(b, 0, 0, 0x20000000, granule, FLAGS_VRAM, 0), bytes = granule, file_at;
    struct object *o = memory_find(b->client[0], h);
    uint64_t at = o->hold->backing->offset;
    int fd = dup(memory_map_file(b->d, b->client[0], 0, at, &bytes, &file_at));
    uint8_t *seen = mmap(NULL, granule, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)file_at);
    assert_true(seen != MAP_FAILED);
    memset(seen, 0x55, granule);
    assert_int_equal(*pmem_vram(machine_memory(b->d->machine), 0, at + granule - 1, 1), 0x55);
    assert_int_equal(ftruncate(fd, 0), -1);
    assert_int_equal(ftruncate(b->client[0]->page_fd, 0), -1);
    struct kfd_ioctl_free_memory_of_gpu_args f = {.handle = h};
    assert_int_equal(call(b, 0, AMDKFD_IOC_FREE_MEMORY_OF_GPU, &f), 0);
    o = memory_find(b->client[1], alloc(b, 1, 0, 0x20000000, granule, FLAGS_VRAM, 0));
    assert_int_equal(o->hold->backing->offset, at);
    memset(seen, 0x66, granule);
    assert_int_equal(*pmem_vram(machine_memory(b->d->machine), 0, at, 1), 0);
    munmap(seen, granule);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(owners_share_no_granule),
        TEST(clients_map_their_own),
        TEST(offsets_lead_to_the_memory),
        TEST(clients_share_no_granule),
        TEST(freed_memory_is_let_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
