// SPDX-License-Identifier: Apache-2.0
// Strings: search by comparison and by automaton, edit distance along diagonals, upper case and word count, base64.
#include <algorithm>
#include <string>

#include "suite.h"

constexpr unsigned Pattern = 5, Chunk = 16, Word = 48;

__constant__ char base64_digits[64];

__host__ __device__ static bool matches(const char *text, const char *pattern)
{
    for (unsigned k = 0; k < Pattern; k++)
        if (text[k] != pattern[k])
            return false;
    return true;
}

__global__ void search(const char *text, unsigned n, const char *pattern, unsigned *found, unsigned *places)
{
    const unsigned i = global_id();
    if (i + Pattern <= n && matches(text + i, pattern))
        places[atomicInc(found, 0xffffffffu)] = i;
}

// Each item runs the automaton over its chunk and Pattern - 1 characters before it; letters a to d.
__global__ void automaton(const char *text, unsigned n, const uint8_t *table, unsigned *count)
{
    const unsigned from = global_id() * Chunk;
    if (from >= n)
        return;
    unsigned state = 0, mine = 0;
    for (unsigned i = from < Pattern - 1 ? 0 : from - (Pattern - 1); i < from + Chunk && i < n; i++) {
        state = table[state * 4 + static_cast<unsigned>(text[i] - 'a')];
        mine += state == Pattern && i >= from;
    }
    atomicAdd(count, mine);
}

// One group a pair of words; item i holds row i, diagonals one after the other.
__global__ void edit_distance(const char *a, const char *b, unsigned *out)
{
    __shared__ unsigned diagonal[3][Word + 1];
    const unsigned i = threadIdx.x;
    a += blockIdx.x * Word;
    b += blockIdx.x * Word;
    for (unsigned d = 0; d <= 2 * Word; d++) {
        const unsigned *before = diagonal[(d + 2) % 3], *two_before = diagonal[(d + 1) % 3], j = d - i;
        if (i <= Word && i <= d && j <= Word) {
            unsigned v = i + j;
            if (i && j) {
                v = two_before[i - 1] + (a[i - 1] != b[j - 1]);
                v = min(v, min(before[i - 1], before[i]) + 1);
            }
            diagonal[d % 3][i] = v;
        }
        __syncthreads();
    }
    if (i == 0)
        out[blockIdx.x] = diagonal[2 * Word % 3][Word];
}

// Four characters an item: letters to upper case without branches; counts the words (letter after a blank).
__global__ void upper_and_count(char4 *text, unsigned fours, unsigned *words)
{
    const unsigned i = global_id();
    if (i >= fours)
        return;
    const char last = i ? reinterpret_cast<const char *>(text)[4 * i - 1] : ' '; // a blank keeps its value
    char4 v = text[i];
    const char in[4] = {v.x, v.y, v.z, v.w};
    unsigned starts = 0;
    for (int k = 0; k < 4; k++)
        starts += in[k] != ' ' && (k ? in[k - 1] : last) == ' ';
    auto upper = [](char c) { return static_cast<char>(c - (static_cast<unsigned char>(c - 'a') < 26 ? 32 : 0)); };
    text[i] = make_char4(upper(v.x), upper(v.y), upper(v.z), upper(v.w));
    const uint64_t any = __ballot(starts > 0), two = __ballot(starts > 1);
    if (__popcll(any & ((1ull << __lane_id()) - 1)) == 0 && starts)
        atomicAdd(words, static_cast<unsigned>(__popcll(any) + __popcll(two)));
}

__global__ void base64(const uint8_t *in, char *out, unsigned triples)
{
    const unsigned i = global_id();
    if (i >= triples)
        return;
    const uint32_t v = static_cast<uint32_t>(in[3 * i] << 16 | in[3 * i + 1] << 8 | in[3 * i + 2]);
    for (unsigned k = 0; k < 4; k++)
        out[4 * i + k] = base64_digits[v >> (18 - 6 * k) & 63];
}

static unsigned host_distance(const char *a, const char *b)
{
    unsigned d[Word + 1][Word + 1];
    for (unsigned i = 0; i <= Word; i++)
        for (unsigned j = 0; j <= Word; j++)
            d[i][j] = !i   ? j
                      : !j ? i
                           : std::min(d[i - 1][j - 1] + (a[i - 1] != b[j - 1]), std::min(d[i - 1][j], d[i][j - 1]) + 1);
    return d[Word][Word];
}

int main(int argc, char **argv)
{
    const unsigned n = size_argument(argc, argv, 1500);
    uint32_t seed = seed_argument(argc, argv);
    Suite suite("strings");
    const char pattern[] = "abacb";
    Array<char> text(n), needle(std::vector<char>(pattern, pattern + Pattern));
    for (auto &c : text.host)
        c = static_cast<char>('a' + random_next(seed) % 3);
    for (unsigned i = 0; i + Pattern <= n; i += 97)
        std::memcpy(&text.host[i], pattern, Pattern);
    text.put();
    std::vector<unsigned> wanted;
    for (unsigned i = 0; i + Pattern <= n; i++)
        if (matches(&text.host[i], pattern))
            wanted.push_back(i);
    {
        Array<unsigned> found(1), places(n);
        search<<<groups_of(n, 256), 256>>>(text.gpu(), n, needle.gpu(), found.gpu(), places.gpu());
        places.get();
        places.host.resize(std::min(n, found.get()[0]));
        std::sort(places.host.begin(), places.host.end());
        suite.same("search", places.host, wanted);
    }
    {
        Array<uint8_t> table((Pattern + 1) * 4);
        for (unsigned state = 0; state <= Pattern; state++)
            for (unsigned c = 0; c < 4; c++) {
                const std::string seen = std::string(pattern, state) + static_cast<char>('a' + c);
                unsigned next = std::min<unsigned>(Pattern, static_cast<unsigned>(seen.size()));
                while (seen.substr(seen.size() - next) != std::string(pattern, next))
                    next--;
                table.host[state * 4 + c] = static_cast<uint8_t>(next);
            }
        table.put();
        Array<unsigned> count(1);
        automaton<<<groups_of(n, 64 * Chunk), 64>>>(text.gpu(), n, table.gpu(), count.gpu());
        suite.same("automaton", count.get(), {static_cast<unsigned>(wanted.size())});
    }
    {
        const unsigned pairs = 3;
        Array<char> a(pairs * Word), b(pairs * Word);
        for (unsigned i = 0; i < pairs * Word; i++) {
            a.host[i] = static_cast<char>('a' + random_next(seed) % 4);
            b.host[i] = random_next(seed) % 3 ? a.host[i] : static_cast<char>('a' + random_next(seed) % 4);
        }
        a.put(), b.put();
        Array<unsigned> distance(pairs);
        std::vector<unsigned> distances;
        for (unsigned p = 0; p < pairs; p++)
            distances.push_back(host_distance(&a.host[p * Word], &b.host[p * Word]));
        edit_distance<<<pairs, 64>>>(a.gpu(), b.gpu(), distance.gpu());
        suite.same("edit distance", distance.get(), distances);
    }
    {
        const unsigned fours = n / 4;
        Array<char4> line(fours);
        Array<unsigned> words(1);
        std::vector<char> plain(fours * 4);
        unsigned starts = 0;
        for (unsigned i = 0; i < plain.size(); i++) {
            plain[i] = random_next(seed) % 4 ? static_cast<char>('!' + random_next(seed) % 94) : ' ';
            starts += plain[i] != ' ' && (i ? plain[i - 1] : ' ') == ' ';
        }
        std::memcpy(static_cast<void *>(line.host.data()), plain.data(), plain.size());
        line.put();
        upper_and_count<<<groups_of(fours, 128), 128>>>(line.gpu(), fours, words.gpu());
        for (auto &c : plain)
            c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c);
        suite.check("upper case", std::memcmp(line.get().data(), plain.data(), plain.size()) == 0);
        suite.same("words", words.get(), {starts});
    }
    {
        const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        HIP_OK(hipMemcpyToSymbol(HIP_SYMBOL(base64_digits), digits, 64));
        const unsigned triples = n / 3;
        Array<uint8_t> in(3 * triples);
        Array<char> out(4 * triples);
        for (auto &v : in.host)
            v = static_cast<uint8_t>(random_next(seed));
        std::memcpy(in.host.data(), "foobar", 6); // RFC 4648: Zm9vYmFy
        in.put();
        base64<<<groups_of(triples, 128), 128>>>(in.gpu(), out.gpu(), triples);
        out.get();
        std::vector<uint8_t> decoded;
        for (unsigned i = 0; i < out.size(); i += 4) {
            uint32_t v = 0;
            for (unsigned k = 0; k < 4; k++)
                v = v << 6 | static_cast<uint32_t>(std::strchr(digits, out.host[i + k]) - digits);
            for (int shift = 16; shift >= 0; shift -= 8)
                decoded.push_back(static_cast<uint8_t>(v >> shift));
        }
        suite.check("base64 of foobar", std::memcmp(out.host.data(), "Zm9vYmFy", 8) == 0);
        suite.same("base64", decoded, in.host);
    }
    return suite.verdict();
}
