-------------------------------- MODULE Lock --------------------------------
(***************************************************************************)
(* The exclusive lock on one server: a queue, first in, first out; a       *)
(* release hands the lock to the next waiter, by a claim that its client   *)
(* confirms.  Scripts: acquire, release, confirm, renew, refresh, settle,  *)
(* queue, enqueue, leave_tombstone.                                        *)
(*                                                                         *)
(* Each client makes one request, so a client and its owner are the same.  *)
(* Whatever is under way may take any time, overtake, or stay away for     *)
(* ever.  A rule is switched off by its name in the constant Off.          *)
(***************************************************************************)
EXTENDS Naturals, Sequences, FiniteSets, TLC

CONSTANTS
  Clients,
  Term, Claim,      \* of a hold, and of a claim that is not confirmed, in ticks
  Margin,           \* by how much a client counts its deadline short
  Gain,             \* how much the server's clock gains on the clients' clocks in the whole run
  MaxTime,          \* the run ends here
  Copies,           \* how often a client sends its acquire at most
  Renewals,         \* how often it renews a confirmed hold
  Acts,             \* what may happen: "refresh", "cancel", "freeze", "kill"
  Losses,           \* how many are lost for certain; without this, losing is to stay away for ever
  Prompt,           \* TRUE: time passes only while nothing is under way (for Progress)
  Off               \* rules that are switched off

Rules == {"tombstone", "rearm", "tokencompare", "ownercheck", "suspect", \* of the scripts
          "takeBack", "confirmFirst", "countedFromTheSend",              \* of the client
          "endedBeforeTheRequestLeaves"}
ASSUME Off \subseteq Rules
On(rule) == rule \notin Off

VARIABLES
  now,              \* the clients' monotonic clocks, which run alike
  ahead,            \* by how much the server's clock has gained on them
  srv,              \* the server: [hold, claim, queue, suspect, last, tombs]
  net,              \* what is under way, in both directions
  cl,               \* cl[c], a client: [phase, deadline, token, sent, proved, handed, pair, confirms, asked]
  still,            \* clients that have stopped for ever
  dead,             \* those of them that are dead, so that the server counts no subscriber
  lost,             \* how many were lost
  shown             \* the greatest token of a lease that began (for Promise)

vars == <<now, ahead, srv, net, cl, still, dead, lost, shown>>

None == "none"
NoHold == [owner |-> None, token |-> 0, end |-> 0]
Max(a, b) == IF a > b THEN a ELSE b
Range(s) == {s[i] : i \in 1 .. Len(s)}
Without(s, c) == SelectSeq(s, LAMBDA d : d # c)

Clock == now + ahead                      \* the server's

\* `at` is when the request left, by the client's clock; `read` is a reading of the server's clock.
Message(kind, c, token, at, read, flag) ==
  [kind |-> kind, c |-> c, token |-> token, at |-> at, read |-> read, flag |-> flag]

Acquire(c)        == Message("acquire", c, 0, now, 0, FALSE)
Release(c, grave) == Message("release", c, 0, 0, 0, grave)
Confirm(c, token) == Message("confirm", c, token, now, 0, FALSE)
Refresh(c, heard) == Message("refresh", c, 0, now, 0, heard)

\* What a client does not listen to any more is not kept under way.
Listens(m) == /\ m.c \notin still
              /\ \/ cl[m.c].phase \in {"waits", "holds"}
                 \/ cl[m.c].phase = "ends" /\ m.kind = "released"

ToServer(m) == m.kind \in {"acquire", "release", "confirm", "refresh"}

-----------------------------------------------------------------------------
(* The server.  Each script is one step: S is what it found, and it answers *)
(* with what it leaves and what it sends.                                   *)

\* A waiter whose client can be told; `asker` is the client that runs the script, which its reply tells.
CanBeTold(S, c, asker) == c = asker \/ (c \notin S.suspect /\ c \notin dead)

Grant(S, c, ticks) ==                                                    \* hold.lua
  [S EXCEPT !.hold = [owner |-> c, token |-> S.last + 1, end |-> Clock + ticks], !.last = @ + 1]

Dequeue(S, c) == [S EXCEPT !.queue = Without(@, c), !.suspect = @ \ {c},   \* queue.lua
                           !.claim = IF @ = c THEN None ELSE @]

\* If nobody holds, a lapsed claim makes its client suspect, and the first waiter that can be told gets the lock.
Settle(S, asker) ==                                                      \* settle.lua
  IF S.hold # NoHold THEN S
  ELSE LET lapsed == {S.claim} \cap Range(S.queue)
           T == [S EXCEPT !.claim = None,
                          !.suspect = IF On("suspect") THEN @ \cup lapsed ELSE @]
           told == SelectSeq(T.queue, LAMBDA c : CanBeTold(T, c, asker))
       IN IF told = <<>> THEN T
          ELSE [Grant(T, Head(told), Claim) EXCEPT !.claim = Head(told)]

\* The message of a handoff, unless the reply tells it.
Handoff(S, T, asker) ==
  IF T.claim # None /\ T.last # S.last /\ T.claim # asker
  THEN {Message("handoff", T.claim, T.hold.token, 0, Clock, FALSE)} ELSE {}

Answers(m, T, out) == /\ srv' = T
                      /\ net' = (net \ {m}) \cup {r \in out : Listens(r)}

Granted(c, T, at) == Message("granted", c, T.hold.token, at, 0, FALSE)

\* A repeat of an acquire that was granted moves the end to a full term from now.
Rearm(S, c, ticks) == IF On("rearm") THEN [S EXCEPT !.hold.end = Max(@, Clock + ticks)] ELSE S

RunAcquire(m) ==                                                         \* acquire.lua
  LET c == m.c
      S == IF srv.hold.owner = c THEN Dequeue(Rearm(srv, c, Term), c) ELSE srv
      T == Settle(S, c)
      own == [T EXCEPT !.hold.end = Max(@, Clock + Term)]
      free == Grant(T, c, Term)
  IN IF On("tombstone") /\ c \in srv.tombs
     THEN Answers(m, srv, {})
     ELSE IF srv.hold.owner = c THEN Answers(m, S, {Granted(c, S, m.at)})
     ELSE IF T.hold.owner = c THEN Answers(m, Dequeue(own, c), {Granted(c, own, m.at)})
     ELSE IF T.hold = NoHold THEN Answers(m, Dequeue(free, c), {Granted(c, free, m.at)})
     ELSE Answers(m, [T EXCEPT !.queue = IF c \in Range(@) THEN @ ELSE Append(@, c)],
                 Handoff(S, T, c) \cup {Message("queued", c, 0, m.at, Clock, FALSE)})

RunRelease(m) ==                                                         \* release.lua
  LET c == m.c
      own == srv.hold.owner = c \/ ~On("ownercheck")
      S == [Dequeue(srv, c) EXCEPT !.hold = IF own THEN NoHold ELSE @,
                                   !.tombs = IF m.flag THEN @ \cup {c} ELSE @]
      T == Settle(S, c)
  IN Answers(m, T, Handoff(S, T, c) \cup {Message("released", c, 0, 0, 0, FALSE)})

RunConfirm(m) ==                                                 \* confirm.lua, renew.lua
  LET c == m.c
      held == srv.hold.owner = c /\ (srv.hold.token = m.token \/ ~On("tokencompare"))
  IN IF held
     THEN Answers(m, Dequeue([srv EXCEPT !.hold.end = Max(@, Clock + Term)], c),
                 {Message("confirmed", c, m.token, m.at, 0, FALSE)})
     ELSE Answers(m, srv, {Message("gone", c, m.token, m.at, 0, FALSE)})

\* The flag: the client heard the probe that a suspect is sent.
RunRefresh(m) ==                                                 \* refresh.lua, heartbeat.lua
  LET c == m.c
      S == [srv EXCEPT !.suspect = IF m.flag THEN @ \ {c} ELSE @]
      T == Settle(S, c)
      mine == T.claim = c /\ T.hold.owner = c
      U == IF mine THEN [T EXCEPT !.hold.end = Max(@, Clock + Claim)] ELSE T
      reply == IF mine THEN Message("told", c, T.hold.token, m.at, 0, FALSE)
               ELSE IF c \in Range(T.queue) THEN Message("queued", c, 0, m.at, Clock, TRUE)
               ELSE Message("unknown", c, 0, m.at, Clock, FALSE)
  IN Answers(m, U, Handoff(S, T, c) \cup {reply})

Server == /\ \E m \in net : /\ ToServer(m)
                            /\ CASE m.kind = "acquire" -> RunAcquire(m)
                                 [] m.kind = "release" -> RunRelease(m)
                                 [] m.kind = "confirm" -> RunConfirm(m)
                                 [] m.kind = "refresh" -> RunRefresh(m)
          /\ UNCHANGED <<now, ahead, cl, still, dead, lost, shown>>

-----------------------------------------------------------------------------
(* The clients.                                                            *)

Idle == [phase |-> "idle", deadline |-> 0, token |-> 0, sent |-> 0, proved |-> 0, handed |-> FALSE, pair |-> <<>>,
         confirms |-> 0, asked |-> 0]

\* Each reply to an acquire proves that one copy was run. So does a handoff: nothing else can have queued the owner. It may prove
\* the same copy as a reply, so the two are not added.
AllCopiesRan(r) == r.sent = Max(r.proved, IF r.handed THEN 1 ELSE 0)

Over == [Idle EXCEPT !.phase = "over"]

\* What ends without the server's answer is taken back, repeatedly, until the server answers.
TakesBack(c, r) ==
  IF On("takeBack")
  THEN /\ cl' = [cl EXCEPT ![c] =
                      [Idle EXCEPT !.phase = "ends", !.asked = now, !.sent = 1, !.proved = IF AllCopiesRan(r) THEN 1 ELSE 0,
                                   !.deadline = IF On("endedBeforeTheRequestLeaves") THEN 0 ELSE r.deadline,
                                   !.token = IF On("endedBeforeTheRequestLeaves") THEN 0 ELSE r.token]]
       /\ net' = {o \in net : ToServer(o) \/ o.c # c} \cup {Release(c, ~AllCopiesRan(r))}
  ELSE cl' = [cl EXCEPT ![c] = Over] /\ net' = {o \in net : ToServer(o) \/ o.c # c}

\* A lease begins; `confirms` is how often it was confirmed.
Begins(c, r, m, deadline, confirms) ==
  /\ cl' = [cl EXCEPT ![c] = [r EXCEPT !.phase = "holds", !.deadline = deadline, !.token = m.token,
                                       !.confirms = confirms, !.pair = <<>>, !.asked = 0]]
  /\ net' = net \ {m}
  /\ shown' = Max(shown, m.token)

Raises(c, r, m, deadline) ==
  /\ cl' = [cl EXCEPT ![c] = [r EXCEPT !.deadline = Max(@, deadline)]]
  /\ net' = net \ {m}
  /\ UNCHANGED shown

AsksAgain(c, r, m) ==
  /\ UNCHANGED shown
  /\ IF r.sent < Copies
     THEN /\ cl' = [cl EXCEPT ![c] = [r EXCEPT !.sent = @ + 1]]
          /\ net' = (net \ {m}) \cup {Acquire(c)}
     ELSE cl' = [cl EXCEPT ![c] = r] /\ net' = net \ {m}

Takes(c, r, m) == cl' = [cl EXCEPT ![c] = r] /\ net' = net \ {m} /\ UNCHANGED shown

\* A newer grant of the same owner, or the answer that there is none, ends the lease.
Loses(c, r) == TakesBack(c, r) /\ UNCHANGED shown

\* A grant that a reply tells counts from when the request left.
HearsOfGrant(c, r, m, ticks, confirms) ==
  LET deadline == (IF On("countedFromTheSend") THEN m.at ELSE now) + ticks IN
  IF r.phase = "waits"
  THEN IF deadline > now + Margin THEN Begins(c, r, m, deadline - Margin, confirms) ELSE AsksAgain(c, r, m)
  ELSE IF r.phase = "holds" /\ now < r.deadline /\ m.token = r.token
  THEN Raises(c, r, m, IF deadline > Margin THEN deadline - Margin ELSE 0)
  ELSE IF r.phase = "holds" /\ m.token > r.token THEN Loses(c, r) ELSE Takes(c, r, m)

\* A grant that a message tells counts from the earliest moment at which it can have been made, if that is known.
HearsOfHandoff(c, r, m) ==
  LET from == IF r.pair = <<>> THEN 0 ELSE r.pair[1] + m.read - r.pair[2]
      known == r.pair # <<>> /\ from <= now /\ from + Claim > now + Margin
  IN IF r.phase = "waits"
     THEN IF ~On("confirmFirst") THEN Begins(c, r, m, now + Claim - Margin, 0)
          ELSE IF known THEN Begins(c, r, m, from + Claim - Margin, 0)
          ELSE AsksAgain(c, r, m)
     ELSE IF r.phase = "holds" /\ m.token > r.token THEN Loses(c, r) ELSE Takes(c, r, m)

Hears(m) ==
  LET c == m.c
      r == IF m.kind = "granted" \/ (m.kind = "queued" /\ ~m.flag)
           THEN [cl[c] EXCEPT !.proved = IF cl[c].phase \in {"waits", "holds", "ends"} /\ @ < cl[c].sent THEN @ + 1 ELSE @]
           ELSE IF m.kind = "handoff" /\ cl[c].phase # "over" THEN [cl[c] EXCEPT !.handed = TRUE]
           ELSE cl[c]
  IN CASE m.kind = "granted" -> HearsOfGrant(c, r, m, Term, 1)
       [] m.kind = "told" -> HearsOfGrant(c, r, m, Claim, 0)
       [] m.kind = "handoff" -> HearsOfHandoff(c, r, m)
       [] m.kind = "queued" -> Takes(c, IF r.phase = "waits" THEN [r EXCEPT !.pair = <<m.at, m.read>>] ELSE r, m)
       [] m.kind = "unknown" -> IF r.phase = "waits" THEN AsksAgain(c, r, m) ELSE Takes(c, r, m)
       [] m.kind = "confirmed" ->
            IF r.phase = "holds" /\ now < r.deadline /\ m.token = r.token
            THEN Raises(c, r, m, IF m.at + Term > Margin THEN m.at + Term - Margin ELSE 0) ELSE Takes(c, r, m)
       [] m.kind = "gone" -> IF r.phase = "holds" /\ m.token = r.token THEN Loses(c, r) ELSE Takes(c, r, m)
       [] m.kind = "released" -> Takes(c, IF r.phase = "ends" THEN Over ELSE r, m)

Client == \E m \in net : /\ ~ToServer(m)
                         /\ Hears(m)
                         /\ UNCHANGED <<now, ahead, srv, still, dead, lost>>

Sends(c, r, m) == /\ cl' = [cl EXCEPT ![c] = r]
                  /\ net' = net \cup {m}

UnderWay(kind, c) == \E m \in net : m.kind = kind /\ m.c = c

Asks(c) == cl[c].phase = "idle" /\ Sends(c, [cl[c] EXCEPT !.phase = "waits", !.sent = 1, !.asked = now], Acquire(c))

AsksOnce(c) == /\ cl[c].phase = "waits" /\ cl[c].sent < Copies /\ cl[c].asked < now /\ ~Prompt
               /\ Sends(c, [cl[c] EXCEPT !.sent = @ + 1, !.asked = now], Acquire(c))

Refreshes(c) == /\ "refresh" \in Acts
                /\ cl[c].phase = "waits" /\ cl[c].asked < now /\ ~UnderWay("refresh", c)
                /\ \E heard \in {FALSE, (c \in srv.suspect)} :
                     Sends(c, [cl[c] EXCEPT !.asked = now], Refresh(c, heard))

Confirms(c) == /\ cl[c].phase = "holds" /\ now < cl[c].deadline /\ cl[c].confirms < 1 + Renewals
               /\ Sends(c, [cl[c] EXCEPT !.confirms = @ + 1], Confirm(c, cl[c].token))

Releases(c) == cl[c].phase = "holds" /\ now < cl[c].deadline /\ TakesBack(c, cl[c])

SeesItLost(c) == cl[c].phase = "holds" /\ now >= cl[c].deadline /\ TakesBack(c, cl[c])

Cancels(c) == "cancel" \in Acts /\ cl[c].phase = "waits" /\ TakesBack(c, cl[c])

ReleasesAgain(c) == /\ cl[c].phase = "ends" /\ cl[c].asked < now
                    /\ Sends(c, [cl[c] EXCEPT !.asked = now], Release(c, ~AllCopiesRan(cl[c])))

Act(c) == /\ c \notin still
          /\ \/ Asks(c) \/ AsksOnce(c) \/ Refreshes(c) \/ Confirms(c)
             \/ Releases(c) \/ SeesItLost(c) \/ Cancels(c) \/ ReleasesAgain(c)
          /\ UNCHANGED <<now, ahead, srv, still, dead, lost, shown>>

-----------------------------------------------------------------------------
(* The world.                                                              *)

\* The key of a hold expires by the server's clock.
Expire(time) == srv' = IF srv.hold # NoHold /\ srv.hold.end <= time THEN [srv EXCEPT !.hold = NoHold] ELSE srv

Due(c) == /\ c \notin still
          /\ \/ cl[c].phase = "idle"
             \/ cl[c].phase \in {"waits", "ends"} /\ cl[c].asked < now
             \/ cl[c].phase = "holds" /\ (now >= cl[c].deadline \/ cl[c].confirms = 0)

Tick == /\ now < MaxTime
        /\ Prompt => net = {} /\ \A c \in Clients : ~Due(c)
        /\ now' = now + 1
        /\ Expire(Clock + 1)
        /\ UNCHANGED <<ahead, net, cl, still, dead, lost, shown>>

ServerGains == /\ ahead < Gain
               /\ ahead' = ahead + 1
               /\ Expire(Clock + 1)
               /\ UNCHANGED <<now, net, cl, still, dead, lost, shown>>

Stops(c) == /\ still = {} /\ cl[c].phase \in {"waits", "holds"}
            /\ still' = {c}
            /\ \/ "freeze" \in Acts /\ dead' = dead
               \/ "kill" \in Acts /\ dead' = {c}
            /\ net' = {m \in net : ToServer(m) \/ m.c # c}
            /\ UNCHANGED <<now, ahead, srv, cl, lost, shown>>

IsLost(m) == /\ lost < Losses
             /\ lost' = lost + 1
             /\ net' = net \ {m}
             /\ UNCHANGED <<now, ahead, srv, cl, still, dead, shown>>

World == Tick \/ ServerGains \/ (\E c \in Clients : Stops(c)) \/ (\E m \in net : IsLost(m))

Init == /\ now = 0 /\ ahead = 0 /\ lost = 0 /\ shown = 0
        /\ srv = [hold |-> NoHold, claim |-> None, queue |-> <<>>, suspect |-> {}, last |-> 0, tombs |-> {}]
        /\ net = {} /\ still = {} /\ dead = {}
        /\ cl = [c \in Clients |-> Idle]

Next == Server \/ Client \/ (\E c \in Clients : Act(c)) \/ World

\* In Progress each living client acts in time, what is under way arrives, and holders go on to release.
Fair == /\ WF_vars(Server) /\ WF_vars(Client) /\ WF_vars(Tick)
        /\ \A c \in Clients : WF_vars(Act(c))
Spec == Init /\ [][Next]_vars /\ Fair

-----------------------------------------------------------------------------
(* What is asked.                                                          *)

IsValid(c) == /\ now < cl[c].deadline
              /\ cl[c].phase \in IF On("endedBeforeTheRequestLeaves") THEN {"holds"} ELSE {"holds", "ends"}

Leases == {[client |-> c, mode |-> "W", weight |-> 1, token |-> cl[c].token] : c \in {d \in Clients : IsValid(d)}}

Promised == INSTANCE Promise WITH leases <- Leases, wrote <- shown, Permits <- 0
Keeps == Promised!Spec                                \* exclusion and rising tokens, as users see them

Exclusion == Cardinality(Leases) <= 1

\* A valid lease has its hold on the server: this is why there is exclusion.
Backed == \A c \in Clients : cl[c].phase = "holds" /\ now < cl[c].deadline =>
            srv.hold.owner = c /\ srv.hold.token = cl[c].token

\* No hold and no waiter belongs to a request that is over and of which nothing is under way.
NoOrphan == \A c \in Clients \ still : cl[c].phase = "over" /\ ~UnderWay("release", c) =>
              srv.hold.owner # c /\ c \notin Range(srv.queue)

\* Nobody is granted the lock before a waiter that stands in front and can be told.
OrderKept == [][\A c \in Clients : srv'.last > srv.last /\ srv'.hold.owner = c =>
                  \A i \in 1 .. Len(srv.queue) :
                    srv.queue[i] # c /\ srv.queue[i] \notin srv'.suspect \cup dead
                    /\ srv.queue[i] \in Range(srv'.queue) =>
                      \E j \in 1 .. i : srv.queue[j] = c]_vars

Symmetry == Permutations(Clients)

Safe == Exclusion /\ Backed /\ NoOrphan

\* Each living client that waits gets the lock, before the run ends.
Progress == \A c \in Clients : cl[c].phase = "waits" ~> (cl[c].phase # "waits" \/ c \in still)
=============================================================================
