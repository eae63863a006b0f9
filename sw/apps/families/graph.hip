// SPDX-License-Identifier: Apache-2.0
// Graphs: breadth-first search by levels, shortest paths by relaxation, components by labels, all pairs (Floyd and
// Warshall), ranks in fixed point, triangles by bit sets.
#include <algorithm>
#include <queue>

#include "suite.h"

constexpr unsigned Never = 0x3fffffff;

struct Graph {
    std::vector<unsigned> starts, targets, weights;
};

__global__ void bfs_level(const unsigned *starts, const unsigned *targets, unsigned *depth, unsigned *changed,
                          unsigned n, unsigned level)
{
    const unsigned node = global_id();
    if (node >= n || depth[node] != level)
        return;
    for (unsigned k = starts[node]; k < starts[node + 1]; k++)
        if (atomicCAS(&depth[targets[k]], Never, level + 1) == Never)
            *changed = 1;
}

__global__ void relax(const unsigned *starts, const unsigned *targets, const unsigned *weights, unsigned *distance,
                      unsigned *changed, unsigned n)
{
    const unsigned node = global_id();
    if (node >= n)
        return;
    const unsigned mine = __hip_atomic_load(&distance[node], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    if (mine == Never)
        return;
    for (unsigned k = starts[node]; k < starts[node + 1]; k++) {
        const unsigned next = mine + weights[k];
        if (next < atomicMin(&distance[targets[k]], next))
            atomicOr(changed, 1u);
    }
}

__global__ void spread_labels(const unsigned *starts, const unsigned *targets, unsigned *label, unsigned *changed,
                              unsigned n)
{
    const unsigned node = global_id();
    if (node >= n)
        return;
    for (unsigned k = starts[node]; k < starts[node + 1]; k++) {
        const unsigned mine = __hip_atomic_load(&label[node], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
        if (atomicMax(&label[targets[k]], mine) < mine)
            atomicAdd(changed, 1u);
        const unsigned theirs = __hip_atomic_load(&label[targets[k]], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
        if (atomicMax(&label[node], theirs) < theirs)
            atomicAdd(changed, 1u);
    }
}

__global__ void all_pairs(unsigned *distance, unsigned n)
{
    for (unsigned k = 0; k < n; k++) {
        for (unsigned i = threadIdx.x; i < n * n; i += blockDim.x) {
            const unsigned way = distance[i / n * n + k] + distance[k * n + i % n];
            if (way < distance[i])
                distance[i] = way;
        }
        __syncthreads();
    }
}

__global__ void rank_step(const unsigned *starts, const unsigned *targets, const uint64_t *rank,
                          unsigned long long *next, unsigned n)
{
    const unsigned node = global_id();
    if (node >= n)
        return;
    const unsigned degree = starts[node + 1] - starts[node];
    for (unsigned k = starts[node]; k < starts[node + 1]; k++)
        atomicAdd(&next[targets[k]], static_cast<unsigned long long>(rank[node] * 85 / 100 / degree));
}

__global__ void triangles(const uint64_t *rows, unsigned *count, unsigned n)
{
    const unsigned i = blockIdx.x, j = threadIdx.x;
    unsigned mine = 0;
    if (j < n && rows[i * 2 + j / 64] >> j % 64 & 1)
        for (unsigned w = 0; w < 2; w++)
            mine += static_cast<unsigned>(__popcll(rows[i * 2 + w] & rows[j * 2 + w]));
    if (mine)
        atomicAdd(count, mine);
}

static Graph random_graph(unsigned n, unsigned edges, uint32_t &seed)
{
    std::vector<std::vector<unsigned>> out(n);
    for (unsigned e = 0; e < edges; e++)
        out[random_next(seed) % n].push_back(random_next(seed) % n);
    Graph g = {{0}, {}, {}};
    for (auto &list : out) {
        for (unsigned t : list) {
            g.targets.push_back(t);
            g.weights.push_back(1 + random_next(seed) % 50);
        }
        g.starts.push_back(static_cast<unsigned>(g.targets.size()));
    }
    return g;
}

/* Shortest distances from node 0; every edge counts `unit`, or its weight when unit is 0. */
static std::vector<unsigned> shortest(const Graph &g, unsigned unit)
{
    std::vector<unsigned> distance(g.starts.size() - 1, Never);
    distance[0] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (unsigned node = 0; node + 1 < g.starts.size(); node++)
            for (unsigned k = g.starts[node]; distance[node] != Never && k < g.starts[node + 1]; k++) {
                const unsigned next = distance[node] + (unit ? unit : g.weights[k]);
                if (next < distance[g.targets[k]]) {
                    distance[g.targets[k]] = next;
                    changed = true;
                }
            }
    }
    return distance;
}

int main(int argc, char **argv)
{
    const unsigned n = size_argument(argc, argv, 200), groups = groups_of(n, 128);
    uint32_t seed = seed_argument(argc, argv);
    Suite suite("graph");
    const Graph g = random_graph(n, 3 * n, seed);
    Array<unsigned> starts(g.starts), targets(g.targets), weights(g.weights), state(n, Never), changed(1);
    auto again = [&] {
        const bool more = changed.get()[0] != 0;
        changed.host[0] = 0;
        changed.put();
        return more;
    };
    auto start = [&](unsigned first) {
        for (auto &v : state.host)
            v = Never;
        state.host[0] = first;
        state.put();
    };

    start(0);
    for (unsigned level = 0; level == 0 || again(); level++)
        bfs_level<<<groups, 128>>>(starts.gpu(), targets.gpu(), state.gpu(), changed.gpu(), n, level);
    suite.same("breadth first", state.get(), shortest(g, 1));

    start(0);
    do
        relax<<<groups, 128>>>(starts.gpu(), targets.gpu(), weights.gpu(), state.gpu(), changed.gpu(), n);
    while (again());
    suite.same("relaxation", state.get(), shortest(g, 0));

    const Graph thin = random_graph(n, n / 2, seed);
    std::vector<unsigned> label(n);
    for (unsigned i = 0; i < n; i++)
        state.host[i] = label[i] = i;
    state.put();
    for (bool more = true; more;) {
        more = false;
        for (unsigned i = 0; i < n; i++)
            for (unsigned k = thin.starts[i]; k < thin.starts[i + 1]; k++) {
                const unsigned high = std::max(label[i], label[thin.targets[k]]);
                more |= label[i] != high || label[thin.targets[k]] != high;
                label[i] = label[thin.targets[k]] = high;
            }
    }
    Array<unsigned> thin_starts(thin.starts), thin_targets(thin.targets);
    do
        spread_labels<<<groups, 128>>>(thin_starts.gpu(), thin_targets.gpu(), state.gpu(), changed.gpu(), n);
    while (again());
    suite.same("components", state.get(), label);

    const unsigned few = 20;
    Array<unsigned> matrix(few * few, Never);
    for (unsigned i = 0; i < 3 * few; i++)
        matrix.host[random_next(seed) % (few * few)] = random_next(seed) % 100;
    for (unsigned i = 0; i < few; i++)
        matrix.host[i * few + i] = 0;
    matrix.put();
    auto pairs = matrix.host;
    for (unsigned k = 0; k < few; k++)
        for (unsigned i = 0; i < few * few; i++)
            pairs[i] = std::min(pairs[i], pairs[i / few * few + k] + pairs[k * few + i % few]);
    all_pairs<<<1, 256>>>(matrix.gpu(), few);
    suite.same("all pairs", matrix.get(), pairs);

    Array<uint64_t> rank(n, 1ull << 40);
    Array<unsigned long long> next(n, 15ull << 33);
    auto wanted = next.host;
    for (unsigned i = 0; i < n; i++)
        for (unsigned k = g.starts[i]; k < g.starts[i + 1]; k++)
            wanted[g.targets[k]] += rank.host[i] * 85 / 100 / (g.starts[i + 1] - g.starts[i]);
    rank_step<<<groups, 128>>>(starts.gpu(), targets.gpu(), rank.gpu(), next.gpu(), n);
    suite.same("ranks", next.get(), wanted);

    const unsigned nodes = 80;
    Array<uint64_t> rows(2 * nodes);
    for (unsigned e = 0; e < 6 * nodes; e++) {
        const unsigned a = random_next(seed) % nodes, b = random_next(seed) % nodes;
        if (a != b) {
            rows.host[2 * a + b / 64] |= 1ull << b % 64;
            rows.host[2 * b + a / 64] |= 1ull << a % 64;
        }
    }
    rows.put();
    auto edge = [&](unsigned a, unsigned b) { return rows.host[2 * a + b / 64] >> b % 64 & 1; };
    unsigned count = 0;
    for (unsigned a = 0; a < nodes; a++)
        for (unsigned b = 0; b < nodes; b++)
            for (unsigned c = 0; c < nodes; c++)
                count += edge(a, b) && edge(b, c) && edge(a, c);
    Array<unsigned> found(1);
    triangles<<<nodes, 128>>>(rows.gpu(), found.gpu(), nodes);
    suite.same("triangles", found.get(), {count});
    return suite.verdict();
}
