(* A server that answers pages with a channel for news, as Cumulus did: a channel is closed by a finaliser, and what the
   finaliser refers to keeps the channel, so that it is never called.  With the argument "site" all pages share one. *)
type node = Element of string * (string * string) list * node list | Text of string

type 'a stream = { mutable waiting : 'a list; mutable closed : bool }

type channel = { number : int; page : node; news : string stream }

let site = Array.length Sys.argv > 1 && Sys.argv.(1) = "site"

let page n =
  let link i = Element ("a", [ ("href", Printf.sprintf "/link/%d/%d" n i) ], [ Text (Printf.sprintf "link %d of page %d" i n) ]) in
  Element ("html", [], [ Element ("head", [], [ Text "Cumulus" ]); Element ("body", [], List.init 20 (fun i -> Element ("li", [], [ link i ]))) ])

let close channel stream = stream.closed <- channel.number >= 0

let channel_of n page =
  let channel = { number = n; page; news = { waiting = []; closed = false } } in
  Gc.finalise (fun stream -> close channel stream) channel.news;
  channel

let all = lazy (channel_of 0 (page 0))
let seen : (string, int) Hashtbl.t = Hashtbl.create 16

let answer n =
  let page = page n in
  let channel = if site then Lazy.force all else channel_of n page in
  Hashtbl.replace seen (Printf.sprintf "client %d" (n mod 100)) channel.number;
  ignore (Sys.opaque_identity (page, channel))

let () =
  for n = 1 to 2000 do
    answer n
  done;
  print_int (Hashtbl.length seen)
