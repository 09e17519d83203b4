package io.holdfast.model.conformance;

import static io.holdfast.model.conformance.Texts.label;

import io.holdfast.internal.wire.Script;
import io.holdfast.model.exclusive.AnyCalls;
import io.holdfast.model.exclusive.Bounds;
import io.holdfast.model.exclusive.Bounds.Wish;
import io.holdfast.model.exclusive.Call;
import io.holdfast.model.exclusive.LockServer;
import io.holdfast.model.exclusive.LockState;
import io.holdfast.model.exclusive.Outcome;
import io.holdfast.model.queue.Message;
import io.holdfast.spi.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The bench of the exclusive lock. */
public final class LockBench extends QueueBench<LockState, Call> {
    private static final Pattern WRITTEN = Pattern.compile("(\\S+) (\\d+) (\\d+) (\\d+) (\\S*?)( [KR])?");

    private final Bounds bounds;
    private final LockServer model;
    private Outcome outcome;
    private boolean shortest; // whether a rest is asked for as a shortest hold

    public LockBench(AnyCalls model, Scripts scripts, ScriptServer server) {
        super(
                model.bounds(),
                new LockState(model.bounds().owners(), model.bounds().clients()),
                scripts,
                server);
        this.bounds = model.bounds();
        this.model = model.server();
        this.outcome = new Outcome(
                state, new Outcome.Reply("", "", 0, false, LockState.NOBODY, 0), LockState.NOBODY, List.of());
    }

    @Override
    LockState empty() {
        return new LockState(bounds.owners(), bounds.clients());
    }

    @Override
    LockState expect(Call call) {
        outcome = model.run(state, call);
        grants = outcome.granted() != LockState.NOBODY;
        base = grants ? outcome.state().token - 1 : state.last;
        return outcome.state();
    }

    // ---- from the model to the server

    @Override
    void layOutHolds(int variant) {
        if (!state.isFree()) {
            lay("SET", HOLD, written(state), "PXAT", at(state.left));
        }
    }

    @Override
    void layOutClaims(List<String> words) {
        if (state.claim != LockState.NOBODY) {
            words.addAll(List.of("@claim", owner(state.claim) + " " + state.order[state.claim]));
        }
        if (state.pause != LockState.ABSENT) {
            words.addAll(List.of("@pause", "! 0 " + notedWritten() + " " + label(0)));
        }
    }

    @Override
    String asked(int owner) {
        boolean keeps = bounds.wishes().get(owner).keeps();
        return (keeps ? "1 " : "0 ") + termAndLabel(owner) + (keeps ? " K" : "");
    }

    private String written(LockState s) {
        String mark = s.mark == LockState.KEPT ? " K" : s.mark == LockState.RECALLED ? " R" : "";
        boolean nobodys = isNobodys(s.holder);
        return (nobodys ? shownHolder(s.holder) : owner(s.holder)) + " " + tokenOf(s) + " " + sinceOfHold() + " "
                + termAndLabel(nobodys ? 0 : s.holder) + mark;
    }

    @Override
    Script arguments(Call call, int variant, List<String> keys, List<String> args) {
        addClient(args, call.client());
        if (call instanceof Call.Acquire asked) {
            Wish wish = bounds.wishes().get(asked.owner());
            keys.addAll(List.of(grave(asked.owner()), EVICTED));
            args.addAll(List.of(
                    owner(asked.owner()),
                    millis(bounds.term()),
                    termAndLabel(asked.owner()) + (wish.keeps() ? " K" : ""),
                    wish.keeps() ? "1" : "0",
                    wishes(asked.owner(), asked.queues(), asked.limit())));
            return Script.ACQUIRE;
        } else if (call instanceof Call.Release asked) {
            keys.addAll(List.of(grave(asked.owner()), HOLD + ":n"));
            shortest = asked.rest() < 0 || ((variant & 4) != 0 && asked.rest() > 0 && !asked.done());
            long untilThen = nowMillis + (long) asked.rest() * TICK - sinceOfHold() / 1_000;
            String words = (asked.tombstone() ? TOMBSTONE_LIFE : 0) + " "
                    + (shortest ? untilThen + " 0 " : "0 " + asked.rest() * TICK + " ")
                    + (asked.used() == 0 ? "0" : token(asked.used()));
            String record = asked.done() ? " " + label(asked.owner()) : "";
            args.addAll(List.of(owner(asked.owner()), words.equals("0 0 0 0") ? "" : words + record));
            return Script.RELEASE;
        } else if (call instanceof Call.Confirm asked) {
            args.addAll(List.of(owner(asked.owner()), token(asked.token()), millis(bounds.term())));
            return Script.CONFIRM;
        } else if (call instanceof Call.Renew asked) {
            keys.subList(1, keys.size()).clear();
            args.clear();
            args.addAll(List.of(owner(asked.owner()), token(asked.token()), millis(bounds.term())));
            return Script.RENEW;
        } else if (call instanceof Call.Refresh asked) {
            args.add(asked.heardProbe() ? suspicion(asked.client()) : (variant & 4) == 0 ? "0" : "1");
            args.add(Integer.toString(asked.count()));
            args.add(asked.first() < 0 ? "" : owner(asked.first()));
            return Script.REFRESH;
        } else if (call instanceof Call.Revoke asked) {
            keys.add(EVICTED);
            args.add(asked.token() == 0 ? "" : token(asked.token()));
            args.add(asked.drop() == Call.Revoke.ALL ? "1" : asked.drop() == 0 ? "0" : shownOwner(asked.drop() - 1));
            args.add(Integer.toString(TOMBSTONE_LIFE));
            return Script.REVOKE;
        } else if (call instanceof Call.Prolong asked) {
            keys.subList(1, keys.size()).clear();
            args.clear();
            args.addAll(List.of(millis(bounds.term() + 1), asked.token() == 0 ? "" : token(asked.token())));
            return Script.PROLONG;
        } else if (call instanceof Call.Pause asked) {
            args.addAll(List.of(Integer.toString(asked.ticks() * TICK), label(0)));
            return Script.PAUSE;
        } else if (call instanceof Call.Note asked) {
            keys.clear();
            keys.addAll(List.of(HOLD, HOLD + ":n"));
            args.clear();
            args.addAll(List.of(owner(asked.owner()), token(asked.token()), label(asked.owner()), "0"));
            return Script.NOTE;
        } else if (call instanceof Call.Clean) {
            return Script.CLEAN;
        } else if (call instanceof Call.Adopt asked) {
            keys.addAll(List.of(grave(asked.old()), grave(asked.owner())));
            args.addAll(List.of(
                    owner(asked.old()),
                    token(asked.token()),
                    owner(asked.owner()),
                    millis(bounds.term()),
                    label(asked.owner()),
                    Integer.toString(TOMBSTONE_LIFE),
                    token(asked.used())));
            return Script.ADOPT;
        }
        Call.Adopted asked = (Call.Adopted) call;
        keys.clear();
        keys.addAll(List.of(HOLD, grave(asked.owner())));
        args.clear();
        args.addAll(List.of(owner(asked.owner()), token(asked.token())));
        return Script.ADOPTED;
    }

    // ---- what the model says, as the script would say it

    @Override
    String reply(Call call, String end) {
        Outcome.Reply told = outcome.reply();
        LockState before = state;
        LockState after = outcome.state();
        StringBuilder words = new StringBuilder(told.word());
        for (String word : told.rest().split(" ", -1)) {
            if (!word.isEmpty()) {
                words.append(' ').append(filledIn(word));
            }
        }
        if (told.describes()) {
            words.append(' ');
            if (told.mine() == LockState.NOBODY) {
                words.append("   ");
            } else {
                words.append(shownOwner(told.mine())).append(' ').append(tokenNow(after.token));
                words.append(' ').append(sinceNow()).append(' ').append(millis(bounds.claim()));
            }
            words.append(' ').append(told.handed() * TICK).append(" 0").append(hold(call, after));
        }
        if (call instanceof Call.Refresh) {
            return "[" + words + ", " + end.replace(" ", ", ") + "]";
        } else if (call instanceof Call.Revoke) {
            boolean ended = told.word().equals("RELEASED");
            String of = told.word().equals("NOTHING")
                    ? ""
                    : " " + (ended ? 0 : before.left * TICK) + " " + shownHolder(before.holder) + " "
                            + tokenOf(before) + " " + sinceOfHold() + " "
                            + termAndLabel(isNobodys(before.holder) ? 0 : before.holder);
            return "[" + words + ", " + of + ", " + end.replace(" ", ", ") + "]";
        }
        return words + " " + end;
    }

    private String hold(Call asked, LockState after) {
        if (after.isFree()) {
            return "";
        }
        if (after.holder == LockState.PAUSED) {
            String since = asked instanceof Call.Pause
                    ? nowMicros + " " + after.left * TICK
                    : state.holder == LockState.PAUSED ? sinceOfHold() + " " + bounds.term() * TICK : notedWritten();
            return " " + after.left * TICK + " ! 0 " + since + " " + label(0);
        }
        boolean rests = isNobodys(after.holder);
        boolean begins = rests && state.holder != after.holder;
        boolean recorded = begins && after.holder == LockState.DONE;
        String term = begins && !recorded
                ? restWritten(after.left)
                : Integer.toString((recorded ? after.left : bounds.term()) * TICK);
        int labelled = begins ? state.holder : rests ? 0 : after.holder;
        long left = begins ? restEnds(after.left) - nowMillis : (long) after.left * TICK;
        return " " + left + " " + shownHolder(after.holder) + " " + tokenNow(after.token) + " "
                + (recorded ? nowMicros : sinceNow()) + " " + term + " " + label(labelled);
    }

    /** A rest counts from the end of the millisecond in which it begins; a shortest hold, from the beginning of that of the grant. */
    private long restEnds(int left) {
        return shortest ? nowMillis + (long) left * TICK : (nowMicros + 999) / 1_000 + (long) left * TICK;
    }

    private String restWritten(int left) {
        return Long.toString(Math.max(1, restEnds(left) - sinceOfHold() / 1_000));
    }

    private String filledIn(String word) {
        return switch (word.charAt(0)) {
            case 'T' -> tokenNow(Long.parseLong(word.substring(1)));
            case 'S' -> Long.toString(sinceNow());
            case 'D' -> Integer.toString(Integer.parseInt(word.substring(1)) * TICK);
            default -> word;
        };
    }

    @Override
    List<String> messages() {
        List<String> all = new ArrayList<>();
        for (Message message : outcome.messages()) {
            String text = switch (message.kind()) {
                case G ->
                    "G " + shownOwner(message.owner()) + " " + tokenNow(message.token()) + " "
                            + sinceNow() + " " + millis(bounds.claim())
                            + (message.flag() ? " 1 " : " 0 ") + HOLD;
                case V ->
                    "V " + shownOwner(message.owner()) + " " + token(message.token()) + (message.flag() ? " 1 " : " 0 ")
                            + HOLD;
                case E -> "E " + shownOwner(message.owner()) + " " + HOLD;
                case O -> "O " + tokenNow(message.token()) + " " + nowMicros + " " + recordWritten() + " " + HOLD;
                case P -> "P " + suspicionNow(message.client()) + " " + HOLD;
                case R -> "R " + tokenNow(message.token()) + " " + HOLD;
            };
            all.add(channel(message.client()) + " " + text);
        }
        return all;
    }

    // ---- from the server to the model

    @Override
    void lookAtHolds() {
        look("GET", HOLD);
        look("PEXPIRETIME", HOLD);
    }

    @Override
    void readHolds(LockState found, List<String> odd) {
        int granted = outcome.granted();
        Reply text = seen("GET", HOLD);
        if (text.isNull()) {
            return;
        }
        Matcher parts = WRITTEN.matcher(text.asString());
        if (!parts.matches()) {
            odd.add("a hold is written as " + text.asString());
            return;
        }
        found.holder = switch (parts.group(1)) {
            case "-" -> LockState.RESTS;
            case "=" -> LockState.DONE;
            case "!" -> LockState.PAUSED;
            default -> ownerOf(parts.group(1));
        };
        found.token = found.holder == LockState.PAUSED ? 0 : tokenOf(parts.group(2));
        found.mark = parts.group(6) == null
                ? LockState.UNMARKED
                : parts.group(6).equals(" K") ? LockState.KEPT : LockState.RECALLED;
        found.left = left(HOLD);
        boolean isNew = grants && found.holder == granted;
        if (isNew && !parts.group(3).equals(Long.toString(nowMicros))) {
            odd.add("a grant is of " + parts.group(3) + ", and not of now");
        }
        if (found.holder >= 0 && !parts.group(5).equals(label(found.holder))) {
            odd.add("a hold has the label " + parts.group(5));
        }
    }

    @Override
    boolean readClaims(LockState found, String field, String value) {
        if (field.equals("@pause")) {
            String[] words = value.split(" ", -1);
            found.pause = Math.max(0, ticks(Long.parseLong(words[2]) / 1_000 + Long.parseLong(words[3])));
            return true;
        }
        if (!field.equals("@claim")) {
            return false;
        }
        int blank = value.indexOf(' ');
        found.claim = ownerOf(value.substring(0, blank));
        found.order[found.claim] = Long.parseLong(value.substring(blank + 1));
        return true;
    }

    // ---- names and numbers

    private long sinceNow() {
        return grants ? nowMicros : sinceOfHold();
    }

    private static boolean isNobodys(int holder) {
        return holder < LockState.NOBODY;
    }

    private String tokenOf(LockState s) {
        return s.hasToken() ? token(s.token) : "0";
    }

    /** Of a pause that is noted: since when, and for how long. */
    private String notedWritten() {
        return sinceOfHold() + " " + (nowMillis + (long) state.pause * TICK - sinceOfHold() / 1_000);
    }

    private String shownHolder(int holder) {
        return switch (holder) {
            case LockState.RESTS -> "-";
            case LockState.DONE -> "=";
            case LockState.PAUSED -> "!";
            default -> shownOwner(holder);
        };
    }

    /** What is written of a record that begins, behind its time: for how long it is kept, and who was the holder. */
    private String recordWritten() {
        return outcome.state().left * TICK + " " + label(state.holder);
    }
}
