# Movies by libav*: sets RINGLET_USE_MOVIE, and the target option-movie to link.

set(RINGLET_MOVIE AUTO CACHE STRING "libav*, to write movies: AUTO (where found), ON or OFF")
set_property(CACHE RINGLET_MOVIE PROPERTY STRINGS AUTO ON OFF)
if(NOT "${RINGLET_MOVIE}" MATCHES "^(AUTO|ON|OFF)$")
    message(FATAL_ERROR "RINGLET_MOVIE=${RINGLET_MOVIE}: must be AUTO, ON or OFF")
endif()

set(RINGLET_USE_MOVIE OFF)
add_library(option-movie INTERFACE)
if(NOT RINGLET_MOVIE STREQUAL "OFF")
    pkg_check_modules(AV QUIET IMPORTED_TARGET
        libavformat>=59 libavcodec>=59 libavutil>=57 libswscale>=6)
    if(AV_FOUND)
        set(RINGLET_USE_MOVIE ON)
        target_link_libraries(option-movie INTERFACE PkgConfig::AV)
        target_compile_definitions(option-movie INTERFACE RLTI_HAVE_MOVIE=1)
        string(APPEND ringlet-render_requires " libavformat libavcodec libavutil libswscale")
    elseif(RINGLET_MOVIE STREQUAL "ON")
        message(FATAL_ERROR "RINGLET_MOVIE=ON, but libav* was not found (Debian: libavcodec-dev libavformat-dev "
            "libavutil-dev libswscale-dev)")
    endif()
endif()
message(STATUS "Movies: ${RINGLET_USE_MOVIE}")
