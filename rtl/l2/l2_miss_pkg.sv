// SPDX-License-Identifier: Apache-2.0
// Miss path of an L2 slice: what goes to DRAM.  Contents (messages to the store) leave in the order of stage 4, at most one a
// cycle; so neither a fetch nor a later write overtakes the write of a victim.  Their times (commands to the channels) wait
// in a queue for each channel: a busy channel stops only what needs it.
// Responsible for: both queues, the eras of writes (l2_flush_pkg).  Not responsible for: times (dram_channel).
package l2_miss_pkg;
  import gantry_msg_pkg::*;
  import l2_pkg::*;
  import l2_data_pkg::*;

  localparam int unsigned StorePlaces = 8;   // messages to the store that wait
  localparam int unsigned QueuePlaces = 32;  // commands that wait for a channel
  localparam logic [5:0] QueueSlow = 6'd16;  // from here on requests that need the channel wait aside
  localparam logic [5:0] QueueFlush = 6'd20; // from here on a flush waits
  localparam logic [5:0] QueueFull = 6'd24;  // from here on the lookup stands: what it holds may add two for each stage

  // Command to a channel.
  typedef struct packed {
    logic        write;
    logic [7:0]  id;    // of a read: MSHR; of a write: era
    logic [31:0] line;  // within the channel
  } command_t;

  typedef struct {
    dram_req_t store[StorePlaces];
    logic [2:0] store_first;
    logic [3:0] store_count;
    command_t command[Channels * QueuePlaces];
    logic [4:0] first[Channels];
    logic [3:0][5:0] count;
    chan_t turn;
    logic [15:0] writes[2];  // of an era: decided and not yet in DRAM
    logic era;               // of what is decided now
  } queues_t;

  function automatic void queues_reset(ref queues_t q);
    for (int unsigned c = 0; c < Channels; c++) q.first[c] = 5'd0;
    q.store_first = 3'd0;
    q.store_count = 4'd0;
    q.count       = '0;
    q.turn        = '0;
    q.writes[0]   = 16'd0;
    q.writes[1]   = 16'd0;
    q.era         = 1'b0;
  endfunction

  function automatic command_t fetch_command(input line_no_t line, input mshr_no_t mshr);
    return '{write: 1'b0, id: 8'(mshr), line: channel_line(line)};
  endfunction

  function automatic command_t write_command(input line_no_t line, input logic era);
    return '{write: 1'b1, id: {7'd0, era}, line: channel_line(line)};
  endfunction

  // Messages to the store.
  function automatic dram_req_t fetch_message(input logic [63:0] addr, input mshr_no_t mshr);
    return '{write: 8'd0, pad0: '0, tag: 32'(mshr), addr: addr, mask: 64'd0, data: '0};
  endfunction

  function automatic dram_req_t write_message(input logic [63:0] addr, input logic [63:0] mask, input words_t words);
    return '{write: 8'd1, pad0: '0, tag: 32'd0, addr: addr, mask: mask, data: words};
  endfunction

  // Channels (a bit each) that stand at `limit`.
  function automatic chans_t at_limit(ref queues_t q, input logic [5:0] limit);
    return chans_t'({q.count[3] >= limit, q.count[2] >= limit, q.count[1] >= limit, q.count[0] >= limit});
  endfunction

  // A message waits for its turn.
  function automatic void queue_message(ref queues_t q, const ref dram_req_t message);
    q.store[q.store_first+q.store_count[2:0]] = message;
    q.store_count = q.store_count + 4'd1;
  endfunction

  function automatic void queue_command(ref queues_t q, input chan_t c, input command_t command);
    logic [4:0] last;  // places of a channel are a ring
    last = q.first[c] + q.count[2'(c)][4:0];
    q.command[32'(c)*QueuePlaces+32'(last)] = command;
    q.count[2'(c)] = q.count[2'(c)] + 6'd1;
  endfunction

  // A command leaves.
  function automatic command_t take_command(ref queues_t q, input chan_t c);
    command_t command;
    command    = q.command[32'(c)*QueuePlaces+32'(q.first[c])];
    q.first[c] = q.first[c] + 5'd1;
    q.count[2'(c)] = q.count[2'(c)] - 6'd1;
    return command;
  endfunction
endpackage
