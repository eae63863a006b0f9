/* SPDX-License-Identifier: Apache-2.0
 * A library that opens the GPU in its constructor, as clang's libomptarget does: that runs before the constructors of
 * libraries that were loaded before it, the shim's among them.  Built twice: with -DLIBRARY the library (linked with
 * libhsa-runtime64), without it the program (linked with the library), which goes on using what it opened.
 */
#include <stdio.h>

#include <hsa/hsa.h>

extern hsa_status_t early_status;

#ifdef LIBRARY
hsa_status_t early_status = HSA_STATUS_ERROR;

__attribute__((constructor)) static void early(void)
{
    early_status = hsa_init();
}
#else
static hsa_status_t gpu_find(hsa_agent_t agent, void *found)
{
    hsa_device_type_t type;
    const hsa_status_t status = hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
    if (status == HSA_STATUS_SUCCESS && type == HSA_DEVICE_TYPE_GPU)
        *(hsa_agent_t *)found = agent;
    return status;
}

int main(void)
{
    hsa_agent_t gpu = {0};
    hsa_queue_t *queue = NULL;
    hsa_status_t status = early_status;
    if (status == HSA_STATUS_SUCCESS)
        status = hsa_iterate_agents(gpu_find, &gpu);
    if (status == HSA_STATUS_SUCCESS) /* an ioctl on the descriptor that the constructor opened */
        status = hsa_queue_create(gpu, 64, HSA_QUEUE_TYPE_MULTI, NULL, NULL, UINT32_MAX, UINT32_MAX, &queue);
    if (status == HSA_STATUS_SUCCESS)
        status = hsa_queue_destroy(queue);
    if (status == HSA_STATUS_SUCCESS)
        status = hsa_shut_down();
    printf("early: %s (%x)\n", status == HSA_STATUS_SUCCESS ? "PASSED" : "FAILED", status);
    return status != HSA_STATUS_SUCCESS;
}
#endif
