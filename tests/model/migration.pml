/* SPDX-License-Identifier: Apache-2.0
 * The protocol by which pages move between GPUs (docs/reference/migration.md, "The protocol"), for Spin.  An example of
 * what it looks at: GPU 1 has an entry of page 0 and an access under way, the host locks the page, GPU 1 walks the old
 * tables at that moment, the owner frees the page while its line is on the link.
 * One line a page.  Each page is a counter that GPUs and their command processors increment under a token (programs
 * without data races), by one atomic or by a load and a store.  Of each copy of the line is kept only whether it holds
 * all increments so far (d2, dram: the page's number + 1): a store makes all other copies old, and an old one stays so.
 * Here: sizes, state, what both sides use.  gpu.pml: what a GPU does; engine.pml: slices and page-move engines; host.pml:
 * the host's callbacks, each of which is one step; the table of steps is generated (sw/tools/gen/gen_steps.py).
 *   G GPUs, P pages (at first all in GPU 0), H moves under way at once, N moves begun, OWNERS changes of an owner,
 *   FAULTS refusals and faults of engines; BUG: a seeded fault (0: none)
 *   PUSHED 0: golden GPUs, whose pages the host copies; FIXED 1: it does when the slices have written them back, later
 *   LAZY 1: a GPU gets the entry of another one's page on its first access
 */
#define NF (P + G - 1) /* frames: the first of each page in GPU 0, then one empty frame in each other GPU */
#define K 4            /* notes for a GPU that wait at a time */
#define NONE 13        /* instead of a frame */
#define LOCKED 14
#define ABSENT 15
#define DROP P         /* a note: caches of what other GPUs' memory holds; a number below P: shoot-down of that page */
#define DROP_OWN (P + 1)
#define X(g, p) ((g)*P + (p))
#define SEEN(g, p) ((has[p] >> (g)&1) -> view[p] : ABSENT) /* by the host */
#define FIRST(g, p) (LAZY && alive[p] == 1 && !(has[p] >> (g)&1)) /* an access is the first one */
#define HAVE (LAZY -> 1 : 7) /* GPUs with entries of memory that is mapped */
#define GPU_OF(f) ((f) < P -> 0 : (f)-P + 1)
#define VALUE(f) (lv[f] -> d2[f] : dram[f])
#if G == 2
#define ALL(a, w) (a[(w)*G] + a[(w)*G + 1])
#define ANY(a) (a[0] | a[1])
#else
#define ALL(a, w) (a[(w)*G] + a[(w)*G + 1] + a[(w)*G + 2])
#define ANY(a) (a[0] | a[1] | a[2])
#endif
/* Who waits for fences: move v, frame f that was left, page p that was freed. */
#define W_FRAME(f) (H + (f))
#define W_PAGE(p) (H + NF + (p))
#define WAITERS (H + NF + P)
#define FENCED(w) (ALL(fr, w) + ALL(fm, w) == 0)

/* ---- page tables and TLBs */
byte view[P];                                   /* what the host has written: the same for all GPUs */
byte has[P], flt[P];                            /* that have an entry; that wait for the first one: a bit a GPU */
byte pte[G * P], tlb[G * P];                    /* what has come to the GPU's memory; its TLBs as one */
byte pend[G];                                   /* writes of entries on their way, a bit a page */
byte walks[G]; bit old[G];                      /* page + 1 that is walked; a shoot-down came meanwhile */
bit wh[G * P], rep[G * P];                      /* a translation is withheld; its report is on its way */
byte again[G * P], as[G * P], am[G * P];        /* it is answered; the answer waits; for these writes (2: denied) */
byte nk[G * K], nm[G * K], nn[G], hub[G];       /* notes: what, behind which writes, how many; what the GPU does now */
byte fr[WAITERS * G], fm[WAITERS * G];          /* fences: notes and writes that are waited for */
/* ---- accesses */
byte fly[G], flyp[G];                           /* under way: to which frame, of which page */
byte fwf[G], fwp[G];                            /* the command processor's own */
bit fww[G], fwk[G];                             /* it waits for a locked page; it is woken */
bit token[P];
byte alive[P];                                  /* 0 freed, 2 given to somebody, 1 and mapped */
byte running;                                   /* GPUs with an access */
/* ---- memory */
byte lv[NF], l1[G];                             /* L2 line: 1 clean, 2 dirty; L1 lines of a GPU, a bit a frame */
byte d2[NF], dram[NF];                          /* whose counter it is, + 1: of DRAM, of the L2 line */
/* ---- the host */
byte home[P];                                   /* frame of a page */
bit known[P], resting[P], taken[NF];            /* away.c; frames.c */
byte qs[NF + P], qr[NF + P], q_in, q_told;      /* quarantine: 1 waits for its fence, 2 for the caches; items before */
byte st[H], mp[H], to[H], from[H], fl[H];       /* a move; fl: write-back 1 asked 2 done 3 refused */
bit due[H];                                     /* its lines are in DRAM: it is there at a fixed time */
bit listed[H], unsent[H], slotted[H], failed[H];
bit left[H], came[H], moved_bad[H], stored_bad[H], stored_refused[H], cleared[H];
byte moves, owners, faults, under_way;          /* begun, used; moves that are not over */
/* ---- page-move engines: the side that a page leaves, by move; the side that gets it, by GPU (one slot each) */
byte pe[H];                                     /* 1 ordered 2 line on the link 3, 4 report on its way: good, bad */
byte pd[H];
byte owner[G], cmd[G];                          /* move + 1; commands: 1 a page is to come, 2 it is given up, 3 both */
bit told[G], lost[G], arrived[G];               /* the line: with a fault; it is in DRAM */
byte rep_store[G], rep_clear[G];                /* reports on their way: 1 good 2 bad 3 refused */
hidden byte i, j, drop;
hidden byte N, OWNERS, FAULTS, BUG; /* one build searches several sizes */

inline note(g, n)
{
    assert(nn[g] < K);
    nk[(g)*K + nn[g]] = n;
    nm[(g)*K + nn[g]] = pend[g];
    nn[g]++
}

inline fence(w)
{
    for (i : 0 .. G - 1) {
        fr[(w)*G + i] = nn[i] + (hub[i] != NONE);
        fm[(w)*G + i] = pend[i]
    };
    i = 0
}

inline answer(g, p, how)
{
    as[X(g, p)] = how;
    am[X(g, p)] = pend[g];
    fwk[g] = fww[g]
}

/* Nobody has a frame any more: nothing of it is in a cache, and nothing is under way to it. */
inline check_empty(f)
{
    for (i : 0 .. G - 1) {
        assert(!(l1[i] >> (f) & 1) && fly[i] != f && fwf[i] != f)
    }
    assert(lv[f] == 0);
    for (i : 0 .. H - 1) {
        assert(to[i] != f || (pe[i] != 1 && pe[i] != 2) || st[i] == ST_NONE)
    };
    i = 0
}

inline forget(p)
{
    for (i : 0 .. NF - 1) {
        dram[i] = (dram[i] == p + 1 -> 0 : dram[i]);
        d2[i] = (d2[i] == p + 1 -> 0 : d2[i])
    };
    i = 0
}

inline perform(g, p, f, loads, stores)
{
    if
    :: alive[p] == 1 ->
        assert(f == home[p]);
        assert(!loads || VALUE(f) == p + 1);
        if
        :: PUSHED && lv[f] == 0 -> lv[f] = 1; d2[f] = dram[f]
        :: else
        fi;
        if
        :: stores -> forget(p);
            if
            :: PUSHED -> lv[f] = 2; d2[f] = p + 1
            :: else -> dram[f] = p + 1
            fi
        :: else -> l1[g] = (PUSHED -> l1[g] | (1 << f) : 0)
        fi
    :: else -> /* its owner has freed it meanwhile: it may do as it likes, as long as nobody else has the frame */
        lv[f] = (PUSHED -> 2 : 0);
        d2[f] = 0;
        l1[g] = (PUSHED -> l1[g] | (1 << f) : 0)
    fi
}
