(* SPDX-License-Identifier: Apache-2.0 *)
(* A cache that is never emptied, and a session that is: the first grows, the other does not. *)
type entry = { key : int; name : string; mutable hits : int; price : float }
let cache : (int, entry) Hashtbl.t = Hashtbl.create 8
let session = ref []
let next = ref 0
let request i =
  incr next;
  Hashtbl.replace cache !next { key = i; name = Printf.sprintf "entry %d" i; hits = 0; price = float_of_int i *. 1.5 };
  session := [ string_of_int i; "open" ]
let () =
  for _ = 1 to 6 do
    for i = 1 to 60 do request i done;
    Gc.full_major ()
  done
