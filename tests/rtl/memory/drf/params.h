// SPDX-License-Identifier: Apache-2.0
// What a run of the tester is made of: everything that happens follows from these numbers, and a failing run is shrunk by making
// them smaller.  On the command line `name=value`, as a failure prints them.  Also random numbers and the end of a failing run.
#ifndef TESTS_DRF_PARAMS_H
#define TESTS_DRF_PARAMS_H
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

enum Feature { Atomics = 1, Glc = 2, Remaps = 4, Storms = 8, Locks = 16, Counters = 32, Flushes = 64, Odd = 128, Weather = 256, PageLocks = 512, Moves = 1024, GivesUp = 2048, Accesses = 4096, Frees = 8192, Firsts = 16384, Strays = 32768, AllFeatures = 65535 };
enum Other { Scalars = 1, Fetches = 2, Fars = 4, Hosts = 8, AllOthers = 15 };

struct Params {
    uint64_t seed = 1, episodes = 20000, vectors = ~0ull, others = AllOthers, features = AllFeatures, spaces = 4, pages = 64, accesses = 64, hand = 1 /* kept.h too */, gpus = 1;
    struct Field {
        const char *name;
        uint64_t Params::*value;
    };
    static constexpr Field fields[] = {{"seed", &Params::seed},       {"episodes", &Params::episodes}, {"vectors", &Params::vectors},
                                       {"others", &Params::others},   {"features", &Params::features}, {"spaces", &Params::spaces},
                                       {"pages", &Params::pages},     {"accesses", &Params::accesses},
                                       {"hand", &Params::hand},         {"gpus", &Params::gpus}};
    bool read(const char *word)
    {
        for (auto &f : fields)
            if (size_t n = strlen(f.name); !strncmp(word, f.name, n) && word[n] == '=')
                return this->*f.value = strtoull(word + n + 1, nullptr, 0), true;
        return false;
    }
    std::string text() const
    {
        std::string s;
        for (auto &f : fields) {
            char word[64];
            snprintf(word, sizeof word, f.value == &Params::vectors || f.value == &Params::features ? "%s%s=0x%llx" : "%s%s=%llu", s.empty() ? "" : " ",
                     f.name, (unsigned long long)(this->*f.value));
            s += word;
        }
        return s;
    }
};
static Params params;
static bool on(Feature f) { return params.features & f; }
// Accesses to no page: with half of all seeds, so that those of faults.tsv stay what they are.
static bool strays() { return on(Strays) && (params.seed / 1000 ^ params.seed / 2) & 1; }

struct Rng { // splitmix64
    uint64_t state;
    uint64_t operator()()
    {
        uint64_t z = state += 0x9e3779b97f4a7c15;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
        z = (z ^ z >> 27) * 0x94d049bb133111eb;
        return z ^ z >> 31;
    }
    uint64_t pick(uint64_t n) { return (*this)() % n; }
    bool one_in(uint64_t n) { return pick(n) == 0; }
};
static Rng rng_of(unsigned who) // a stream of its own for each, so that fewer agents change the others little
{
    Rng r{params.seed * 0x9e3779b97f4a7c15 ^ (uint64_t)who << 40};
    r();
    return r;
}

static uint64_t cycle, episodes_begun, episodes_done;

// The first failure ends the run: `kind` is what the shrinker compares, the rest is for people.
[[noreturn]] __attribute__((format(printf, 2, 3))) static void fail(const char *kind, const char *text, ...)
{
    va_list args;
    va_start(args, text);
    printf("FAIL %s: ", kind);
    vprintf(text, args);
    va_end(args);
    printf(" [cycle %llu, episode %llu, seed %llu]\n", (unsigned long long)cycle, (unsigned long long)episodes_begun, (unsigned long long)params.seed);
    fflush(stdout);
    _Exit(1);
}
#endif
