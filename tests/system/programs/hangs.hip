// SPDX-License-Identifier: Apache-2.0
// For tests/system: hangs WAY: a program that, after some work on a GPU, waits for what never comes.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <hip/hip_runtime.h>
#include <hsa/hsa.h>
#include <mutex>
#include <sched.h>
#include <string>
#include <thread>
#include <unistd.h>

#define CHECKED(call)                                                                                                  \
    do {                                                                                                               \
        if ((call) != hipSuccess)                                                                                      \
            fprintf(stderr, "%s failed\n", #call), exit(2);                                                            \
    } while (0)

__global__ void store(int *p) { *p = 42; }
__global__ void forever(volatile int *p)
{
    while (*p == 42)
        ;
}

static hsa_signal_t signal_new()
{
    hsa_signal_t signal;
    if (hsa_signal_create(1, 0, nullptr, &signal) != HSA_STATUS_SUCCESS)
        exit(3);
    return signal;
}

static void wait(hsa_signal_t signal, uint64_t timeout, hsa_wait_state_t state)
{
    hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_LT, 1, timeout, state);
}

static hsa_status_t gpu_find(hsa_agent_t agent, void *found)
{
    hsa_device_type_t type;
    hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
    if (type != HSA_DEVICE_TYPE_GPU)
        return HSA_STATUS_SUCCESS;
    *static_cast<hsa_agent_t *>(found) = agent;
    return HSA_STATUS_INFO_BREAK;
}

// A packet that waits for a signal which nobody sets.
static void barrier()
{
    hsa_agent_t agent;
    hsa_queue_t *queue;
    hsa_iterate_agents(gpu_find, &agent);
    if (hsa_queue_create(agent, 64, HSA_QUEUE_TYPE_SINGLE, nullptr, nullptr, 0, 0, &queue) != HSA_STATUS_SUCCESS)
        exit(3);
    auto *packet = static_cast<hsa_barrier_and_packet_t *>(queue->base_address);
    packet->dep_signal[1] = signal_new();
    packet->completion_signal = signal_new();
    __atomic_store_n(&packet->header, HSA_PACKET_TYPE_BARRIER_AND, __ATOMIC_RELEASE);
    hsa_queue_store_write_index_screlease(queue, 1);
    hsa_signal_store_screlease(queue->doorbell_signal, 0);
    wait(packet->completion_signal, UINT64_MAX, HSA_WAIT_STATE_BLOCKED);
}

static void mutexes()
{
    static std::mutex a, b;
    a.lock();
    std::thread other([] {
        b.lock();
        a.lock();
    });
    usleep(200000);
    b.lock();
    other.join();
}

int main(int argc, char **argv)
{
    const std::string way = argc == 2 ? argv[1] : "";
    int *p;
    CHECKED(hipMalloc(&p, 4096));
    store<<<1, 1>>>(p);
    CHECKED(hipDeviceSynchronize());
    if (way == "blocked")
        wait(signal_new(), UINT64_MAX, HSA_WAIT_STATE_BLOCKED);
    else if (way == "active")
        wait(signal_new(), UINT64_MAX, HSA_WAIT_STATE_ACTIVE);
    else if (way == "barrier")
        barrier();
    else if (way == "mutexes")
        mutexes();
    else if (way == "child")
        fork() ? wait(signal_new(), UINT64_MAX, HSA_WAIT_STATE_BLOCKED) : (void)pause();
    else if (way == "limited") { // seconds of the host's clock, as the program sees it
        uint64_t frequency = 0;
        hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &frequency);
        wait(signal_new(), 5 * frequency, HSA_WAIT_STATE_ACTIVE);
    } else if (way == "reads") {
        char byte;
        (void)!read(0, &byte, 1);
    } else if (way == "yields") {
        for (volatile bool never = false; !never;)
            sched_yield();
    } else if (way == "kernel") {
        forever<<<1, 64>>>(p);
        CHECKED(hipDeviceSynchronize());
    } else {
        return 64;
    }
    printf("hangs %s: went on\n", way.c_str());
    return 0;
}
