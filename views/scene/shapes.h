/* SPDX-License-Identifier: Apache-2.0 */
/* shapes.h - the corners, faces and edges of the shapes of a scene. */
#pragma once
#include "views/scene/model.h"

typedef struct SceneMesh {
  GArray *corners; /* six floats each: place and normal */
  GArray *faces;   /* of uint16_t, three each, seen from outside counterclockwise */
  GArray *edges;   /* of uint16_t, two each */
} SceneMesh;
/* Rounder with more sides. */
SceneMesh scene_mesh (SceneShape shape, int sides);
void scene_mesh_free (SceneMesh *m);
