// SPDX-License-Identifier: Apache-2.0
// Miss path of an L2 slice: what goes to DRAM.  Contents (messages to the store) leave in the order of stage 4, at most one a
// cycle; so neither a fetch nor a later write overtakes the write of a victim.  Their times (commands to the channels) wait
// in a queue for each channel: a busy channel stops only what needs it.
// Responsible for: types and pure functions.  Not responsible for: the queues (l2_slice), times (dram_channel).
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

  function automatic command_t fetch_command(input line_no_t line, input mshr_no_t mshr, input shape_t shape);
    return '{write: 1'b0, id: mshr, line: channel_line(line, shape)};
  endfunction

  function automatic command_t write_command(input line_no_t line, input logic era, input shape_t shape);
    return '{write: 1'b1, id: 8'(era), line: channel_line(line, shape)};
  endfunction

  // Messages to the store.
  function automatic dram_req_t fetch_message(input logic [63:0] addr, input mshr_no_t mshr);
    return '{write: 8'd0, pad0: '0, tag: 32'(mshr), addr: addr, mask: 64'd0, data: '0};
  endfunction

  function automatic dram_req_t write_message(input logic [63:0] addr, input logic [63:0] mask, input words_t words);
    return '{write: 8'd1, pad0: '0, tag: 32'd0, addr: addr, mask: mask, data: words};
  endfunction

  // Channels (a bit each) that stand at `limit`.
  function automatic logic [3:0] at_limit(input logic [3:0][5:0] count, input logic [5:0] limit);
    return {count[3] >= limit, count[2] >= limit, count[1] >= limit, count[0] >= limit};
  endfunction
endpackage
