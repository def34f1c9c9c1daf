/* SPDX-License-Identifier: Apache-2.0 */
/* The report as plain text. */
#include "cli/report.h"
#include "eve/words.h"
#include <math.h>
#include <string.h>
#include "cli/text.h"

#define BAR 40   /* characters of a share bar */
#define STRIP 60 /* characters of a timeline; divides REPORT_SLICES */

/* Of a state that works, costs, waits, talks, the same in every report; the rest is for others, in their order. */
static const char *const shades[] = {
  "\342\226\210", "\342\226\223", "\342\226\221", "\342\226\222", "+", "o", "-", ".", "*", "=", ":", "~"
};
#define N_SENSES 4
_Static_assert(G_N_ELEMENTS (shades) == N_SENSES + REPORT_STATES, "there may be as many others");
_Static_assert(STATE_SENSE_TALKS - STATE_SENSE_WORKS == N_SENSES - 1, "in their order");

/* Of several states of one sense the first has its shade. */
static const char *
shade (const Report *r, int state)
{
  bool met[N_SENSES] = { false };

  for (int k = 0, others = N_SENSES;; ++k) {
    int sense = (int) r->senses[k] - STATE_SENSE_WORKS;
    bool own = sense >= 0 && sense < N_SENSES && !met[sense];
    if (own)
      met[sense] = true;
    const char *sign = own ? shades[sense] : shades[others++];
    if (k == state)
      return sign;
  }
}

char *
report_task (const Report *r, uint32_t node)
{
  const TraceTask *t = report_trace_task (r, node);
  const char *id = r->graph->node_id (r->graph, node);

  return !t || (!t->nickname && !t->program) ? g_strdup (id)
                                             : g_strdup_printf ("%s %s", t->nickname ? t->nickname : t->program, id);
}

static char *
legend (const Report *r)
{
  GString *s = g_string_new (NULL);

  for (int k = 0; k < r->n_states; ++k)
    g_string_append_printf (s, "%s%s %s", k ? "   " : "", shade (r, k), report_word (r, r->state_of[k]));
  return g_string_free (s, FALSE);
}

/* A bar of BAR characters, divided so that the parts add up. */
static char *
report_text_bar (const Report *r, uint32_t node)
{
  GString *s = g_string_new (NULL);
  double sum = 0;
  int done = 0;

  for (int k = 0; k < r->n_states; ++k) {
    sum += report_share (r, node, k);
    for (; done < (int) lround (sum * BAR); ++done)
      g_string_append (s, shade (r, k));
  }
  return g_string_free (s, FALSE);
}

static void
report_text_tell_shares (const Report *r, GString *to)
{
  g_autofree char *states = legend (r);
  bool below = r->graph->model->times, hosts = r->source->hosts->len > 0 || !below; /* names of any length */
  g_autoptr (GString) columns = g_string_new (hosts ? "ll" : "l");
  Table *t;

  if (r->n_states == 0)
    return;

  report_heading (to, _ ("Where the time of each task went"));
  for (int k = 0; k < r->n_states; ++k)
    g_string_append_c (columns, 'r');
  g_string_append_c (columns, 'l');
  t = table_new (columns->str);
  table_cell (t, "%s", _ ("task"));
  if (hosts)
    table_cell (t, "%s", _ ("host"));
  for (int k = 0; k < r->n_states; ++k)
    table_cell (t, "%s", report_word (r, r->state_of[k]));
  table_cell (t, "%s", below ? "" : states);
  for (uint32_t row = 0; row < r->n_rows; ++row) {
    g_autofree char *name = report_task (r, r->rows[row]), *shares = report_text_bar (r, r->rows[row]);
    const TraceTask *task = report_trace_task (r, r->rows[row]);
    table_cell (t, "%s", name);
    if (hosts)
      table_cell (t, "%s",
                  task && task->host < r->source->hosts->len ? ((TraceHost *) r->source->hosts->pdata[task->host])->name
                                                             : "?");
    for (int k = 0; k < r->n_states; ++k) {
      g_autofree char *share = text_share (report_share (r, r->rows[row], k));
      table_cell (t, "%s", share);
    }
    table_cell (t, "%s", shares);
  }
  table_print (t, 2, to);
  if (below)
    g_string_append_printf (to, "  %s\n", states);
  if (r->n_busy > r->n_rows)
    g_string_append_printf (to, P_ ("  and %u more task\n", "  and %u more tasks\n", r->n_busy - r->n_rows),
                            r->n_busy - r->n_rows);
  for (int k = 0; k < r->n_states; ++k)
    if (r->docs[k])
      g_string_append_printf (to, "  %s: %s.\n", report_word (r, r->state_of[k]), in_words (r->docs[k]));
}

/* The state of most of a stretch of time; a blank where the task does not live. */
static const char *
shade_of (const Report *r, uint32_t row, int from, int n)
{
  int best = -1;
  double most = 0;

  for (int k = 0; k < r->n_states; ++k) {
    double sum = 0;
    for (int i = from; i < from + n; ++i)
      sum += r->spent[row][i][k];
    if (sum > most) {
      most = sum;
      best = k;
    }
  }
  return best < 0 ? " " : shade (r, best);
}

static void
report_text_tell_time (const Report *r, GString *to)
{
  const TraceSource *s = r->source;
  double span = trace_clock_seconds (&s->clock, s->last - s->first);
  g_autofree char *column = text_seconds (span / STRIP);
  Table *t;

  if (r->n_states == 0)
    return;
  t = table_new ("ll");
  report_heading (to, _ ("What each task did over time (a character is %s)"), column);
  for (uint32_t row = 0; row < r->n_rows; ++row) {
    g_autofree char *name = report_task (r, r->rows[row]);
    g_autoptr (GString) strip = g_string_new ("|");
    for (int i = 0; i < STRIP; ++i)
      g_string_append (strip, shade_of (r, row, i * (REPORT_SLICES / STRIP), REPORT_SLICES / STRIP));
    table_row (t, name, g_string_append (strip, "|")->str);
  }
  table_print (t, 2, to);
}

static void
tell_calls (const Report *r, GString *to)
{
  const TraceSource *s = r->source;
  bool all_ended = r->n_unfinished + r->n_open
                   == 0; /* else the last column says how many have no end, and so no time */
  Table *t = table_new (all_ended ? "lrrrrr" : "lrrrrrr");

  report_heading (to, _ ("Calls and moments"));
  table_heads (t, N_ ("kind"), N_ ("times"), N_ ("time in all"), N_ ("mean"), N_ ("longest"), N_ ("bytes"),
               N_ ("never ended"));
  for (uint32_t i = 0; i < s->n_kinds; ++i) {
    const ReportCalls *c = &r->kinds[i];
    uint64_t ended = c->calls - c->unfinished;
    if (!c->calls)
      continue;
    g_autofree char *times = g_strdup_printf ("%" G_GUINT64_FORMAT, c->calls);
    g_autofree char *all = text_seconds (c->total_s), *mean = text_seconds (ended ? c->total_s / (double) ended : 0);
    g_autofree char *longest = text_seconds (trace_clock_seconds (&s->clock, c->longest)),
                    *bytes = text_bytes (c->bytes), *open = g_strdup_printf ("%" G_GUINT64_FORMAT, c->unfinished);
    bool instant = s->kinds[i].instant;
    table_row (t, s->kinds[i].name, times, instant ? "" : all, instant ? "" : mean, instant ? "" : longest,
               c->bytes > 0 ? bytes : "", c->unfinished > 0 ? open : "");
  }
  table_print (t, 2, to);
}

static void
tell_longest (const Report *r, const GArray *calls, GString *to)
{
  const TraceSource *s = r->source;
  bool ended = calls == r->longest;
  Table *t = table_new (ended ? "rll" : "ll");

  if (ended)
    table_cell (t, "%s", _ ("took"));
  table_cell (t, "%s", _ ("begun at"));
  table_cell (t, "%s", _ ("call"));
  for (guint i = 0; i < calls->len; ++i) {
    const ReportCall *c = &g_array_index (calls, ReportCall, i);
    g_autofree char *date = text_date (&s->clock, c->date),
                    *long_ = text_seconds (trace_clock_seconds (&s->clock, c->duration));
    if (ended)
      table_cell (t, "%s", long_);
    table_cell (t, "%s", date);
    table_cell (t, "%s", c->sentence);
  }
  table_print (t, 2, to);
}

/* "fft2d (1), worker (4)" */
static char *
programs (const TraceSource *s)
{
  g_autoptr (GHashTable) count = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < s->tasks->len; ++i) {
    char *program = ((TraceTask *) s->tasks->pdata[i])->program;
    if (program)
      g_hash_table_insert (count, program,
                           GINT_TO_POINTER (GPOINTER_TO_INT (g_hash_table_lookup (count, program)) + 1));
  }
  g_autoptr (GList) names = g_list_sort (g_hash_table_get_keys (count), (GCompareFunc) strcmp);
  for (GList *n = names; n; n = n->next)
    g_string_append_printf (text, "%s%s (%d)", text->len ? ", " : "", (char *) n->data,
                            GPOINTER_TO_INT (g_hash_table_lookup (count, n->data)));
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static char *
hosts (const TraceSource *s)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < s->hosts->len; ++i) {
    const TraceHost *h = s->hosts->pdata[i];
    g_string_append_printf (text, "%s%s", i ? ", " : "", h->name);
    if (h->arch && *h->arch)
      g_string_append_printf (text, " (%s)", h->arch);
  }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* "39, 2.4 kB sent task to task; 38, 2.3 kB received": a message counts once for each of its receivers.  No sizes
 * where the trace tells none. */
static char *
report_text_tell_all_messages (const Report *r)
{
  StateTotals t = state_totals (r->graph);

  if (!report_tells_sizes (r))
    return g_strdup_printf (_ ("%" PRId64 " sent task to task; %" PRId64 " received"), t.sent, t.received);
  g_autofree char *sent = text_bytes ((double) t.sent_bytes), *received = text_bytes ((double) t.received_bytes);

  return g_strdup_printf (_ ("%" PRId64 ", %s sent task to task; %" PRId64 ", %s received"), t.sent, sent, t.received,
                          received);
}

/* And what `scope info` counts besides. */
static char *
report_text_tell_messages (const Report *r)
{
  g_autofree char *all = report_text_tell_all_messages (r);

  g_autofree char *sends = g_strdup_printf (P_ ("%" PRIu64 " send", "%" PRIu64 " sends", r->n_sends), r->n_sends);
  g_autofree char *receives = g_strdup_printf (P_ ("%" PRIu64 " receive", "%" PRIu64 " receives", r->n_receives),
                                               r->n_receives);

  if (r->n_sends + r->n_receives == 0)
    return g_steal_pointer (&all);
  if (r->n_sends > 0 && r->n_receives > 0)
    return g_strdup_printf (_ ("%s; besides %s and %s whose other side nobody tells"), all, sends, receives);
  return g_strdup_printf (_ ("%s; besides %s whose other side nobody tells"), all, r->n_sends > 0 ? sends : receives);
}

/* Whoever reads on should know that figures are of a part: what is damaged or was lost, the first of it; all of it is
 * told at the end. */
static void
report_text_tell_missing (const Report *r, GString *to)
{
  const TraceSource *s = r->source;
  bool lost = false;

  for (uint32_t k = 0; k < s->n_kinds; ++k)
    lost |= r->kinds[k].calls > 0 && g_strcmp0 (s->kinds[k].category, "lost") == 0;
  for (guint i = 0; i < MIN (s->damage->len, REPORT_MISSING) && (lost || s->n_damaged > 0); ++i) {
    g_autofree char *line = cli_damage_line (s->damage->pdata[i]);
    text_line (to, s->n_damaged > 0 ? N_ ("damaged") : N_ ("lost"), "%s", line);
  }
}

static void
tell_summary (const Report *r, GString *to)
{
  const TraceSource *s = r->source;
  const StateGraph *g = r->graph;
  g_autofree char *first = text_date (&s->clock, s->first), *last = text_date (&s->clock, s->last);
  g_autofree char *span = text_seconds (trace_clock_seconds (&s->clock, s->last - s->first));
  g_autofree char *what = programs (s), *where = hosts (s), *messages = report_text_tell_messages (r);

  g_autofree char *holds = report_holds (r), *title = text_clean (g_strdup (s->name));

  g_string_append_printf (to, _ ("%s: an execution, as %s %s trace tells it\n\n"), title,
                          text_article (s->format->label), in_words (s->format->label));
  text_line (to, N_ ("trace"), "%s", s->path);
  if (holds && !*what)
    text_line (to, N_ ("holds"), "%s", holds);
  else if (holds) /* what runs and what that is inside of, each by its type */
    text_line (to, N_ ("ran"), "%s: %s", what, holds);
  else if (*what)
    text_line (to, N_ ("ran"), P_ ("%s: %u task", "%s: %u tasks", s->tasks->len), what, s->tasks->len);
  else
    text_line (to, N_ ("holds"), P_ ("%u task", "%u tasks", s->tasks->len), s->tasks->len);
  if (*where)
    text_line (to, C_ ("hosts", "on"), "%s", where);
  text_began (to, s);
  text_line (to, N_ ("lasted"), _ ("%s, from %s to %s"), span, first, last);
  text_line (to, N_ ("recorded"), _ ("%" PRIu64 " events, of %" PRIu64 " records; %" PRIu64 " damaged"), s->n_events,
             s->n_records, s->n_damaged);
  report_text_tell_missing (r, to);
  if (trace_is_foreign (s->path)) {
    g_autofree char *clocks = trace_clocks_tell (s);
    text_line (to, N_ ("clocks"), "%s", clocks);
  }
  text_line (to, N_ ("simulated"),
             _ ("%" PRIu64 " events, %" PRIu64 " changes of state; %" PRIu64 " events impossible in the model"),
             g->n_events, g->n_updates, g->n_impossible);
  if (r->simulator)
    text_line (to, N_ ("by"), "%s", r->simulator);
  text_line (to, N_ ("messages"), "%s", messages);
  if (r->n_unfinished)
    text_line (to, N_ ("unfinished"),
               P_ ("%" PRIu64 " call never ended", "%" PRIu64 " calls never ended", r->n_unfinished), r->n_unfinished);
  if (r->n_open)
    text_line (to, N_ ("open"),
               P_ ("%" PRIu64 " call at the end, which waits for nobody",
                   "%" PRIu64 " calls at the end, which wait for nobody", r->n_open),
               r->n_open);
  if (r->doc)
    text_line (to, N_ ("see also"), "%s", r->doc);
}

void
report_text (const Report *r, GString *to)
{
  tell_summary (r, to);
  report_told (r, to);
  report_findings (r, to);
  report_tables (r, to);
  report_text_tell_shares (r, to);
  report_text_tell_time (r, to);
  tell_calls (r, to);
  if (r->longest->len) {
    report_heading (to, _ ("Longest calls that involve others"));
    tell_longest (r, r->longest, to);
  }
  if (r->unfinished->len) {
    report_heading (to, _ ("Calls that never ended"));
    tell_longest (r, r->unfinished, to);
  }
  if (r->links->len) {
    Table *t = table_new ("llr");
    report_heading (to, _ ("Busiest links"));
    table_heads (t, N_ ("from"), N_ ("to"), N_ ("bytes"));
    for (guint i = 0; i < MIN (r->links->len, REPORT_TOP); ++i) {
      const ReportLink *l = &g_array_index (r->links, ReportLink, i);
      uint32_t a, b;
      r->graph->edge_ends (r->graph, l->edge, &a, &b);
      g_autofree char *bytes = text_bytes (l->bytes), *from = report_task (r, a), *other = report_task (r, b);
      table_row (t, from, other, bytes);
    }
    table_print (t, 2, to);
    if (r->links->len > REPORT_TOP)
      g_string_append_printf (to, P_ ("  and %u more link\n", "  and %u more links\n", r->links->len - REPORT_TOP),
                              r->links->len - REPORT_TOP);
  }
  if (r->source->damage->len) {
    report_heading (to, r->source->n_damaged ? _ ("Damaged records") : _ ("Remarks on the trace"));
    cli_damage_text (r->source, to);
  }
  if (r->graph->n_impossible) {
    report_heading (to, _ ("Events impossible in the model"));
    for (guint i = 0; i < MIN (r->graph->impossible->len, REPORT_TOP); ++i) {
      g_autofree char *line = text_clean (g_strdup (r->graph->impossible->pdata[i]));
      g_string_append_printf (to, "  %s\n", line);
    }
  }
  if (!r->out)
    return;
  report_heading (to, _ ("In the folder %s"), r->out);
  Table *files = table_new ("ll");
  table_row (files, "index.html", _ ("this report as a page with its pictures"));
  table_row (files, "report.json", _ ("all of its figures, for other programs"));
  table_row (files, "timeline.svg", _ ("what each task did over time"));
  for (int i = 0; i < REPORT_INSTANTS; ++i) {
    g_autofree char *date = text_date (&r->source->clock, r->instants[i]);
    table_cell (files, "state-%d.*", 100 * (i + 1) / (REPORT_INSTANTS + 1));
    table_cell (files, _ ("the state graph at %s: png, svg, dot, json"), date);
  }
  table_row (files, "events.txt", _ ("each event as a sentence"));
  table_print (files, 2, to);
}
