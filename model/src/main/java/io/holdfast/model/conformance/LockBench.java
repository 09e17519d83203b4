package io.holdfast.model.conformance;

import io.holdfast.internal.wire.Script;
import io.holdfast.model.exclusive.Bounds;
import io.holdfast.model.exclusive.Bounds.Wish;
import io.holdfast.model.exclusive.Call;
import io.holdfast.model.exclusive.LockServer;
import io.holdfast.model.exclusive.LockState;
import io.holdfast.model.exclusive.Outcome;
import io.holdfast.model.exclusive.Words;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.Reply;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Runs one call of the model on a server: lays out the keys of a state, runs the script as it ships, and compares its reply, its
 * messages and the keys afterwards with what the model says. For use by one thread.
 *
 * <p>A tick is a second. The token that was given last is far behind the server's clock, or just behind it, or ahead of it, by the
 * number of the call: a grant must be the greater of the clock and the next one each time.
 */
public final class LockBench implements AutoCloseable {
    static final int TICK = 1_000;
    private static final long TOKEN_LIFE = 3_600_000;
    private static final int TOMBSTONE_LIFE = 120_000;
    /** Times beyond so many ticks are beyond what the model sees. */
    private static final int FAR = 50;

    private static final String HOLD = "hf:{m}";
    private static final String CHANNELS = "hf:to:";
    private static final List<String> KEYS =
            List.of(HOLD, HOLD + ":q", HOLD + ":p", HOLD + ":d", HOLD + ":t");
    private static final String EVICTED = HOLD + ":e";
    private static final long BAND = 1L << 42;
    private static final Pattern WRITTEN = Pattern.compile("(\\S+) (\\d+) (\\d+) (\\d+) (\\S*?)( [KR])?");
    /** Distances of the last token from the server's clock, in microseconds. */
    private static final long[] AHEAD = {-2_000_000, -1, 0, 3};

    private final Bounds bounds;
    private final LockServer model;
    private final Scripts scripts;
    private final ScriptServer server;
    private final boolean[] listening;

    // of the state that is laid out
    private LockState state;
    private long laidMicros;
    private long nowMicros;
    private long nowMillis;
    private long lastToken;
    private boolean shortest; // whether a rest is asked for as a shortest hold
    private long calls;

    public LockBench(Bounds bounds, LockServer model, Scripts scripts, ScriptServer server) {
        this.bounds = bounds;
        this.model = model;
        this.scripts = scripts;
        this.server = server;
        this.listening = new boolean[bounds.clients()];
        this.state = new LockState(bounds.owners(), bounds.clients());
    }

    /** How the script and the model differ; null if they agree. @param variant which of several ways to lay out the state */
    public @Nullable String difference(LockState before, Call call, int variant) {
        layOut(before, variant);
        Outcome expected = model.run(before, call);
        List<String> keys = new ArrayList<>(KEYS);
        List<String> args = new ArrayList<>();
        Script script = arguments(call, variant, keys, args);
        String number = Long.toString(++calls);
        args.add(number);
        String reply;
        try {
            reply = shown(server.run(scripts.text(script), keys, args));
        } catch (DriverException e) {
            return "the reply is the error " + e.getMessage();
        }
        String wanted = reply(call, before, expected, number);
        if (!wanted.equals(reply)) {
            return "the reply is\n  " + reply + "\nand in the model\n  " + wanted;
        }
        String heard = String.join("\n", sorted(server.heard()));
        String messages = messages(before, expected);
        if (!messages.equals(heard)) {
            return "the messages are\n  " + heard + "\nand in the model\n  " + messages;
        }
        return comparedKeys(expected.state(), expected.granted());
    }

    /** The same for the passing of a tick. */
    public @Nullable String differenceOfTick(LockState before, int variant) {
        layOut(before, variant);
        server.pass(TICK);
        LockState expected = model.later(before);
        readTime();
        return comparedKeys(expected, LockState.NOBODY);
    }

    // ---- from the model to the server

    private void readTime() {
        List<Reply> time = server.command("TIME").asList();
        nowMicros = time.get(0).asLong() * 1_000_000 + time.get(1).asLong();
        nowMillis = nowMicros / 1_000;
    }

    private void layOut(LockState s, int variant) {
        state = s;
        server.command("FLUSHALL");
        server.heard();
        readTime();
        laidMicros = nowMicros;
        lastToken = nowMicros + AHEAD[variant & 3];
        for (int client = 0; client < s.clients(); client++) {
            if (listening[client] != s.listens[client]) {
                listening[client] = s.listens[client];
                server.listen(channel(client), listening[client]);
            }
        }
        if (!s.isFree()) {
            server.command("SET", HOLD, written(s), "PXAT", at(s.left));
        }
        if (s.last > 0) {
            server.command("SET", KEYS.get(4), token(s.last), "PXAT", Long.toString(lastToken / 1_000 + TOKEN_LIFE));
        }
        layOutLine(KEYS.get(1), LockState.QUEUED, s.queueLeft);
        layOutLine(KEYS.get(2), LockState.ASIDE, s.parkedLeft);
        if (s.detailsLeft > 0) {
            server.command(details(s));
            server.command("PEXPIREAT", KEYS.get(3), at(s.detailsLeft));
        }
        for (int owner = 0; owner < s.owners(); owner++) {
            if (s.tombstone[owner] > 0) {
                server.command(
                        "SET", grave(owner), s.tombstone[owner] == 2 ? "A" : "1", "PX", Integer.toString(TOMBSTONE_LIFE));
            }
            if (s.evicted[owner]) {
                server.command("HSET", EVICTED, owner(owner), "1");
                server.command("PEXPIREAT", EVICTED, Long.toString(nowMillis + TOMBSTONE_LIFE));
            }
        }
    }

    private String[] details(LockState s) {
        List<String> words = new ArrayList<>(List.of("HSET", KEYS.get(3)));
        for (int owner = 0; owner < s.owners(); owner++) {
            if (s.known[owner]) {
                words.addAll(List.of(owner(owner), about(owner, s.ends[owner], sinceOfWait(owner))));
            }
        }
        if (s.sequence != LockState.ABSENT) {
            words.addAll(List.of("@seq", Integer.toString(s.sequence)));
        }
        if (s.claim != LockState.NOBODY) {
            words.addAll(List.of("@claim", owner(s.claim)));
        }
        for (int client = 0; client < s.clients(); client++) {
            field(words, "@n:", client, s.waiters[client]);
            field(words, "@p:", client, s.parked[client]);
            if (s.deadline[client] != LockState.ABSENT) {
                words.addAll(List.of("@a:" + client(client), at(s.deadline[client]) + (s.seen[client] ? " 1" : " 0")));
            }
            if (s.suspect[client]) {
                words.addAll(List.of("@s:" + client(client), suspicion(client)));
            }
        }
        return words.toArray(String[]::new);
    }

    private static void field(List<String> words, String name, int client, int value) {
        if (value != LockState.ABSENT) {
            words.addAll(List.of(name + client(client), Integer.toString(value)));
        }
    }

    private void layOutLine(String key, int place, int left) {
        int[] line = state.inLine(place);
        for (int owner : line) {
            server.command("ZADD", key, score(state.order[owner]), owner(owner));
        }
        if (line.length > 0 && left > 0) {
            server.command("PEXPIREAT", key, at(left));
        }
    }

    private String written(LockState s) {
        String mark = s.mark == LockState.KEPT ? " K" : s.mark == LockState.RECALLED ? " R" : "";
        return (s.holder == LockState.RESTS ? "-" : owner(s.holder)) + " " + token(s.token) + " " + sinceOfHold() + " "
                + termAndLabel(s.holder == LockState.RESTS ? 0 : s.holder) + mark;
    }

    private Script arguments(Call call, int variant, List<String> keys, List<String> args) {
        args.add(client(call.client()) + " " + bounds.waiterDeadline() * TICK + " " + CHANNELS);
        args.add(Long.toString(TOKEN_LIFE));
        if (call instanceof Call.Acquire asked) {
            Wish wish = bounds.wishes().get(asked.owner());
            keys.addAll(List.of(grave(asked.owner()), EVICTED));
            args.addAll(List.of(
                    owner(asked.owner()),
                    millis(bounds.term()),
                    termAndLabel(asked.owner()) + (wish.keeps() ? " K" : ""),
                    wish.keeps() ? "1" : "0",
                    (asked.queues() ? "1 " : "0 ") + asked.limit() + " " + wish.priority()
                            + (wish.newestFirst() ? " N " : " F ") + wish.life() * TICK
                            + (wish.toTail() ? " T " : " L ") + bounds.claim() * TICK));
            return Script.ACQUIRE;
        } else if (call instanceof Call.Release asked) {
            keys.add(grave(asked.owner()));
            shortest = (variant & 4) != 0 && asked.rest() > 0;
            long untilThen = nowMillis + (long) asked.rest() * TICK - sinceOfHold() / 1_000;
            String words = (asked.tombstone() ? TOMBSTONE_LIFE : 0) + " "
                    + (shortest ? untilThen + " 0 " : "0 " + asked.rest() * TICK + " ")
                    + (asked.used() == 0 ? "0" : token(asked.used()));
            args.addAll(List.of(owner(asked.owner()), words.equals("0 0 0 0") ? "" : words));
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

    private String reply(Call call, LockState before, Outcome expected, String number) {
        Outcome.Reply told = expected.reply();
        LockState after = expected.state();
        StringBuilder words = new StringBuilder(told.word());
        for (String word : told.rest().split(" ", -1)) {
            if (!word.isEmpty()) {
                words.append(' ').append(filledIn(word, expected));
            }
        }
        if (told.describes()) {
            words.append(' ');
            if (told.mine() == LockState.NOBODY) {
                words.append("   ");
            } else {
                words.append(shownOwner(told.mine())).append(' ').append(token(after.token, expected));
                words.append(' ').append(sinceOfHold(expected)).append(' ').append(millis(bounds.claim()));
            }
            words.append(' ').append(told.handed() * TICK).append(" 0").append(hold(after, expected));
        }
        String end = nowMicros + " " + number;
        if (call instanceof Call.Refresh) {
            return "[" + words + ", " + end.replace(" ", ", ") + "]";
        } else if (call instanceof Call.Revoke) {
            boolean ended = told.word().equals("RELEASED");
            String of = told.word().equals("NOTHING")
                    ? ""
                    : " " + (ended ? 0 : before.left * TICK) + " " + shownHolder(before.holder) + " "
                            + token(before.token) + " " + sinceOfHold() + " "
                            + termAndLabel(before.holder == LockState.RESTS ? 0 : before.holder);
            return "[" + words + ", " + of + ", " + end.replace(" ", ", ") + "]";
        }
        return words + " " + end;
    }

    private String hold(LockState after, Outcome expected) {
        if (after.isFree()) {
            return "";
        }
        boolean rests = after.holder == LockState.RESTS;
        boolean begins = rests && state.holder != LockState.RESTS;
        String term = begins ? restWritten(after.left) : Integer.toString(bounds.term() * TICK);
        int labelled = begins ? state.holder : rests ? 0 : after.holder;
        long left = begins ? restEnds(after.left) - nowMillis : (long) after.left * TICK;
        return " " + left + " " + shownHolder(after.holder) + " " + token(after.token, expected) + " "
                + sinceOfHold(expected) + " " + term + " " + label(labelled);
    }

    /** A rest counts from the end of the millisecond in which it begins; a shortest hold, from the beginning of that of the grant. */
    private long restEnds(int left) {
        return shortest ? nowMillis + (long) left * TICK : (nowMicros + 999) / 1_000 + (long) left * TICK;
    }

    private String restWritten(int left) {
        return Long.toString(Math.max(1, restEnds(left) - sinceOfHold() / 1_000));
    }

    private String filledIn(String word, Outcome expected) {
        return switch (word.charAt(0)) {
            case 'T' -> token(Integer.parseInt(word.substring(1)), expected);
            case 'S' -> Long.toString(sinceOfHold(expected));
            case 'D' -> Integer.toString(Integer.parseInt(word.substring(1)) * TICK);
            default -> word;
        };
    }

    private String messages(LockState before, Outcome expected) {
        List<String> all = new ArrayList<>();
        for (Outcome.Message message : expected.messages()) {
            String text =
                    switch (message.kind()) {
                        case G ->
                            "G " + shownOwner(message.owner()) + " " + token(message.token(), expected) + " "
                                    + sinceOfHold(expected) + " " + millis(bounds.claim())
                                    + (message.flag() ? " 1 " : " 0 ") + HOLD;
                        case V ->
                            "V " + shownOwner(message.owner()) + " " + token(message.token())
                                    + (message.flag() ? " 1 " : " 0 ") + HOLD;
                        case E -> "E " + shownOwner(message.owner()) + " " + HOLD;
                        case P -> "P " + suspicion(before, message.client()) + " " + HOLD;
                        case R -> "R " + token(message.token(), expected) + " " + HOLD;
                    };
            all.add(channel(message.client()) + " " + text);
        }
        return String.join("\n", sorted(all));
    }

    // ---- from the server to the model

    private @Nullable String comparedKeys(LockState expected, int granted) {
        LockState found = new LockState(bounds.owners(), bounds.clients());
        System.arraycopy(expected.listens, 0, found.listens, 0, found.listens.length);
        List<String> odd = new ArrayList<>();
        readHold(found, granted, odd);
        readToken(found, granted, odd);
        found.queueLeft = readLine(found, KEYS.get(1), LockState.QUEUED, odd);
        found.parkedLeft = readLine(found, KEYS.get(2), LockState.ASIDE, odd);
        readDetails(found, odd);
        for (int owner = 0; owner < found.owners(); owner++) {
            Reply mark = server.command("GET", grave(owner));
            found.tombstone[owner] = mark.isNull() ? 0 : mark.asString().equals("A") ? 2 : 1;
            found.evicted[owner] =
                    !server.command("HGET", EVICTED, owner(owner)).isNull();
            if (found.tombstone[owner] > 0 && left(grave(owner)) < FAR) {
                odd.add("a tombstone ends too soon");
            }
        }
        if (!odd.isEmpty()) {
            return String.join("; ", odd);
        }
        return found.sameAs(expected) ? null : "the keys are\n  " + found + "\nand in the model\n  " + expected;
    }

    private void readHold(LockState found, int granted, List<String> odd) {
        Reply text = server.command("GET", HOLD);
        if (text.isNull()) {
            return;
        }
        Matcher parts = WRITTEN.matcher(text.asString());
        if (!parts.matches()) {
            odd.add("a hold is written as " + text.asString());
            return;
        }
        found.holder = parts.group(1).equals("-") ? LockState.RESTS : ownerOf(parts.group(1));
        found.token = tokenOf(parts.group(2), granted != LockState.NOBODY);
        found.mark = parts.group(6) == null
                ? LockState.UNMARKED
                : parts.group(6).equals(" K") ? LockState.KEPT : LockState.RECALLED;
        found.left = left(HOLD);
        boolean isNew = granted != LockState.NOBODY && found.holder == granted;
        if (isNew && !parts.group(3).equals(Long.toString(nowMicros))) {
            odd.add("a grant is of " + parts.group(3) + ", and not of now");
        }
        if (found.holder >= 0 && !parts.group(5).equals(label(found.holder))) {
            odd.add("a hold has the label " + parts.group(5));
        }
    }

    private void readToken(LockState found, int granted, List<String> odd) {
        Reply text = server.command("GET", KEYS.get(4));
        if (text.isNull()) {
            return;
        }
        found.last = tokenOf(text.asString(), granted != LockState.NOBODY);
        long ends = server.command("PEXPIRETIME", KEYS.get(4)).asLong();
        if (ends < text.asLong() / 1_000 + TOKEN_LIFE - 1) {
            odd.add("the last token is forgotten " + (text.asLong() / 1_000 + TOKEN_LIFE - ends) + " ms too soon");
        }
    }

    private int readLine(LockState found, String key, int place, List<String> odd) {
        List<Reply> pairs = server.command("ZRANGE", key, "0", "-1", "WITHSCORES").asList();
        for (int i = 0; i < pairs.size(); i += 2) {
            int owner = ownerOf(pairs.get(i).asString());
            if (found.where[owner] != LockState.NOWHERE) {
                odd.add(Words.owner(owner) + " stands in two places");
            }
            found.where[owner] = place;
            found.order[owner] = order(pairs.get(i + 1).asLong());
        }
        return left(key);
    }

    private void readDetails(LockState found, List<String> odd) {
        List<Reply> pairs = server.command("HGETALL", KEYS.get(3)).asList();
        for (int i = 0; i < pairs.size(); i += 2) {
            String field = pairs.get(i).asString();
            String value = pairs.get(i + 1).asString();
            if (field.equals("@seq")) {
                found.sequence = Integer.parseInt(value);
            } else if (field.equals("@claim")) {
                found.claim = ownerOf(value);
            } else if (field.startsWith("@")) {
                readClient(found, field.substring(0, 3), clientOf(field.substring(3)), value, odd);
            } else {
                readAbout(found, ownerOf(field), value, odd);
            }
        }
        found.detailsLeft = left(KEYS.get(3));
    }

    private void readClient(LockState found, String field, int client, String value, List<String> odd) {
        switch (field) {
            case "@n:" -> found.waiters[client] = Integer.parseInt(value);
            case "@p:" -> found.parked[client] = Integer.parseInt(value);
            case "@a:" -> {
                int blank = value.indexOf(' ');
                found.deadline[client] = Math.max(-1, ticks(Long.parseLong(value.substring(0, blank))));
                found.seen[client] = value.endsWith(" 1");
            }
            case "@s:" -> {
                found.suspect[client] = true;
                if (!value.equals(suspicion(client)) && !value.equals(Long.toString(nowMicros))) {
                    odd.add("a suspicion is of " + value);
                }
            }
            default -> odd.add("the details have a field " + field);
        }
    }

    private void readAbout(LockState found, int owner, String value, List<String> odd) {
        found.known[owner] = true;
        long end = Long.parseLong(value.substring(0, value.indexOf(' ')));
        found.ends[owner] = end == 0 ? LockState.ABSENT : Math.max(-1, ticks(end));
        String since = value.split(" ", 3)[1];
        boolean old = state.known[owner] && since.equals(Long.toString(sinceOfWait(owner)));
        boolean fresh = since.equals(Long.toString(nowMicros));
        if ((!old && !fresh) || !value.endsWith(about(owner, LockState.ABSENT, Long.parseLong(since)).substring(1))) {
            odd.add("of " + Words.owner(owner) + " is known: " + value);
        }
    }

    private int left(String key) {
        long at = server.command("PEXPIRETIME", key).asLong();
        return at == -2 ? 0 : at == -1 ? LockState.UNENDING : ticks(at);
    }

    /** A rest may last a part of a millisecond longer, and so a whole one. */
    private int ticks(long at) {
        long millis = at - nowMillis;
        long ticks = Math.floorDiv(millis, TICK);
        if (Math.floorMod(millis, TICK) > 1) {
            return 1_000_000 + (int) millis; // no whole tick: it differs from whatever was expected
        }
        return ticks >= FAR ? LockState.FOREVER : (int) ticks;
    }

    private int tokenOf(String text, boolean granted) {
        long token = Long.parseLong(text);
        long next = newToken();
        if (granted && token >= next) {
            return (int) Math.min(state.last + 1 + (token - next), 1_000_000);
        }
        return token > lastToken ? -1_000 : (int) Math.max(state.last - (lastToken - token), -2_000);
    }

    // ---- names and numbers

    private long newToken() {
        return state.last == 0 ? nowMicros : Math.max(nowMicros, lastToken + 1);
    }

    private String token(int token) {
        return Long.toString(lastToken - (state.last - token));
    }

    private String token(int token, Outcome expected) {
        boolean isNew = expected.granted() != LockState.NOBODY && token > state.last;
        return isNew ? Long.toString(newToken() + (token - state.last - 1)) : token(token);
    }

    /** When the hold of the state that is laid out was granted. */
    private long sinceOfHold() {
        return laidMicros - 1_500_007;
    }

    private long sinceOfHold(Outcome expected) {
        return expected.granted() != LockState.NOBODY ? nowMicros : sinceOfHold();
    }

    private long sinceOfWait(int owner) {
        return laidMicros - 1_000_003 - owner;
    }

    private String suspicion(int client) {
        return Long.toString(laidMicros - 900_001 - client);
    }

    /** Of a client that is suspect, since before or since this script. */
    private String suspicion(LockState before, int client) {
        return before.suspect[client] ? suspicion(client) : Long.toString(nowMicros);
    }

    private String about(int owner, int ends, long since) {
        Wish wish = bounds.wishes().get(owner);
        return (ends == LockState.ABSENT ? "0" : at(ends)) + " " + since + " " + wish.life() * TICK
                + (wish.toTail() ? " T " : " L ") + bounds.claim() * TICK + " " + (wish.keeps() ? 1 : 0) + " "
                + termAndLabel(owner) + (wish.keeps() ? " K" : "");
    }

    private String termAndLabel(int owner) {
        return bounds.term() * TICK + " " + label(owner);
    }

    private String at(int ticks) {
        return Long.toString(nowMillis + (long) ticks * TICK);
    }

    private static String millis(int ticks) {
        return Integer.toString(ticks * TICK);
    }

    private String owner(int owner) {
        return shownOwner(owner) + "~s";
    }

    private String shownOwner(int owner) {
        return client(bounds.clientOf(owner)) + ".0-" + owner;
    }

    private String shownHolder(int holder) {
        return holder == LockState.RESTS ? "-" : shownOwner(holder);
    }

    private int ownerOf(String text) {
        return Integer.parseInt(text.substring(text.indexOf('-') + 1, text.indexOf('~')));
    }

    private static String client(int client) {
        return "c" + client;
    }

    private static int clientOf(String text) {
        return Integer.parseInt(text.substring(1));
    }

    private static String label(int owner) {
        return "l/" + owner;
    }

    private static String channel(int client) {
        return CHANNELS + client(client);
    }

    private String grave(int owner) {
        return HOLD + ":x:" + shownOwner(owner);
    }

    private static String score(int order) {
        int plain = order - 1_000 * Math.floorDiv(order + 500, 1_000);
        return Long.toString(plain + (order - plain) / 1_000 * BAND);
    }

    private static int order(long score) {
        long bands = Math.floorDiv(score + BAND / 2, BAND);
        return (int) (score - bands * BAND + bands * 1_000);
    }

    private static String shown(Reply reply) {
        if (reply.isNull()) {
            return "(nothing)";
        }
        if (!reply.isList()) {
            return reply.asString();
        }
        StringBuilder all = new StringBuilder("[");
        for (Reply element : reply.asList()) {
            all.append(all.length() > 1 ? ", " : "").append(shown(element));
        }
        return all.append(']').toString();
    }

    private static List<String> sorted(List<String> texts) {
        String[] all = texts.toArray(String[]::new);
        Arrays.sort(all);
        return List.of(all);
    }

    @Override
    public void close() {
        server.close();
    }
}
