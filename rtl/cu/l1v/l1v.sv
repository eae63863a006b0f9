// SPDX-License-Identifier: Apache-2.0
// Vector L1 cache of a CU: 64-byte lines, set-associative, physical tags, write-through, no allocation on writes.
// Responsible for: hits, misses with MSHRs that merge readers of one line, invalidation, the mem_req channel with its
// credits, spreading answers.  Not responsible for: translation and rights (cu_vmem_pipe), order between transactions
// of one instruction, coherence beyond this CU (invalidations by the acquire).
//
// One operation a cycle: an answer from memory is passed to one waiting transaction, else the oldest request is
// served.  A store or atomic drops the own line and marks a miss under way on it dead: its data still go to the
// transactions that wait, but are not kept and no later reader joins.  An invalidation does the same to all.
//
// A pair is a read of a line and of the next one, which lie in two banks: if both are there, one lookup and one answer serve
// it.  Else it is two reads, one after the other, with an answer each, which is slower than to ask for each line once.  So pairs
// are wanted only while loads hit.
`include "gantry_assert.svh"

module l1v
  import gantry_msg_pkg::*;
  import l1v_pkg::*;
#(
  parameter int unsigned Bytes = 16384,
  parameter int unsigned Ways = 4,
  parameter int unsigned Mshrs = 16,
  parameter int unsigned NumTx = 64,
  parameter int unsigned NumSlices = 4,
  parameter int unsigned Credits = 16,
  // bench only: 1 store keeps the line, 2 dead miss kept, 3 invalidation skips MSHRs
  parameter bit [3:0] SeedFault = 4'd0
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic      [ 7:0] own_gpu_i,
  input  logic      [47:0] time_i,        // cycle
  input  logic             req_valid_i,
  input  l1_req_t          req_i[1],
  output logic             req_ready_o,   // room for this cycle's and the next request
  output logic             rsp_valid_o,
  output l1_rsp_t          rsp_o,
  input  logic             rsp_ready_i,   // room for this and three more answers
  output logic             ack_valid_o,   // a write or invalidation of slot ack_slot_o is done
  output logic      [ 7:0] ack_slot_o,
  output logic      [ 7:0] ack_status_o,
  output logic             xlat_valid_o,
  output logic      [ 7:0] xlat_id_o,     // of the request
  output logic      [63:0] xlat_pte_o,
  output logic      [ 7:0] xlat_status_o,
  input  logic             hold_i,        // serve no request: nothing is sent
  input  logic             inv_i,         // drop everything kept, now
  output logic             mem_req_valid_o,
  output mem_req_t         mem_req_o,
  input  logic             mem_req_credit_i,
  input  logic             mem_rsp_valid_i,
  /* verilator lint_off UNUSEDSIGNAL */
  input  mem_rsp_t         mem_rsp_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic             pairs_o,       // the last loads have hit: pairs will
  output logic      [ 3:0] perf_o,        // pulses: read hit, read miss, joined a miss, write or atomic
  output logic             idle_o         // nothing happens until an input comes
);
  localparam int unsigned Lines = Bytes / 64;
  localparam int unsigned Sets = Lines / Ways;
  localparam int unsigned SetW = $clog2(Sets);
  localparam int unsigned Banks = Sets > 1 ? 2 : 1;  // by the low bit of the set
  localparam int unsigned RowW = Lines > Banks ? $clog2(Lines / Banks) : 1;
  localparam int unsigned FifoDepth = 4;
  localparam logic [31:0] MshrMask = (32'd1 << $clog2(Mshrs)) - 32'd1;  // any number of MSHRs
  localparam int unsigned Words = (Mshrs + 63) / 64;  // of bits, one a miss; the first are used first
  localparam int unsigned InWord = Mshrs < 64 ? Mshrs : 64;
  localparam int unsigned Kept = Words == 1 ? Mshrs : Words * 64;

  // cache
  logic [63:0] tag[Lines];  // {valid, line number}; set * ways + way
  logic [31:0] next_way[Sets];
  // misses: line, transactions that wait as a chain
  logic [63:0] miss_line[Kept];
  logic [31:0] miss_head[Mshrs], miss_tail[Mshrs];
  logic [31:0] chain[NumTx];
  logic [63:0] busy[Words], dead[Words];
  logic [31:0] misses;  // that are busy
  // request FIFO, answer queue
  l1_req_t fifo[FifoDepth];
  logic [2:0] fifo_count;
  logic [1:0] fifo_read, fifo_write;
  (* no_rw_check *)logic [511:0] answer_data[NumTx];
  logic [31:0] answer_tag[NumTx];
  logic [7:0] answer_status[NumTx];
  logic [31:0] answer_read, answer_write, answers;
  logic filled;  // the oldest answer has been written to the cache
  // outputs
  l1_out_t out1, out2;
  logic [511:0] out1_data, out2_data;
  logic [31:0] credits;
  // temporaries
  l1_req_t req;
  logic [63:0] line;
  logic [31:0] base, way, number, index;
  logic [31:0] base2, way2;  // of the next line of a pair
  logic hit, hit2, merge, send, pop, moved, first;
  logic [2:0] hits;  // loads that hit since the last one that did not, at most 7
  logic [47:0] acquired;  // cycle at which all was dropped last: a load finds nothing older
  logic awake;  // something is left to do without an input
  logic [63:0] same;  // misses under way of the line, as bits of a word
  logic [2:0] quiet;
  logic [7:0] mem_op;
  logic [31:0] mem_tag;
  // as it is between two edges, for the assertions
  logic [63:0] busy_q[Words];
  logic [2:0] fifo_q;
  logic [7:0] answers_q;

  logic [Banks-1:0] ram_re_q, ram_we_q;
  logic [Banks-1:0][RowW-1:0] ram_raddr_q;
  logic [RowW-1:0] ram_waddr_q;
  logic [511:0] ram_wdata_q, ram_rdata[Banks];

  for (genvar b = 0; b < Banks; b++) begin : gen_bank
    ram_1r1w #(
      .Width(512),
      .Depth(Lines / Banks)
    ) u_data (
      .clk_i,
      .we_i   (ram_we_q[b]),
      .waddr_i(ram_waddr_q),
      .wdata_i(ram_wdata_q),
      .re_i   (ram_re_q[b]),
      .raddr_i(ram_raddr_q[b]),
      .rdata_o(ram_rdata[b])
    );
  end

  // Sets are chosen by the exclusive or of three fields of the line's number: work-groups of one CU are mostly a power of two of
  // bytes apart (every 64th group of a grid), and would all meet in the same few sets.
  function automatic logic [31:0] set_of(input logic [63:0] l);
    return (32'(l) ^ 32'(l >> SetW) ^ 32'(l >> 2 * SetW)) & (Sets - 1);
  endfunction

  function automatic logic [31:0] bank_of(input logic [31:0] set);
    return set & (Banks - 1);
  endfunction

  function automatic logic [RowW-1:0] row_of(input logic [31:0] set, input logic [31:0] of_way);
    return RowW'(set / Banks * Ways + of_way);
  endfunction

  // Words of a line from `from` on, before that those of the next line.
  function automatic logic [511:0] window(input logic [511:0] low, input logic [511:0] high, input logic [3:0] from);
    logic [511:0] words;
    for (int unsigned w = 0; w < 16; w++) words[w*32+:32] = w < 32'(from) ? high[w*32+:32] : low[w*32+:32];
    return words;
  endfunction

  assign idle_o = quiet[2];  // an input empties it at the edge that takes it

  /* verilator lint_off BLKSEQ */
  // Misses of the line, under way or long ended, of word `word`.
  task automatic find_misses(input logic [31:0] word);
    same = '0;
    for (int unsigned m = 0; m < InWord; m++) same = same | (64'(miss_line[word*64+m] == line) << m);
  endtask

  // Where the line stands, if it is kept.
  task automatic look_up(input logic [63:0] sought, input logic [31:0] set, output logic found, output logic [31:0] at);
    found = 1'b0;
    at = '0;
    for (int unsigned w = 0; w < Ways; w++) begin
      at = tag[set*Ways+w] == (sought | (64'd1 << 63)) ? w : at;
      found = found || tag[set*Ways+w] == (sought | (64'd1 << 63));
    end
  endtask

  task automatic read_row(input logic [31:0] set, input logic [31:0] of_way);
    ram_re_q[bank_of(set)] <= 1'b1;
    ram_raddr_q[bank_of(set)] <= row_of(set, of_way);
  endtask

  // No line is kept, and those under way are not.
  task automatic drop_all();
    for (int unsigned l = 0; l < Lines; l++) tag[l] = '0;
    for (int unsigned w = 0; w < Words; w++) dead[w] = SeedFault != 4'd3 ? '1 : dead[w];
    acquired = time_i;
    hits = '0;
  endtask

  // nothing is looked at while the cache rests and no input comes
  always_ff @(posedge clk_i) begin
    if (awake || req_valid_i || mem_rsp_valid_i || mem_req_credit_i || inv_i || !rst_ni) begin
      moved = 1'b0;
      if (rsp_valid_o) rsp_valid_o <= 1'b0;
      if (ack_valid_o) ack_valid_o <= 1'b0;
      if (xlat_valid_o) xlat_valid_o <= 1'b0;
      if (mem_req_valid_o) mem_req_valid_o <= 1'b0;
      if (perf_o != '0) perf_o <= '0;
      if (ram_re_q != '0) ram_re_q <= '0;
      if (ram_we_q != '0) ram_we_q <= '0;

      // ---------------- answers on their way out: cache data are there one cycle after the read
      if (out2.valid) begin
        rsp_valid_o <= 1'b1;
        rsp_o <= '{
            id: out2.id,
            pair: out2.pair,
            status: out2.status,
            data: out2.pair ? window(ram_rdata[out2.bank], ram_rdata[!out2.bank], out2.first) :
                out2.hit ? ram_rdata[out2.bank] : out2_data
        };
        moved = 1'b1;
      end
      out2.valid = out1.valid;
      if (out1.valid) begin
        out2 = out1;
        if (!out1.hit) out2_data = out1_data;
        moved = 1'b1;
      end
      out1.valid = 1'b0;

      // ---------------- invalidation by the dispatcher
      if (inv_i) begin
        drop_all();
        moved = 1'b1;
      end

      // ---------------- answers from memory
      if (mem_req_credit_i) begin
        credits = credits + 32'd1;
        moved = 1'b1;
      end
      first = 1'b0;
      if (mem_rsp_valid_i) begin
        moved = 1'b1;
        case (mem_rsp_i.tag[31:24])
          TagWrite: begin
            ack_valid_o <= 1'b1;
            ack_slot_o <= mem_rsp_i.tag[7:0];
            ack_status_o <= mem_rsp_i.status;
          end
          TagXlat: begin
            xlat_valid_o <= 1'b1;
            xlat_id_o <= mem_rsp_i.tag[7:0];
            xlat_pte_o <= mem_rsp_i.data[0];
            xlat_status_o <= mem_rsp_i.status;
          end
          default: begin
            if (answers == '0) {answer_read, answer_write} = '0;  // few words of the queue are in use
            answer_data[answer_write] <= mem_rsp_i.data;  // a memory: who comes first in an empty queue goes past it
            first = answers == '0;
            answer_tag[answer_write] = mem_rsp_i.tag;
            answer_status[answer_write] = mem_rsp_i.status;
            answer_write = (answer_write + 32'd1) & (NumTx - 1);
            answers = answers + 32'd1;
          end
        endcase
      end

      // ---------------- one operation
      if (!rsp_ready_i) begin
        // wait: the lanes of earlier answers come first
      end else if (answers != '0) begin
        moved = 1'b1;
        number = {24'd0, answer_tag[answer_read][7:0]};
        pop = 1'b1;
        out1 = '{valid: 1'b1, id: number[7:0], status: answer_status[answer_read], default: '0};
        if (first) out1_data = mem_rsp_i.data;
        else out1_data = answer_data[answer_read];
        if (answer_tag[answer_read][31:24] == TagRead) begin
          number = number & MshrMask;  // of a read that one of them has sent
          if (!filled && (!dead[number/64][number[5:0]] || SeedFault == 4'd2) && out1.status == MEM_OK) begin
            line = miss_line[number];
            base = set_of(line);
            way = next_way[base] & (Ways - 1);
            next_way[base] = way + 32'd1;
            tag[base*Ways+way] = line | (64'd1 << 63);
            ram_we_q[bank_of(base)] <= 1'b1;
            ram_waddr_q <= row_of(base, way);
            ram_wdata_q <= out1_data;
          end
          filled = 1'b1;
          index = miss_head[number];
          out1.id = index[7:0];
          miss_head[number] = chain[index];
          pop = index == miss_tail[number];
          if (pop) begin
            busy[number/64][number[5:0]] = 1'b0;
            misses = misses - 32'd1;
          end
        end
        if (pop) begin
          answer_read = (answer_read + 32'd1) & (NumTx - 1);
          answers = answers - 32'd1;
          filled = 1'b0;
        end
      end else if (fifo_count != '0 && !hold_i) begin
        req  = fifo[fifo_read];
        line = req.addr >> 6;
        base = set_of(line);
        send = 1'b0;
        pop  = 1'b0;
        hit  = 1'b0;
        hit2 = 1'b0;
        way  = '0;
        merge = 1'b0;
        mem_op = req.stream ? MEM_READ_NC : MEM_READ;
        mem_tag = {TagRead, 24'd0};
        if (req.op == L1Read || req.op == L1Write || req.op == L1Atomic) begin
          look_up(line, base, hit, way);
          if (hit && req.pair && !req.bypass) begin
            base2 = set_of(line + 64'd1);
            look_up(line + 64'd1, base2, hit2, way2);
            hit2 = hit2 && bank_of(base2) != bank_of(base);
          end
        end
        case (req.op)
          L1Read: begin
            if (hit && !req.bypass) begin
              pop = 1'b1;
              out1 = '{
                  valid: 1'b1,
                  hit: 1'b1,
                  bank: base[0] && Banks > 1,
                  pair: hit2,
                  first: req.addr[5:2],
                  id: req.id,
                  status: MEM_OK
              };
              read_row(base, way);
              if (hit2) read_row(base2, way2);
              hits = hits + 3'(hits != '1);
              perf_o[0] <= 1'b1;
            end else begin
              if (!req.bypass) hits = '0;
              for (int unsigned w = 0; w < Words; w++) begin
                if ((busy[w] & ~dead[w]) != '0) begin  // at most one of a line is alive
                  find_misses(w);
                  same   = same & busy[w] & ~dead[w];
                  number = same != '0 ? w * 64 + 32'(pick_pkg::first64(same)) : number;
                  merge  = merge || same != '0;
                end
              end
              if (merge && !req.bypass) begin
                pop = 1'b1;
                chain[miss_tail[number]] = {24'd0, req.id};
                miss_tail[number] = {24'd0, req.id};
                perf_o[2] <= 1'b1;
              end else if (misses != Mshrs && credits != '0) begin
                for (int unsigned w = Words; w > 0; w--)
                  number = busy[w-1] != '1 ? (w - 1) * 64 + 32'(pick_pkg::first64(~busy[w-1])) : number;
                busy[number/64][number[5:0]] = 1'b1;
                dead[number/64][number[5:0]] = req.bypass;
                misses = misses + 32'd1;
                miss_line[number] = line;
                miss_head[number] = {24'd0, req.id};
                miss_tail[number] = {24'd0, req.id};
                if (hit) tag[base*Ways+way] = '0;  // a reader that wants fresh data: the old line goes
                pop = 1'b1;
                send = 1'b1;
                mem_tag = {TagRead, 16'd0, number[7:0]};
                perf_o[1] <= 1'b1;
              end
            end
          end
          L1Write, L1Atomic: begin
            if (credits != '0) begin
              if (hit && SeedFault != 4'd1) tag[base*Ways+way] = '0;
              for (int unsigned w = 0; w < Words; w++) begin
                if (busy[w] != '0 && SeedFault != 4'd2) begin
                  find_misses(w);
                  dead[w] = dead[w] | same;
                end
              end
              pop = 1'b1;
              send = 1'b1;
              mem_op = req.op == L1Write ? MEM_WRITE : MEM_ATOMIC;
              mem_tag = {req.op == L1Write ? TagWrite : TagAtomic, 16'd0, req.id};
              perf_o[3] <= 1'b1;
            end
          end
          L1Xlat: begin
            pop = credits != '0;
            send = pop;
            mem_op = MEM_XLAT;
            mem_tag = {TagXlat, 16'd0, req.id};
          end
          default: begin  // L1Inv
            if (!mem_rsp_valid_i) begin  // the acknowledge port is free
              drop_all();
              pop = 1'b1;
              ack_valid_o <= 1'b1;
              ack_slot_o <= req.id;
              ack_status_o <= MEM_OK;
            end
          end
        endcase
        if (send) begin
          credits = credits - 32'd1;
          mem_req_valid_o <= 1'b1;
          mem_req_o <= '{
              data: req.data,
              mask: req.op == L1Read ? {16'd0, acquired} : req.mask,  // of a read: acquired (view mem_read)
              addr: req.op == L1Read ? {req.addr[63:6], 6'd0} : req.addr,
              user: req.user,
              tag: mem_tag,
              gpu: '0,
              access: {5'd0, req.access} | (req.bypass && req.op == L1Read ? tlb_pkg::ACCESS_HOME : 8'd0),
              size: req.wide ? 8'd8 : 8'd4,
              atomic: {4'd0, req.atomic},
              vmid: req.vmid,
              source: '0,
              target: req.op == L1Xlat ?
                  tlb_pkg::xlat_target(8'(NumSlices)) :
                  tlb_pkg::pa_target(req.addr, own_gpu_i, 8'(NumSlices)),
              op: mem_op
          };
        end
        if (pop && req.pair && !hit2) begin  // its next line is the next request
          fifo[fifo_read].pair = 1'b0;
          fifo[fifo_read].id   = req.id2;
          fifo[fifo_read].addr = (line + 64'd1) << 6;
          moved = 1'b1;
        end else if (pop) begin
          fifo_read = fifo_read + 2'd1;
          fifo_count = fifo_count - 3'd1;
          moved = 1'b1;
        end
      end

      // ---------------- requests of the pipeline
      if (req_valid_i) begin
        fifo[fifo_write] = req_i[0];
        fifo_write = fifo_write + 2'd1;
        fifo_count = fifo_count + 3'd1;
        moved = 1'b1;
      end
      if (moved) req_ready_o <= fifo_count <= 3'd2;
      pairs_o <= hits == '1;
      awake = moved || quiet != '1 || answers != '0 || fifo_count != '0;
      if (moved || quiet != '1) quiet <= moved ? '0 : {quiet[1:0], 1'b1};

      for (int unsigned w = 0; w < Words; w++) busy_q[w] <= busy[w];
      fifo_q <= fifo_count;
      answers_q <= answers[7:0];

      if (!rst_ni) begin
        drop_all();
        for (int unsigned s = 0; s < Sets; s++) next_way[s] = '0;
        for (int unsigned w = 0; w < Words; w++) begin
          {busy[w], dead[w]} = '0;
          busy_q[w] <= '0;
        end
        {misses, fifo_count, fifo_read, fifo_write, answer_read, answer_write, answers, filled} = '0;
        credits = Credits;
        out1.valid = 1'b0;
        out2.valid = 1'b0;
        {rsp_valid_o, ack_valid_o, xlat_valid_o, mem_req_valid_o, ram_re_q, ram_we_q} <= '0;
        perf_o <= '0;
        {fifo_q, answers_q} <= '0;
        req_ready_o <= 1'b1;
        quiet <= '0;
        awake = 1'b1;
      end
    end
  end
  /* verilator lint_on BLKSEQ */

  // ---- assertions (tests/formal/l1v_fv.sv proves more of a small cache)
  localparam int unsigned Any = 32'hffff_ffff;
  logic [7:0] asked, told;  // kinds of the request to memory and of the answer in this cycle; 0: none
  assign asked = mem_req_valid_o ? mem_req_o.tag[31:24] : 8'd0;
  assign told  = mem_rsp_valid_i ? mem_rsp_i.tag[31:24] : 8'd0;
  // every request is answered once: reads and atomics with data, a pair for both its numbers, writes and invalidations,
  // translations
  logic [1:0] taken, given;  // numbers
  int unsigned numbers;
  assign taken = !req_valid_i || (req_i[0].op != L1Read && req_i[0].op != L1Atomic) ? 2'd0 : 2'd1 + 2'(req_i[0].pair);
  assign given = !rsp_valid_o ? 2'd0 : 2'd1 + 2'(rsp_o.pair);
  always_ff @(posedge clk_i) begin
    if (taken != given || !rst_ni) begin
      `GANTRY_CHECK(a_answers, numbers + 32'(taken) - 32'(given) <= NumTx)
      numbers <= rst_ni ? numbers + 32'(taken) - 32'(given) : 0;
    end
  end
  `STREAM_BOUND(a_acks, Any, req_valid_i && (req_i[0].op == L1Write || req_i[0].op == L1Inv), ack_valid_o)
  `STREAM_BOUND(a_xlats, Any, req_valid_i && req_i[0].op == L1Xlat, xlat_valid_o)
  // a request of the pipeline had a promise (req_ready_o) of a place; answers have as many as there are transactions
  `STREAM_ASSERT(a_room, req_valid_i, 32'(fifo_q) < FifoDepth)
  `STREAM_ASSERT(a_queue, mem_rsp_valid_i, 32'(answers_q) < NumTx || told == TagWrite || told == TagXlat)
  // requests to memory have a credit, and each kind its answers; a read is the one of a miss under way
  `STREAM_BOUND(a_credit, Credits, mem_req_valid_o, mem_req_credit_i)
  `STREAM_BOUND(a_reads, Mshrs, asked == TagRead, told == TagRead)
  `STREAM_BOUND(a_atomics, NumTx, asked == TagAtomic, told == TagAtomic)
  `STREAM_BOUND(a_writes, Any, asked == TagWrite, told == TagWrite)
  `STREAM_ASSERT(a_miss, told == TagRead,
                 32'(mem_rsp_i.tag[7:0]) < Mshrs && busy_q[32'(mem_rsp_i.tag[7:6])][mem_rsp_i.tag[5:0]])
  `STREAM_ASSERT(a_idle, idle_o, {rsp_valid_o, ack_valid_o, xlat_valid_o, mem_req_valid_o} == '0)
endmodule
