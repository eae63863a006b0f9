/* SPDX-License-Identifier: Apache-2.0
 * The C ABI of a verilated partition kind: one shared library a kind and parameter set, made by
 * sw/tools/builder/models.py from a generated table and bridge/verilated/model.hpp.  Responsible for: the shape.  No
 * C++ type crosses it.  Inputs and outputs are numbered: first the lanes of every input (output) port in the order of
 * partitions.yaml, then the credit pulses that come back for outputs (inputs).
 */
#ifndef GANTRY_MODEL_H
#define GANTRY_MODEL_H
#include <stdbool.h>
#include <stdint.h>

#include "bridge/part/window.h"
#include "saved/state.h"

#define MODEL_ABI 7

struct model_port {
    const char *name;
    uint8_t out, credit;
    uint16_t count;       /* lanes */
    uint32_t bytes;       /* of a message */
    uint32_t slot;        /* of lane 0: input number (out = 0) or output number */
    uint32_t credit_slot; /* of lane 0: output number (out = 0) or input number */
};
struct model_counter {
    const char *block, *name, *unit;
};
/* What shows a counter: perf_addr_i, and perf_part_i of a whole GPU (else 0).  Behind the counters' one for the strap
 * of each partition inside (of one: its own). */
struct model_ask {
    uint8_t part, address;
};
struct model_obs {
    const char *name;
    uint32_t bytes; /* of the packed struct, rounded up to whole words as Verilator stores it */
    uint16_t count;
};
struct model_sink {
    void *ctx;
    void (*send)(void *ctx, uint32_t slot, uint64_t cycle, const void *message);
    void (*observe)(void *ctx, uint32_t port, uint32_t lane, uint64_t cycle, const void *data);
};
struct model_api {
    uint32_t abi;
    const char *kind;
    const struct model_port *ports;
    const struct model_counter *counters;
    const struct model_ask *asks; /* of each counter, then of straps */
    const struct model_obs *obs;
    uint32_t port_count, counter_count, obs_count, ins, outs;
    /* api: this one, so that it may be part of something larger.  seed: of --x-initial unique models; else without
     * effect.  The model has gone through reset and stands at cycle 0.  NULL (of boards only): it cannot be had. */
    void *(*create)(const struct model_api *api, const char *name, uint16_t id, uint64_t seed);
    void (*destroy)(void *model);
    /* Run cycles [from, from + PART_WINDOW): due[c], count[c] are the messages of cycle from + c.  Idle cycles are not
     * evaluated unless no_skip.  Returns true when the model is idle at the end. */
    bool (*step)(void *model, uint64_t from, struct part_in *const *due, const uint32_t *count, bool no_skip,
                 const struct model_sink *sink);
    uint64_t (*evaluated)(const void *model);           /* cycles evaluated so far */
    uint64_t (*counter)(void *model, uint32_t address); /* takes a clock edge: while held, or at the end */
    uint64_t (*shown)(const void *model); /* perf_data_o while no counter is read: takes no clock edge, any time */
    /* perf_data_o while counting is off, for address `what` (CUs: where a wavefront is); takes three to ten clock
     * edges, as above. */
    uint64_t (*look)(void *model, uint32_t what);
    void (*observe)(void *model, bool on);
    bool (*trace)(void *model, const char *file, uint64_t from, uint64_t to); /* NULL: compiled without tracing */
    /* The whole state between two steps, registers and the wrapper's own: equal bytes for equal states.  restore, into
     * an instance of the same library, is false when the bytes end early or are not a state of this library: the
     * instance is then good for destroy only.  NULL: `unsavable` says why. */
    void (*save)(void *model, struct state_writer *to);
    bool (*restore)(void *model, struct state_reader *from);
    /* Between hold and release counter and look may be asked at any time between two steps: release leaves the model as
     * hold has found it, bit by bit.  NULL: as save. */
    void (*hold)(void *model);
    void (*release)(void *model);
    /* Called on a failed assertion of the RTL; must not return. */
    void (*set_bug)(void (*bug)(const char *name, uint64_t cycle, const char *text));
    const char *unsavable; /* why save is NULL */
};
/* The library's only symbol. */
#ifdef __cplusplus
extern "C"
#endif
    const struct model_api *
    gantry_model(void);
#endif
