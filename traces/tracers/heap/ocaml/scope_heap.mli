(* SPDX-License-Identifier: Apache-2.0 *)
(** Asks for snapshots of the heap of the program that calls it, where it is run by [scope heap run]. *)

(** [dump name] takes one now, which is called [name]: letters and digits are kept, of at most 63.  The program waits for
    a fork, and for a snapshot that is still being written.  False: none was begun, as the program is run without
    [scope heap run], or was forked. *)
val dump : string -> bool
