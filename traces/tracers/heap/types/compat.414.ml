(* SPDX-License-Identifier: Apache-2.0 *)
(* compat.414.ml - what OCaml 4.14 names otherwise than 4.13. *)
let desc = Types.get_desc
let same = Types.eq_type

let variant d =
  match d.Types.type_kind with
  | Types.Type_variant (all, rep) -> (all, rep = Types.Variant_unboxed)
  | _ -> ([], false)

let is_abstract kind = kind = Types.Type_abstract
