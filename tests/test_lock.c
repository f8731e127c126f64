/* One output, one run: locks, and what may stand in the place of a run's own files. */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "folder_fixture.h"
#include "program_fixture.h"
#include "ringlet/ringlet.h"

static rlt_messages *messages;

static const char scene[] = "time: {last: 24, outer_steps: 12, force_steps: 15, damping_steps: 5}\n"
                            "character: {kind: none}\n"
                            "hair: {region: none, spacing: 1, count: 9, total_points: 250, length: 26}\n";

static const char *said(void) {
    int count = rlt_messages_count(messages);
    return count > 0 ? rlt_messages_text(messages, count - 1) : "";
}

static void assert_says(const char *text, const char *wanted) {
    if (!strstr(text, wanted))
        fail_msg("'%s' is not in:\n%s", wanted, text);
}

static int exists(const char *path) {
    struct stat found;
    return lstat(path, &found) == 0;
}

static void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void assert_holds(const char *path, const char *text) {
    static char found[TEXT_SIZE];
    read_file(path, found);
    assert_string_equal(found, text);
}

/* A frame of one strand. */
static const rlt_frame_view *some_frame(int frame) {
    static const int first[2] = {0, 2};
    static const int zero[1];
    static const double points[6] = {0, 0, 0, 0, 1, 0}, widths[2] = {0.1, 0.1};
    static rlt_frame_view view = {.size = sizeof view};
    view = (rlt_frame_view){.size = sizeof(rlt_frame_view),
                            .frame = frame,
                            .strand_count = 1,
                            .point_count = 2,
                            .first = first,
                            .points = points,
                            .rest = points,
                            .widths = widths,
                            .hair = zero};
    return &view;
}

static rlt_writer *open_writer(const char *path, const rlt_lock *lock) {
    rlt_writer *writer = NULL;
    const rlt_writer_def def = {
        .size = sizeof def, .frames_per_second = 24, .metres_per_unit = 0.01, .lock = lock};
    rlt_status status = rlt_writer_open(path, &def, messages, &writer);
    assert_true((status == RLT_OK) == (writer != NULL));
    assert_true(status == RLT_OK || status == RLT_FAILED);
    return writer;
}

/* ---- the lock ---- */

static void a_second_run_is_refused_and_told_who_has_it(void **state) {
    (void)state;
    rlt_lock *one = NULL, *two = NULL;
    char pid[64], host[256] = "";
    assert_int_equal(rlt_lock_take("a.usda", messages, &one), RLT_OK);
    assert_int_equal(rlt_lock_take("a.usda", messages, &two), RLT_FAILED);
    assert_null(two);
    snprintf(pid, sizeof pid, "a.usda: is being written by process %ld on ", (long)getpid());
    assert_int_equal(gethostname(host, sizeof host - 1), 0);
    assert_says(said(), pid);
    assert_says(said(), host);
    assert_says(said(), " since 20");
    assert_says(said(), "test_lock");
    assert_says(said(), "wait until it ends or choose another name");
    rlt_lock_release(one);
    assert_false(exists("a.usda.lock"));
    assert_int_equal(rlt_lock_take("a.usda", messages, &two), RLT_OK);
    rlt_lock_release(two);
    rlt_lock_release(NULL);
}

static void a_dead_process_holds_nothing(void **state) {
    (void)state;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        rlt_lock *lock = NULL;
        if (rlt_lock_take("a.usda", NULL, &lock) == RLT_OK)
            kill(getpid(), SIGKILL);
        _exit(1);
    }
    int code = 0;
    assert_int_equal(waitpid(child, &code, 0), child);
    assert_true(WIFSIGNALED(code));
    assert_true(exists("a.usda.lock"));
    rlt_lock *lock = NULL;
    assert_int_equal(rlt_lock_take("a.usda", messages, &lock), RLT_OK);
    rlt_lock_release(lock);
    assert_false(exists("a.usda.lock"));
}

/* Takes and leaves the lock again and again; returns how often, or -1 where another had it as well. */
static int take_many_times(void) {
    int taken = 0;
    for (int i = 0; i < 2000; i++) {
        rlt_lock *lock = NULL;
        if (rlt_lock_take("race.usda", NULL, &lock) != RLT_OK)
            continue;
        int inside = open("inside", O_CREAT | O_EXCL | O_WRONLY, 0600);
        if (inside < 0)
            return -1;
        close(inside);
        unlink("inside");
        rlt_lock_release(lock);
        taken++;
    }
    return taken;
}

static void never_two_at_once(void **state) {
    (void)state;
    enum { CHILDREN = 6 };
    pid_t children[CHILDREN];
    for (int c = 0; c < CHILDREN; c++) {
        children[c] = fork();
        assert_true(children[c] >= 0);
        if (children[c] == 0) {
            int taken = take_many_times();
            _exit(taken < 0 ? 1 : taken == 0 ? 2 : 0);
        }
    }
    int bad = 0;
    for (int c = 0; c < CHILDREN; c++) {
        int code = 0;
        assert_int_equal(waitpid(children[c], &code, 0), children[c]);
        bad += !WIFEXITED(code) || WEXITSTATUS(code) == 1;
    }
    assert_int_equal(bad, 0);
    assert_false(exists("race.usda.lock"));
}

/* ---- what is in the way ---- */

typedef enum obstacle { A_PIPE, A_LINK, A_LINK_TO_NOTHING, A_HARD_LINK, A_FOLDER, OBSTACLES } obstacle;

static const char *const why[OBSTACLES] = {"it is a named pipe", "it is a symbolic link",
                                           "it is a symbolic link", "it has other names (hard links)",
                                           "it is a folder"};

static void put(obstacle kind, const char *path) {
    write_file("precious.txt", "precious\n");
    unlink("nothing.txt");
    int failed = kind == A_PIPE              ? mkfifo(path, 0600)
                 : kind == A_LINK            ? symlink("precious.txt", path)
                 : kind == A_LINK_TO_NOTHING ? symlink("nothing.txt", path)
                 : kind == A_HARD_LINK       ? link("precious.txt", path)
                                             : mkdir(path, 0777);
    assert_int_equal(failed, 0);
}

/* Nothing was followed, and it stands where it stood. */
static void take_away(const char *path) {
    assert_holds("precious.txt", "precious\n");
    assert_false(exists("nothing.txt"));
    assert_true(exists(path));
    assert_int_equal(remove(path), 0);
}

static void assert_in_the_way(const char *text, const char *path, obstacle kind) {
    char wanted[256];
    snprintf(wanted, sizeof wanted, "%s cannot be used: %s; remove it", path, why[kind]);
    assert_says(text, wanted);
}

static void links_and_pipes_are_not_followed(void **state) {
    (void)state;
    static const char *const names[][2] = {
        {"b.usda", "b.usda.lock"},       {"b.usda", "b.usda.part"},       {"b.usdc", "b.usdc.values.part"},
        {"b.usdc", "b.usdc.index.part"}, {"b.abc", "b.abc.samples.part"}, {"b.abc", "b.abc.index.part"},
        {"b.hair", "b.hair.part"},
    };
    alarm(60); /* a pipe that is waited for */
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++)
        for (obstacle kind = 0; kind < OBSTACLES; kind++) {
            put(kind, names[n][1]);
            assert_null(open_writer(names[n][0], NULL));
            assert_in_the_way(said(), names[n][1], kind);
            take_away(names[n][1]);
            rlt_writer *writer = open_writer(names[n][0], NULL);
            assert_non_null(writer);
            rlt_writer_abandon(writer);
        }
    for (obstacle kind = 0; kind < OBSTACLES; kind++) {
        put(kind, "b.txt.tmp");
        assert_int_equal(rlt_bytes_write("b.txt", "text\n", 5, messages), RLT_FAILED);
        assert_in_the_way(said(), "b.txt.tmp", kind);
        take_away("b.txt.tmp");
    }
    alarm(0);
}

static void what_a_dead_run_left_is_replaced(void **state) {
    (void)state;
    write_file("c.usda.part", "half a frame");
    write_file("c.usda.tmp", "half a file");
    rlt_writer *writer = open_writer("c.usda", NULL);
    assert_non_null(writer);
    assert_int_equal(rlt_writer_add(writer, some_frame(1), messages), RLT_OK);
    assert_int_equal(rlt_writer_close(writer, messages), RLT_OK);
    assert_int_equal(system("ls c.usda.* > left.txt 2> /dev/null; test ! -s left.txt"), 0);
    rlt_file *file = NULL;
    assert_int_equal(rlt_file_open("c.usda", messages, &file), RLT_OK);
    rlt_file_close(file);
}

static void a_file_of_the_user_is_no_lock(void **state) {
    (void)state;
    rlt_lock *lock = NULL;
    write_file("d.usda.lock", "my notes\n");
    assert_int_equal(rlt_lock_take("d.usda", messages, &lock), RLT_FAILED);
    assert_says(said(), "d.usda.lock cannot be used: it is not a lock of Ringlet");
    assert_holds("d.usda.lock", "my notes\n");
    unlink("d.usda.lock");
}

/* The finished file takes the place of the name, not of what the name leads to. */
static void links_as_targets_are_replaced(void **state) {
    (void)state;
    write_file("real.txt", "old\n");
    assert_int_equal(symlink("real.txt", "link.txt"), 0);
    assert_int_equal(link("real.txt", "hard.txt"), 0);
    assert_int_equal(rlt_bytes_write("link.txt", "new\n", 4, messages), RLT_OK);
    assert_int_equal(rlt_bytes_write("hard.txt", "new\n", 4, messages), RLT_OK);
    assert_holds("real.txt", "old\n");
    assert_holds("link.txt", "new\n");
    assert_holds("hard.txt", "new\n");
    struct stat found;
    assert_int_equal(lstat("link.txt", &found), 0);
    assert_true(S_ISREG(found.st_mode));
    assert_int_equal(mkfifo("pipe.usda", 0600), 0);
    assert_null(open_writer("pipe.usda", NULL));
    assert_says(said(), "pipe.usda: cannot write: it is a pipe or a device");
    assert_int_equal(unlink("pipe.usda"), 0);
}

/* ---- file systems without locks ---- */

/* From now on flock fails as it does there; 0 where that cannot be arranged. */
static int forbid_locks(void) {
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_flock, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOLCK),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof code / sizeof code[0], code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static void without_locks_there_is_a_warning(void **state) {
    (void)state;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (!forbid_locks())
            _exit(77);
        rlt_lock *lock = NULL;
        rlt_messages *list = rlt_messages_create();
        if (rlt_lock_take("e.usda", list, &lock) != RLT_OK || rlt_messages_count(list) != 1 ||
            rlt_messages_severity(list, 0) != RLT_WARNING ||
            strstr(rlt_messages_text(list, 0), "this file system has no locks") == NULL)
            _exit(1);
        if (rlt_bytes_write("e.txt", "text\n", 5, list) != RLT_OK)
            _exit(2);
        rlt_lock_release(lock);
        _exit(0);
    }
    int code = 0;
    assert_int_equal(waitpid(child, &code, 0), child);
    assert_true(WIFEXITED(code));
    if (WEXITSTATUS(code) == 77)
        skip();
    assert_int_equal(WEXITSTATUS(code), 0);
}

/* ---- writers ---- */

static void writers_take_the_lock_of_their_file(void **state) {
    (void)state;
    rlt_lock *lock = NULL;
    rlt_writer *one = open_writer("f.usda", NULL);
    assert_non_null(one);
    assert_null(open_writer("f.usda", NULL));
    assert_says(said(), "f.usda: is being written by process ");
    assert_int_equal(rlt_writer_add(one, some_frame(1), messages), RLT_OK);
    assert_int_equal(rlt_writer_close(one, messages), RLT_OK);
    /* one that the caller has; another file's does not count */
    assert_int_equal(rlt_lock_take("f.usda", messages, &lock), RLT_OK);
    assert_null(open_writer("f.usda", NULL));
    one = open_writer("f.usda", lock);
    assert_non_null(one);
    rlt_writer_abandon(one);
    assert_true(exists("f.usda.lock"));
    rlt_lock_release(lock);
    assert_int_equal(rlt_lock_take("g.usda", messages, &lock), RLT_OK);
    one = open_writer("f.usda", lock);
    assert_non_null(one);
    assert_true(exists("f.usda.lock"));
    rlt_writer_abandon(one);
    rlt_lock_release(lock);
}

/* In a process without standard streams no output is opened in their place. */
static void descriptors_of_outputs_are_never_standard_ones(void **state) {
    (void)state;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        for (int stream = 0; stream < 3; stream++)
            close(stream);
        rlt_lock *lock = NULL;
        rlt_writer *writer = NULL;
        const rlt_writer_def def = {.size = sizeof def, .frames_per_second = 24, .metres_per_unit = 0.01};
        int bad = rlt_lock_take("j.txt", NULL, &lock) != RLT_OK;
        bad |= rlt_writer_open("j.usdc", &def, NULL, &writer) != RLT_OK;
        for (int stream = 0; stream < 3; stream++)
            bad |= fcntl(stream, F_GETFD) >= 0;
        rlt_writer_abandon(writer);
        rlt_lock_release(lock);
        _exit(bad);
    }
    int code = 0;
    assert_int_equal(waitpid(child, &code, 0), child);
    assert_true(WIFEXITED(code) && WEXITSTATUS(code) == 0);
}

/* Every command that writes, while this process has the output. */
static void commands_refuse_what_another_run_writes(void **state) {
    (void)state;
    static const struct {
        const char *output, *line;
    } commands[] = {
        {"h.usda", "simulate shot.yaml -o h.usda -q"},
        {"h.usda", "simulate shot.yaml -o h.usda -q --resume"},
        {"h.usda", "simulate shot.yaml -o h.usda -q --salvage"},
        {"report/index.html", "simulate shot.yaml -o i.usda -q --report report"},
        {"h.abc", "convert c.usda h.abc -q"},
        {"h.hair", "convert c.usda h.hair -q"},
        {"h.usdc", "fill shot.yaml -o h.usdc -q --hairs 10 --frames 1"},
        {"h.png", "render shot.yaml -o h.png -q --draft --frames 1"},
        {"h.#.png", "render shot.yaml -o h.####.png -q --draft --frames 1"},
        {"h.#.png", "render shot.yaml -o h.###.png -q --draft --frames 1"}, /* 1000 is a frame of both */
        {"h.mp4", "render shot.yaml -o h.mp4 -q --draft --frames 1"},
        {"demo/report.html", "demo straight -q --out demo --frames 1:1"},
        {"demo/straight.usdc", "demo straight -q --out demo --frames 1:1"},
    };
    char wanted[256];
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        rlt_lock *lock = NULL;
        assert_int_equal(rlt_lock_take(commands[i].output, messages, &lock), RLT_OK);
        int code = ringlet(commands[i].line);
        if (strstr(err_text, "built without")) {
            rlt_lock_release(lock);
            continue;
        }
        print_message("%s", err_text);
        assert_int_equal(code, 1);
        snprintf(wanted, sizeof wanted, "%s: is being written by process %ld on ", commands[i].output,
                 (long)getpid());
        assert_says(err_text, wanted);
        assert_false(exists(commands[i].output));
        rlt_lock_release(lock);
    }
}

/* Half way through the first run a second begins. */
static void a_second_run_leaves_the_first_alone(void **state) {
    (void)state;
    assert_int_equal(ringlet("simulate shot.yaml -o whole.usda -q -t 1"), 0);
    static const char *const options[] = {"", "--resume", "--salvage"};
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            execl(RLT_PROGRAM, RLT_PROGRAM, "simulate", "shot.yaml", "-o", "two.usda", "-q", "-t", "1",
                  "--checkpoint", "2", (char *)NULL);
            _exit(98);
        }
        for (int wait = 0; wait < 20000 && !exists("two.usda.checkpoint"); wait++)
            nanosleep(&(struct timespec){0, 500000}, NULL);
        assert_int_equal(kill(child, SIGSTOP), 0);
        char line[128];
        snprintf(line, sizeof line, "simulate shot.yaml -o two.usda -q -t 1 %s", options[i]);
        int code = ringlet(line);
        assert_int_equal(kill(child, SIGCONT), 0);
        assert_int_equal(code, 1);
        assert_says(err_text, "two.usda: is being written by process ");
        assert_says(err_text, "simulate shot.yaml -o two.usda -q -t 1 --checkpoint 2");
        assert_int_equal(waitpid(child, &code, 0), child);
        assert_true(WIFEXITED(code) && WEXITSTATUS(code) == 0);
        assert_int_equal(system("cmp two.usda whole.usda"), 0);
        assert_int_equal(system("ls two.usda.* > left.txt 2> /dev/null; test ! -s left.txt"), 0);
        unlink("two.usda");
    }
}

/* The checkpoint's own place. */
static void a_checkpoint_is_not_followed(void **state) {
    (void)state;
    alarm(60);
    for (obstacle kind = 0; kind < OBSTACLES; kind++) {
        if (kind == A_HARD_LINK) /* a copy by cp -l: it is read and replaced, never written */
            continue;
        put(kind, "k.usda.checkpoint");
        assert_int_equal(ringlet("simulate shot.yaml -o k.usda -q -t 1 --resume"), 1);
        assert_says(err_text, "k.usda.checkpoint: is not a file, so checkpoints cannot be written");
        take_away("k.usda.checkpoint");
    }
    for (obstacle kind = 0; kind < OBSTACLES; kind++) {
        put(kind, "k.usda.checkpoint.tmp");
        assert_int_equal(ringlet("simulate shot.yaml -o k.usda -q -t 1 --checkpoint 1"), 1);
        assert_says(err_text, why[kind]);
        take_away("k.usda.checkpoint.tmp");
    }
    alarm(0);
}

static int enter_folder(void **state) {
    (void)state;
    messages = rlt_messages_create();
    if (messages == NULL || folder_enter("lock") != 0)
        return 1;
    write_file("shot.yaml", scene);
    return 0;
}

static int leave_folder(void **state) {
    rlt_messages_destroy(messages);
    return folder_leave(state);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_second_run_is_refused_and_told_who_has_it),
        cmocka_unit_test(a_dead_process_holds_nothing),
        cmocka_unit_test(never_two_at_once),
        cmocka_unit_test(links_and_pipes_are_not_followed),
        cmocka_unit_test(what_a_dead_run_left_is_replaced),
        cmocka_unit_test(a_file_of_the_user_is_no_lock),
        cmocka_unit_test(links_as_targets_are_replaced),
        cmocka_unit_test(without_locks_there_is_a_warning),
        cmocka_unit_test(writers_take_the_lock_of_their_file),
        cmocka_unit_test(descriptors_of_outputs_are_never_standard_ones),
        cmocka_unit_test(commands_refuse_what_another_run_writes),
        cmocka_unit_test(a_second_run_leaves_the_first_alone),
        cmocka_unit_test(a_checkpoint_is_not_followed),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
