(* SPDX-License-Identifier: Apache-2.0 *)
(* compat.413.ml - what OCaml 4.13 names otherwise than later ones. *)
let desc t = (Btype.repr t).Types.desc
let same a b = Btype.repr a == Btype.repr b

let variant d =
  match d.Types.type_kind with
  | Types.Type_variant (all, rep) -> (all, rep = Types.Variant_unboxed)
  | _ -> ([], false)

let is_abstract kind = kind = Types.Type_abstract
