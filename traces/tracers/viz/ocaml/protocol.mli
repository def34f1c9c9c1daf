(* SPDX-License-Identifier: Apache-2.0 *)
(** What trees are made of. *)

type variant = Node of string * variant list
