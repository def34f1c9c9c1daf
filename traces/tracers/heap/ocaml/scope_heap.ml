(* SPDX-License-Identifier: Apache-2.0 *)
external dump : string -> bool = "scope_heap_dump_of"
