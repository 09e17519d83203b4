------------------------------ MODULE Promise ------------------------------
(***************************************************************************)
(* What Holdfast promises to the users of one lock, of any kind, and       *)
(* nothing of how: no server, no messages, no clocks.  Lock, Line and      *)
(* Turns each implement this specification, which TLC checks as the        *)
(* property Keeps.                                                         *)
(*                                                                         *)
(* A lease is [client, mode, weight, token].  Its mode is "W" (alone: an   *)
(* exclusive lock, or a writer), "R" (a reader), or "P" (permits).         *)
(***************************************************************************)
EXTENDS Naturals, FiniteSets

CONSTANT Permits        \* how many permits may be out

VARIABLES
  leases,               \* the leases that are valid now, by their clients' own clocks
  shown,                \* the greatest token that a store can have seen
  wrote                 \* the greatest token of a writer

RECURSIVE Weights(_)
Weights(S) == IF S = {} THEN 0
              ELSE LET l == CHOOSE l \in S : TRUE IN l.weight + Weights(S \ {l})

Of(S, mode) == {l \in S : l.mode = mode}

\* Exclusion: which leases may be valid at the same time.
Compatible(S) == /\ Of(S, "W") # {} => Cardinality(S) = 1
                 /\ Weights(Of(S, "P")) <= Permits

\* Fencing: a store keeps one number, refuses lower tokens, and keeps an earlier writer out.
\* Tokens of permits tell grants apart, and fence nothing.
Fences(l) == CASE l.mode = "W" -> l.token > shown
               [] l.mode = "R" -> l.token > wrote /\ l.token >= shown /\ \A m \in leases : m.token >= l.token
               [] OTHER -> TRUE

Init == leases = {} /\ shown = 0 /\ wrote = 0

Begin(l) == /\ l \notin leases
            /\ leases' = leases \cup {l}
            /\ Compatible(leases')
            /\ Fences(l)
            /\ shown' = IF l.mode # "P" /\ l.token > shown THEN l.token ELSE shown
            /\ wrote' = IF l.mode = "W" /\ l.token > wrote THEN l.token ELSE wrote

\* A lease that has ended never becomes valid again: it would have to begin, and its token is too low.
End == /\ leases' \subseteq leases
       /\ UNCHANGED <<shown, wrote>>

Abides == [][End \/ (\E l \in leases' : Begin(l))]_<<leases, shown, wrote>>
Spec == Init /\ Abides
=============================================================================
