-------------------------------- MODULE Line --------------------------------
(***************************************************************************)
(* A shared line: a read/write lock, or a semaphore.  Several holds and    *)
(* one queue, served from the front, several at a time.  Scripts: line,    *)
(* line_acquire, line_release, line_confirm, line_renew, line_refresh,     *)
(* line_downgrade, queue, return_parked, enqueue, leave_tombstone.         *)
(*                                                                         *)
(* Clients, messages and clocks are as in Lock; the rules of the client    *)
(* are switched off there, and those of the line here.                     *)
(***************************************************************************)
EXTENDS Naturals, Sequences, FiniteSets, TLC

CONSTANTS
  Clients,
  Wants,            \* Wants[c]: what client c asks for, [mode, weight]
  Permits,          \* how many a semaphore has
  First,            \* clients that hold the line at the start
  Then,             \* clients that wait at the start, in their order
  Aside,            \* those of Then whose claim has lapsed before: aside, and suspect
  Term, Claim, MaxTime, Copies, Losses, Prompt,
  Acts,             \* what may happen: "refresh", "cancel", "downgrade", "freeze", "kill"
  Off

Rules == {"tombstone", "rearm", "tellrearm", "purge", "weightback", "lapseback", "claimskeepdetails",
          "suspect", "batch", "strict", "newcomer", "cancelserves", "pastdead", "suspectpasses",
          "phase", "closephase", "dgtoken", "dgserves", "dgrearm"}
ASSUME Off \subseteq Rules
On(rule) == rule \notin Off

VARIABLES
  now,              \* the clocks of all
  srv,              \* the server, see Start
  net, cl, still, dead, lost, shown, wrote      \* as in Lock, and Promise

vars == <<now, srv, net, cl, still, dead, lost, shown, wrote>>

Max(a, b) == IF a > b THEN a ELSE b
SeqOf(s) == {s[i] : i \in 1 .. Len(s)}

Message(kind, c, token, at, read, flag) ==
  [kind |-> kind, c |-> c, token |-> token, at |-> at, read |-> read, flag |-> flag]

Acquire(c)          == Message("acquire", c, 0, now, 0, FALSE)
Release(c, grave)   == Message("release", c, 0, 0, 0, grave)
Confirm(c, token)   == Message("confirm", c, token, now, 0, FALSE)
Refresh(c, heard)   == Message("refresh", c, 0, now, 0, heard)
Downgrade(c, token) == Message("downgrade", c, token, now, 0, FALSE)

ToServer(m) == m.kind \in {"acquire", "release", "confirm", "refresh", "downgrade"}
Listens(m) == /\ m.c \notin still
              /\ \/ cl[m.c].phase \in {"waits", "holds", "downs"}
                 \/ cl[m.c].phase = "ends" /\ m.kind = "released"

-----------------------------------------------------------------------------
(* The server: [holds, used, phase, queue, aside, order, known, suspect,   *)
(* told, last, seq, tombs].  A hold is [owner, token, mode, weight, end,   *)
(* claim].  `used` counts the weights of all but a writer; `phase` is the  *)
(* token of the phase of reading, 0 for none; `aside` are waiters that are *)
(* parked; `known` are those whose details are kept; `told` are clients    *)
(* that were handed the line by message and not heard of since.            *)

HoldOf(S, c) == CHOOSE h \in S.holds : h.owner = c
Holds(S, c) == \E h \in S.holds : h.owner = c
Lives(h) == h.end > now
Claims(S) == {h.owner : h \in {g \in S.holds : g.claim}}

RECURSIVE Sum(_)
Sum(H) == IF H = {} THEN 0 ELSE LET h == CHOOSE h \in H : TRUE IN h.weight + Sum(H \ {h})

\* What is granted beside what is held: the one place that decides it.
Admits(H, used, c) ==
  /\ \A h \in H : h.mode # "W"
  /\ CASE Wants[c].mode = "W" -> H = {}
       [] Wants[c].mode = "R" -> TRUE
       [] Wants[c].mode = "P" -> used + Wants[c].weight <= Permits

CanBeTold(S, c, asker) == c = asker \/ (c \notin S.suspect /\ c \notin dead)

\* What is known of a waiter is forgotten; with the last of them all that is known, but for claims.
Forget(S, c) ==                                                          \* queue.lua
  LET rest == S.known \ {c}
      keep == Claims(S) # {} /\ On("claimskeepdetails")
  IN [S EXCEPT !.order[c] = 0, !.suspect = @ \ {c},
               !.known = IF S.queue \cup S.aside = {} /\ ~keep THEN {} ELSE rest]

Dequeue(S, c) == IF c \in S.known THEN Forget([S EXCEPT !.queue = @ \ {c}, !.aside = @ \ {c}], c)
                 ELSE [S EXCEPT !.queue = @ \ {c}, !.aside = @ \ {c}]

\* A claim is one no more: its owner has heard of it.
TakeUp(S, c) == IF c \in Claims(S)
                THEN Forget([S EXCEPT !.holds = {IF h.owner = c THEN [h EXCEPT !.claim = FALSE] ELSE h : h \in @}], c)
                ELSE S

Leave(S, gone) ==                                                        \* line.lua, leave
  LET rest == S.holds \ gone
      back == IF On("weightback") THEN Sum({h \in gone : h.mode # "W"}) ELSE 0
  IN IF rest = {} THEN [S EXCEPT !.holds = {}, !.used = 0, !.phase = IF On("closephase") THEN 0 ELSE @]
     ELSE [S EXCEPT !.holds = rest, !.used = @ - back]

\* What is over ends. A claim that has lapsed puts its waiter back where it was, aside: its client is suspect.
Purge(S) ==
  LET gone == IF On("purge") THEN {h \in S.holds : ~Lives(h)} ELSE {}
      lapsed == {h.owner : h \in {g \in gone : g.claim}} \cap S.known
      T == IF gone = {} THEN S ELSE Leave(S, gone)
      back == IF On("lapseback") THEN lapsed ELSE {}
  IN IF On("suspect") THEN [T EXCEPT !.aside = @ \cup back, !.suspect = @ \cup lapsed]
     ELSE [T EXCEPT !.queue = @ \cup back]

Give(S, c, end, claim) ==                                                \* line.lua, give
  LET number == S.last + 1
      reads == Wants[c].mode = "R"
      token == IF reads /\ On("phase") /\ S.phase # 0 THEN S.phase ELSE number
      h == [owner |-> c, token |-> token, mode |-> Wants[c].mode, weight |-> Wants[c].weight,
            end |-> end, claim |-> claim]
  IN [S EXCEPT !.holds = @ \cup {h}, !.last = number,
               !.used = IF h.mode = "W" THEN @ ELSE @ + h.weight,
               !.phase = IF reads /\ On("phase") THEN token ELSE @]

\* The waiters in their order, of which `left` are to be looked at: the first that fits, and the next, until one does not.
RECURSIVE Serve(_, _, _)
Serve(S, left, asker) ==
  IF left = {} THEN S
  ELSE LET c == CHOOSE c \in left : \A d \in left : S.order[c] <= S.order[d]
           rest == left \ {c}
           parked == c \in S.aside
           out == [S EXCEPT !.queue = @ \ {c}, !.aside = @ \ {c}]
           given == IF c = asker THEN Give(Forget(out, c), c, now + Term, FALSE)
                    ELSE [Give(out, c, now + Claim, TRUE) EXCEPT !.told = @ \cup {c}]
       IN IF ~CanBeTold(S, c, asker)
          THEN LET T == [S EXCEPT !.queue = @ \ {c}, !.aside = @ \cup {c}]
               IN IF On("pastdead") THEN Serve(T, rest, asker) ELSE T
          ELSE IF Admits(S.holds, S.used, c) THEN (IF On("batch") THEN Serve(given, rest, asker) ELSE given)
          ELSE IF (parked /\ On("suspectpasses")) \/ (~parked /\ ~On("strict"))
          THEN Serve(S, rest, asker)
          ELSE S

\* A waiter of the client that asks may be parked, and is found where its order puts it.
Settle(S, asker) == LET T == Purge(S) IN Serve(T, T.queue \cup (T.aside \cap {asker}), asker)

NoAsker == "nobody"

Handoffs(S, T) == {Message("handoff", h.owner, h.token, 0, now, FALSE) :
                     h \in {g \in T.holds : g.claim /\ ~\E f \in S.holds : f.owner = g.owner /\ f.token = g.token /\ f.end = g.end}}

Answers(m, T, out) == /\ srv' = [T EXCEPT !.told = IF m.c \in srv.told THEN @ \ {m.c} ELSE @]
                      /\ net' = (net \ {m}) \cup {r \in out : Listens(r)}

Granted(kind, c, T, at) == Message(kind, c, HoldOf(T, c).token, at, 0, FALSE)

\* The hold lasts for a full term from now, if `rule` says so.
Extend(S, c, rule) == IF On(rule)
                      THEN [S EXCEPT !.holds = {IF h.owner = c THEN [h EXCEPT !.end = Max(@, now + Term)] ELSE h : h \in @}]
                      ELSE S

RunAcquire(m) ==                                                         \* line_acquire.lua
  LET c == m.c
      S == IF c \in srv.aside \ srv.suspect THEN [srv EXCEPT !.aside = @ \ {c}, !.queue = @ \cup {c}] ELSE srv
      waits == c \in S.known              \* also one whose claim has lapsed: settling puts it back
      T == Settle(S, IF waits THEN c ELSE NoAsker)
      own == Extend(TakeUp(T, c), c, "rearm")
      new == Give(T, c, now + Term, FALSE)
      enters == IF waits THEN T
                ELSE [T EXCEPT !.queue = @ \cup {c}, !.known = @ \cup {c}, !.seq = @ + 1, !.order[c] = T.seq + 1]
  IN IF On("tombstone") /\ c \in srv.tombs THEN Answers(m, srv, {})
     ELSE IF Holds(T, c) THEN Answers(m, own, Handoffs(srv, own) \cup {Granted("granted", c, own, m.at)})
     ELSE IF ~waits /\ Admits(T.holds, T.used, c) /\ (T.queue = {} \/ ~On("newcomer"))
     THEN Answers(m, new, Handoffs(srv, new) \cup {Granted("granted", c, new, m.at)})
     ELSE Answers(m, enters, Handoffs(srv, T) \cup {Message("queued", c, 0, m.at, now, FALSE)})

RunRelease(m) ==                                                         \* line_release.lua
  LET c == m.c
      own == Holds(srv, c)
      S == IF own THEN LET h == HoldOf(srv, c) IN (IF h.claim THEN Forget(Leave(srv, {h}), c) ELSE Leave(srv, {h}))
           ELSE Dequeue(srv, c)
      T == [S EXCEPT !.tombs = IF m.flag THEN @ \cup {c} ELSE @]
      U == IF own \/ On("cancelserves") THEN Settle(T, NoAsker) ELSE T
  IN Answers(m, U, Handoffs(srv, U) \cup {Message("released", c, 0, 0, 0, FALSE)})

RunConfirm(m) ==                                                         \* line_confirm.lua, line_renew.lua
  LET c == m.c
      held == Holds(srv, c) /\ HoldOf(srv, c).token = m.token /\ Lives(HoldOf(srv, c))
      T == [TakeUp(srv, c) EXCEPT !.holds = {IF h.owner = c THEN [h EXCEPT !.end = Max(@, now + Term)] ELSE h : h \in @}]
  IN IF held THEN Answers(m, T, {Message("confirmed", c, m.token, m.at, 0, FALSE)})
     ELSE Answers(m, srv, {Message("gone", c, m.token, m.at, 0, FALSE)})

RunRefresh(m) ==                                                         \* line_refresh.lua
  LET c == m.c
      held == Holds(srv, c) /\ Lives(HoldOf(srv, c))
      S == IF held THEN Extend(TakeUp(srv, c), c, "tellrearm")
           ELSE IF m.flag THEN [srv EXCEPT !.suspect = @ \ {c}, !.aside = @ \ {c},
                                         !.queue = IF c \in srv.aside THEN @ \cup {c} ELSE @]
           ELSE srv
      T == Settle(S, IF held THEN NoAsker ELSE c)
      reply == IF Holds(T, c) THEN Granted("granted", c, T, m.at)
               ELSE IF c \in T.queue \cup T.aside THEN Message("queued", c, 0, m.at, now, TRUE)
               ELSE Message("unknown", c, 0, m.at, 0, FALSE)
  IN Answers(m, T, Handoffs(srv, T) \cup {[reply EXCEPT !.flag = TRUE]})

RunDowngrade(m) ==                                                       \* line_downgrade.lua
  LET c == m.c
      held == Holds(srv, c) /\ Lives(HoldOf(srv, c))
      old == HoldOf(srv, c)
      number == srv.last + 1
      token == IF On("dgtoken") THEN number ELSE old.token
      hold == [old EXCEPT !.mode = "D", !.weight = 1, !.token = token, !.end = Max(@, now + Term)]
      S == [TakeUp(srv, c) EXCEPT !.holds = (@ \ {old, [old EXCEPT !.claim = FALSE]}) \cup {[hold EXCEPT !.claim = FALSE]},
                                  !.used = 1, !.last = number, !.phase = token]
      T == IF On("dgserves") THEN Settle(S, NoAsker) ELSE S
      U == Extend(srv, c, "dgrearm")
  IN IF held /\ old.mode = "W" /\ old.token = m.token
     THEN Answers(m, T, Handoffs(srv, T) \cup {Message("downgraded", c, token, m.at, 0, FALSE)})
     ELSE IF held /\ old.mode = "D"
     THEN Answers(m, U, {Message("downgraded", c, old.token, m.at, 0, FALSE)})
     ELSE Answers(m, srv, {Message("gone", c, m.token, m.at, 0, FALSE)})

Server == /\ \E m \in net : /\ ToServer(m)
                            /\ CASE m.kind = "acquire" -> RunAcquire(m)
                                 [] m.kind = "release" -> RunRelease(m)
                                 [] m.kind = "confirm" -> RunConfirm(m)
                                 [] m.kind = "refresh" -> RunRefresh(m)
                                 [] m.kind = "downgrade" -> RunDowngrade(m)
          /\ UNCHANGED <<now, cl, still, dead, lost, shown, wrote>>

-----------------------------------------------------------------------------
(* The clients: as in Lock, and a writer may go on as a reader.            *)

Idle == [phase |-> "idle", mode |-> "-", deadline |-> 0, token |-> 0, sent |-> 0, proved |-> 0, handed |-> FALSE, pair |-> <<>>,
         confirms |-> 0, asked |-> 0]
Over == [Idle EXCEPT !.phase = "over"]
AllCopiesRan(r) == r.sent = Max(r.proved, IF r.handed THEN 1 ELSE 0)

TakesBack(c, r) ==
  /\ cl' = [cl EXCEPT ![c] = [Idle EXCEPT !.phase = "ends", !.asked = now, !.sent = 1,
                                          !.proved = IF AllCopiesRan(r) THEN 1 ELSE 0]]
  /\ net' = {o \in net : ToServer(o) \/ o.c # c} \cup {Release(c, ~AllCopiesRan(r))}

Takes(c, r, m) == cl' = [cl EXCEPT ![c] = r] /\ net' = net \ {m} /\ UNCHANGED <<shown, wrote>>
Loses(c, r) == TakesBack(c, r) /\ UNCHANGED <<shown, wrote>>
Raises(c, r, m, deadline) == Takes(c, [r EXCEPT !.deadline = Max(@, deadline)], m)

Begins(c, r, m, deadline, mode, confirms) ==
  /\ cl' = [cl EXCEPT ![c] = [r EXCEPT !.phase = "holds", !.mode = mode, !.deadline = deadline, !.token = m.token,
                                       !.confirms = confirms, !.pair = <<>>, !.asked = 0]]
  /\ net' = net \ {m}
  /\ shown' = IF mode = "P" THEN shown ELSE Max(shown, m.token)
  /\ wrote' = IF mode = "W" THEN Max(wrote, m.token) ELSE wrote

AsksAgain(c, r, m) ==
  /\ UNCHANGED <<shown, wrote>>
  /\ IF r.sent < Copies
     THEN /\ cl' = [cl EXCEPT ![c] = [r EXCEPT !.sent = @ + 1]]
          /\ net' = (net \ {m}) \cup {Acquire(c)}
     ELSE cl' = [cl EXCEPT ![c] = r] /\ net' = net \ {m}

\* What a reply tells lasts for the whole term, and counts from when the request left, whatever it was for.
HearsOfGrant(c, r, m) ==
  LET deadline == m.at + Term IN
  IF r.phase = "waits"
  THEN IF deadline > now THEN Begins(c, r, m, deadline, Wants[c].mode, 1) ELSE AsksAgain(c, r, m)
  ELSE IF r.phase = "holds" /\ now < r.deadline /\ m.token = r.token THEN Raises(c, r, m, deadline)
  ELSE IF r.phase = "holds" /\ m.token > r.token /\ r.mode = Wants[c].mode THEN Loses(c, r) ELSE Takes(c, r, m)

HearsOfHandoff(c, r, m) ==
  LET from == IF r.pair = <<>> THEN 0 ELSE r.pair[1] + m.read - r.pair[2] IN
  IF r.phase = "waits"
  THEN IF r.pair # <<>> /\ from <= now /\ from + Claim > now
       THEN Begins(c, r, m, from + Claim, Wants[c].mode, 0) ELSE AsksAgain(c, r, m)
  ELSE IF r.phase = "holds" /\ m.token > r.token /\ r.mode = Wants[c].mode THEN Loses(c, r) ELSE Takes(c, r, m)

Hears(m) ==
  LET c == m.c
      r == IF m.kind \in {"granted", "queued"} /\ ~m.flag /\ cl[c].proved < cl[c].sent THEN [cl[c] EXCEPT !.proved = @ + 1]
           ELSE IF m.kind = "handoff" THEN [cl[c] EXCEPT !.handed = TRUE]
           ELSE cl[c]
      mine == r.phase = "holds" /\ m.token = r.token
  IN CASE m.kind = "granted" -> HearsOfGrant(c, r, m)
       [] m.kind = "handoff" -> HearsOfHandoff(c, r, m)
       [] m.kind = "queued" -> Takes(c, IF r.phase = "waits" THEN [r EXCEPT !.pair = <<m.at, m.read>>] ELSE r, m)
       [] m.kind = "unknown" -> IF r.phase = "waits" THEN AsksAgain(c, r, m) ELSE Takes(c, r, m)
       [] m.kind = "confirmed" -> IF mine /\ now < r.deadline THEN Raises(c, r, m, m.at + Term) ELSE Takes(c, r, m)
       [] m.kind = "gone" -> IF mine \/ r.phase = "downs" THEN Loses(c, r) ELSE Takes(c, r, m)
       [] m.kind = "downgraded" -> IF r.phase = "downs" /\ now < r.deadline
                                   THEN Begins(c, r, m, Max(r.deadline, m.at + Term), "R", 1)
                                   ELSE Takes(c, r, m)
       [] m.kind = "released" -> Takes(c, IF r.phase = "ends" THEN Over ELSE r, m)

Client == \E m \in net : ~ToServer(m) /\ Hears(m) /\ UNCHANGED <<now, srv, still, dead, lost>>

UnderWay(kind, c) == \E m \in net : m.kind = kind /\ m.c = c
Sends(c, r, m) == cl' = [cl EXCEPT ![c] = r] /\ net' = net \cup {m}

Asks(c) == cl[c].phase = "idle" /\ Sends(c, [cl[c] EXCEPT !.phase = "waits", !.sent = 1, !.asked = now], Acquire(c))

AsksOnce(c) == /\ cl[c].phase = "waits" /\ cl[c].sent < Copies /\ cl[c].asked < now /\ ~Prompt
               /\ Sends(c, [cl[c] EXCEPT !.sent = @ + 1, !.asked = now], Acquire(c))

Refreshes(c) == /\ "refresh" \in Acts
                /\ cl[c].phase = "waits" /\ cl[c].asked < now /\ ~UnderWay("refresh", c)
                /\ \E heard \in {FALSE, (c \in srv.suspect)} : Sends(c, [cl[c] EXCEPT !.asked = now], Refresh(c, heard))

Confirms(c) == /\ cl[c].phase = "holds" /\ now < cl[c].deadline /\ cl[c].confirms = 0
               /\ Sends(c, [cl[c] EXCEPT !.confirms = 1], Confirm(c, cl[c].token))

Downgrades(c) == /\ "downgrade" \in Acts
                 /\ \/ cl[c].phase = "holds" /\ cl[c].mode = "W" /\ cl[c].deadline > now
                    \/ cl[c].phase = "downs" /\ cl[c].deadline > now /\ cl[c].asked < now
                 /\ Sends(c, [cl[c] EXCEPT !.phase = "downs", !.asked = now], Downgrade(c, cl[c].token))

Releases(c) == cl[c].phase = "holds" /\ now < cl[c].deadline /\ TakesBack(c, cl[c])
SeesItLost(c) == cl[c].phase \in {"holds", "downs"} /\ now >= cl[c].deadline /\ TakesBack(c, cl[c])
Cancels(c) == "cancel" \in Acts /\ cl[c].phase = "waits" /\ TakesBack(c, cl[c])
ReleasesAgain(c) == /\ cl[c].phase = "ends" /\ cl[c].asked < now
                    /\ Sends(c, [cl[c] EXCEPT !.asked = now], Release(c, ~AllCopiesRan(cl[c])))

Act(c) == /\ c \notin still
          /\ \/ Asks(c) \/ AsksOnce(c) \/ Refreshes(c) \/ Confirms(c) \/ Downgrades(c)
             \/ Releases(c) \/ SeesItLost(c) \/ Cancels(c) \/ ReleasesAgain(c)
          /\ UNCHANGED <<now, srv, still, dead, lost, shown, wrote>>

-----------------------------------------------------------------------------
(* The world, and the start.                                               *)

Due(c) == /\ c \notin still
          /\ \/ cl[c].phase = "idle"
             \/ cl[c].phase \in {"waits", "ends", "downs"} /\ cl[c].asked < now
             \/ cl[c].phase = "holds" /\ (now >= cl[c].deadline \/ cl[c].confirms = 0)

Tick == /\ now < MaxTime
        /\ Prompt => net = {} /\ \A c \in Clients : ~Due(c)
        /\ now' = now + 1
        /\ UNCHANGED <<srv, net, cl, still, dead, lost, shown, wrote>>

Stops(c) == /\ still = {} /\ cl[c].phase \in {"waits", "holds"}
            /\ still' = {c}
            /\ \/ "freeze" \in Acts /\ dead' = dead
               \/ "kill" \in Acts /\ dead' = {c}
            /\ net' = {m \in net : ToServer(m) \/ m.c # c}
            /\ UNCHANGED <<now, srv, cl, lost, shown, wrote>>

IsLost(m) == lost < Losses /\ lost' = lost + 1 /\ net' = net \ {m} /\ UNCHANGED <<now, srv, cl, still, dead, shown, wrote>>

World == Tick \/ (\E c \in Clients : Stops(c)) \/ (\E m \in net : IsLost(m))

\* Those of First were granted the line one after the other, and those of Then came behind them; all know that.
Start(holds, used, phase, last) ==
  [holds |-> holds, used |-> used, phase |-> phase, queue |-> SeqOf(Then) \ Aside, aside |-> Aside,
   order |-> [c \in Clients |-> IF c \in SeqOf(Then) THEN CHOOSE i \in 1 .. Len(Then) : Then[i] = c ELSE 0],
   known |-> SeqOf(Then), suspect |-> Aside, told |-> {}, last |-> last, seq |-> Len(Then), tombs |-> {}]

Number(c) == CHOOSE i \in 1 .. Len(First) : First[i] = c
TokenOf(c) == IF Wants[c].mode = "R" THEN 1 ELSE Number(c)

Init ==
  LET holds == {[owner |-> c, token |-> TokenOf(c), mode |-> Wants[c].mode, weight |-> Wants[c].weight, end |-> Term,
                 claim |-> FALSE] : c \in SeqOf(First)}
  IN /\ now = 0 /\ lost = 0 /\ net = {} /\ still = {} /\ dead = {}
     /\ shown = IF \E h \in holds : h.mode # "P" THEN 1 ELSE 0
     /\ wrote = IF \E h \in holds : h.mode = "W" THEN 1 ELSE 0
     /\ srv = Start(holds, Sum({h \in holds : h.mode # "W"}), IF \E h \in holds : h.mode = "R" THEN 1 ELSE 0, Len(First))
     /\ cl = [c \in Clients |->
          IF c \in SeqOf(First) THEN [Idle EXCEPT !.phase = "holds", !.mode = Wants[c].mode, !.deadline = Term,
                                        !.token = TokenOf(c), !.sent = 1, !.proved = 1]
          ELSE IF c \in SeqOf(Then) THEN [Idle EXCEPT !.phase = "waits", !.sent = 1, !.proved = 1, !.pair = <<0, 0>>]
          ELSE Idle]

Next == Server \/ Client \/ (\E c \in Clients : Act(c)) \/ World

Fair == /\ WF_vars(Server) /\ WF_vars(Client) /\ WF_vars(Tick)
        /\ \A c \in Clients : WF_vars(Act(c))
Spec == Init /\ [][Next]_vars /\ Fair

-----------------------------------------------------------------------------
(* What is asked.                                                          *)

IsValid(c) == cl[c].phase = "holds" /\ now < cl[c].deadline

Leases == {[client |-> c, mode |-> cl[c].mode, weight |-> Wants[c].weight, token |-> cl[c].token] :
             c \in {d \in Clients : IsValid(d)}}

Promised == INSTANCE Promise WITH leases <- Leases
Keeps == Promised!Abides
Exclusion == Promised!Compatible(Leases)

Backed == \A c \in Clients : IsValid(c) =>
            \E h \in srv.holds : h.owner = c /\ h.token = cl[c].token /\ Lives(h)

NoOrphan == \A c \in Clients \ still : cl[c].phase = "over" /\ ~UnderWay("release", c) =>
              ~Holds(srv, c) /\ c \notin srv.queue \cup srv.aside

\* No waiter loses its place: it stands in the queue or aside, or was handed the line and has not confirmed.
PlaceKept == \A c \in Clients : srv.order[c] # 0 => c \in srv.queue \cup srv.aside \cup Claims(srv)

\* After a script that settles, the first waiter that can be told does not fit. A client that asks can be told, for all that the
\* server knows: the last refresh of a dead client may hold up others until the next script.
RoomIsGiven ==
  [][\A m \in net \ net' :
       \/ m.kind \in {"acquire", "release", "refresh"}
       \/ m.kind = "downgrade" /\ srv'.last # srv.last
       => \A c \in srv'.queue :
            (/\ CanBeTold(srv', c, m.c)
             /\ \A d \in srv'.queue : CanBeTold(srv', d, m.c) => srv'.order[c] <= srv'.order[d])
            => LET live == {h \in srv'.holds : Lives(h)}
               IN ~Admits(live, Sum({h \in live : h.mode # "W"}), c)]_vars

IsNew(h) == h.mode # "D" /\ ~\E g \in srv.holds : g.owner = h.owner /\ g.token = h.token

\* Nobody is granted the line before a waiter that stands in front, and can be told.
OrderKept ==
  [][\A h \in srv'.holds : IsNew(h) =>
       \A d \in (srv.queue \cap srv'.queue) \ (srv'.suspect \cup dead) :
         srv.order[h.owner] # 0 /\ srv.order[h.owner] < srv.order[d]]_vars

\* A client that takes up nothing is handed the line once.
HandedOnce == [][\A h \in srv'.holds : h.claim /\ IsNew(h) => h.owner \notin srv.told]_vars

Progress == \A c \in Clients : cl[c].phase = "waits" ~> (cl[c].phase # "waits" \/ c \in still)
=============================================================================
