(* OCaml 5: twenty stacks that wait, each of which alone holds a list of a hundred; prints what the runtime counts. *)
open Effect
open Effect.Deep
type _ Effect.t += Pause : unit Effect.t
let waiting : (unit, unit) continuation Queue.t = Queue.create ()
let work i () =
  let l = List.init 100 (fun k -> k * i) in
  perform Pause;
  ignore (Sys.opaque_identity l)
let () =
  for i = 1 to 20 do
    match_with (work i) ()
      { retc = Fun.id; exnc = raise;
        effc = fun (type a) (e : a Effect.t) ->
          match e with Pause -> Some (fun (k : (a, unit) continuation) -> Queue.push k waiting) | _ -> None }
  done;
  Gc.full_major ();
  let s = Gc.stat () in
  Printf.printf "%d %d\n%!" s.live_blocks s.live_words;
  ignore (Sys.opaque_identity waiting)
