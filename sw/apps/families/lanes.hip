// SPDX-License-Identifier: Apache-2.0
// Lanes of a wavefront: shuffles, ballots and compaction, DPP rows and broadcasts, permute, bpermute and swizzle in the
// LDS, read and write of single lanes, votes in divergent code.  The host states what each item must hold.
#include <functional>

#include "suite.h"

constexpr unsigned Wave = 64, Rows = 5; // five wavefronts of a group of 320

__device__ static int lane_id()
{
    return static_cast<int>(__lane_id());
}

__global__ void shuffles(const int *in, int *out)
{
    const int v = in[global_id()], lane = lane_id();
    int *mine = out + global_id() * 6;
    mine[0] = __shfl(v, (lane * 7 + 3) & 63);
    mine[1] = __shfl_up(v, 5);
    mine[2] = __shfl_down(v, 9);
    mine[3] = __shfl_xor(v, 21);
    mine[4] = __shfl(v, lane & 3, 16);
    mine[5] = __shfl_xor(v, 3, 8);
}

__global__ void shuffle_reduce(const double *in, double *out, long long *sums)
{
    double best = in[global_id()];
    long long sum = static_cast<long long>(best * 1e6);
    for (int step = 32; step > 0; step /= 2) {
        best = fmax(best, __shfl_xor(best, step));
        sum += __shfl_down(sum, static_cast<unsigned>(step));
    }
    if (lane_id() == 0) {
        out[global_id() / Wave] = best;
        sums[global_id() / Wave] = sum;
    }
}

__global__ void compact(const int *in, int *out, unsigned *count)
{
    __shared__ unsigned base[Rows];
    const unsigned wave = threadIdx.x / Wave;
    const int v = in[global_id()];
    const unsigned long long keep = __ballot(v > 0);
    if (lane_id() == 0)
        base[wave] = static_cast<unsigned>(__popcll(keep));
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned sum = 0;
        for (unsigned w = 0; w < Rows; w++) {
            const unsigned t = base[w];
            base[w] = sum;
            sum += t;
        }
        *count = sum;
    }
    __syncthreads();
    if (v > 0)
        out[base[wave] + static_cast<unsigned>(__popcll(keep & ((1ull << lane_id()) - 1)))] = v;
}

// Inclusive sum of a wavefront by six DPP additions: shifts within rows, then broadcasts of lanes 15 and 31.
__global__ void dpp_scan(const int *in, int *out)
{
    int v = in[global_id()];
    v += __builtin_amdgcn_update_dpp(0, v, 0x111, 0xf, 0xf, false);
    v += __builtin_amdgcn_update_dpp(0, v, 0x112, 0xf, 0xf, false);
    v += __builtin_amdgcn_update_dpp(0, v, 0x114, 0xf, 0xe, false);
    v += __builtin_amdgcn_update_dpp(0, v, 0x118, 0xf, 0xc, false);
    v += __builtin_amdgcn_update_dpp(0, v, 0x142, 0xa, 0xf, false);
    v += __builtin_amdgcn_update_dpp(0, v, 0x143, 0xc, 0xf, false);
    out[global_id()] = v;
}

__global__ void dpp_moves(const int *in, int *out)
{
    const int v = in[global_id()];
    int *mine = out + global_id() * 7;
    mine[0] = __builtin_amdgcn_update_dpp(-1, v, 0x1b, 0xf, 0xf, false);  // quad_perm:[3,2,1,0]
    mine[1] = __builtin_amdgcn_update_dpp(-1, v, 0x140, 0xf, 0xf, false); // row_mirror
    mine[2] = __builtin_amdgcn_update_dpp(-1, v, 0x141, 0xf, 0xf, false); // row_half_mirror
    mine[3] = __builtin_amdgcn_update_dpp(-1, v, 0x124, 0xf, 0xf, false); // row_ror:4
    mine[4] = __builtin_amdgcn_update_dpp(-1, v, 0x103, 0xf, 0xf, true);  // row_shl:3, zero at the end
    mine[5] = __builtin_amdgcn_update_dpp(-1, v, 0x138, 0xf, 0xf, false); // wave_shr:1
    mine[6] = __builtin_amdgcn_update_dpp(-1, v, 0x13c, 0x5, 0xf, false); // wave_ror:1, rows 0 and 2
}

__global__ void permutes(const int *in, int *out)
{
    const int v = in[global_id()], lane = lane_id();
    int *mine = out + global_id() * 5;
    mine[0] = __builtin_amdgcn_ds_bpermute(4 * (63 - lane), v);
    mine[1] = __builtin_amdgcn_ds_permute(4 * ((lane * 5 + 1) & 63), v);
    mine[2] = __builtin_amdgcn_ds_swizzle(v, 0x041f);        // xor 1
    mine[3] = __builtin_amdgcn_ds_swizzle(v, 0x0018);        // and 24: the first of each eight
    mine[4] = __builtin_amdgcn_ds_swizzle(v, 0x8000 | 0x4e); // quad_perm:[2,3,0,1]
}

__global__ void single_lanes(const int *in, int *out)
{
    const int v = in[global_id()];
    int *mine = out + global_id() * 3;
    mine[0] = __builtin_amdgcn_readfirstlane(v);
    mine[1] = __builtin_amdgcn_readlane(v, in[0] & 63);
    int seen = 0;
    for (int k = 0; k < 64; k += 13)
        seen = seen * 3 + __builtin_amdgcn_readlane(v, k);
    mine[2] = seen;
}

__global__ void votes(const int *in, int *out)
{
    const int v = in[global_id()];
    int result = 0;
    if (v & 1) { // half of the lanes are off here
        const unsigned long long here = __ballot(1), set = __ballot(v & 2);
        result = __popcll(here) * 100 + __popcll(set) * 10000;
        result += __any(v & 4) ? 1 : 0;
        result += __all(v | 1) ? 2 : 0;
        result += __ffsll(set) * 4;
        if (v & 8)
            result += __builtin_amdgcn_readfirstlane(lane_id()) * 1000000;
    } else {
        result = -static_cast<int>(__builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0))) -
                 __popcll(__ballot(v & 2));
    }
    out[global_id()] = result;
}

/* Fills `wanted` with columns values an item: value(wave's inputs, lane, column). */
static std::vector<int> expected(const std::vector<int> &in, unsigned columns,
                                 const std::function<int(const int *, int, unsigned)> &value)
{
    std::vector<int> wanted;
    for (unsigned i = 0; i < in.size(); i++)
        for (unsigned c = 0; c < columns; c++)
            wanted.push_back(value(&in[i / Wave * Wave], static_cast<int>(i % Wave), c));
    return wanted;
}

int main(int argc, char **argv)
{
    const unsigned n = Rows * Wave;
    uint32_t seed = seed_argument(argc, argv);
    Suite suite("lanes");
    Array<int> in(n), out(n * 7);
    for (auto &v : in.host)
        v = static_cast<int>(random_next(seed)) >> 8;
    in.put();
    auto compare = [&](const char *name, unsigned columns,
                       const std::function<int(const int *, int, unsigned)> &value) {
        out.get();
        suite.same(name, std::vector<int>(out.host.begin(), out.host.begin() + n * columns),
                   expected(in.host, columns, value));
    };
    shuffles<<<1, n>>>(in.gpu(), out.gpu());
    compare("shuffles", 6, [](const int *v, int l, unsigned c) {
        const int from[6] = {(l * 7 + 3) & 63, l < 5 ? l : l - 5,  l > 54 ? l : l + 9,
                             l ^ 21,           (l & 48) + (l & 3), l ^ 3};
        return v[from[c]];
    });
    dpp_scan<<<1, n>>>(in.gpu(), out.gpu());
    compare("dpp scan", 1, [](const int *v, int l, unsigned) {
        unsigned sum = 0;
        for (int k = 0; k <= l; k++)
            sum += static_cast<unsigned>(v[k]);
        return static_cast<int>(sum);
    });
    dpp_moves<<<1, n>>>(in.gpu(), out.gpu());
    compare("dpp moves", 7, [](const int *v, int l, unsigned c) {
        const int row = l & 48;
        switch (c) {
        case 0:
            return v[l ^ 3];
        case 1:
            return v[l ^ 15];
        case 2:
            return v[l ^ 7];
        case 3:
            return v[row + ((l - 4) & 15)];
        case 4:
            return (l & 15) + 3 < 16 ? v[l + 3] : 0;
        case 5:
            return l ? v[l - 1] : -1;
        default:
            return l & 16 ? -1 : v[(l - 1) & 63];
        }
    });
    permutes<<<1, n>>>(in.gpu(), out.gpu());
    compare("permutes", 5, [](const int *v, int l, unsigned c) {
        int sender = 0;
        while (((sender * 5 + 1) & 63) != l)
            sender++;
        const int from[5] = {63 - l, sender, l ^ 1, l & ~7, l ^ 2};
        return v[from[c]];
    });
    single_lanes<<<1, n>>>(in.gpu(), out.gpu());
    const int where = in.host[0] & 63;
    compare("single lanes", 3, [where](const int *v, int, unsigned c) {
        unsigned seen = 0;
        for (int k = 0; k < 64; k += 13)
            seen = seen * 3 + static_cast<unsigned>(v[k]);
        return c == 0 ? v[0] : c == 1 ? v[where] : static_cast<int>(seen);
    });
    votes<<<1, n>>>(in.gpu(), out.gpu());
    compare("votes", 1, [](const int *v, int l, unsigned) {
        int odd = 0, set = 0, even_set = 0, first = 0, first_eight = -1, any = 0;
        for (int k = 0; k < 64; k++) {
            odd += v[k] & 1;
            set += (v[k] & 3) == 3;
            even_set += (v[k] & 3) == 2;
            any |= (v[k] & 5) == 5;
            if ((v[k] & 3) == 3 && !first)
                first = k + 1;
            if ((v[k] & 9) == 9 && first_eight < 0)
                first_eight = k;
        }
        return v[l] & 1 ? odd * 100 + set * 10000 + any + 2 + first * 4 + (v[l] & 8 ? first_eight * 1000000 : 0)
                        : -l - even_set;
    });
    {
        Array<unsigned> count(1);
        std::vector<int> wanted;
        for (int v : in.host)
            if (v > 0)
                wanted.push_back(v);
        compact<<<1, n>>>(in.gpu(), out.gpu(), count.gpu());
        out.get();
        suite.same("compaction", std::vector<int>(out.host.begin(), out.host.begin() + std::min(n, count.get()[0])),
                   wanted);
    }
    {
        Array<double> values(random_reals<double>(n, seed, -50, 50)), best(Rows);
        Array<long long> sums(Rows);
        std::vector<double> wanted(Rows, -100);
        std::vector<long long> wanted_sums(Rows);
        for (unsigned i = 0; i < n; i++) {
            wanted[i / Wave] = std::fmax(wanted[i / Wave], values.host[i]);
            wanted_sums[i / Wave] += static_cast<long long>(values.host[i] * 1e6);
        }
        shuffle_reduce<<<Rows, Wave>>>(values.gpu(), best.gpu(), sums.gpu());
        suite.same("maximum", best.get(), wanted);
        suite.same("sum", sums.get(), wanted_sums);
    }
    return suite.verdict();
}
