// SPDX-License-Identifier: Apache-2.0
// Scalar bit-vector choices for use inside gated always_ff blocks: first set bit, round robin, runs of free bits.
// Responsible for: pure functions on 64 and 128 bits without loops (fast in simulation, shallow in gates).
// Not responsible for: state (the round-robin pointer belongs to the caller; rr_arbiter is the module form).
package pick_pkg;
  // Index of the lowest set bit; 0 when none is set.
  function automatic logic [5:0] first64(input logic [63:0] bits);
    logic [63:0] one;
    one = bits & (~bits + 64'd1);
    return {(one & 64'hFFFFFFFF00000000) != 64'd0, (one & 64'hFFFF0000FFFF0000) != 64'd0,
            (one & 64'hFF00FF00FF00FF00) != 64'd0, (one & 64'hF0F0F0F0F0F0F0F0) != 64'd0,
            (one & 64'hCCCCCCCCCCCCCCCC) != 64'd0, (one & 64'hAAAAAAAAAAAAAAAA) != 64'd0};
  endfunction

  function automatic logic [6:0] first128(input logic [127:0] bits);
    logic [63:0] low, high;
    low  = bits[63:0];
    high = bits[127:64];
    return {low == 64'd0, first64(low != 64'd0 ? low : high)};
  endfunction

  // Round robin: the first request at or after `pointer`, else the first of all.  Valid only if requests != 0.
  // After a grant the caller sets pointer = grant + 1 (modulo the number of requesters).
  function automatic logic [5:0] rr64(input logic [63:0] requests, input logic [5:0] pointer);
    logic [63:0] ahead;
    ahead = requests & (64'hFFFFFFFFFFFFFFFF << pointer);
    return first64(ahead != 64'd0 ? ahead : requests);
  endfunction

  function automatic logic [6:0] rr128(input logic [127:0] requests, input logic [6:0] pointer);
    logic [63:0] low, high, low_ahead, high_ahead;
    logic [63:0] mask;
    mask       = 64'hFFFFFFFFFFFFFFFF << pointer[5:0];
    low        = requests[63:0];
    high       = requests[127:64];
    low_ahead  = pointer[6] ? 64'd0 : low & mask;
    high_ahead = pointer[6] ? high & mask : high;
    if (low_ahead != 64'd0) return {1'b0, first64(low_ahead)};
    if (high_ahead != 64'd0) return {1'b1, first64(high_ahead)};
    return {low == 64'd0, first64(low != 64'd0 ? low : high)};
  endfunction

  // Mask of `count` ones from bit 0 (count 0..64).
  function automatic logic [63:0] ones64(input logic [6:0] count);
    return count >= 7'd64 ? 64'hFFFFFFFFFFFFFFFF : (64'd1 << count[5:0]) - 64'd1;
  endfunction

  // Bit i of the result: free[i +: count] are all ones (count 1..64; bits above 63 count as used).
  function automatic logic [63:0] runs64(input logic [63:0] free, input logic [6:0] count);
    logic [63:0] r;
    logic [6:0] done, want, step;
    want = count;
    r    = free;
    done = 7'd1;
    // doubling: after each step r marks starts of runs of length `done`
    step = want - done < done ? want - done : done;
    r    = r & (r >> step[5:0]);
    done = done + step;
    step = want - done < done ? want - done : done;
    r    = r & (r >> step[5:0]);
    done = done + step;
    step = want - done < done ? want - done : done;
    r    = r & (r >> step[5:0]);
    done = done + step;
    step = want - done < done ? want - done : done;
    r    = r & (r >> step[5:0]);
    done = done + step;
    step = want - done < done ? want - done : done;
    r    = r & (r >> step[5:0]);
    done = done + step;
    step = want - done < done ? want - done : done;
    r    = r & (r >> step[5:0]);
    return r;
  endfunction

  function automatic logic [6:0] count64(input logic [63:0] bits);
    logic [63:0] c;
    c = bits - ((bits >> 1) & 64'h5555555555555555);
    c = (c & 64'h3333333333333333) + ((c >> 2) & 64'h3333333333333333);
    c = (c + (c >> 4)) & 64'h0F0F0F0F0F0F0F0F;
    c = c + (c >> 8);
    c = c + (c >> 16);
    c = c + (c >> 32);
    return c[6:0];
  endfunction
endpackage
