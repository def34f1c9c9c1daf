(* Of what versions of OCaml each a snapshot at the end is kept here: prints what the runtime itself counts. *)
let table : (int, string) Hashtbl.t = Hashtbl.create 16
let weak = Obj.Ephemeron.create 1
let key = ref 7
let rows = Array.init 200 (fun i -> (i, Some (string_of_int i)))
let lst = ref []
let () =
  for i = 1 to 300 do Hashtbl.replace table i (string_of_int i) done;
  for i = 1 to 100 do lst := (i, float_of_int i) :: !lst done;
  Obj.Ephemeron.set_key weak 0 (Obj.repr key);
  Obj.Ephemeron.set_data weak (Obj.repr (String.make 1000 'w'));
  Gc.full_major ();
  let s = Gc.stat () in
  let reachable v = Obj.reachable_words (Obj.repr v) in
  Printf.printf "%d %d %d %d %d\n%!" s.live_blocks s.live_words (reachable table) (reachable rows) (reachable !lst);
  ignore (Sys.opaque_identity (key, weak))
