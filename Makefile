# SPDX-License-Identifier: Apache-2.0
# Two commands: `make run` and `make check`.  Each installs what is missing, builds, then acts.  `make check-long` takes
# hours: docs/reliability.md.
BUILD = build
OUT = out
# The sample that `make run` replays.
TRACE = traces/fft2d-s16.trace

# `make samples-mpi` records traces/mpi-*.otf2 anew, and what SimGrid, LTTng and EZTrace record, where they can be had.
.PHONY: run check check-long bench samples-mpi build packages install deb clean

run: build
	@.ci/sample $(BUILD)/src/scope $(TRACE) $(OUT)

check: packages
	@.ci/check

check-long: packages
	@.ci/packages build-essential lintian
	@.ci/check-long

bench: packages
	@test -f $(BUILD)/build.ninja || meson setup $(BUILD)
	@meson configure $(BUILD) -Dbench=true
	@ninja -C $(BUILD) --quiet
	@meson test -C $(BUILD) --benchmark --verbose

samples-mpi: build
	@traces/record-mpi.sh $(BUILD)
	@.ci/packages libsimgrid-dev lttng-tools liblttng-ust-dev eztrace || true
	@traces/record-others.sh

# On a terminal ninja tells in one line how far it is.
build: packages
	@test -f $(BUILD)/src/scope || echo "Scope is built first, in the folder $(BUILD): that takes some minutes."
	@test -f $(BUILD)/build.ninja || meson setup $(BUILD) >$(BUILD).log 2>&1 || { cat $(BUILD).log; exit 1; }
	@rm -f $(BUILD).log
	@ninja -C $(BUILD) $$(test -t 1 || echo --quiet)

packages:
	@.ci/packages

# scope, scope-l10n, libscopeviz1, libscope-dev, tape-pvm, tape-mpi and tape-threads as Debian packages, in the folder above.
deb:
	@.ci/packages build-essential
	dpkg-buildpackage -b -us -uc

install: build
	meson install -C $(BUILD) --no-rebuild

clean:
	rm -rf build build-* $(OUT)
