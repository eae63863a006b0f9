// SPDX-License-Identifier: Apache-2.0
// Bench of part_dispatch (hub, dispatchers, pool, events): random launches, cache maintenance and kills against CUs in C++
// that own every resource they were named: no overlap, no leak (S3.5 to S3.7, S3.10), every wavefront of every group
// exactly once with the right lanes and SGPRs, x fastest, groups overlap between launches (S3.9), 4 cycles a group of 1
// to 4 wavefronts (S3.2), 1.03 N + 0.02 for more (S3.3), idle exact, a credit for every command that is taken, every field of every
// message (fields.h), CU masks, scratch places, kernels beside each other (cases.h), kills (kills.h).  Not responsible for: other partitions.
// top: part_dispatch
// args: -Wno-UNUSEDPARAM --x-initial unique
// mutant: -GSeedPool=2'd1
// mutant: -GSeedPool=2'd2
// mutant: -GSeedPool=2'd3
// mutate: && late[i] < 16'd1600) => && late[i] < 16'd3200)
// mutate: CP_MOVE: return CP_EVT_MOVED; => CP_MOVE: return CP_EVT_STORED;
// mutate: 32'(CACHE_INV_L2) | 32'(CACHE_FAR) => 32'(CACHE_INV_L2)
// mutate: left[group_index] == 5'd0 => left[group_index] <= 5'd1
// mutate: next   = 7'd0; => next   = 7'd1;
// mutate: if (Fill) begin => if (1'b1) begin
// mutate: engine_turn     = after(engine); => engine_turn = engine;
// mutate: best[k] && grid[k].prio < grid[i].prio) => best[k] && 1'b0)
// mutate: cycle_i - since[i] >= age && => 1'b0 &&
// mutate: since[i]   = waits[i] ? since[i] : cycle_i; => since[i] = cycle_i;
// mutate: if (reserved && killed[owner]) begin => if (1'b0) begin
// mutate: if (reserved && l == owner && ok_i) begin => if (1'b0) begin
// mutate: 64'(closed) << closed_cu => 64'd0 << closed_cu
// mutate: (killed[i] && (trying[i] || owed[i] != 2'd0)) loud => (killed[i] && trying[i]) loud
// mutate: heard = asking || loud; => heard = asking;
// mutate: late[i] < 16'd1600) => 1'b0)
// mutate: taken[Cw'(group[at].cu)] = 1'b1; => ;
// mutate: place[d] ^ held[d][0] => place[d]
// mutate: if (who == index_t'(launch_who_i)) busy = 1'b0; => ;
// mutate: told = busy; => told = 1'b0;
// mutate: size_y[index_t'(launch_who_i)] != launch_i.group[1] => 1'b0
// mutate: waiting[i] && !other[i]) begin => waiting[i] && !other[i] && taken == '0) begin
// mutate: evt.cu           = 16'(l); => ;
// mutate: if (!killed[l]) begin => evt.id = 16'd1; if (!killed[l]) begin
// mutate: cmd.root = of.pc; => cmd.root = of.root;
// mutate: private_blks[BlkCu+:Cus] = '1; => private_blks[BlkCu+:Cus] = Cus'(1);
// mutate: port < Last ? CTL_GROUP_CU : => port < Last ? CTL_GROUP_L2 :
// mutate: cp_cmd_i.kind != CP_CONTROL && held == (Qw + 1)'(1) ? cp_cmd_i => 1'b1 ? cp_cmd_i
// mutate: c      = cp_cmd_valid_i && cp_cmd_i.kind != CP_CONTROL && => c = cp_cmd_i.kind != CP_CONTROL &&
// mutate: launches[tail] = cp_cmd_i.kind => launches[head] = cp_cmd_i.kind
// mutate: cp_cmd_credit_o <= take || => cp_cmd_credit_o <= (take && c.kind == CP_LAUNCH) ||
// mutate: cp_cmd_credit_o <= take || => cp_cmd_credit_o <= cp_cmd_valid_i ||
// mutate: cp_cmd_credit_o <= take || control_take; => cp_cmd_credit_o <= take;
// mutate: if (entry[e].status == CTL_OK) begin => if (1'b1) begin
// mutate: hub_told_o      = told_i && hub_turn_q => hub_told_o = told_i
// mutate: send_q && maint_valid_i == '0; => send_q;
// mutate: number: 8'(port - first_of(port))} => number: 8'(port)}
// mutate: maint_status_o = ctl_evt_i[p].status; => maint_status_o = CTL_OK;
// mutate: localparam int unsigned Entries = Ports + 1; => localparam int unsigned Entries = 2;
// mutate: 32'(flags[31:16]) == p - first_of(p)) found => 1'b1) found
// mutate: && quiet_o == !loud && trying => && trying
// mutate: first    = turn[cu]; => first    = turn[0];
// mutate: turn[cu]   = 2'( => turn[0]   = 2'(
// mutate: return c.cu_mask & AllCus & pick_pkg => return AllCus & pick_pkg
// mutate: reopen ? 32'd0 : 32'(XLAT_DENY) => 32'(XLAT_DENY)
// mutate: state = t.kill ? Reopen : Telling; => state = Telling;
// mutate: t.kill ? Quieting : Sending; => Sending;
// mutate: if (t.status == CTL_OK) begin => begin
// mutate: reopen_vmid_o  <= t.vmid; => reopen_vmid_o  <= 8'd0;
// mutate: killed[l] && launch[l].vmid == killing_vmid_i => killed[l]
// mutate: CP_XLAT: return CP_EVT_XLAT_DONE; => CP_XLAT: return CP_EVT_CACHE_DONE;
// mutate: CP_VMID: return CP_EVT_ROOT_REFUSED; => CP_VMID: return CP_EVT_CACHE_DONE;
// mutate: (handed_over(m.kind) && status == CTL_OK) => handed_over(m.kind)
// mutate: kind == CP_MOVE || kind == CP_STORE || kind == CP_COUNTS; => kind == CP_MOVE;
// mutate: CP_COUNTS: return CP_EVT_COUNTED; => CP_COUNTS: return CP_EVT_COUNT;
// mutate: action: of.flags[15:0], least: of.flags[31:16] => action: of.flags[15:0], least: of.flags[15:0]
// mutate: writes: count.writes, frame: count.frame => writes: count.reads, frame: count.frame
// mutate: below: counted.below, => below: counted.entries,
// mutate: move: of.id, => move: of.id + 16'd1,
// mutate: lines: 32'(move.lines), => lines: 32'(move.lines[9:0]),
// mutate: stands_q ? stood_q : move_valid && => move_valid &&
// mutate: status: xlat.access, => status: 8'd1,
// mutate: !evt_valid && report_valid_i && !reported_o => !evt_valid && report_valid_i
// mutate: !report_valid && agent_idle; => agent_idle;
// mutate: .freed_i(free_valid) => .freed_i(free_valid & CuCount'(1))
// mutate: blocked_o     <= 32'd0; => ;
// mutate: 6'd0 : cu + 6'd1; => 6'd0 : cu - 6'd1;
// mutate: number = at + 3'd1; => number = at;
// mutate: n != of.last) cmd.flags = => 1'b0) cmd.flags =
// mutate: (of.flags & ListFlags) | 32'(CACHE_MORE) => of.flags | 32'(CACHE_MORE)
// mutate: blk_send == '0 && at != m.last) begin => blk_send == '0 && 1'b0) begin
// mutate: at != m.last && !by_two(m)) begin => at != m.last) begin
// mutate: blk_left = blk_left | blk_send; => blk_left = blk_send;
// mutate: 3'(list.pages - 16'd1) => 3'(list.pages - 16'd2)
// mutate: CTL_GROUP_CU : CTL_GROUP_DISPATCH; => CTL_GROUP_CU : CTL_GROUP_CU;
// mutate: & ~{Dispatchers{hold_i}}; => ;
// mutate: drained_o <= trying == '0 && owing == '0; => drained_o <= trying == '0;
// mutate: drained_o <= trying == '0 && owing == '0; => drained_o <= owing == '0;
// mutate: owing[i] = owed[i] != 2'd0; => owing[i] = 1'b0;
// mutate: (hold_i || (todo & ~blocked => ((todo & ~blocked
// mutate: if (sending != '0 && !hold_i) begin => if (sending != '0) begin
// mutate: (sending == '0 || hold_i) && => sending == '0 &&
// mutate: !report_valid && agent_idle; => !report_valid;
// mutate: control_agent #(.Discards(1'b0)) u_agent => control_agent u_agent
// mutate: && !(held != '0 && (launches[head] ? free != '0 : => && !(held != '0 && (launches[head] ? free == '0 :
#include "bench.h"
#include "cases.h"
#include "kills.h"

static void test_cases()
{
    test_dispatchers();
    case_done("kernels on several dispatchers", "S3.9");
    test_priorities();
    case_done("priorities");
    test_patience();
    case_done("a large group has its turn", "S3.8, S3.10");
    test_kill_in_hand();
    case_done("kills among groups in hand");
    test_kill_that_waits();
    case_done("a kill that waits for a CU");
    test_kill_before_recips();
    case_done("kills before reciprocals");
    test_ends();
    case_done("ends in all CUs at once");
    test_turns();
    case_done("CUs tell the host in turn");
    test_control();
    test_entries();
    case_done("control messages", "S1.17, S1.23");
    test_lists();
    case_done("lists of ranges", "S1.9, S1.11");
    test_held();
    case_done("dispatchers that are held", "S1.15, S1.19, S1.20");
    test_own_rules();
    case_done("what the dispatchers refuse", "S1.22, S1.25");
    test_kills_held();
    case_done("kills while dispatchers are held", "S1.25");
    test_masks();
    case_done("CU masks");
    test_simds();
    case_done("wavefronts on all SIMDs", "S3.6");
    test_scratch_places();
    case_done("scratch places");
    test_beside();
    case_done("kernels beside each other", "S3.9");
    test_maintenance();
    case_done("blocks of a maintenance");
}

int main()
{
    bench_begin();
    for (unsigned number : {0u, 1u, 2u, 255u})
        if (counter(number))
            FAIL("counter %u begins with %llu", number, (unsigned long long)counter(number));
    case_done("counters begin with 0");
    for (unsigned w : {1u, 2u, 4u, 5u, 8u, 16u})
        test_rate(w, w <= 4 ? 4 : 1.03 * w + 0.02);
    case_done("cycles of a group", "S3.2, S3.3");
    test_random(4000);
    case_done("random launches", "S3.5, S3.7, S3.10");
    test_places(300);
    case_done("places");
    test_whole();
    case_done("groups that fill a CU");
    test_cases();
    if (paused_begun < 10 || drained_begun < 10 || lists_told < 50)
        FAIL("%u pauses, %u drains, %u lists", paused_begun, drained_begun, lists_told);
    if (roots_told == 0)
        FAIL("no refused root was told");
    if (faults_told == 0 || faults_told > faults_sent)
        FAIL("%u faults told of %u", faults_told, faults_sent);
    if (halts_told == 0 || halts_told > halts_sent || handler[Cus - 1].size() != 3)
        FAIL("%u halts told of %u, %zu trap handlers", halts_told, halts_sent, handler[Cus - 1].size());
    reports_over = true;
    for (unsigned n = 0; n < 200 && (!reports.empty() || !move_reports.empty()); n++)
        step(nullptr);
    if (!reports.empty() || reports_told < 1000)
        FAIL("%u reports told, %zu not", reports_told, reports.size());
    if (!move_reports.empty() || moves_reported < 1000 || moves_seen < 60 || moves_refused_told < 8)
        FAIL("%u pages reported, %zu not, %u told of, %u refused", moves_reported, move_reports.size(), moves_seen, moves_refused_told);
    if (maint_seen != (TlbPort | RdmaPort | SqcPorts | SlicePorts | CuPorts))
        FAIL("some cache was never told: %llx", (unsigned long long)maint_seen);
    for (unsigned n = 0; n < 100; n++)
        step(nullptr);
    if (!dut->idle_o)
        FAIL("not idle at the end");
    case_done("every cache and halt was told, idle at the end");
    std::printf("passed, %llu cycles\n", (unsigned long long)cycle);
    return 0;
}
