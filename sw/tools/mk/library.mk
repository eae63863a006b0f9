# SPDX-License-Identifier: Apache-2.0
# libgantry for other programs (docs/library.md): build/lib/shared/libgantry.so.1 and libgantry.a, whose only symbols are those of
# host/lib/gantry.h, by the list host/lib/gantry.map.  build/lib/libgantry.a, with all symbols, is for the command and the tests.
LIBRARY_MAJOR := $(shell sed -n 's/^.define GANTRY_LIBRARY_MAJOR //p' host/lib/gantry.h)
LIBRARY_VERSION := $(LIBRARY_MAJOR).$(shell sed -n 's/^.define GANTRY_LIBRARY_MINOR //p' host/lib/gantry.h).$(shell sed -n 's/^.define GANTRY_LIBRARY_PATCH //p' host/lib/gantry.h)
SHARED := $(B)/lib/shared
LIBRARY_OBJ := $(patsubst %.c,$(B)/obj/%.o,$(wildcard host/lib/*.c))
LIBRARY_SYMBOLS := $(shell sed -n 's/^ *\(gantry_[a-z_]*\);.*/\1/p' host/lib/gantry.map)

lib:  ## libgantry.so and libgantry.a for other programs
	$(call step,building the library,2,lib-files)
lib-files: $(SHARED)/libgantry.so.$(LIBRARY_VERSION) $(SHARED)/libgantry.a
$(SHARED)/libgantry.so.$(LIBRARY_VERSION): $(B)/lib/libgantry.a host/lib/gantry.map host/lib/gantry.h
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(filter -fsanitize%,$(CC)) -shared -Wl,-soname,libgantry.so.$(LIBRARY_MAJOR) -Wl,--version-script=host/lib/gantry.map -Wl,-z,defs -o $@ $(LIBRARY_OBJ) $(B)/lib/libgantry.a $(LDLIBS)
	@ln -sf $(@F) $(@D)/libgantry.so.$(LIBRARY_MAJOR)
	@ln -sf $(@F) $(@D)/libgantry.so
# One object with what the library needs of the archive; all other names in it are local.
$(SHARED)/libgantry.a: $(B)/lib/libgantry.a host/lib/gantry.map
	@mkdir -p $(@D)
	@rm -f $@
	$(call say,AR)
	$(Q)ld -r -o $(SHARED)/libgantry.o $(LIBRARY_OBJ) $(B)/lib/libgantry.a
	$(Q)objcopy $(addprefix --keep-global-symbol=,$(LIBRARY_SYMBOLS)) $(SHARED)/libgantry.o
	$(Q)ar rcs $@ $(SHARED)/libgantry.o
	@rm -f $(SHARED)/libgantry.o
.PHONY: lib lib-files
