/* SPDX-License-Identifier: Apache-2.0 */
/* scene.h - inside of the view of a scene: its settings, and the builder of the state graph. */
#pragma once
#include "readers/reader.h"
#include "views/history.h"
#include "views/scene/places.h"
#include "views/scene/render.h"
#include "views/view-camera.h"

typedef struct SceneView {
  EveBase base;
  int32_t layout, side, rendering; /* settings */
  bool parallel, fog, ground;
  char *camera, *size_by, *sort_by[3];

  char *film; /* draw side: of what is below */
  Names *names;
  SceneModel model; /* what was drawn last; things NULL: nothing */
  SceneFrame frame;
  SceneCamera now; /* it is seen from there */
  SceneGpu *gpu;
  bool held; /* the person moves the camera: it is not in the setting yet */
  SceneCamera moved;

  uint32_t *ids; /* of the last picture, one for each px of it; NULL: not drawn since it changed */
  int ids_width, ids_height;
  double full_ms; /* that the last complete picture took */
} SceneView;

enum { SCENE_PART_NODE, SCENE_PART_LINK };
/* Tasks and links at an instant. */
void scene_build_graph (SceneView *v, const ViewScene *scene, SceneModel *m);
