/* SPDX-License-Identifier: Apache-2.0
 * Stop watches with the names that programs of the CUDA samples use: milliseconds of gettimeofday.
 */
#ifndef GANTRY_HELPER_TIMER_H
#define GANTRY_HELPER_TIMER_H
#include <stddef.h>
#include <sys/time.h>
class StopWatchInterface
{
  public:
    double begun = 0, total = 0;
    int sessions = 0;
    bool running = false;

    static double now()
    {
        struct timeval t;
        gettimeofday(&t, NULL);
        return t.tv_sec * 1e3 + t.tv_usec * 1e-3;
    }
    void start()
    {
        begun = now();
        running = true;
    }
    void stop()
    {
        total += running ? now() - begun : 0;
        sessions++;
        running = false;
    }
    void reset()
    {
        begun = now();
        total = 0;
        sessions = 0;
    }
    float getTime() { return (float)(total + (running ? now() - begun : 0)); }
    float getAverageTime() { return sessions ? (float)(total / sessions) : 0.0f; }
};
static inline bool sdkCreateTimer(StopWatchInterface **timer)
{
    return (*timer = new StopWatchInterface) != NULL;
}
static inline bool sdkDeleteTimer(StopWatchInterface **timer)
{
    delete *timer;
    *timer = NULL;
    return true;
}
static inline bool sdkStartTimer(StopWatchInterface **timer)
{
    return (*timer)->start(), true;
}
static inline bool sdkStopTimer(StopWatchInterface **timer)
{
    return (*timer)->stop(), true;
}
static inline bool sdkResetTimer(StopWatchInterface **timer)
{
    return (*timer)->reset(), true;
}
static inline float sdkGetTimerValue(StopWatchInterface **timer)
{
    return (*timer)->getTime();
}
static inline float sdkGetAverageTimerValue(StopWatchInterface **timer)
{
    return (*timer)->getAverageTime();
}
#endif
