(* Two places allocate: 4000 triples here, and floats in boxes there, of which every second is dropped again. *)
let triples = ref []
let boxes = ref []
let fill n = for i = 1 to n do triples := (i, i + 1, i + 2) :: !triples done
let box n = for i = 1 to n do
    let b = Sys.opaque_identity (ref (float_of_int i)) in
    if i land 1 = 0 then boxes := b :: !boxes
  done
let () =
  ignore (Sys.opaque_identity (Array.make 300_000 0)); Gc.full_major (); (* the first minor collection is behind *)
  fill 4000;
  box 4000;
  Gc.full_major ();
  let s = Gc.stat () in
  Printf.printf "%d %d\n%!" s.live_blocks s.live_words;
  ignore (Sys.opaque_identity (triples, boxes))
