/* SPDX-License-Identifier: Apache-2.0 */
/* trust.c - components from elsewhere are first played by the process that shoots the film: what they do there
 * costs that process, not the window.
 *
 * While the film of a program with such components is being shot, playing and travelling wait.  Once it is known that
 * a component has ended a process, by this film or by an earlier one, nobody plays into it before the person has said
 * so. */
#include <errno.h>
#include <string.h>
#include "session/places.h"
#include "eve/words.h"
#include "session/plugins.h"
#include "document/private.h"
#include "eve/disk.h"

#define WAIT_MS 100
#define OPEN_PATIENCE "8" /* seconds */

/* What the film of this very program says of a component that ended its pass; g_free; NULL: nothing.  One from
 * elsewhere may have been built again since: while a new pass is under way, that counts. */
static char *
fault_of_film (ScopeDocument *d)
{
  FilmManifest m = { 0 };
  char *said = NULL;

  if (d->film && film_manifest_read (d->film, &m, NULL) && m.state == FILM_FAILED && m.fault && *m.fault && m.said) {
    EveComponent *c = eve_find (d->session->program, m.fault);
    bool elsewhere = c && !eve_is_ghost (c) && plugins_from_elsewhere (eve_class_object (eve_class (c)));
    if (!d->shooting || !elsewhere)
      said = g_strdup_printf (_ ("The film is not complete: %s"), m.said);
  }
  film_manifest_clear (&m);
  return said;
}

/* What is known of the program as it is now. */
void
document_trust_look (ScopeDocument *d)
{
  g_clear_pointer (&d->distrust, g_free);
  g_clear_pointer (&d->strangers, g_free);
  if (!d->session)
    return;
  g_autofree char *fault = NULL;
  EveComponent *bad = plugins_bad_box (d->session->program, &fault);

  d->strangers = plugins_boxes (d->session->program);
  char *by_film = fault_of_film (d);
  if (by_film)
    d->distrust = by_film;
  else if (bad)
    d->distrust = g_strdup_printf (_ ("%s has ended a process before: %s"), eve_name (bad), fault);
  /* Who was trusted with one fault is not with another. */
  if (d->trusted && g_strcmp0 (d->trusted, d->distrust) != 0)
    g_clear_pointer (&d->trusted, g_free);
}

void
document_trust_end (ScopeDocument *d)
{
  g_clear_pointer (&d->distrust, g_free);
  g_clear_pointer (&d->strangers, g_free);
  g_clear_pointer (&d->trusted, g_free);
  d->held = (Goal){ 0 };
  d->held_play = d->waiting_told = false;
}

bool
scope_document_asks_trust (ScopeDocument *d)
{
  return d->distrust && !d->trusted;
}

void
document_trust_tell (ScopeDocument *d)
{
  if (scope_document_asks_trust (d))
    scope_document_say_about (d, "trust", SCOPE_SAY_DISTRUST,
                              _ ("%s.  Playing it here may end this window; what is edited can be recovered then"),
                              d->distrust);
}

Trust
document_trust (ScopeDocument *d)
{
  if (scope_document_asks_trust (d))
    return TRUST_ASK;
  if (!d->trusted && d->strangers && *d->strangers && (d->shooting || d->film_due))
    return TRUST_WAIT;
  d->waiting_told = false;
  return TRUST_GO;
}

guint
document_trust_wait (ScopeDocument *d)
{
  if (!d->waiting_told)
    scope_document_say (
        d, SCOPE_SAY_NOTE,
        _ ("Waiting for the film: it tries first what comes from elsewhere (%s), in a process of its own"),
        d->strangers);
  d->waiting_told = true;
  return WAIT_MS;
}

void
document_trust_hold (ScopeDocument *d)
{
  d->held = d->goal.kind ? d->goal : d->mode == SCOPE_MODE_TRAVELLING ? d->heading : (Goal){ 0 };
  d->held_play = d->mode == SCOPE_MODE_PLAYING;
  document_time_halt (d);
  document_trust_tell (d);
}

void
scope_document_trust (ScopeDocument *d)
{
  if (!scope_document_asks_trust (d))
    return;
  d->trusted = g_strdup (d->distrust);
  scope_document_unsay (d, "trust");
  document_tell (d, DOC_FILM);
  document_time_go_on (d);
}

/* ---- before a program is opened -------------------------------------------------------------------------------------- */

/* Whether a program names a class that came from elsewhere. */
static bool
names_stranger (const char *text)
{
  g_autoptr (GPtrArray) all = eve_registry_list ();

  for (guint i = 0; i < all->len; ++i) {
    const EveClass *k = all->pdata[i];
    if (plugins_from_elsewhere (eve_class_object (k)) && strstr (text, k->id))
      return true;
  }
  return false;
}

/* Plays what opening a program does in another process.  What it said in the end; "": it came to its end; g_free.  NULL
 * and an error: no such process could be started. */
static char *
try_program (const char *program, GError **error)
{
  g_autofree char *scope = places_scope (), *said = NULL, *told = NULL;
  const char *argv[] = { scope, "check", program, NULL };
  g_auto (GStrv) env = g_environ_setenv (g_get_environ (), "SCOPE_PATIENCE", OPEN_PATIENCE, FALSE);

  if (!scope) {
    g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT, _ ("the program “scope” was not found"));
    return NULL;
  }
  if (!g_spawn_sync (NULL, (char **) argv, env, G_SPAWN_DEFAULT, NULL, NULL, &told, &said, NULL, error))
    return NULL;
  if (*told) /* whatever it has to say */
    return g_strdup ("");
  g_strchomp (said);
  const char *last = strrchr (said, '\n');
  return g_strdup (last ? last + 1 : *said ? said : _ ("the program “scope” ended without a word"));
}

/* The same of a text, put into a folder of its own: other windows may try other programs. */
static char *
try_text (const char *text, GError **error)
{
  g_autofree char *home = g_build_filename (g_get_user_cache_dir (), "scope", NULL);
  char *said = NULL, *folder = g_mkdir_with_parents (home, 0700) == 0 ? places_scratch (home, ".try") : NULL;

  if (!folder) {
    g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (errno), _ ("no folder can be made in %s: %s"), home,
                 g_strerror (errno));
    return NULL;
  }
  g_autofree char *copy = g_build_filename (folder, "try.eve", NULL);
  if (g_file_set_contents (copy, text, -1, error))
    said = try_program (copy, error);
  places_scratch_end (folder);
  return said;
}

/* Boxes are made and settings are set when a program is opened: in another process first.  A trial that could not be
 * made is not one that went well. */
bool
document_trust_program (const char *program, const char *text, GError **error)
{
  g_autoptr (GError) why = NULL;
  g_autofree char *loaded = NULL, *said = NULL;

  if (!text && (!program || !(loaded = disk_read (program, NULL, DISK_PROGRAM, NULL, NULL))))
    return true; /* it is not there: whoever opens it says so */
  if (!names_stranger (text ? text : loaded))
    return true;
  said = text ? try_text (text, &why) : try_program (program, &why);
  if (said && !*said)
    return true;
  g_set_error (error, SESSION_ERROR, SESSION_ERROR_COMPONENT, _ ("The program is not opened: %s%s"),
               said ? said : _ ("its components from elsewhere cannot be tried first, in a process of their own: "),
               said ? "" : why->message);
  return false;
}

/* ---- views ------------------------------------------------------------------------------------------------------------ */

static bool
build_not_yet (EveComponent *c, const ViewScene *scene, Drawing *d, GError **error)
{
  g_set_error_literal (
      error, SESSION_ERROR, SESSION_ERROR_COMPONENT,
      _ ("Not drawn yet: it comes from elsewhere, and is tried first by the process that shoots the film"));
  return false;
}

static bool
build_never (EveComponent *c, const ViewScene *scene, Drawing *d, GError **error)
{
  g_set_error_literal (error, SESSION_ERROR, SESSION_ERROR_COMPONENT,
                       _ ("Not drawn: a component from elsewhere is known to have ended a process"));
  return false;
}

const View *
scope_document_view (ScopeDocument *d, EveComponent *c)
{
  static const View not_yet = { .spans = VIEW_OF_INSTANT | VIEW_OF_EXECUTION, .build = build_not_yet };
  static const View never = { .spans = VIEW_OF_INSTANT | VIEW_OF_EXECUTION, .build = build_never };
  const View *view = session_view (c);

  if (!view || !plugins_from_elsewhere (eve_class_object (eve_class (c))))
    return view;
  Trust trust = document_trust (d);
  return trust == TRUST_GO ? view : trust == TRUST_WAIT ? &not_yet : &never;
}
