/* SPDX-License-Identifier: Apache-2.0
 * Faults in words: what stopped a queue or a wavefront, where in which kernel.  Not responsible for: what happens then
 * (address_space.c), source lines and allocations (host/driver).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "base/text.h"
#include "firmware/cp_private.h"
#include "isa/disasm.h"
#include "isa/gcn3.h"

#define NAME_SHOWN 480u                   /* a fault's line has 1,024 bytes */
#define KERNEL_BYTES (UINT64_C(16) << 20) /* code farther behind an entry belongs to something else */

const char *cp_error_text(uint32_t code)
{
    switch (code) {
    case CP_ERROR_SCRATCH:
        return "scratch memory wanted, and no signal to ask for it";
    case CP_ERROR_DIMS:
        return "bad grid or work-group dimensions";
    case CP_ERROR_LDS:
        return "work-group needs more LDS than a CU has";
    case CP_ERROR_CODE:
        return "bad kernel object";
    case CP_ERROR_PACKET:
        return "bad packet";
    case CP_ERROR_GROUP:
        return "work-group too large";
    case CP_ERROR_REGISTERS:
        return "work-group needs more registers than a CU has";
    case CP_ERROR_VENDOR:
        return "bad vendor-specific packet";
    case CP_ERROR_APERTURE:
        return "misaligned access or access outside an aperture";
    case CP_ERROR_ILLEGAL:
        return "illegal instruction";
    case CP_ERROR_TRAP:
        return "trap";
    default:
        return "unknown error";
    }
}

/* Behind the n characters that stand in text: " at pc P, CU C wavefront W: disassembly (instruction 0x...)".  A memory
 * access fails while its wavefront goes on, as on hardware: P is the access all the same.  Without disassembly where
 * the fetch failed. */
static void place_text(int n, const struct msg_cp_evt *evt, bool fetched, char *text, size_t room)
{
    if ((size_t)n >= room)
        return;
    n += snprintf(text + n, room - n, " at pc 0x%llx, CU %u wavefront %u", (unsigned long long)evt->pc, evt->cu,
                  evt->wave);
    if (!fetched || (size_t)n >= room)
        return;
    char code_text[160] = "";
    struct disasm *d = disasm_new();
    bool known = d && disasm_text(d, evt->pc, evt->data, code_text, sizeof code_text);
    disasm_free(d);
    snprintf(text + n, room - n, ": %s (instruction 0x%016llx)", known ? code_text : "unknown to LLVM",
             (unsigned long long)evt->data);
}

void cp_fault_text(unsigned gpu, uint32_t code, const struct msg_cp_evt *evt, char *text, size_t room)
{
    int n = snprintf(text, room, "gpu%u: %s", gpu, cp_error_text(code));
    if (evt)
        place_text(n, evt, true, text, room);
    size_t used = strlen(text);
    if (!evt || code != CP_ERROR_ILLEGAL)
        return;
    char why[96];
    gcn3_why_text(evt->data, evt->va & 0xffff, evt->va >> 16 & 0xffff, why, sizeof why);
    if (*why)
        snprintf(text + used, room - used, ": %s", why);
}

void cp_memory_fault_text(unsigned gpu, const struct msg_cp_evt *evt, char *text, size_t room)
{
    static const char *const why[] = {"access", "page not present", "page is read-only", "page is not executable",
                                      "nobody owns the memory"};
    int n = snprintf(text, room, "gpu%u: memory fault at address 0x%llx: %s", gpu, (unsigned long long)evt->va,
                     why[evt->status < 5 ? evt->status : 0]);
    if (evt->kind != CP_EVT_FAULT && (size_t)n < room)
        snprintf(text + n, room - (size_t)n, ": inactive signal of a queue that has stopped");
    else if (evt->kind == CP_EVT_FAULT)
        place_text(n, evt, evt->va != evt->pc, text, room);
}

/* Without the PC: a wavefront that a trap handler has halted has left its own. */
void cp_halt_text(unsigned gpu, const struct msg_cp_evt *evt, char *text, size_t room)
{
    snprintf(text, room, "gpu%u: a wavefront has halted itself, as after a trap, CU %u wavefront %u", gpu, evt->cu,
             evt->wave);
}

static void group_text(const struct cp *cp, const struct job *job, const struct msg_cp_evt *evt, char *text,
                       size_t room)
{
    uint32_t group[3];
    unsigned known = sim_group(cp->sim, cp->gpu, evt, &job->launch, group);
    size_t n = 0;
    for (unsigned d = 0; d < 3 && n < room; d++)
        n += (size_t)(known >> d & 1 ? snprintf(text + n, room - n, "%s%u", d ? "," : "", group[d])
                                     : snprintf(text + n, room - n, "%s?", d ? "," : ""));
}

/* Of a packet's kernel, as the source names it; the middle of a long one gives way to the rest of the line.  New. */
static char *plain_name(struct cp_space *space, const uint8_t *packet)
{
    char *plain = symbol_plain(kernel_name(space, get64(packet + AQL_OBJECT)));
    char *shown = text_shortened(plain, NAME_SHOWN);
    free(plain);
    return shown;
}

void cp_place_text(struct cp *cp, const struct msg_cp_evt *evt, const char *source, char *text, size_t room)
{
    const struct job *job = job_of(cp, evt->id);
    size_t used = strlen(text);
    char offset[32] = "", group[48];
    if (evt->kind != CP_EVT_FAULT && evt->kind != CP_EVT_HALT)
        return;
    if (!job || job->state == JOB_FREE || packet_type(job->packet) != AQL_KERNEL)
        return;
    char *plain = plain_name(job->space, job->packet);
    if (evt->kind == CP_EVT_FAULT && evt->pc - job->launch.pc < KERNEL_BYTES)
        snprintf(offset, sizeof offset, "+0x%llx", (unsigned long long)(evt->pc - job->launch.pc));
    group_text(cp, job, evt, group, sizeof group);
    snprintf(text + used, room - used, "; in %s%s%s%s%s, work-group %s", plain, offset, *source ? " (" : "", source,
             *source ? ")" : "", group);
    free(plain);
}

static const struct cp_queue *queue_find(const struct cp *cp, unsigned number)
{
    const struct cp_queue *queue = cp->queues;
    while (queue && queue->args.number != number)
        queue = queue->next_queue;
    return queue;
}

void cp_limit_text(const struct cp *cp, unsigned number, uint32_t code, char *text, size_t room)
{
    const struct cp_queue *queue = queue_find(cp, number);
    const struct cp_config *c = &cp->config;
    const size_t used = strlen(text);
    if (!queue || used >= room)
        return;
    const struct msg_cp_cmd *cmd = &queue->fetch.launch; /* as far as it was built */
    const uint64_t items = (uint64_t)cmd->group[0] * cmd->group[1] * cmd->group[2];
    const uint32_t per_simd = (cmd->waves + c->simds - 1) / c->simds;
    text += used, room -= used;
    if (code == CP_ERROR_GROUP && items > GROUP_MAX)
        snprintf(text, room, ": %llu work-items, at most %u", (unsigned long long)items, GROUP_MAX);
    else if (code == CP_ERROR_GROUP && per_simd > c->waves_per_simd)
        snprintf(text, room, ": %u wavefronts, a CU has room for %u", cmd->waves, c->simds * c->waves_per_simd);
    else if (code == CP_ERROR_GROUP)
        snprintf(text, room, ": %u wavefronts, there is scratch memory for %u", cmd->waves, cmd->scratch_waves);
    else if (code == CP_ERROR_REGISTERS && per_simd * cmd->vgprs > c->vgprs_per_simd)
        snprintf(text, room, ": %u wavefronts a SIMD of %u VGPRs each, it has %u", per_simd, cmd->vgprs,
                 c->vgprs_per_simd);
    else if (code == CP_ERROR_REGISTERS)
        snprintf(text, room, ": %u wavefronts a SIMD of %u SGPRs each, it has %u", per_simd, cmd->sgprs,
                 c->sgprs_per_simd);
    else if (code == CP_ERROR_LDS)
        snprintf(text, room, ": %u bytes, it has %u", cmd->lds_bytes, c->lds_bytes);
}

void cp_packet_text(struct cp *cp, unsigned number, char *text, size_t room)
{
    const struct cp_queue *queue = queue_find(cp, number);
    uint8_t packet[AQL_BYTES];
    size_t used = strlen(text);
    uint64_t slot = queue ? queue_slot(queue, queue->next) : 0;
    if (!queue || !peek_for_report(queue->space, slot, packet, sizeof packet))
        return;
    used += (size_t)snprintf(text + used, room - used, "; packet %llu", (unsigned long long)queue->next);
    if (packet_type(packet) != AQL_KERNEL || used >= room)
        return;
    char *plain = plain_name(queue->space, packet);
    snprintf(text + used, room - used, ": %s, grid %u,%u,%u, work-group %u,%u,%u, %u bytes of LDS, %u bytes of scratch",
             plain, get32(packet + 0xc), get32(packet + 0x10), get32(packet + 0x14), get16(packet + 4),
             get16(packet + 6), get16(packet + 8), get32(packet + 0x1c), get32(packet + 0x18));
    free(plain);
}
