// SPDX-License-Identifier: Apache-2.0
// Types between the blocks of the dispatchers: hub (commands), walk (work-groups), pool (CU resources), send (wavefronts),
// events.
// Widths are those of the largest GPU (64 CUs, 4 SIMDs, 16 slots); smaller ones leave upper values unused.
// Not responsible for: messages to other partitions (gantry_msg_pkg).
package dispatch_pkg;
  localparam int unsigned MaxDispatchers = 16;
  localparam int unsigned MaxWaves = 16;  // of a work-group
  localparam int unsigned ScratchPerCu = 32;  // max_slots_scratch_cu of the topology
  localparam int unsigned VgprGranule = 4;
  localparam int unsigned SgprGranule = 16;
  localparam int unsigned LdsGranule = 512;

  // Components with a control agent: ports of the hub's control messages.  Of the first three each GPU has one, then come
  // the cache groups, the slices, the CUs, and last the dispatchers, whose agent is beside the hub.
  localparam int unsigned CtlUtcl2 = 0;
  localparam int unsigned CtlRdma = 1;
  localparam int unsigned CtlNoc = 2;
  localparam int unsigned CtlSqc = 3;
  localparam logic [15:0] MaintId = 16'hffff;  // of the hub's maintenance, one at a time

  // A component with an agent.
  typedef struct packed {
    logic [7:0] group;   // enum ctl_group; 255: nobody
    logic [7:0] number;  // in that group
  } component_t;

  // What the host is told of a command that has ended; stands until it is taken.
  typedef struct packed {
    logic        valid;
    logic [7:0]  kind;    // enum cp_evt_kind
    logic [15:0] id;
    logic [7:0]  vmid;
    logic [7:0]  status;  // enum ctl_status
    component_t  place;   // whose status it is
    logic [7:0]  state;   // enum ctl_state of its component
  } tell_t;

  // A command for all CUs, of which the first part is done: a kill whose translations are denied, or a trap handler.
  typedef struct packed {
    logic        kill;
    logic [7:0]  vmid;
    logic [15:0] id;
    logic [63:0] tba;     // of a trap handler
    logic [63:0] tma;
    logic [7:0]  status;  // enum ctl_status: of the denial
    component_t  place;   // whose it is
  } broadcast_t;

  typedef logic [5:0] cu_t;
  typedef logic [3:0] dispatcher_t;  // each has one launch at a time
  typedef logic [5:0] granule_t;  // of VGPRs or SGPRs in a SIMD
  typedef logic [6:0] count_t;  // 0..64 of them
  typedef logic [6:0] lds_t;  // granule of LDS
  typedef logic [7:0] lds_count_t;  // 0..128
  typedef logic [5:0] group_t;  // barrier slot of a CU

  // what a work-group wants
  typedef struct packed {
    cu_t cu;
    logic [4:0] waves;  // 1..16
    count_t vgprs;
    count_t sgprs;
    lds_count_t lds;
    logic barrier;  // more than one wavefront
    logic [6:0] positions;  // of the CU (slot * SIMDs + SIMD) that may be used, from 0 up; 64: all
  } pool_req_t;

  // where one of its wavefronts goes
  typedef struct packed {
    logic valid;
    logic [3:0] slot;
    granule_t vgpr;
    granule_t sgpr;
  } place_t;

  // a wavefront ended: what becomes free again
  typedef struct packed {
    cu_t cu;
    logic [1:0] simd;
    logic [3:0] slot;
    granule_t vgpr;
    count_t vgprs;
    granule_t sgpr;
    count_t sgprs;
    logic last;  // of its group: LDS and barrier slot too
    logic barrier;
    group_t group;
    lds_t lds;
    lds_count_t lds_count;
  } pool_free_t;

  // a work-group whose places are known; those of its wavefronts are spot_t beside it
  typedef struct packed {
    dispatcher_t who;
    cu_t cu;
    logic [31:0] x, y, z;         // its id
    logic [15:0] ax, ay, az;      // its size in work-items, clipped to the grid
    logic [20:0] recip_x, recip_y;
    logic [10:0] items;
    logic [4:0] waves;
    group_t group;
    lds_t lds;
    logic barrier;
    logic last;  // of the launch
  } grant_t;
  typedef struct packed {
    logic [1:0] simd;
    logic [3:0] slot;
    granule_t vgpr;
    granule_t sgpr;
  } spot_t;

  // what the walk knows of a launch
  typedef struct packed {
    logic [7:0] vmid;
    logic [3:0] prio;
    logic [2:0][15:0] group;
    logic [2:0][31:0] grid;
    logic [2:0][31:0] groups;
    logic [20:0] recip_x, recip_y;
    count_t vgprs;
    count_t sgprs;
    lds_count_t lds;
    logic scratch;
    logic [31:0] scratch_waves;
    logic [63:0] cu_mask;
  } grid_t;

  // per launch, for the return of resources
  typedef struct packed {
    logic [15:0] id;
    logic [7:0] vmid;
    count_t vgprs;
    count_t sgprs;
    lds_count_t lds;
  } launch_res_t;

  // Run of free granules: mask and place. runs: pick_pkg::runs64 result.
  function automatic logic [63:0] range64(input granule_t base, input count_t count);
    return pick_pkg::ones64(count) << base;
  endfunction

  function automatic logic [127:0] range128(input lds_t base, input lds_count_t count);
    logic [127:0] ones;
    ones = count >= 8'd128 ? {128{1'b1}} : (128'd1 << count[6:0]) - 128'd1;
    return ones << base;
  endfunction

  // Bit i: free[i +: count] all ones (count 1..128); doubling as in pick_pkg::runs64.
  function automatic logic [127:0] runs128(input logic [127:0] free, input lds_count_t count);
    logic [127:0] r;
    logic [7:0] done, step;
    r    = free;
    done = 8'd1;
    step = count - done < done ? count - done : done;
    r    = r & (r >> step[6:0]);
    done = done + step;
    step = count - done < done ? count - done : done;
    r    = r & (r >> step[6:0]);
    done = done + step;
    step = count - done < done ? count - done : done;
    r    = r & (r >> step[6:0]);
    done = done + step;
    step = count - done < done ? count - done : done;
    r    = r & (r >> step[6:0]);
    done = done + step;
    step = count - done < done ? count - done : done;
    r    = r & (r >> step[6:0]);
    done = done + step;
    step = count - done < done ? count - done : done;
    r    = r & (r >> step[6:0]);
    done = done + step;
    step = count - done < done ? count - done : done;
    r    = r & (r >> step[6:0]);
    return r;
  endfunction
endpackage
