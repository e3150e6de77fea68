# The Loop Inversion: builds the programs, the tests, the measurements and the book.
# `make help` lists what you can ask for. Everything made lies under build/.

BUILD ?= build
CC ?= cc
OPTIMIZE ?= -O2
SANITIZE ?=
# Homebrew keeps what it installs where the compiler doesn't look.
BREW := $(if $(filter Darwin,$(shell uname -s)),$(shell brew --prefix 2>/dev/null))
# Chapter 12 holds its parser against this library, where there is one. No server links it.
HTTP_PARSER := $(if $(wildcard /usr/include/http_parser.h $(if $(BREW),$(BREW)/include/http_parser.h)),-lhttp_parser)
WARNINGS = -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Werror
CFLAGS = -std=c11 $(OPTIMIZE) -g -pthread $(WARNINGS) $(SANITIZE)
CPPFLAGS = -Icode -D_GNU_SOURCE -D_DARWIN_C_SOURCE -MMD -MP $(if $(BREW),-I$(BREW)/include) \
    $(if $(HTTP_PARSER),-DHAVE_HTTP_PARSER)
LDFLAGS = -pthread $(SANITIZE) $(if $(BREW),-L$(BREW)/lib)

# A room is a folder of code/. main.c makes build/NN-name, NAME_main.c makes build/NAME,
# test_NAME.c makes a test, into which every test_support*.c is linked. The tools' own
# parts are kept apart from the servers': some of them need libraries, and no server does.
SOURCES := $(wildcard code/*/*.c)
SHARED  := $(wildcard code/*/test_support*.c)
TESTS   := $(filter-out $(SHARED),$(wildcard code/*/test_*.c))
MAINS   := $(wildcard code/*/main.c)
TOOLS   := $(wildcard code/*/*_main.c)
PARTS   := $(filter-out $(wildcard code/*/test_*.c) $(MAINS) $(TOOLS),$(SOURCES))

object   = $(patsubst code/%.c,$(BUILD)/obj/%.o,$(1))
room_of  = $(word 2,$(subst /, ,$(1)))
SERVERS  := $(foreach m,$(MAINS),$(BUILD)/$(call room_of,$(m)))
TOOLBINS := $(patsubst %_main.c,$(BUILD)/%,$(notdir $(TOOLS)))
TESTBINS := $(foreach t,$(TESTS),$(BUILD)/tests/$(call room_of,$(t))-$(basename $(notdir $(t))))
TOOL_PARTS   := $(filter code/07-% code/99-% \
    code/11-stepped/stop_probe_% code/11-stepped/stress_% code/12-levers/bench_%,$(PARTS))
SERVER_PARTS := $(filter-out $(TOOL_PARTS),$(PARTS))
TOOL_ROOMS   := $(sort $(foreach p,$(TOOL_PARTS),$(call room_of,$(p))))
CRITERION ?= -lcriterion

.DELETE_ON_ERROR:
# These call make again; two of them side by side would build the same file at once.
ifneq ($(filter taste reproduce run-% exp-% test sanitize upto book weave-check transcripts% \
          smoke stress sabotage,\
          $(filter-out run-tests,$(MAKECMDGOALS))),)
.NOTPARALLEL:
endif
.PHONY: all servers tools
all: servers tools     ## build every program
servers: $(SERVERS)
tools: $(TOOLBINS)

$(BUILD)/obj/%.o: code/%.c Makefile
	@mkdir -p $(@D)
	@echo "cc $<"; $(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

$(BUILD)/servers.a: $(call object,$(SERVER_PARTS))
	@rm -f $@ && ar rcs $@ $^
$(BUILD)/tools.a: $(call object,$(TOOL_PARTS))
	@rm -f $@ && ar rcs $@ $^

define server_rule
$(BUILD)/$(call room_of,$(1)): $(call object,$(1)) $(BUILD)/servers.a
	@$$(CC) $$(LDFLAGS) -o $$@ $$^
endef
$(foreach m,$(MAINS),$(eval $(call server_rule,$(m))))

define tool_rule
$(BUILD)/$(patsubst %_main.c,%,$(notdir $(1))): $(call object,$(1)) $(BUILD)/tools.a $(BUILD)/servers.a
	@$$(CC) $$(LDFLAGS) -o $$@ $$^ $$(LIBS)
endef
$(foreach t,$(TOOLS),$(eval $(call tool_rule,$(t))))

define test_rule
$(BUILD)/tests/$(call room_of,$(1))-$(basename $(notdir $(1))): $(call object,$(1)) \
        $(call object,$(SHARED)) \
        $(if $(filter $(TOOL_ROOMS),$(call room_of,$(1))),$(BUILD)/tools.a) $(BUILD)/servers.a
	@mkdir -p $$(@D)
	@$$(CC) $$(LDFLAGS) -o $$@ $$^ $(CRITERION) $$(LIBS)
endef
$(foreach t,$(TESTS),$(eval $(call test_rule,$(t))))

# Whoever isn't named here needs no library.
$(addprefix $(BUILD)/,ab calibrate ledger): LIBS = -ljansson -lm
$(BUILD)/weave $(filter $(BUILD)/tests/07-% $(BUILD)/tests/99-%,$(TESTBINS)): \
    LIBS = -ljansson -lcmark-gfm-extensions -lcmark-gfm -lm
$(BUILD)/parse-bench $(filter $(BUILD)/tests/12-%,$(TESTBINS)): LIBS = $(HTTP_PARSER) -lm

-include $(patsubst %.o,%.d,$(call object,$(SOURCES)))

# What an experiment has to know of this build.
PASS_ON = BUILD="$(BUILD)" CC="$(CC)" CFLAGS="$(CFLAGS)"

# --- What a reader types ----------------------------------------------------------------

.PHONY: help taste reproduce test sanitize lint book weave-check transcripts transcripts-check upto clean

help:                  ## list what you can ask for
	@sed -n 's/^\([a-zN%-]*\):[^#]*## /  make \1	/p' Makefile | sed 's/-%/-NN/; s/upto/upto N=NN/' | expand -t 28

taste:                 ## the inversion beside the pump, in a minute
	@experiments/setup taste
	@$(MAKE) --no-print-directory servers >/dev/null
	@experiments/taste

reproduce:             ## install what is missing, build, measure, print the ledger, make the book
	@$(if $(filter full,$(PROFILE)),echo "PROFILE=full: measuring takes about $$(experiments/estimate) minutes on quiet cores")
	@experiments/setup reproduce
	@echo "1 of 4: building"
	@$(MAKE) --no-print-directory -s all
	@echo "2 of 4: measuring"
	@for run in experiments/[0-9]*/run; do ROW= $(PASS_ON) $$run >/dev/null || exit 1; done
	@for room in 06-pump 08-inversion; do $(PASS_ON) figures/trace $$room || exit 1; done
	@echo "3 of 4: the ledger"
	@$(BUILD)/ledger
	@echo "4 of 4: the book"
	@$(MAKE) --no-print-directory -s book

run-%:                 ## run one chapter's program on port 8080: make run-06
	@experiments/setup taste
	@program=$$(ls -d code/$*-*/main.c 2>/dev/null | cut -d/ -f2); \
	[ -n "$$program" ] || { echo "no program has the number $*; these have one:" \
	    $$(ls code/*/main.c | sed "s,code/\(..\).*,\1,") >&2; exit 2; }; \
	$(MAKE) --no-print-directory -s $(BUILD)/$$program && echo "Stop it with Ctrl-C." && \
	exec $(BUILD)/$$program --port 8080 $(if $(filter 01,$*),,--stats)

exp-%:                 ## run one chapter's experiment: make exp-06, and show one row: ROW=W2
	@[ -x experiments/$*-*/run ] || { echo "no experiment has the number $*; these have one:" \
	    $$(ls experiments/*/run | sed "s,experiments/\(..\).*,\1,") >&2; exit 2; }
	@[ -z "$(ROW)" ] || grep -qF '"id": "$(ROW)",' experiments/$*-*/claims.json || \
	    { echo "experiment $* has no row $(ROW); build/ledger $* lists them" >&2; exit 2; }
	@experiments/setup reproduce
	@$(MAKE) --no-print-directory -s all
	@ROW="$(ROW)" $(PASS_ON) experiments/$*-*/run

test:                  ## install what is missing, build, run all tests
	@experiments/setup test
	@$(MAKE) --no-print-directory run-tests

# Four at a time, since most of a test's time is spent waiting for a server; those of the
# later rooms take longest, and begin. What each prints is shown when it has ended.
.PHONY: run-tests test-programs
test-programs: $(SERVERS) $(TOOLBINS) $(TESTBINS)
run-tests: test-programs
	@rm -f $(BUILD)/tests/*.failed $(BUILD)/tests/*.took
	@printf '%s\n' $(TESTBINS) | sort -r | BUILD=$(BUILD) xargs -P 4 -n 1 sh -c '\
	    began=$$(date +%s); \
	    { echo "$$1"; "$$1" || { echo "$$1 failed"; : >"$$1.failed"; }; } >"$$1.log" 2>&1; \
	    echo "$$(($$(date +%s) - began)) s $$1" >"$$1.took"; cat "$$1.log"' sh
	@echo "the ten that took longest:"; cat $(BUILD)/tests/*.took | sort -rn | head -10
	@if ls $(BUILD)/tests/*.failed >/dev/null 2>&1; then echo "these test programs failed:"; \
	    ls $(BUILD)/tests/*.failed | sed 's/\.failed$$//'; exit 1; fi
	@echo "all $(words $(TESTBINS)) test programs passed"

sanitize: asan tsan    ## all tests under ASan and UBSan, those with threads under TSan

.PHONY: asan tsan
asan:
	@experiments/setup test
	$(MAKE) BUILD=$(BUILD)/asan OPTIMIZE=-O1 run-tests \
	    SANITIZE="-fsanitize=address,undefined -fno-sanitize-recover=all"
tsan:
	@experiments/setup test
	$(MAKE) BUILD=$(BUILD)/tsan OPTIMIZE=-O1 CRITERION= run-tests \
	    SANITIZE="-fsanitize=thread -isystem code/00-ground/test_tsan" \
	    TESTS="$(filter code/04-% code/05-% code/06-% code/12-levers/test_outbox_list.c \
	        code/12-levers/test_pump.c,$(TESTS))" TOOLBINS=

# What is built already is copied with its times, so that nothing is compiled twice. An
# object that depends on a header of a later room is compiled again, and fails.
upto:                  ## build and test the rooms up to one of them alone: make upto N=04
	@[ -n "$(N)" ] || { echo "make upto N=04: which room is the last?" >&2; exit 2; }
	@rm -rf $(BUILD)/upto-$(N) && mkdir -p $(BUILD)/upto-$(N)/code $(BUILD)/upto-$(N)/build/obj
	@for room in code/*/; do name=$$(basename $$room); \
	    [ "$${name%%-*}" -le "$(N)" ] || continue; \
	    cp -Rp $$room $(BUILD)/upto-$(N)/code/$$name; \
	    [ "$(BUILD)" != build ] || [ ! -d build/obj/$$name ] || \
	        cp -Rp build/obj/$$name build/upto-$(N)/build/obj/; done
	@cp -Rp Makefile experiments $(BUILD)/upto-$(N)/
	$(MAKE) -C $(BUILD)/upto-$(N) BUILD=build run-tests

# How a server stops (chapter 11).
.PHONY: smoke stress sabotage gate-programs
gate-programs:
	@experiments/setup test
	@$(MAKE) --no-print-directory -s servers $(BUILD)/stress $(BUILD)/recycle-probe

smoke: gate-programs   ## is what is in flight answered in time when a server is told to stop?
	@BUILD=$(BUILD) experiments/smoke

stress: gate-programs  ## ... in the middle of traffic? make stress N=30 HOGS=8
	@BUILD=$(BUILD) experiments/stress $(or $(N),5) $(or $(HOGS),0) $(SEED)

sabotage: gate-programs ## put each fault back: does its gate catch it?
	@BUILD=$(BUILD) experiments/sabotage

.PHONY: models
models:                ## check the models of what two threads do to each other
	@experiments/setup models
	@BUILD=$(BUILD) CC="$(CC)" experiments/models

# libFuzzer and the sanitizers come with clang alone, so it has a build of its own.
FUZZED := $(call object,$(filter code/00-% code/02-% code/03-%,$(PARTS)) \
    $(wildcard code/03-request/test_support_fuzz*.c))
SECONDS = 60

.PHONY: fuzz
fuzz:                  ## look for bytes that break the connection: make fuzz SECONDS=60
	@BUILD=$(BUILD) experiments/fuzz $(WHAT) $(SECONDS)

$(BUILD)/fuzz-conn: $(FUZZED)
	@$(CC) $(LDFLAGS) -fsanitize=fuzzer -o $@ $^

# The same for chapter 12's parser, with the plain one beside it: make fuzz WHAT=parser
FUZZED_PARSER := $(call object,$(filter code/00-% code/02-% code/03-% \
    code/12-levers/parse_fast.c,$(PARTS)) code/12-levers/test_support_parsers.c)

$(BUILD)/fuzz-parser: experiments/12-levers/fuzz_parser.c $(FUZZED_PARSER)
	@$(CC) $(CPPFLAGS) -MF $@.d $(CFLAGS) $(LDFLAGS) -fsanitize=fuzzer -o $@ $^

# DIFFERENTIAL and SEED are the test's.
.PHONY: differential
differential: $(BUILD)/tests/12-levers-test_differential ## do the parsers agree on N changed requests? N=10000000 SEED=1
	@DIFFERENTIAL=$(or $(N),10000000) SEED=$(SEED) $<

# --- The book ---------------------------------------------------------------------------

FIGURES := $(patsubst figures/%.pikchr,$(BUILD)/figures/%.svg,$(wildcard figures/*.pikchr)) \
           $(patsubst figures/%.gp,$(BUILD)/figures/%.svg,$(wildcard figures/*.gp))
REFERENCE := $(wildcard experiments/results/reference/*/*)

$(BUILD)/figures/%.svg: figures/%.pikchr figures/finish
	@mkdir -p $(@D)
	fossil pikchr $< | figures/finish $* >$@
$(BUILD)/figures/%.svg: figures/%.gp $(wildcard figures/*.gnuplot) figures/timeline figures/finish $(REFERENCE)
	@mkdir -p $(@D)
	gnuplot $< | figures/finish $* >$@

book:                  ## make the book: build/book/index.html
	@experiments/setup book
	@$(MAKE) --no-print-directory -s woven

weave-check:           ## does the book show every line, and is every link good?
	@experiments/setup book
	@$(MAKE) --no-print-directory -s weave-checked

transcripts:           ## run again every command whose output the book shows
	@experiments/setup book
	@$(MAKE) --no-print-directory -s all
	@experiments/transcripts
	@experiments/readme

transcripts-check:     ## has such an output changed in more than its numbers?
	@experiments/setup book
	@$(MAKE) --no-print-directory -s all
	@experiments/transcripts --check
	@experiments/readme --check

exercises:             ## do the patches in the answers still apply and build?
	@experiments/setup test
	@BUILD=$(BUILD) experiments/exercises

.PHONY: woven weave-checked exercises
woven: $(BUILD)/weave $(FIGURES)
	@rm -rf $(BUILD)/book
	@$(BUILD)/weave --out $(BUILD)/book --figures $(BUILD)/figures --results $(BUILD)/results
	@echo "The book lies at $(BUILD)/book/index.html"
weave-checked: $(BUILD)/weave $(FIGURES)
	@$(BUILD)/weave --check --figures $(BUILD)/figures --results $(BUILD)/results
	@echo "every line of code stands in the book once, and every link is good"

# --- Lint -------------------------------------------------------------------------------

PROBES := $(wildcard experiments/*/*.c)
SCRIPTS := $(filter-out experiments/results,$(wildcard experiments/[a-z]*)) $(wildcard experiments/*/run)
CFILES := $(wildcard code/*/*.[ch]) $(PROBES)

lint:                  ## layout, static analysis, the one-way include rule
	@experiments/setup lint
	@echo "clang-format"; clang-format --dry-run -Werror $(CFILES)
	@echo "the include rule"; experiments/include-rule
	@echo "clang"; printf '%s\n' $(SOURCES) $(PROBES) | xargs -P 2 -n 1 \
	    clang $(filter-out -MMD -MP,$(CPPFLAGS)) $(CFLAGS) -fsyntax-only
	@echo "clang-tidy"; printf '%s\n' $(filter-out $(wildcard code/*/test_*.c),$(SOURCES)) $(PROBES) | xargs -P 2 -n 1 \
	    sh -c 'clang-tidy --quiet "$$@" -- -std=c11 $(filter-out -MMD -MP,$(CPPFLAGS)) 2>/dev/null' sh
	@echo "shellcheck"; shellcheck -x $(SCRIPTS) figures/timeline figures/finish \
	    figures/trace .ci/run

clean:                 ## remove everything made
	rm -rf $(BUILD)
