/* SPDX-License-Identifier: Apache-2.0
 * What the user is told of a fault, and what its process: one line, with whose it is, where in which kernel, and the
 * allocation next to the address (B.8).
 */
#include "packets.h"

#include <stdio.h>

#define S_ENDPGM 0xbf810000u
#define INACTIVE_SIGNAL (0x1000u + 0xc0u) /* of the amd_queue_t behind a ring */

static int own_stderr;
static FILE *said;

static void listen(void)
{
    said = tmpfile();
    own_stderr = dup(2);
    fflush(stderr);
    dup2(fileno(said), 2);
}

/* What was written to stderr since then. */
static const char *heard(void)
{
    static char text[4096];
    fflush(stderr);
    dup2(own_stderr, 2);
    close(own_stderr);
    rewind(said);
    text[fread(text, 1, sizeof text - 1, said)] = 0;
    fclose(said);
    return text;
}

/* The wavefront of a kernel that runs on the GPU tells this. */
static const char *told(struct bench *b, struct sender *s, struct msg_cp_evt evt)
{
    guest_put(b, s, s->ring + INACTIVE_SIGNAL, b->ring[s->client] + SIGNAL_AT, 8);
    fake_launch = endless;
    sender_run(b, s);
    fake_launch = NULL;
    evt.id = launch_last(b)->id, evt.vmid = launch_last(b)->vmid;
    evt.pc += launch_last(b)->pc;
    guest_put(b, s, evt.pc, S_ENDPGM, 8);
    evt.cu = 17, evt.wave = 6, evt.start = 4;
    listen();
    fake(b)->ops->event(fake(b)->ctx, s->gpu, machine_now(b->d->machine), &evt);
    return heard();
}

static uint32_t memory_event(struct bench *b)
{
    struct kfd_ioctl_create_event_args a = {.event_type = KFD_IOC_EVENT_MEMORY};
    assert_int_equal(call(b, 0, AMDKFD_IOC_CREATE_EVENT, &a), 0);
    return a.event_id;
}

/* shows B.8: a fault in one line: whose, why, where, in what; and its process hears of it. */
static void a_memory_fault_is_told_whole(void **state)
{
    struct bench *b = *state;
    struct sender s = sender_new(b, 0, 1, 0);
    uint32_t id = memory_event(b);
    char expected[600];
    uint64_t h = alloc(b, 0, 2, 0x20000000, 0x3000, FLAGS_VRAM, 0);
    assert_int_equal(map(b, 0, h, 2, true), 0);
    const char *line =
        told(b, &s, (struct msg_cp_evt){.kind = CP_EVT_FAULT, .status = FAULT_READ_ONLY, .va = 0x20001004, .pc = 8});
    snprintf(expected, sizeof expected,
             "gantry: process %d: gpu1: memory fault at address 0x20001004: page is read-only at pc 0x%llx, CU 17 "
             "wavefront 6: s_endpgm (instruction 0x00000000bf810000); in ",
             (int)getpid(), (unsigned long long)launch_last(b)->pc + 8);
    assert_memory_equal(line, expected, strlen(expected));
    assert_non_null(strstr(line, "+0x8, work-group 4,?,0; "));
    const char *near = "; 0x20001004 is 4100 bytes into a 12288-byte VRAM allocation at 0x20000000\n";
    assert_string_equal(line + strlen(line) - strlen(near), near);
    const struct event *e = &b->client[0]->events[id];
    assert_true(e->set && e->fault_va == 0x20001004 && e->fault_gpu_id == id_of(1) && e->fault == FAULT_READ_ONLY);
}

/* The allocation next to the address, of those that the GPU has; its kind in words. */
static void the_next_allocation_is_named(void **state)
{
    static uint8_t own[4096] __attribute__((aligned(4096)));
    static const struct {
        uint32_t flags;
        const char *words;
    } kinds[] = {
        {FLAGS_VRAM, "; 0x50001fff is 4095 bytes beyond the end of a 4096-byte VRAM allocation at 0x50000000\n"},
        {FLAGS_GTT, "-byte host-memory allocation"},
        {KFD_IOC_ALLOC_MEM_FLAGS_USERPTR, "-byte registered-memory allocation"},
        {KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL, "-byte device-page allocation"}};
    struct bench *b = *state;
    for (unsigned n = 0; n < 4; n++) {
        assert_int_equal(n ? teardown(state) || setup(state) : 0, 0);
        b = *state;
        b->d->client_count = 1; /* who it is goes without saying */
        struct sender s = sender_new(b, 0, 0, 0);
        struct kfd_ioctl_alloc_memory_of_gpu_args a = {.va_addr = 0x50000000,
                                                       .size = 4096,
                                                       .gpu_id = id_of(0),
                                                       .mmap_offset = (uintptr_t)own,
                                                       .flags = kinds[n].flags};
        assert_int_equal(call(b, 0, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &a), 0);
        assert_int_equal(map(b, 0, a.handle, 1, true), 0);
        uint64_t nearer = alloc(b, 0, 1, 0x50002000, 4096, FLAGS_VRAM, 0);
        assert_int_equal(map(b, 0, nearer, 2, true), 0); /* on another GPU */
        const char *line =
            told(b, &s,
                 (struct msg_cp_evt){
                     .kind = CP_EVT_FAULT, .status = n & 1 ? FAULT_NOT_PRESENT : FAULT_BUS, .va = 0x50001fff});
        assert_non_null(strstr(line, kinds[n].words));
        assert_memory_equal(line, "gantry: gpu0: ", 14);
    }
}

/* A packet that cannot be started stops its queue, which is named, and the packet. */
static void a_refused_packet_is_named(void **state)
{
    struct bench *b = *state;
    sender_new(b, 0, 0, 0);
    struct sender s = sender_new(b, 0, 2, 1);
    sender_run(b, &s);
    sender_kernel(b, &s, 0, 0);
    guest_put(b, &s, s.ring + INACTIVE_SIGNAL, b->ring[0] + SIGNAL_AT, 8);
    guest_put(b, &s, s.ring + 64 + 0x1c, 65 * 1024, 4); /* LDS: a KiB more than there is */
    sender_ring(b, &s);
    listen();
    assert_true(queue_doorbells(b->d));
    run_dry(b);
    const char *line = heard();
    assert_non_null(strstr(
        line,
        ": queue 1 stopped: gpu2: work-group needs more LDS than a CU has: 66560 bytes, it has 65536; packet 1: "));
    assert_null(strstr(line, "allocation")); /* there is no address */
    assert_ptr_equal(strchr(line, '\n'), line + strlen(line) - 1);
}

/* What a wavefront has done is told with its place, a wrong address with what lies there, and no other number is taken
 * for one. */
static void a_stopped_wavefront_is_placed(void **state)
{
    static const struct {
        uint8_t kind, status;
        const char *words;
        bool address;
    } cases[] = {{CP_EVT_HALT, FAULT_BUS,
                  ": gpu0: a wavefront has halted itself, as after a trap, CU 17 wavefront 6; in ", false},
                 {CP_EVT_FAULT, FAULT_ILLEGAL, ": queue 0 stopped: gpu0: illegal instruction at pc 0x", true},
                 {CP_EVT_FAULT, FAULT_APERTURE, ": queue 0 stopped: gpu0: misaligned access or access outside", true}};
    struct bench *b;
    for (unsigned n = 0; n < sizeof cases / sizeof cases[0]; n++) {
        assert_int_equal(n ? teardown(state) || setup(state) : 0, 0);
        b = *state;
        struct sender s = sender_new(b, 0, 0, 0);
        const char *line = told(
            b, &s, (struct msg_cp_evt){.kind = cases[n].kind, .status = cases[n].status, .va = 0x10000010, .pc = 4});
        assert_non_null(strstr(line, cases[n].words));
        assert_non_null(strstr(line, cases[n].address ? "+0x4, work-group 4,?,0" : ", work-group 4,?,0"));
        assert_null(strstr(line, "allocation"));
        assert_null(strstr(line, "packet")); /* which one it came by says the kernel */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_memory_fault_is_told_whole),
        TEST(the_next_allocation_is_named),
        TEST(a_refused_packet_is_named),
        TEST(a_stopped_wavefront_is_placed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
