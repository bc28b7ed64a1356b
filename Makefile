# The commands a newcomer types: make run, make test. Everything else supports these two.
#
#   make run               compile and run examples/add.py, stage by stage
#   make test              every kind of test; T=pattern for some, V=1 to name every skipped one
#   make build             build/bin/tessera and build/bin/tessera-opt
#   make format dist bench clean
#
# BUILD=build-debug works in another folder.
BUILD ?= build
export BUILD T V

.PHONY: run test build format dist clean setup bench
run: build
	@scripts/demo
test: build
	@scripts/test
build: setup
	@scripts/build
setup:
	@scripts/setup
format:
	@scripts/format
dist: build
	@scripts/dist
bench: build
	@bench/run
clean:
	rm -rf "$(BUILD)"
