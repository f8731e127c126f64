# Flags for everything that is compiled here: the target ringlet-flags, linked privately by all others.

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

add_library(ringlet-flags INTERFACE)
target_compile_definitions(ringlet-flags INTERFACE _POSIX_C_SOURCE=200809L)

# The same bytes on every machine: no fused operation that the source does not ask for, no fast-math. errno and
# floating-point traps are never read, and giving them up lets sqrt and selects become vector instructions
# without changing any value. The prefix map keeps build paths out of the binaries.
target_compile_options(ringlet-flags INTERFACE
    -ffp-contract=off -fno-math-errno -fno-trapping-math
    -ffile-prefix-map=${PROJECT_SOURCE_DIR}/=
    -Wall -Wextra -Wshadow -Wpointer-arith -Wstrict-prototypes -Wmissing-prototypes
    $<$<BOOL:${RINGLET_WERROR}>:-Werror>)

if(RINGLET_SANITIZE)
    target_compile_options(ringlet-flags INTERFACE
        -fsanitize=${RINGLET_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(ringlet-flags INTERFACE -fsanitize=${RINGLET_SANITIZE})
endif()

set(RINGLET_X86 OFF)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$" AND CMAKE_SIZEOF_VOID_P EQUAL 8)
    set(RINGLET_X86 ON)
    target_compile_definitions(ringlet-flags INTERFACE RLTI_HAVE_X86=1)
endif()
