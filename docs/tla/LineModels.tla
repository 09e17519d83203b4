----------------------------- MODULE LineModels -----------------------------
(* The requests that the configurations of Line make.                      *)
EXTENDS Line
W == [mode |-> "W", weight |-> 1]
R == [mode |-> "R", weight |-> 1]
P(n) == [mode |-> "P", weight |-> n]
WRR == "a" :> W @@ "b" :> R @@ "c" :> R
RWR == "a" :> R @@ "b" :> W @@ "c" :> R
RRW == "a" :> R @@ "b" :> R @@ "c" :> W
WR == "a" :> W @@ "b" :> R
P121 == "a" :> P(1) @@ "b" :> P(2) @@ "c" :> P(1)
P112 == "a" :> P(1) @@ "b" :> P(1) @@ "c" :> P(2)
P1121 == "a" :> P(1) @@ "b" :> P(1) @@ "c" :> P(2) @@ "d" :> P(1)
FirstA == <<"a">>
FirstAB == <<"a", "b">>
ThenBC == <<"b", "c">>
ThenCD == <<"c", "d">>
ThenB == <<"b">>
ThenC == <<"c">>
Nobody == <<>>
=============================================================================
