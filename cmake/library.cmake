# The library: all of src/, the step kernel once per instruction set, and the scenes of scenes/ as text.

find_package(Threads REQUIRED)
find_package(PNG REQUIRED)
pkg_check_modules(YAML REQUIRED IMPORTED_TARGET yaml-0.1)
pkg_check_modules(LZ4 REQUIRED IMPORTED_TARGET liblz4)

file(GLOB_RECURSE library_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.c)
if(NOT RINGLET_X86)
    list(FILTER library_sources EXCLUDE REGEX "/kernel_avx[0-9a-z]*\\.c$")
endif()

# One of two twins: with the optional part, or without.
function(twins use with without)
    set(sources ${library_sources})
    if(${use})
        list(FILTER sources EXCLUDE REGEX "/${without}\\.c$")
    else()
        list(FILTER sources EXCLUDE REGEX "/${with}\\.c$")
    endif()
    set(library_sources ${sources} PARENT_SCOPE)
endfunction()
twins(RINGLET_USE_MPI ranks_mpi ranks_alone)
twins(RINGLET_USE_EMBREE trace_embree trace_none)
twins(RINGLET_USE_OPENEXR image_exr image_exr_none)
twins(RINGLET_USE_MOVIE movie_av movie_none)


# One kernel source, compiled per instruction set and chosen at run time. The reference and the portable build
# have no flags beyond the baseline; the optimiser level never changes a value.
function(kernel_flags name)
    set(file ${PROJECT_SOURCE_DIR}/src/solve/kernel_${name}.c)
    if(EXISTS ${file})
        set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS "${ARGN}")
    endif()
endfunction()
if(CMAKE_BUILD_TYPE STREQUAL "Debug")
    set(fast "")
    set(plain "")
else()
    set(fast -O3)
    if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
        # it would carry in registers what the damping loop reloads on purpose, and spill the rest: 8% slower
        list(APPEND fast -fno-predictive-commoning)
    endif()
    set(plain -O2)
endif()
kernel_flags(avx2 ${fast} -mavx2 -mfma -mno-avx512f)
kernel_flags(avx512 ${fast} -mavx512f -mavx512dq -mavx512vl -mfma -mprefer-vector-width=512)
kernel_flags(portable ${plain})
kernel_flags(reference ${plain})
kernel_flags(flops ${plain})

# Loops over the samples of a hair, made for vector registers: -O2 leaves them alone.
if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
    set_source_files_properties(${PROJECT_SOURCE_DIR}/src/fill/fill_hairs.c PROPERTIES COMPILE_OPTIONS "-O3")
endif()

# scenes/*.yaml and scenes/presets/*.yaml become C text, so that the program runs without its source tree.
file(GLOB scene_files CONFIGURE_DEPENDS
    ${PROJECT_SOURCE_DIR}/scenes/*.yaml ${PROJECT_SOURCE_DIR}/scenes/presets/*.yaml)
set(embedded ${PROJECT_BINARY_DIR}/embedded.c)
add_custom_command(OUTPUT ${embedded}
    COMMAND ${CMAKE_COMMAND} -DOUT=${embedded} -DSCENES_DIR=${PROJECT_SOURCE_DIR}/scenes
            -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    DEPENDS ${scene_files} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    COMMENT "Embedding scenes" VERBATIM)
list(APPEND library_sources ${embedded})

function(ringlet_library target kind)
    add_library(${target} ${kind} ${library_sources})
    target_include_directories(${target}
        PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
        PRIVATE ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(${target}
        PRIVATE $<BUILD_INTERFACE:ringlet-flags> $<BUILD_INTERFACE:ringlet-mpi> $<BUILD_INTERFACE:ringlet-metis>
            $<BUILD_INTERFACE:ringlet-movie> $<BUILD_INTERFACE:ringlet-embree> $<BUILD_INTERFACE:ringlet-openexr>
            PkgConfig::YAML PkgConfig::LZ4 PNG::PNG Threads::Threads m)
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ringlet)
endfunction()

ringlet_library(ringlet STATIC)

if(RINGLET_SHARED)
    ringlet_library(ringlet-shared SHARED)
    set(exports ${PROJECT_SOURCE_DIR}/cmake/ringlet.map)
    target_link_options(ringlet-shared PRIVATE -Wl,--version-script=${exports} -Wl,--no-undefined)
    set_target_properties(ringlet-shared PROPERTIES
        VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR} LINK_DEPENDS ${exports})
endif()
