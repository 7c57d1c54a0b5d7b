# Read by ctest before it runs anything: no test uses or adds to the user's compiled kernels. (Those that
# are about them say so themselves.)
set(ENV{SGEMM_CACHE} 0)
