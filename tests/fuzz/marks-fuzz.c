/* SPDX-License-Identifier: Apache-2.0 */
/* marks-fuzz.c - any bytes as the marks of a bundle: read, written and read again, which must give the same; shown as a
 * page; edited. */
#include <string.h>
#include "session/marks.h"
#include "tests/fuzz/folder.h"

static const TraceClock clock_ns = { 1000000000, "s" };

static void
look (const Marks *m)
{
  g_autoptr (GString) page = g_string_new (NULL);
  for (guint i = 0; i < m->list->len; i++) {
    const Mark *a = m->list->pdata[i], *before = i ? m->list->pdata[i - 1] : NULL;
    CHECK (*a->name && strlen (a->name) < MARK_NAME_BYTES);
    fuzz_text (a->name);
    fuzz_text (a->notes);
    CHECK (marks_find (m, a->name) == a);
    CHECK (!before || before->date <= a->date);
  }
  marks_html (m, &(MarksReport){ .title = "Marks" }, page);
  CHECK (g_utf8_validate (page->str, (gssize) page->len, NULL));
  CHECK (!strstr (page->str, "<script"));
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autoptr (GError) error = NULL;
  fuzz_write ("marks.xml", data, size);
  Marks *m = marks_load (fuzz_folder, &clock_ns, &error);
  CHECK ((m == NULL) == (error != NULL));
  if (!m) {
    fuzz_text (error->message);
    return 0;
  }
  look (m);
  g_autofree char *one = marks_text (m);
  CHECK (marks_save (m, NULL));
  Marks *n = marks_load (fuzz_folder, &clock_ns, NULL);
  CHECK (n && n->list->len == m->list->len);
  g_autofree char *two = marks_text (n);
  CHECK (strcmp (one, two) == 0);
  while (n->list->len) {
    int64_t date = ((Mark *) n->list->pdata[0])->date / 2;
    Mark *mark = marks_find (n, "fuzz") ? n->list->pdata[0] : marks_add (n, "fuzz", date, "*a* @fuzz `b`", NULL);
    CHECK (mark);
    marks_edit (n, mark, "other", &date, NULL, NULL);
    look (n);
    marks_remove (n, mark);
    if (n->list->len)
      marks_remove (n, n->list->pdata[n->list->len / 2]);
  }
  marks_free (n);
  marks_free (m);
  return 0;
}
