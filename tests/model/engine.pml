/* SPDX-License-Identifier: Apache-2.0
 * The slices' write-back of a page, and both page-move engines (rtl/rdma/rdma_push.sv, rdma_store.sv): orders, the line
 * on the link and its answer, reports in any order.  A command may be refused, a line not be read or not be stored:
 * FAULTS times.
 */
proctype leaves(byte v) /* of move v, at its home */
{
end:
    do
    :: d_step { fl[v] == 1 || fl[v] == 4 ->
           if
           :: lv[from[v]] == 2 -> dram[from[v]] = d2[from[v]]
           :: else
           fi;
           lv[from[v]] = 0;
           d2[from[v]] = 0;
           fl[v] = (fl[v] == 1 -> 2 : 0) }
    :: d_step { fl[v] == 1 && faults < FAULTS -> faults++; fl[v] = 3 }
    :: d_step { pe[v] == 1 -> pd[v] = VALUE(from[v]); pe[v] = 2 }
    :: d_step { pe[v] == 1 && faults < FAULTS -> faults++; pe[v] = 4 } /* refused, or a line could not be read */
    :: d_step { pe[v] == 2 -> /* written through: DRAM has it, and the slice may keep it */
           dram[to[v]] = pd[v];
           lv[to[v]] = 1;
           d2[to[v]] = pd[v];
           arrived[GPU_OF(to[v])] = 1;
           pd[v] = 0;
           pe[v] = 3 }
    :: d_step { pe[v] == 2 && faults < FAULTS -> faults++;
           arrived[GPU_OF(to[v])] = 1;
           lost[GPU_OF(to[v])] = 1;
           pd[v] = 0;
           pe[v] = 4 }
    od
}

proctype comes(byte g)
{
end:
    do
    :: d_step { cmd[g] & 1 -> cmd[g] = cmd[g] - 1; told[g] = 1 }
    :: d_step { (cmd[g] & 1) && faults < FAULTS -> faults++; cmd[g] = cmd[g] - 1; rep_store[g] = 3 }
    :: d_step { told[g] && arrived[g] ->
           rep_store[g] = (lost[g] -> 2 : 1);
           told[g] = 0;
           arrived[g] = 0;
           lost[g] = 0 }
    :: d_step { cmd[g] == 2 -> cmd[g] = 0; rep_clear[g] = 1; told[g] = 0; arrived[g] = 0; lost[g] = 0 }
    od
}
