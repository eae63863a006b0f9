// SPDX-License-Identifier: Apache-2.0
// C++ in kernels: objects and lists from the device's heap, virtual calls through a base, a table of functions, mutual
// recursion with an array in each frame.  Host and device run the same text.  No LDS, and no array of the kernel's own,
// which clang 15 puts there: it sets M0 once, the message by which the device's heap asks the host for memory sets it
// anew, and LDS instructions behind it reach no further than that (`check.lds` says so; a card would do the same).
#include <cstdint>
#include <vector>

#include "check.h"

#define BOTH __host__ __device__

struct Node { // of an expression
    BOTH virtual int value(int x) const = 0;
    BOTH virtual ~Node() {}
};
struct Number : Node {
    int n;
    BOTH explicit Number(int v) : n(v) {}
    BOTH int value(int) const override { return n; }
};
struct Variable : Node {
    BOTH int value(int x) const override { return x; }
};
struct Both : Node {
    Node *left, *right;
    unsigned op;
    BOTH Both(Node *l, Node *r, unsigned o) : left(l), right(r), op(o) {}
    BOTH ~Both() override
    {
        delete left;
        delete right;
    }
    BOTH int value(int x) const override
    {
        const unsigned a = static_cast<unsigned>(left->value(x)), b = static_cast<unsigned>(right->value(x));
        return static_cast<int>(op == 0 ? a + b : op == 1 ? a * b : a - b);
    }
};

BOTH static Node *grow(uint32_t &seed, unsigned depth)
{
    seed = seed * 1664525u + 1013904223u;
    const uint32_t bits = seed >> 24;
    if (depth == 0)
        return bits & 1 ? static_cast<Node *>(new Number(static_cast<int>(bits))) : new Variable;
    Node *left = grow(seed, depth - 1);
    return new Both(left, grow(seed, bits & 2 ? depth - 1 : 0), bits % 3);
}

// Two functions that call each other, each with a frame that is larger than its registers.
BOTH __attribute__((noinline)) static unsigned even(unsigned n, unsigned x);
BOTH __attribute__((noinline)) static unsigned odd(unsigned n, unsigned x)
{
    unsigned frame[9];
    for (unsigned i = 0; i < 9; i++)
        frame[i] = x * (i + 1);
    return n == 0 ? frame[x % 9] : even(n - 1, frame[n % 9] ^ n) + frame[(x + n) % 9];
}
BOTH __attribute__((noinline)) static unsigned even(unsigned n, unsigned x)
{
    return n == 0 ? x : odd(n - 1, x * 3 + n) ^ x;
}

typedef unsigned (*Step)(unsigned, unsigned);
BOTH static unsigned add(unsigned a, unsigned b) { return a + b; }
BOTH static unsigned spread(unsigned a, unsigned b) { return a * 31 ^ b; }
BOTH static unsigned turn(unsigned a, unsigned b) { return (a << (b & 7)) | (a >> (31 - (b & 7))); }
__device__ Step device_steps[] = {add, spread, turn, odd};
static const Step host_steps[] = {add, spread, turn, odd};

BOTH static unsigned work(unsigned item, const Step *steps)
{
    uint32_t seed = item * 2654435761u + 1;
    Node *tree = grow(seed, item % 4);
    const unsigned length = item % 11 + 1;
    unsigned *list = static_cast<unsigned *>(malloc(length * sizeof *list)), sum = item;
    if (!list)
        return 0xdead;
    for (unsigned i = 0; i < length; i++)
        list[i] = static_cast<unsigned>(tree->value(static_cast<int>(i)));
    for (unsigned i = 0; i < length; i++) {
        const unsigned step = (item + i) % 4;
        sum = steps[step](step == 3 ? sum % 5 : sum, list[i] + list[i / 2]);
    }
    free(list);
    delete tree;
    return sum + even(item % 6, sum);
}

__global__ void all(unsigned *out, unsigned n)
{
    const unsigned item = blockIdx.x * blockDim.x + threadIdx.x;
    if (item < n)
        out[item] = work(item, device_steps);
}

int main(int argc, char **argv)
{
    const unsigned n = size_argument(argc, argv, 90);
    unsigned *gpu, wrong = 0;
    HIP_OK(hipMalloc(&gpu, n * sizeof *gpu));
    for (unsigned round = 0; round < 2; round++) { // the second finds a heap that the first has used
        std::vector<unsigned> got(n);
        HIP_OK(hipMemset(gpu, 0, n * sizeof *gpu));
        all<<<(n + 31) / 32, 32>>>(gpu, n);
        HIP_OK(hipGetLastError());
        HIP_OK(hipMemcpy(got.data(), gpu, n * sizeof *gpu, hipMemcpyDeviceToHost));
        for (unsigned item = 0; item < n; item++)
            wrong += got[item] != work(item, host_steps);
    }
    HIP_OK(hipFree(gpu));
    return verdict("objects", wrong, 2 * n);
}
