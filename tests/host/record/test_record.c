// SPDX-License-Identifier: Apache-2.0
// What is in a recording (record.h, record_format.h), held message by message against what host and partitions of a toy
// machine saw: commands, accesses, events and answers at their cycles, changes of VRAM, requests to host memory with
// their answers, what other GPUs send, partitions asked for; its marks and its end.
#include "toy_recording.h"

#include "bridge/verilated/rtl_part.h"
#include "record/message_log.h"
#include "record/part_log.h"
#include "record/recorded.h"
#include "saved/journal.h"

#define KEPT 4000u

/* A message that a test saw itself. */
struct seen {
    uint64_t cycle;
    uint32_t slot, bytes;
    uint8_t data[MESSAGE_MOST];
};
struct list {
    struct seen seen[KEPT];
    unsigned count;
};

static struct toy_machine run;

static void list_add(struct list *l, uint64_t cycle, uint32_t slot, const void *data, uint32_t bytes)
{
    assert_true(l->count < KEPT);
    struct seen *s = &l->seen[l->count++];
    *s = (struct seen){.cycle = cycle, .slot = slot, .bytes = bytes};
    if (bytes)
        memcpy(s->data, data, bytes);
}

/* ---- the host's stream */
static void assert_record(const struct host_record *h, enum host_kind kind, unsigned gpu, uint64_t cycle, size_t bytes)
{
    if (h->kind != kind || h->gpu != gpu || h->cycle != cycle || h->bytes != bytes || h->zero)
        fail_msg("kind %u gpu %u cycle %llu bytes %u instead of kind %u gpu %u cycle %llu bytes %zu", h->kind, h->gpu,
                 (unsigned long long)h->cycle, h->bytes, kind, gpu, (unsigned long long)cycle, bytes);
}

/* The next record that is no mark; the hash of marks never changes back. */
static struct host_record host_next(struct journal_reader *reader, unsigned gpus, unsigned *marks, uint64_t *hash)
{
    struct host_record h;
    for (;;) {
        assert_true(journal_take(reader, STREAM_HOST, &h, sizeof h));
        if (h.kind != HOST_MARK)
            return h;
        assert_int_equal(h.bytes, 8 * gpus);
        assert_true(journal_take(reader, STREAM_HOST, hash, h.bytes));
        ++*marks;
    }
}

static struct msg_cp_cmd command_taken(struct journal_reader *reader)
{
    struct msg_cp_cmd cmd;
    assert_true(journal_take(reader, STREAM_HOST, &cmd, sizeof cmd));
    return cmd;
}

static void patch_taken(struct journal_reader *reader, const struct host_record *h, uint64_t at, uint64_t cycle)
{
    uint64_t where;
    uint8_t bytes[4096], now[4096];
    assert_record(h, HOST_PATCH, 0, cycle, 8 + 64);
    assert_true(journal_take(reader, STREAM_HOST, &where, 8));
    assert_true(where == at);
    assert_true(journal_take(reader, STREAM_HOST, bytes, 64));
    pmem_read(run.memory, pmem_addr(1, at), now, 64);
    assert_memory_equal(bytes, now, 64);
}

static void access_taken(struct journal_reader *reader, unsigned gpu, enum mem_op op, uint64_t addr, bool overlap)
{
    struct host_record h;
    struct access_record a;
    assert_true(journal_take(reader, STREAM_HOST, &h, sizeof h));
    assert_record(&h, HOST_ACCESS, gpu, 0, sizeof a);
    assert_true(journal_take(reader, STREAM_HOST, &a, sizeof a));
    assert_true(a.req.op == op && a.req.addr == addr && a.overlap == overlap);
    if (op == MEM_WRITE)
        assert_int_equal(a.req.data[7], (overlap ? 101 : 104) * 1000 + 7);
}

/* Events and answers in the order of their cycles, events first; each with what the host's callback was given. */
static void arrivals_taken(struct journal_reader *reader, struct host_record h, unsigned gpus, unsigned events,
                           unsigned *e, unsigned *a, unsigned *marks, uint64_t *hash)
{
    for (unsigned until = *e + events; *e < until;) {
        while (run.answers[*a].cookie == 102 || run.answers[*a].cookie == 103 || run.answers[*a].cookie == 104)
            ++*a; /* host memory's are in another stream */
        if (h.kind == HOST_ANSWER) {
            struct msg_mem_rsp rsp;
            assert_record(&h, HOST_ANSWER, 0, run.answers[*a].cycle, sizeof rsp);
            assert_true(journal_take(reader, STREAM_HOST, &rsp, sizeof rsp));
            assert_memory_equal(&rsp, &run.answers[*a].rsp, sizeof rsp);
            ++*a;
        } else {
            struct msg_cp_evt evt;
            const struct toy_event *seen = &run.events[*e];
            assert_record(&h, HOST_EVENT, seen->gpu, seen->cycle, sizeof evt);
            assert_true(journal_take(reader, STREAM_HOST, &evt, sizeof evt));
            assert_memory_equal(&evt, &seen->evt, sizeof evt);
            h = host_next(reader, gpus, marks, hash);
            uint64_t number;
            assert_record(&h, HOST_KERNEL, 0, seen->cycle, sizeof number);
            assert_true(journal_take(reader, STREAM_HOST, &number, sizeof number));
            assert_true(number == ++*e);
        }
        if (*e < until)
            h = host_next(reader, gpus, marks, hash);
    }
}

static void host_stream(unsigned gpus)
{
    struct record *r = toy_recorded_run(&run, gpus, NULL, 0, (struct sim_options){0});
    const uint64_t now = sim_now(run.sim), begin = toy_between;
    uint64_t hash[2], last[2], final[2];
    for (unsigned g = 0; g < gpus; g++)
        final[g] = store_hash(run.sim->gpus[g].store);
    assert_int_equal(record_close(r, true), STATUS_OK);
    struct journal_reader *reader = journal_of_run();
    unsigned marks = 0, e = 0, a = 0;
    static const uint16_t ids[] = {1, 2, 3};
    struct host_record h;
    for (unsigned i = 0; i < 3; i++) {
        assert_true(journal_take(reader, STREAM_HOST, &h, sizeof h));
        assert_record(&h, HOST_COMMAND, i == 1 ? gpus - 1 : 0, 0, sizeof(struct msg_cp_cmd));
        const struct msg_cp_cmd cmd = command_taken(reader),
                                sent = toy_launch(ids[i], cmd.groups[0], *(struct toy_work *)cmd.user_sgpr);
        assert_int_equal(cmd.id, ids[i]);
        assert_memory_equal(&cmd, &sent, sizeof cmd);
    }
    access_taken(reader, 0, MEM_READ, pmem_addr(1, TOY_PATCH), false);
    access_taken(reader, 0, MEM_WRITE, pmem_addr(1, TOY_PATCH + 0x100), true);
    access_taken(reader, RECORD_HOST, MEM_READ, pmem_addr(0, TOY_HOST), false);
    access_taken(reader, RECORD_HOST, MEM_ATOMIC, pmem_addr(0, TOY_HOST + 0x300), false);
    access_taken(reader, RECORD_HOST, MEM_WRITE, pmem_addr(0, TOY_HOST + 0x340), false);
    h = host_next(reader, gpus, &marks, hash);
    patch_taken(reader, &h, TOY_PATCH, 0);
    assert_int_equal(marks, 0);
    h = host_next(reader, gpus, &marks, last);
    assert_true(marks > 0); /* before the first window */
    arrivals_taken(reader, h, gpus, 3, &e, &a, &marks, hash);
    h = host_next(reader, gpus, &marks, hash);
    assert_record(&h, HOST_COMMAND, 0, begin, sizeof(struct msg_cp_cmd));
    assert_int_equal(command_taken(reader).id, 4);
    h = host_next(reader, gpus, &marks, hash);
    patch_taken(reader, &h, TOY_PATCH + 64, h.cycle);
    /* before the window in which the next message comes in */
    assert_int_equal(h.cycle, (begin + run.config.cfg.link_host) / PART_WINDOW * PART_WINDOW);
    h = host_next(reader, gpus, &marks, hash);
    arrivals_taken(reader, h, gpus, 1, &e, &a, &marks, hash);
    h = host_next(reader, gpus, &marks, hash);
    assert_record(&h, HOST_END, 0, now, 8 * gpus);
    assert_true(journal_take(reader, STREAM_HOST, hash, 8 * gpus));
    assert_memory_equal(hash, final, 8 * gpus);
    assert_true(last[0] != hash[0]);
    assert_false(journal_take(reader, STREAM_HOST, &h, 1));
    assert_true(journal_whole(reader));
    assert_int_equal(e, 4);
    journal_reader_free(reader);
    toy_fill(&run, 1, 0x40000, 64, 7); /* the machine goes on without its recording, from memory itself */
    toy_do(&run, 0, 9, 1,
           (struct toy_work){.op = TOY_COPY, .count = 1, .to = pmem_addr(1, 0x41000), .from = pmem_addr(1, 0x40000)});
    toy_fill(&run, gpus, 0x42000, 64, 9);
    toy_do(&run, gpus - 1, 10, 1,
           (struct toy_work){
               .op = TOY_COPY, .count = 1, .to = pmem_addr(gpus, 0x43000), .from = pmem_addr(gpus, 0x42000)});
    run.at_event = NULL;
    toy_run(&run);
    assert_int_equal(run.event_count, 6);
    assert_true(toy_read(&run, 1, 0x41000) == toy_read(&run, 1, 0x40000) && toy_read(&run, 1, 0x41000) != 0);
    assert_true(toy_read(&run, gpus, 0x43000) == toy_read(&run, gpus, 0x42000));
    assert_true(toy_read(&run, gpus, 0x43000) != 0);
    toy_close(&run);
}

/* shows S4.7: Commands, accesses, events, answers and changes of VRAM. */
static void test_host(void **state)
{
    (void)state;
    host_stream(1);
    host_stream(2);
}

/* ---- host memory */
static struct list asked[3];
static struct hostmem_server before;

static void serve(void *ctx, unsigned gpu, uint64_t cycle, const struct msg_mem_req *req, struct msg_mem_rsp *rsp)
{
    struct list *l = &((struct list *)ctx)[gpu];
    struct far_record f;
    before.serve(before.ctx, gpu, cycle, req, rsp);
    far_record_make(&f, req, rsp->status);
    list_add(l, cycle, 0, &f, sizeof f);
    memcpy(l->seen[l->count - 1].data + sizeof f, rsp->data, 64);
}

static void test_memory(void **state)
{
    (void)state;
    for (unsigned gpus = 1; gpus <= 2; gpus++) {
        enum gantry_status failure;
        memset(asked, 0, sizeof asked);
        toy_folder_clear("run");
        struct record *r = record_open(toy_dir, NULL, 0, &failure);
        toy_open(&run, gpus, NULL, (struct sim_options){.seed = 1, .record = r});
        before = hostmem_serve_by(run.sim->hostmem, (struct hostmem_server){serve, asked});
        toy_scene_begin(&run);
        toy_access(&run, 106, MEM_READ, pmem_addr(0, UINT64_C(1) << 43), false); /* nobody's */
        toy_run(&run);
        toy_scene_go_on(&run);
        toy_run(&run);
        hostmem_serve_by(run.sim->hostmem, before);
        for (unsigned i = 0; i < run.answer_count; i++)
            assert_int_equal(run.answers[i].rsp.status, run.answers[i].cookie == 106 ? MEM_FAULT_BUS : MEM_OK);
        assert_int_equal(record_close(r, true), STATUS_OK);
        struct journal_reader *reader = journal_of_run();
        unsigned data = 0, requests = 0;
        for (unsigned g = 0; g <= gpus; g++) {
            struct message_log log = {.stream = g < gpus ? STREAM_MEMORY(g) : STREAM_PORT};
            struct message m;
            for (unsigned i = 0; i < asked[g].count; i++, requests++) {
                const struct seen *s = &asked[g].seen[i];
                const struct far_record *f = (const struct far_record *)s->data;
                uint8_t answer[64];
                assert_true(message_read(&log, reader, &m));
                assert_true(m.cycle == s->cycle && m.slot == 0 && m.bytes == sizeof *f);
                assert_memory_equal(m.data, f, sizeof *f);
                const uint32_t bytes = f->status != MEM_OK ? 0 : f->op == MEM_READ ? 64 : f->op == MEM_ATOMIC ? 8 : 0;
                assert_int_equal(far_record_data(f), bytes);
                assert_true(journal_take(reader, log.stream, answer, bytes));
                assert_memory_equal(answer, s->data + sizeof *f, bytes);
                data += bytes;
            }
            assert_false(message_read(&log, reader, &m));
            message_log_fini(&log);
        }
        assert_int_equal(requests, 4 + 2 + 3 + 1);
        assert_int_equal(data, 4 * 64 + 2 * 8 + 64 + 8);
        journal_reader_free(reader);
        toy_close(&run);
    }
}

/* What of a request is kept: every field that the memory sees, its data as a hash of those that are meant. */
static void test_far_record(void **state)
{
    (void)state;
    struct msg_mem_req req = {.op = MEM_WRITE,
                              .target = 2,
                              .source = 3,
                              .vmid = 4,
                              .atomic = 5,
                              .size = 8,
                              .access = 7,
                              .gpu = 9,
                              .tag = 10,
                              .user = 11,
                              .addr = 12,
                              .mask = 13};
    struct far_record a, b;
    far_record_make(&a, &req, MEM_FAULT_BUS);
    assert_true(a.op == MEM_WRITE && a.target == 2 && a.source == 3 && a.vmid == 4 && a.atomic == 5 && a.size == 8 &&
                a.access == 7 && a.gpu == 9);
    assert_true(a.tag == 10 && a.addr == 12 && a.mask == 13 && a.status == MEM_FAULT_BUS && a.zero == 0 &&
                a.data_hash != 0);
    static const struct {
        enum mem_op op;
        unsigned word;
        bool counts;
        uint64_t mask;
    } cases[] = {{MEM_WRITE, 7, true, 13},    {MEM_ATOMIC, 1, true, 0}, {MEM_ATOMIC, 2, false, 0},
                 {MEM_ATOMIC, 7, true, 0xf0}, {MEM_READ, 0, false, 13}, {MEM_READ_NC, 0, false, 13},
                 {MEM_XLAT, 0, false, 13}};
    for (unsigned i = 0; i < 7; i++) {
        memset(req.data, 0, sizeof req.data);
        req.op = (uint8_t)cases[i].op;
        req.mask = cases[i].mask;
        far_record_make(&a, &req, MEM_OK);
        req.data[cases[i].word] = UINT64_C(1) << 63; /* of the last byte */
        far_record_make(&b, &req, MEM_OK);
        assert_int_equal(a.data_hash != b.data_hash, cases[i].counts);
        assert_int_equal(a.data_hash != 0, cases[i].op == MEM_WRITE || cases[i].op == MEM_ATOMIC);
        const uint32_t bytes = cases[i].op == MEM_READ || cases[i].op == MEM_READ_NC ? 64
                               : cases[i].op == MEM_ATOMIC                           ? (cases[i].mask ? 64 : 8)
                                                                                     : 0;
        assert_int_equal(far_record_data(&a), bytes);
        a.status = MEM_FAULT_BUS;
        assert_int_equal(far_record_data(&a), 0);
    }
}

/* ---- partitions */
static struct list into, out_of;

static void tapped(void *ctx, bool out, uint32_t slot, uint64_t cycle, const void *message)
{
    const struct part *part = ctx;
    list_add(out ? &out_of : &into, cycle, slot, message, (out ? part->out : part->in)[slot]->channel.bytes);
}

static void stream_same(struct journal_reader *reader, unsigned stream, const struct list *list, unsigned *credits)
{
    struct message_log log = {.stream = stream};
    struct message m;
    unsigned n = 0;
    *credits = 0;
    while (message_read(&log, reader, &m)) {
        if (m.bytes == 0) {
            ++*credits;
            continue;
        }
        assert_true(n < list->count);
        const struct seen *s = &list->seen[n++];
        assert_true(m.cycle == s->cycle && m.slot == s->slot && m.bytes == s->bytes);
        assert_memory_equal(m.data, s->data, m.bytes);
    }
    assert_int_equal(n, list->count);
    message_log_fini(&log);
}

/* Every message into and out of a partition that was asked for, a tap put on before sees them, too; credits go in. */
static void test_parts(void **state)
{
    char *parts[] = {(char *)"gpu0.noc", (char *)"gpu0.cu1"};
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        enum gantry_status failure;
        into.count = out_of.count = 0;
        toy_folder_clear("run");
        struct record *r = record_open(toy_dir, parts, 2, &failure);
        assert_int_equal(record_parts(r), 2);
        toy_prepare(&run, 1, NULL);
        struct sim_options options = {.seed = 1, .record = r, .threads = 2};
        run.sim = sim_new(&run.config.cfg, run.memory, &options, &toy_host, &run);
        assert_int_equal(run.sim->sched.threads, 1);
        struct part *part = sim_part(run.sim, parts[i]);
        void *ctx;
        rtl_tap_fn kept = rtl_part_tapped(part, &ctx);
        assert_non_null(kept);
        record_detach(r); /* the taps are as they were before */
        assert_null(rtl_part_tapped(part, &ctx));
        rtl_part_tap(part, tapped, part);
        assert_true(record_attach(r, run.sim));
        run.sim->options.record = r;
        toy_scene_begin(&run);
        toy_run(&run);
        toy_scene_go_on(&run);
        toy_run(&run);
        const uint64_t credits = toy_named(parts[i])->s.taken - into.count;
        assert_int_equal(record_close(r, true), STATUS_OK);
        assert_true(rtl_part_tapped(part, &ctx) == tapped && ctx == part);
        struct journal_reader *reader = journal_of_run();
        unsigned in_credits, out_credits;
        stream_same(reader, STREAM_PART_IN(i), &into, &in_credits);
        stream_same(reader, STREAM_PART_OUT(i), &out_of, &out_credits);
        assert_true(in_credits == credits && in_credits > 0 && out_credits == 0);
        assert_true(into.count > 5 && out_of.count > 5);
        journal_reader_free(reader);
        toy_close(&run);
    }
}

/* Between GPUs: what comes in by far ports above 0, messages and credits, and nothing of the host. */
static void test_far(void **state)
{
    (void)state;
    struct record *r = toy_recorded_run(&run, 2, NULL, 0, (struct sim_options){0});
    const struct part *rdma = sim_part(run.sim, "gpu0.rdma");
    const struct model_port *req = rtl_port(rdma, "far_req", false), *rsp = rtl_port(rdma, "far_rsp", true);
    const uint64_t requests = rdma->in[req->slot + 2]->channel.sent,
                   credits = rdma->in[rsp->credit_slot + 2]->channel.sent;
    assert_int_equal(requests, 6);
    assert_int_equal(credits, 6);
    assert_int_equal(record_close(r, true), STATUS_OK);
    struct journal_reader *reader = journal_of_run();
    struct message_log log = {.stream = STREAM_FAR(0)};
    struct message m;
    unsigned seen[2] = {0, 0};
    while (message_read(&log, reader, &m)) {
        assert_int_equal(m.slot, m.bytes ? req->slot + 2 : rsp->credit_slot + 2);
        seen[m.bytes == 0]++;
        if (m.bytes) {
            const struct msg_mem_req *got = (struct msg_mem_req *)m.data;
            assert_true(got->op == MEM_WRITE && got->gpu == 1 && got->data[0] == 99);
        }
    }
    message_log_fini(&log);
    assert_true(seen[0] == 6 && seen[1] == 6);
    const struct part_slots slots = part_slots_far(sim_part(run.sim, "gpu1.rdma"));
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(slots.count[i], 2);
    assert_false(part_slots_have(&slots, req->slot));
    assert_true(part_slots_have(&slots, req->slot + 1) && part_slots_have(&slots, req->slot + 2));
    assert_false(part_slots_have(&slots, rsp->credit_slot));
    assert_true(part_slots_have(&slots, rsp->credit_slot + 1) && part_slots_have(&slots, rsp->credit_slot + 2));
    journal_reader_free(reader);
    toy_close(&run);
}

/* A place: what stands in each stream by then, and how many kernels have ended. */
static void test_place(void **state)
{
    (void)state;
    struct record *r = toy_recorded_run(&run, 2, NULL, 0, (struct sim_options){0});
    struct recorded place;
    char path[100], *file = record_file(r);
    snprintf(path, sizeof path, "%s/" RECORD_FILE, toy_dir);
    assert_string_equal(file, path);
    free(file);
    assert_int_equal(record_place(r, &place), STATUS_OK);
    assert_int_equal(place.gpus, 2);
    assert_int_equal(place.kernels, 4);
    assert_non_null(place.shadows[1]);
    assert_int_equal(record_close(r, true), STATUS_OK);
    struct journal_reader *reader = journal_of_run();
    assert_true(journal_has(reader, place.journal));
    struct host_record h;
    assert_true(journal_skip(reader, STREAM_HOST, place.host)); /* what is left is the end */
    assert_true(journal_take(reader, STREAM_HOST, &h, sizeof h));
    assert_int_equal(h.kind, HOST_END);
    for (unsigned g = 0; g < 3; g++) {
        const unsigned stream = g < 2 ? STREAM_MEMORY(g) : STREAM_PORT;
        assert_true(place.memory[g] > 0 || g == 1);
        assert_true(journal_skip(reader, stream, place.memory[g]));
        assert_false(journal_skip(reader, stream, 1));
    }
    journal_reader_free(reader);
    toy_close(&run);
}

/* Changes of each GPU's VRAM, when the clock starts: before a run, and between two, announced or not. */
static void test_changes(void **state)
{
    enum gantry_status failure;
    (void)state;
    toy_folder_clear("run");
    struct record *r = record_open(toy_dir, NULL, 0, &failure);
    toy_open(&run, 3, NULL, (struct sim_options){.seed = 1, .record = r});
    static const uint64_t places[] = {0x8000, 0x23000, 0x40};
    for (unsigned n = 0; n < 3; n++) {
        for (unsigned g = 0; g < 3; g++)
            toy_fill(&run, g + 1, places[n] + 0x1000 * g, 64, (uint8_t)(20 * n + g));
        sim_still(run.sim, n == 1); /* said to be still, and it is not: found by the count of changes */
        toy_do(&run, 0, (uint16_t)(1 + n), 1, (struct toy_work){.op = TOY_END});
        toy_run(&run);
    }
    assert_int_equal(record_close(r, true), STATUS_OK);
    struct journal_reader *reader = journal_of_run();
    struct host_record h;
    unsigned patches = 0;
    while (journal_take(reader, STREAM_HOST, &h, sizeof h)) {
        uint8_t bytes[200], now[64];
        uint64_t at;
        assert_true(h.bytes <= sizeof bytes && journal_take(reader, STREAM_HOST, bytes, h.bytes));
        if (h.kind != HOST_PATCH)
            continue;
        memcpy(&at, bytes, 8);
        assert_int_equal(h.gpu, patches % 3);
        assert_true(at == places[patches / 3] + 0x1000 * h.gpu && h.bytes == 72);
        pmem_read(run.memory, pmem_addr(h.gpu + 1u, at), now, 64);
        assert_memory_equal(bytes + 8, now, 64);
        patches++;
    }
    assert_int_equal(patches, 9);
    journal_reader_free(reader);
    toy_close(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_changes),    cmocka_unit_test(test_host),  cmocka_unit_test(test_memory),
        cmocka_unit_test(test_far_record), cmocka_unit_test(test_parts), cmocka_unit_test(test_far),
        cmocka_unit_test(test_place),
    };
    return cmocka_run_group_tests(tests, toy_folder_make, toy_folder_remove);
}
