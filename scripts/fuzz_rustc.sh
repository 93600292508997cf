#!/bin/sh
# Compiler wrapper for the fuzz targets (RUSTC_WRAPPER): adds coverage instrumentation for libFuzzer. Only parsers are
# instrumented, because large matches, as in lopdf, would take many minutes to compile, and only code for the explicit
# target, not build scripts and macros. No cfg(fuzzing): the code is fuzzed as shipped.
rustc=$1
shift
is_parser=
case " $* " in
  *" --crate-name ai "* | *" --crate-name connectors "* | *" --crate-name domain "* | *" --crate-name extraction "*) is_parser=1 ;;
  *" --crate-name federation "* | *" --crate-name fuzz "* | *" --crate-name outbound "*) is_parser=1 ;;
  *" --crate-name provider_doctor "* | *" --crate-name syntax "*) is_parser=1 ;;
  *" --crate-name mail_parser "* | *" --crate-name quick_xml "* | *" --crate-name serde_json "*) is_parser=1 ;;
  *" --crate-name tiberius "* | *" --crate-name url "* | *" --crate-name zip "*) is_parser=1 ;;
esac
case " $* " in
  *" --target "*) ;;
  *) is_parser= ;;
esac
if [ -n "$is_parser" ]; then
  set -- "$@" -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares
fi
exec "$rustc" "$@"
