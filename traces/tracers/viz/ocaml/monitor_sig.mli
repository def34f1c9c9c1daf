(* SPDX-License-Identifier: Apache-2.0 *)
(** What {!Ocamlviz} and {!Ocamlviz_threads} offer: the interface of Ocamlviz 1.01.  Periods are milliseconds; without
    one, a value is looked at with every batch.  Functions are called by the program's own threads, where it allocates or
    calls [yield]; what one of them raises ends its item and is told in the log. *)

module type Monitor = sig
  (** How often the program came by. *)
  module Point : sig
    type t

    val create : string -> t
    val kill : t -> unit
    val observe : t -> unit
    val observe_calls : string -> ('a -> 'b -> 'c) -> 'a -> 'b -> 'c
    val observe_calls2 : string -> ('a -> 'b -> 'c) -> 'a -> 'b -> 'c
    val observe_calls_rec : string -> (('a -> 'b) -> 'a -> 'b) -> 'a -> 'b
    val observe_calls_rec2 : string -> (('a -> 'b -> 'c) -> 'a -> 'b -> 'c) -> 'a -> 'b -> 'c
  end

  (** Sets of values: how many are alive, and the bytes that can be reached from them, shared ones once. *)
  module Tag : sig
    (** Values that are held weakly; the same value is in it once. *)
    module WeakHash : sig
      type t
      type data

      val create : int -> t
      val clear : t -> unit
      val merge : t -> data -> data
      val add : t -> data -> unit
      val remove : t -> data -> unit
      val find : t -> data -> data
      val find_all : t -> data -> data list
      val mem : t -> data -> bool
      val iter : (data -> unit) -> t -> unit
      val fold : (data -> 'a -> 'a) -> t -> 'a -> 'a
      val count : t -> int
      val stats : t -> int * int * int * int * int * int
    end

    type t

    val create :
      ?size:bool -> ?count:bool -> ?fct_size:(WeakHash.t -> Int64.t) -> ?period:int -> string -> t
    (** [count] is true and [size] false unless told otherwise. *)

    val kill : t -> unit
    val set_period : t -> int -> unit
    val mark : t -> 'a -> 'a
  end

  (** CPU time of the thread that is inside. *)
  module Time : sig
    type t

    exception Already_started
    exception Not_started

    val elapsed_time : unit -> float
    val create : string -> t
    val kill : t -> unit
    val start : t -> unit
    val stop : t -> unit
    val time : string -> ('a -> 'b) -> 'a -> 'b
  end

  (** [weak]: the function, or the reference, may be reclaimed; it is then shown as collected. *)
  module Value : sig
    val observe_int_fct : ?weak:bool -> ?period:int -> string -> (unit -> int) -> unit
    val observe_int : ?weak:bool -> ?period:int -> string -> int -> unit
    val observe_float_fct : ?weak:bool -> ?period:int -> string -> (unit -> float) -> unit
    val observe_float : ?weak:bool -> ?period:int -> string -> float -> unit
    val observe_bool_fct : ?weak:bool -> ?period:int -> string -> (unit -> bool) -> unit
    val observe_bool : ?weak:bool -> ?period:int -> string -> bool -> unit
    val observe_string_fct : ?weak:bool -> ?period:int -> string -> (unit -> string) -> unit
    val observe_string : ?weak:bool -> ?period:int -> string -> string -> unit
    val observe_int_ref : ?period:int -> string -> int ref -> int ref
    val observe_float_ref : ?period:int -> string -> float ref -> float ref
    val observe_bool_ref : ?period:int -> string -> bool ref -> bool ref
    val observe_string_ref : ?period:int -> string -> string ref -> string ref
  end

  module Tree : sig
    val observe : ?period:int -> string -> (unit -> Protocol.variant) -> unit
  end

  (** Figures of a [Hashtbl.t] of any type, or of a record [{ size; data }] of buckets, as it was before OCaml 4. *)
  module Hashtable : sig
    type 'a t

    val observe : ?period:int -> string -> 'a -> 'a
    (** The same table.  @raise Invalid_argument if it is none. *)
  end

  (** A time of this name: what the collector takes from now on, in collections of the young and in slices of the old.
      Once; later calls do nothing. *)
  val observe_gc : string -> unit

  val log : ('a, Format.formatter, unit, unit) format4 -> 'a

  val wait_for_connected_clients : int -> unit
  val wait_for_killed_clients : unit -> unit
end
