(* SPDX-License-Identifier: Apache-2.0 *)
(** The same as {!Ocamlviz}, which has no alarm either. *)

include Monitor_sig.Monitor

val yield : unit -> unit
(** Looks at what is due.  The program does so by itself whenever it has allocated some memory: this is for code that only
    computes. *)

val send_now : unit -> unit
(** Looks at everything and sends it at once. *)

val init : unit -> unit
(** Does nothing: the program is watched because it is linked with this module. *)
