(* SPDX-License-Identifier: Apache-2.0 *)
(* A shop that answers requests.  It forgets visitors when they leave, and keeps only some pages; but what it wants to
   know of each visit stays for ever, in the table `visits`: that is its leak.  At noon it tidies up. *)
type item = { name : string; price : float; tags : string list }
type visit = { visitor : int; seen : item list; from : string }

let stock = Array.init 120 (fun i ->
    { name = Printf.sprintf "item %d" i; price = float_of_int i *. 1.25; tags = [ "new"; Printf.sprintf "shelf %d" (i mod 7) ] })
let visitors : (int, string list ref) Hashtbl.t = Hashtbl.create 16
let pages : (int, Buffer.t) Hashtbl.t = Hashtbl.create 16
let visits : (int, visit) Hashtbl.t = Hashtbl.create 16
let listeners : (int -> unit) list ref = ref []

(* The twenty pages that were asked for last. *)
let page n =
  let text = Buffer.create 200 in
  Buffer.add_string text ("<h1>" ^ stock.(n mod 120).name ^ "</h1>");
  Hashtbl.replace pages (n mod 20) text

let enter n =
  let basket = ref [] in
  for i = 1 to 3 do basket := stock.((n * i) mod 120).name :: !basket done;
  Hashtbl.replace visitors n basket

let remember n =
  let seen = List.map (fun i -> stock.((n + i) mod 120)) [ 0; 1; 2; 3 ] in
  Hashtbl.replace visits n { visitor = n; seen; from = Printf.sprintf "10.0.%d.%d" (n / 250) (n mod 250) }

let leave n = Hashtbl.remove visitors n

let watch name = listeners := (fun n -> if n < 0 then print_endline (name ^ " left")) :: !listeners

let hour h =
  for i = 1 to 90 do
    let n = (h * 90) + i in
    enter n;
    page n;
    remember n;
    if n > 30 then leave (n - 30)
  done;
  if h mod 2 = 0 then watch (Printf.sprintf "hour %d" h);
  List.iter (fun tell -> tell h) !listeners

let () =
  for h = 0 to 5 do
    hour h;
    if h = 3 then begin
      let garbage = ref (List.init 20000 string_of_int) in
      ignore (Sys.opaque_identity garbage);
      Gc.compact ()
    end else Gc.full_major ()
  done;
  ignore (Sys.opaque_identity (visitors, pages, visits))
