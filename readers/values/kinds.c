/* SPDX-License-Identifier: Apache-2.0 */
/* kinds.c - what there is in a recording of values: kinds of things, variables, kinds of events; trees. */
#include "eve/words.h"
#include "readers/values/private.h"

const char *const value_kind_names[N_VALUE_KINDS] = {
  [VALUE_PROGRAM] = N_ ("Program"), [VALUE_POINT] = N_ ("Point"), [VALUE_TIME] = N_ ("Time"),
  [VALUE_INTEGER] = N_ ("Integer"), [VALUE_FLOAT] = N_ ("Float"), [VALUE_BOOLEAN] = N_ ("Boolean"),
  [VALUE_STRING] = N_ ("String"),   [VALUE_TAG] = N_ ("Tag"),     [VALUE_HASH_TABLE] = N_ ("Hash table"),
  [VALUE_TREE] = N_ ("Tree"),       [VALUE_LOG] = N_ ("Log"),     [VALUE_SPECIAL] = N_ ("Special"),
};

const ValueVariableInfo value_variables[N_VALUE_VARIABLES] = {
  [VAR_COUNT] = { "Count", NULL },         [VAR_TIME] = { "Time", "s" },
  [VAR_INTEGER] = { "Integer", NULL },     [VAR_FLOAT] = { "Float", NULL },
  [VAR_BOOLEAN] = { "Boolean", NULL },     [VAR_STRING] = { "String", NULL },
  [VAR_TAG_COUNT] = { "Living", NULL },    [VAR_TAG_SIZE] = { "Size", "B" },
  [VAR_ARRAY] = { "ArraySize", NULL },     [VAR_ELEMENTS] = { "Elements", NULL },
  [VAR_EMPTY] = { "EmptyBuckets", NULL },  [VAR_LONGEST] = { "LongestBucket", NULL },
  [VAR_TREE] = { "Tree", NULL },           [VAR_LOG] = { "Log", NULL },
  [VAR_CPU] = { "ProcessorTime", "s" },    [VAR_HEAP_TOTAL] = { "HeapTotal", "B" },
  [VAR_HEAP_ALIVE] = { "HeapAlive", "B" }, [VAR_SPECIAL] = { "Special", NULL },
};

static const TraceField is_fields[] = { { "variable", TRACE_ROLE_OBJECT, NULL }, { "value", TRACE_ROLE_VALUE, NULL } };
static const TraceField text_fields[] = { { "text", TRACE_ROLE_WORD, NULL } };
static const TraceField tree_fields[] = { { "tree", TRACE_ROLE_WORD, NULL } };
static const TraceField log_fields[] = { { "at", TRACE_ROLE_INT, "s" }, { "line", TRACE_ROLE_WORD, NULL } };

#define KIND(name_, category_, acts_, ...)                                                                             \
  {                                                                                                                    \
    .name = name_, .category = category_, .instant = true, .acts = acts_, __VA_ARGS__                                  \
  }
#define FIELDS(a) .fields = a, .n_fields = G_N_ELEMENTS (a)
const TraceKind values_kinds[N_VALUE_RECORDS] = {
  [VALUE_DECLARED] = KIND ("Declare", "task", TRACE_ACT_BIRTH, .fields = NULL),
  [VALUE_IS] = KIND ("Value", "value", TRACE_ACT_SET, FIELDS (is_fields)),
  [VALUE_TEXT_IS] = KIND ("Text", "value", TRACE_ACT_MARK, FIELDS (text_fields)),
  [VALUE_TREE_IS] = KIND ("Tree", "value", TRACE_ACT_MARK, FIELDS (tree_fields)),
  [VALUE_LOGGED] = KIND ("Log", "user", TRACE_ACT_MARK, FIELDS (log_fields)),
  [VALUE_KILLED] = KIND ("Killed", "life", TRACE_ACT_MARK, .fields = NULL),
  [VALUE_COLLECTED] = KIND ("Collected", "life", TRACE_ACT_MARK, .fields = NULL),
  [VALUE_CONNECTED] = KIND ("Connected", "life", TRACE_ACT_MARK, .fields = NULL),
  [VALUE_SILENT] = KIND ("Silent", "life", TRACE_ACT_MARK, .fields = NULL),
  [VALUE_ENDED] = KIND ("Ended", "life", TRACE_ACT_MARK, .fields = NULL),
  [VALUE_BREAK] = KIND ("Break", "life", TRACE_ACT_MARK, .fields = NULL),
  [VALUE_DAMAGED] = KIND ("Damaged", "life", TRACE_ACT_MARK, .fields = NULL),
  [VALUE_LISTENS] = KIND ("Listens", "life", TRACE_ACT_MARK, .fields = NULL),
  [VALUE_STOPPED] = KIND ("Stopped", "life", TRACE_ACT_MARK, .fields = NULL),
  [VALUE_RESUMED] = KIND ("Resumed", "life", TRACE_ACT_MARK, .fields = NULL),
};

bool
values_has_bytes (uint8_t type)
{
  return type == VALUE_TEXT_IS || type == VALUE_TREE_IS || type == VALUE_LOGGED;
}

/* ---- trees ------------------------------------------------------------------------------------------------------------ */

static uint32_t
get_16 (const uint8_t *p)
{
  return p[0] | (uint32_t) p[1] << 8;
}

/* The node at *at; false: it is not whole, or has a child that is not before it. */
static bool
values_kinds_get_node (const uint8_t *p, size_t n, size_t *at, uint32_t number, ValueTreeNode *node)
{
  if (n - *at < 4)
    return false;
  uint32_t label = bytes_get32 (p + *at);
  *at += 4;
  if (label > n - *at || n - *at - label < 2)
    return false;
  node->label = (const char *) p + *at;
  node->n_label = label;
  *at += label;
  node->n_children = get_16 (p + *at);
  *at += 2;
  if (n - *at < 2 * (size_t) node->n_children)
    return false;
  node->children = p + *at;
  *at += 2 * (size_t) node->n_children;
  for (uint32_t i = 0; i < node->n_children; i++)
    if (value_tree_child (node, i) >= number)
      return false;
  return true;
}

bool
value_tree_check (const void *bytes, size_t n)
{
  size_t at = 2;

  if (n < 2 || get_16 (bytes) == 0)
    return false;
  for (uint32_t i = 0; i < get_16 (bytes); i++) {
    ValueTreeNode node;
    if (!values_kinds_get_node (bytes, n, &at, i, &node))
      return false;
  }
  return at == n;
}

ValueTreeNode *
value_tree_nodes (const void *bytes, size_t n_bytes, uint32_t *n)
{
  size_t at = 2;

  *n = n_bytes >= 2 ? get_16 (bytes) : 0;
  ValueTreeNode *nodes = g_new0 (ValueTreeNode, *n + 1);
  for (uint32_t i = 0; i < *n; i++)
    if (!values_kinds_get_node (bytes, n_bytes, &at, i, &nodes[i])) {
      *n = i;
      break;
    }
  return nodes;
}
