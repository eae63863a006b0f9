/* SPDX-License-Identifier: Apache-2.0
 * What a GPU does with its translations and accesses: wavefronts (one access at a time), TLBs and page walker, withheld
 * translations; its command processor: writes of page tables, shoot-downs, answers, accesses of its own.
 */
#define LOAD 1
#define STORE 2
#define ATOMIC 3
#define OWN 4 /* an atomic of the command processor */

inline access_ends()
{
    fly[g] = NONE;
    flyp[g] = NONE;
    token[p] = 0;
    running--;
    p = 0;
    kind = 0
}

proctype gpu(byte g)
{
    byte p, w, kind;
end:
    atomic {
        if
        :: alive[0] == 1 && !token[0] && (PUSHED || !under_way) -> p = 0
#if P > 1
        :: alive[1] == 1 && !token[1] && (PUSHED || !under_way) -> p = 1
#endif
        fi;
        token[p] = 1;
        running++;
        l1[g] = 0; /* acquire */
        if
        :: kind = ATOMIC
        :: kind = LOAD
        :: kind = OWN
        fi
    };
    if
    :: d_step { kind == OWN -> /* by the host's view of page tables; one to a locked page waits (access.c, deferred.c) */
           fwp[g] = p;
           fww[g] = SEEN(g, p) == LOCKED && BUG != 9;
           flt[p] = (FIRST(g, p) -> flt[p] | (1 << g) : flt[p]);
           fww[g] = fww[g] || FIRST(g, p);
           fwf[g] = (SEEN(g, p) < NF -> view[p] : (BUG == 9 -> home[p] : NONE)) };
        goto waits
    :: else
    fi;
translate:
    if
    :: d_step { tlb[X(g, p)] != NONE -> fly[g] = tlb[X(g, p)]; flyp[g] = p }
    :: d_step { tlb[X(g, p)] == NONE -> w = pte[X(g, p)]; walks[g] = p + 1 };
        if
        :: d_step { old[g] && !(BUG == 1 && w < NF) -> w = 0; old[g] = 0; walks[g] = 0 }; goto translate
        :: d_step { (!old[g] || BUG == 1) && w < NF ->
               tlb[X(g, p)] = w;
               fly[g] = w;
               flyp[g] = p;
               w = 0;
               old[g] = 0;
               walks[g] = 0 }
        :: d_step { !old[g] && (w == LOCKED || (LAZY && w == ABSENT)) -> wh[X(g, p)] = 1; rep[X(g, p)] = 1; w = 0; walks[g] = 0 };
            if
            :: d_step { again[X(g, p)] == 1 -> again[X(g, p)] = 0; wh[X(g, p)] = 0 }; goto translate
            :: d_step { again[X(g, p)] == 2 -> again[X(g, p)] = 0; wh[X(g, p)] = 0; access_ends() }; goto end
            fi
        :: d_step { !old[g] && !LAZY && w == ABSENT -> w = 0; walks[g] = 0; access_ends() }; goto end /* a fault */
        fi
    fi;
    if
    :: d_step { kind == LOAD -> perform(g, p, fly[g], 1, 0); fly[g] = NONE; flyp[g] = NONE; kind = STORE }; goto translate
    :: d_step { kind != LOAD -> perform(g, p, fly[g], kind == ATOMIC, 1); access_ends() }; goto end
    fi;
waits:
    if
    :: d_step { fww[g] && fwk[g] -> fwk[g] = 0;
           fww[g] = SEEN(g, p) == LOCKED || FIRST(g, p);
           flt[p] = (FIRST(g, p) -> flt[p] | (1 << g) : flt[p]);
           fwf[g] = (SEEN(g, p) < NF -> view[p] : NONE) };
        goto waits
    :: d_step { fwf[g] != NONE -> perform(g, p, fwf[g], 1, 1); fwf[g] = NONE; fwp[g] = NONE; access_ends() }; goto end
    :: d_step { !fww[g] && fwf[g] == NONE -> fwp[g] = NONE; access_ends() }; goto end /* the page is not there */
    fi
}

/* A write of an entry has been answered: what stands behind it may go. */
inline written(p)
{
    pte[X(g, p)] = SEEN(g, p);
    pend[g] = pend[g] & (15 - (1 << p));
    for (i : 0 .. WAITERS - 1) {
        fm[i * G + g] = fm[i * G + g] & (15 - (1 << p))
    }
    for (i : 0 .. K - 1) {
        nm[g * K + i] = nm[g * K + i] & (15 - (1 << p))
    }
    for (i : 0 .. P - 1) {
        am[X(g, i)] = am[X(g, i)] & (15 - (1 << p))
    };
    i = 0
}

inline note_ends()
{
    hub[g] = NONE;
    for (i : 0 .. WAITERS - 1) {
        fr[i * G + g] = (fr[i * G + g] -> fr[i * G + g] - 1 : 0)
    };
    i = 0
}

/* The next note has come to the GPU: entries are dropped at once, caches too. */
inline note_begins()
{
    hub[g] = nk[g * K];
    nn[g]--;
    for (i : 0 .. K - 2) {
        nk[g * K + i] = nk[g * K + i + 1];
        nm[g * K + i] = nm[g * K + i + 1]
    }
    nk[g * K + K - 1] = 0;
    nm[g * K + K - 1] = 0;
    if
    :: hub[g] < P -> tlb[X(g, hub[g])] = NONE; old[g] = old[g] || walks[g] == hub[g] + 1
    :: else -> l1[g] = 0;
        for (i : 0 .. NF - 1) {
            if
            :: hub[g] == DROP_OWN && GPU_OF(i) == g && lv[i] ->
                if
                :: lv[i] == 2 -> dram[i] = d2[i]
                :: else
                fi;
                lv[i] = 0;
                d2[i] = 0
            :: else
            fi
        };
        i = 0;
        note_ends()
    fi
}

/* What the host does with the report of a translation that is withheld (withheld.c). */
inline reported(p)
{
    rep[X(g, p)] = 0;
    if
    :: SEEN(g, p) == LOCKED || BUG == 10
    :: FIRST(g, p) && BUG != 10 -> flt[p] = (BUG == 19 -> flt[p] : flt[p] | (1 << g))
    :: SEEN(g, p) == ABSENT && !FIRST(g, p) && BUG != 10 -> answer(g, p, 2)
    :: SEEN(g, p) < NF && BUG != 10 -> answer(g, p, 1)
    fi
}

inline answered(p)
{
    again[X(g, p)] = (wh[X(g, p)] -> as[X(g, p)] : 0);
    as[X(g, p)] = 0
}

proctype cp(byte g)
{
end:
    do
    :: d_step { pend[g] & 1 -> written(0) }
    :: d_step { hub[g] == NONE && nn[g] && nm[g * K] == 0 -> note_begins() }
    :: d_step { hub[g] < P && (BUG == 2 || (flyp[g] != hub[g] && (fwf[g] == NONE || fwp[g] != hub[g]))) -> note_ends() }
    :: d_step { rep[X(g, 0)] -> reported(0) }
    :: d_step { as[X(g, 0)] && am[X(g, 0)] == 0 -> answered(0) }
#if P > 1
    :: d_step { pend[g] & 2 -> written(1) }
    :: d_step { rep[X(g, 1)] -> reported(1) }
    :: d_step { as[X(g, 1)] && am[X(g, 1)] == 0 -> answered(1) }
#endif
    od
}
