package io.holdfast.model.following;

import static io.holdfast.model.queue.QueueState.DONE;
import static io.holdfast.model.queue.QueueState.NOBODY;
import static io.holdfast.model.queue.QueueState.RESTS;

import io.holdfast.model.exclusive.Bounds.Wish;
import io.holdfast.model.exclusive.Call;
import io.holdfast.model.exclusive.LockServer;
import io.holdfast.model.exclusive.LockState;
import io.holdfast.model.exclusive.Outcome;
import io.holdfast.model.exclusive.Rule;
import io.holdfast.model.queue.Message;
import io.holdfast.model.queue.QueueBounds.Share;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** An exclusive lock. */
final class FollowedLock extends FollowedQueue<LockState, Wish> {
    private final Set<Rule> rules;

    FollowedLock(Ran ran, LockKeys.Names keys, Stored stored, Set<Rule> rules) {
        super(ran, keys, stored);
        this.rules = rules;
    }

    // ---- reading

    @Override
    void mentionHolds() {
        String hold = before.hold;
        if (hold != null && !hold.startsWith("- ")) {
            mention(hold.substring(0, Math.max(0, hold.indexOf(' '))));
        }
        String claim = before.details.get("@claim");
        if (claim != null) {
            mention(claim.substring(0, claim.indexOf(' ')));
        }
    }

    @Override
    LockState empty(int owners, int clients) {
        return new LockState(owners, clients);
    }

    @Override
    Wish noWish(int client) {
        return Wish.plain(client);
    }

    @Override
    Wish wish(int client, String asked, int priority, boolean newestFirst, Share share, int owner) {
        String[] words = asked.split(" ", -1);
        bounds.claim[owner] = Ran.millis(words[2]);
        bounds.term[owner] = Ran.millis(words[4]);
        return new Wish(
                client,
                priority,
                newestFirst,
                words.length > 6 && words[6].equals("K"),
                Integer.parseInt(words[3]),
                Ran.millis(words[0]),
                words[1].equals("T"),
                share);
    }

    @Override
    boolean readClaims(LockState found, String field, String value) {
        if (field.equals("@pause")) {
            throw new NotFollowed("a lock that is to pause");
        }
        if (!field.equals("@claim")) {
            return false;
        }
        int blank = value.indexOf(' ');
        found.claim = owner(value.substring(0, blank));
        found.order[found.claim] = Long.parseLong(value.substring(blank + 1));
        return true;
    }

    @Override
    void readHolds(LockKeys raw, LockState found, Facts into) {
        if (raw.hold == null) {
            return;
        }
        String[] words = raw.hold.split(" ", -1);
        boolean marked = words.length == 6 && (words[5].equals("K") || words[5].equals("R"));
        if (words.length != 5 && !marked) {
            throw new NotFollowed("a hold that Holdfast did not write");
        }
        found.holder = switch (words[0]) {
            case "-" -> RESTS;
            case "=" -> DONE;
            case "!" -> throw new NotFollowed("a lock that pauses");
            default -> owner(words[0]);
        };
        found.token = Long.parseLong(words[1]);
        found.left = left(raw.expiry(keys.hold()));
        found.mark = !marked ? LockState.UNMARKED : words[5].equals("K") ? LockState.KEPT : LockState.RECALLED;
        into.holds[0] = new Hold(Long.parseLong(words[2]), words[3], words[4]);
    }

    @Override
    @Nullable
    String oddHolds(LockKeys raw, Facts found) {
        Hold expected = facts.holds[0];
        boolean same = state.isFree() || Objects.equals(expected, found.holds[0]);
        return same ? null : "the hold is written as " + raw.hold + ", and not with " + expected;
    }

    // ---- the call

    @Override
    List<String> run(int part, List<String> messages) {
        return switch (ran.script()) {
            case ACQUIRE -> {
                int owner = owner(ran.arg(2));
                String[] queueing = ran.words(6);
                LockState was = state;
                Outcome outcome = step(
                        new Call.Acquire(requester(), owner, queueing[0].equals("1"), Integer.parseInt(queueing[1])));
                entered(owner, was);
                yield told(outcome, messages);
            }
            case RELEASE -> release(messages);
            case CONFIRM -> {
                int owner = owner(ran.arg(2));
                bounds.term[owner] = Ran.millis(ran.arg(4));
                yield told(step(new Call.Confirm(requester(), owner, Long.parseLong(ran.arg(3)))), messages);
            }
            case RENEW -> {
                int owner = owner(ran.arg(3 * part));
                bounds.term[owner] = Ran.millis(ran.arg(3 * part + 2));
                int client = bounds.clientOf(owner);
                yield told(step(new Call.Renew(client, owner, Long.parseLong(ran.arg(3 * part + 1)))), messages);
            }
            case REFRESH -> {
                int client = requester();
                String first = ran.arg(2 * part + 4);
                yield told(
                        step(new Call.Refresh(
                                client,
                                Integer.parseInt(ran.arg(2 * part + 3)),
                                first.isEmpty() ? NOBODY : owner(first),
                                ran.arg(2).equals(facts.suspicion[client]))),
                        messages);
            }
            case REVOKE -> revoke(messages);
            case PROLONG -> {
                bounds.prolonged = Ran.millis(ran.arg(0));
                yield told(step(new Call.Prolong(0, token(ran.arg(1)))), messages);
            }
            case CLEAN -> told(step(new Call.Clean(requester())), messages);
            case ADOPT -> adopt(messages);
            case ADOPTED -> {
                int owner = owner(ran.arg(0));
                int client = bounds.clientOf(owner);
                yield told(step(new Call.Adopted(client, owner, Long.parseLong(ran.arg(1)))), messages);
            }
            default -> throw new IllegalStateException(ran.script() + " is not of an exclusive lock");
        };
    }

    private static long token(String text) {
        return text.isEmpty() ? 0 : Long.parseLong(text);
    }

    private Outcome step(Call call) {
        Outcome outcome = new LockServer(bounds, rules).run(state, call);
        int granted = outcome.granted();
        if (granted != NOBODY) {
            facts.holds[0] = newHold(granted);
        }
        state = outcome.state();
        return outcome;
    }

    private List<String> release(List<String> messages) {
        int owner = owner(ran.arg(2));
        String[] words = ran.arg(3).isEmpty() ? new String[] {"0", "0", "0", "0"} : ran.words(3);
        Hold hold = facts.holds[0];
        int rest = words[1].equals("0") && words[2].equals("0") ? 0 : -1;
        if (hold != null && rest < 0) {
            rest = words[1].equals("0")
                    ? -1
                    : Math.max(-1, until(Math.floorDiv(hold.since(), 1_000) + Long.parseLong(words[1])));
            rest = words[2].equals("0")
                    ? rest
                    : Math.max(rest, until(Math.floorDiv(nowMicros + 999, 1_000)) + Ran.millis(words[2]));
            rest = rest == 0 ? -1 : rest;
        }
        boolean tombstone = !words[0].equals("0");
        boolean own = state.holder == owner;
        String record = words.length > 4 ? words[4] : null;
        Call.Release call =
                new Call.Release(requester(), owner, tombstone, rest, Long.parseLong(words[3]), record != null);
        if (own && rest > 0 && record != null) {
            facts.holds[0] = new Hold(nowMicros, words[2], record);
        } else if (own && rest > 0 && hold != null) {
            long ends = nowMillis + rest - Math.floorDiv(hold.since(), 1_000);
            facts.holds[0] = new Hold(hold.since(), Long.toString(Math.max(1, ends)), hold.label());
        }
        Outcome outcome = step(call);
        if (tombstone) {
            buried(ran.arg(2), words[0]);
        }
        return told(outcome, messages);
    }

    private List<String> revoke(List<String> messages) {
        String drop = ran.arg(3);
        int dropped = drop.equals("1") ? Call.Revoke.ALL : drop.equals("0") ? 0 : owner(drop) + 1;
        LockState was = state;
        Hold hold = facts.holds[0];
        Outcome outcome = step(new Call.Revoke(requester(), token(ran.arg(2)), dropped));
        dropped(Integer.parseInt(outcome.reply().rest().trim()), ran.arg(4));
        String of = "";
        if (!outcome.reply().word().equals("NOTHING") && hold != null) {
            int left = outcome.reply().word().equals("RELEASED") ? 0 : was.left;
            of = " " + left + " " + shownHolder(was.holder) + " " + was.token + " " + hold.words();
        }
        return List.of(told(outcome, messages).get(0), of);
    }

    private List<String> adopt(List<String> messages) {
        int old = owner(ran.arg(2));
        int owner = owner(ran.arg(4));
        bounds.term[owner] = Ran.millis(ran.arg(5));
        LockState was = state;
        long used = Long.parseLong(ran.arg(8));
        Outcome outcome = step(new Call.Adopt(requester(), old, Long.parseLong(ran.arg(3)), owner, used));
        Hold hold = facts.holds[0];
        if (!was.isHeldBy(owner, used) && state.isHeldBy(owner, used) && hold != null) {
            facts.holds[0] = new Hold(hold.since(), ran.arg(5), ran.arg(6));
            buried(ran.arg(2), ran.arg(7));
        }
        return told(outcome, messages);
    }

    // ---- what the model says, as the script would say it

    private List<String> told(Outcome outcome, List<String> messages) {
        for (Message message : outcome.messages()) {
            tell(messages, message.client(), text(message));
        }
        Outcome.Reply told = outcome.reply();
        StringBuilder words = new StringBuilder(told.word());
        for (String word : told.rest().split(" ", -1)) {
            if (!word.isEmpty()) {
                words.append(' ').append(filledIn(word));
            }
        }
        if (told.describes()) {
            Hold hold = facts.holds[0];
            words.append(' ');
            if (told.mine() == NOBODY || hold == null) {
                words.append("   ");
            } else {
                words.append(shownOwner(told.mine())).append(' ').append(state.token);
                words.append(' ').append(hold.since()).append(' ').append(bounds.claim(told.mine()));
            }
            words.append(' ').append(told.handed()).append(" 0");
            if (!state.isFree() && hold != null) {
                words.append(' ').append(state.left).append(' ').append(shownHolder(state.holder));
                words.append(' ').append(state.token).append(' ').append(hold.words());
            }
        }
        return List.of(words.toString());
    }

    private String filledIn(String word) {
        Hold hold = facts.holds[0];
        return switch (word.charAt(0)) {
            case 'T', 'D' -> word.substring(1);
            case 'S' -> hold == null ? "?" : Long.toString(hold.since());
            default -> word;
        };
    }

    private String text(Message message) {
        String owner = message.owner() < 0 ? "" : shownOwner(message.owner());
        return switch (message.kind()) {
            case G ->
                "G " + owner + " " + message.token() + " " + nowMicros + " " + bounds.claim(message.owner())
                        + (message.flag() ? " 1 " : " 0 ") + keys.hold();
            case V -> "V " + owner + " " + message.token() + (message.flag() ? " 1 " : " 0 ") + keys.hold();
            case E -> "E " + owner + " " + keys.hold();
            case O -> {
                Hold record = facts.holds[0];
                yield "O " + message.token() + " " + (record == null ? "" : record.words()) + " " + keys.hold();
            }
            case P -> "P " + facts.suspicion[message.client()] + " " + keys.hold();
            case R -> "R " + message.token() + " " + keys.hold();
        };
    }

    private String shownHolder(int holder) {
        return holder == RESTS ? "-" : holder == DONE ? "=" : shownOwner(holder);
    }
}
