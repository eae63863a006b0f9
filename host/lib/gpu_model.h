/* SPDX-License-Identifier: Apache-2.0
 * GPUs that the library's caller simulates (gantry_options.gpu_model), as host/target/external.h has them.
 */
#ifndef GANTRY_LIB_GPU_MODEL_H
#define GANTRY_LIB_GPU_MODEL_H

struct gantry_machine;

/* m->gpu_model is copied and checked: the machine's options name it. */
void gpu_model_open(struct gantry_machine *m);
#endif
