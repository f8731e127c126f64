#include "base/trouble.h"

#include "base/messages.h"

/* Of what was reported last, the factor that counts as worse. */
#define MARKEDLY 2.0

int rlti_trouble_note(rlti_trouble *t, int frame, double size) {
    if (t->frames > 0 && frame <= t->last)
        *t = (rlti_trouble){0};
    int first = t->frames == 0, says = first || size > MARKEDLY * t->size;
    t->first = first ? frame : t->first;
    t->last = frame;
    t->frames++;
    if (first || size > t->worst) {
        t->worst = size;
        t->worst_frame = frame;
    }
    t->told += says;
    t->size = says ? size : t->size;
    return says;
}

void rlti_trouble_sum_up(const rlti_trouble *t, const char *file, const char *what, const char *of_what,
                         rlt_messages *messages) {
    if (t->frames > t->told)
        rlti_warn(messages, "%s: frames %d to %d: %s in %d of them; worst is frame %d, with %.2g %s", file,
                  t->first, t->last, what, t->frames, t->worst_frame, t->worst, of_what);
}
