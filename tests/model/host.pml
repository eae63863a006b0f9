/* SPDX-License-Identifier: Apache-2.0
 * The host: one thread, each of its callbacks is one step.  Moves go by the generated table; here are the actions
 * (steps.c, views.c, carry.c), frames (away.c, frames.c), the quarantine, owners that change.
 */
#define LISTED(p) ((listed[0] && mp[0] == p) || (listed[H - 1] && mp[H - 1] == p))
/* Of a move that was given up lines may still come to the first frame of p. */
#define COMES(p) ((st[0] == ST_GIVEN_UP && to[0] == p) || (st[H - 1] == ST_GIVEN_UP && to[H - 1] == p))
#define FREE_RECORD (st[0] == ST_NONE -> 0 : H - 1)

/* ---- quarantine (memory/quarantine.c): first in, first out; caches are told of an item when all before it are */
inline quarantine(q)
{
    assert(qs[q] == 0);
    qs[q] = 1;
    qr[q] = q_in;
    q_in++;
    fence(H + q)
}

inline caches_drop(q)
{
    f = (q < NF -> q : q - NF);
    for (j : 0 .. G - 1) {
        drop = (GPU_OF(f) == j -> DROP_OWN : DROP);
        note(j, drop)
    }
    f = 0
}

/* Frame f was left and is empty; of a page that was freed, its own: the next owner gets it. */
inline emptied(q)
{
    f = (q < NF -> q : q - NF);
    check_empty(f);
    dram[f] = 0;
    f = 0;
    qs[q] = 0;
    q_in--;
    q_told--;
    for (j : 0 .. NF + P - 1) {
        qr[j] = (qr[j] -> qr[j] - 1 : 0)
    };
    if
    :: q >= NF -> alive[q - NF] = 2; dram[q - NF] = q - NF + 1; view[q - NF] = q - NF; has[q - NF] = HAVE;
        for (j : 0 .. G - 1) {
            pend[j] = pend[j] | ((has[q - NF] >> j & 1) << (q - NF))
        };
        j = 0
    :: q < NF && q >= P -> taken[q] = 0
    :: q < P ->
        resting[q] = 0;
        known[q] = known[q] && home[q] != q
    fi
}

/* ---- page tables (views.c) */
inline entries(p, what)
{
    view[p] = what;
    for (i : 0 .. G - 1) {
        pend[i] = (BUG == 3 && what == LOCKED && i == G - 1 -> pend[i] : pend[i] | ((has[p] >> i & 1) << (p)))
    };
    i = 0
}

inline unlock(v, where)
{
    entries(mp[v], where);
    for (j : 0 .. G - 1) {
        answer(j, mp[v], 1)
    };
    j = 0
}

/* ---- actions of the table */
inline act_nothing(v)
{
    skip
}

inline act_shoot(v)
{
    d_step {
        for (j : 0 .. G - 1) {
            if
            :: (BUG == 3 && j == G - 1) || !(has[mp[v]] >> j & 1) || (BUG == 20 && LAZY && j)
            :: else -> note(j, mp[v])
            fi
        }
        fence(v)
    }
}

inline act_flush(v)
{
    d_step { fl[v] = 1 }
}

inline act_push(v)
{
    d_step {
        assert(lv[from[v]] == 0); /* its lines are in DRAM, in no slice */
        unsent[v] = 1;
        if
        :: BUG == 7 -> unlock(v, home[mp[v]])
        :: else
        fi
    }
}

inline act_await(v)
{
    d_step {
        assert(lv[from[v]] == 0);
        due[v] = 1
    }
}

inline leave(v)
{
    if
    :: to[v] == mp[v] -> resting[mp[v]] = (known[mp[v]] -> slotted[v] && BUG != 11 : resting[mp[v]])
    :: to[v] != mp[v] && (!slotted[v] || BUG == 11) -> check_empty(to[v]); taken[to[v]] = 0
    :: else
    fi;
    if
    :: slotted[v] && BUG != 11 && (to[v] != mp[v] || known[mp[v]]) -> quarantine(to[v])
    :: else
    fi
}

inline act_leave(v)
{
    d_step { leave(v) }
}

inline act_unlock(v)
{
    d_step {
        unlock(v, home[mp[v]]);
        unsent[v] = 0;
        resting[mp[v]] = resting[mp[v]] || (to[v] == mp[v] && BUG != 16)
    }
}

inline act_undo(v)
{
    d_step {
        unlock(v, home[mp[v]]);
        leave(v)
    }
}

inline bind(v)
{
    assert(home[mp[v]] == from[v] && from[v] != to[v] && lv[from[v]] == 0 && lv[to[v]] != 2);
    assert(dram[to[v]] == mp[v] + 1); /* pmem_move compares */
    home[mp[v]] = to[v];
    has[mp[v]] = has[mp[v]] | flt[mp[v]]; /* who waits gets its entry, too */
    flt[mp[v]] = 0;
    unlock(v, to[v]);
    fence(v);
    resting[mp[v]] = resting[mp[v]] || from[v] == mp[v];
    known[mp[v]] = resting[mp[v]] || to[v] != mp[v];
    if
    :: BUG == 8 && from[v] >= P -> taken[from[v]] = 0
    :: else -> quarantine(from[v])
    fi
}

inline act_bind(v)
{
    d_step { bind(v) }
}

inline act_copy(v)
{
    d_step {
        dram[to[v]] = VALUE(from[v]);
        bind(v)
    }
}

/* ---- engines (carry.c) */
inline order(v)
{
    assert(!cmd[GPU_OF(to[v])]);
    unsent[v] = 0;
    slotted[v] = 1;
    owner[GPU_OF(to[v])] = v + 1;
    cmd[GPU_OF(to[v])] = 1;
    pe[v] = 1
}

/* Event e is that both have told of the line, or EV_NONE. */
inline settle(v)
{
    if
    :: left[v] && !cleared[v] && ((!came[v] && moved_bad[v]) || (came[v] && stored_refused[v])) && BUG != 14 ->
        cleared[v] = 1;
        came[v] = 0;
        cmd[GPU_OF(to[v])] = cmd[GPU_OF(to[v])] | 2
    :: else ->
        if
        :: (left[v] || (BUG == 6 && came[v])) && (came[v] || (BUG == 6 && left[v])) ->
            owner[GPU_OF(to[v])] = 0;
            failed[v] = failed[v] || moved_bad[v] || stored_bad[v] || cleared[v];
            e = (failed[v] -> EV_FAILED : EV_ARRIVED)
        :: else
        fi
    fi
}

inline stored(g, how, of_clear)
{
    v = (owner[g] -> owner[g] - 1 : 0);
    if
    :: owner[g] && (cleared[v] == of_clear || BUG == 12) ->
        came[v] = 1;
        stored_bad[v] = how > 1;
        stored_refused[v] = how == 3;
        settle(v)
    :: else /* of a command that a later one has taken the place of */
    fi
}

inline over(v)
{
    st[v] = ST_NONE;
    mp[v] = 0; to[v] = 0; from[v] = 0; fl[v] = (fl[v] == 4 -> 4 : 0);
    due[v] = 0; unsent[v] = 0; slotted[v] = 0; failed[v] = 0;
    left[v] = 0; came[v] = 0; moved_bad[v] = 0; stored_bad[v] = 0; stored_refused[v] = 0; cleared[v] = 0;
    under_way--;
    for (i : 0 .. G - 1) {
        fr[v * G + i] = 0;
        fm[v * G + i] = 0
    };
    i = 0
}

/* ---- beginnings and ends */
inline begin(p, g) /* migrate_add */
{
    if
    :: GPU_OF(home[p]) == g || alive[p] != 1 || LISTED(p) || (!PUSHED && running) -> f = NONE
    :: else -> f = (g == 0 -> p : P + g - 1);
        f = ((g == 0 -> known[p] && resting[p] : taken[f]) -> NONE : f);
        if
        :: f == NONE && BUG == 13 -> entries(p, LOCKED)
        :: else
        fi
    fi;
    if
    :: f != NONE ->
        check_empty(f);
        v = FREE_RECORD;
        taken[f] = f >= P;
        st[v] = ST_NEW; mp[v] = p; from[v] = home[p]; to[v] = f; listed[v] = 1;
        under_way++;
        entries(p, LOCKED);
        e = EV_GO
    :: else
    fi;
    f = 0
}

/* Its memory is freed (memory_objects.c, backing.c): unmapped everywhere, then its frames are left. */
inline freed(p)
{
    alive[p] = 0;
    forget(p);
    entries(p, ABSENT);
    for (j : 0 .. G - 1) {
        note(j, p)
    }
    quarantine(NF + p);
    if
    :: known[p] && home[p] != p -> quarantine(home[p])
    :: else
    fi;
    known[p] = 0;
    resting[p] = 0;
    home[p] = p
}

/* An owner changes the memory of p: `gone`, frees it. */
#define OWNER(p)                                                                                                       \
    :: owners < OWNERS && alive[p] == 1 ->                                                                             \
        v = (listed[0] && mp[0] == p -> 0 : H - 1);                                                                    \
        e = (LISTED(p) -> EV_OWNER : EV_NONE);                                                                         \
        owners++;                                                                                                      \
        gone = p + 1                                                                                                   \
    :: owners < OWNERS && LISTED(p) ->                                                                                 \
        v = (listed[0] && mp[0] == p -> 0 : H - 1);                                                                    \
        e = EV_OWNER;                                                                                                  \
        owners++
/* Move v goes on. */
#define MOVE(V)                                                                                                        \
    :: (st[V] == ST_LOCK || st[V] == ST_RESUME) && (FENCED(V) || (BUG == 4 && st[V] == ST_LOCK)) -> v = V; e = EV_ANSWERED \
    :: fl[V] == 2 || (BUG == 5 && fl[V] == 1) -> v = V; fl[v] = (fl[v] == 1 -> 4 : 0); e = EV_FLUSHED                  \
    :: fl[V] == 3 -> v = V; fl[v] = 0; failed[v] = 1; e = EV_FAILED                                                    \
    :: due[V] -> v = V; due[v] = 0; e = EV_DUE                                                                          \
    :: st[V] == ST_PUSH && unsent[V] && !owner[GPU_OF(to[V])] -> d_step { v = V; order(v) }                            \
    :: pe[V] > 2 -> d_step { v = V; left[v] = 1; moved_bad[v] = pe[v] == 4; pe[v] = 0; settle(v) }
#define REPORT(g)                                                                                                      \
    :: rep_store[g] -> d_step { f = rep_store[g]; rep_store[g] = 0; stored(g, f, 0); f = 0 }                           \
    :: rep_clear[g] && !rep_store[g] -> d_step { rep_clear[g] = 0; stored(g, 1, 1) }
#define HELD(q)                                                                                                        \
    :: qs[q] == 1 && qr[q] == q_told && FENCED(H + q) && (q < NF || BUG == 17 || !COMES(q - NF)) ->                                                                                  \
        d_step { qs[q] = 2; q_told++; if :: BUG != 15 -> caches_drop(q); fence(H + q) :: else fi }          \
    :: qs[q] == 2 && qr[q] == 0 && FENCED(H + q) && (q < NF || !token[(q < NF -> 0 : q - NF)]) -> d_step { emptied(q) }
#define BEGIN(p, g) :: moves < N && (st[0] == ST_NONE || st[H - 1] == ST_NONE) -> d_step { moves++; begin(p, g) }
/* A first access is decided: there, or nowhere; or (BEGIN) its page moves. */
#define DECIDE(p, g)                                                                                                   \
    :: flt[p] >> g & 1 && alive[p] != 1 -> d_step { flt[p] = flt[p] - (1 << g); answer(g, p, 2) }                      \
    :: flt[p] >> g & 1 && alive[p] == 1 && (!LISTED(p) || BUG == 18) -> d_step {                                       \
           flt[p] = flt[p] - (1 << g);                                                                                 \
           has[p] = has[p] | (1 << g);                                                                                 \
           view[p] = (BUG == 18 -> home[p] : view[p]);                                                                 \
           pend[g] = pend[g] | (1 << p);                                                                               \
           answer(g, p, 1) }
#define MAPPED(p) :: alive[p] == 2 && !(ANY(pend) >> p & 1) -> alive[p] = 1

proctype host()
{
    byte v, e, f, gone;
    e = EV_NONE;
end:
    do
    :: atomic {
           if
           MOVE(0)
           REPORT(0)
           REPORT(1)
           OWNER(0)
           MAPPED(0)
           BEGIN(0, 0)
           BEGIN(0, 1)
           HELD(0)
           HELD(1)
           HELD(2)
#if LAZY
           DECIDE(0, 0)
           DECIDE(0, 1)
#endif
#if H > 1
           MOVE(1)
#endif
#if G > 2
           REPORT(2)
           BEGIN(0, 2)
#if LAZY
           DECIDE(0, 2)
#endif
#endif
#if P > 1
           OWNER(1)
           MAPPED(1)
           BEGIN(1, 0)
           BEGIN(1, 1)
#if LAZY
           DECIDE(1, 0)
           DECIDE(1, 1)
#endif
#endif
#if P > 1 && G > 2
           BEGIN(1, 2)
#endif
#if NF + P > 3
           HELD(3)
#endif
#if NF + P > 4
           HELD(4)
#endif
#if NF + P > 5
           HELD(5)
#endif
           fi;
           do
           :: e != EV_NONE ->
               table(v, e);
               e = EV_NONE;
               if
               :: st[v] == ST_GIVEN_UP -> listed[v] = 0;
                   if /* nobody owes an answer */
                   :: fl[v] == 0 && !slotted[v] -> e = EV_FAILED
                   :: else
                   fi
               :: st[v] == ST_OVER -> d_step { listed[v] = 0; over(v) }
               :: else
               fi
           :: else -> break
           od;
           if
           :: gone -> d_step { freed(gone - 1); gone = 0 }
           :: else
           fi;
           v = 0
       }
    od
}

#ifdef LIVE
ltl calm { <>[](under_way == 0 && !(ANY(wh))) }
#endif

init
{
    atomic {
        c_code {
            N = atoi(getenv("N"));
            OWNERS = atoi(getenv("OWNERS"));
            FAULTS = atoi(getenv("FAULTS"));
            BUG = atoi(getenv("BUG"));
        };
        d_step {
            for (i : 0 .. G * P - 1) {
                tlb[i] = NONE;
                pte[i] = (HAVE >> (i / P) & 1 -> i % P : ABSENT)
            }
            for (i : 0 .. P - 1) {
                view[i] = i;
                has[i] = HAVE;
                home[i] = i;
                alive[i] = 1;
                dram[i] = i + 1
            }
            for (i : 0 .. G - 1) {
                hub[i] = NONE;
                fly[i] = NONE;
                flyp[i] = NONE;
                fwf[i] = NONE;
                fwp[i] = NONE
            }
            for (i : 0 .. H - 1) {
                st[i] = ST_NONE
            }
        }
        run host();
        run gpu(0); run cp(0); run comes(0);
        run gpu(1); run cp(1); run comes(1);
#if G > 2
        run gpu(2); run cp(2); run comes(2);
#endif
        run leaves(0);
#if H > 1
        run leaves(1);
#endif
    }
}
