# Common tasks; `just` lists them. Each one is a short command that works without just, too.

_default:
    @just --list

# Build the program for production.
build:
    cargo build --release --locked

# Start the whole service with sample sources.
demo *arguments:
    cargo run --release --locked -- demo {{ arguments }}

# Run the tests of the default tier.
test *options:
    ./test {{ options }}

# Run all tests, including the slow ones.
test-all:
    ./test --all

# Build the artifacts of a release in dist/.
release *options:
    scripts/release.sh {{ options }}

# Check dependencies, spelling, shell scripts and JavaScript.
checks:
    scripts/checks.sh

# Format the Rust code.
fmt:
    cargo fmt --all

# Update the generated pages in docs/ and the documentation of the crates.
docs:
    cargo run --locked -- docs
    cargo doc --workspace --no-deps --locked

# Fuzz one target of fuzz/ for some seconds.
fuzz target seconds="60":
    scripts/fuzz.sh {{ seconds }} {{ target }}
