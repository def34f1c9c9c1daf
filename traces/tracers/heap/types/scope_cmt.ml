(* SPDX-License-Identifier: Apache-2.0 *)
(* scope-cmt - what values of an OCaml program are, as its compiler noted it: reads .cmt files and writes the types of the
   values of each module, and how values of each type lie in memory.  docs/heap-types.md tells the lines.

   Abstract types are looked through: what counts is how a module itself defines them.  Functors are taken once, whatever
   they are applied to. *)
open Typedtree
open Types

(* Where a name is defined: a unit, and the way inside of it; of a functor that of its body. *)
type place = string * string list

type found = Decl of type_declaration | Alias of place

let dirs : string list ref = ref []
let units : (string, bool) Hashtbl.t = Hashtbl.create 64 (* read, and found *)
let idents : (string, place) Hashtbl.t = Hashtbl.create 1024 (* "UNIT/IDENT_STAMP" *)
let defined : (place, found) Hashtbl.t = Hashtbl.create 1024
let missing : (string, unit) Hashtbl.t = Hashtbl.create 16

let key unit id = unit ^ "/" ^ Ident.unique_name id

(* The place of a path as it is written in a unit; None: of a value that only exists while the program runs. *)
let rec place_of unit = function
  | Path.Pident id when Ident.global id -> Some (Ident.name id, [])
  | Path.Pident id -> Hashtbl.find_opt idents (key unit id)
  | Path.Pdot (p, name) -> Option.map (fun (u, way) -> (u, way @ [ name ])) (place_of unit p)
  | Path.Papply (p, _) -> place_of unit p
  | _ -> None [@@warning "-11"] (* later versions know more *)

let define unit way id found =
  let place = (unit, way @ [ Ident.name id ]) in
  Hashtbl.replace idents (key unit id) place;
  Option.iter (Hashtbl.replace defined place) found

let rec read_signature unit way items =
  List.iter
    (function
      | Sig_type (id, decl, _, _) -> define unit way id (Some (Decl decl))
      | Sig_module (id, _, md, _, _) -> read_module_type unit way id md.md_type
      | _ -> ())
    items

and read_module_type unit way id t =
  define unit way id None;
  let inside = way @ [ Ident.name id ] in
  let rec read = function
    | Mty_signature items -> read_signature unit inside items
    | Mty_functor (_, t) -> read t
    | Mty_alias p | Mty_ident p -> (
        match place_of unit p with Some target -> Hashtbl.replace defined (unit, inside) (Alias target) | None -> ())
  in
  read t

let rec read_items unit way items = List.iter (fun i -> read_item unit way i.str_desc) items

and read_item unit way = function
  | Tstr_type (_, decls) -> List.iter (fun d -> define unit way d.typ_id (Some (Decl d.typ_type))) decls
  | Tstr_module mb -> read_binding unit way mb
  | Tstr_recmodule all -> List.iter (read_binding unit way) all
  | Tstr_include { incl_mod; incl_type; _ } ->
      (match (strip incl_mod).mod_desc with Tmod_structure s -> read_items unit way s.str_items | _ -> ());
      read_signature unit way incl_type
  | Tstr_open { open_expr; open_bound_items; _ } ->
      (match (strip open_expr).mod_desc with Tmod_structure s -> read_items unit way s.str_items | _ -> ());
      read_signature unit way open_bound_items
  | _ -> ()

(* What a module is, whatever it shows of itself. *)
and strip m =
  match m.mod_desc with
  | Tmod_constraint (inner, _, _, _) -> strip inner
  | Tmod_functor (_, body) -> strip body
  | _ -> m

and read_binding unit way mb =
  match mb.mb_id with
  | None -> ()
  | Some id -> (
      read_module_type unit way id mb.mb_expr.mod_type;
      let inside = way @ [ Ident.name id ] and m = strip mb.mb_expr in
      match m.mod_desc with
      | Tmod_structure s -> read_items unit inside s.str_items
      | Tmod_ident (p, _) -> (
          match place_of unit p with
          | Some target -> Hashtbl.replace defined (unit, inside) (Alias target)
          | None -> ())
      | Tmod_apply (f, _, _) -> (
          match (strip f).mod_desc with
          | Tmod_ident (p, _) -> (
              match place_of unit p with
              | Some target -> Hashtbl.replace defined (unit, inside) (Alias target)
              | None -> ())
          | _ -> ())
      | _ -> ())

(* Of Stdlib__List the file is stdlib__List.cmt, or, as it may be, Stdlib__List.cmt. *)
let file_of unit ending =
  let names = [ String.uncapitalize_ascii unit ^ ending; unit ^ ending ] in
  List.find_opt Sys.file_exists (List.concat_map (fun d -> List.map (Filename.concat d) names) !dirs)

let structures : (string, structure * signature option) Hashtbl.t = Hashtbl.create 64

let shown_of file =
  let cmi = Filename.remove_extension file ^ ".cmi" in
  if Sys.file_exists cmi then match Cmi_format.read_cmi cmi with c -> Some c.cmi_sign | exception _ -> None else None

let read_file unit file =
  match Cmt_format.read_cmt file with
  | exception _ -> Printf.eprintf "scope-cmt: %s cannot be read: it is of another version of OCaml, or damaged\n" file
  | { cmt_annots = Cmt_format.Implementation s; _ } ->
      Hashtbl.replace structures unit (s, shown_of file);
      read_items unit [] s.str_items
  | _ -> ()

let need unit =
  if not (Hashtbl.mem units unit) then (
    Hashtbl.replace units unit true;
    match (file_of unit ".cmt", file_of unit ".cmi") with
    | Some f, _ -> read_file unit f
    | None, Some f -> ( (* a module that is an interface alone *)
        match Cmi_format.read_cmi f with
        | c -> read_signature unit [] c.cmi_sign
        | exception _ -> Hashtbl.replace missing unit ())
    | None, None -> Hashtbl.replace missing unit ())

(* The declaration of a place, through aliases of what it is inside of. *)
let rec lookup n ((unit, way) as place) =
  need unit;
  if n = 0 then None
  else
    match Hashtbl.find_opt defined place with
    | Some (Decl d) -> Some (place, d)
    | Some (Alias target) -> lookup (n - 1) target
    | None ->
        let rec outer inside = function
          | [] -> None
          | way -> (
              let around = List.filteri (fun i _ -> i < List.length way - 1) way
              and last = List.nth way (List.length way - 1) in
              match Hashtbl.find_opt defined (unit, around) with
              | Some (Alias (u, w)) -> lookup (n - 1) (u, w @ (last :: inside))
              | _ -> outer (last :: inside) around)
        in
        outer [] way

(* ---- types, as they are written ---------------------------------------------------------------------------------------- *)

let out = Buffer.create 65536
let numbers : (string, int) Hashtbl.t = Hashtbl.create 256
let todo : (unit -> unit) Queue.t = Queue.create ()

(* "Stdlib__Hashtbl.t" is Stdlib.Hashtbl.t. *)
let readable name =
  let b = Buffer.create 32 and n = String.length name in
  let rec copy i =
    if i < n then
      if i > 0 && i + 2 < n && name.[i] = '_' && name.[i + 1] = '_' then (Buffer.add_char b '.'; copy (i + 2))
      else (Buffer.add_char b name.[i]; copy (i + 1))
  in
  copy 0;
  Buffer.contents b

(* The number of a type; `tell` writes what it is, later. *)
let number name tell =
  match Hashtbl.find_opt numbers name with
  | Some n -> n
  | None ->
      let n = Hashtbl.length numbers in
      Hashtbl.replace numbers name n;
      Queue.add (fun () -> tell n) todo;
      n

let head n arity kind name = Printf.bprintf out "type %d %d %s %s\n" n arity kind (readable name)

let builtin =
  [ (Predef.path_int, "immediate"); (Predef.path_char, "immediate"); (Predef.path_bool, "immediate");
    (Predef.path_unit, "immediate"); (Predef.path_string, "plain"); (Predef.path_bytes, "plain");
    (Predef.path_float, "plain"); (Predef.path_int32, "plain"); (Predef.path_int64, "plain");
    (Predef.path_nativeint, "plain"); (Predef.path_array, "array"); (Predef.path_floatarray, "plain");
    (Predef.path_exn, "plain"); (Predef.path_extension_constructor, "plain"); (Predef.path_lazy_t, "lazy") ]

let name_of (unit, way) = String.concat "." (unit :: way)

let rec term ?(deep = 0) unit params t =
  if deep > 20 then "?" (* a type may be inside of itself *)
  else
  let term unit params t = term ~deep:(deep + 1) unit params t in
  match Compat.desc t with
  | Tvar _ | Tunivar _ -> (
      let rec find i = function
        | [] -> "?"
        | p :: rest -> if Compat.same p t then "$" ^ string_of_int i else find (i + 1) rest
      in
      find 0 params)
  | Tarrow _ -> ">"
  | Ttuple all -> String.concat " " (Printf.sprintf "* %d" (List.length all) :: List.map (term unit params) all)
  | Tpoly (t, _) -> term unit params t
  | Tconstr (p, args, _) ->
      let n = of_path unit p (List.length args) in
      String.concat " " (Printf.sprintf "@ %d %d" n (List.length args) :: List.map (term unit params) args)
  | Tvariant _ -> Printf.sprintf "@ %d 0" (number "polymorphic variant" (fun n -> head n 0 "abstract" "polymorphic variant"))
  | Tobject _ -> Printf.sprintf "@ %d 0" (number "object" (fun n -> head n 0 "abstract" "object"))
  | _ -> "?"

and of_path unit p arity =
  match List.find_opt (fun (q, _) -> Path.same p q) builtin with
  | Some (_, kind) -> number (Path.name p) (fun n -> head n arity kind (Path.name p))
  | None -> (
      if Path.same p Predef.path_list then
        number "list" (fun n ->
            head n 1 "variant" "list";
            Printf.bprintf out "block 0 ::\nfield 0 $0\nfield 1 @ %d 1 $0\n" n)
      else if Path.same p Predef.path_option then
        number "option" (fun n ->
            head n 1 "variant" "option";
            Buffer.add_string out "block 0 Some\nfield 0 $0\n")
      else
        let place = place_of unit p in
        match Option.bind place (lookup 16) with
        | Some (((u, _) as place), d) -> number (name_of place) (fun n -> declare n u (name_of place) d)
        | None ->
            let name = match place with Some p -> name_of p | None -> Path.name p in
            number name (fun n -> head n arity "abstract" name))

and fields unit params types = List.iteri (fun i t -> Printf.bprintf out "field %d %s\n" i (term unit params t)) types

and labels unit params all =
  List.iteri (fun i l -> Printf.bprintf out "field %d %s\n" i (term unit params l.ld_type)) all

and declare n unit name d =
  let params = d.type_params and arity = d.type_arity in
  match (d.type_kind, d.type_manifest) with
  | kind, Some t when Compat.is_abstract kind ->
      let is = term unit params t in
      head n arity "alias" name;
      Printf.bprintf out "is %s\n" is
  | kind, None when Compat.is_abstract kind -> head n arity "abstract" name
  | Type_open, _ -> head n arity "plain" name
  | Type_record (all, Record_unboxed _), _ ->
      let is = term unit params (List.hd all).ld_type in
      head n arity "alias" name;
      Printf.bprintf out "is %s\n" is
  | Type_record (_, Record_float), _ -> head n arity "plain" name
  | Type_record (all, _), _ ->
      head n arity "record" name;
      labels unit params all
  | _ -> (
      let all, unboxed = Compat.variant d in
      match (all, unboxed) with
      | [ { cd_args = Cstr_tuple [ t ]; _ } ], true | [ { cd_args = Cstr_record [ { ld_type = t; _ } ]; _ } ], true ->
          let is = term unit params t in
          head n arity "alias" name;
          Printf.bprintf out "is %s\n" is
      | _ ->
          head n arity "variant" name;
          let tag = ref 0 in
          List.iter
            (fun c ->
              let block () =
                Printf.bprintf out "block %d %s\n" !tag (Ident.name c.cd_id);
                incr tag
              in
              match c.cd_args with
              | Cstr_tuple [] -> ()
              | Cstr_tuple types ->
                  block ();
                  fields unit params types
              | Cstr_record all ->
                  block ();
                  labels unit params all)
            all)

(* ---- values of modules --------------------------------------------------------------------------------------------------- *)

(* What has a field in the block of a module, in its order. *)
let runtime_of_signature items =
  List.filter_map
    (function
      | Sig_value (id, { val_kind = Val_reg; val_type; _ }, _) -> Some (Ident.name id, `Value val_type)
      | Sig_value _ -> None
      | Sig_typext (id, _, _, _) -> Some (Ident.name id, `Nothing)
      | Sig_module (id, Mp_present, md, _, _) -> Some (Ident.name id, `Module md.md_type)
      | Sig_class (id, _, _, _) -> Some (Ident.name id, `Nothing)
      | _ -> None)
    items

let rec module_term unit name t =
  match t with
  | Mty_signature items ->
      let n =
        number ("module " ^ name) (fun n ->
            let all = List.mapi (fun i (name', what) -> (i, value_term unit (name ^ "." ^ name') what)) (runtime_of_signature items) in
            head n 0 "record" ("module " ^ name);
            List.iter (fun (i, t) -> Printf.bprintf out "field %d %s\n" i t) all)
      in
      Printf.sprintf "@ %d 0" n
  | _ -> "?"

and value_term unit name = function
  | `Value t -> term unit [] t
  | `Module t -> module_term unit name t
  | `Nothing -> "?"

(* The fields of a unit: what its interface shows, in that order, then all else that it defines.  Types are those that it
   has itself, which know more. *)
let tell_unit unit =
  match Hashtbl.find_opt structures unit with
  | None -> ()
  | Some (s, shown) ->
      let own = runtime_of_signature s.str_type in
      let last = Hashtbl.create 16 in
      List.iter (fun (name, what) -> Hashtbl.replace last name what) own;
      let names = match shown with Some sg -> List.map fst (runtime_of_signature sg) | None -> [] in
      let rest = List.filter (fun (name, _) -> not (List.mem name names)) own in
      Printf.bprintf out "unit %s\n" unit;
      List.iteri
        (fun i name ->
          match Hashtbl.find_opt last name with
          | Some what -> Printf.bprintf out "at %d %s\n" i (value_term unit (unit ^ "." ^ name) what)
          | None -> ())
        names;
      List.iteri
        (fun i (name, what) -> Printf.bprintf out "at %d %s\n" (List.length names + i) (value_term unit (unit ^ "." ^ name) what))
        rest

(* ---- what functions keep ------------------------------------------------------------------------------------------------- *)

(* A function that is made while the program runs keeps the variables that it uses and does not bind itself, in the order
   of their stamps.  Values at the top of a module are elsewhere. *)
let tell_functions unit =
  match Hashtbl.find_opt structures unit with
  | None -> ()
  | Some (s, _) ->
      let top = Hashtbl.create 64 in
      let rec of_items items =
        List.iter
          (fun i ->
            match i.str_desc with
            | Tstr_value (_, all) -> List.iter (fun id -> Hashtbl.replace top (Ident.unique_name id) ()) (let_bound_idents all)
            | Tstr_primitive v -> Hashtbl.replace top (Ident.unique_name v.val_id) ()
            | Tstr_module { mb_expr; _ } -> of_module mb_expr
            | Tstr_recmodule all -> List.iter (fun mb -> of_module mb.mb_expr) all
            | Tstr_include { incl_mod; _ } -> of_module incl_mod
            | _ -> ())
          items
      and of_module m =
        match m.mod_desc with
        | Tmod_structure s -> of_items s.str_items
        | Tmod_constraint (m, _, _, _) -> of_module m
        | _ -> ()
      in
      of_items s.str_items;
      let at (l : Location.t) = (l.loc_start.pos_fname, l.loc_start.pos_cnum, l.loc_end.pos_cnum) in
      let kept e =
        let file, first, last = at e.exp_loc and found = ref [] in
        let inside l = match at l with f, a, b -> f = file && a >= first && b <= last in
        let expr self e =
          (match e.exp_desc with
          | Texp_ident (Path.Pident id, _, { val_kind = Val_reg; val_loc; _ })
            when (not (Ident.global id)) && (not (Hashtbl.mem top (Ident.unique_name id))) && not (inside val_loc) ->
              if not (List.exists (fun (i, _) -> Ident.same i id) !found) then found := (id, e.exp_type) :: !found
          | _ -> ());
          Tast_iterator.default_iterator.expr self e
        in
        let it = { Tast_iterator.default_iterator with expr } in
        it.expr it e;
        List.sort (fun (a, _) (b, _) -> Ident.compare a b) !found
      in
      let told = Hashtbl.create 64 in
      let tell ?(without = []) e =
        match List.filter (fun (id, _) -> not (List.exists (Ident.same id) without)) (kept e) with
        | _ when Hashtbl.mem told e.exp_loc -> ()
        | [] -> ()
        | all ->
            let p = e.exp_loc.loc_start in
            Hashtbl.replace told e.exp_loc ();
            Printf.bprintf out "closure %d %d %s\n" p.pos_lnum (min 255 (p.pos_cnum - p.pos_bol)) p.pos_fname;
            List.iteri (fun i (_, t) -> Printf.bprintf out "at %d %s\n" i (term unit [] t)) all
      in
      let expr self e =
        (match e.exp_desc with
        | Texp_function _ when not e.exp_loc.loc_ghost -> tell e
        | Texp_let (Asttypes.Recursive, all, _) ->
            (* it does not keep itself *)
            let without = let_bound_idents all in
            List.iter (fun vb -> match vb.vb_expr.exp_desc with Texp_function _ -> tell ~without vb.vb_expr | _ -> ()) all
        | _ -> ());
        Tast_iterator.default_iterator.expr self e
      in
      let it = { Tast_iterator.default_iterator with expr } in
      it.structure it s

let () =
  let usage = "scope-cmt DIR... > NAME.types: the types of an OCaml program, from its .cmt files (ocamlopt -bin-annot)" in
  let given = List.tl (Array.to_list Sys.argv) in
  if given = [] || List.exists (fun a -> a = "--help" || a = "-help") given then (
    print_endline usage;
    exit (if given = [] then 2 else 0));
  List.iter
    (fun d ->
      if not (Sys.file_exists d && Sys.is_directory d) then (
        Printf.eprintf "scope-cmt: %s is no folder: give those in which the compiler left .cmt files\n" d;
        exit 2))
    given;
  dirs := given @ [ Config.standard_library ];
  let all =
    List.concat_map
      (fun d ->
        Sys.readdir d |> Array.to_list |> List.sort compare
        |> List.filter (fun f -> Filename.check_suffix f ".cmt")
        |> List.map (fun f -> String.capitalize_ascii (Filename.chop_suffix f ".cmt")))
      given
  in
  if all = [] then (
    Printf.eprintf "scope-cmt: there are no .cmt files in %s: compile with -bin-annot\n" (String.concat ", " given);
    exit 1);
  List.iter need (List.sort_uniq compare all);
  print_string "scope-types 1\n";
  List.iter tell_unit (List.sort_uniq compare all);
  List.iter tell_functions (List.sort_uniq compare all);
  while not (Queue.is_empty todo) do
    Queue.pop todo ()
  done;
  print_string (Buffer.contents out);
  Hashtbl.iter (fun u () -> Printf.eprintf "scope-cmt: %s.cmt is in none of the folders: what it defines is not known\n" (String.uncapitalize_ascii u)) missing
