# The Loop Inversion: builds the programs, the tests, the measurements and the book.
# `make help` lists what you can ask for. Everything made lies under build/.

BUILD ?= build
CC ?= cc
OPTIMIZE ?= -O2
SANITIZE ?=
WARNINGS = -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Werror
CFLAGS = -std=c11 $(OPTIMIZE) -g -pthread $(WARNINGS) $(SANITIZE)
CPPFLAGS = -Icode -D_GNU_SOURCE -D_DARWIN_C_SOURCE -MMD -MP
LDFLAGS = -pthread $(SANITIZE)

# A room is a folder of code/. main.c makes build/NN-name, NAME_main.c makes build/NAME,
# test_NAME.c makes a test. 07 and 99 make tools, which need libraries; no server does.
SOURCES := $(wildcard code/*/*.c)
TESTS   := $(filter-out %/test_support.c,$(filter code/%,$(wildcard code/*/test_*.c)))
MAINS   := $(wildcard code/*/main.c)
TOOLS   := $(wildcard code/*/*_main.c)
PARTS   := $(filter-out $(wildcard code/*/test_*.c) $(MAINS) $(TOOLS),$(SOURCES))

object   = $(patsubst code/%.c,$(BUILD)/obj/%.o,$(1))
room_of  = $(word 2,$(subst /, ,$(1)))
SERVERS  := $(foreach m,$(MAINS),$(BUILD)/$(call room_of,$(m)))
TOOLBINS := $(patsubst %_main.c,$(BUILD)/%,$(notdir $(TOOLS)))
TESTBINS := $(foreach t,$(TESTS),$(BUILD)/tests/$(call room_of,$(t))-$(basename $(notdir $(t))))
TOOL_PARTS   := $(filter code/07-% code/99-%,$(PARTS))
SERVER_PARTS := $(filter-out $(TOOL_PARTS),$(PARTS))
TOOL_LIBS = -ljansson -lcmark-gfm-extensions -lcmark-gfm

.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: all servers tools
all: servers tools
servers: $(SERVERS)
tools: $(TOOLBINS)

$(BUILD)/obj/%.o: code/%.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

$(BUILD)/servers.a: $(call object,$(SERVER_PARTS))
	rm -f $@ && ar rcs $@ $^
$(BUILD)/tools.a: $(call object,$(TOOL_PARTS))
	rm -f $@ && ar rcs $@ $^

define server_rule
$(BUILD)/$(call room_of,$(1)): $(call object,$(1)) $(BUILD)/servers.a
	$$(CC) $$(LDFLAGS) -o $$@ $$^
endef
$(foreach m,$(MAINS),$(eval $(call server_rule,$(m))))

define tool_rule
$(BUILD)/$(patsubst %_main.c,%,$(notdir $(1))): $(call object,$(1)) $(BUILD)/tools.a $(BUILD)/servers.a
	$$(CC) $$(LDFLAGS) -o $$@ $$^ $$(TOOL_LIBS)
endef
$(foreach t,$(TOOLS),$(eval $(call tool_rule,$(t))))

define test_rule
$(BUILD)/tests/$(call room_of,$(1))-$(basename $(notdir $(1))): $(call object,$(1)) \
        $(call object,code/00-ground/test_support.c) \
        $(if $(filter 07-% 99-%,$(call room_of,$(1))),$(BUILD)/tools.a) $(BUILD)/servers.a
	@mkdir -p $$(@D)
	$$(CC) $$(LDFLAGS) -o $$@ $$^ -lcriterion $(if $(filter 07-% 99-%,$(call room_of,$(1))),$(TOOL_LIBS))
endef
$(foreach t,$(TESTS),$(eval $(call test_rule,$(t))))

-include $(patsubst %.o,%.d,$(call object,$(SOURCES)))
