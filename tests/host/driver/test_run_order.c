/* SPDX-License-Identifier: Apache-2.0
 * Several processes of a run: in which order they are served, and when nothing guarantees it (docs/reference/clock.md,
 * "Several processes").  The program is this binary with an argument, on a fake machine.
 */
#include "run_bench.h"

#include <pthread.h>
#include <sys/mman.h>

#define CHILDREN 4u
#define PAGE 0x1000u
#define LARGE 0x100000u /* no process has room for more of it where it has some */

/* What a program and what it forks share. */
struct board {
    uint64_t place[CHILDREN]; /* in VRAM, of what each child was given first */
};

static struct board *board;
static int ready[2], go[2]; /* pipes: each child writes a byte, and goes on when the other one is closed */

static uint64_t vram_of(int fd, uint64_t va, uint64_t bytes)
{
    struct kfd_ioctl_alloc_memory_of_gpu_args m = {.va_addr = va,
                                                   .size = bytes,
                                                   .gpu_id = GPU_ID,
                                                   .flags =
                                                       KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE};
    struct kfd_ioctl_acquire_vm_args vm = {.gpu_id = GPU_ID};
    ask(fd, REQ_IOCTL, AMDKFD_IOC_ACQUIRE_VM, &vm);
    ask(fd, REQ_IOCTL, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &m);
    return m.mmap_offset;
}

static uint64_t vram_take(int fd, uint64_t va)
{
    return vram_of(fd, va, PAGE);
}

static int greet(pid_t parent)
{
    int life = client_connect();
    struct shim_request r = {.op = REQ_HELLO, .tid = getpid(), .arg = (uint64_t)parent};
    struct shim_answer answer = {0};
    if (send(life, &r, sizeof r, 0) < 0 || recv(life, &answer, sizeof answer, 0) <= 0 || answer.result)
        _exit(92);
    return client_connect();
}

/* The older it is, the later it comes. */
static void child_main(unsigned number, pid_t parent)
{
    compute(0.03 * (CHILDREN - number));
    int fd = greet(parent);
    ask(fd, REQ_OPEN_KFD, 0, NULL);
    board->place[number] = vram_take(fd, RING);
    char byte = 0;
    close(go[1]);
    _exit(write(ready[1], &byte, 1) == 1 && read(go[0], &byte, 1) == 0 ? 0 : 93);
}

static void children_let_go(void)
{
    char byte;
    for (unsigned i = 0; i < CHILDREN; i++)
        if (read(ready[0], &byte, 1) != 1)
            _exit(94);
    close(go[1]);
}

static int children_wait(void)
{
    int status, all = 0;
    while (wait(&status) > 0)
        all |= status;
    return all;
}

/* Each had its turn after its older siblings. */
static int places_check(void)
{
    for (unsigned i = 0; i + 1 < CHILDREN; i++)
        if (board->place[i] >= board->place[i + 1])
            return 20 + (int)i;
    return 0;
}

static int siblings(void)
{
    greet(0);
    for (unsigned i = 0; i < CHILDREN; i++)
        if (fork() == 0)
            child_main(i, 0);
    children_let_go();
    return children_wait() ? 10 : places_check();
}

/* Between each and the program is a process that has ended; hinted: the shim has told which. */
static int orphans(bool hinted)
{
    greet(0);
    for (unsigned i = 0; i < CHILDREN; i++) {
        if (fork() == 0) {
            const pid_t between = getpid();
            greet(0);
            if (fork() == 0) {
                while (getppid() == between)
                    ; /* until it has */
                child_main(i, hinted ? between : 0);
            }
            _exit(0);
        }
    }
    int status = children_wait();
    children_let_go();
    return status;
}

/* The second process sleeps before it uses the GPU, or not, while the first goes on with it. */
static int sleeper(bool sleeps)
{
    const struct timespec time = {.tv_nsec = 200000000};
    int fd = greet(0);
    ask(fd, REQ_OPEN_KFD, 0, NULL);
    vram_take(fd, RING);
    pid_t child = fork();
    if (child == 0) {
        fd = greet(0);
        if (sleeps)
            nanosleep(&time, NULL);
        ask(fd, REQ_OPEN_KFD, 0, NULL);
        vram_take(fd, RING);
        _exit(0);
    }
    int status;
    for (uint64_t va = RING + PAGE; waitpid(child, &status, WNOHANG) == 0; va += PAGE)
        compute(0.002), vram_take(fd, va);
    return status;
}

/* The parent goes on to allocate after a child that had all of the memory has ended. */
static int heir(void)
{
    int fd = greet(0);
    ask(fd, REQ_OPEN_KFD, 0, NULL);
    const uint64_t first = vram_take(fd, RING);
    for (unsigned round = 0; round < 8; round++) {
        if (fork() == 0) {
            fd = greet(0);
            ask(fd, REQ_OPEN_KFD, 0, NULL);
            board->place[round % CHILDREN] = vram_take(fd, RING);
            _exit(0);
        }
        if (children_wait() || board->place[round % CHILDREN] != board->place[0])
            return 30 + (int)round; /* the one before was not gone */
    }
    return board->place[0] > first ? 0 : 40;
}

/* A thread of the program asks; the child that comes late was forked by another one, which computes meanwhile or waits.
 */
static void *asks(void *arg)
{
    (void)arg;
    int fd = client_connect();
    ask(fd, REQ_OPEN_KFD, 0, NULL);
    board->place[0] = vram_of(fd, RING, LARGE);
    board->place[2] = vram_of(fd, RING + LARGE, LARGE);
    return NULL;
}
static int forked_elsewhere(bool computes)
{
    pthread_t thread;
    greet(0);
    if (fork() == 0) {
        compute(0.1);
        int fd = greet(0);
        ask(fd, REQ_OPEN_KFD, 0, NULL);
        board->place[1] = vram_of(fd, RING, LARGE);
        char byte;
        close(go[1]);
        _exit(read(go[0], &byte, 1) == 0 ? 0 : 93);
    }
    if (pthread_create(&thread, NULL, asks, NULL))
        return 50;
    if (computes)
        compute(0.05);
    if (pthread_join(thread, NULL) || close(go[1]) || children_wait())
        return 50;
    return board->place[0] < board->place[1] && board->place[1] < board->place[2] ? 0 : 51; /* by turns */
}

static int client_main(const char *what)
{
    board = mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (pipe(ready) < 0 || pipe(go) < 0)
        return 95;
    if (strcmp(what, "siblings") == 0)
        return siblings();
    if (strcmp(what, "hinted") == 0 || strcmp(what, "orphans") == 0)
        return orphans(*what == 'h');
    if (strcmp(what, "sleeper") == 0 || strcmp(what, "wakeful") == 0)
        return sleeper(*what == 's');
    if (strcmp(what, "forked") == 0 || strcmp(what, "busy") == 0)
        return forked_elsewhere(*what == 'b');
    return heir();
}

/* shows B.4: processes that come in any order are served in that of the tree. */
static void siblings_are_served_in_their_order(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 3; round++) {
        struct run_report report = run("siblings", GATED, LATE);
        assert_exit(&report, 0, true);
    }
}

/* shows B.4: where a process stands in the tree is the host's chance when its parents are not known. */
static void orphans_have_no_order(void **state)
{
    (void)state;
    struct run_report hinted = run("hinted", GATED, LATE), unknown = run("orphans", GATED, LATE);
    assert_exit(&hinted, 0, true);
    assert_exit(&unknown, 0, false);
}

/* shows B.4: a process that has waited for the host's clock comes when that will. */
static void sleepers_have_no_order(void **state)
{
    (void)state;
    struct run_report sleeper = run("sleeper", GATED, LATE), wakeful = run("wakeful", GATED, LATE);
    assert_exit(&sleeper, 0, false);
    assert_exit(&wakeful, 0, true);
}

/* shows B.4: who has forked, and which thread asks, is not the same: a child that has not come yet is waited for. */
static void children_of_other_threads_have_their_turns(void **state)
{
    (void)state;
    struct run_report report = run("forked", GATED, LATE);
    assert_exit(&report, 0, true);
}

/* Also while the one that has forked it still runs: it may, since it is the turn of its process. */
static void children_of_running_threads_have_their_turns(void **state)
{
    (void)state;
    struct run_report report = run("busy", GATED, LATE);
    assert_exit(&report, 0, true);
}

/* What an ended process has had is free for whoever has waited for its end. */
static void ends_come_before_what_follows_them(void **state)
{
    (void)state;
    struct run_report report = run("heir", GATED, LATE);
    assert_exit(&report, 0, true);
}

/* A process that computes keeps the others waiting for the patience, and not longer. */
static void who_computes_is_not_waited_for_without_end(void **state)
{
    (void)state;
    struct run_report report = run("siblings", GATED, "clock.patience=0.01");
    assert_int_equal(report.end, RUN_EXITED);
    assert_false(report.repeatable);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(siblings_are_served_in_their_order),
        cmocka_unit_test(orphans_have_no_order),
        cmocka_unit_test(sleepers_have_no_order),
        cmocka_unit_test(children_of_other_threads_have_their_turns),
        cmocka_unit_test(children_of_running_threads_have_their_turns),
        cmocka_unit_test(ends_come_before_what_follows_them),
        cmocka_unit_test(who_computes_is_not_waited_for_without_end),
    };
    if (argc == 2)
        _exit(client_main(argv[1]));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
