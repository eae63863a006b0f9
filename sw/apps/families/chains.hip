// SPDX-License-Identifier: Apache-2.0
// Chains of dependent launches: each reads what the launch before has written and rewrites it, so that one line left
// behind in a cache, or one write that comes late, changes the result.  Bitonic sort (66 launches at 2,048 words, in
// place), Floyd-Warshall (64 launches at 64 nodes, in place), PageRank (64 rounds of two launches, shares added by
// atomics), life (64 generations between two boards of bytes, so lines are written in parts by several work-groups).
//   chains [sort|floyd|rank|life|all] [seed]
// With several devices all data are in the memory of device 0 and launch k runs on device k modulo their number.
#include <algorithm>
#include <string>

#include "suite.h"

/* Launches by turns on all devices; each waits for the one before. */
class Turns
{
  public:
    Turns()
    {
        HIP_OK(hipGetDeviceCount(&devices_));
        for (int d = 1; d < devices_; d++) {
            HIP_OK(hipSetDevice(d));
            HIP_OK(hipDeviceEnablePeerAccess(0, 0));
        }
        HIP_OK(hipSetDevice(0));
    }
    template <class Kernel, class... Arguments> void launch(Kernel kernel, unsigned items, Arguments... arguments)
    {
        if (devices_ > 1)
            HIP_OK(hipSetDevice(static_cast<int>(count_ % static_cast<unsigned>(devices_))));
        kernel<<<groups_of(items, 64), 64>>>(arguments...);
        HIP_OK(hipGetLastError());
        count_++;
        if (devices_ > 1) { /* streams of different devices know nothing of each other */
            HIP_OK(hipDeviceSynchronize());
            HIP_OK(hipSetDevice(0));
        }
    }
    unsigned count() const { return count_; }
    int devices() const { return devices_; }

  private:
    int devices_ = 0;
    unsigned count_ = 0;
};

__global__ void sort_step(uint32_t *data, unsigned distance, unsigned run)
{
    const unsigned i = global_id(), low = (i / distance) * 2 * distance + i % distance, high = low + distance;
    const uint32_t a = data[low], b = data[high];
    const bool up = (low & run) == 0;
    data[low] = (a < b) == up ? a : b;
    data[high] = (a < b) == up ? b : a;
}

static void sort(Suite &suite, Turns &turns, uint32_t &seed)
{
    const unsigned n = 2048;
    Array<uint32_t> data(random_words(n, seed));
    std::vector<uint32_t> wanted = data.host;
    for (unsigned run = 2; run <= n; run *= 2)
        for (unsigned distance = run / 2; distance > 0; distance /= 2)
            turns.launch(sort_step, n / 2, data.gpu(), distance, run);
    std::sort(wanted.begin(), wanted.end());
    suite.same("sort", data.get(), wanted);
}

__global__ void floyd_step(uint32_t *length, unsigned n, unsigned over)
{
    const unsigned i = global_id(), from = i / n, to = i % n;
    const uint32_t way = length[from * n + over] + length[over * n + to];
    if (way < length[i])
        length[i] = way;
}

static void floyd(Suite &suite, Turns &turns, uint32_t &seed)
{
    const unsigned n = 64;
    std::vector<uint32_t> length(n * n, 1u << 20);
    for (unsigned e = 0; e < 3 * n; e++)
        length[random_next(seed) % (n * n)] = 1 + random_next(seed) % 1000;
    for (unsigned i = 0; i < n; i++)
        length[i * n + i] = 0;
    Array<uint32_t> data(length);
    for (unsigned over = 0; over < n; over++)
        turns.launch(floyd_step, n * n, data.gpu(), n, over);
    for (unsigned over = 0; over < n; over++)
        for (unsigned i = 0; i < n * n; i++)
            length[i] = std::min(length[i], length[i / n * n + over] + length[over * n + i % n]);
    suite.same("floyd", data.get(), length);
}

/* Ranks have 16 binary places.  Node i gives its rank in equal parts to the nodes of its edges. */
__global__ void rank_give(const uint32_t *rank, uint32_t *sum, const uint32_t *first, const uint32_t *edge)
{
    const unsigned i = global_id(), begin = first[i], end = first[i + 1];
    for (unsigned e = begin; e < end; e++)
        atomicAdd(&sum[edge[e]], rank[i] / (end - begin));
}

__global__ void rank_take(uint32_t *rank, uint32_t *sum)
{
    const unsigned i = global_id();
    rank[i] = (3 * (1u << 16) + 17 * sum[i]) / 20; /* damping 0.85 */
    sum[i] = 0;
}

static void rank(Suite &suite, Turns &turns, uint32_t &seed)
{
    const unsigned n = 256, rounds = 64;
    std::vector<uint32_t> first(n + 1), edge, wanted(n, 1u << 16);
    for (unsigned i = 0; i < n; i++) {
        for (unsigned e = 1 + random_next(seed) % 7; e > 0; e--)
            edge.push_back(random_next(seed) % n);
        first[i + 1] = static_cast<uint32_t>(edge.size());
    }
    Array<uint32_t> ranks(wanted), sum(n), firsts(first), edges(edge);
    for (unsigned round = 0; round < rounds; round++) {
        turns.launch(rank_give, n, ranks.gpu(), sum.gpu(), firsts.gpu(), edges.gpu());
        turns.launch(rank_take, n, ranks.gpu(), sum.gpu());
        std::vector<uint32_t> given(n);
        for (unsigned i = 0; i < n; i++)
            for (unsigned e = first[i]; e < first[i + 1]; e++)
                given[edge[e]] += wanted[i] / (first[i + 1] - first[i]);
        for (unsigned i = 0; i < n; i++)
            wanted[i] = (3 * (1u << 16) + 17 * given[i]) / 20;
    }
    suite.same("rank", ranks.get(), wanted);
    suite.same("rank: shares", sum.get(), std::vector<uint32_t>(n));
}

/* A torus of side x side cells. */
static __host__ __device__ uint8_t life_cell(const uint8_t *board, unsigned side, unsigned i)
{
    const unsigned x = i % side, y = i / side;
    const unsigned left = (x + side - 1) % side, right = (x + 1) % side;
    const unsigned above = (y + side - 1) % side * side, below = (y + 1) % side * side, here = y * side;
    const unsigned around = board[above + left] + board[above + x] + board[above + right] + board[here + left] +
                            board[here + right] + board[below + left] + board[below + x] + board[below + right];
    return around == 3 || (around == 2 && board[i]);
}

/* Work-items stand 67 cells apart (prime to the number of cells), so that each line has bytes of many work-groups. */
__global__ void life_step(const uint8_t *board, uint8_t *next, unsigned side)
{
    const unsigned i = global_id() * 67 % (side * side);
    next[i] = life_cell(board, side, i);
}

static void life(Suite &suite, Turns &turns, uint32_t &seed)
{
    const unsigned side = 64, generations = 64;
    std::vector<uint8_t> board(side * side), next(side * side);
    for (auto &cell : board)
        cell = random_next(seed) % 3 == 0;
    Array<uint8_t> one(board), other(board);
    for (unsigned g = 0; g < generations; g++) {
        turns.launch(life_step, side * side, g % 2 ? other.gpu() : one.gpu(), g % 2 ? one.gpu() : other.gpu(), side);
        for (unsigned i = 0; i < side * side; i++)
            next[i] = life_cell(board.data(), side, i);
        board.swap(next);
    }
    suite.same("life", one.get(), board);
    suite.same("life: the generation before", other.get(), next);
}

int main(int argc, char **argv)
{
    const std::string what = argc > 1 ? argv[1] : "all";
    uint32_t seed = seed_argument(argc, argv);
    const struct {
        const char *name;
        void (*run)(Suite &, Turns &, uint32_t &);
    } chains[] = {{"sort", sort}, {"floyd", floyd}, {"rank", rank}, {"life", life}};
    Suite suite("chains");
    Turns turns;
    for (const auto &chain : chains)
        if (what == "all" || what == chain.name) {
            const unsigned before = turns.count();
            chain.run(suite, turns, seed);
            suite.check("64 launches", turns.count() - before >= 64);
        }
    std::printf("chains: %u launches on %d devices\n", turns.count(), turns.devices());
    return suite.verdict();
}
