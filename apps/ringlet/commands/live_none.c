/* ringlet live in a program that was built without it. */
#include "bench/bench.h"
#include "commands.h"
#include "console.h"

/* The build says what is missing; other readers of this file, such as linters, do not know. */
#ifndef LIVE_MISSING
#define LIVE_MISSING "a library"
#endif

static rlt_status fail(void) {
    return console_fail(
        RLT_FAILED,
        "live: this program was built without the viewer, for want of %s; install it and build "
        "again",
        LIVE_MISSING);
}

int command_live(int argc, char **argv) {
    (void)argc;
    (void)argv;
    return (int)fail();
}

rlt_status bench_live(const bench_workload *workload, const bench_settings *settings, rlt_messages *messages,
                      json *out) {
    (void)workload;
    (void)settings;
    (void)messages;
    (void)out;
    return fail();
}
