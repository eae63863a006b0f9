// SPDX-License-Identifier: Apache-2.0
// Prefix sums: by doubling in the LDS, up and down a tree, over many groups in three launches, in one launch with
// groups that look back, by segments; running maximum of doubles; stream compaction by them.
#include "suite.h"

constexpr unsigned Group = 256;

__global__ void scan_doubling(const uint32_t *in, uint32_t *out)
{
    __shared__ uint32_t sums[2][Group];
    unsigned from = 0;
    sums[0][threadIdx.x] = in[global_id()];
    for (unsigned step = 1; step < Group; step *= 2, from ^= 1) {
        __syncthreads();
        sums[from ^ 1][threadIdx.x] =
            sums[from][threadIdx.x] + (threadIdx.x >= step ? sums[from][threadIdx.x - step] : 0);
    }
    __syncthreads();
    out[global_id()] = sums[from][threadIdx.x];
}

// Exclusive; two values an item, one word of padding for each 32.
__device__ static unsigned padded(unsigned i)
{
    return i + i / 32;
}

__global__ void scan_tree(const uint64_t *in, uint64_t *out)
{
    __shared__ uint64_t tree[2 * Group + 2 * Group / 32];
    const unsigned t = threadIdx.x, base = blockIdx.x * 2 * Group;
    tree[padded(2 * t)] = in[base + 2 * t];
    tree[padded(2 * t + 1)] = in[base + 2 * t + 1];
    unsigned step = 1;
    for (unsigned active = Group; active > 0; active /= 2, step *= 2) {
        __syncthreads();
        if (t < active)
            tree[padded(step * (2 * t + 2) - 1)] += tree[padded(step * (2 * t + 1) - 1)];
    }
    if (t == 0)
        tree[padded(2 * Group - 1)] = 0;
    for (unsigned active = 1; active <= Group; active *= 2) {
        step /= 2;
        __syncthreads();
        if (t < active) {
            const unsigned left = padded(step * (2 * t + 1) - 1), right = padded(step * (2 * t + 2) - 1);
            const uint64_t v = tree[left];
            tree[left] = tree[right];
            tree[right] += v;
        }
    }
    __syncthreads();
    out[base + 2 * t] = tree[padded(2 * t)];
    out[base + 2 * t + 1] = tree[padded(2 * t + 1)];
}

// Last values of groups, to be scanned and added.
__global__ void take_sums(const uint32_t *scanned, uint32_t *sums, unsigned groups)
{
    if (global_id() < Group)
        sums[global_id()] = global_id() < groups ? scanned[global_id() * Group + Group - 1] : 0;
}

__global__ void add_sums(uint32_t *scanned, const uint32_t *sums)
{
    if (blockIdx.x)
        scanned[global_id()] += sums[blockIdx.x - 1];
}

// One launch: a group publishes its sum, then the sum of all before it (flag 1, flag 2 in the high word), and looks
// back for both.
__global__ void scan_look_back(const uint32_t *in, uint32_t *out, unsigned long long *status)
{
    __shared__ uint32_t sums[Group], before;
    uint32_t v = in[global_id()];
    sums[threadIdx.x] = v;
    for (unsigned step = 1; step < Group; step *= 2) {
        __syncthreads();
        const uint32_t left = threadIdx.x >= step ? sums[threadIdx.x - step] : 0;
        __syncthreads();
        sums[threadIdx.x] = v += left;
    }
    if (threadIdx.x == Group - 1) {
        atomicExch(&status[blockIdx.x], (blockIdx.x ? 1ull : 2ull) << 32 | v);
        uint32_t sum = 0;
        for (unsigned g = blockIdx.x; g > 0;) {
            const unsigned long long s = __hip_atomic_load(&status[g - 1], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
            if (s >> 32 == 0)
                continue;
            sum += static_cast<uint32_t>(s);
            g = s >> 32 == 2 ? 0 : g - 1;
        }
        if (blockIdx.x)
            atomicExch(&status[blockIdx.x], 2ull << 32 | (sum + v));
        before = sum;
    }
    __syncthreads();
    out[global_id()] = before + v;
}

// Sums start again where flag is set.
__global__ void scan_segments(const int *in, const uint8_t *flag, int *out)
{
    __shared__ int sums[Group];
    __shared__ uint8_t starts[Group];
    const unsigned t = threadIdx.x;
    sums[t] = in[global_id()];
    starts[t] = flag[global_id()] || t == 0;
    for (unsigned step = 1; step < Group; step *= 2) {
        __syncthreads();
        const bool take = t >= step && !starts[t];
        const int left = take ? sums[t - step] : 0;
        const uint8_t start = take ? starts[t - step] : starts[t];
        __syncthreads();
        sums[t] += left;
        starts[t] = start;
    }
    out[global_id()] = sums[t];
}

__global__ void running_maximum(const double *in, double *out)
{
    double v = in[global_id()];
    for (unsigned step = 1; step < 64; step *= 2) {
        const double left = __shfl_up(v, step);
        if ((threadIdx.x & 63) >= step)
            v = fmax(v, left);
    }
    out[global_id()] = v;
}

int main(int argc, char **argv)
{
    const unsigned groups = size_argument(argc, argv, 3), n = groups * Group;
    uint32_t seed = seed_argument(argc, argv);
    Suite suite("scans");
    Array<uint32_t> in(random_words(n, seed)), out(n), sums(Group), scanned(Group);
    std::vector<uint32_t> wanted(n), whole(n);
    for (unsigned i = 0; i < n; i++) {
        wanted[i] = in.host[i] + (i % Group ? wanted[i - 1] : 0);
        whole[i] = in.host[i] + (i ? whole[i - 1] : 0);
    }
    scan_doubling<<<groups, Group>>>(in.gpu(), out.gpu());
    suite.same("doubling", out.get(), wanted);
    take_sums<<<1, Group>>>(out.gpu(), sums.gpu(), groups);
    scan_doubling<<<1, Group>>>(sums.gpu(), scanned.gpu());
    add_sums<<<groups, Group>>>(out.gpu(), scanned.gpu());
    suite.same("three launches", out.get(), whole);
    {
        Array<unsigned long long> status(groups);
        scan_look_back<<<groups, Group>>>(in.gpu(), out.gpu(), status.gpu());
        suite.same("look back", out.get(), whole);
    }
    {
        Array<uint64_t> wide(2 * Group), tree(2 * Group);
        std::vector<uint64_t> exclusive(2 * Group);
        for (unsigned i = 0; i < 2 * Group; i++) {
            wide.host[i] = static_cast<uint64_t>(random_next(seed)) << 20;
            exclusive[i] = i ? exclusive[i - 1] + wide.host[i - 1] : 0;
        }
        wide.put();
        scan_tree<<<1, Group>>>(wide.gpu(), tree.gpu());
        suite.same("tree", tree.get(), exclusive);
    }
    {
        Array<int> values(n), result(n);
        Array<uint8_t> flags(n);
        std::vector<int> expected(n);
        for (unsigned i = 0; i < n; i++) {
            values.host[i] = static_cast<int>(random_next(seed) % 2001) - 1000;
            flags.host[i] = random_next(seed) % 20 == 0;
            expected[i] = values.host[i] + (i % Group && !flags.host[i] ? expected[i - 1] : 0);
        }
        values.put(), flags.put();
        scan_segments<<<groups, Group>>>(values.gpu(), flags.gpu(), result.gpu());
        suite.same("segments", result.get(), expected);
    }
    {
        Array<double> values(random_reals<double>(n, seed, -1, 1)), result(n);
        auto expected = values.host;
        for (unsigned i = 0; i < n; i++)
            if (i % 64)
                expected[i] = std::fmax(expected[i], expected[i - 1]);
        running_maximum<<<groups, Group>>>(values.gpu(), result.gpu());
        suite.same("running maximum", result.get(), expected);
    }
    return suite.verdict();
}
