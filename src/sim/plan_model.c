#include "sim/plan_model.h"

#include <string.h>

#include "base/memory.h"
#include "base/messages.h"
#include "contact/hair/springs.h"

/* Working memory for one number of ranks. */
typedef struct tally {
    int *first, *member;        /* [ranks + 1], [strands]: strands by rank, in the order of tiles */
    int *seen;                  /* [ranks] 1 + the last strand, or the last rank, that has met this rank */
    long long *sent, *received; /* [ranks] bytes per exchange */
    double *threads;            /* [threads] work given to each */
} tally;

static int tally_create(int strands, int ranks, int threads, tally *t) {
    return RLTI_ALLOCATE(RLTI_ITEMS(t->first, (size_t)ranks + 1), RLTI_ITEMS(t->member, strands),
                         RLTI_ITEMS(t->seen, ranks), RLTI_ITEMS(t->sent, ranks),
                         RLTI_ITEMS(t->received, ranks), RLTI_ITEMS(t->threads, threads));
}

static void tally_destroy(tally *t) {
    RLTI_FREE(t->first, t->member, t->seen, t->sent, t->received, t->threads);
}

static void list_members(const rlti_plan_input *input, int ranks, const int *part, tally *t) {
    int count = input->graph->count;
    for (int s = 0; s < count; s++)
        t->first[part[s]]++;
    for (int r = 1; r <= ranks; r++)
        t->first[r] += t->first[r - 1]; /* the ends of the ranks, which become their beginnings */
    for (int i = count - 1; i >= 0; i--)
        t->member[--t->first[part[input->order[i]]]] = input->order[i];
}

/* Every strand goes once to each other rank that has a neighbour of it. */
static void count_bytes(const rlti_plan_input *input, const int *part, tally *t) {
    const rlti_graph *graph = input->graph;
    for (int s = 0; s < graph->count; s++) {
        long long bytes = input->particles[s] * (long long)sizeof(rlti_seen);
        for (long long e = graph->first[s]; e < graph->first[s + 1]; e++) {
            int other = part[graph->to[e]];
            if (other == part[s] || t->seen[other] == s + 1)
                continue;
            t->seen[other] = s + 1;
            t->sent[part[s]] += bytes;
            t->received[other] += bytes;
        }
    }
}

static int count_neighbours(const rlti_plan_input *input, const int *part, int rank, tally *t) {
    const rlti_graph *graph = input->graph;
    int count = 0;
    for (int i = t->first[rank]; i < t->first[rank + 1]; i++)
        for (long long e = graph->first[t->member[i]]; e < graph->first[t->member[i] + 1]; e++) {
            int other = part[graph->to[e]];
            if (other != rank && t->seen[other] != rank + 1) {
                t->seen[other] = rank + 1;
                count++;
            }
        }
    return count;
}

/* Work of a rank's tiles, each as long as its longest strand, and of the thread that has the maximum of it
 * when every thread takes the next tile as soon as it is free. */
typedef struct tiles {
    double all, longest;
} tiles;

static tiles measure_tiles(const rlti_plan_input *input, int rank, tally *t) {
    tiles result = {0.0, 0.0};
    int in_section = 0;
    memset(t->threads, 0, (size_t)input->threads * sizeof *t->threads);
    for (int i = t->first[rank]; i < t->first[rank + 1]; i++) {
        int strand = t->member[i];
        int new_section = i == t->first[rank] || input->section[strand] != input->section[t->member[i - 1]];
        in_section = new_section ? 0 : in_section + 1;
        if (in_section % input->lanes != 0)
            continue;
        int next = 0;
        for (int k = 1; k < input->threads; k++)
            if (t->threads[k] < t->threads[next])
                next = k;
        t->threads[next] += input->points[strand];
        result.all += input->points[strand];
        if (t->threads[next] > result.longest)
            result.longest = t->threads[next];
    }
    return result;
}

double rlti_plan_tiles(const rlti_plan_input *input) {
    double sum = 0.0;
    for (int i = 0, in_section = 0; i < input->graph->count; i++) {
        int strand = input->order[i];
        int new_section = i == 0 || input->section[strand] != input->section[input->order[i - 1]];
        in_section = new_section ? 0 : in_section + 1;
        if (in_section % input->lanes == 0)
            sum += input->points[strand];
    }
    return sum;
}

static double larger(double a, double b) {
    return a > b ? a : b;
}

static void count_rank(const rlti_plan_input *input, const int *part, int rank, double whole_tiles,
                       double whole_points, tally *t, rlt_plan_line *line) {
    const rlti_graph *graph = input->graph;
    int hairs = t->first[rank + 1] - t->first[rank];
    long long points = 0, ends = 0;
    for (int i = t->first[rank]; i < t->first[rank + 1]; i++) {
        points += input->points[t->member[i]];
        ends += graph->first[t->member[i] + 1] - graph->first[t->member[i]];
    }
    line->hairs_least = rank == 0 || hairs < line->hairs_least ? hairs : line->hairs_least;
    line->hairs_most = hairs > line->hairs_most ? hairs : line->hairs_most;
    line->points_most = points > line->points_most ? points : line->points_most;

    int neighbours = count_neighbours(input, part, rank, t);
    long long bytes = t->sent[rank] > t->received[rank] ? t->sent[rank] : t->received[rank];
    line->neighbours_most = neighbours > line->neighbours_most ? neighbours : line->neighbours_most;
    line->bytes_most = bytes > line->bytes_most ? bytes : line->bytes_most;
    line->bytes_total += t->sent[rank];
    double exchange = input->exchanges * (input->latency * neighbours + (double)bytes / input->bandwidth);
    line->seconds_exchange = larger(line->seconds_exchange, exchange);

    tiles work = measure_tiles(input, rank, t);
    double in_step = whole_tiles > 0.0 ? work.longest / whole_tiles : 0.0;
    double elsewhere = whole_points > 0.0 ? (double)points / whole_points / input->threads : 0.0;
    double common = input->common_share / input->threads,
           own = (1.0 - input->step_share - input->common_share) * elsewhere;
    double compute = input->seconds * (input->step_share * in_step + common + own);
    line->seconds_compute = larger(line->seconds_compute, compute);
    line->memory_most = larger(line->memory_most, input->memory_common + input->memory_tile * work.all +
                                                      input->memory_edge * (double)ends);
}

rlt_status rlti_plan_line(const rlti_plan_input *input, int ranks, const int *part, rlt_messages *messages,
                          rlt_plan_line *line) {
    const rlti_graph *graph = input->graph;
    tally t = {0};
    rlt_status status = RLT_OK;
    *line = (rlt_plan_line){.ranks = ranks, .possible = 1, .hairs_mean = (double)graph->count / ranks};
    if (!tally_create(graph->count, ranks, input->threads, &t)) {
        status = rlti_out_of_memory(messages);
    } else {
        double whole_points = 0.0, whole_tiles = rlti_plan_tiles(input);
        for (int s = 0; s < graph->count; s++) {
            whole_points += input->points[s];
            for (long long e = graph->first[s]; e < graph->first[s + 1]; e++)
                line->edges_cut += graph->to[e] > s && part[graph->to[e]] != part[s];
        }
        long long edges = graph->first[graph->count] / 2;
        line->cut_share = edges > 0 ? (double)line->edges_cut / (double)edges : 0.0;
        list_members(input, ranks, part, &t);
        count_bytes(input, part, &t);
        memset(t.seen, 0, (size_t)ranks * sizeof *t.seen);
        for (int r = 0; r < ranks; r++)
            count_rank(input, part, r, whole_tiles, whole_points, &t, line);
        /* rank 0 takes in what the others have, one after the other */
        if (ranks > 1)
            line->seconds_gather = input->latency * (ranks - 1) + RLTI_PLAN_GATHER_BYTES * whole_points *
                                                                      (ranks - 1) / ranks / input->bandwidth;
        line->seconds = line->seconds_compute + line->seconds_exchange + line->seconds_gather;
    }
    tally_destroy(&t);
    return status;
}

void rlti_plan_judge(double seconds, rlt_plan_line *lines, int count, rlt_plan_summary *summary) {
    double best = 0.0;
    int largest = 0;
    summary->fastest_ranks = summary->efficient_ranks = 0;
    for (int i = 0; i < count; i++) {
        rlt_plan_line *line = &lines[i];
        if (!line->possible)
            continue;
        line->speedup = line->seconds > 0.0 ? seconds / line->seconds : 1.0;
        line->efficiency = line->speedup / line->ranks;
        largest = line->ranks > largest ? line->ranks : largest;
        int first = summary->fastest_ranks == 0;
        if (first || line->seconds < best ||
            (line->seconds == best && line->ranks < summary->fastest_ranks)) {
            best = line->seconds;
            summary->fastest_ranks = line->ranks;
        }
        if (line->efficiency >= 0.5 && line->ranks > summary->efficient_ranks)
            summary->efficient_ranks = line->ranks;
    }
    summary->still_gaining = largest > 0 && summary->fastest_ranks == largest;
}
