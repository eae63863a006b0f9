/* SPDX-License-Identifier: Apache-2.0
 * Fuzzer of packets: one machine of one GPU for the life of the process (FUZZ_MODEL: golden or RTL), a new client with
 * two queues for each input, which gives what the queues' memory says, a few words of code, and up to PACKETS packets:
 * most are shaped so that they would run, one in eight is taken as it is.  Whatever they do, the client can be closed,
 * nothing is left, and no byte of another client changes.
 */
#include "config/config.h"
#include "fuzz.h"
#include "system/machine.h"
#include "vm/pagetable.h"
#include "vm/pmem.h"

#ifndef FUZZ_MODEL
#define FUZZ_MODEL SIM_GOLDEN
#endif
#define PACKETS 24u
#define HEAD 64u
#define VA_HOST UINT64_C(0x100000000)
#define VA_VRAM UINT64_C(0x200000000)
#define VA_OTHER UINT64_C(0x300000000)
#define HOST_BYTES 0x8000u
#define VRAM_BYTES 0x8000u
#define AT_QUEUE(q) ((q)*0x2000u) /* ring, then amd_queue_t */
#define AT_SIGNALS 0x4000u
#define AT_DATA 0x5000u
#define AT_CODE 0x1000u
#define AT_SCRATCH 0x4000u
#define CANARY 0x5a
#define RUN_CYCLES 20000u       /* of the golden model: five slices */
#define GOLDEN_SLICE_SMALL 256u /* instructions: what never ends takes little time */
#define CLOSE_CYCLES 2000000u
#define OTHER_VMID 15u

static struct {
    struct config config;
    struct machine *machine;
    struct pagetable *other;
    uint8_t *host, *vram, *canary;
    bool closed;
    unsigned vmid;
} f;

static void on_event(void *ctx, void *owner, uint32_t id)
{
    (void)ctx, (void)owner, (void)id;
}
static void on_fault(void *ctx, void *owner, unsigned gpu, const struct msg_cp_evt *evt)
{
    char text[320];
    (void)ctx, (void)owner;
    cp_memory_fault_text(gpu, evt, text, sizeof text);
}
static void on_error(void *ctx, void *owner, unsigned gpu, unsigned queue, uint32_t code, const struct msg_cp_evt *evt)
{
    char text[320];
    (void)ctx, (void)owner, (void)queue;
    cp_fault_text(gpu, code, evt, text, sizeof text);
}
static void on_halted(void *ctx, void *owner, unsigned gpu, const struct msg_cp_evt *evt)
{
    char text[1024] = "";
    (void)ctx, (void)owner;
    cp_halt_text(gpu, evt, text, sizeof text);
}

static void on_interrupt(void *ctx, void *owner)
{
    (void)ctx, (void)owner;
}
static void on_kernel(void *ctx, void *owner, const struct kernel_row *row)
{
    (void)ctx, (void)owner;
    fprintf(stderr, "kernel %s: %llu wavefronts, %llu instructions\n", row->name, (unsigned long long)row->wavefronts,
            (unsigned long long)row->instructions);
}
static void on_closed(void *ctx, struct cp_space *space)
{
    (void)ctx, (void)space;
    f.closed = true;
}

static void fuzz_start(void)
{
    static const struct sim_options options = {.model = FUZZ_MODEL, .golden_slice = GOLDEN_SLICE_SMALL};
    static const struct cp_host user = {.event = on_event,
                                        .memory_fault = on_fault,
                                        .queue_error = on_error,
                                        .halted = on_halted,
                                        .interrupt = on_interrupt,
                                        .kernel = on_kernel,
                                        .space_closed = on_closed};
    config_init(&f.config);
    CHECK(config_load(&f.config, "tiny") == STATUS_OK && config_finish(&f.config) == STATUS_OK, "fuzz",
          "configuration");
    f.machine = machine_new(&f.config.cfg, &options, &user);
    CHECK(f.machine && machine_start(f.machine) == 0, "fuzz", "machine");
    struct pmem *pm = machine_memory(f.machine);
    f.host = pmem_gtt(pm, 0, HOST_BYTES + 0x2000);
    f.vram = pmem_vram(pm, 0, 0, VRAM_BYTES + 0x2000);
    f.other = pagetable_new(pm, 0);
    CHECK(f.other && pagetable_map(f.other, VA_OTHER, pmem_addr(1, VRAM_BYTES), 0x2000, PTE_R | PTE_W | PTE_X) == 0,
          "fuzz", "the other client");
    memset(f.host + HOST_BYTES, CANARY, 0x2000);
    memset(f.vram + VRAM_BYTES, CANARY, 0x2000);
}

static void put(uint8_t *at, uint64_t value, unsigned bytes)
{
    memcpy(at, &value, bytes);
}

/* Programs of 64 bytes that end, use memory, wait for each other, fault, halt, call for the host, or never end. */
static const uint32_t programs[16][16] = {
    {0xbf810000},
    {0xbf8a0000, 0xbf810000},                                     /* s_barrier */
    {0x7e000280, 0x7e020300, 0xdc700000, 0x00000000, 0xbf810000}, /* flat_store to an address made of nothing */
    {0xc0060100, 0x00000000, 0xbf8c007f, 0x7e000204, 0x7e020205, 0xdc700000, 0x00000000, 0xbf8c0f70, 0xbf810000},
    {0xbf820000 | 0xffff},                                                                /* s_branch to itself */
    {0xbf900001, 0xbf810000},                                                             /* s_sendmsg */
    {0xbf8d0001, 0xbf810000},                                                             /* s_sethalt */
    {0xffffffff},                                                                         /* no instruction */
    {0xbf8e007f, 0xbf8e007f, 0xbf81},                                                     /* s_sleep */
    {0xbf920001, 0xbf810000},                                                             /* s_trap */
    {0xd81a0000, 0x00000100, 0xbf8c007f, 0xd86c0000, 0x01000000, 0xbf8c007f, 0xbf810000}, /* LDS */
    {0xc0060100, 0x00000000, 0xbf8c007f, 0x7e000204, 0x7e020205, 0xdd080000, 0x02000000,
     0xbf810000},             /* flat_atomic_add */
    {0xbe801c00, 0xbf810000}, /* s_getpc */
    {0xbe801d00, 0xbf810000}, /* s_setpc to what the registers hold */
    {0xc0020000, 0x00000000, 0xbf8c007f, 0xbf810000},
    {0xbf9c0000, 0xbf930000, 0xbf8c0000, 0xbf810000},
};

static void memory_write(const uint8_t *head)
{
    memset(f.host, 0, HOST_BYTES);
    memset(f.vram, 0, VRAM_BYTES);
    memcpy(f.vram + AT_CODE, programs, sizeof programs);
    for (unsigned i = 0; i < 16; i++) { /* descriptor i runs program i */
        uint8_t *kd = f.vram + 64 * i;
        put(kd + 0x10, AT_CODE, 8);
        put(kd + 0x30, (head[0] & 15) | (uint32_t)(head[1] & 15) << 6, 4);
        put(kd + 0x34,
            (uint32_t)(head[2] & 15) << 1 | (uint32_t)(head[3] & 7) << 7 | (uint32_t)(head[3] >> 6) << 11 |
                (head[4] & 1),
            4);
        put(kd + 0x38, head[5] & 0x7f, 2);
    }
    memcpy(f.vram + AT_CODE + (head[6] & 0xff) * 4, head + 48, 4 * (head[7] & 3)); /* words of a program */
    for (unsigned q = 0; q < 2; q++) {
        uint8_t *amd = f.host + AT_QUEUE(q) + 0x1000;
        for (unsigned i = 0; i < 64; i++)
            f.host[AT_QUEUE(q) + 64 * i] = 1; /* INVALID */
        put(amd + 0x08, VA_HOST + AT_QUEUE(q), 8);
        put(amd + 0x40, 0x20000000, 4);
        put(amd + 0x44, 0x20000001, 4);
        put(amd + 0x8c, head[8] | (uint32_t)head[9] << 12, 4);
        put(amd + 0x90, VA_VRAM + AT_SCRATCH, 8);
        put(amd + 0xb0, (uint64_t)head[10] << (head[11] & 7), 4);
        put(amd + 0xc0, head[12] & 1 ? VA_HOST + AT_SIGNALS + 64 * 60 : head[12] & 2 ? 0xdead000 : 0, 8);
    }
    for (unsigned s = 0; s < 64; s++)
        put(f.host + AT_SIGNALS + 64 * s + 8, s < 32 ? 1 : 0, 8);
    put(f.host + AT_DATA, VA_VRAM + AT_SCRATCH, 8);
}

/* A packet that would run, of the bytes that the input gives for it. */
static void packet_shape(uint8_t *to, const uint8_t *b)
{
    static const uint8_t types[8] = {2, 2, 2, 2, 3, 5, 0, 2};
    static const uint16_t groups[8] = {64, 1, 63, 128, 256, 7, 1024, 320};
    unsigned type = types[b[0] & 7], dims = 1 + b[1] % 3;
    memset(to, 0, 64);
    if (type == 2) {
        put(to + 2, dims, 2);
        for (unsigned d = 0; d < dims; d++) {
            put(to + 4 + 2 * d, d ? 1 + b[2 + d] % 3u : groups[b[2] & 7], 2);
            put(to + 0xc + 4 * d, d ? 1 + b[5 + d] % 4u : 1 + (b[5] | (uint32_t)(b[6] & 7) << 8), 4);
        }
        put(to + 0x18, b[9] & 0x80 ? (uint32_t)(b[9] & 15) * 16 : 0, 4);
        put(to + 0x1c, (uint32_t)(b[10] & 31) * 128, 4);
        put(to + 0x20, VA_VRAM + 64u * (b[11] & 15), 8);
        put(to + 0x28, VA_HOST + AT_DATA + (b[12] & 0x3f) * 8u, 8);
    } else {
        for (unsigned i = 0; i < 5; i++)
            put(to + 8 + 8 * i, b[20 + i] & 0x80 ? VA_HOST + AT_SIGNALS + 64u * (b[20 + i] & 63) : 0, 8);
    }
    put(to + 0x38, b[13] & 0x80 ? VA_HOST + AT_SIGNALS + 64u * (b[13] & 63) : 0, 8);
    put(to,
        type | (uint32_t)(b[14] & 1) << 8 | (uint32_t)(b[14] >> 1 & 3) % 3 << 9 | (uint32_t)(b[14] >> 3 & 3) % 3 << 11,
        2);
}

/* Up to `cycles`, less when nothing more can happen. */
static void advance(uint64_t cycles, const bool *until)
{
    uint64_t end = machine_now(f.machine) + cycles;
    unsigned calls = 0;
    while (machine_now(f.machine) < end && !(until && *until)) {
        enum machine_result result = machine_run(f.machine, end);
        if (result == MACHINE_IDLE || result == MACHINE_NO_PROGRESS || (!until && ++calls > 64))
            return;
    }
}

static void canaries_check(void)
{
    static uint8_t whole[0x2000];
    memset(whole, CANARY, sizeof whole);
    CHECK(memcmp(f.host + HOST_BYTES, whole, sizeof whole) == 0 &&
              memcmp(f.vram + VRAM_BYTES, whole, sizeof whole) == 0,
          "fuzz", "memory of another client has changed");
}

static void fuzz_one(const uint8_t *data, size_t bytes)
{
    uint8_t head[HEAD] = {0};
    memcpy(head, data, bytes < HEAD ? bytes : HEAD);
    memory_write(head);
    f.vmid = f.vmid % (OTHER_VMID - 1) + 1;
    f.closed = false;
    struct cp *cp = machine_cp(f.machine, 0);
    struct cp_space space = {.pt = pagetable_new(machine_memory(f.machine), 0),
                             .vmid = (uint8_t)f.vmid,
                             .scratch_base = VA_VRAM + AT_SCRATCH,
                             .tba = head[13] & 1 ? VA_VRAM + AT_CODE : 0};
    CHECK(space.pt, "fuzz", "page tables are not given back");
    pagetable_map(space.pt, VA_HOST, 0, HOST_BYTES, PTE_R | PTE_W | PTE_X | PTE_UNCACHED);
    pagetable_map(space.pt, VA_VRAM, pmem_addr(1, 0), VRAM_BYTES, PTE_R | PTE_W | PTE_X);
    cp_space_open(cp, &space);
    struct cp_queue *queue[2];
    uint64_t written[2] = {0, 0};
    for (unsigned q = 0; q < 2; q++) {
        uint64_t amd = VA_HOST + AT_QUEUE(q) + 0x1000;
        const struct cp_queue_args args = {.number = q,
                                           .ring = VA_HOST + AT_QUEUE(q),
                                           .packets = 64,
                                           .write_index = amd + 0x50,
                                           .read_index = amd + 0x80};
        queue[q] = cp_queue_open(cp, &space, &args);
        CHECK(queue[q], "fuzz", "no queue");
    }
    if (head[14])
        cp_queue_cu_mask(cp, queue[0], head[14]);
    for (unsigned n = 0; n < PACKETS && HEAD + 64 * (n + 1) <= bytes; n++) {
        const uint8_t *b = data + HEAD + 64 * n;
        unsigned q = b[63] >> 7;
        uint8_t *slot = f.host + AT_QUEUE(q) + written[q]++ % 64 * 64;
        if (b[63] % 8)
            packet_shape(slot, b);
        else
            memcpy(slot, b, 64);
        put(f.host + AT_QUEUE(q) + 0x1050, written[q], 8);
        if (b[62] & 1)
            cp_doorbell(cp, queue[q]);
        if (b[62] & 2)
            advance(1 + b[62] * 16u, NULL);
        if (b[62] >> 2 == 1)
            cp_space_shootdown(cp, &space, 0, 0);
        if (b[62] >> 2 == 2)
            cp_queue_suspend(cp, queue[q], b[61] & 1);
    }
    cp_doorbell(cp, queue[0]);
    cp_doorbell(cp, queue[1]);
    advance(RUN_CYCLES, NULL);
    if (head[15] & 1)
        cp_queue_close(cp, queue[1]);
    cp_space_close(cp, &space);
    advance(CLOSE_CYCLES, &f.closed);
    CHECK(f.closed, "fuzz", "a client that was closed is still on the GPU after %u cycles", CLOSE_CYCLES);
    advance(RUN_CYCLES, NULL);
    CHECK(!machine_busy(f.machine), "fuzz", "the machine works on without clients");
    pagetable_free(space.pt);
    canaries_check();
}
