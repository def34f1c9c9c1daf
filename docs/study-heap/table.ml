(* A table of the last request of each client.  Hashtbl.add hides what was there before, and keeps it: with the argument
   "replace" it is replaced. *)
type request = { client : string; number : int; words : string list }

let replace = Array.length Sys.argv > 1 && Sys.argv.(1) = "replace"
let last : (string, request) Hashtbl.t = Hashtbl.create 64

let () =
  for number = 1 to 40_000 do
    let client = "client " ^ string_of_int (number mod 50) in
    let request = { client; number; words = [ "GET"; string_of_int number ] } in
    (if replace then Hashtbl.replace else Hashtbl.add) last client request
  done;
  print_int (Hashtbl.length last)
