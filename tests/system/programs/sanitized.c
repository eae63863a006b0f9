/* SPDX-License-Identifier: Apache-2.0
 * A program with a sanitizer (tests/system/test_sanitized.py): two threads fill a buffer of the GPU and one of the host
 * and compare, with code and copies that the sanitizer looks at; a time and a sleep.  Argument "beyond": then reads
 * beyond memory of its own; "plain": nothing after.
 */
#define __HIP_PLATFORM_AMD__
#include <hip/hip_runtime_api.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SIZE 40000

static void *use(void *arg)
{
    const int value = (int)(long)arg;
    char *own = malloc(SIZE), *device, *host;
    long wrong = hipMalloc((void **)&device, SIZE) || hipHostMalloc((void **)&host, SIZE, 0);
    if (wrong)
        return (void *)1;
    wrong += hipMemset(device, value, SIZE) != hipSuccess;
    wrong += hipMemcpy(host, device, SIZE, hipMemcpyDeviceToHost) != hipSuccess;
    for (int i = 0; i < SIZE; i++) {
        wrong += host[i] != (char)value;
        own[i] = (char)(i * value);
    }
    memcpy(host, own, SIZE);
    wrong += hipMemcpy(device, own, SIZE, hipMemcpyHostToDevice) != hipSuccess;
    memset(own, 0, SIZE);
    wrong += hipMemcpy(own, device, SIZE, hipMemcpyDeviceToHost) != hipSuccess;
    wrong += memcmp(own, host, SIZE) != 0;
    wrong += hipFree(device) != hipSuccess || hipHostFree(host) != hipSuccess;
    free(own);
    return (void *)wrong;
}

int main(int argc, char **argv)
{
    pthread_t thread[2];
    void *wrong;
    long all = 0;
    for (long i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, use, (void *)(i * 3 + 2));
    for (int i = 0; i < 2; i++) {
        pthread_join(thread[i], &wrong);
        all += (long)wrong;
    }
    struct timespec now, pause = {0, 1000};
    nanosleep(&pause, NULL);
    clock_gettime(CLOCK_REALTIME, &now);
    printf("year %d\n", gmtime(&now.tv_sec)->tm_year + 1900);
    printf("sanitized: %s\n", all ? "FAILED" : "PASSED");
    fflush(stdout);
    if (argc > 1 && strcmp(argv[1], "beyond") == 0) {
        volatile char *few = malloc(10);
        all = few[10 + argc - 2];
    }
    return all != 0;
}
