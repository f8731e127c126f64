#include "solved.h"

#include "report/html.h"

static void keep_worst(solved_worst *worst, double value, int frame) {
    if (value > worst->value)
        *worst = (solved_worst){value, frame};
}

void solved_add(solved_frames *all, int frame, const rlt_statistics *s) {
    if (s->solved_steps == 0)
        return;
    all->frames++;
    keep_worst(&all->residual, s->solved_residual, frame);
    keep_worst(&all->deepest, s->solved_deepest, frame);
    keep_worst(&all->bodies_deepest, s->solved_bodies_deepest, frame);
    keep_worst(&all->unresolved, s->solved_unresolved, frame);
    keep_worst(&all->newton, s->solved_newton, frame);
    all->crossings_checked += s->crossings_checked;
    all->crossings += s->crossings;
    all->crossings_missed += s->crossings_missed;
    all->bodies_crossings += s->crossings_bodies;
    all->bodies_crossings_missed += s->crossings_bodies_missed;
    all->bodies_passed += s->solved_passed;
    all->halved += s->solved_halved;
}

static void json_worst(json *out, const char *key, const solved_worst *worst) {
    json_begin_object(out, key);
    json_number(out, "value", worst->value);
    json_integer(out, "frame", worst->frame);
    json_end_object(out);
}

void solved_json(json *out, const solved_frames *all) {
    json_begin_object(out, "all_frames");
    json_integer(out, "frames", all->frames);
    json_worst(out, "residual", &all->residual);
    json_worst(out, "deepest", &all->deepest);
    json_worst(out, "bodies_deepest", &all->bodies_deepest);
    json_worst(out, "unresolved", &all->unresolved);
    json_worst(out, "newton", &all->newton);
    json_integer(out, "crossings_checked", all->crossings_checked);
    json_integer(out, "crossings", all->crossings);
    json_integer(out, "crossings_missed", all->crossings_missed);
    json_integer(out, "bodies_crossings", all->bodies_crossings);
    json_integer(out, "bodies_crossings_missed", all->bodies_crossings_missed);
    json_integer(out, "bodies_passed", all->bodies_passed);
    json_integer(out, "halved", all->halved);
    json_end_object(out);
}

static void put_row(FILE *file, const char *name, double value) {
    fprintf(file, "<tr><th scope=\"row\">%s</th><td class=\"number\">", name);
    html_number(file, value, 3);
}

static void put_worst(FILE *file, const char *name, const solved_worst *worst) {
    put_row(file, name, worst->value);
    if (worst->value > 0.0)
        fprintf(file, "</td><td class=\"soft\">frame %d</td></tr>\n", worst->frame);
    else
        fputs("</td><td></td></tr>\n", file);
}

static void put_sum(FILE *file, const char *name, long long value, const char *of) {
    put_row(file, name, (double)value);
    fprintf(file, "</td><td class=\"soft\">%s</td></tr>\n", of);
}

void solved_html(FILE *file, const solved_frames *all) {
    char checked[64];
    snprintf(checked, sizeof checked, "of %lld edges checked", all->crossings_checked);
    put_worst(file, "worst contact, off its law, in mean radii", &all->residual);
    put_worst(file, "hair deepest in hair, in mean radii", &all->deepest);
    put_worst(file, "edges deepest in bodies, in mean radii", &all->bodies_deepest);
    put_worst(file, "contacts not resolved, mean of a frame's steps", &all->unresolved);
    put_worst(file, "Newton iterations, mean of a frame's steps", &all->newton);
    put_sum(file, "hair through hair or bodies", all->crossings, checked);
    put_sum(file, "of these through bodies", all->bodies_crossings, "");
    put_sum(file, "of all these not seen by the search", all->crossings_missed, "");
    put_sum(file, "edges that have passed through bodies", all->bodies_passed, "of all");
    put_sum(file, "steps taken again in halves", all->halved, "");
}
