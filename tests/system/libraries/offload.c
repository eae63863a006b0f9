/* SPDX-License-Identifier: Apache-2.0
 * OpenMP target regions: maps, reductions, atomics, nested loops, functions of the device, resident data with updates.
 * The program ends with _Exit: at an ordinary exit libomptarget 15 (__tgt_unregister_lib, called by the last
 * destructors) asks the ROCm runtime about an agent whose memory is free by then, and crashes; the driver has no part
 * in it.
 */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000, SIDE = 24 };
static int wrong;

static void check(const char *what, int good)
{
    if (!good)
        printf("offload: %s: wrong\n", what);
    wrong += !good;
}

#pragma omp declare target
static unsigned mixed(unsigned x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    return x ^ x >> 15;
}
static int scale = 3;
#pragma omp end declare target

static void device(void)
{
    int host = -1, teams = 0;
#pragma omp target map(from : host)
    host = omp_is_initial_device();
#pragma omp target teams num_teams(4) thread_limit(64) map(tofrom : teams)
#pragma omp parallel
    if (omp_get_thread_num() == 0) {
#pragma omp atomic
        teams += 1 + omp_get_team_num();
    }
    check("device", omp_get_num_devices() > 0 && !host);
    check("teams", teams == 10);
}

static void maps_and_reduction(void)
{
    static unsigned a[N], b[N];
    unsigned sum = 0, wanted = 0, most = 0;
    int good = 1;
    for (unsigned i = 0; i < N; i++)
        a[i] = i * 2654435761u;
#pragma omp target teams distribute parallel for map(to : a) map(from : b) reduction(+ : sum) reduction(max : most)
    for (unsigned i = 0; i < N; i++) {
        b[i] = mixed(a[i]) * (unsigned)scale;
        sum += b[i];
        most = b[i] > most ? b[i] : most;
    }
    for (unsigned i = 0; i < N; i++) {
        wanted += b[i];
        good &= b[i] == mixed(a[i]) * 3 && b[i] <= most;
    }
    check("map", good);
    check("reduction", sum == wanted);
}

static void matrix(void)
{
    static double a[SIDE][SIDE], b[SIDE][SIDE], c[SIDE][SIDE];
    int good = 1;
    for (int i = 0; i < SIDE * SIDE; i++) {
        a[i / SIDE][i % SIDE] = i % 13 - 6;
        b[i / SIDE][i % SIDE] = i % 7 * 0.5;
    }
#pragma omp target data map(to : a, b) map(from : c)
    {
        for (int repeat = 1; repeat <= 2; repeat++) {
#pragma omp target teams distribute parallel for collapse(2)
            for (int i = 0; i < SIDE; i++)
                for (int j = 0; j < SIDE; j++) {
                    double sum = 0;
                    for (int k = 0; k < SIDE; k++)
                        sum += a[i][k] * b[k][j];
                    c[i][j] = sum * repeat;
                }
        }
        a[0][0] = 100;
#pragma omp target update to(a [0:1])
#pragma omp target
        c[0][0] = a[0][0] + sqrt(b[0][1] + 0.5);
    }
    for (int i = 1; i < SIDE * SIDE; i++) {
        double sum = 0;
        for (int k = 0; k < SIDE; k++)
            sum += (i / SIDE || k ? a[i / SIDE][k] : -6) * b[k][i % SIDE];
        good &= c[i / SIDE][i % SIDE] == sum * 2;
    }
    check("matrix", good);
    check("update", c[0][0] == 101);
}

static void histogram(void)
{
    int bins[16] = {0}, wanted[16] = {0}, good = 1;
#pragma omp target teams distribute parallel for map(tofrom : bins)
    for (unsigned i = 0; i < N; i++) {
#pragma omp atomic
        bins[mixed(i) % 16]++;
    }
    for (unsigned i = 0; i < N; i++)
        wanted[mixed(i) % 16]++;
    for (int i = 0; i < 16; i++)
        good &= bins[i] == wanted[i];
    check("histogram", good);
}

int main(void)
{
    device();
    maps_and_reduction();
    matrix();
    histogram();
    printf("offload: %s: %d values\n", wrong ? "FAILED" : "PASSED", 7);
    fflush(stdout);
    _Exit(wrong != 0);
}
