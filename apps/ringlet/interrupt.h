/* Ctrl-C and SIGTERM: the first asks the command to stop where its files are whole, the second ends the
 * program at once. */
#ifndef RINGLET_APP_INTERRUPT_H
#define RINGLET_APP_INTERRUPT_H

/* Catches both signals from now on; none has been caught yet. */
void interrupt_catch(void);

/* Not 0 once a signal was caught. */
int interrupt_asked(void);

#endif
