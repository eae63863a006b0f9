# SPDX-License-Identifier: Apache-2.0
# Instruction decoders (C table, SystemVerilog package) from host/gcn3/opcodes.tsv.
GENERATED += $(B)/gen/gcn3_ops.h
$(B)/gen/gcn3_ops.h $(B)/gen/gcn3_pkg.sv &: host/gcn3/opcodes.tsv host/gcn3/gcn3_pkg.sv.in sw/tools/gen_opcodes.py
	@mkdir -p $(B)/gen
	python3 sw/tools/gen_opcodes.py host/gcn3/opcodes.tsv host/gcn3/gcn3_pkg.sv.in $(B)/gen/gcn3_ops.h $(B)/gen/gcn3_pkg.sv
