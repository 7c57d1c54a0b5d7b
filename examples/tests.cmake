# sgemm_example_test(NAME STATUS PATTERN COMMAND...)
function(sgemm_example_test name status pattern)
    add_test(NAME example.${name}
        COMMAND ${CMAKE_COMMAND} -DSTATUS=${status} "-DPATTERN=${pattern}" -P
                ${PROJECT_SOURCE_DIR}/cmake/check_command.cmake -- ${ARGN}
        WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/data)
    set_tests_properties(example.${name} PROPERTIES LABELS device)
endfunction()

set(product ${CMAKE_CURRENT_BINARY_DIR}/product.txt)
sgemm_example_test(minimal 0 "OK" $<TARGET_FILE:sgemm_example_minimal>)
sgemm_example_test(multiply_c 0 "OK" $<TARGET_FILE:sgemm_example_multiply_c>)
sgemm_example_test(overlap 0 "OK" $<TARGET_FILE:sgemm_example_overlap>)
sgemm_example_test(multiply_files 0 "2 x 2" $<TARGET_FILE:sgemm_example_multiply_files> a.txt b.txt ${product})
add_test(NAME example.multiply_files_product
    COMMAND ${CMAKE_COMMAND} -E compare_files ${product} ${CMAKE_CURRENT_SOURCE_DIR}/data/product.txt)
set_tests_properties(example.multiply_files PROPERTIES FIXTURES_SETUP product)
set_tests_properties(example.multiply_files_product PROPERTIES FIXTURES_REQUIRED product LABELS device)
sgemm_example_test(multiply_files_usage 2 "usage" $<TARGET_FILE:sgemm_example_multiply_files>)
sgemm_example_test(multiply_files_missing 1 "no_such_file.txt" $<TARGET_FILE:sgemm_example_multiply_files>
             no_such_file.txt b.txt ${product})
sgemm_example_test(multiply_files_truncated 1 "truncated.txt" $<TARGET_FILE:sgemm_example_multiply_files>
             truncated.txt b.txt ${product})
sgemm_example_test(multiply_files_shapes 1 "columns" $<TARGET_FILE:sgemm_example_multiply_files>
             a.txt a.txt ${product})

# As root Open MPI must be told twice, and more ranks than cores are fine here.
if(TARGET sgemm_example_psgemm AND NOT SGEMM_SANITIZE)
    sgemm_example_test(psgemm 0 "on the device.*OK: 300 x 300 on 2 x 2" ${MPIEXEC_EXECUTABLE} -n 4 --oversubscribe
        -x LD_PRELOAD=$<TARGET_FILE:sgemm_blas> -x SGEMM_BLAS_THRESHOLD=0 -x SGEMM_TRACE=1
        $<TARGET_FILE:sgemm_example_psgemm> 300 64)
    set_tests_properties(example.psgemm PROPERTIES ENVIRONMENT
        "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1;OMPI_MCA_btl_base_warn_component_unused=0")
endif()
