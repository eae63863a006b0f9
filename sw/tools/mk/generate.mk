# SPDX-License-Identifier: Apache-2.0
# Tables with one source: generated C headers and SystemVerilog packages under build/gen.
GEN := $(B)/gen
GENERATED += $(GEN)/gantry_msg.h
$(GEN)/gantry_msg.h $(GEN)/gantry_msg_pkg.sv &: bridge/proto/messages.def sw/tools/gen/gen_messages.py
	@mkdir -p $(GEN)
	$(Q)python3 sw/tools/gen/gen_messages.py $< $(GEN)/gantry_msg.h $(GEN)/gantry_msg_pkg.sv
GENERATED += $(GEN)/gantry_stream.h
$(GEN)/gantry_stream.h $(GEN)/gantry_stream_pkg.sv &: bridge/proto/stream.def sw/tools/gen/gen_messages.py
	@mkdir -p $(GEN)
	$(Q)python3 sw/tools/gen/gen_messages.py $< $(GEN)/gantry_stream.h $(GEN)/gantry_stream_pkg.sv
GENERATED += $(GEN)/gantry_msg_fields.h
$(GEN)/gantry_msg_fields.h: bridge/proto/messages.def sw/tools/gen/gen_fields.py
	@mkdir -p $(GEN)
	$(Q)python3 sw/tools/gen/gen_fields.py $< $@
# The links of a GPU, which rtl/gpu/gpu.sv is held against, too (sw/tools/check/check_links.py).
GENERATED += $(GEN)/gantry_links.h
$(GEN)/gantry_links.h: rtl/gpu/links.yaml bridge/verilated/partitions.yaml configs/params.def sw/tools/gen/gen_links.py sw/tools/gen/gen_params.py
	@mkdir -p $(GEN)
	$(Q)$(PY) sw/tools/gen/gen_links.py $@
# Ports of the partitions for the models that tests write in C.
GENERATED += $(GEN)/gantry_ports.h
$(GEN)/gantry_ports.h: bridge/verilated/partitions.yaml bridge/proto/messages.def sw/tools/gen/gen_ports.py sw/tools/gen/gen_wrappers.py sw/tools/gen/gen_messages.py
	@mkdir -p $(GEN)
	$(Q)$(PY) sw/tools/gen/gen_ports.py $@
# Numbers of the counters of each partition for RTL.
GENERATED += $(GEN)/gantry_counters_pkg.sv
$(GEN)/gantry_counters_pkg.sv: bridge/verilated/partitions.yaml sw/tools/gen/gen_counters.py sw/tools/gen/gen_wrappers.py
	@mkdir -p $(GEN)
	$(Q)$(PY) sw/tools/gen/gen_counters.py $@
# The commit of the tree, for --version and run.json (host/config/version.c): written when it has changed; nothing is compiled for it.
COMMIT := $(shell git -C $(CURDIR) describe --always --abbrev=12 --exclude '*' --dirty=+ 2>/dev/null || echo unknown)
ifneq ($(COMMIT),$(shell cat $(GEN)/commit 2>/dev/null))
.PHONY: $(GEN)/commit
endif
all-files: $(GEN)/commit
$(GEN)/commit:
	@mkdir -p $(GEN)
	@echo '$(COMMIT)' >$@
