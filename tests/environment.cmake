# Read by ctest before it runs anything: no test uses the user's settings, tables or compiled
# kernels, or adds to them. (Those that are about them say so themselves.) $SGEMM_TEST_TABLE is a
# table that all others take: tests/with-each-table.
foreach(setting BLAS_HOST BLAS_THRESHOLD CACHE_DIR CACHE_MIB CALLER_THREADS FIRST_USE KERNEL PRECISION RECORD TRACE)
    set(ENV{SGEMM_${setting}})
endforeach()
set(ENV{SGEMM_CACHE} 0)
set(ENV{SGEMM_TABLE} "$ENV{SGEMM_TEST_TABLE}")
set(ENV{XDG_DATA_HOME} /dev/null/none) # nobody can make a folder there
