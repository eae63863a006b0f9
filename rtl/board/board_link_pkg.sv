// SPDX-License-Identifier: Apache-2.0
// Sizes and types between the parts of board_link (docs/reference/board.md).
package board_link_pkg;
  import gantry_stream_pkg::*;

  localparam int unsigned FramePayload = 496;  // bytes, at most
  localparam int unsigned HelloBytes = HelloBits / 8;
  localparam int unsigned PacketBytes = 510;   // a full USB packet of the chip, without its status
  localparam int unsigned FullUnits = 8;       // units of `room` of the largest frame
  localparam int unsigned TellUnits = 16;      // so much more room is worth an ACK

  typedef logic [8:0] length_t;  // bytes of a payload

  // A frame to be sent.  Its acknowledgement and room are those of the time at which its head goes out.
  typedef struct packed {
    logic [7:0] type_;
    logic [7:0] seq;
    length_t    length;
    logic       flush;   // the host waits for it
  } frame_t;

  // What is kept of the host's HELLO: its bytes 2 to 9.
  typedef struct packed {
    logic [15:0] id;
    logic [31:0] nonce;
    logic [7:0]  pad0;
    logic [7:0]  flags;
  } question_t;
  localparam int unsigned QuestionEnd = 10;  // bytes of a hello, to its end

  // How much of `room` a frame takes.
  function automatic logic [3:0] frame_units(input length_t length);
    return 4'((32'(length) + 32'(FRAME_UNIT) - 32'd1) / 32'(FRAME_UNIT));
  endfunction

  // Type and length as a sender writes them.  Any other head is not looked at: its length would lead past the next frame.
  function automatic logic head_legal(input logic [7:0] kind, input logic [15:0] length);
    case (kind)
      FRAME_DATA:                     return length != '0 && length <= 16'(FramePayload);
      FRAME_HELLO:                    return length == 16'(HelloBytes);
      FRAME_ACK, FRAME_NAK, FRAME_BYE: return length == '0;
      default:                        return 1'b0;
    endcase
  endfunction
endpackage
