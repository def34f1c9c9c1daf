(* SPDX-License-Identifier: Apache-2.0 *)
(* compat.53.ml - what OCaml 5.3 names otherwise than 4.13. *)
let desc = Types.get_desc
let same = Types.eq_type

let variant d =
  match d.Types.type_kind with
  | Types.Type_variant (all, rep) -> (all, rep = Types.Variant_unboxed)
  | _ -> ([], false)

let is_abstract = function Types.Type_abstract _ -> true | _ -> false
