/* SPDX-License-Identifier: Apache-2.0 */
/* maps.c - which events begin and end what.
 *
 * CTF knows no states.  A map says for events of a name what they do and which of their fields names the task, the
 * state or the partner: the file scope.map (or .scope.map) of the trace, or, for traces that were converted from OTF2,
 * the one below. Without a map, events are pairs whose names differ in one word alone: entry and exit, begin and end.
 */
#include <string.h>

#include "eve/disk.h"
#include "eve/words.h"
#include "readers/both-ends.h"
#include "readers/ctf/ctf.h"
#include "readers/pair.h"

#define MOST_IN_TABLES 1000000

static const char of_otf2[] = "[*]\ntask=locationID:location\n"
                              "[Event_Enter]\ndoes=enter\nstate=region:region\n"
                              "[Event_Leave]\ndoes=leave\n"
                              "[Event_MpiSend]\ndoes=send\npeer=receiver@communicator\nsize=msgLength\ntag=msgTag\n"
                              "[Event_MpiIsend]\ndoes=send\npeer=receiver@communicator\nsize=msgLength\ntag=msgTag\n"
                              "[Event_MpiRecv]\ndoes=receive\npeer=sender@communicator\nsize=msgLength\ntag=msgTag\n"
                              "[Event_MpiIrecv]\ndoes=receive\npeer=sender@communicator\nsize=msgLength\ntag=msgTag\n"
                              "[Event_MpiCollectiveBegin]\ndoes=meet\n"
                              "[Event_MpiCollectiveEnd]\ndoes=together\nstate=collectiveOp\n"
                              "peer=root@communicator\nsize=sizeSent\nreceived=sizeReceived\n"
                              "[operations]\n0=Barrier\n1=Bcast\n2=Gather\n3=Gatherv\n4=Scatter\n5=Scatterv\n"
                              "6=Allgather\n7=Allgatherv\n8=Alltoall\n9=Alltoallv\n10=Alltoallw\n11=Allreduce\n"
                              "12=Reduce\n13=Reduce_scatter\n14=Scan\n15=Exscan\n16=Reduce_scatter_block\n"
                              "[GlobalDef_String]\ndoes=name\ntable=string\nkey=self\ntext=stringValue\n"
                              "[GlobalDef_Region]\ndoes=name\ntable=region\nkey=self\ntext=name:string\n"
                              "[GlobalDef_LocationGroup]\ndoes=name\ntable=group\nkey=self\ntext=name:string\n"
                              "[GlobalDef_Location]\ndoes=name\ntable=location\nkey=self\n"
                              "text=locationGroup:group name:string\n"
                              "[GlobalDef_Comm]\ndoes=name\ntable=comm\nkey=self\ntext=group\n"
                              "[GlobalDef_GroupMember]\ndoes=name\ntable=member\nkey=group,rank\ntext=location\n";

void
ctf_free_rule (void *p)
{
  Rule *r = p;

  g_free (r->task);
  g_free (r->state);
  g_free (r->peer);
  g_free (r->size);
  g_free (r->tag);
  g_free (r->received);
  g_free (r->table);
  g_free (r->key);
  g_free (r->text);
  g_free (r);
}

static void
maps_tell (Ctf *c, const char *file, const char *event, const char *what)
{
  trace_source_remark (c->source, file, 1, 1, "[%.100s]: %.300s", event, what);
}

static void
maps_read_rule (Ctf *c, GKeyFile *keys, const char *event, const char *file)
{
  static const char *const words[] = { "enter", "leave", "send", "receive", "name", "meet", "together" };
  static const Does does[] = { DOES_ENTER, DOES_LEAVE, DOES_SEND, DOES_RECEIVE, DOES_NAME, DOES_MEET, DOES_TOGETHER };
  g_autofree char *word = g_key_file_get_string (keys, event, "does", NULL);
  size_t i = 0;

  if (strcmp (event, "*") == 0) { /* of all events that have such a field */
    g_free (c->task);
    c->task = g_key_file_get_string (keys, event, "task", NULL);
    return;
  }
  while (word && i < G_N_ELEMENTS (words) && strcmp (words[i], word) != 0)
    i++;
  if (!word || i == G_N_ELEMENTS (words)) {
    maps_tell (c, file, event, _ ("“does” is one of enter, leave, send, receive, name, meet, together"));
    return;
  }
  Rule *r = g_new0 (Rule, 1);
  r->does = does[i];
  r->task = g_key_file_get_string (keys, event, "task", NULL);
  r->state = g_key_file_get_string (keys, event, "state", NULL);
  r->peer = g_key_file_get_string (keys, event, "peer", NULL);
  r->size = g_key_file_get_string (keys, event, "size", NULL);
  r->tag = g_key_file_get_string (keys, event, "tag", NULL);
  r->received = g_key_file_get_string (keys, event, "received", NULL);
  r->table = g_key_file_get_string (keys, event, "table", NULL);
  r->key = g_key_file_get_string (keys, event, "key", NULL);
  r->text = g_key_file_get_string (keys, event, "text", NULL);
  if (r->does == DOES_NAME && (!r->table || !r->key || !r->text)) {
    maps_tell (c, file, event, _ ("what names has a table, a key and a text"));
    ctf_free_rule (r);
    return;
  }
  g_hash_table_replace (c->rules, g_strdup (event), r);
}

/* How operations of groups are called that an event tells by a number. */
static void
maps_read_operations (Ctf *c, GKeyFile *keys)
{
  g_auto (GStrv) numbers = g_key_file_get_keys (keys, "operations", NULL, NULL);

  for (char **n = numbers; n && *n; n++)
    g_hash_table_replace (c->operations, g_strdup (*n), g_key_file_get_string (keys, "operations", *n, NULL));
}

static void
maps_read_rules (Ctf *c, GKeyFile *keys, const char *file)
{
  g_auto (GStrv) events = g_key_file_get_groups (keys, NULL);

  for (char **e = events; *e; e++)
    if (strcmp (*e, "operations") == 0)
      maps_read_operations (c, keys);
    else if (strcmp (*e, "symbols") != 0)
      maps_read_rule (c, keys, *e, file);
}

/* Addresses and what is there, as nm writes them: "404244 T main". */
static void
read_symbols (Ctf *c, const char *name, const char *map)
{
  g_autofree char *path = g_build_filename (c->top, name, NULL);
  g_autoptr (GError) why = NULL;
  size_t n = 0;
  g_autofree char *text = disk_read (path, c->top, 64 * DISK_MIB, &n, &why);

  if (!text) {
    maps_tell (c, map, "symbols", why->message);
    return;
  }
  g_clear_pointer (&c->symbols, g_hash_table_unref);
  c->symbols = g_hash_table_new_full (pair_hash, g_int64_equal, g_free, g_free);
  for (char *line = text, *next; line; line = next) {
    next = disk_end_line (line, text + n);
    char *end;
    gint64 address = (gint64) g_ascii_strtoull (line, &end, 16);
    const char *last = strrchr (line, ' ');
    if (end > line && last && last[1] && g_hash_table_size (c->symbols) < MOST_IN_TABLES)
      g_hash_table_replace (c->symbols, g_memdup2 (&address, sizeof address), g_utf8_make_valid (last + 1, -1));
  }
}

/* In a folder with streams a map has a dot before its name: else it would be taken for a stream. */
void
ctf_read_maps (Ctf *c)
{
  static const char *const names[] = { "scope.map", ".scope.map" };
  g_autoptr (GKeyFile) own = g_key_file_new ();

  g_key_file_load_from_data (own, of_otf2, strlen (of_otf2), G_KEY_FILE_NONE, NULL);
  maps_read_rules (c, own, "");
  for (size_t i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree char *path = g_build_filename (c->top, names[i], NULL);
    g_autoptr (GKeyFile) keys = g_key_file_new ();
    if (!g_file_test (path, G_FILE_TEST_EXISTS))
      continue;
    if (!disk_read_keys (keys, path, G_KEY_FILE_NONE)) {
      maps_tell (c, names[i], names[i], _ ("this is no map: it has a group [NAME] for each name of events"));
      continue;
    }
    maps_read_rules (c, keys, names[i]);
    g_autofree char *symbols = g_key_file_get_string (keys, "symbols", "file", NULL);
    if (symbols)
      read_symbols (c, symbols, names[i]);
  }
}

/* ---- pairs of names --------------------------------------------------------------------------------------------------------- */

static const Rule *
pair_rule (Ctf *c, const char *name, GHashTable *names)
{
  BothEnds both;

  if (!both_ends_of (name, names, &both))
    return NULL;
  Rule *r = g_new0 (Rule, 1);
  r->does = both.begins ? DOES_ENTER : DOES_LEAVE;
  r->table = both.stem;
  const char *colon = strrchr (r->table, ':'); /* what is asked for is called as in all other formats */
  if (both.asks)
    r->state = g_strdup (colon ? colon + 1 : r->table);
  g_hash_table_replace (c->rules, g_strdup (name), r);
  return r;
}

/* Of the system; LTTng and ftrace call them so. */
static bool
is_system_call (const char *name)
{
  static const char *const begins[] = { "syscall_", "compat_syscall_", "sys_", "compat_sys_" };

  for (size_t i = 0; i < G_N_ELEMENTS (begins); i++)
    if (g_str_has_prefix (name, begins[i]))
      return true;
  return strcmp (name, "exit_syscall") == 0;
}

/* Kernels that were traced by LTTng before 2.5: many begin, and one event ends them all. */
static const Rule *
system_rule (Ctf *c, const char *name, GHashTable *names)
{
  bool ends = strcmp (name, "exit_syscall") == 0;

  if (!g_hash_table_contains (names, "exit_syscall") || !is_system_call (name))
    return NULL;
  Rule *r = g_new0 (Rule, 1);
  r->does = ends ? DOES_LEAVE : DOES_ENTER;
  r->table = g_strdup ("system call");
  r->state = ends ? NULL : g_strdup (name);
  g_hash_table_replace (c->rules, g_strdup (name), r);
  return r;
}

const Rule *
ctf_rule (Ctf *c, const char *name, GHashTable *names)
{
  const Rule *r = g_hash_table_lookup (c->rules, name);

  r = r ? r : pair_rule (c, name, names);
  return r ? r : system_rule (c, name, names);
}

bool
ctf_is_switch (const char *name)
{
  return g_strcmp0 (name, "sched_switch") == 0 || g_strcmp0 (name, "sched:sched_switch") == 0;
}

static bool
has_a_switch (GHashTable *names)
{
  return g_hash_table_contains (names, "sched_switch") || g_hash_table_contains (names, "sched:sched_switch");
}

bool
ctf_is_for_thread (Ctf *c, const char *name, GHashTable *names)
{
  static const char *const of_processor[] = { "irq", "softirq", "hardirq", "timer", "hrtimer", "tasklet", "ipi" };

  for (size_t i = 0; i < G_N_ELEMENTS (of_processor) && !is_system_call (name); i++)
    if (both_ends_word (name, of_processor[i]))
      return false;
  const Rule *r = has_a_switch (names) ? ctf_rule (c, name, names) : NULL;
  return r && (r->does == DOES_ENTER || r->does == DOES_LEAVE);
}

/* ---- tables of names ----------------------------------------------------------------------------------------------------------- */

typedef struct Entry {
  char *text; /* or NULL: the texts of these */
  int64_t number;
  bool has_number;
  uint32_t n;
  char **tables;
  int64_t *keys;
} Entry;

static void
free_entry (void *p)
{
  Entry *e = p;

  g_free (e->text);
  g_strfreev (e->tables);
  g_free (e->keys);
  g_free (e);
}

void
ctf_keep_name (Ctf *c, const Class *k, const Cell *const *scopes)
{
  GHashTable *table = g_hash_table_lookup (c->tables, k->rule->table);
  int64_t key[2] = { 0, 0 };

  if (!table) {
    table = g_hash_table_new_full (pair_hash, g_int64_equal, g_free, free_entry);
    g_hash_table_insert (c->tables, g_strdup (k->rule->table), table);
  }
  bool has = ctf_int (ctf_field (scopes, k->key[0]), &key[0]);
  bool both = ctf_int (ctf_field (scopes, k->key[1]), &key[1]);
  if (!has || g_hash_table_size (table) >= MOST_IN_TABLES)
    return;
  gint64 all = both ? key[0] << 32 | key[1] : key[0];
  Entry *e = g_new0 (Entry, 1);
  e->tables = g_new0 (char *, k->n_parts + 1);
  e->keys = g_new0 (int64_t, k->n_parts + 1);
  g_autoptr (GString) text = g_string_new (NULL);
  for (uint32_t i = 0; i < k->n_parts; i++) {
    const Cell *f = ctf_field (scopes, k->parts[i]);
    int64_t number = 0;
    bool is_number = ctf_int (f, &number);
    if (is_number && i == 0) {
      e->number = number;
      e->has_number = true;
    }
    if (*k->tables[i] && is_number) {
      e->tables[e->n] = g_strdup (k->tables[i]);
      e->keys[e->n++] = number;
    } else if (f) {
      g_string_append_printf (text, "%s%s", text->len > 0 ? " " : "", ctf_text (c, f));
    }
  }
  e->text = text->len > 0 ? g_strdup (text->str) : NULL;
  g_hash_table_replace (table, g_memdup2 (&all, sizeof all), e);
}

static const Entry *
find_entry (const Ctf *c, const char *table, int64_t key)
{
  GHashTable *t = g_hash_table_lookup (c->tables, table);

  return t ? g_hash_table_lookup (t, &key) : NULL;
}

bool
ctf_number_in (const Ctf *c, const char *table, int64_t key, int64_t *v)
{
  const Entry *e = find_entry (c, table, key);

  if (e && e->has_number)
    *v = e->number;
  return e && e->has_number;
}

static void
put_entry (const Ctf *c, const char *table, int64_t key, int depth, GString *to)
{
  const Entry *e = find_entry (c, table, key);

  if (!e || depth > 4)
    return;
  if (e->text)
    g_string_append_printf (to, "%s%s", to->len > 0 ? " · " : "", e->text);
  for (uint32_t i = 0; i < e->n; i++)
    put_entry (c, e->tables[i], e->keys[i], depth + 1, to);
}

void
ctf_name_later (Ctf *c, bool is_task, uint32_t place, const char *table, int64_t key)
{
  Later *l = g_new0 (Later, 1);

  l->is_task = is_task;
  l->place = place;
  l->table = g_strdup (table);
  l->key = key;
  g_ptr_array_add (c->later, l);
}

/* At the end: the trace may tell names after it has used what they name. */
void
ctf_give_names (Ctf *c)
{
  for (guint i = 0; i < c->later->len; i++) {
    const Later *l = c->later->pdata[i];
    g_autoptr (GString) name = g_string_new (NULL);
    put_entry (c, l->table, l->key, 0, name);
    if (name->len == 0)
      continue;
    if (l->is_task) {
      TraceTask *t = trace_task (c->source, l->place);
      g_free (t->id);
      t->id = ctf_id_like (c, name->str);
    } else {
      TraceObject *o = c->source->objects->pdata[l->place];
      g_free (o->id);
      o->id = ctf_one_line (name->str);
      o->does = trace_region_does (o->id); /* the number that it was called by until now did not tell */
    }
  }
}
