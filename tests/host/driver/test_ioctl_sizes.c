/* SPDX-License-Identifier: Apache-2.0
 * Structures of an ioctl that are shorter or longer than the driver's: those of older and newer user space (S0.8).  As
 * with amdkfd, a shorter one is the driver's with zeros behind it, a longer one the driver's with bytes behind it that
 * nobody looks at.
 */
#include "bench.h"
#include "memory/shared_objects.h"

#define DBG_TRAP_5_2 _IOC(_IOC_READ | _IOC_WRITE, 'K', 0x82, 40)
#define IPC_IMPORT _IOC(_IOC_READ | _IOC_WRITE, 'K', 0x80, sizeof(struct share_import_args))
#define IPC_EXPORT _IOC(_IOC_READ | _IOC_WRITE, 'K', 0x81, sizeof(struct share_export_args))
#define BUFFER UINT64_C(0x50000000)

/* What all of these calls find: memory that is mapped, a queue, an event. */
static struct {
    uint64_t handle;
    uint32_t queue, event, ids[GPUS];
    uint32_t words[64]; /* what a pointer of an argument leads to */
    struct kfd_event_data events[1];
} with;

static void prepare(struct bench *b)
{
    uint64_t doorbell;
    memset(&with, 0, sizeof with);
    with.ids[0] = id_of(0);
    with.words[0] = 3;
    with.handle = alloc(b, 0, 0, BUFFER, 4096, FLAGS_VRAM, 0);
    assert_int_equal(map(b, 0, with.handle, 1, true), 0);
    assert_int_equal(queue_new(b, 0, 0, &with.queue, &doorbell), 0);
    struct kfd_ioctl_create_event_args made = {.event_type = KFD_IOC_EVENT_SIGNAL};
    assert_int_equal(call(b, 0, AMDKFD_IOC_CREATE_EVENT, &made), 0);
    with.events[0].event_id = with.event = made.event_id;
}

#define POINTER(p) ((uintptr_t)(p))
union argument {
    uint8_t bytes[PROTOCOL_BYTES];
    struct kfd_ioctl_create_queue_args create_queue;
    struct kfd_ioctl_destroy_queue_args destroy_queue;
    struct kfd_ioctl_set_memory_policy_args policy;
    struct kfd_ioctl_get_clock_counters_args clocks;
    struct kfd_ioctl_update_queue_args update_queue;
    struct kfd_ioctl_create_event_args create_event;
    struct kfd_ioctl_set_event_args event; /* destroy and reset, too */
    struct kfd_ioctl_wait_events_args wait;
    struct kfd_ioctl_set_scratch_backing_va_args scratch;
    struct kfd_ioctl_get_tile_config_args tiles;
    struct kfd_ioctl_set_trap_handler_args trap;
    struct kfd_ioctl_get_process_apertures_new_args apertures;
    struct kfd_ioctl_acquire_vm_args vm;
    struct kfd_ioctl_alloc_memory_of_gpu_args alloc;
    struct kfd_ioctl_free_memory_of_gpu_args free;
    struct kfd_ioctl_map_memory_to_gpu_args map; /* unmap, too */
    struct kfd_ioctl_set_cu_mask_args mask;
    struct kfd_ioctl_set_xnack_mode_args xnack;
    struct kfd_ioctl_get_available_memory_args available;
    struct share_export_args export;
    struct share_import_args import;
};

static const uint32_t codes[] = {
    AMDKFD_IOC_GET_VERSION,
    AMDKFD_IOC_CREATE_QUEUE,
    AMDKFD_IOC_DESTROY_QUEUE,
    AMDKFD_IOC_SET_MEMORY_POLICY,
    AMDKFD_IOC_GET_CLOCK_COUNTERS,
    AMDKFD_IOC_UPDATE_QUEUE,
    AMDKFD_IOC_CREATE_EVENT,
    AMDKFD_IOC_DESTROY_EVENT,
    AMDKFD_IOC_SET_EVENT,
    AMDKFD_IOC_RESET_EVENT,
    AMDKFD_IOC_WAIT_EVENTS,
    AMDKFD_IOC_SET_SCRATCH_BACKING_VA,
    AMDKFD_IOC_GET_TILE_CONFIG,
    AMDKFD_IOC_SET_TRAP_HANDLER,
    AMDKFD_IOC_GET_PROCESS_APERTURES_NEW,
    AMDKFD_IOC_ACQUIRE_VM,
    AMDKFD_IOC_ALLOC_MEMORY_OF_GPU,
    AMDKFD_IOC_FREE_MEMORY_OF_GPU,
    AMDKFD_IOC_MAP_MEMORY_TO_GPU,
    AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU,
    AMDKFD_IOC_SET_CU_MASK,
    AMDKFD_IOC_SVM,
    AMDKFD_IOC_SET_XNACK_MODE,
    AMDKFD_IOC_AVAILABLE_MEMORY,
    IPC_IMPORT,
    IPC_EXPORT,
    DBG_TRAP_5_2,
};
#define CODES (sizeof codes / sizeof codes[0])

/* An argument that is good when it is whole. */
static union argument good(uint32_t code)
{
    union argument a = {.bytes = {0}};
    switch (code) {
    case AMDKFD_IOC_CREATE_QUEUE:
        a.create_queue = (struct kfd_ioctl_create_queue_args){.ring_base_address = 0x10000000,
                                                              .write_pointer_address = 0x10001050,
                                                              .read_pointer_address = 0x10001080,
                                                              .ring_size = 0x2000,
                                                              .gpu_id = id_of(0),
                                                              .queue_percentage = 100,
                                                              .queue_type = KFD_IOC_QUEUE_TYPE_COMPUTE_AQL,
                                                              .ctx_save_restore_size = 4096,
                                                              .ctl_stack_size = 4096};
        break;
    case AMDKFD_IOC_DESTROY_QUEUE:
        a.destroy_queue.queue_id = with.queue;
        break;
    case AMDKFD_IOC_SET_MEMORY_POLICY:
        a.policy.gpu_id = id_of(0);
        break;
    case AMDKFD_IOC_GET_CLOCK_COUNTERS:
        a.clocks.gpu_id = id_of(0);
        break;
    case AMDKFD_IOC_UPDATE_QUEUE:
        a.update_queue = (struct kfd_ioctl_update_queue_args){
            .ring_base_address = 0x10000000, .queue_id = with.queue, .ring_size = 0x2000, .queue_percentage = 100};
        break;
    case AMDKFD_IOC_DESTROY_EVENT:
    case AMDKFD_IOC_SET_EVENT:
    case AMDKFD_IOC_RESET_EVENT:
        a.event.event_id = with.event;
        break;
    case AMDKFD_IOC_WAIT_EVENTS:
        a.wait =
            (struct kfd_ioctl_wait_events_args){.events_ptr = POINTER(with.events), .num_events = 1, .timeout = 100};
        break;
    case AMDKFD_IOC_SET_SCRATCH_BACKING_VA:
        a.scratch.va_addr = 0x1000;
        a.scratch.gpu_id = id_of(0);
        break;
    case AMDKFD_IOC_GET_TILE_CONFIG:
        a.tiles = (struct kfd_ioctl_get_tile_config_args){.tile_config_ptr = POINTER(with.words),
                                                          .macro_tile_config_ptr = POINTER(with.words + 32),
                                                          .num_tile_configs = 32,
                                                          .num_macro_tile_configs = 16,
                                                          .gpu_id = id_of(0)};
        break;
    case AMDKFD_IOC_SET_TRAP_HANDLER:
        a.trap.gpu_id = id_of(0);
        break;
    case AMDKFD_IOC_GET_PROCESS_APERTURES_NEW:
        a.apertures.kfd_process_device_apertures_ptr = POINTER(with.words);
        a.apertures.num_of_nodes = 1;
        break;
    case AMDKFD_IOC_ACQUIRE_VM:
        a.vm.gpu_id = id_of(0);
        break;
    case AMDKFD_IOC_ALLOC_MEMORY_OF_GPU:
        a.alloc = (struct kfd_ioctl_alloc_memory_of_gpu_args){
            .va_addr = 0x60000000, .size = 4096, .gpu_id = id_of(0), .flags = FLAGS_VRAM};
        break;
    case AMDKFD_IOC_FREE_MEMORY_OF_GPU:
        a.free.handle = with.handle;
        break;
    case AMDKFD_IOC_MAP_MEMORY_TO_GPU:
    case AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU:
        a.map = (struct kfd_ioctl_map_memory_to_gpu_args){
            .handle = with.handle, .device_ids_array_ptr = POINTER(with.ids), .n_devices = 1};
        break;
    case AMDKFD_IOC_SET_CU_MASK:
        a.mask = (struct kfd_ioctl_set_cu_mask_args){
            .queue_id = with.queue, .num_cu_mask = 32, .cu_mask_ptr = POINTER(with.words)};
        break;
    case AMDKFD_IOC_SET_XNACK_MODE:
        a.xnack.xnack_enabled = -1;
        break;
    case AMDKFD_IOC_AVAILABLE_MEMORY:
        a.available.gpu_id = id_of(0);
        break;
    case IPC_EXPORT:
        a.export.handle = with.handle;
        a.export.gpu_id = id_of(0);
        break;
    default:
        break;
    }
    return a;
}

/* The call in a machine of its own; *a becomes what came back. */
static int served(uint32_t code, unsigned bytes, union argument *a)
{
    void *state;
    assert_int_equal(setup(&state), 0);
    struct bench *b = state;
    prepare(b);
    const union argument whole = good(code);
    if (bytes < _IOC_SIZE(code)) /* cut: what it lacks differs from zero only in `whole` */
        memcpy(a->bytes, whole.bytes, bytes);
    else
        memcpy(a->bytes, whole.bytes, _IOC_SIZE(code));
    const int error = call(b, 0, (code & ~(UINT32_C(0x3fff) << 16)) | bytes << 16, a->bytes);
    teardown(&state);
    return error;
}

/* shows S0.8: of no bytes, 8 fewer than the driver's, all of them and more: answered as the kernel's driver does. */
static void any_size_is_served(void **state)
{
    (void)state;
    for (unsigned i = 0; i < CODES; i++) {
        const unsigned whole = _IOC_SIZE(codes[i]), sizes[] = {0, whole > 8 ? whole - 8 : 0, whole, whole + 8, 128};
        for (unsigned s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            const unsigned bytes = sizes[s], same = bytes < whole ? bytes : whole;
            union argument a, b;
            memset(&a, 0xcc, sizeof a); /* behind the client's own bytes, and what is more than the driver knows */
            memset(&b, 0, sizeof b);
            const int error = served(codes[i], bytes, &a);
            /* with zeros in place of what was cut off */
            void *other;
            assert_int_equal(setup(&other), 0);
            prepare(other);
            const union argument full = good(codes[i]);
            memcpy(b.bytes, full.bytes, same);
            const int expected = call(other, 0, codes[i], b.bytes);
            teardown(&other);
            if (error != expected || memcmp(a.bytes, b.bytes, same) != 0)
                fail_msg("ioctl 0x%02x of %u bytes: %d, not %d", codes[i] & 0xff, bytes, error, expected);
            if (codes[i] == AMDKFD_IOC_SVM) /* as a kernel without it; nothing in the log */
                assert_int_equal(error, EPERM);
            else if (bytes >= whole && codes[i] != IPC_IMPORT && codes[i] != DBG_TRAP_5_2) /* good ones */
                assert_int_equal(error, codes[i] == AMDKFD_IOC_WAIT_EVENTS ? -2 : 0);
            for (unsigned k = whole; k < sizeof a; k++)
                assert_int_equal(a.bytes[k], 0xcc);
        }
    }
}

/* libhsakmt's CREATE_QUEUE has 88 bytes; linux/kfd_ioctl.h of a newer kernel has 96. */
static void a_queue_of_an_older_user_space_is_opened(void **state)
{
    struct bench *b = *state;
    prepare(b);
    union argument a = good(AMDKFD_IOC_CREATE_QUEUE);
    const uint32_t code = AMDKFD_IOC_CREATE_QUEUE & ~(UINT32_C(0x3fff) << 16);
    assert_int_equal(call(b, 0, code | 88u << 16, a.bytes), 0);
    a = good(AMDKFD_IOC_CREATE_QUEUE);
    assert_int_equal(call(b, 0, code | 96u << 16, a.bytes), 0);
}

/* A size that the ioctl's code does not have comes from no shim: refused, with a line. */
static void another_size_than_the_codes_is_told(void **state)
{
    struct bench *b = *state;
    char *text = NULL;
    size_t bytes = 0;
    FILE *lines = open_memstream(&text, &bytes);
    log_set_file(lines);
    for (unsigned i = 0; i < CODES; i++) {
        struct conn conn = {
            .fd = -1,
            .client = b->client[0],
            .request = {.op = REQ_IOCTL, .code = codes[i], .bytes = _IOC_SIZE(codes[i]) + 1 + i * 1000}};
        struct shim_answer answer = {0};
        assert_true(ioctl_serve(b->d, &conn, &answer));
        assert_true(answer.result == -1 && answer.error == EINVAL);
        fflush(lines);
        char told[96];
        snprintf(told, sizeof told, "ioctl 0x%08x with an argument of %u bytes refused", codes[i], conn.request.bytes);
        if (i < LOG_LIKE_MOST)
            assert_non_null(strstr(text, told));
    }
    log_set_file(NULL);
    fclose(lines);
    free(text);
}

/* shows S0.8: what is not served is told, of whatever size. */
static void an_unknown_ioctl_is_told_whatever_its_size(void **state)
{
    struct bench *b = *state;
    char *text = NULL;
    size_t bytes = 0;
    FILE *lines = open_memstream(&text, &bytes);
    log_set_file(lines);
    const uint32_t sizes[] = {0, 24, PROTOCOL_BYTES, PROTOCOL_BYTES + 1, 0x3fff};
    for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct conn conn = {.fd = -1, .client = b->client[0]};
        struct shim_answer answer = {0};
        conn.request = (struct shim_request){
            .op = REQ_IOCTL, .code = _IOC(_IOC_READ | _IOC_WRITE, 'K', 0x1f, sizes[i]), .bytes = sizes[i]};
        assert_true(ioctl_serve(b->d, &conn, &answer));
        assert_true(answer.result == -1 && answer.error == EINVAL);
        fflush(lines);
        char told[96];
        snprintf(told, sizeof told, "ioctl 0x%08x (number 0x1f) is not served", conn.request.code);
        assert_non_null(strstr(text, told));
    }
    log_set_file(NULL);
    fclose(lines);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_size_is_served),
        TEST(a_queue_of_an_older_user_space_is_opened),
        TEST(another_size_than_the_codes_is_told),
        TEST(an_unknown_ioctl_is_told_whatever_its_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
