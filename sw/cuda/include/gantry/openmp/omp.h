/* SPDX-License-Identifier: Apache-2.0
 * OpenMP's functions for .cu files where clang has no omp.h of its own; gcc's libgomp has them. Pragmas of .cu files
 * are not seen then.
 */
#ifndef GANTRY_OMP_H
#define GANTRY_OMP_H
#ifdef __cplusplus
extern "C" {
#endif
typedef struct omp_lock_t {
    unsigned char bytes[4];
} omp_lock_t;
typedef struct omp_nest_lock_t {
    unsigned char bytes[16] __attribute__((aligned(8)));
} omp_nest_lock_t;
extern void omp_set_num_threads(int);
extern int omp_get_num_threads(void);
extern int omp_get_max_threads(void);
extern int omp_get_thread_num(void);
extern int omp_get_num_procs(void);
extern int omp_in_parallel(void);
extern void omp_set_dynamic(int);
extern int omp_get_dynamic(void);
extern void omp_set_nested(int);
extern int omp_get_nested(void);
extern int omp_get_thread_limit(void);
extern int omp_get_level(void);
extern double omp_get_wtime(void);
extern double omp_get_wtick(void);
extern void omp_init_lock(omp_lock_t *);
extern void omp_destroy_lock(omp_lock_t *);
extern void omp_set_lock(omp_lock_t *);
extern void omp_unset_lock(omp_lock_t *);
extern int omp_test_lock(omp_lock_t *);
extern void omp_init_nest_lock(omp_nest_lock_t *);
extern void omp_destroy_nest_lock(omp_nest_lock_t *);
extern void omp_set_nest_lock(omp_nest_lock_t *);
extern void omp_unset_nest_lock(omp_nest_lock_t *);
#ifdef __cplusplus
}
#endif
#endif
