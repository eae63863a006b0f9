/* SPDX-License-Identifier: Apache-2.0
 * Why an instruction is illegal, for the message of its fault.  Not responsible for: deciding that (decode.c, step.c).
 */
#include <stdio.h>

#include "isa/gcn3.h"

static void source_text(const struct gcn3_inst *i, unsigned n, char *text, size_t room)
{
    unsigned code = i->src[n], width = i->srcw[n];
    if (n == 2 && i->src2_mask)
        snprintf(text, room, "source 2 is no lane mask in scalar registers");
    else if (code >= SREG_VGPR)
        snprintf(text, room, "source %u cannot be %u registers from v%u on", n, width, code - SREG_VGPR);
    else if (code < 128)
        snprintf(text, room, "source %u cannot be %u registers from scalar code %u on", n, width, code);
    else
        snprintf(text, room, "source %u cannot have code %u", n, code);
}

void gcn3_why_text(uint64_t inst, unsigned vgprs, unsigned sgprs, char *text, size_t room)
{
    static const char *const words[] = {
        [WHY_NONE] = "",
        [WHY_OPCODE] = "unknown opcode",
        [WHY_GDS] = "there is no global data share (gds)",
        [WHY_TFE] = "no partially resident textures (tfe)",
        [WHY_LDS] = "the lds bit does not fit this instruction",
        [WHY_SDWA] = "it has no SDWA form",
        [WHY_DPP] = "it has no DPP form",
        [WHY_CONTROL] = "reserved value in the SDWA or DPP word",
        [WHY_SCALARS] = "two different scalars in one vector instruction",
    };
    struct gcn3_inst i;
    gcn3_decode(inst, &i);
    if (i.illegal && i.why >= WHY_SOURCE)
        source_text(&i, i.why - WHY_SOURCE, text, room);
    else if (i.why == WHY_VDST)
        snprintf(text, room, "destination cannot be %u registers from v%u on", i.vdst_w, i.vdst);
    else if (i.why == WHY_SDST)
        snprintf(text, room, "destination cannot be %u registers from scalar code %u on", i.sdst_w, i.sdst);
    else if (i.why == WHY_RESOURCE)
        snprintf(text, room, "buffer resource cannot be 4 registers from scalar code %u on", i.srsrc);
    else if (i.illegal)
        snprintf(text, room, "%s", words[i.why]);
    else if (i.vgprs > vgprs)
        snprintf(text, room, "v%u is beyond the %u VGPRs of the wavefront", i.vgprs - 1, vgprs);
    else if (i.sgprs > sgprs)
        snprintf(text, room, "s%u is beyond the %u SGPRs of the wavefront", i.sgprs - 1, sgprs);
    else
        snprintf(text, room, "%s", "");
}
