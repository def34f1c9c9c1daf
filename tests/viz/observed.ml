(* SPDX-License-Identifier: Apache-2.0 *)
(* Uses the whole of the interface; what it prints is what a client must have seen at the end. *)
open Ocamlviz

let () = init ()
let say name value = Printf.printf "%s\t%s\n" name value
let calls = Point.observe_calls "calls" (fun a b -> a + b)
let calls2 = Point.observe_calls2 "calls2" (fun a b -> a * b)
let rec1 = Point.observe_calls_rec "rec" (fun self n -> if n = 0 then 0 else 1 + self (n - 1))
let rec2 = Point.observe_calls_rec2 "rec2" (fun self n m -> if n = 0 then m else self (n - 1) (m + 1))
let () = observe_gc "collector"
let timer = Time.create "timer"
let timed = Time.time "timed" (fun n -> if n < 0 then failwith "negative" else List.init n (fun i -> i * i))

let table : (string, int) Hashtbl.t = Hashtable.observe "strings" (Hashtbl.create 3)

module Ints = Hashtbl.Make (struct
  type t = int
  let equal = ( = )
  let hash x = x land 7
end)

let ints = Hashtable.observe ~period:1 "ints" (Ints.create 8)
let round = Value.observe_int_ref "round" (ref 0)
let text = Value.observe_string_ref ~period:10 "text" (ref "")
let () = Value.observe_float_fct "half" (fun () -> float !round /. 2.)
let () = Value.observe_bool_fct "odd" (fun () -> !round land 1 = 1)
let () = Value.observe_int_fct "raises" (fun () -> if !round < 3 then !round else failwith "enough")
let () = ignore (Value.observe_string_ref "dies" (ref (String.make 4 'd')))
let tag = Tag.create ~size:true ~count:true "lists"
let own = Tag.create ~size:true ~count:false ~fct_size:(fun set -> Int64.of_int (100 * Tag.WeakHash.count set)) "own"
let kept : int list list ref = ref []
let rec chain n = if n = 0 then Protocol.Node ("end", []) else let c = chain (n - 1) in Protocol.Node (string_of_int n, [ c; c ])
let () = Tree.observe "chain" (fun () -> chain (!round mod 50))
let wide = Protocol.Node ("wide", List.init 20000 (fun i -> Protocol.Node (string_of_int i, [])))
let () = Tree.observe ~period:500 "wide" (fun () -> wide)

let figures name (s : Hashtbl.statistics) =
  say name (Printf.sprintf "%d %d %d %d" s.num_buckets s.num_bindings s.bucket_histogram.(0) s.max_bucket_length)

let () =
  (try ignore (Hashtable.observe "no table" [| 1.5 |]); say "no table" "taken" with Invalid_argument _ -> ());
  wait_for_connected_clients 1;
  (try Time.stop timer; say "stop" "taken" with Time.Not_started -> ());
  Time.start timer;
  (try Time.start timer; say "start" "taken" with Time.Already_started -> ());
  for i = 1 to 60 do
    round := i;
    text := Printf.sprintf "round %d" i;
    ignore (calls i i);
    ignore (calls2 i i);
    ignore (rec1 i);
    ignore (rec2 i i);
    for j = 1 to 10 do
      Hashtbl.replace table (string_of_int (i * j)) i;
      Ints.replace ints (i * j) j
    done;
    let l = List.init 10 (fun j -> i + j) in
    if i mod 2 = 0 then kept := Tag.mark tag l :: !kept;
    ignore (Tag.mark own (Array.make 3 i));
    if i mod 20 = 0 then log "round %d of %s: %b" i "sixty" (i > 20);
    ignore (Sys.opaque_identity (timed 20000));
    Unix.sleepf 0.005
  done;
  (try ignore (timed (-1)) with Failure _ -> ());
  Time.stop timer;
  ignore (Tag.mark tag (Obj.magic 5 : int list));
  Tag.set_period tag 1;
  Gc.full_major ();
  send_now ();
  say "calls" "60";
  say "calls2" "60";
  say "rec" (string_of_int (60 + (60 * 61 / 2)));
  say "rec2" (string_of_int (60 + (60 * 61 / 2)));
  say "round" (string_of_int !round);
  say "text" !text;
  say "half" (string_of_float (float !round /. 2.));
  say "odd" (string_of_bool (!round land 1 = 1));
  say "lists" (Printf.sprintf "%d %d" (List.length !kept) (8 * (List.length !kept * 30)));
  figures "strings" (Hashtbl.stats table);
  figures "ints" (Ints.stats ints);
  ignore (Sys.opaque_identity (round, text))
