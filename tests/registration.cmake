# What ctest runs. Device tests come in a few groups, not one process a test: each process compiles
# its kernels anew, which takes longer than running them. A time limit is there to end what hangs,
# not to judge a slow or busy machine: the longest take some minutes on two idle cores, and may have
# a quarter of one.
set(time_limit 7200)
# Where CTest looks for that of all tests of the build; else it takes 1500 seconds.
file(WRITE ${PROJECT_BINARY_DIR}/DartConfiguration.tcl "TimeOut: ${time_limit}\n")
set(time_limit_of_threads 1200) # threads that wait for each other would do so for ever

# Sanitizers see only what a test executes, and kernels are none of it: a small part of the device
# tests does.
set(sanitized_tests
    "Device.*:Queues.*:WorkspacePool.*:Threads.*:BadArguments.*:BadInput.*:*/BadCalls.*:PlanReuse.*:Workspace.*:Semantics.*:Blocks.*"
    "Fallback.*:Environment.*:TableFile.*:*/KernelQueues.*:*/Choice.EveryPass*:OffsetBatch.*:Svm.*:MultiDeviceTest.*"
    "Programs.*:SmallProduct.*:FirstUse.*:PrecisionChoice.*:Schemes/Emulated.SmallBatch/*_code_32*"
    "ProgramsOnDisk.A*:ProgramsOnDisk.B*:ProgramsOnDisk.D*:ProgramsOnDisk.En*:ProgramsOnDisk.S*:ProgramsOnDisk.T*")
list(JOIN sanitized_tests ":" sanitized_tests)

# What PoCL's compiler is told not to optimise. Optimising kernels of many forms takes it minutes,
# where they run for seconds.
set(unoptimised_kernels "POCL_EXTRA_BUILD_FLAGS=set:-cl-opt-disable") # of ENVIRONMENT_MODIFICATION

# sgemm_device_test(NAME FILTER [LABELS ...] [SHARDS N]
#                   [UNOPTIMISED FILTER ... | OPTIMISED FILTER ...]):
# a group of device tests, in N processes, and those of them whose kernels are not optimised, or all
# but those whose kernels are, in another one.
function(sgemm_device_test name filter)
    cmake_parse_arguments(PARSE_ARGV 2 arg "" "SHARDS" "LABELS;UNOPTIMISED;OPTIMISED")
    if(NOT arg_SHARDS)
        set(arg_SHARDS 1)
    endif()
    set_property(GLOBAL APPEND_STRING PROPERTY sgemm_device_filters ":${filter}")
    list(JOIN arg_UNOPTIMISED ":" unoptimised)
    list(JOIN arg_OPTIMISED ":" optimised)
    set_property(GLOBAL APPEND_STRING PROPERTY sgemm_all_filters ":${filter}:${unoptimised}:${optimised}")
    if(arg_UNOPTIMISED)
        string(APPEND filter "-${unoptimised}")
    elseif(arg_OPTIMISED)
        set(unoptimised "${filter}-${optimised}")
        set(filter "${optimised}")
    endif()
    if(unoptimised)
        set(test device.${name}.unoptimised)
        add_test(NAME ${test} COMMAND sgemm_device_tests --gtest_brief=1 --gtest_filter=${unoptimised})
        set_tests_properties(${test} PROPERTIES
            LABELS "${arg_LABELS}" ENVIRONMENT_MODIFICATION "${unoptimised_kernels}")
    endif()
    math(EXPR last "${arg_SHARDS} - 1")
    foreach(shard RANGE ${last})
        set(test device.${name})
        if(arg_SHARDS GREATER 1)
            string(APPEND test .${shard})
        endif()
        add_test(NAME ${test} COMMAND sgemm_device_tests --gtest_brief=1 --gtest_filter=${filter})
        set_tests_properties(${test} PROPERTIES
            LABELS "${arg_LABELS}"
            ENVIRONMENT "GTEST_TOTAL_SHARDS=${arg_SHARDS};GTEST_SHARD_INDEX=${shard}")
    endforeach()
endfunction()

# Plans of all tables, and what an assembler says: many times slower under sanitizers, which see
# plans made in other tests. The thread sanitizer has something to see only in tests that have
# threads.
set(unit_filter "*")
if(SGEMM_SANITIZE MATCHES "thread")
    set(unit_filter "AtomicFile.*:CApiErrors.*:ThreadPool.*:LaunchGate.*:QueueLock.*")
elseif(SGEMM_SANITIZE)
    set(unit_filter "-EmulatedPlan.EmulatedIsNever*:SelfTestPlanTest.IsThereForEvery*:Kernels/PtxAssembly.*")
endif()
add_test(NAME unit COMMAND sgemm_unit_tests --gtest_brief=1 --gtest_filter=${unit_filter})
set_tests_properties(unit PROPERTIES LABELS "unit;sanitize")

sgemm_device_test(presence "Device.*" LABELS device)
# No CPU is given the kernels that are made for GPUs: how its code is optimised matters to nobody.
# They run optimised with their default parameters, in parts and repacked, and where they have
# few builds; GPUs' compilers always optimise.
sgemm_device_test(conformance "*/Conformance.*:*/LocalMemory.*:LocalMemoryOfPasses.*" LABELS device
            OPTIMISED "*/Conformance.*_for_cpus" "*/LocalMemory.*_for_cpus" "*/Conformance.D*" "LocalMemoryOfPasses.*")
sgemm_device_test(variants "*/Variants*.*:*/StoreCount*.*:*/Extension.*:*/Peel*.*" LABELS device
            OPTIMISED "*/Variants*_for_cpus" "*/StoreCount*_for_cpus" "*/Peel*_for_cpus"
                      "*/Variants.P*" "*/VariantsOfSplitK.*_by_emulation")
sgemm_device_test(ring "Ways/Ring.*" LABELS device
            UNOPTIMISED "Ways/Ring.E*" "Ways/Ring.F*" "Ways/Ring.L*" "Ways/Ring.Sm*" "Ways/Ring.W*")
sgemm_device_test(flat "Ways/Flat.*" LABELS device UNOPTIMISED "Ways/Flat.E*")
sgemm_device_test(persistent "Shapes/Persistent.*" LABELS device) # few builds, many products
sgemm_device_test(emulated "Schemes/Emulated*.*:PrecisionChoice.*" SHARDS 2 LABELS device
            UNOPTIMISED "Schemes/EmulatedDirect.EveryWay*")
sgemm_device_test(packed_matrix "Kernels/Packed.*:PackedPrecision.*" LABELS device)
sgemm_device_test(choice "*/Choice.*:AutomaticChoice.*:Fallback.*:FirstUse.*:Tuning.*:BuildSelfTest.*" LABELS device
            OPTIMISED "*/Choice.*_for_cpus" "AutomaticChoice.*" "Fallback.*" "FirstUse.*" "Tuning.*")
sgemm_device_test(semantics "Semantics.*:Blocks.*:PlanReuse.*:Workspace.*:Environment.*:TableFile.*"
            LABELS device)
sgemm_device_test(queues "Queues.*:ByQueue.*:OpenClHpp.*:*/KernelQueues.*:WorkspacePool.*:Threads.*" LABELS device UNOPTIMISED "*/KernelQueues.*")
sgemm_device_test(bad_input "BadArguments.*:BadInput.*:*/BadCalls.*:*/BadParameters.*" LABELS device)
sgemm_device_test(disk_cache "ProgramsOnDisk.*:Programs.*:SmallProduct.*" LABELS device
            UNOPTIMISED "ProgramsOnDisk.EveryK*")
sgemm_device_test(batches "OffsetBatch.*" LABELS device)
sgemm_device_test(huge_result "Kernels/HugeResult.*" LABELS device)
# Where there is memory for it: 10 GB and more.
set_tests_properties(device.huge_result PROPERTIES RUN_SERIAL ON)
sgemm_device_test(locale "LocaleOfAProgram.*" LABELS device)
sgemm_device_test(svm "Svm.*" LABELS device)
sgemm_device_test(multi_device "MultiDeviceTest.*" LABELS device)
sgemm_device_test(calling_thread "CallingThread.*" LABELS device)
sgemm_device_test(caller_threads "CallerThreads.*" LABELS device)
# Devices' names since PoCL 4.0, and before.
set_tests_properties(device.calling_thread device.caller_threads PROPERTIES
                     ENVIRONMENT "POCL_DEVICES=cpu cpu-minimal pthread basic" TIMEOUT ${time_limit_of_threads})
sgemm_device_test(quiet_build "Kernels/QuietBuild.*" LABELS device)
set_tests_properties(device.quiet_build PROPERTIES # what is not compiled is not remarked on
                     ENVIRONMENT "POCL_KERNEL_CACHE=0;CUDA_CACHE_DISABLE=1")
sgemm_device_test(properties "Properties.*:Skinny.*:Axpys.*:Panels.*:PackedTranspose.*" LABELS device UNOPTIMISED "Skinny.*")
if(TARGET sgemm_counting_tests)
    add_test(NAME device.counting COMMAND sgemm_counting_tests --gtest_brief=1)
    add_test(NAME device.counting_calling_thread # where buffers are remembered, too
        COMMAND sgemm_counting_tests --gtest_brief=1 --gtest_filter=WarmCall.*)
    set_tests_properties(device.counting device.counting_calling_thread PROPERTIES LABELS device)
    set_tests_properties(device.counting_calling_thread PROPERTIES ENVIRONMENT "POCL_DEVICES=cpu-minimal basic")
endif()
if(TARGET sgemm_fault_tests)
    add_test(NAME device.faults COMMAND sgemm_fault_tests --gtest_brief=1)
    add_test(NAME device.faults_calling_thread
        COMMAND sgemm_fault_tests --gtest_brief=1 --gtest_filter=CallingThreadLaunches.*)
    set_tests_properties(device.faults device.faults_calling_thread PROPERTIES LABELS device)
    set_tests_properties(device.faults_calling_thread PROPERTIES ENVIRONMENT "POCL_DEVICES=cpu-minimal basic")
endif()
# In a build without sanitizers these run above.
if(SGEMM_SANITIZE)
    sgemm_device_test(sanitized "${sanitized_tests}" SHARDS 2)
    set(sanitized device.sanitized.0 device.sanitized.1)
    if(TARGET sgemm_fault_tests)
        add_test(NAME device.faults_sanitized COMMAND sgemm_fault_tests --gtest_brief=1
            "--gtest_filter=Faults.OfACallWith*:Faults.OfTheDiskCache*:Faults.OfATraced*:Faults.Reach*:QueueTraffic.*")
        list(APPEND sanitized device.faults_sanitized)
    endif()
    add_test(NAME device.soak_sanitized COMMAND sgemm_soak 5 4096) # memory is the sanitizer's
    list(APPEND sanitized device.soak_sanitized)
    set_tests_properties(${sanitized} PROPERTIES
        LABELS sanitize
        ENVIRONMENT_MODIFICATION "${unoptimised_kernels};LSAN_OPTIONS=set:suppressions=${CMAKE_CURRENT_SOURCE_DIR}/support/leaks.supp")
endif()

# No device test is left out of the groups above; Oclgrind's have one of their own.
get_property(filters GLOBAL PROPERTY sgemm_device_filters)
add_test(NAME device.groups COMMAND sgemm_device_tests --gtest_list_tests
         "--gtest_filter=*:-*/Oclgrind.*${filters}")
set_tests_properties(device.groups PROPERTIES LABELS unit FAIL_REGULAR_EXPRESSION "\n  [A-Za-z]")

if(UNIX)
    add_test(NAME source.locale COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/check-locale)
    set_tests_properties(source.locale PROPERTIES LABELS unit)
endif()

# Every kernel and pass once, with each memory access checked for bounds, races and initialisation.
find_program(SGEMM_OCLGRIND oclgrind)
mark_as_advanced(SGEMM_OCLGRIND)
if(SGEMM_OCLGRIND AND NOT SGEMM_SANITIZE)
    # sgemm_oclgrind_test(NAME FILTER)
    function(sgemm_oclgrind_test name filter) # [OPTIONS OF OCLGRIND ...]
        set_property(GLOBAL APPEND_STRING PROPERTY sgemm_all_filters ":${filter}")
        # Unoptimised: the optimiser emits an instruction (freeze) that Oclgrind 21.10 cannot
        # follow.
        add_test(NAME ${name}
                 COMMAND ${SGEMM_OCLGRIND} --build-options -cl-opt-disable --data-races --uninitialized
                         --max-errors 20 ${ARGN} $<TARGET_FILE:sgemm_device_tests> --gtest_filter=${filter})
        set_tests_properties(${name} PROPERTIES
            LABELS oclgrind
            ENVIRONMENT "SGEMM_REQUIRE_DEVICE=1;SGEMM_DEVICE=Oclgrind"
            # What Oclgrind reports, which alone does not fail the program.
            FAIL_REGULAR_EXPRESSION
                "Invalid (read|write|memory)|data race|[Uu]ninitialized|OCLGRIND FATAL|divergence")
    endfunction()
    sgemm_oclgrind_test(oclgrind "*/Oclgrind.*:Axpys.Small:PackedTranspose.*:-*_for_gpus")
    # Those in a process of their own: behind tests of other kernels uninitialised values are
    # reported that these copy to local memory. They depend on Oclgrind's threads (ADR 32), not on
    # the memory. Three compute units: the last wave of tiles is incomplete, and computed by
    # stream-K.
    sgemm_oclgrind_test(oclgrind.for_gpus "*/Oclgrind.*_for_gpus" --compute-units 3)
    # The packing pass takes more local memory than the 32 KiB that Oclgrind has by itself.
    # A batch takes two launches, in which `one_pass` is no other test. Half a minute each: a few
    # that have every parameter.
    set(batches tf32_code_32x32_promote_1 bf16_code_32x64_promote_2 fp16_code_32x64_promote_1_strict_inside
                fp16_code_32x32_promote_1_one_pass_shares_2)
    list(TRANSFORM batches PREPEND "Schemes/Emulated.SmallBatch/emulated_")
    list(JOIN batches ":" batches)
    sgemm_oclgrind_test(oclgrind.emulated "${batches}" --local-mem-size 65536)
    sgemm_oclgrind_test(oclgrind.emulated_shares
                  "Schemes/Emulated.SmallShares/emulated_fp16_code_32*:Schemes/Emulated.SmallShares/emulated_bf16_code_32*" --local-mem-size 65536)
    # As these a process of its own, and only one test: the words that it gathers are copied from
    # global to local memory.
    sgemm_oclgrind_test(oclgrind.emulated_rounds "Schemes/EmulatedRounds.SmallMatrix*/emulated_fp16_code_32x32_promote_1_one_pass" --local-mem-size 65536)
    sgemm_oclgrind_test(oclgrind.packed "Kernels/Packed.SmallBatch/emulated_fp16" --local-mem-size 65536)
endif()

# And none of the filters is of tests that have another name now.
get_property(filters GLOBAL PROPERTY sgemm_all_filters)
add_test(NAME device.filters COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:sgemm_device_tests>
         "-DFILTERS=${filters}" -P ${CMAKE_CURRENT_SOURCE_DIR}/check-filters.cmake)
set_tests_properties(device.filters PROPERTIES LABELS unit)

# Kernels for tensor cores, which only some devices have, compiled without one.
find_program(SGEMM_CLANG NAMES clang clang-14)
find_program(SGEMM_PTXAS ptxas HINTS /usr/local/cuda/bin)
find_package(Python3 QUIET COMPONENTS Interpreter)
mark_as_advanced(SGEMM_CLANG SGEMM_PTXAS)
if(SGEMM_CLANG AND SGEMM_PTXAS AND Python3_FOUND)
    add_test(NAME ptxas.emulated COMMAND ${Python3_EXECUTABLE}
             ${CMAKE_CURRENT_SOURCE_DIR}/ptxas/check-emulated ${SGEMM_CLANG} ${SGEMM_PTXAS})
    set_tests_properties(ptxas.emulated PROPERTIES LABELS unit)
endif()
if(Python3_FOUND)
    add_test(NAME sass.hazards COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/ptxas/hazards_test.py)
    foreach(check IN ITEMS links language kernels reference)
        add_test(NAME docs.${check}
                 COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/docs/${check}.py ${PROJECT_SOURCE_DIR})
    endforeach()
    add_test(NAME docs.snippets
             COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/docs/snippets.py ${PROJECT_SOURCE_DIR}
                     ${CMAKE_C_COMPILER} ${CMAKE_CXX_COMPILER})
    add_test(NAME source.comments
             COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/source/comments.py ${PROJECT_SOURCE_DIR})
    add_test(NAME docs.figures COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/bench/figures --check)
    add_test(NAME source.layers
             COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/source/layers.py ${PROJECT_SOURCE_DIR})
    set_tests_properties(sass.hazards source.layers source.comments docs.links docs.language docs.kernels docs.reference docs.snippets docs.figures PROPERTIES LABELS unit)
endif()
