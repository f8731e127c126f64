/* The report page as HTML. One file, no script: fold-outs are the browser's own, charts are inline SVG,
 * pictures are data URIs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "console.h"
#include "report/html.h"
#include "outfile.h"
#include "report/page.h"
#include "report/page_charts.h"

/* The charts carry colours for white paper; the rules for svg.plot take their place on the page. */
static const char style[] =
    ":root{color-scheme:light dark;--ground:#f4f5f6;--card:#fff;--ink:#1f2427;--soft:#5b646b;--line:#dfe3e6;"
    "--accent:#a5411a;--good:#2f7a3d;--bad:#b3261e;--warn:#8a5a00}\n"
    "@media(prefers-color-scheme:dark){:root{--ground:#14171a;--card:#1d2226;--ink:#e8ebed;--soft:#a3adb5;"
    "--line:#353c42;--accent:#f0936a;--good:#7fce8d;--bad:#ff9a91;--warn:#e8bd62}}\n"
    "*{box-sizing:border-box}body{margin:0;background:var(--ground);color:var(--ink);"
    "font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif}\n"
    "main,header,footer{max-width:76rem;margin:0 auto;padding:0 1.25rem}header{padding-top:2.25rem}\n"
    "h1{font-size:clamp(1.5rem,4vw,2.2rem);line-height:1.2;margin:0 0 .3rem;text-wrap:balance}"
    "h2{font-size:1.2rem;margin:2.4rem 0 .8rem}p{margin:.3rem 0}.soft,figcaption,caption{color:var(--soft)}\n"
    ".state{display:inline-block;padding:.05rem .6rem;border-radius:1rem;border:1px solid "
    "currentColor;font-weight:600;font-size:.9rem}.good{color:var(--good)}.bad{color:var(--bad)}"
    ".warn{color:var(--warn)}\n"
    ".tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(10.5rem,1fr));gap:.8rem;margin:1.4rem "
    "0 "
    "0;padding:0}.tiles div{background:var(--card);border:1px solid var(--line);border-radius:.6rem;"
    "padding:.7rem .9rem}.tiles dt{color:var(--soft);font-size:.85rem}.tiles dd{margin:0;font-size:1.15rem;"
    "font-weight:600;font-variant-numeric:tabular-nums}\n"
    ".pictures,.charts{display:grid;gap:1rem}.pictures{grid-template-columns:repeat(auto-fit,minmax(16rem,"
    "1fr))}.charts{grid-template-columns:repeat(auto-fit,minmax(min(100%,30rem),1fr))}\n"
    "figure{margin:0;background:var(--card);border:1px solid var(--line);border-radius:.6rem;overflow:hidden}"
    "figure img{display:block;width:100%;height:auto}figcaption{padding:.45rem .8rem;font-size:.9rem}\n"
    "svg.plot{display:block;width:100%;height:auto;fill:var(--soft)}svg.plot rect{fill:var(--card);"
    "stroke:none}svg.plot text[fill]{fill:var(--ink)}svg.plot line[stroke='#dfe3e6']{stroke:var(--line)}"
    "svg.plot line[stroke='#1f2427']{stroke:var(--ink)}\n"
    "@media(prefers-color-scheme:dark){svg.plot [stroke='#0b6e99']{stroke:#5bb8e0}svg.plot "
    "[stroke='#c8501e']{stroke:#f0936a}svg.plot [stroke='#4a7d2c']{stroke:#96cf72}svg.plot "
    "[stroke='#8a4f9e']{stroke:#d09be2}svg.plot [stroke='#b8860b']{stroke:#e6c04f}svg.plot "
    "[stroke='#444b52']{stroke:#c3cad0}}\n"
    ".wide{overflow-x:auto;background:var(--card);border:1px solid var(--line);border-radius:.6rem}"
    "table{border-collapse:collapse;width:100%;font-size:.92rem}caption{text-align:left;padding:.6rem .9rem "
    "0}"
    "th,td{text-align:left;padding:.4rem .9rem;border-top:1px solid var(--line);vertical-align:top}"
    "tr:first-child>*{border-top:0}td.number,th.number{text-align:right;font-variant-numeric:tabular-nums}"
    "code{font:.88em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;overflow-wrap:anywhere}"
    "th code{white-space:nowrap}\n"
    ".two{display:grid;gap:1rem;grid-template-columns:repeat(auto-fit,minmax(min(100%,24rem),1fr));"
    "align-items:start}meter{width:100%;min-width:6rem;height:.8rem}\n"
    "details{margin-top:1rem}summary{cursor:pointer;font-weight:600;padding:.3rem 0;color:var(--accent)}"
    "summary:focus-visible{outline:2px solid var(--accent)}ul.messages{padding-left:1.2rem}"
    "footer{margin-top:3rem;padding-bottom:2.5rem;font-size:.88rem}\n"
    "@media print{body{background:#fff}details:not([open])>*{display:none}}\n";

static void put_tile(FILE *file, const char *name, double value, int digits, const char *unit) {
    fprintf(file, "<div><dt>%s</dt><dd>", name);
    html_number(file, value, digits);
    fprintf(file, "%s</dd></div>\n", unit);
}

static const char *state_class(const run_result *result) {
    return result->interrupted ? "warn" : (result->status == RLT_OK ? "good" : "bad");
}

static void put_header(FILE *file, const page *p, const run_settings *settings, const run_result *result) {
    const rlt_statistics *s = &result->statistics;
    const char *title = result->title[0] ? result->title : settings->scene;
    double seconds = 0.0;
    for (int i = 0; i < p->history.count; i++)
        seconds += p->history.frames[i].seconds;
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n"
          "<link rel=\"icon\" href=\"data:,\">\n<title>",
          file);
    html_text(file, title);
    fprintf(file, " - Ringlet report</title>\n<style>\n%s</style>\n</head>\n<body>\n<header>\n<h1>", style);
    html_text(file, title);
    fputs("</h1>\n<p class=\"soft\">Scene <code>", file);
    html_text(file, settings->scene);
    fprintf(file, "</code>, frames %d to %d at %g a second. <span class=\"state %s\">%s</span></p>\n",
            result->first, result->last, result->frames_per_second, state_class(result),
            run_status_name(result));
    if (result->resumed)
        fprintf(file, "<p class=\"soft\">Resumed from the checkpoint of frame %d; charts begin there.</p>\n",
                result->resumed_from);
    fputs("<dl class=\"tiles\">\n", file);
    put_tile(file, "Strands", s->strands, 6, "");
    put_tile(file, "Points", s->points, 6, "");
    put_tile(file, "Frames written", result->written, 6, "");
    put_tile(file, "Time per frame", p->history.count ? seconds / p->history.count : 0.0, 3, " s");
    put_tile(file, "Longest edge", 100.0 * (s->longest - 1.0), 2, " % over rest");
    put_tile(file, "Memory", (double)s->bytes / 1e6, 3, " MB");
    fputs("</dl>\n</header>\n<main>\n", file);
}

static void put_pictures(FILE *file, const page *p) {
    if (p->picture_count == 0)
        return;
    fputs("<h2>Pictures</h2>\n<div class=\"pictures\">\n", file);
    for (int i = 0; i < p->picture_count; i++) {
        const page_picture *picture = &p->pictures[i];
        fprintf(file,
                "<figure><img alt=\"The hair at frame %d\" width=\"%d\" height=\"%d\" "
                "src=\"data:image/png;base64,",
                picture->frame, picture->width, picture->height);
        html_base64(file, picture->bytes, picture->size);
        fprintf(file, "\"><figcaption>Frame %d</figcaption></figure>\n", picture->frame);
    }
    fputs("</div>\n", file);
}

/* A number of the scene by its key; 0 where there is none. */
static double scene_number(const page *p, const char *key) {
    for (int i = 0; i < p->value_count; i++)
        if (strcmp(p->values[i].key, key) == 0)
            return strtod(p->values[i].text, NULL);
    return 0.0;
}

static void put_health_row(FILE *file, const char *name, double value, double limit, const char *unit) {
    int good = value <= limit;
    fprintf(file, "<tr><th scope=\"row\">%s</th><td class=\"number\">", name);
    html_number(file, value, 4);
    fprintf(file, "%s</td><td class=\"number\">", unit);
    html_number(file, limit, 4);
    fprintf(file, "%s</td><td class=\"%s\">%s</td></tr>\n", unit, good ? "good" : "bad",
            good ? "good" : "too much");
}

static void put_health(FILE *file, const page *p, const run_result *result) {
    double edge = 0.0, fastest = 0.0;
    for (int i = 0; i < p->history.count; i++) {
        const history_frame *f = &p->history.frames[i];
        edge = f->edge > edge ? f->edge : edge;
        fastest = f->fastest > fastest ? f->fastest : fastest;
    }
    fputs("<div class=\"wide\"><table><caption>Health, over all frames</caption>\n"
          "<thead><tr><th scope=\"col\">Maximum</th><th class=\"number\" scope=\"col\">found</th><th "
          "class=\"number\" scope=\"col\">limit</th><th scope=\"col\"></th></tr></thead>\n"
          "<tbody>\n",
          file);
    put_health_row(file, "edge, over its rest length", edge, scene_number(p, "health.stretch_alarm"), "");
    put_health_row(file, "speed of a point", fastest, scene_number(p, "health.speed_limit"), " unit/s");
    fprintf(file,
            "<tr><th scope=\"row\">Run</th><td colspan=\"2\">%s</td><td class=\"%s\">%s</td></tr>\n"
            "</tbody></table></div>\n",
            result->status == RLT_DIVERGED ? "the simulation diverged" : "reached its end without divergence",
            result->status == RLT_DIVERGED ? "bad" : "good", result->status == RLT_DIVERGED ? "bad" : "good");
}

static void put_solved(FILE *file, const run_result *result) {
    if (result->solved.frames == 0)
        return;
    fputs("<div class=\"wide\"><table><caption>Solved contacts, over all frames</caption>\n<tbody>\n", file);
    solved_html(file, &result->solved);
    fputs("</tbody></table></div>\n", file);
}

static void put_time_row(FILE *file, const char *name, double seconds, double all) {
    double share = all > 0.0 ? seconds / all : 0.0;
    fprintf(file, "<tr><th scope=\"row\">%s</th><td class=\"number\">", name);
    html_number(file, seconds, 3);
    fprintf(file,
            " s</td><td><meter min=\"0\" max=\"1\" value=\"%.4f\" aria-label=\"%s: %.1f "
            "percent\"></meter></td></tr>\n",
            share < 1.0 ? share : 1.0, name, 100.0 * share);
}

/* Phases are summed over threads, so each is shown as a share of their sum. */
static void put_times(FILE *file, const page *p, const run_result *result) {
    const rlt_statistics *s = &result->statistics;
    double phases[HISTORY_PHASES], all = 0.0;
    history_phases(s, phases);
    for (int i = 0; i < HISTORY_PHASES; i++)
        all += phases[i];
    fprintf(
        file,
        "<div class=\"wide\"><table><caption>Time: %.2f s from start to end: build %.2f, "
        "simulation %.2f, writing %.2f, pictures %.2f, checkpoints %.2f, other %.2f. Below, the simulation "
        "by phase, all %d threads together</caption>\n<tbody>\n",
        result->seconds, result->seconds_build, result->seconds_simulate,
        result->seconds_write - p->seconds_pictures, p->seconds_pictures, result->seconds_checkpoint,
        run_seconds_other(result), s->threads);
    for (int i = 0; i < HISTORY_PHASES; i++)
        put_time_row(file, history_phase_names[i], phases[i], all);
    fputs("</tbody></table></div>\n", file);
}

static void put_values(FILE *file, const page *p, int all) {
    fputs("<div class=\"wide\"><table><thead><tr><th scope=\"col\">Key</th><th scope=\"col\">Value</th><th "
          "scope=\"col\">Meaning</th></tr></thead>\n"
          "<tbody>\n",
          file);
    for (int i = 0; i < p->value_count; i++) {
        const page_value *v = &p->values[i];
        if (!all && v->is_default)
            continue;
        fputs("<tr><th scope=\"row\"><code>", file);
        html_text(file, v->key);
        fputs("</code></th><td><code>", file);
        html_text(file, v->text);
        fputs("</code> ", file);
        html_text(file, v->unit);
        fputs("</td><td class=\"soft\">", file);
        html_text(file, v->help);
        fputs("</td></tr>\n", file);
    }
    fputs("</tbody></table></div>\n", file);
}

static void put_scene(FILE *file, const page *p, const run_settings *settings) {
    fputs("<h2>The scene's values</h2>\n", file);
    for (int i = 0; i < settings->overrides.count; i++) {
        fputs(i ? ", <code>" : "<p>Changed for this run with --set: <code>", file);
        html_text(file, settings->overrides.texts[i]);
        fputs(i + 1 < settings->overrides.count ? "</code>" : "</code></p>\n", file);
    }
    fputs("<p class=\"soft\">Those that are not the defaults, from the scene or its presets:</p>\n", file);
    put_values(file, p, 0);
    fputs("<details><summary>All values</summary>\n", file);
    put_values(file, p, 1);
    fputs("</details>\n", file);
}

static void put_messages(FILE *file, const rlt_messages *messages) {
    static const char *const words[] = {"note", "warning", "error"}, *const classes[] = {"soft", "warn",
                                                                                         "bad"};
    int count = rlt_messages_count(messages);
    fputs("<h2>Messages</h2>\n", file);
    if (count == 0)
        fputs("<p class=\"soft\">None.</p>\n", file);
    else
        fputs("<ul class=\"messages\">\n", file);
    for (int i = 0; i < count; i++) {
        rlt_severity severity = rlt_messages_severity(messages, i);
        fprintf(file, "<li><span class=\"%s\">%s</span>: ", classes[severity], words[severity]);
        html_text(file, rlt_messages_text(messages, i));
        fputs("</li>\n", file);
    }
    if (count > 0)
        fputs("</ul>\n", file);
}

static void put_footer(FILE *file, const run_result *result) {
    const rlt_statistics *s = &result->statistics;
    fprintf(file,
            "</main>\n<footer class=\"soft\">\n<p>Ringlet %s, %s kernel, %d threads, %d processes. Equal "
            "hashes mean equal bytes: the last frame's is <code>%016llx</code>.</p>\n</footer>\n</body>\n"
            "</html>\n",
            rlt_version(), s->simd, s->threads, s->ranks, result->hash);
}

static int put_page(FILE *file, const page *p, const run_settings *settings, const run_result *result,
                    const rlt_messages *messages) {
    put_header(file, p, settings, result);
    put_pictures(file, p);
    fputs("<h2>Over the frames</h2>\n<div class=\"charts\">\n", file);
    int good = page_charts(file, p);
    fputs("</div>\n<h2>Health and time</h2>\n<div class=\"two\">\n", file);
    put_health(file, p, result);
    put_solved(file, result);
    put_times(file, p, result);
    fputs("</div>\n", file);
    put_scene(file, p, settings);
    put_messages(file, messages);
    put_footer(file, result);
    return good;
}

rlt_status page_write(const page *p, const run_settings *settings, const run_result *result,
                      const rlt_messages *messages) {
    outfile out;
    if (!outfile_begin(&out))
        return console_fail(RLT_FAILED, "%s: out of memory", p->path);
    rlt_status status = outfile_end(&out, put_page(out.text, p, settings, result, messages), p->path);
    return p->failed ? RLT_FAILED : status;
}
