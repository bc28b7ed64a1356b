# The commands a newcomer types: make run, make test. Everything else supports these two.
BUILD ?= build
export BUILD

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
	@scripts/bench
clean:
	rm -rf $(BUILD)
