------------------------------- MODULE Turns --------------------------------
(***************************************************************************)
(* Turns: one hold of the exclusive lock that the leases of one client     *)
(* share, one after the other.  Each client has a line of its own, and one *)
(* request at the server for all that stand in it.  Scripts: acquire,      *)
(* release, renew, refresh, settle, hold, queue (recall).  In the client:  *)
(* the line and its turn.                                                  *)
(*                                                                         *)
(* Claims that lapse, suspects and copies of requests are in Lock.  Here a *)
(* renewal confirms; clocks run alike.                                     *)
(***************************************************************************)
EXTENDS Naturals, Sequences, FiniteSets, TLC

CONSTANTS
  Clients,
  Requests,         \* Requests[c]: how many come at client c, one after the other
  Room,             \* how many stand in a client's line at most
  Batch,            \* how many sections a closed line has at most
  Reserved,         \* tokens of one hold
  Interval,         \* how long a turn goes on without knowing whether others wait
  Term, Claim, MaxTime,
  Messages,         \* FALSE: no message of a handoff or a recall ever arrives
  Losses,           \* how many answers to questions are lost
  Prompt,           \* TRUE: time passes only while nothing is under way, and a section lasts for a tick at least
  Acts,             \* what may happen: "leave", "check"
  Off

Rules == {"tombstone", "ownercheck", "recallmark",                 \* of the scripts
          "reserve", "ownUsed",                                    \* of the tokens
          "closedAtGrant", "closes", "closesOnce", "bound",        \* of the turn
          "asks", "silence", "takesPlaceAlong",
          "asksAnew", "deadline", "freshOwner"}
ASSUME Off \subseteq Rules
On(rule) == rule \notin Off

VARIABLES
  now,
  srv,              \* [hold, queue, last, tombs]; an owner is <<client, number>>
  net,
  cl,               \* [phase, come, line, own, recalled, asked, turn]
  lost,
  passed,           \* passed[c]: sections of others that have begun since c's request stands in the server's queue
  shown             \* as in Lock

vars == <<now, srv, net, cl, lost, passed, shown>>

Max(a, b) == IF a > b THEN a ELSE b
Min(a, b) == IF a < b THEN a ELSE b
Range(s) == {s[i] : i \in 1 .. Len(s)}

Open == Batch + Room + 1      \* the number of sections that are left to an open turn: any
NoHold == [owner |-> <<>>, token |-> 0, end |-> 0, mark |-> ""]

Message(kind, owner, token, at, flag) == [kind |-> kind, owner |-> owner, token |-> token, at |-> at, flag |-> flag]
ToServer(m) == m.kind \in {"acquire", "renew", "release", "refresh"}

-----------------------------------------------------------------------------
(* The server.                                                             *)

\* The next token is greater than all that the holder before may have used. A hold is marked K if nobody else waits.
Grant(S, owner, ticks) ==                                                \* hold.lua
  [S EXCEPT !.hold = [owner |-> owner, token |-> S.last + 1, end |-> now + ticks,
                      mark |-> IF S.queue = <<>> THEN "K" ELSE ""],
            !.last = IF On("reserve") THEN @ + Reserved ELSE @ + 1]

Settle(S) == IF S.hold # NoHold \/ S.queue = <<>> THEN S                   \* settle.lua
             ELSE Grant([S EXCEPT !.queue = Tail(@)], Head(S.queue), Claim)

Handoff(S, T) == IF T.queue # S.queue /\ T.hold # S.hold /\ T.hold.owner \in Range(S.queue)
                 THEN {Message("handoff", T.hold.owner, T.hold.token, now, T.hold.mark = "")} ELSE {}

\* Others want what leases share: told by a message, and noted in the hold.
Recall(S) == IF On("recallmark") /\ S.hold.mark = "K" THEN [S EXCEPT !.hold.mark = "R"] ELSE S       \* queue.lua
RecallOf(S) == IF S.hold.mark # "" THEN {Message("recall", S.hold.owner, 0, 0, FALSE)} ELSE {}

Arrives(m) == ToServer(m) \/ Messages \/ m.kind \notin {"handoff", "recall"}
Answers(m, T, out) == srv' = T /\ net' = (net \ {m}) \cup {r \in out : Arrives(r)}

Granted(T, m) == Message("granted", m.owner, T.hold.token, m.at, T.hold.mark # "K")

RunAcquire(m) ==
  LET T == Settle(srv)
      new == Grant(T, m.owner, Term)
      queued == [T EXCEPT !.queue = Append(@, m.owner)]
  IN IF On("tombstone") /\ m.owner \in srv.tombs THEN Answers(m, srv, {}) /\ UNCHANGED passed
     ELSE IF T.hold = NoHold THEN Answers(m, new, {Granted(new, m)}) /\ UNCHANGED passed
     ELSE IF T.hold.owner = m.owner \/ m.owner \in Range(T.queue) THEN Answers(m, T, Handoff(srv, T)) /\ UNCHANGED passed
     ELSE /\ Answers(m, Recall(queued), Handoff(srv, T) \cup RecallOf(T))
          /\ passed' = [passed EXCEPT ![m.owner[1]] = 0]

RunRefresh(m) ==
  LET T == Settle(srv)
      mine == T.hold.owner = m.owner
      U == IF mine THEN [T EXCEPT !.hold.end = Max(@, now + Claim)] ELSE IF m.owner \in Range(T.queue) THEN Recall(T) ELSE T
  IN /\ Answers(m, U, IF mine THEN {Message("handoff", m.owner, T.hold.token, m.at, TRUE)}
                     ELSE Handoff(srv, T) \cup (IF m.owner \in Range(T.queue) THEN RecallOf(T) ELSE {}))
     /\ UNCHANGED passed

RunRenew(m) ==
  IF srv.hold.owner = m.owner
  THEN Answers(m, [srv EXCEPT !.hold.end = Max(@, now + Term)], {Message("renewed", m.owner, 0, m.at, srv.hold.mark = "R")})
       /\ UNCHANGED passed
  ELSE Answers(m, srv, {Message("gone", m.owner, 0, m.at, FALSE)}) /\ UNCHANGED passed

\* The last token that was used is noted, if the hold is the owner's.
RunRelease(m) ==
  LET own == srv.hold.owner = m.owner
      S == [srv EXCEPT !.hold = IF own \/ ~On("ownercheck") THEN NoHold ELSE @,
                       !.queue = SelectSeq(@, LAMBDA o : o # m.owner),
                       !.last = IF m.token > 0 /\ (own \/ ~On("ownUsed")) THEN m.token ELSE @,
                       !.tombs = @ \cup {m.owner}]
      T == Settle(S)
  IN Answers(m, T, Handoff(S, T)) /\ UNCHANGED passed

Server == /\ \E m \in net : /\ ToServer(m)
                            /\ CASE m.kind = "acquire" -> RunAcquire(m)
                                 [] m.kind = "refresh" -> RunRefresh(m)
                                 [] m.kind = "renew" -> RunRenew(m)
                                 [] m.kind = "release" -> RunRelease(m)
          /\ UNCHANGED <<now, cl, lost, shown>>

-----------------------------------------------------------------------------
(* The client: its line, and the turn.                                     *)

\* `left`: how many sections are left to a closed turn; `told`: it was learned that others wait; `stood`: of the requests that
\* stood in the line then, how many do.
NoTurn == [deadline |-> 0, token |-> 0, used |-> 0, left |-> 0, lent |-> FALSE, began |-> 0, knows |-> 0, question |-> FALSE,
           told |-> FALSE, stood |-> 0]
Idle == [phase |-> "idle", come |-> 0, line |-> 0, own |-> 0, recalled |-> FALSE, asked |-> 0, turn |-> NoTurn]
Owner(c, r) == <<c, r.own>>

\* What a client sends and does when it has no hold: it asks, for all that stand in its line.
Anew(c, r, out) ==
  LET s == [r EXCEPT !.phase = "idle", !.turn = NoTurn, !.recalled = FALSE]
      t == [s EXCEPT !.phase = "asks", !.own = IF On("freshOwner") \/ @ = 0 THEN @ + 1 ELSE @, !.asked = now]
      left == {m \in net : ToServer(m) \/ m.owner[1] # c \/ (~On("freshOwner") /\ m.owner = Owner(c, r))}
  IN IF r.line > 0 /\ (On("asksAnew") \/ r.own = 0)
     THEN cl' = [cl EXCEPT ![c] = t] /\ net' = left \cup out \cup {Message("acquire", Owner(c, t), 0, now, FALSE)}
     ELSE cl' = [cl EXCEPT ![c] = s] /\ net' = left \cup out

GivesBack(c, r) ==
  Anew(c, r, {Message("release", Owner(c, r), IF r.turn.used = 0 THEN r.turn.token ELSE r.turn.token + r.turn.used - 1, 0, FALSE)})

\* A line that is closed serves the requests that stand in it now, and no more than a batch.
Closed(r) == IF On("bound") THEN Min(r.line, Batch) ELSE r.line
Learns(r) ==
  LET first == [r EXCEPT !.turn.told = TRUE, !.turn.stood = IF r.turn.told THEN @ ELSE Min(r.line, Batch)]
  IN IF On("closes") /\ (r.turn.left = Open \/ ~On("closesOnce")) THEN [first EXCEPT !.turn.left = Closed(r)] ELSE first

Comes(c) ==
  /\ cl[c].come < Requests[c] /\ cl[c].line < Room
  /\ LET r == [cl[c] EXCEPT !.come = @ + 1, !.line = @ + 1]
     IN IF r.phase = "idle" /\ (r.own = 0 \/ On("asksAnew")) THEN Anew(c, r, {})
        ELSE cl' = [cl EXCEPT ![c] = r] /\ UNCHANGED net
  /\ UNCHANGED <<passed, shown>>

\* A request leaves the line; the last one withdraws what the client has asked. A place in the closed part goes along.
Goes(c) ==
  /\ "leave" \in Acts /\ cl[c].line > 0
  /\ \E inside \in BOOLEAN :
       LET left == cl[c].turn.left
           part == cl[c].phase = "turn" /\ left # Open /\ left > 0 /\ inside
           r == [cl[c] EXCEPT !.line = @ - 1, !.turn.stood = IF part THEN @ - 1 ELSE @,
                              !.turn.left = IF part /\ On("takesPlaceAlong") THEN @ - 1 ELSE @]
       IN /\ inside => part
          /\ ~inside => cl[c].phase # "turn" \/ left = Open \/ left < cl[c].line
          /\ IF r.phase = "asks" /\ r.line = 0
             THEN Anew(c, r, {Message("release", Owner(c, r), 0, 0, FALSE)})
             ELSE cl' = [cl EXCEPT ![c] = r] /\ UNCHANGED net
  /\ UNCHANGED <<passed, shown>>

Silent(r) == On("silence") /\ r.turn.left = Open /\ now >= r.turn.knows + 2 * Interval

CanLend(r) == /\ r.phase = "turn" /\ ~r.turn.lent
              /\ r.line > 0 /\ r.turn.left > 0
              /\ r.turn.used < Reserved
              /\ now < r.turn.deadline \/ ~On("deadline")

\* The next in line gets a lease, with the next token of the hold.
Lends(c) ==
  LET r == cl[c]
      t == [r.turn EXCEPT !.lent = TRUE, !.began = now, !.used = @ + 1, !.left = IF @ = Open THEN @ ELSE @ - 1,
                          !.stood = IF @ = 0 THEN @ ELSE @ - 1] IN
  /\ CanLend(r) /\ ~Silent(r)
  /\ cl' = [cl EXCEPT ![c] = [r EXCEPT !.line = @ - 1, !.turn = t]]
  /\ shown' = Max(shown, r.turn.token + r.turn.used)
  /\ passed' = [d \in Clients |-> IF d # c /\ \E o \in Range(srv.queue) : o[1] = d THEN passed[d] + 1 ELSE passed[d]]
  /\ UNCHANGED net

Ends(c) == /\ cl[c].turn.lent /\ now < cl[c].turn.deadline
           /\ Prompt => now > cl[c].turn.began
           /\ cl' = [cl EXCEPT ![c].turn.lent = FALSE]
           /\ UNCHANGED <<net, passed, shown>>

\* No request can be served any more: the hold goes back, and the client asks anew for those that are left, behind all others.
Returns(c) == /\ cl[c].phase = "turn" /\ ~cl[c].turn.lent /\ ~CanLend(cl[c])
              /\ GivesBack(c, cl[c])
              /\ UNCHANGED <<passed, shown>>

IsLost(c) == /\ cl[c].phase = "turn" /\ now >= cl[c].turn.deadline /\ On("deadline")
             /\ GivesBack(c, cl[c])
             /\ UNCHANGED <<passed, shown>>

\* A question is a renewal; what is known counts from when it left.
Questions(c) ==
  LET r == cl[c] IN
  /\ On("asks") /\ r.phase = "turn" /\ r.turn.left = Open /\ ~r.turn.question
  /\ now < r.turn.deadline /\ now >= r.turn.knows + Interval
  /\ cl' = [cl EXCEPT ![c].turn.question = TRUE]
  /\ net' = net \cup {Message("renew", Owner(c, r), 0, now, FALSE)}
  /\ UNCHANGED <<passed, shown>>

ClosesInSilence(c) == /\ cl[c].phase = "turn" /\ Silent(cl[c])
                      /\ cl' = [cl EXCEPT ![c] = Learns(@)]
                      /\ UNCHANGED <<net, passed, shown>>

Checks(c) == /\ "check" \in Acts /\ cl[c].phase = "asks" /\ cl[c].asked < now
             /\ cl' = [cl EXCEPT ![c].asked = now]
             /\ net' = net \cup {Message("refresh", Owner(c, cl[c]), 0, now, FALSE)}
             /\ UNCHANGED <<passed, shown>>

\* A grant begins a turn. It is closed at once if others wait.
BeginsTurn(c, r, m, deadline) ==
  LET t == [NoTurn EXCEPT !.deadline = deadline, !.token = m.token, !.left = Open, !.knows = m.at]
      s == [r EXCEPT !.phase = "turn", !.turn = t, !.asked = 0, !.recalled = FALSE]
  IN IF deadline <= now
     THEN GivesBack(c, [r EXCEPT !.turn.token = m.token])
     ELSE cl' = [cl EXCEPT ![c] = IF ~(m.flag \/ r.recalled) THEN s
                                         ELSE IF On("closedAtGrant") THEN Learns(s) ELSE [s EXCEPT !.turn.told = TRUE]]
          /\ net' = net \ {m}

Drops(r, m) == cl' = [cl EXCEPT ![m.owner[1]] = r] /\ net' = net \ {m}

Hears(m) ==
  LET c == m.owner[1]
      r == cl[c]
      mine == r.own = m.owner[2]
      turn == mine /\ r.phase = "turn"
  IN /\ CASE m.kind = "granted" /\ mine /\ r.phase = "asks" -> BeginsTurn(c, r, m, m.at + Term)
          [] m.kind = "handoff" /\ mine /\ r.phase = "asks" -> BeginsTurn(c, r, m, m.at + Claim)
          [] m.kind = "renewed" /\ turn /\ now < r.turn.deadline ->
               LET s == [r EXCEPT !.turn.deadline = Max(@, m.at + Term), !.turn.question = FALSE,
                                  !.turn.knows = IF @ < m.at THEN m.at ELSE @]
               IN Drops(IF m.flag THEN Learns(s) ELSE s, m)
          [] m.kind = "gone" /\ turn -> GivesBack(c, r)
          [] m.kind = "recall" /\ turn -> Drops(Learns(r), m)
          [] m.kind = "recall" /\ mine /\ r.phase = "asks" -> Drops([r EXCEPT !.recalled = TRUE], m)
          [] OTHER -> Drops(r, m)
     /\ UNCHANGED <<passed, shown>>

Client == \/ \E m \in net : ~ToServer(m) /\ Hears(m) /\ UNCHANGED <<now, srv, lost>>
          \/ \E c \in Clients : /\ \/ Comes(c) \/ Goes(c) \/ Lends(c) \/ Ends(c) \/ Returns(c) \/ IsLost(c)
                                   \/ Questions(c) \/ ClosesInSilence(c) \/ Checks(c)
                                /\ UNCHANGED <<now, srv, lost>>

-----------------------------------------------------------------------------

Due(c) == LET r == cl[c] IN
  \/ r.phase = "asks" /\ r.asked < now /\ "check" \in Acts
  \/ r.phase = "turn" /\ \/ ~r.turn.lent \/ now > r.turn.began \/ now >= r.turn.deadline \/ Silent(r)
                         \/ ENABLED Questions(c)

Tick == /\ now < MaxTime
        /\ Prompt => net = {} /\ \A c \in Clients : ~Due(c)
        /\ now' = now + 1
        /\ srv' = IF srv.hold # NoHold /\ srv.hold.end <= now + 1 THEN [srv EXCEPT !.hold = NoHold] ELSE srv
        /\ UNCHANGED <<net, cl, lost, passed, shown>>

AnswerIsLost(m) == /\ lost < Losses /\ m.kind = "renewed"
                   /\ lost' = lost + 1 /\ net' = net \ {m}
                   /\ UNCHANGED <<now, srv, cl, passed, shown>>

Init == /\ now = 0 /\ lost = 0 /\ shown = 0 /\ net = {}
        /\ srv = [hold |-> NoHold, queue |-> <<>>, last |-> 0, tombs |-> {}]
        /\ cl = [c \in Clients |-> Idle]
        /\ passed = [c \in Clients |-> 0]

Next == Server \/ Client \/ Tick \/ (\E m \in net : AnswerIsLost(m))
Spec == Init /\ [][Next]_vars /\ WF_vars(Server) /\ WF_vars(Client) /\ WF_vars(Tick)

-----------------------------------------------------------------------------
(* What is asked.                                                          *)

IsValid(c) == cl[c].phase = "turn" /\ cl[c].turn.lent /\ (now < cl[c].turn.deadline \/ ~On("deadline"))
Leases == {[client |-> c, mode |-> "W", weight |-> 1, token |-> cl[c].turn.token + cl[c].turn.used - 1] :
             c \in {d \in Clients : IsValid(d)}}

Promised == INSTANCE Promise WITH leases <- Leases, wrote <- shown, Permits <- 0
Keeps == Promised!Abides
Exclusion == Cardinality(Leases) <= 1
Backed == \A c \in Clients : IsValid(c) => srv.hold.owner = Owner(c, cl[c])

\* Each hold, and each place in the queue, is of what its client asks for, or has, or is taking back.
Owned(o) == \/ cl[o[1]].own = o[2] /\ cl[o[1]].phase # "idle"
            \/ \E m \in net : m.kind = "release" /\ m.owner = o
NoOrphan == /\ srv.hold # NoHold => Owned(srv.hold.owner)
            /\ \A o \in Range(srv.queue) : Owned(o)

\* A client asks as long as a request stands in its line.
NobodyForgotten == \A c \in Clients : cl[c].line > 0 => cl[c].phase # "idle"

\* A turn is open only while its client knows of nobody else, and then serves the requests that stood in
\* its line, a batch at most.
ClosedWhenKnown == \A c \in Clients : cl[c].turn.told => cl[c].turn.left # Open
NoLatecomer == \A c \in Clients : cl[c].turn.left # Open => cl[c].turn.left <= cl[c].turn.stood

\* How many sections of others may begin while a request stands in the server's queue, if time is Prompt: one a tick until the
\* turn has learned of it, and a closed line of each that stands before it.
Passes == (IF Losses = 0 THEN Interval ELSE 2 * Interval) + 1 + Min(Room, Batch) * (Cardinality(Clients) - 1)
Bounded == \A c \in Clients : Prompt => passed[c] <= Passes
=============================================================================
