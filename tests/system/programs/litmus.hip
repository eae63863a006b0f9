// SPDX-License-Identifier: Apache-2.0
// Litmus tests of the memory model: message passing (mp), store buffering (sb), load buffering (lb), independent reads of
// independent writes (iriw), coherence of one location (co) and atomics (at), at work-group, agent and system scope, in
// own, far, host and split memory.  Each is run with what orders it (sync: outcome `weak` is forbidden), with relaxed atomics
// (relaxed: `weak` is allowed, but for co and at) and, but for at, with accesses of a program that has forgotten all of it
// (plain: `weak` is allowed, but for co).
//   litmus RUNS SEED [TEST SCOPE MEMORY]
// A role is a wavefront, and each of its lanes is a run of its own: one instruction accesses 64 runs.  Before each round
// the roles meet (relaxed atomics, which leave caches alone), some with the run's old lines in their L1 caches, and
// wait for a random time, while other wavefronts keep one L2 slice or another busy.  Roles are wavefronts of one work-group (group), work-groups of one device (agent) or
// wavefronts of both devices by turns (system).  Memory: of device 0 (own), of device 1 (far; at system scope each is far
// from one of them), of the host; split: x far and y own.  One line for each; exit 1 when a forbidden outcome was seen, 2 when a call failed or
// roles did not meet.
#include <hip/hip_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#define HIP_OK(call)                                                            \
    do {                                                                        \
        hipError_t error_ = (call);                                             \
        if (error_ != hipSuccess) {                                             \
            std::printf("litmus: %s: %s\n", #call, hipGetErrorString(error_)); \
            std::exit(2);                                                       \
        }                                                                       \
    } while (0)

enum Test { Mp, Sb, Lb, Iriw, Co, At };
enum Scope { Group, Agent, System };
enum Order { Plain, Relaxed, Sync };
enum Memory { Own, Far, Host, Split };
constexpr unsigned Lanes = 64, Line = 16, Results = 4; // words of a line; result words of a run
constexpr unsigned Noise = 1u << 14, Disturbers = 2; // wavefronts beside the roles of each launch
constexpr unsigned Patience = 1u << 18; // looks at the counter until roles have missed each other

template <Scope S> constexpr int scope_of()
{
    return S == Group ? __HIP_MEMORY_SCOPE_WORKGROUP : S == Agent ? __HIP_MEMORY_SCOPE_AGENT : __HIP_MEMORY_SCOPE_SYSTEM;
}

__device__ static uint32_t mixed(uint32_t x)
{
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16);
}

/* What the roles share in one launch. */
struct Round {
    uint32_t *x, *y;    // a line for each run and variable
    uint32_t *results;  // Results words a run
    uint32_t *met;      // roles that have come, ever; the word behind it: roles that gave up
    uint32_t *noise;    // Noise words that nobody looks at
    unsigned rounds, roles, first_role, role_step;
    uint32_t seed;
};

/* False: the others did not come. */
__device__ static bool meet(const Round &all, unsigned round)
{
    if (threadIdx.x % Lanes == 0)
        __hip_atomic_fetch_add(all.met, 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
    for (unsigned n = 0; n < Patience; n++) {
        if (__hip_atomic_load(all.met, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM) >= all.roles * (round + 1))
            return true;
        __builtin_amdgcn_s_sleep(1);
    }
    __hip_atomic_fetch_add(all.met + 1, 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
    return false;
}

template <Scope S, Order O> __device__ static uint32_t read(uint32_t *from)
{
    constexpr int scope = scope_of<S>();
    if (O != Plain)
        return __hip_atomic_load(from, O == Sync ? __ATOMIC_SEQ_CST : __ATOMIC_RELAXED, scope);
    asm volatile("" ::: "memory");
    const uint32_t value = *from;
    asm volatile("" ::: "memory");
    return value;
}

template <Scope S, Order O> __device__ static void write(uint32_t *to, uint32_t value)
{
    constexpr int scope = scope_of<S>();
    if (O != Plain) {
        __hip_atomic_store(to, value, O == Sync ? __ATOMIC_SEQ_CST : __ATOMIC_RELAXED, scope);
        return;
    }
    asm volatile("" ::: "memory");
    *to = value;
    asm volatile("" ::: "memory");
}

/* One role's part in one run; a and b are its results. */
template <Scope S, Order O> __device__ static void part(Test test, unsigned role, uint32_t *x, uint32_t *y, uint32_t &a, uint32_t &b)
{
    constexpr int scope = scope_of<S>();
    switch (test) {
    case Mp: /* the message itself is plain where a release and an acquire order it */
        if (role == 0) {
            write<S, O == Sync ? Plain : O>(x, 1);
            if (O == Sync)
                __hip_atomic_store(y, 1u, __ATOMIC_RELEASE, scope);
            else
                write<S, O>(y, 1);
        } else {
            a = O == Sync ? __hip_atomic_load(y, __ATOMIC_ACQUIRE, scope) : read<S, O>(y);
            b = read<S, O == Sync ? Plain : O>(x);
        }
        break;
    case Sb:
        write<S, O>(role ? y : x, 1);
        a = read<S, O>(role ? x : y);
        break;
    case Lb:
        a = O == Sync ? __hip_atomic_load(role ? y : x, __ATOMIC_ACQUIRE, scope) : read<S, O>(role ? y : x);
        if (O == Sync)
            __hip_atomic_store(role ? x : y, 1u, __ATOMIC_RELEASE, scope);
        else
            write<S, O>(role ? x : y, 1);
        break;
    case Iriw:
        if (role < 2) {
            write<S, O>(role ? y : x, 1);
        } else {
            a = read<S, O>(role == 2 ? x : y);
            b = read<S, O>(role == 2 ? y : x);
        }
        break;
    case Co:
        if (role == 0) {
            write<S, O>(x, 1);
            write<S, O>(x, 2);
        } else {
            a = read<S, O>(x);
            b = read<S, O>(x);
        }
        break;
    case At:
        a = __hip_atomic_fetch_add(x, 1u, O == Sync ? __ATOMIC_SEQ_CST : __ATOMIC_RELAXED, scope);
        b = __hip_atomic_fetch_add(x, 1u, O == Sync ? __ATOMIC_SEQ_CST : __ATOMIC_RELAXED, scope);
        break;
    }
}

/* Stores and atomics to the lines of one L2 slice (256 bytes each by turns) after another, while the others work. */
__device__ static void disturb(const Round &all, unsigned number)
{
    uint32_t random = mixed(all.seed ^ number << 16);
    for (unsigned n = 0; n < Patience; n++) {
        random = mixed(random);
        uint32_t *at = all.noise + (random & 15) * 64 + threadIdx.x % Lanes * 1024 % Noise;
        for (unsigned burst = random >> 4 & 7; burst > 0; burst--)
            if (random & 1024)
                __hip_atomic_fetch_add(at + burst, 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
            else
                __hip_atomic_store(at + burst, burst, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
        if (__hip_atomic_load(all.met, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM) >= all.roles * all.rounds)
            return;
    }
}

template <Scope S, Order O> __global__ void roles(Test test, Round all)
{
    const unsigned number = S == Group ? threadIdx.x / Lanes : blockIdx.x, lane = threadIdx.x % Lanes;
    const unsigned role = __builtin_amdgcn_readfirstlane(all.first_role + all.role_step * number);
    if (role >= all.roles) {
        disturb(all, role);
        return;
    }
    for (unsigned round = 0; round < all.rounds; round++) {
        const uint32_t random = mixed(all.seed ^ mixed(round * 8 + role));
        const uint32_t shared = mixed(all.seed + round); // the same in all roles
        const unsigned place = round * Lanes * Line + (shared & 1 ? lane * Line : lane); // a line for each lane, or four lines
        uint32_t *x = all.x + place, *y = all.y + place, a = 0, b = 0;
        if (random & 1) // the old line in the L1 cache
            a = read<S, Plain>(x);
        if (random & 2)
            a |= read<S, Plain>(y);
        if (a != 0 || !meet(all, round)) // a: nobody has written yet
            return;
        for (unsigned n = random >> 2 & (random >> 10 & 1 ? 127 : 7); n > 0; n--)
            asm volatile("s_nop 3");
        part<S, O>(test, role, x, y, a, b);
        uint32_t *result = all.results + (round * Lanes + lane) * Results;
        switch (test) {
        case Mp: case Co:
            if (role == 1) {
                result[0] = a;
                result[1] = b;
            }
            break;
        case Sb: case Lb:
            result[role] = a;
            break;
        case Iriw:
            if (role >= 2) {
                result[2 * role - 4] = a;
                result[2 * role - 3] = b;
            }
            break;
        case At:
            result[2 * role] = a;
            result[2 * role + 1] = b;
            break;
        }
    }
}

/* Whether the outcome is the one that gives the test its name (at: one that no order of four additions has). */
static bool is_weak(Test test, const uint32_t *r)
{
    switch (test) {
    case Mp: return r[0] == 1 && r[1] == 0;
    case Sb: return r[0] == 0 && r[1] == 0;
    case Lb: return r[0] == 1 && r[1] == 1;
    case Iriw: return r[0] == 1 && r[1] == 0 && r[2] == 1 && r[3] == 0;
    case Co: return r[1] < r[0];
    default: {
        uint32_t seen = 0;
        for (unsigned i = 0; i < 4; i++)
            seen |= r[i] < 4 ? 1u << r[i] : 0;
        return seen != 15 || r[1] < r[0] || r[3] < r[2];
    }
    }
}

template <Scope S> static auto kernel_of(Order order)
{
    return order == Sync ? roles<S, Sync> : order == Relaxed ? roles<S, Relaxed> : roles<S, Plain>;
}

static void launch(Test test, Scope scope, Order order, unsigned device, unsigned groups, const Round &all)
{
    HIP_OK(hipSetDevice(static_cast<int>(device)));
    const unsigned all_groups = groups + Disturbers;
    const unsigned items = scope == Group ? all_groups * Lanes : Lanes;
    const unsigned count = scope == Group ? 1 : all_groups;
    const auto kernel = scope == Group ? kernel_of<Group>(order) : scope == Agent ? kernel_of<Agent>(order) : kernel_of<System>(order);
    kernel<<<count, items>>>(test, all);
    HIP_OK(hipGetLastError());
}

static uint32_t *memory_of(Memory memory, size_t words)
{
    void *p = nullptr;
    if (memory == Host) {
        HIP_OK(hipHostMalloc(&p, words * 4, hipHostMallocDefault));
    } else {
        HIP_OK(hipSetDevice(memory == Far));
        HIP_OK(hipMalloc(&p, words * 4));
    }
    return static_cast<uint32_t *>(p);
}

static const char *const tests[] = {"mp", "sb", "lb", "iriw", "co", "at"}, *const scopes[] = {"group", "agent", "system"},
                         *const orders[] = {"plain", "relaxed", "sync"},
                         *const memories[] = {"own", "far", "host", "split"};

/* Number of forbidden outcomes. */
static unsigned run(Test test, Scope scope, Memory memory, Order order, unsigned runs, uint32_t seed)
{
    const unsigned rounds = (runs + Lanes - 1) / Lanes, count = test == Iriw ? 4 : 2;
    const size_t words = static_cast<size_t>(rounds) * Lanes * Line;
    uint32_t *x = memory_of(memory == Split ? Far : memory, words), *y = memory_of(memory == Split ? Own : memory, words), *results = memory_of(Own, static_cast<size_t>(rounds) * Lanes * Results),
             *met = memory_of(Own, Line), *noise = memory_of(Own, 2 * Noise);
    std::vector<uint32_t> zeros(words), got(static_cast<size_t>(rounds) * Lanes * Results);
    for (uint32_t *variable : {x, y})
        HIP_OK(hipMemcpy(variable, zeros.data(), words * 4, hipMemcpyDefault));
    HIP_OK(hipMemcpy(results, zeros.data(), got.size() * 4, hipMemcpyDefault));
    HIP_OK(hipMemcpy(met, zeros.data(), Line * 4, hipMemcpyDefault));
    Round all = {x, y, results, met, noise, rounds, count, 0, 1, seed};
    if (scope == System) {
        all.role_step = 2;
        for (unsigned d = 0; d < 2; d++) {
            all.first_role = d;
            launch(test, scope, order, d, count / 2, all);
        }
        for (int d = 1; d >= 0; d--) {
            HIP_OK(hipSetDevice(d));
            HIP_OK(hipDeviceSynchronize());
        }
    } else {
        launch(test, scope, order, 0, count, all);
        HIP_OK(hipDeviceSynchronize());
    }
    uint32_t ended[2];
    HIP_OK(hipMemcpy(ended, met, sizeof ended, hipMemcpyDefault));
    HIP_OK(hipMemcpy(got.data(), results, got.size() * 4, hipMemcpyDefault));
    std::map<std::string, unsigned> outcomes;
    unsigned weak = 0;
    for (unsigned i = 0; i < rounds * Lanes; i++) {
        const uint32_t *r = &got[i * Results];
        weak += is_weak(test, r);
        std::string name;
        for (unsigned k = 0; k < (test == Iriw || test == At ? 4u : 2u); k++)
            name += static_cast<char>('0' + (r[k] < 9 ? r[k] : 9));
        outcomes[name]++;
    }
    const bool forbidden = order == Sync || test == Co || test == At;
    std::printf("litmus %s %s %s %s: %u runs, weak %u (%s):", tests[test], scopes[scope], memories[memory],
                orders[order], rounds * Lanes, weak, forbidden ? "forbidden" : "allowed");
    for (const auto &[name, n] : outcomes)
        std::printf(" %s=%u", name.c_str(), n);
    std::printf("\n");
    if (ended[1] != 0 || ended[0] != rounds * count) {
        std::printf("litmus: roles did not meet: %u of %u\n", ended[0], rounds * count);
        std::exit(2);
    }
    HIP_OK(hipFree(results));
    HIP_OK(hipFree(met));
    HIP_OK(hipFree(noise));
    for (uint32_t *variable : {x, y})
        HIP_OK(memory == Host ? hipHostFree(variable) : hipFree(variable));
    return forbidden ? weak : 0;
}

static bool chosen(int argc, char **argv, int place, const char *name)
{
    return argc <= place || std::strcmp(argv[place], "all") == 0 || std::strcmp(argv[place], name) == 0;
}

int main(int argc, char **argv)
{
    const unsigned runs = argc > 1 ? static_cast<unsigned>(std::strtoul(argv[1], nullptr, 0)) : 1024;
    const uint32_t seed = argc > 2 ? static_cast<uint32_t>(std::strtoul(argv[2], nullptr, 0)) : 1;
    unsigned wrong = 0, done = 0;
    for (int d = 0; d < 2; d++) {
        HIP_OK(hipSetDevice(d));
        HIP_OK(hipDeviceEnablePeerAccess(1 - d, 0));
    }
    for (unsigned t = Mp; t <= At; t++)
        for (unsigned s = Group; s <= System; s++)
            for (unsigned m = Own; m <= Split; m++)
                for (unsigned order = t == At ? Relaxed : Plain; order <= Sync; order++)
                    if (chosen(argc, argv, 3, tests[t]) && chosen(argc, argv, 4, scopes[s]) && chosen(argc, argv, 5, memories[m])) {
                        wrong += run(static_cast<Test>(t), static_cast<Scope>(s), static_cast<Memory>(m), static_cast<Order>(order), runs, seed);
                        done++;
                    }
    std::printf("litmus: %s: %u forbidden outcomes in %u tests\n", wrong || !done ? "FAILED" : "PASSED", wrong, done);
    return wrong || !done;
}
