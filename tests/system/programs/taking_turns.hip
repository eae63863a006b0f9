// SPDX-License-Identifier: Apache-2.0
// taking_turns PROCESSES ROUNDS: processes of this program, forked before any of them uses the GPU, each with two threads that have a
// stream and buffers of their own.  The threads ask in turns, as a program does that wants to repeat, and wait at the same time: each
// launches, waits for its kernel, looks at the result, and launches what hangs on it.  Exit status 0: all is right.
#include <condition_variable>
#include <mutex>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "check.h"

constexpr unsigned Threads = 2, Words = 256;

__global__ void step(uint32_t *words, uint32_t add)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    words[i] = words[i] * 1664525u + add + i;
}

class Turns {
    std::mutex mutex;
    std::condition_variable changed;
    unsigned next = 0;

  public:
    template <class Fn> void take(unsigned thread, Fn fn)
    {
        std::unique_lock<std::mutex> lock(mutex);
        changed.wait(lock, [&] { return next == thread; });
        fn();
        next = (next + 1) % Threads;
        changed.notify_all();
    }
};

static unsigned worker(Turns &turns, unsigned thread, uint32_t seed, unsigned rounds)
{
    uint32_t *words = nullptr, wrong = 0;
    hipStream_t stream = nullptr;
    std::vector<uint32_t> host(Words), want(Words);
    for (unsigned i = 0; i < Words; i++)
        host[i] = want[i] = random_next(seed);
    turns.take(thread, [&] {
        HIP_OK(hipStreamCreate(&stream));
        HIP_OK(hipMalloc(&words, Words * 4));
        HIP_OK(hipMemcpy(words, host.data(), Words * 4, hipMemcpyHostToDevice));
    });
    for (unsigned r = 0; r < rounds; r++) {
        const uint32_t add = want[r % Words]; // of the result so far
        turns.take(thread, [&] {
            step<<<1 + (r + thread) % 4, 64, 0, stream>>>(words, add);
            HIP_OK(hipGetLastError());
        });
        HIP_OK(hipStreamSynchronize(stream)); // both wait
        for (unsigned i = 0; i < 64 * (1 + (r + thread) % 4); i++)
            want[i] = want[i] * 1664525u + add + i;
    }
    turns.take(thread, [&] { HIP_OK(hipMemcpy(host.data(), words, Words * 4, hipMemcpyDeviceToHost)); });
    for (unsigned i = 0; i < Words; i++)
        wrong += host[i] != want[i];
    return wrong;
}

int main(int argc, char **argv)
{
    const unsigned processes = size_argument(argc, argv, 2), rounds = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 6;
    unsigned number = 0;
    for (unsigned n = 1; n < processes && number == 0; n++)
        if (fork() == 0)
            number = n;
    Turns turns;
    unsigned wrong[Threads] = {}, bad = 0;
    std::vector<std::thread> all;
    for (unsigned t = 0; t < Threads; t++)
        all.emplace_back([&, t] { wrong[t] = worker(turns, t, 1 + number * Threads + t, rounds); });
    for (std::thread &one : all)
        one.join();
    for (unsigned n : wrong)
        bad += n;
    if (number)
        _exit(bad != 0); // without a word to the runtime
    for (int status; wait(&status) > 0;)
        bad += status != 0;
    return verdict("taking_turns", bad, processes * Threads * Words);
}
