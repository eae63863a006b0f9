/* SPDX-License-Identifier: Apache-2.0
 * gantry cuda-path: the folder with bin/nvcc, include and lib64, for makefiles of CUDA programs (docs/cuda.md).
 */
#include <stdio.h>
#include <unistd.h>

#include "base/log.h"
#include "cli/cli.h"
#include "config/config.h"

int cmd_cuda_path(int argc, char **argv)
{
    char folder[4096], compiler[4096 + 16];

    if (argc > 1) {
        diag("cuda-path", "unexpected argument %s", argv[1]);
        return status_exit(STATUS_USAGE);
    }
    snprintf(folder, sizeof(folder), "%s/build/cuda", config_root());
    snprintf(compiler, sizeof(compiler), "%s/bin/nvcc", folder);
    if (access(compiler, X_OK) != 0) {
        diag(folder, "is not made yet: make cuda");
        return status_exit(STATUS_MISSING);
    }
    puts(folder);
    if (fflush(stdout) != 0) {
        diag("stdout", "%m");
        return status_exit(STATUS_IO);
    }
    return 0;
}
