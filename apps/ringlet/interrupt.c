#include "interrupt.h"

#include <signal.h>
#include <string.h>

/* A signal handler has nowhere else to put it. */
static volatile sig_atomic_t asked;

static void ask_to_stop(int signal_number) {
    (void)signal_number;
    asked = 1;
}

/* SA_RESETHAND: the second signal has its default effect, which ends the program. */
void interrupt_catch(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = ask_to_stop;
    action.sa_flags = (int)SA_RESETHAND;
    sigemptyset(&action.sa_mask);
    asked = 0;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

int interrupt_asked(void) {
    return asked != 0;
}
