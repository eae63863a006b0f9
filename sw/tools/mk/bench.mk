# SPDX-License-Identifier: Apache-2.0
# Two processes that send each other messages by bridge/link's operations (make bench).
$(B)/bench_link: sw/tools/speed/bench_link.c $(B)/lib/libgantry.a
	$(Q)$(CC) $(CFLAGS) -o $@ $< $(B)/lib/libgantry.a $(LDLIBS)
