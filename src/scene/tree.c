#include "scene/tree.h"

#include <stdio.h>
#include <string.h>
#include <yaml.h>

#include "base/arena.h"
#include "base/memory.h"
#include "base/messages.h"

struct rlti_tree {
    rlti_arena arena; /* of nodes and texts */
    int node_count;
};

rlti_tree *rlti_tree_create(void) {
    return RLTI_NEW(rlti_tree, 1);
}

void rlti_tree_destroy(rlti_tree *tree) {
    if (tree == NULL)
        return;
    rlti_arena_clear(&tree->arena);
    rlti_free(tree);
}

int rlti_tree_node_count(const rlti_tree *tree) {
    return tree->node_count;
}

rlti_node *rlti_tree_node(rlti_tree *tree, rlti_node_kind kind, int line, int column) {
    rlti_node *node = rlti_arena_keep(&tree->arena, 1, sizeof *node);
    if (node == NULL)
        return NULL;
    *node = (rlti_node){.kind = kind, .line = line, .column = column, .index = -1, .text = ""};
    tree->node_count++;
    return node;
}

rlti_node *rlti_tree_scalar(rlti_tree *tree, const char *text, size_t length, int line, int column) {
    rlti_node *node = rlti_tree_node(tree, RLTI_NODE_SCALAR, line, column);
    char *copy = node == NULL ? NULL : rlti_arena_text(&tree->arena, text, length);
    if (copy == NULL)
        return NULL;
    node->text = copy;
    node->length = length;
    node->plain = 1;
    return node;
}

/* One collection that is being read. */
typedef struct level {
    rlti_node *node;
    rlti_node *last; /* child */
} level;

typedef struct anchor {
    const char *name;
    const rlti_node *node;
} anchor;

typedef struct reader {
    rlti_tree *tree;
    yaml_parser_t parser;
    rlti_tree_error *error;
    int column; /* added in the first line */
    int depth;
    level levels[RLTI_TREE_DEPTH];
    anchor *anchors; /* [RLTI_TREE_ANCHORS], NULL until the first: most texts have none */
    int anchor_count;
    rlti_node *root;
} reader;

static rlt_status fail_at(reader *r, yaml_mark_t mark, const char *format, const char *detail) {
    int line = (int)mark.line + 1;
    r->error->line = line;
    r->error->column = (int)mark.column + 1 + (line == 1 ? r->column : 0);
    snprintf(r->error->text, sizeof r->error->text, format, detail);
    return RLT_BAD_INPUT;
}

/* The reader of bytes knows only an offset; the line is counted here. */
static rlt_status fail_encoding(reader *r, const char *text, size_t size) {
    yaml_mark_t mark = {0};
    size_t offset = r->parser.problem_offset < size ? r->parser.problem_offset : size;
    for (size_t i = 0; i < offset; i++) {
        unsigned char byte = (unsigned char)text[i];
        if (byte == '\n') {
            mark.line++;
            mark.column = 0;
        } else if ((byte & 0xc0) != 0x80) {
            mark.column++;
        }
    }
    return fail_at(r, mark, "not valid YAML: %s", r->parser.problem);
}

/* 1 where a tab stands at `mark`, before anything else of its line: editors indent by them unasked. */
static int is_tab(yaml_mark_t mark, const char *text, size_t size) {
    size_t i = 0, column = 0;
    for (size_t line = 0; line < mark.line && i < size; i++)
        line += text[i] == '\n';
    for (; i < size && text[i] == ' '; i++)
        column++;
    return i < size && text[i] == '\t' && column == mark.column;
}

static rlt_status fail_syntax(reader *r, const char *text, size_t size) {
    const yaml_parser_t *parser = &r->parser;
    if (parser->error == YAML_MEMORY_ERROR)
        return RLT_FAILED;
    if (parser->error == YAML_READER_ERROR)
        return fail_encoding(r, text, size);
    char detail[200];
    if (is_tab(parser->problem_mark, text, size))
        return fail_at(r, parser->problem_mark, "%s",
                       "begins with a tab, which YAML does not allow; use spaces");
    snprintf(detail, sizeof detail, "%s%s%s", parser->context != NULL ? parser->context : "",
             parser->context != NULL ? ": " : "", parser->problem != NULL ? parser->problem : "syntax error");
    return fail_at(r, parser->problem_mark, "not valid YAML: %s", detail);
}

static rlt_status attach(reader *r, rlti_node *node) {
    if (r->depth == 0) {
        r->root = node;
        return RLT_OK;
    }
    level *parent = &r->levels[r->depth - 1];
    if (parent->last == NULL)
        parent->node->first = node;
    else
        parent->last->next = node;
    parent->last = node;
    parent->node->count++;
    return RLT_OK;
}

static rlt_status remember(reader *r, const yaml_event_t *event, const yaml_char_t *name,
                           const rlti_node *node) {
    if (name == NULL)
        return RLT_OK;
    if (r->anchor_count == RLTI_TREE_ANCHORS)
        return fail_at(r, event->start_mark, "too many anchors%s", "");
    if (r->anchors == NULL && (r->anchors = RLTI_NEW(anchor, RLTI_TREE_ANCHORS)) == NULL)
        return RLT_FAILED;
    const rlti_node *copy = rlti_tree_scalar(r->tree, (const char *)name, strlen((const char *)name), 0, 0);
    if (copy == NULL)
        return RLT_FAILED;
    r->anchors[r->anchor_count++] = (anchor){copy->text, node};
    return RLT_OK;
}

/* A value of the kind of the event, in its place in the tree. */
static rlt_status add(reader *r, const yaml_event_t *event, rlti_node_kind kind, rlti_node **added) {
    yaml_mark_t mark = event->start_mark;
    if (r->tree->node_count >= RLTI_TREE_NODES)
        return fail_at(r, mark, "too many values%s", "");
    int line = (int)mark.line + 1;
    int column = (int)mark.column + 1 + (line == 1 ? r->column : 0);
    if (kind == RLTI_NODE_SCALAR)
        *added = rlti_tree_scalar(r->tree, (const char *)event->data.scalar.value, event->data.scalar.length,
                                  line, column);
    else
        *added = rlti_tree_node(r->tree, kind, line, column);
    return *added == NULL ? RLT_FAILED : attach(r, *added);
}

static rlt_status add_scalar(reader *r, const yaml_event_t *event) {
    rlti_node *node = NULL;
    rlt_status status = add(r, event, RLTI_NODE_SCALAR, &node);
    if (status != RLT_OK)
        return status;
    node->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE && event->data.scalar.plain_implicit;
    return remember(r, event, event->data.scalar.anchor, node);
}

static rlt_status open_level(reader *r, const yaml_event_t *event, rlti_node_kind kind,
                             const yaml_char_t *name) {
    if (r->depth == RLTI_TREE_DEPTH)
        return fail_at(r, event->start_mark, "nested too deeply%s", "");
    rlti_node *node = NULL;
    rlt_status status = add(r, event, kind, &node);
    if (status != RLT_OK)
        return status;
    r->levels[r->depth++] = (level){node, NULL};
    return remember(r, event, name, node);
}

static rlt_status add_alias(reader *r, const yaml_event_t *event) {
    const char *name = (const char *)event->data.alias.anchor;
    const rlti_node *target = NULL;
    for (int i = r->anchor_count - 1; i >= 0 && target == NULL; i--)
        if (strcmp(r->anchors[i].name, name) == 0)
            target = r->anchors[i].node;
    char shown[64];
    rlti_text_show(name, strlen(name), shown, sizeof shown);
    if (target == NULL)
        return fail_at(r, event->start_mark, "*%s: no such anchor", shown);
    for (int i = 0; i < r->depth; i++)
        if (r->levels[i].node == target)
            return fail_at(r, event->start_mark, "*%s: contains itself", shown);
    rlti_node *node = NULL;
    rlt_status status = add(r, event, RLTI_NODE_LIST, &node);
    if (status != RLT_OK)
        return status;
    /* the copy shares the children, but stands where the alias stands */
    rlti_node copy = *target;
    copy.line = node->line;
    copy.column = node->column;
    copy.next = NULL;
    *node = copy;
    return RLT_OK;
}

static rlt_status handle(reader *r, const yaml_event_t *event, int *documents) {
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (++*documents > 1)
            return fail_at(r, event->start_mark, "a second document; a scene is one%s", "");
        return RLT_OK;
    case YAML_SCALAR_EVENT:
        return add_scalar(r, event);
    case YAML_SEQUENCE_START_EVENT:
        return open_level(r, event, RLTI_NODE_LIST, event->data.sequence_start.anchor);
    case YAML_MAPPING_START_EVENT:
        return open_level(r, event, RLTI_NODE_MAP, event->data.mapping_start.anchor);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        r->depth--;
        return RLT_OK;
    case YAML_ALIAS_EVENT:
        return add_alias(r, event);
    default:
        return RLT_OK;
    }
}

rlt_status rlti_tree_parse(rlti_tree *tree, const char *text, size_t size, int column, rlti_tree_error *error,
                           rlti_node **root) {
    *root = NULL;
    memset(error, 0, sizeof *error);
    if (size > RLTI_TREE_BYTES) {
        snprintf(error->text, sizeof error->text, "is larger than %zu MiB", RLTI_TREE_BYTES >> 20);
        return RLT_BAD_INPUT;
    }
    reader *r = RLTI_NEW(reader, 1);
    if (r == NULL)
        return RLT_FAILED;
    r->tree = tree;
    r->error = error;
    r->column = column;
    rlt_status status = RLT_OK;
    if (!yaml_parser_initialize(&r->parser)) {
        status = RLT_FAILED;
        goto done;
    }
    yaml_parser_set_input_string(&r->parser, (const unsigned char *)text, size);
    int documents = 0;
    for (int ended = 0; !ended && status == RLT_OK;) {
        yaml_event_t event;
        if (!yaml_parser_parse(&r->parser, &event)) {
            status = fail_syntax(r, text, size);
            break;
        }
        ended = event.type == YAML_STREAM_END_EVENT;
        status = handle(r, &event, &documents);
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&r->parser);
    if (status == RLT_OK)
        *root = r->root;
done:
    RLTI_FREE(r->anchors, r);
    return status;
}
