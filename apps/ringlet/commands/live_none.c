/* ringlet live in a program that was built without it. */
#include "commands.h"
#include "console.h"

int command_live(int argc, char **argv) {
    (void)argc;
    (void)argv;
    return console_fail(RLT_FAILED,
                        "live: this program was built without the viewer, for want of %s; install it and build "
                        "again",
                        LIVE_MISSING);
}
