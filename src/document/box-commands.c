/* SPDX-License-Identifier: Apache-2.0 */
#include "document/box-commands.h"
#include <string.h>
#include "document/agreements.h"
#include "eve/words.h"
#include "readers/box-commands.h"

#define MOST 100 /* commands of a box */

typedef struct Set {
  EveComponent *c;
  GError *error;
} Set;

static void
box_commands_set_one (void *arg, const char *setting, const char *value)
{
  Set *s = arg;

  if (!s->error)
    eve_set (s->c, setting, value, &s->error);
}

static bool
box_commands_find (ScopeDocument *d, const char *box, const char *name, EveComponent **c, const BoxCommands **of,
                   BoxCommand *command)
{
  *c = scope_document_is_open (d) ? eve_find (scope_document_program (d), box) : NULL;
  *of = *c ? eve_query (*c, BOX_COMMANDS) : NULL;
  for (uint32_t i = 0; *of && i < MOST && (*of)->at (*c, i, command); ++i)
    if (g_str_equal (command->name, name))
      return true;
  scope_document_say (d, SCOPE_SAY_NOTE, _ ("%s has this command no more"), box);
  return false;
}

static void
box_commands_obey (ScopeDocument *d, EveComponent *c, const BoxCommands *of, const BoxCommand *command)
{
  g_autofree char *label = g_strdup (in_words (command->label)), *name = g_strdup (command->name),
                  *box = g_strdup (eve_name (c)), *what = g_strdup_printf (_ ("%s: %s"), box, label);
  Set s = { c, NULL };

  scope_document_begin_edit (d, what);
  g_autofree char *order = g_strdup (of->obey (c, name, box_commands_set_one, &s));
  scope_document_end_edit (d);
  if (s.error)
    scope_document_say (d, SCOPE_SAY_WARNING, "%s: %s", what, s.error->message);
  else if (order && *order)
    scope_document_obey (d, order, box);
  g_clear_error (&s.error);
}

typedef struct Asked {
  ScopeDocument *d;
  char *box, *name, *act;
} Asked;

static void
asked_free (gpointer asked, GClosure *closure)
{
  Asked *a = asked;

  g_object_unref (a->d);
  g_free (a->box);
  g_free (a->name);
  g_free (a->act);
  g_free (a);
}

static void
box_commands_on_answer (GtkDialog *dialog, int response, Asked *a)
{
  g_autoptr (GError) error = NULL;
  const BoxCommands *of;
  EveComponent *c;
  BoxCommand command;

  gtk_widget_hide (GTK_WIDGET (dialog));
  if (response == GTK_RESPONSE_ACCEPT && box_commands_find (a->d, a->box, a->name, &c, &of, &command)) {
    if (!agreements_add (eve_program_content (scope_document_program (a->d)), a->act, &error))
      scope_document_say (a->d, SCOPE_SAY_WARNING, _ ("%s: you will be asked again"), error->message);
    box_commands_obey (a->d, c, of, &command);
  }
  gtk_widget_destroy (GTK_WIDGET (dialog));
}

void
box_command_do (ScopeDocument *d, const char *box, const char *name)
{
  const BoxCommands *of;
  EveComponent *c;
  BoxCommand command;

  if (!box_commands_find (d, box, name, &c, &of, &command))
    return;
  g_autofree char *act = g_strdup_printf ("do %s of %s, a box of %s", name, box, eve_class (c)->id);
  if (!command.privileged || agreements_has (eve_program_content (scope_document_program (d)), act)) {
    box_commands_obey (d, c, of, &command);
    return;
  }
  GApplication *app = g_application_get_default ();
  GtkWidget *dialog = gtk_message_dialog_new (app ? gtk_application_get_active_window (GTK_APPLICATION (app)) : NULL,
                                              GTK_DIALOG_MODAL, GTK_MESSAGE_QUESTION, GTK_BUTTONS_NONE,
                                              _ ("Shall %s do this?"), box);
  gtk_message_dialog_format_secondary_text (
      GTK_MESSAGE_DIALOG (dialog),
      _ ("%s\n\nThe component says that it needs your leave for it. If you agree, it "
         "may do so in this program from now on without asking."),
      in_words (command.label));
  gtk_dialog_add_buttons (GTK_DIALOG (dialog), _ ("Do not do it"), GTK_RESPONSE_CANCEL, _ ("Do it"),
                          GTK_RESPONSE_ACCEPT, NULL);
  gtk_dialog_set_default_response (GTK_DIALOG (dialog), GTK_RESPONSE_CANCEL);
  Asked *a = g_new (Asked, 1);
  *a = (Asked){ g_object_ref (d), g_strdup (box), g_strdup (name), g_steal_pointer (&act) };
  g_signal_connect_data (dialog, "response", G_CALLBACK (box_commands_on_answer), a, asked_free, 0);
  gtk_widget_show (dialog);
}
