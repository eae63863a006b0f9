# SPDX-License-Identifier: Apache-2.0
# Instruction decoders (C table, SystemVerilog package) from host/isa/opcodes.tsv.
GENERATED += $(B)/gen/gcn3_ops.h
$(B)/gen/gcn3_ops.h $(B)/gen/gcn3_pkg.sv &: host/isa/opcodes.tsv host/isa/gcn3_pkg.sv.in sw/tools/gen/gen_opcodes.py
	@mkdir -p $(B)/gen
	$(Q)python3 sw/tools/gen/gen_opcodes.py host/isa/opcodes.tsv host/isa/gcn3_pkg.sv.in $(B)/gen/gcn3_ops.h $(B)/gen/gcn3_pkg.sv

# Tables of the transcendental operations.
GENERATED += $(B)/gen/trans_tables.h
$(B)/gen/trans_tables.h $(B)/gen/trans_tables_pkg.sv &: sw/tools/gen/gen_tables.c
	@mkdir -p $(B)/gen $(B)/obj/sw
	$(Q)$(CC) -std=c11 -O2 -Wall -o $(B)/obj/sw/gen_tables $< -lmpfr -lgmp
	$(Q)$(B)/obj/sw/gen_tables $(B)/gen/trans_tables.h $(B)/gen/trans_tables_pkg.sv

# The golden model computes floats on the host: no contraction, rounding mode as set.  Loops over 64 lanes stay loops: a
# call of memcpy costs more than the copy (clang, for sanitizers, does not know the flag).
$(foreach room,isa valu golden lockstep,$(B)/obj/host/$(room)/%.o): CFLAGS += -ffp-contract=off -frounding-math -fno-math-errno $(if $(findstring clang,$(CC)),,-fno-tree-loop-distribute-patterns)
$(B)/obj/host/valu/valu_fma.o: CFLAGS += -fno-rounding-math
$(B)/obj/host/isa/disasm.o: CFLAGS += -I$(shell llvm-config-19 --includedir 2>/dev/null)
