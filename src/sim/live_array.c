/* Arrays in a caller's memory: any stride, single or double precision. */
#include <string.h>

#include "base/messages.h"
#include "sim/live_data.h"

static size_t bytes_of(rlt_number type) {
    return type == RLT_FLOAT ? sizeof(float) : sizeof(double);
}

static size_t stride_of(rlt_number type, int stride, int numbers) {
    return stride > 0 ? (size_t)stride : (size_t)numbers * bytes_of(type);
}

double rlti_number_of(const rlt_array *array, int element, int numbers, int k) {
    const char *at = (const char *)array->data +
                     (size_t)element * stride_of(array->type, array->stride, numbers) +
                     (size_t)k * bytes_of(array->type);
    if (array->type == RLT_FLOAT) {
        float value;
        memcpy(&value, at, sizeof value); /* strides need not be aligned */
        return (double)value;
    }
    double value;
    memcpy(&value, at, sizeof value);
    return value;
}

rlt_status rlti_numbers_check(const rlt_array *array, const char *name, int elements, int numbers,
                              rlt_messages *messages) {
    if (array == NULL || array->data == NULL)
        return rlti_refuse(messages, "%s: no data; give %d elements of %d numbers", name, elements, numbers);
    if (array->type != RLT_FLOAT && array->type != RLT_DOUBLE)
        return rlti_refuse(messages, "%s: its type is neither RLT_DOUBLE nor RLT_FLOAT", name);
    if (array->stride < 0 ||
        (array->stride > 0 && (size_t)array->stride < (size_t)numbers * bytes_of(array->type)))
        return rlti_refuse(messages, "%s: a stride of %d bytes is too short for %d numbers; 0: no gaps", name,
                           array->stride, numbers);
    for (int e = 0; e < elements; e++)
        for (int k = 0; k < numbers; k++) {
            double value = rlti_number_of(array, e, numbers, k);
            if (!(value > -RLTI_ABSURD && value < RLTI_ABSURD))
                return rlti_refuse(messages,
                                   "%s: element %d has a number that is not finite, or beyond 1e9; nothing "
                                   "was changed",
                                   name, e);
        }
    return RLT_OK;
}

void rlti_numbers_copy(const rlt_array *array, int elements, int numbers, double *to) {
    for (int e = 0; e < elements; e++)
        for (int k = 0; k < numbers; k++)
            *to++ = rlti_number_of(array, e, numbers, k);
}

void rlti_buffer_put(const rlt_buffer *buffer, int element, int numbers, const double *from) {
    char *at = (char *)buffer->data + (size_t)element * stride_of(buffer->type, buffer->stride, numbers);
    if (buffer->type == RLT_DOUBLE) {
        memcpy(at, from, (size_t)numbers * sizeof(double));
        return;
    }
    for (int k = 0; k < numbers; k++) {
        float value = (float)from[k];
        memcpy(at + (size_t)k * sizeof value, &value, sizeof value);
    }
}
