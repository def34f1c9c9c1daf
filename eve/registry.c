/* SPDX-License-Identifier: Apache-2.0 */
/* registry.c - the classes of components: found in shared objects, checked before anything of them runs. */
#include "eve/private.h"
#include "eve/reload.h"
#include "eve/words.h"
#include <dlfcn.h>
#include <string.h>

static GHashTable *classes;     /* id -> const EveClass *, for the process */
static GHashTable *files;       /* path -> const EveClass *const * */
static GHashTable *names;       /* name of a loaded file without its folder -> path, owned by `files` */
static GPtrArray *folders;      /* of char * */
static GHashTable *objects;     /* class -> 1 + number of its shared object */
static GPtrArray *object_paths; /* of the objects, by number; owned by `files` */
static bool (*gate) (const char *path, GError **error);
static bool all_loaded;

static void
setup (void)
{
  if (classes)
    return;
  classes = g_hash_table_new (g_str_hash, g_str_equal);
  files = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  folders = g_ptr_array_new ();
  objects = g_hash_table_new (NULL, NULL);
  object_paths = g_ptr_array_new ();
  const char *path = g_getenv ("SCOPE_PLUGIN_PATH");
  if (path) {
    g_auto (GStrv) words = g_strsplit (path, ":", -1);
    for (char **w = words; *w; w++)
      if (**w)
        g_ptr_array_add (folders, g_strdup (*w));
  }
}

void
eve_registry_add_folder (const char *folder)
{
  setup ();
  for (guint i = 0; i < folders->len; i++)
    if (!strcmp (folders->pdata[i], folder))
      return;
  g_ptr_array_add (folders, g_strdup (folder));
  all_loaded = false;
}

/* ---- tables --------------------------------------------------------------------------------------------------- */
static bool registry_wrong (GError **error, const EveClass *k, const char *fmt, ...) G_GNUC_PRINTF (3, 4);

static bool
registry_wrong (GError **error, const EveClass *k, const char *fmt, ...)
{
  va_list args;
  va_start (args, fmt);
  g_autofree char *what = g_strdup_vprintf (fmt, args);
  va_end (args);
  g_set_error (error, EVE_ERROR, EVE_ERROR_PLUGIN, _ ("class %s: %s"), k->id && *k->id ? k->id : _ ("without an id"),
               what);
  return false;
}

static bool
check_fields (const EveClass *k, const EveField *fields, uint32_t n, const char *what, GError **error)
{
  static const size_t sizes[] = { [EVE_F_DOUBLE] = sizeof (double),
                                  [EVE_F_INT64] = sizeof (int64_t),
                                  [EVE_F_BOOL] = sizeof (bool),
                                  [EVE_F_STRING] = sizeof (char *),
                                  [EVE_F_CHOICE] = sizeof (int32_t) };
  if (n && !fields)
    return registry_wrong (error, k, _ ("it counts %u %ss but has no table of them"), n, what);
  for (uint32_t i = 0; i < n; i++) {
    const EveField *f = &fields[i];
    if (!f->name || !*f->name)
      return registry_wrong (error, k, _ ("%s %u has no name"), what, i);
    if ((unsigned) f->kind > EVE_F_CHOICE)
      return registry_wrong (error, k, _ ("%s '%s' is of an unknown kind"), what, f->name);
    if (f->offset < sizeof (EveBase) || f->offset + sizes[f->kind] > k->instance_size)
      return registry_wrong (error, k, _ ("%s '%s' lies outside the instance, or in its EveBase"), what, f->name);
    if ((f->path && f->kind != EVE_F_STRING) || (f->output && !f->path))
      return registry_wrong (error, k, _ ("%s '%s' names a file, but is no text with `path`"), what, f->name);
    if (f->kind == EVE_F_CHOICE && (!f->choices || !f->choices[0]))
      return registry_wrong (error, k, _ ("%s '%s' has no choices"), what, f->name);
    if (f->kind == EVE_F_CHOICE && (f->def < 0 || f->def >= g_strv_length ((char **) f->choices)))
      return registry_wrong (error, k, _ ("%s '%s' has a default outside its choices"), what, f->name);
    if (f->kind <= EVE_F_INT64 && (f->min != 0 || f->max != 0) && !(f->min <= f->def && f->def <= f->max))
      return registry_wrong (error, k, _ ("%s '%s' has a default outside its range"), what, f->name);
    for (uint32_t j = 0; j < i; j++)
      if (!strcmp (fields[j].name, f->name))
        return registry_wrong (error, k, _ ("two %ss are called '%s'"), what, f->name);
  }
  return true;
}

bool
eve_class_check (const EveClass *k, GError **error)
{
  if (k->abi != EVE_ABI || k->size != sizeof (EveClass)) {
    g_set_error (
        error, EVE_ERROR, EVE_ERROR_PLUGIN,
        _ ("it was built for version %u of Eve's interface (%u bytes a class), this is version %u (%zu bytes): "
           "build it again with the headers of this Scope"),
        k->abi, k->size, EVE_ABI, sizeof (EveClass));
    return false;
  }
  if (!k->id || !*k->id || !k->label || !*k->label || !k->category || !k->doc)
    return registry_wrong (error, k, _ ("id, label, category and doc are needed"));
  if (k->instance_size < sizeof (EveBase))
    return registry_wrong (error, k, _ ("the instance is smaller than EveBase"));
  if (k->n_ins > EVE_MAX_PORTS || k->n_outs > EVE_MAX_PORTS)
    return registry_wrong (error, k, _ ("it has more than %d inputs or outputs"), EVE_MAX_PORTS);
  if ((k->n_ins && !k->ins) || (k->n_outs && !k->outs))
    return registry_wrong (error, k, _ ("it counts ports but has no table of them"));
  bool sync = false;
  for (uint32_t i = 0; i < k->n_ins; i++) {
    if (!k->ins[i].name || !*k->ins[i].name)
      return registry_wrong (error, k, _ ("input %u has no name"), i);
    if (k->ins[i].on_span && (!k->ins[i].quiet || k->ins[i].on_datum))
      return registry_wrong (error, k, _ ("input '%s': on_span goes with quiet, and takes the place of on_datum"),
                             k->ins[i].name);
    if (k->ins[i].kept
        && (k->ins[i].arrival != EVE_ASYNC || k->ins[i].on_datum || k->ins[i].on_span || !k->ins[i].type))
      return registry_wrong (error, k, _ ("input '%s': what is kept is asynchronous, has a type, and no handler"),
                             k->ins[i].name);
    if ((k->ins[i].arrival == EVE_ASYNC) != (k->ins[i].on_datum || k->ins[i].on_span || k->ins[i].kept))
      return registry_wrong (error, k, _ ("input '%s': a handler goes with asynchronous inputs, and only with them"),
                             k->ins[i].name);
    if (k->ins[i].type && (!k->ins[i].type->size || !k->ins[i].type->name))
      return registry_wrong (error, k, _ ("the type of input '%s' has no size or no name"), k->ins[i].name);
    sync |= k->ins[i].arrival == EVE_SYNC;
    if (eve_class_in (k, k->ins[i].name) != (int) i)
      return registry_wrong (error, k, _ ("two inputs are called '%s'"), k->ins[i].name);
  }
  for (uint32_t i = 0; i < k->n_outs; i++) {
    if (!k->outs[i].name || !*k->outs[i].name)
      return registry_wrong (error, k, _ ("output %u has no name"), i);
    if (k->outs[i].type && (!k->outs[i].type->size || !k->outs[i].type->name))
      return registry_wrong (error, k, _ ("the type of output '%s' has no size or no name"), k->outs[i].name);
    if (eve_class_out (k, k->outs[i].name) != (int) i)
      return registry_wrong (error, k, _ ("two outputs are called '%s'"), k->outs[i].name);
  }
  if (sync && !k->fire && !k->fire_span)
    return registry_wrong (error, k, _ ("it has synchronous inputs but neither fire nor fire_span"));
  return check_fields (k, k->settings, k->n_settings, "setting", error)
         && check_fields (k, k->state, k->n_state, "run state field", error);
}

int
eve_class_in (const EveClass *k, const char *name)
{
  for (uint32_t i = 0; i < k->n_ins; i++)
    if (!strcmp (k->ins[i].name, name))
      return (int) i;
  return -1;
}

int
eve_class_out (const EveClass *k, const char *name)
{
  for (uint32_t i = 0; i < k->n_outs; i++)
    if (!strcmp (k->outs[i].name, name))
      return (int) i;
  return -1;
}

int
eve_class_setting (const EveClass *k, const char *name)
{
  for (uint32_t i = 0; i < k->n_settings; i++)
    if (!strcmp (k->settings[i].name, name))
      return (int) i;
  return -1;
}

/* ---- shared objects --------------------------------------------------------------------------------------------- */
static const char *replaced_folder; /* whose classes may be replaced now; NULL: none */

static bool
comes_from (const EveClass *klass, const char *folder)
{
  const char *object = eve_class_object (klass);
  g_autofree char *of = object ? g_path_get_dirname (object) : NULL;
  return of && strcmp (of, folder) == 0;
}

static bool
may_add (const EveClass *klass, GError **error)
{
  if (!eve_class_check (klass, error))
    return false;
  const EveClass *there = g_hash_table_lookup (classes, klass->id);
  if (!there || there == klass || (replaced_folder && comes_from (there, replaced_folder)))
    return true;
  g_set_error (error, EVE_ERROR, EVE_ERROR_PLUGIN, _ ("class %s is there already"), klass->id);
  return false;
}

bool
eve_registry_add (const EveClass *klass, GError **error)
{
  setup ();
  if (!may_add (klass, error))
    return false;
  g_hash_table_insert (classes, (gpointer) klass->id, (gpointer) klass);
  return true;
}

static bool
registry_add_object (const char *path, const EveClass *const *table, GError **error)
{
  if (!table[0]) {
    g_set_error (error, EVE_ERROR, EVE_ERROR_PLUGIN, _ ("its table eve_plugin is empty"));
    return false;
  }
  /* all or none: a refused object is unloaded, and nothing of it may stay */
  for (const EveClass *const *k = table; *k; k++) {
    if (!may_add (*k, error))
      return false;
    for (const EveClass *const *j = table; j < k; j++)
      if (!strcmp ((*j)->id, (*k)->id)) {
        g_set_error (error, EVE_ERROR, EVE_ERROR_PLUGIN, _ ("it has two classes %s"), (*k)->id);
        return false;
      }
  }
  for (const EveClass *const *k = table; *k; k++)
    eve_registry_add (*k, NULL);
  LOG ("registry", 3, "%s: %s", path, table[0]->id);
  return true;
}

void
eve_registry_set_gate (bool (*may_load) (const char *path, GError **error))
{
  gate = may_load;
}

uint32_t
registry_object (const EveClass *klass)
{
  return objects ? GPOINTER_TO_UINT (g_hash_table_lookup (objects, klass)) : 0;
}

const char *
eve_class_object (const EveClass *klass)
{
  uint32_t number = registry_object (klass);
  return number ? object_paths->pdata[number - 1] : NULL;
}

/* Notes whose classes these are. */
static void
remember_object (char *path, const EveClass *const *table)
{
  watch_object (object_paths->len, path, table);
  g_ptr_array_add (object_paths, path);
  for (const EveClass *const *k = table; *k; k++)
    g_hash_table_insert (objects, (gpointer) *k, GUINT_TO_POINTER (object_paths->len));
  g_hash_table_insert (names, g_path_get_basename (path), path);
  g_hash_table_insert (files, path, (gpointer) table);
}

/* The table of an object that is not loaded yet: its constructors run, and if it is refused its destructors.  NULL and
 * no error: it is no component, and `quiet_none`. */
static const EveClass *const *
load_table (const char *path, const char *full, bool quiet_none, GError **error)
{
  void *object = dlopen (full, RTLD_NOW | RTLD_LOCAL);
  if (!object) {
    g_set_error (error, EVE_ERROR, EVE_ERROR_PLUGIN, _ ("%s cannot be loaded: %s"), path, dlerror ());
    return NULL;
  }
  const EveClass *const *table = dlsym (object, "eve_plugin");
  g_autoptr (GError) cause = NULL;
  if (table && registry_add_object (full, table, &cause))
    return table;
  if (table)
    g_set_error (error, EVE_ERROR, EVE_ERROR_PLUGIN, _ ("%s cannot be used: %s"), path, cause->message);
  else if (!quiet_none)
    g_set_error (error, EVE_ERROR, EVE_ERROR_PLUGIN, _ ("%s is no component: it has no table eve_plugin"), path);
  if (!g_getenv ("SCOPE_NO_DLCLOSE"))
    dlclose (object);
  return NULL;
}

/* `quiet_none`: an object without eve_plugin is no component, which is no error when a folder is read. */
static bool
load_file (const char *path, const EveClass *const **out, bool quiet_none, GError **error)
{
  setup ();
  g_autofree char *full = g_canonicalize_filename (path, NULL);
  const EveClass *const *table = g_hash_table_lookup (files, full);
  if (!table) {
    if (gate && !gate (full, error))
      return false;
    g_autoptr (GError) why = NULL;
    watch_loading (full);
    table = load_table (path, full, quiet_none, &why);
    watch_loading (NULL);
    if (why) {
      g_propagate_error (error, g_steal_pointer (&why));
      return false;
    }
    if (table)
      remember_object (g_steal_pointer (&full), table);
  }
  if (out)
    *out = table;
  return true;
}

bool
eve_registry_load_file (const char *path, const EveClass *const **out, GError **error)
{
  return load_file (path, out, false, error);
}

bool
eve_registry_replace (const char *path, const EveClass *const **out, GError **error)
{
  g_autofree char *full = g_canonicalize_filename (path, NULL), *folder = g_path_get_dirname (full);
  replaced_folder = folder;
  bool ok = load_file (path, out, false, error);
  replaced_folder = NULL;
  return ok;
}

static bool
has_another_class (const EveComponent *c)
{
  const EveClass *k = g_hash_table_lookup (classes, eve_class_id (c));
  return k && (eve_is_ghost (c) || k != eve_class (c));
}

guint
eve_program_take_classes (EveProgram *p, GPtrArray *problems)
{
  setup ();
  g_autoptr (GPtrArray) others = g_ptr_array_new ();
  for (uint32_t i = 0; i < eve_n_components (p); i++)
    if (has_another_class (eve_component (p, i)))
      g_ptr_array_add (others, eve_component (p, i));
  if (!others->len)
    return 0;
  g_autofree char *text = eve_program_text (p);
  g_autoptr (GError) error = NULL;
  for (guint i = 0; i < others->len; i++)
    eve_remove (p, others->pdata[i]);
  if (!eve_program_update (p, text, problems, &error) && problems)
    g_ptr_array_add (problems, g_strdup (error->message));
  return others->len;
}

static int
registry_by_text (const void *a, const void *b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

/* A file of the same name in an earlier folder takes its place: that is what the order of the folders is for. */
static bool
is_shadowed (const char *path)
{
  g_autofree char *full = g_canonicalize_filename (path, NULL), *name = g_path_get_basename (path);
  const char *there = g_hash_table_lookup (names, name);
  if (!there || !strcmp (there, full))
    return false;
  LOG ("registry", 3, "%s: passed over, %s is loaded", full, there);
  return true;
}

/* Those whose names end so. */
static void
load_folder (const char *folder, const char *suffix, GPtrArray *problems)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);

  for (const char *name; dir && (name = g_dir_read_name (dir));)
    if (g_str_has_suffix (name, suffix))
      g_ptr_array_add (paths, g_build_filename (folder, name, NULL));
  g_ptr_array_sort (paths, registry_by_text);
  for (guint k = 0; k < paths->len; k++) {
    g_autoptr (GError) error = NULL;
    if (!is_shadowed (paths->pdata[k]) && !load_file (paths->pdata[k], NULL, true, &error) && problems)
      g_ptr_array_add (problems, g_strdup (error->message));
  }
}

void
eve_registry_load_all (GPtrArray *problems)
{
  setup ();
  if (all_loaded && !problems)
    return;
  all_loaded = true;
  for (guint i = 0; i < folders->len; i++)
    load_folder (folders->pdata[i], ".so", problems);
}

void
eve_registry_load_named (const char *role)
{
  g_autofree char *suffix = g_strdup_printf ("-%s.so", role);

  setup ();
  for (guint i = 0; i < folders->len && !all_loaded; i++)
    load_folder (folders->pdata[i], suffix, NULL);
}

/* "scope.gate" is most likely in gate.so: loading that alone makes short commands start at once. */
static void
load_likely (const char *stem)
{
  for (guint i = 0; i < folders->len; i++) {
    g_autofree char *name = g_strconcat (stem, ".so", NULL);
    g_autofree char *path = g_build_filename (folders->pdata[i], name, NULL);
    if (!strchr (stem, '/') && g_file_test (path, G_FILE_TEST_EXISTS) && load_file (path, NULL, true, NULL))
      return;
  }
}

const EveClass *
eve_registry_find (const char *id)
{
  setup ();
  const EveClass *k = g_hash_table_lookup (classes, id);
  if (k || all_loaded)
    return k;
  const char *dot = strrchr (id, '.');
  load_likely (dot ? dot + 1 : id);
  k = g_hash_table_lookup (classes, id);
  if (!k) {
    eve_registry_load_all (NULL);
    k = g_hash_table_lookup (classes, id);
  }
  return k;
}

static int
registry_by_id (const void *a, const void *b)
{
  return strcmp ((*(const EveClass *const *) a)->id, (*(const EveClass *const *) b)->id);
}

GPtrArray *
eve_registry_list (void)
{
  setup ();
  GPtrArray *list = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer k;
  g_hash_table_iter_init (&iter, classes);
  while (g_hash_table_iter_next (&iter, NULL, &k))
    g_ptr_array_add (list, k);
  g_ptr_array_sort (list, registry_by_id);
  return list;
}

static const EveClass *
provider (const char *what)
{
  g_autoptr (GPtrArray) list = eve_registry_list ();
  for (guint i = 0; i < list->len; i++) {
    const EveClass *k = list->pdata[i];
    for (const char *const *p = k->provides; p && *p; p++)
      if (!strcmp (*p, what))
        return k;
  }
  return NULL;
}

const EveClass *
eve_registry_find_provider (const char *what)
{
  setup ();
  const EveClass *k = provider (what);
  if (k || all_loaded)
    return k;
  const char *colon = strchr (what, ':');
  if (colon) { /* "reader:tapepvm" is most likely in tapepvm-reader.so */
    g_autofree char *stem = g_strdup_printf ("%s-%.*s", colon + 1, (int) (colon - what), what);
    load_likely (stem);
    k = provider (what);
  }
  if (!k) {
    eve_registry_load_all (NULL);
    k = provider (what);
  }
  return k;
}
