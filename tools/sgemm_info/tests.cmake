# sgemm_info_test(NAME LABEL STATUS PATTERN ARGUMENTS...): sgemm-info ends with STATUS and its
# output, standard error included, matches PATTERN.
function(sgemm_info_test name label status pattern)
    add_test(NAME info.${name}
        COMMAND ${CMAKE_COMMAND} -DSTATUS=${status} "-DPATTERN=${pattern}" -P
                ${PROJECT_SOURCE_DIR}/cmake/check_command.cmake -- $<TARGET_FILE:sgemm-info> ${ARGN})
    set_tests_properties(info.${name} PROPERTIES LABELS "${label}")
endfunction()

sgemm_info_test(help unit 0 "--plan.*as they are .N." --help)
sgemm_info_test(version unit 0 "^sgemm-info [0-9]" --version)
sgemm_info_test(unknown_option unit 2 "not expected" --no-such-option)
sgemm_info_test(no_device unit 1 "install the driver.*pocl-opencl-icd")
set_tests_properties(info.no_device PROPERTIES ENVIRONMENT "OCL_ICD_VENDORS=/nowhere")
sgemm_info_test(kernels unit 0 "01_naive" --kernels)
sgemm_info_test(kernels_unknown unit 2 "no_such_kernel" --kernels --kernel no_such_kernel)
sgemm_info_test(plan_transposes unit 2 "XY" --plan XY 1 1 1)
sgemm_info_test(two_questions unit 2 "one at a time" --kernels --plan NN 1 1 1)
sgemm_info_test(unknown_edges unit 2 "padding" --plan NN 1 1 1 --edges sideways)
sgemm_info_test(plan_size unit 2 "12x" --plan NN 1 1 12x)
sgemm_info_test(set_without_value unit 2 "tile_m" --plan NN 1 1 1 --kernel 01_naive --set tile_m)
sgemm_info_test(self_test_seconds unit 2 "seconds" --self-test --seconds 0)

sgemm_info_test(devices device 0 "0:0.*table  [^\n]*[.]toml: ")
sgemm_info_test(device_unknown device 2 "no such device" --device "no such device")
sgemm_info_test(kernels_of_device device 0 "01_naive" --kernels --device 0:0)
sgemm_info_test(plan device 0 "01_naive" --plan NN 33 17 9 --kernel 01_naive)
sgemm_info_test(plan_row_major device 0 "01_naive" --plan TN 33 17 9 40 20 20 --row-major --kernel 01_naive)
sgemm_info_test(plan_batch device 0 "." --plan NT 64 64 64 --batch 3)
sgemm_info_test(plan_aligned device 0 "plan:" --plan NT 64 64 64 --offset-alignment 1)
sgemm_info_test(plan_alignment device 2 "power of two" --plan NT 64 64 64 --offset-alignment 3)
sgemm_info_test(plan_small_ld device 2 "lda" --plan NN 33 17 9 3)

sgemm_output_test(info.output_help unit sgemm-info --help)
sgemm_output_test(info.output_version unit sgemm-info --version)
sgemm_output_test(info.output_kernels unit sgemm-info --kernels)
sgemm_output_test(info.output_devices device sgemm-info)
sgemm_output_test(info.output_plan device sgemm-info --plan NN 33 17 9 --kernel 01_naive)

# Whether nothing is wrong with the device that tests run on; its findings stay in the build folder.
if(TARGET sgemm_trials)
    sgemm_info_test(self_test device 0 "01_naive: right.*each against a float64 reference.*Nothing wrong was found"
        --self-test --seconds 5)
    set_tests_properties(info.self_test PROPERTIES
        ENVIRONMENT "XDG_DATA_HOME=${CMAKE_CURRENT_BINARY_DIR}/self-test;SGEMM_TABLE=")
endif()
