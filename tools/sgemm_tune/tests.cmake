# sgemm_tune_test(NAME LABEL STATUS PATTERN ARGUMENTS...): sgemm-tune ends with STATUS and its
# output, standard error included, matches PATTERN. It finds no table and no journal of the user,
# and leaves none.
function(sgemm_tune_test name label status pattern)
    add_test(NAME tune.${name}
        COMMAND ${CMAKE_COMMAND} -DSTATUS=${status} "-DPATTERN=${pattern}" -P
                ${PROJECT_SOURCE_DIR}/cmake/check_command.cmake -- $<TARGET_FILE:sgemm-tune> ${ARGN})
    set_tests_properties(tune.${name} PROPERTIES
        LABELS "${label}" ENVIRONMENT "XDG_DATA_HOME=${CMAKE_CURRENT_BINARY_DIR}/tune-home")
endfunction()

sgemm_tune_test(help unit 0 "--budget" --help)
sgemm_tune_test(unknown_option unit 2 "--no-such-option" --no-such-option)
sgemm_tune_test(replay unit 0 "model .*hill .*exhaustive"
    replay ${PROJECT_SOURCE_DIR}/tuning/results/exhaustive-cpu.jsonl --seeds 3)
sgemm_tune_test(replay_missing unit 1 "no/such/journal" replay no/such/journal)

sgemm_output_test(tune.output_help unit sgemm-tune --help)
sgemm_output_test(tune.output_replay unit sgemm-tune replay ${PROJECT_SOURCE_DIR}/tuning/results/exhaustive-cpu.jsonl --seeds 1)
sgemm_output_test(tune.output_list device sgemm-tune --list --kernels 01_naive)

sgemm_tune_test(list device 0 "tiled .*keep the rules|keep the rules.*tiled" --list)
sgemm_tune_test(list_rules device 0 "must divide" --list --kernels 06_register_tiles_2d)
# More threads than cores: PoCL ends a process that would bind them.
sgemm_tune_test(list_of_many_threads device 0 "keep the rules" --list)
cmake_host_system_information(RESULT sgemm_cores QUERY NUMBER_OF_LOGICAL_CORES)
math(EXPR sgemm_cores "${sgemm_cores} + 1")
set_property(TEST tune.list_of_many_threads APPEND PROPERTY ENVIRONMENT "POCL_MAX_PTHREAD_COUNT=${sgemm_cores}")
sgemm_tune_test(budget device 2 "soon" --budget soon)
sgemm_tune_test(budget_endless device 2 "inf" --budget inf)
sgemm_tune_test(budget_number device 2 "nan" --budget nan)
sgemm_tune_test(strategy device 2 "hill" --strategy luck)
sgemm_tune_test(kernel device 2 "no_such_kernel" --kernels no_such_kernel --journal k.jsonl)
sgemm_tune_test(shapes device 2 "no/such/file" --shapes no/such/file)
sgemm_tune_test(output device 1 "proc/nowhere" --output /proc/nowhere/table.toml)
sgemm_tune_test(source device 2 "tuning/devices" --install-into-source /tmp)
sgemm_tune_test(restrict device 2 "NAME=VALUE" --restrict tile_m)
sgemm_tune_test(restrict_name device 2 "must name a parameter" --restrict no_such_parameter=1)
sgemm_tune_test(restrict_impossible device 2 "must leave.*local_m=1000000"
    --kernels 01_naive --restrict local_m=1000000)
sgemm_tune_test(seed device 2 "--seed" --seed -1)
sgemm_tune_test(explain_shape device 2 "NN/64x64" --explain NN/64x64)
sgemm_tune_test(dry_run device 0 "would tune .*nowhere/table.toml.*NN/64x64x64 .*of what the device can do"
    --dry-run --shapes NN/64x64x64 --output /proc/nowhere/table.toml)
sgemm_tune_test(dry_run_classes device 0 "square .*fit the models" --dry-run)
sgemm_tune_test(device_unknown device 2 "no such device" --device "no such device")
# A whole run: every program finds its table from then on, and --explain knows why.
sgemm_tune_test(run device 0 "shape needs about.*best measured.*NN/64x64x64.*table: .*tune-home/sgemm/tables.*a choice for each of these.*takes it from now on.*undo: .*a longer run could bring: (little|NN/64x64x64 is at)"
    --budget 15s --kernels 01_naive --shapes NN/64x64x64 --restrict local_m=8,64)
sgemm_tune_test(explain device 0 "fastest that was measured for exactly" --explain NN/64x64x64)
sgemm_tune_test(explain_other device 0 "predicted time is the least" --explain NN/64x64x65)
set_tests_properties(tune.run PROPERTIES FIXTURES_SETUP tuned)
set_tests_properties(tune.explain tune.explain_other PROPERTIES FIXTURES_REQUIRED tuned)
# They are about the user's own table, whatever table the others take.
set_property(TEST tune.run tune.explain tune.explain_other APPEND PROPERTY ENVIRONMENT SGEMM_TABLE=)
# A table that programs are told to take hides the result; a path with a blank can be pasted.
set(hiding_table ${CMAKE_CURRENT_BINARY_DIR}/hiding.toml)
file(WRITE ${hiding_table} "rows_from = \"cpu.toml\"\n[[kernel]]\nname = \"tiled\"\n")
sgemm_tune_test(dry_run_hidden device 0 "begin with the table .*hiding.toml.*would not take it while SGEMM_TABLE is set: they plan with .*hiding.toml"
    --dry-run --shapes NN/64x64x64)
set_property(TEST tune.dry_run_hidden APPEND PROPERTY ENVIRONMENT SGEMM_TABLE=${hiding_table})
sgemm_tune_test(run_elsewhere device 0 "undo: +(rm|mv) '.*my table[.]"
    --budget 1s --kernels 01_naive --shapes NN/64x64x64 --restrict local_m=8
    --output "${CMAKE_CURRENT_BINARY_DIR}/my table.toml" --journal ${CMAKE_CURRENT_BINARY_DIR}/elsewhere.jsonl --resume)
sgemm_tune_test(dry_run_time device 0 "more than the budget" --dry-run --budget 0.001s --shapes NN/64x64x64)

# A measurement run of a few small shapes; what it left is fitted, and its regret reported.
set(measurement_run ${CMAKE_CURRENT_BINARY_DIR}/measurement-run.jsonl)
sgemm_tune_test(measure device 0 "measurement-run.jsonl: 7 of 7 shapes"
    measure --output ${measurement_run} --also NN/33x17x9 --shapes 6 --size 64 --plans 2 --build-processes 1)
sgemm_tune_test(measure_again device 0 "measurement-run.jsonl: 1 of 1 shapes"
    measure --output ${measurement_run} --also NN/33x17x9 --shapes 0 --plans 1 --again)
sgemm_tune_test(measure_nothing device 2 "--shapes" measure --shapes 0)
sgemm_tune_test(measure_budget device 2 "--budget" measure --budget never)
sgemm_tune_test(fit device 0 "regret on the fitted shapes, after" fit ${measurement_run} --rounds 1 --polish 1)
sgemm_tune_test(fit_output device 1 "needs --table" fit ${measurement_run} --output ${CMAKE_CURRENT_BINARY_DIR}/fitted.toml)
sgemm_tune_test(validate device 0 "Regret on held-out shapes.*The largest:"
    validate ${measurement_run} --report ${CMAKE_CURRENT_BINARY_DIR}/regret.md)
# Without gnuplot a picture that was asked for is an error, and never the end of the process by a
# signal.
find_program(SGEMM_GNUPLOT gnuplot)
if(SGEMM_GNUPLOT)
    sgemm_tune_test(validate_scatter device 0 "Regret on held-out shapes"
        validate ${measurement_run} --scatter ${CMAKE_CURRENT_BINARY_DIR}/regret.svg)
else()
    sgemm_tune_test(validate_scatter device 1 "cannot be drawn .is gnuplot installed"
        validate ${measurement_run} --scatter ${CMAKE_CURRENT_BINARY_DIR}/regret.svg)
endif()
sgemm_tune_test(validate_full device 1 "/dev/full" validate ${measurement_run} --report /dev/full)
sgemm_output_test(tune.output_fit device sgemm-tune fit ${measurement_run} --rounds 1 --polish 0)
sgemm_output_test(tune.output_validate device sgemm-tune validate ${measurement_run})
sgemm_tune_test(validate_limit device 1 "over the limit" validate ${measurement_run} --max-geomean 0.5)
sgemm_tune_test(validate_nothing device 2 "no/such/run" validate no/such/run)
set_tests_properties(tune.measure PROPERTIES FIXTURES_SETUP measurement_run)
set_tests_properties(tune.measure_again tune.fit tune.fit_output tune.validate tune.validate_scatter tune.validate_limit tune.validate_full tune.output_fit tune.output_validate PROPERTIES
    FIXTURES_REQUIRED measurement_run)
# Not with the table that tune.run leaves.
set_tests_properties(tune.measure tune.measure_again tune.fit tune.validate tune.validate_scatter tune.validate_limit tune.validate_full tune.output_fit tune.output_validate PROPERTIES
    ENVIRONMENT XDG_DATA_HOME=/nonexistent)
