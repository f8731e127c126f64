#include "live/again.h"

#include <signal.h>
#include <spawn.h>
#include <unistd.h>

extern char **environ;

int again_start(const char *const *arguments, unsigned flags, pid_t *process, int *output) {
    char program[1024], *all[AGAIN_ARGUMENTS + 1] = {program};
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    int ends[2], count = 1;
    while (count < AGAIN_ARGUMENTS && arguments[count - 1] != NULL) {
        all[count] = (char *)arguments[count - 1];
        count++;
    }
    if (length <= 0 || pipe(ends) != 0)
        return 0;
    program[length] = '\0';
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    sigemptyset(&none);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(
        &attributes, (short)(POSIX_SPAWN_SETSIGMASK | (flags & AGAIN_GROUP ? POSIX_SPAWN_SETPGROUP : 0)));
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", 0, 0);
    if (flags & AGAIN_ERRORS)
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    int good = posix_spawn(process, program, &actions, &attributes, all, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    close(ends[1]);
    *output = ends[0];
    if (!good)
        close(ends[0]);
    return good;
}
