---------------------------- MODULE TurnsModels -----------------------------
(* How many requests come at each client, in the configurations of Turns.  *)
EXTENDS Turns
OneOne == "a" :> 1 @@ "b" :> 1
TwoOne == "a" :> 2 @@ "b" :> 1
SixOne == "a" :> 6 @@ "b" :> 1
FiveOne == "a" :> 5 @@ "b" :> 1
FourOneOne == "a" :> 4 @@ "b" :> 1 @@ "c" :> 1
ThreeOne == "a" :> 3 @@ "b" :> 1
=============================================================================
