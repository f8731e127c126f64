/* Materials of what a run writes: those of the file that hair is from, where that is USD and the result, too.
 */
#include "base/memory.h"
#include "base/messages.h"
#include "files/convert.h"
#include "files/looks.h"
#include "files/writer_data.h"

/* A material, shader or what else stands in a network, as it is in the file. */
static rlt_status declare_look(rlt_writer *writer, const rlt_source *source, int from, int writes,
                               int *handles, rlt_messages *messages) {
    const rlti_stage *stage = writer->sources[0].stage;
    const rlti_prim *prim = &stage->prims[from];
    rlt_status status = rlti_sink_prim(writer->sink, prim->parent >= 0 ? handles[prim->parent] : -1, prim,
                                       messages, &handles[from]);
    for (int i = 0; i < prim->attribute_count && status == RLT_OK; i++) {
        const rlti_attribute *a = &stage->attributes[prim->first_attribute + i];
        if ((a->has_default || a->sample_count > 0) && a->indices < 0 && !a->is_index)
            status = rlti_writer_keep(writer, source, 0, from, a, -1, handles[from], writes, messages);
    }
    if (status == RLT_OK)
        status = rlti_carry_links(writer->sink, handles[from], stage, prim, NULL, messages);
    return status;
}

rlt_status rlti_writer_declare_looks(rlt_writer *writer, const rlt_frame_view *view, int writes, int *handles,
                                     rlt_messages *messages) {
    const rlti_stage *stage = writer->sources[0].stage;
    if (!rlti_sink_is_usd(writer->sink)) {
        int links = 0;
        for (int i = 0; i < stage->prim_count; i++)
            links += handles[i] >= 0 ? rlti_stage_count_links(stage, &stage->prims[i]) : 0;
        rlti_warn_links(writer->sink->path, links, messages);
        return RLT_OK;
    }
    unsigned char *take = rlti_allocate((size_t)stage->prim_count + 1, 1);
    if (take == NULL)
        return rlti_out_of_memory(messages);
    for (int i = 0; i < stage->prim_count; i++)
        take[i] = handles[i] >= 0;
    rlt_status status = rlti_take_looks(stage, take, messages);
    for (int i = 0; i < stage->prim_count && status == RLT_OK; i++)
        if (handles[i] < 0 && take[i] == 2)
            status = declare_look(writer, view->sources[0], i, writes, handles, messages);
        else if (handles[i] < 0 && take[i] == 1)
            status = rlti_writer_declare_path(writer, view->sources[0], 0, i, writes, handles, messages);
    rlti_free(take);
    return status;
}
