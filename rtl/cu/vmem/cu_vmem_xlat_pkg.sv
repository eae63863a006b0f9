// SPDX-License-Identifier: Apache-2.0
// Stage "translations under way" of the coalescer: the file of pages that the L2 TLB was asked for, and the transactions
// that wait for them.  Responsible for: types, pure functions, the order between transactions that wait and others.  Not
// responsible for: lookups (tlb_l1), asking, the file itself, the accesses (cu_vmem_lines.svh; the file is no argument of a
// function: read_slang binds no `ref` argument, silently).
//
// Order (docs/reference/vmem.md): a transaction whose page is in the file joins it, whatever the TLB says, so those of one
// page and wavefront stay in order.  Of one wavefront only reads pass, and only reads that wait: two virtual pages may be one physical
// page.  A read that is denied its page passes none either, so that the first fault of an instruction is that of its first
// line.  What has to wait for order alone takes an entry whose translation is there at once.
// An invalidation of the TLB waits for nothing here: entries that have a translation, and those whose answer is under way, ask
// again, so a translation that is withheld holds no invalidation up.
package cu_vmem_xlat_pkg;
  import cu_pkg::*;
  import cu_vmem_pkg::*;
  import tlb_pkg::vmid_t, tlb_pkg::vpn_t;

  localparam int unsigned NumMisses = gantry_cfg_pkg::L1vTlbMisses;  // key gpu.l1v.tlb_misses
  localparam int unsigned NumWaits = 4 * NumMisses;
  localparam int unsigned MissW = NumMisses > 1 ? $clog2(NumMisses) : 1;
  localparam int unsigned WaitW = $clog2(NumWaits);

  typedef logic [NumMisses-1:0] misses_t;
  typedef logic [NumWaits-1:0] waits_t;
  typedef logic [MissW-1:0] miss_t;  // number of an entry, in the tag of its MEM_XLAT
  typedef logic [WaitW-1:0] wait_t;

  typedef struct packed {
    vmid_t vmid;
    vpn_t  vpn;
  } page_t;

  // Of a transaction that waits: its entry, its wavefront, those of its wavefront that have waited longer, and which of
  // these go first even if all are reads: writes, and those of the same page.
  typedef struct packed {
    miss_t  miss;
    wave_t  wave;
    waits_t older;
    waits_t first;
  } note_t;

  typedef struct {
    misses_t busy;      // holds a page
    misses_t answered;  // and its translation, or why there is none
    misses_t denies;    // which does not allow a read
    misses_t stale;     // its MEM_XLAT is older than an invalidation: what it brings is not believed
    misses_t ask;       // a MEM_XLAT for it is still to be sent again
    page_t page[NumMisses];
    logic [63:0] pte[NumMisses];
    waits_t waiting;
    waits_t writes;     // a store or an atomic
    note_t note[NumWaits];
    vmem_tx_t tx[NumWaits];
  } file_t;

  function automatic logic same_page(input page_t a, input page_t b);
    return a == b;
  endfunction

  // Entries that hold a page, of those that name it.
  function automatic misses_t in_use(input misses_t same, input misses_t busy);
    return same & busy;
  endfunction

  // Nobody waits for a page any more.
  function automatic logic last_left(input waits_t others);
    return others == '0;
  endfunction

  // What waits after `at` has left.
  function automatic note_t without(input note_t note, input wait_t at);
    note_t left;
    left = note;
    left.older[at] = 1'b0;
    left.first[at] = 1'b0;
    return left;
  endfunction

  // Which of the older ones of its wavefront a transaction stays behind.
  function automatic waits_t behind(input waits_t older, input waits_t writes, input logic strict);
    return strict ? older : older & writes;
  endfunction

  // What an answer says is kept as an entry of the table; one that is no translation has the status in bits 39:32.
  /* verilator lint_off UNUSEDSIGNAL */
  function automatic logic is_translation(input logic [63:0] pte);
    return pte[0] && pte[4];
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */

  function automatic logic [63:0] kept(input logic [63:0] pte, input logic [7:0] status);
    return is_translation(pte) ? pte : {24'd0, status, 32'd0};
  endfunction

  // What an access with these rights gets.
  function automatic logic [7:0] status_of(input logic [63:0] pte, input logic [7:0] access);
    return !pte[0] && pte[39:32] != '0 ? pte[39:32] : tlb_pkg::pte_status(pte, access);
  endfunction
endpackage
