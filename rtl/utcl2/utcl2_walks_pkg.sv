// SPDX-License-Identifier: Apache-2.0
// Stages of the page walker: where a walk begins, what an entry that was read means, what the walker keeps of upper levels.
// Responsible for: types and pure functions of the format in host/vm/pagetable.h.  Not responsible for: reads of memory, walks
// to be done again (utcl2_walker).
package utcl2_walks_pkg;
  import tlb_pkg::*;

  typedef enum logic [1:0] {
    LevelRoot,    // 1024 entries of 1 GiB
    LevelMiddle,  // 512 of 2 MiB: a table or a leaf
    LevelLeaf     // 512 of 4 KiB
  } level_e;

  typedef struct packed {
    level_e      level;  // of the entry to read next
    logic [55:0] at;     // its physical address
    vmid_t       vmid;
    vpn_t        vpn;
  } walk_t;

  // What becomes of a walk: it reads on, or it has found this (bit 0 clear: no translation; tlb_pkg::pte_locked tells of a lock).
  typedef struct packed {
    logic        ends;
    logic [63:0] pte;
    level_e      level;
    logic [55:0] at;
  } step_t;

  // An entry of an upper level that is kept: of the root table by vpn[27:18], of a middle table by vpn[27:9].
  typedef struct packed {
    logic        valid;
    vmid_t       vmid;
    logic [18:0] region;
    logic [63:0] entry;
  } known_t;

  /* verilator lint_off UNUSEDSIGNAL */  // of a struct a function looks at some fields only
  // Number of the entry of a level within its table, in bytes.
  function automatic logic [55:0] place(input level_e level, input vpn_t vpn);
    return level == LevelRoot ? 56'({vpn[27:18], 3'd0}) :
        level == LevelMiddle ? 56'({vpn[17:9], 3'd0}) : 56'({vpn[8:0], 3'd0});
  endfunction

  // What an entry of this level says.  A leaf at the root level or a table at the last one is no translation.  A leaf of
  // the middle level covers its 2 MiB, whatever its fragment.
  function automatic step_t read(input level_e level, input logic [63:0] entry, input vpn_t vpn);
    step_t s;
    s.level = level == LevelRoot ? LevelMiddle : LevelLeaf;
    s.at    = {entry[55:12], 12'd0} + place(s.level, vpn);
    s.ends  = !entry[0] || entry[4] || level == LevelLeaf;
    s.pte   = pte_locked(entry) ? entry : 64'd0;
    if (entry[0] && entry[4] && level == LevelLeaf) s.pte = entry;
    if (entry[0] && entry[4] && level == LevelMiddle) begin
      s.pte = {8'd0, entry[55:12] + 44'(vpn[8:0]), entry[11:7] > 5'd9 ? entry[11:7] : 5'd9, entry[6:0]};
    end
    return s;
  endfunction

  function automatic logic [18:0] region_of(input level_e level, input vpn_t vpn);
    return level == LevelRoot ? 19'(vpn[27:18]) : vpn[27:9];
  endfunction

  function automatic logic [18:0] region_hash(input logic [18:0] region);
    return region ^ 19'(region[18:6]);
  endfunction

  function automatic logic known_hit(input known_t known, input level_e level, input vmid_t vmid, input vpn_t vpn);
    return known.valid && known.vmid == vmid && known.region == region_of(level, vpn);
  endfunction

  // Does an invalidation name a page below an entry that is kept?
  function automatic logic known_named(input known_t known, input level_e level, input inv_t inv);
    vpn_t first, last;
    first = level == LevelRoot ? {known.region[9:0], 18'd0} : {known.region, 9'd0};
    last  = level == LevelRoot ? {known.region[9:0], 18'h3FFFF} : {known.region, 9'h1FF};
    return (inv.vmid == VMID_ALL || inv.vmid == known.vmid) && (inv.whole || (last >= inv.first && first <= inv.last));
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */
endpackage
