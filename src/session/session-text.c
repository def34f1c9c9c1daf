/* SPDX-License-Identifier: Apache-2.0 */
/* session-text.c - the program as it is saved.  A program is for any trace: which one it is open with is not written.
 */
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <string.h>
#include "session/session.h"

char *
session_program_text (const Session *s)
{
  g_autofree char *text = eve_program_text (s->program);
  xmlDoc *doc = xmlReadMemory (text, (int) strlen (text), "program", NULL, XML_PARSE_NONET);
  xmlNode *root = doc ? xmlDocGetRootElement (doc) : NULL;

  for (xmlNode *c = root ? root->children : NULL; c; c = c->next) {
    xmlChar *name = xmlGetNoNsProp (c, BAD_CAST "name");
    EveComponent *box = name && xmlStrEqual (c->name, BAD_CAST "component") ? eve_find (s->program, (char *) name)
                                                                            : NULL;
    xmlFree (name);
    if (!box || eve_is_ghost (box) || !eve_query (box, "trace-reader/1"))
      continue;
    for (xmlNode *set = c->children, *next; set; set = next) {
      next = set->next;
      xmlChar *setting = xmlStrEqual (set->name, BAD_CAST "setting") ? xmlGetNoNsProp (set, BAD_CAST "name") : NULL;
      if (setting && xmlStrEqual (setting, BAD_CAST "trace")) {
        if (next && next->type == XML_TEXT_NODE) {
          xmlNode *blank = next;
          next = next->next;
          xmlUnlinkNode (blank);
          xmlFreeNode (blank);
        }
        xmlUnlinkNode (set);
        xmlFreeNode (set);
      }
      xmlFree (setting);
    }
  }
  xmlChar *out = NULL;
  int n = 0;
  if (doc)
    xmlDocDumpMemoryEnc (doc, &out, &n, "UTF-8");
  xmlFreeDoc (doc);
  char *result = out ? g_strndup ((char *) out, (gsize) n) : g_strdup (text);
  xmlFree (out);
  return result;
}
