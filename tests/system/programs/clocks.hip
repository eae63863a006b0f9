// SPDX-License-Identifier: Apache-2.0
// What every clock of a program tells about one kernel, about its own code, a sleep, loops and waits that end at a time: lines "WHAT NS".  An argument
// names what is done: kernel, code, sleep, loop, wait, signal (kernels, while a handler looks at the clock again and again).
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <signal.h>
#include <unistd.h>
#include <x86intrin.h>

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <ctime>
#include <functional>
#include <future>
#include <limits>
#include <mutex>
#include <semaphore.h>
#include <string>
#include <thread>
#include <vector>

#include "check.h"

__global__ void work(uint32_t *out, unsigned rounds)
{
    uint32_t x = threadIdx.x;
    for (unsigned r = 0; r < rounds; r++)
        x = x * 1664525u + 1013904223u;
    out[threadIdx.x] = x;
}

static int64_t ns(const timespec &t)
{
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static int64_t of(clockid_t clock)
{
    timespec t;
    clock_gettime(clock, &t);
    return ns(t);
}

struct Clock {
    const char *name;
    std::function<int64_t()> now;
};
static const std::vector<Clock> clocks = {
    {"realtime", [] { return of(CLOCK_REALTIME); }},
    {"monotonic", [] { return of(CLOCK_MONOTONIC); }},
    {"raw", [] { return of(CLOCK_MONOTONIC_RAW); }},
    {"coarse", [] { return of(CLOCK_MONOTONIC_COARSE); }},
    {"cpu", [] { return of(CLOCK_PROCESS_CPUTIME_ID); }},
    {"gettimeofday", [] { timeval t; gettimeofday(&t, nullptr); return (t.tv_sec * INT64_C(1000000) + t.tv_usec) * 1000; }},
    {"timespec_get", [] { timespec t; timespec_get(&t, TIME_UTC); return ns(t); }},
    {"time", [] { return time(nullptr) * INT64_C(1000000000); }},
    {"clock", [] { return clock() * INT64_C(1000000000) / CLOCKS_PER_SEC; }},
    {"times", [] { return times(nullptr) * INT64_C(1000000000) / sysconf(_SC_CLK_TCK); }},
    {"rusage", [] { rusage u; getrusage(RUSAGE_SELF, &u); return (u.ru_utime.tv_sec * INT64_C(1000000) + u.ru_utime.tv_usec) * 1000; }},
    {"steady", [] { return (int64_t)std::chrono::steady_clock::now().time_since_epoch().count(); }},
    {"system", [] { return (int64_t)std::chrono::system_clock::now().time_since_epoch().count(); }},
    {"rdtsc", [] { return (int64_t)__rdtsc(); }},
};

static void kernel(uint32_t *out)
{
    work<<<1, 64>>>(out, 5000);
    HIP_OK(hipDeviceSynchronize());
}

static void code()
{
    volatile double x = 1;
    for (unsigned i = 0; i < 30000000; i++)
        x = x * 1.0000001;
}

static void loop()
{
    const auto begin = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(20))
        ;
}

static void wait()
{
    std::mutex mutex;
    std::condition_variable never;
    std::unique_lock lock(mutex);
    if (never.wait_for(lock, std::chrono::milliseconds(40), [] { return false; }))
        std::exit(2);
    sem_t sem;
    sem_init(&sem, 0, 0);
    const timespec last = {std::numeric_limits<time_t>::max(), 0}; // a limit that never comes
    std::thread other([&] { usleep(20000), sem_post(&sem); });
    if (sem_clockwait(&sem, CLOCK_MONOTONIC, &last) != 0)
        std::exit(2);
    other.join();
    timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 10000000;
    if (until.tv_nsec >= 1000000000)
        until.tv_sec++, until.tv_nsec -= 1000000000;
    if (sem_timedwait(&sem, &until) == 0)
        std::exit(2);
    if (std::promise<int>().get_future().wait_for(std::chrono::milliseconds(30)) != std::future_status::timeout)
        std::exit(2);
}

static volatile sig_atomic_t looks;

static void look(int)
{
    timespec t;
    looks = looks + (clock_gettime(CLOCK_MONOTONIC, &t) == 0);
}

static void signals(uint32_t *out)
{
    const itimerval often = {{0, 500}, {0, 500}}, never = {};
    struct sigaction action = {};
    action.sa_handler = look;
    action.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &action, nullptr);
    setitimer(ITIMER_REAL, &often, nullptr);
    for (unsigned i = 0; i < 20 || !looks; i++)
        kernel(out);
    setitimer(ITIMER_REAL, &never, nullptr);
}

int main(int, char **arguments)
{
    const std::string what = arguments[1];
    uint32_t *out;
    HIP_OK(hipMalloc(&out, 256));
    kernel(out); // the code object is there, and the clock of the GPUs
    for (const Clock &clock : clocks) {
        const int64_t begin = clock.now();
        if (what == "kernel")
            kernel(out);
        else if (what == "code")
            code();
        else if (what == "sleep")
            usleep(30000);
        else if (what == "loop")
            loop();
        else if (what == "wait")
            wait();
        else if (what == "signal")
            signals(out);
        std::printf("%s %lld\n", clock.name, (long long)(clock.now() - begin));
    }
    std::printf("date %lld\n", (long long)time(nullptr));
    return 0;
}
