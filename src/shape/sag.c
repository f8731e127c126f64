#include "shape/sag.h"

int rlti_sag_wanted(const rlti_scene_data *scene) {
    for (int h = 0; h < scene->hair_count; h++)
        if (scene->hair[h].sag.mode != RLTI_SAG_OFF)
            return 1;
    return 0;
}

rlt_sag_report rlti_sag_sum(const rlti_scene_data *scene, const rlti_strands *strands,
                            const unsigned char *local, const rlti_sag_result *results, int hair) {
    rlt_sag_report sum = {.ratio = 1.0, .factor = 1.0, .worst = -1};
    for (int s = 0; s < strands->strand_count; s++) {
        int section = strands->hair[s];
        rlti_sag_mode mode = scene->hair[section].sag.mode;
        const rlti_sag_result *r = &results[s];
        if (mode == RLTI_SAG_OFF || (hair >= 0 && section != hair) || !local[s])
            continue;
        sum.strands++;
        sum.solved += r->solved;
        sum.stiffened += r->factor > 1.0;
        sum.unstable += r->stable == 0;
        sum.unchecked += r->stable == 2;
        sum.kicked += r->kicked;
        sum.ratio = r->ratio > sum.ratio ? r->ratio : sum.ratio;
        if (r->factor > sum.factor || sum.worst < 0) {
            sum.factor = r->factor;
            sum.worst = s;
        }
    }
    return sum;
}
