/* SPDX-License-Identifier: Apache-2.0
 * Places in the ROCm runtime's tables of functions for tools (hsa_api_trace.h, which is C++).  Within a major version
 * they grow at their ends only; between 1 and 3 those of the core and of images did, too. Test:
 * tests/sw/shim/test_runtime_table.py.
 */
#ifndef GANTRY_SHIM_RUNTIME_H
#define GANTRY_SHIM_RUNTIME_H

enum shim_core { /* CoreApiTable */
                 SHIM_QUEUE_READ_SCACQUIRE = 11,
                 SHIM_QUEUE_READ_RELAXED = 12,
                 SHIM_QUEUE_WRITE_RELAXED = 14,
                 SHIM_MEMORY_COPY = 35,
                 SHIM_SIGNAL_LOAD_RELAXED = 39,
                 SHIM_SIGNAL_LOAD_SCACQUIRE = 40,
                 SHIM_SIGNAL_WAIT_RELAXED = 43,
                 SHIM_SIGNAL_WAIT_SCACQUIRE = 44,
                 SHIM_CORE_USED
};

enum shim_image { /* ImageExtTable: from its first on */
                  SHIM_SAMPLER_CREATE = 8,
                  SHIM_SAMPLER_DESTROY = 9
};

enum shim_amd { /* AmdExtTable of interface 1 (ROCr 5.2.3) and 3 (6.1.2), which has two more in front */
                SHIM_AMD_IMAGE_CREATE_1 = 25,
                SHIM_AMD_IMAGE_CREATE_3 = 27
};
#endif
