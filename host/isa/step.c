/* SPDX-License-Identifier: Apache-2.0
 * One instruction of a wavefront: fetch, decode, execute by unit; messages, waits and the end of a program.
 */
#include "gantry_msg.h"
#include "isa/salu.h"
#include "isa/trap.h"

static int internal_execute(struct gcn3_wave *w, const struct gcn3_env *env, const struct gcn3_inst *i)
{
    switch (i->op) {
    case OP_S_ENDPGM:
    case OP_S_ENDPGM_SAVED:
        w->ended = true;
        break;
    case OP_S_BARRIER:
        w->at_barrier = true;
        break;
    case OP_S_SETHALT:
        w->halt = i->simm16 & 1;
        break;
    case OP_S_SETPRIO:
        w->prio = i->simm16 & 3;
        break;
    case OP_S_SLEEP:
        if (env->yield)
            env->yield(env->ctx, w);
        break;
    }
    return 0; /* s_nop, s_waitcnt, ... */
}

static int message_execute(struct gcn3_wave *w, const struct gcn3_env *env, const struct gcn3_inst *i)
{
    if (i->op == OP_S_TRAP)
        return trap_execute(w, i->simm16 & 255);
    if ((i->simm16 & 15) == 1)
        env->interrupt(env->ctx, w);
    return 0;
}

int gcn3_execute(struct gcn3_wave *w, const struct gcn3_env *env, const struct gcn3_inst *i)
{
    uint64_t pc = w->pc;
    int fault = 0;
    if (i->vgprs > w->vgprs || i->sgprs > w->sgprs) /* registers of others, or of nobody */
        return FAULT_ILLEGAL;
    w->pc = pc + 4 * i->len;
    switch (i->unit) {
    case UNIT_SALU:
        salu_execute(w, i);
        break;
    case UNIT_BRANCH:
        branch_execute(w, i);
        break;
    case UNIT_VALU:
        fault = valu_execute(w, i);
        break;
    case UNIT_LDS:
        lds_execute(w, i);
        break;
    case UNIT_FLAT:
    case UNIT_MUBUF:
        fault = mem_execute(w, env, i);
        break;
    case UNIT_SMEM:
        fault = smem_execute(w, env, i);
        break;
    case UNIT_INTERNAL:
        fault = internal_execute(w, env, i);
        break;
    case UNIT_MSG:
        fault = message_execute(w, env, i);
        break;
    default:
        fault = FAULT_ILLEGAL;
    }
    if (fault) {
        w->pc = pc;
        return fault;
    }
    if (i->privileged)
        trap_guard(w);
    w->instructions++;
    return 0;
}

int gcn3_step(struct gcn3_wave *w, const struct gcn3_env *env)
{
    uint64_t dwords;
    struct gcn3_inst inst;
    int fault = env->fetch(env->ctx, w, w->pc, &dwords);
    if (fault) {
        w->fault_va = w->pc;
        return fault;
    }
    gcn3_decode(dwords, &inst);
    return gcn3_execute(w, env, &inst);
}
