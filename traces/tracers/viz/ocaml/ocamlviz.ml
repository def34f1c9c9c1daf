(* SPDX-License-Identifier: Apache-2.0 *)
(* The server is libscopeviz: a thread that never enters OCaml.  It says when values are due; [tick] looks at them in the
   program's own thread.  It is called by [yield], and after each minor collection: a finaliser on a block that is dead at
   once.  No signal is used, so no system call of the program is broken off. *)

type item (* an address, as an odd number: never freed, nothing for the collector *)

external start : unit -> unit = "scopeviz_ml_start"
external new_item : int -> string -> item = "scopeviz_ml_new"
external set_item_period : item -> int -> unit = "scopeviz_ml_period"
external kill : item -> unit = "scopeviz_ml_kill"
external collected : item -> unit = "scopeviz_ml_collected"
external pass : item -> unit = "scopeviz_ml_pass" [@@noalloc]
external time_start : item -> bool = "scopeviz_ml_time_start" [@@noalloc]
external time_stop : item -> bool = "scopeviz_ml_time_stop" [@@noalloc]
external set_int : item -> int -> unit = "scopeviz_ml_set_int" [@@noalloc]
external set_float : item -> float -> unit = "scopeviz_ml_set_float" [@@noalloc]
external set_bool : item -> bool -> unit = "scopeviz_ml_set_bool" [@@noalloc]
external set_string : item -> string -> unit = "scopeviz_ml_set_string" [@@noalloc]
external set_tag : item -> int -> int -> unit = "scopeviz_ml_set_tag" [@@noalloc]
external set_tree : item -> Protocol.variant -> unit = "scopeviz_ml_set_tree" [@@noalloc]
external set_hash : item -> 'a -> bool = "scopeviz_ml_set_hash" [@@noalloc]
external set_heap : int -> int -> unit = "scopeviz_ml_set_heap" [@@noalloc]
external log_line : string -> unit = "scopeviz_ml_log"
external due : unit -> bool = "scopeviz_ml_due" [@@noalloc]
external finish : unit -> unit = "scopeviz_ml_done"
external now : unit -> int = "scopeviz_ml_now" [@@noalloc] (* ms *)
external send : unit -> unit = "scopeviz_ml_send"
external clients : unit -> int = "scopeviz_ml_clients" [@@noalloc]
external wait_for : int -> unit = "scopeviz_ml_wait"
external wait_for_nobody : unit -> unit = "scopeviz_ml_wait_for_nobody"
external elapsed : unit -> float = "scopeviz_ml_elapsed"
external observe_gc : string -> unit = "scopeviz_ml_observe_gc"

(* Kinds, as stubs.c numbers them. *)
let point, time, int, float, bool, string, count, size, both, tree, hash = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10

type watched = {
  name : string;
  item : item;
  mutable period : int;
  mutable next : int;
  mutable alive : bool;
  look : unit -> bool; (* false: the thing is gone *)
}

let watched : watched list ref = ref []
let busy = ref false

let end_of w how =
  if w.alive then begin
    w.alive <- false;
    watched := List.filter (fun v -> v != w) !watched;
    how w.item
  end

let look w =
  match w.look () with
  | true -> ()
  | false -> end_of w collected
  | exception e ->
    log_line (Printf.sprintf "%s is no longer observed: it raised %s" w.name (Printexc.to_string e));
    end_of w kill

let heap_period =
  let seconds name = match Sys.getenv_opt name with Some text -> float_of_string_opt text | None -> None in
  let valid = function Some s -> s > 0. && s < 1e6 | None -> false in
  let heap = seconds "OCAMLVIZ_HEAP_PERIOD" and gc = seconds "OCAMLVIZ_GC_PERIOD" in
  let chosen = if valid heap then heap else if valid gc then gc else Some 1. in
  match chosen with Some s -> int_of_float (1000. *. s) | None -> 1000

let heap_next = ref 0
let heap_alive = ref 0
let bytes words = words * (Sys.word_size / 8)

let look_at_heap at =
  if at >= !heap_next then begin
    heap_next := at + heap_period;
    heap_alive := bytes (Gc.stat ()).Gc.live_words
  end;
  set_heap (bytes (Gc.quick_stat ()).Gc.heap_words) !heap_alive

let look_at_all everything =
  if not !busy then begin
    busy := true;
    let at = now () in
    List.iter
      (fun w ->
        if everything || at >= w.next then begin
          w.next <- at + w.period;
          look w
        end)
      !watched;
    look_at_heap at;
    busy := false
  end

let yield () =
  if due () then begin
    look_at_all false;
    finish ()
  end

let rec arm () = Gc.finalise_last tick (Sys.opaque_identity (ref 0))

and tick () =
  arm ();
  yield ()

let watch ?(period = 0) name item look_at =
    let w = { name; item; period; next = 0; alive = true; look = look_at } in
  if period > 0 then set_item_period item period;
  watched := w :: !watched;
  look w;
  w

module Point = struct
  type t = item

  let create name = new_item point name
  let kill = kill
  let observe = pass

  let observe_calls name f =
    let p = create name in
    fun a b -> pass p; f a b

  let observe_calls2 = observe_calls

  let observe_calls_rec name f =
    let p = create name in
    let rec g a = pass p; f g a in
    g

  let observe_calls_rec2 name f =
    let p = create name in
    let rec g a b = pass p; f g a b in
    g
end

module Tag = struct
  module WeakHash = struct
    type data = Obj.t

    (* By the order of marking: blocks move, so nothing of them could be hashed. *)
    type t = { mutable room : data Weak.t; mutable used : int }

    let create n = { room = Weak.create (max 16 n); used = 0 }
    let clear t = t.room <- Weak.create 16; t.used <- 0

    let fold f t start =
      let result = ref start in
      for i = 0 to t.used - 1 do
        match Weak.get t.room i with Some x -> result := f x !result | None -> ()
      done;
      !result

    let iter f t = fold (fun x () -> f x) t ()
    let count t =
      let n = ref 0 in
      for i = 0 to t.used - 1 do if Weak.check t.room i then incr n done;
      !n

    (* What has died leaves its place; there is room for twice as many then, so a place is moved once on the whole. *)
    let make_room t =
      let alive = count t in
      let room = Weak.create (max 16 (2 * alive + 1)) in
      let n = ref 0 in
      for i = 0 to t.used - 1 do
        if Weak.check t.room i && !n < Weak.length room then begin
          Weak.blit t.room i room !n 1;
          incr n
        end
      done;
      t.room <- room;
      t.used <- !n

    let add t x =
      if t.used >= Weak.length t.room then make_room t;
      Weak.set t.room t.used (Some x);
      t.used <- t.used + 1

    exception Found of int

    let place t x =
      try
        for i = 0 to t.used - 1 do
          match Weak.get t.room i with Some y when y == x -> raise_notrace (Found i) | _ -> ()
        done;
        -1
      with Found i -> i

    let mem t x = place t x >= 0
    let find t x = if mem t x then x else raise Not_found
    let find_all t x = if mem t x then [ x ] else []
    let merge t x = if not (mem t x) then add t x; x
    let remove t x = let i = place t x in if i >= 0 then Weak.set t.room i None
    let stats t = let n = Weak.length t.room in n, count t, t.used, 0, 0, (if n > 0 then 1 else 0)
  end

  (* From the newest to the oldest: a value whose neighbour it reaches is not walked again.  All at once, in one array, so
     that what is shared counts once. *)
  let size_of set =
    let n = WeakHash.count set in
    let all = Array.make n (Obj.repr 0) and i = ref 0 in
    WeakHash.iter (fun x -> if !i < n then begin all.(!i) <- x; incr i end) set;
    if n = 0 then 0 else bytes (Obj.reachable_words (Obj.repr all) - n - 1)

  type t = { set : WeakHash.t; shown : watched option }

  let create ?size:(with_size = false) ?count:(with_count = true) ?fct_size ?period name =
    let set = WeakHash.create 16 in
    let size_now () = match fct_size with Some f -> Int64.to_int (f set) | None -> size_of set in
    let look_at item () =
      set_tag item (if with_count then WeakHash.count set else 0) (if with_size then size_now () else 0);
      true in
    if not (with_size || with_count) then { set; shown = None }
    else
      let item = new_item (if with_size && with_count then both else if with_size then size else count) name in
      { set; shown = Some (watch ?period name item (look_at item)) }

  let kill t = match t.shown with Some w -> end_of w kill | None -> ()
  let set_period t period = match t.shown with Some w -> w.period <- max 0 period; w.next <- 0 | None -> ()

  let mark t x =
    let block = Obj.repr x in
    (match t.shown with
     | Some w when w.alive && Obj.is_block block -> WeakHash.add t.set block
     | _ -> ());
    x
end

module Time = struct
  type t = item

  exception Already_started
  exception Not_started

  let elapsed_time = elapsed
  let create name = new_item time name
  let kill = kill
  let start t = if not (time_start t) then raise Already_started
  let stop t = if not (time_stop t) then raise Not_started

  (* Inside itself it runs already. *)
  let time name f =
    let t = create name in
    fun x ->
      if not (time_start t) then f x
      else
        match f x with
        | result -> ignore (time_stop t : bool); result
        | exception e ->
          let trace = Printexc.get_raw_backtrace () in
          ignore (time_stop t : bool);
          Printexc.raise_with_backtrace e trace
end

module Value = struct
  (* The function or the reference is held weakly, or not. *)
  let observe kind set get weak period name source =
    let item = new_item kind name in
    let look_at =
      if weak then begin
        let held = Weak.create 1 in
        Weak.set held 0 (Some source);
        fun () -> match Weak.get held 0 with Some source -> set item (get source); true | None -> false
      end
      else fun () -> set item (get source); true in
    ignore (watch ?period name item look_at : watched)

  let call f = f ()
  let observe_int_fct ?(weak = false) ?period name f = observe int set_int call weak period name f
  let observe_float_fct ?(weak = false) ?period name f = observe float set_float call weak period name f
  let observe_bool_fct ?(weak = false) ?period name f = observe bool set_bool call weak period name f
  let observe_string_fct ?(weak = false) ?period name f = observe string set_string call weak period name f
  let observe_int ?weak ?period name x = observe_int_fct ?weak ?period name (fun () -> x)
  let observe_float ?weak ?period name x = observe_float_fct ?weak ?period name (fun () -> x)
  let observe_bool ?weak ?period name x = observe_bool_fct ?weak ?period name (fun () -> x)
  let observe_string ?weak ?period name x = observe_string_fct ?weak ?period name (fun () -> x)
  let observe_int_ref ?period name r = observe int set_int ( ! ) true period name r; r
  let observe_float_ref ?period name r = observe float set_float ( ! ) true period name r; r
  let observe_bool_ref ?period name r = observe bool set_bool ( ! ) true period name r; r
  let observe_string_ref ?period name r = observe string set_string ( ! ) true period name r; r
end

module Tree = struct
  let observe ?period name f =
    let item = new_item tree name in
    ignore (watch ?period name item (fun () -> set_tree item (f ()); true) : watched)
end

module Hashtable = struct
  type 'a t = 'a

  let observe ?period name table =
    let item = new_item hash name in
    if not (set_hash item table) then begin
      kill item;
      invalid_arg ("Hashtable.observe: " ^ name ^ " is no hash table")
    end;
    ignore (watch ?period name item (fun () -> set_hash item table) : watched);
    table
end

let log format = Format.kasprintf log_line format

let send_now () =
  look_at_all true;
  send ()

let wait_for_connected_clients n =
  look_at_all true;
  wait_for n

let wait_for_killed_clients () = wait_for_nobody ()
let init () = ()

let () =
  if Sys.getenv_opt "OCAMLVIZ_GC_TIME" = Some "1" then observe_gc "garbage collector";
  look_at_heap (now ()); (* before anybody comes: what a client is told first is OCaml's heap too *)
  start ();
  arm ();
  at_exit (fun () -> if clients () > 0 then look_at_all true)
