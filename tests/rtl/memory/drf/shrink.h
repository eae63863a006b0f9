// SPDX-License-Identifier: Apache-2.0
// Runs in processes of their own, and the search for a smaller run that fails in the same way.  A run is a function of its
// parameters, so whatever still fails with smaller ones is as good and easier to read.
#ifndef TESTS_DRF_SHRINK_H
#define TESTS_DRF_SHRINK_H
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "params.h"

struct Outcome {
    bool failed = false;
    std::string kind, line, text; // kind: what must stay the same
    unsigned long long episode = 0;
};

static double cpu_of_children()
{
    rusage u;
    getrusage(RUSAGE_CHILDREN, &u);
    return u.ru_utime.tv_sec + u.ru_stime.tv_sec + (u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e-6;
}

// `body` in a process of its own; what it prints is kept, and shown when `show`.  `seconds` of CPU at most (0: any).
template <class Body> static Outcome attempt(const Params &p, Body body, bool show, unsigned seconds)
{
    int ends[2];
    fflush(stdout);
    if (pipe(ends))
        perror("pipe"), exit(2);
    pid_t child = fork();
    if (child < 0)
        perror("fork"), exit(2);
    if (child == 0) {
        dup2(ends[1], 1), dup2(ends[1], 2), close(ends[0]), close(ends[1]);
        if (seconds) {
            rlimit limit = {seconds, seconds + 1};
            setrlimit(RLIMIT_CPU, &limit);
        }
        params = p;
        body();
        fflush(stdout);
        _Exit(0);
    }
    close(ends[1]);
    Outcome o;
    char buffer[4096];
    for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;) {
        o.text.append(buffer, n);
        if (show)
            fwrite(buffer, 1, n, stdout), fflush(stdout);
    }
    close(ends[0]);
    int status;
    waitpid(child, &status, 0);
    o.failed = status != 0;
    for (const char *mark : {"FAIL ", "%Error", "gantry: "}) // the last: a CHECK of the C engine
        if (size_t at = o.text.find(mark); o.kind.empty() && at != std::string::npos) {
            o.line = o.text.substr(at, o.text.find('\n', at) - at);
            o.kind = o.line.substr(0, o.line.find(*mark == 'F' ? ": " : " at ")); // of an assertion: its place in the text
            if (*mark == 'g')
                o.kind = o.line.substr(o.line.rfind('[') + 1);
            if (*mark == '%')
                o.kind = o.line.substr(o.line.rfind('/') == std::string::npos ? 0 : o.line.rfind('/'));
        }
    if (size_t at = o.line.find("episode "); at != std::string::npos)
        if (size_t last = o.line.rfind("episode "); last != std::string::npos)
            o.episode = strtoull(o.line.c_str() + last + 8, nullptr, 10);
    if (o.failed && o.kind.empty())
        o.kind = WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU ? "out of time" : "ended by itself", o.line = o.kind;
    return o;
}

// Smaller runs, one change at a time, as long as they fail alike and `budget` seconds of CPU last.
template <class Body> static Params shrink(Params p, Outcome first, Body body, double budget)
{
    double end = cpu_of_children() + budget;
    unsigned tries = 0;
    auto smaller = [&](Params q) {
        if (cpu_of_children() > end)
            return false;
        Outcome o = attempt(q, body, false, (unsigned)budget + 5);
        tries++;
        if (!o.failed || o.kind != first.kind)
            return false;
        p = q, first = o;
        if (o.episode && o.episode < p.episodes)
            p.episodes = o.episode;
        return true;
    };
    if (first.episode && first.episode < p.episodes) {
        Params q = p;
        q.episodes = first.episode;
        smaller(q);
    }
    for (bool better = true; better && cpu_of_children() < end;) {
        better = false;
        auto attempt_with = [&](uint64_t Params::*field, uint64_t value) {
            Params q = p;
            q.*field = value;
            better |= value < p.*field && smaller(q);
        };
        attempt_with(&Params::hand, 0), attempt_with(&Params::episodes, 0);
        for (unsigned b = 0; b < 14; b++)
            attempt_with(&Params::features, p.features & ~(1ull << b));
        for (unsigned b = 0; b < 4; b++)
            attempt_with(&Params::others, p.others & ~(1ull << b));
        for (unsigned half = 32; half; half /= 2) // halves of the agents, then single ones
            for (unsigned from = 0; from < 64; from += half)
                if (uint64_t without = p.vectors & ~((half == 32 ? 0xffffffffull : (1ull << half) - 1) << from); without)
                    attempt_with(&Params::vectors, without);
        for (uint64_t n : {1, 2})
            attempt_with(&Params::spaces, n);
        for (uint64_t n : {1, 2, 4, 8})
            attempt_with(&Params::pages, n);
        for (uint64_t n : {1, 4, 16})
            attempt_with(&Params::accesses, n);
        for (uint64_t k = 1; k <= 3; k++) { // another seed may need fewer
            Params q = p;
            q.seed = p.seed + k, q.episodes = p.episodes / 2;
            if (q.episodes)
                better |= smaller(q);
        }
    }
    printf("shrunk in %u runs: %s\n%s\n", tries, p.text().c_str(), first.line.c_str());
    return p;
}
#endif
