(* A prover that renames the bound variables of each formula it is given, as Alt-Ergo did: [rename] is the function of
   figures 6 and 7.  With the argument "shared" it gives back the formula itself where nothing in it was renamed. *)
type operator = And | Or | Implies

type formula =
  | Variable of string
  | Infix of formula * operator * formula
  | Forall of string * formula

module Names = Map.Make (String)

let shared = Array.length Sys.argv > 1 && Sys.argv.(1) = "shared"

let rec rename names f =
  match f with
  | Variable v -> (match Names.find_opt v names with Some w -> Variable w | None -> f)
  | Infix (a, op, b) ->
      let a' = rename names a in
      let b' = rename names b in
      if shared && a' == a && b' == b then f else Infix (a', op, b')
  | Forall (v, body) -> Forall (v, rename (Names.remove v names) body)

let rec conjunction n = if n = 0 then Variable "x0" else Infix (conjunction (n - 1), And, Variable ("x" ^ string_of_int n))

(* What the prover has typed, with all steps on the way. *)
let typed : (int * formula) list ref = ref []

let () =
  let formula = conjunction 999 in
  let names = Names.singleton "y" "y1" in
  for step = 1 to 1000 do
    typed := (step, rename names formula) :: !typed
  done;
  print_int (List.length !typed)
