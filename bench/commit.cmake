# Writes OUTPUT, a header that names the commit being built, and touches it only when that changes.
# Run by every build: a figure must not carry the commit of the last configuration.
#   cmake -DSOURCE=<root> -DOUTPUT=<header> -DCOMMIT=<where there is no checkout> -P commit.cmake
cmake_minimum_required(VERSION 3.22)
find_program(git git)
set(commit "")
if(git AND EXISTS "${SOURCE}/.git")
  execute_process(
    COMMAND ${git} -C ${SOURCE} describe --always --dirty=+dirty --abbrev=10 --exclude=*
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(commit STREQUAL "")
  set(commit "$ENV{SGEMM_COMMIT}")
endif()
if(commit STREQUAL "")
  set(commit "${COMMIT}")
endif()
if(commit STREQUAL "")
  set(commit "unknown")
endif()
file(CONFIGURE OUTPUT "${OUTPUT}" CONTENT "#define SGEMM_BENCH_COMMIT \"${commit}\"\n")
