# SPDX-License-Identifier: Apache-2.0
# Tables with one source: generated C headers and SystemVerilog packages under build/gen.
GEN := $(B)/gen
GENERATED += $(GEN)/gantry_msg.h
$(GEN)/gantry_msg.h $(GEN)/gantry_msg_pkg.sv &: bridge/proto/messages.def sw/tools/gen_messages.py
	@mkdir -p $(GEN)
	python3 sw/tools/gen_messages.py $< $(GEN)/gantry_msg.h $(GEN)/gantry_msg_pkg.sv
