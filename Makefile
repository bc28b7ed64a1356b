# The commands a newcomer types: make run, make test. Everything else supports these two.
#
#   make run               compile and run examples/add.py, stage by stage; builds only build/bin/tessera
#   make test              every kind of test; T=pattern for some, V=1 to name every skipped one
#   make build             build/bin/tessera, build/bin/tessera-opt and the Python package in build/python
#   make format dist bench clean
#
# Each command first installs the Debian packages that it needs (scripts/setup) and builds its targets
# (scripts/build). BUILD=build-debug works in another folder.
BUILD ?= build
export BUILD T V

.PHONY: run test build format dist clean setup bench
run:
	@scripts/setup run
	@scripts/build tessera
	@scripts/demo
test: setup
	@scripts/build
	@scripts/test
build:
	@scripts/setup build
	@scripts/build tessera tessera-opt tessera_python tessera_pack
setup:
	@scripts/setup
format:
	@scripts/format
dist: build
	@scripts/dist
bench: setup build
	@bench/run
clean:
	rm -rf "$(BUILD)"
