package io.holdfast.model.conformance;

import static io.holdfast.model.conformance.Texts.client;
import static io.holdfast.model.conformance.Texts.clientOf;
import static io.holdfast.model.conformance.Texts.label;
import static io.holdfast.model.conformance.Texts.shown;
import static io.holdfast.model.conformance.Texts.sorted;
import static io.holdfast.model.conformance.Texts.timeTold;

import io.holdfast.internal.wire.Script;
import io.holdfast.model.queue.QueueBounds;
import io.holdfast.model.queue.QueueState;
import io.holdfast.model.queue.Words;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.Reply;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Runs one call of a model on a server: lays out the keys of a state, runs the script as it ships, and compares its reply, its messages
 * and the keys afterwards with what the model says. Here is what is the same for each kind of lock: who waits, and who has ended.
 *
 * <p>A tick is a second. The token that was given last is far behind the server's clock, or just behind it, or ahead of it, by the
 * number of the call: a grant must be the greater of the clock and the next one each time.
 *
 * <p>All times of a state are laid out for one millisecond of the server's clock, and the script has to run in it: else it would find
 * another state, and the same is laid out anew for a later one. What is to be a tick later is laid out for a tick before.
 */
abstract class QueueBench<S extends QueueState<S>, C> implements Bench<S, C> {
    static final int TICK = 1_000;
    static final long TOKEN_LIFE = 3_600_000;
    static final int TOMBSTONE_LIFE = 120_000;
    /** Times beyond so many ticks are beyond what the model sees. */
    private static final int FAR = 50;

    static final String HOLD = "hf:{m}";
    static final String CHANNELS = "hf:to:";
    static final List<String> KEYS = List.of(HOLD, HOLD + ":q", HOLD + ":p", HOLD + ":d", HOLD + ":t");
    static final String EVICTED = HOLD + ":e";
    /** Distances of the last token from the server's clock, in microseconds. */
    private static final long[] AHEAD = {-2_000_000, -1, 0, 1_003};

    static final List<String> TIME = List.of("TIME");
    /** How often a state may be laid out for the wrong millisecond. */
    private static final int MOST_TRIES = 10_000;

    final ScriptServer server;
    private final QueueBounds<?> bounds;
    private final Scripts scripts;
    private final boolean[] listening;

    // of the state that is laid out
    S state;
    long nowMicros; // when the script ran
    long nowMillis; // for when times are laid out, or a tick later
    private long laidMicros;
    private long lastToken;
    private final List<List<String>> commands = new ArrayList<>();
    private final List<List<String>> looks = new ArrayList<>();
    private final Map<List<String>, Reply> seen = new HashMap<>();
    private List<String> published = List.of();
    private long calls;

    // of what is expected
    /** Whether a token is given. */
    boolean grants;
    /** The last token before that. */
    long base;

    QueueBench(QueueBounds<?> bounds, S empty, Scripts scripts, ScriptServer server) {
        this.bounds = bounds;
        this.scripts = scripts;
        this.server = server;
        this.listening = new boolean[bounds.clients()];
        this.state = empty;
    }

    // ---- what each kind of lock adds

    /** Runs the model, and notes whether a token is given, after which. Answers what is expected. */
    abstract S expect(C call);

    /** Nothing begins in a tick. */
    void expectTick() {}

    abstract S empty();

    /** The keys and the arguments of a call, to those that each script has. */
    abstract Script arguments(C call, int variant, List<String> keys, List<String> args);

    /**
     * What the model says, as the script would say it.
     *
     * @param end the words behind each reply
     */
    abstract String reply(C call, String end);

    /** Each with its channel. */
    abstract List<String> messages();

    abstract void layOutHolds(int variant);

    /** Adds fields to the details. */
    abstract void layOutClaims(List<String> words);

    /** Which keys are to be looked at for the holds. */
    abstract void lookAtHolds();

    abstract void readHolds(S found, List<String> odd);

    /** Whether a field of the details tells of claims. */
    abstract boolean readClaims(S found, String field, String value);

    /** What an owner asks for, as it is written: the words behind its claim. */
    abstract String asked(int owner);

    // ---- a call

    @Override
    public final @Nullable String difference(S before, C call, int variant) {
        state = before;
        S expected = expect(call);
        String number = Long.toString(++calls);
        String reply;
        try {
            reply = shown(run(call, variant, number));
        } catch (DriverException e) {
            return "the reply is the error " + e.getMessage();
        }
        nowMicros = timeTold(reply);
        String wanted = reply(call, nowMicros + " " + number);
        if (!wanted.equals(reply)) {
            return "the reply is\n  " + reply + "\nand in the model\n  " + wanted;
        }
        String heard = String.join("\n", sorted(published));
        String messages = String.join("\n", sorted(messages()));
        if (!messages.equals(heard)) {
            return "the messages are\n  " + heard + "\nand in the model\n  " + messages;
        }
        return comparedKeys(expected);
    }

    private Reply run(C call, int variant, String number) {
        listen();
        for (int tries = 0; tries < MOST_TRIES; tries++) {
            layOut(variant, server.soon());
            List<String> keys = new ArrayList<>(KEYS);
            List<String> args = new ArrayList<>();
            Script script = arguments(call, variant, keys, args);
            args.add(number);
            int at = commands.size() + 1;
            commands.addAll(List.of(TIME, evaluation(scripts.text(script), keys, args), TIME));
            List<Reply> replies = ask();
            published = server.heard();
            // A script reads the clock once, and before 7.2 the lives of keys apart from it.
            boolean isMeant = millisOf(replies.get(at - 1)) == nowMillis && millisOf(replies.get(at + 1)) == nowMillis;
            if (isMeant && isLookInTime()) {
                return replies.get(at);
            }
        }
        throw new IllegalStateException("no script has begun and ended in the millisecond for which it was meant");
    }

    @Override
    public final @Nullable String differenceOfTick(S before, int variant) {
        state = before;
        grants = false;
        base = before.last;
        expectTick();
        listen();
        for (int tries = 0; tries < MOST_TRIES; tries++) {
            long now = server.soon() - TICK / 2; // what ends now is gone surely, and what ends a tick later is there
            layOut(variant, now - TICK);
            nowMillis = now;
            ask();
            if (isLookInTime()) {
                return comparedKeys(before.later());
            }
        }
        throw new IllegalStateException("no look has ended before the next tick");
    }

    private boolean isLookInTime() {
        long looked = millisOf(seen(TIME));
        return looked >= nowMillis && looked < nowMillis + TICK;
    }

    private static List<String> evaluation(String text, List<String> keys, List<String> args) {
        List<String> words = new ArrayList<>(List.of("EVAL", text, Integer.toString(keys.size())));
        words.addAll(keys);
        words.addAll(args);
        return words;
    }

    /** Runs what was laid out, and looks at all keys. */
    private List<Reply> ask() {
        if (looks.isEmpty()) {
            look();
        }
        int first = commands.size();
        commands.addAll(looks);
        List<Reply> replies = server.ask(commands);
        seen.clear();
        for (int i = 0; i < looks.size(); i++) {
            seen.put(looks.get(i), replies.get(first + i));
        }
        return replies;
    }

    static long microsOf(Reply time) {
        return time.asList().get(0).asLong() * 1_000_000 + time.asList().get(1).asLong();
    }

    static long millisOf(Reply time) {
        return microsOf(time) / 1_000;
    }

    // ---- from the model to the server

    final void lay(String... words) {
        commands.add(List.of(words));
    }

    private void listen() {
        for (int client = 0; client < state.clients(); client++) {
            if (listening[client] != state.listens[client]) {
                listening[client] = state.listens[client];
                server.listen(channel(client), listening[client]);
            }
        }
    }

    private void layOut(int variant, long now) {
        S s = state;
        commands.clear();
        lay("FLUSHDB");
        nowMillis = now;
        laidMicros = now * 1_000;
        lastToken = laidMicros + AHEAD[variant & 3];
        layOutHolds(variant);
        if (s.last > 0) {
            lay("SET", KEYS.get(4), token(s.last), "PXAT", Long.toString(lastToken / 1_000 + TOKEN_LIFE));
        }
        layOutLine(KEYS.get(1), QueueState.QUEUED, s.queueLeft);
        layOutLine(KEYS.get(2), QueueState.ASIDE, s.parkedLeft);
        if (s.detailsLeft > 0) {
            lay(details(s));
            lay("PEXPIREAT", KEYS.get(3), at(s.detailsLeft));
        }
        for (int owner = 0; owner < s.owners(); owner++) {
            if (s.tombstone[owner] > 0) {
                lay("SET", grave(owner), s.tombstone[owner] == 2 ? "A" : "1", "PX", Integer.toString(TOMBSTONE_LIFE));
            }
            if (s.evicted[owner]) {
                lay("HSET", EVICTED, owner(owner), "1");
                lay("PEXPIREAT", EVICTED, Long.toString(nowMillis + TOMBSTONE_LIFE));
            }
        }
    }

    private String[] details(S s) {
        List<String> words = new ArrayList<>(List.of("HSET", KEYS.get(3)));
        for (int owner = 0; owner < s.owners(); owner++) {
            if (s.known[owner]) {
                words.addAll(List.of(owner(owner), about(owner, s.ends[owner], sinceOfWait(owner))));
            }
        }
        if (s.sequence != QueueState.ABSENT) {
            words.addAll(List.of("@seq", Integer.toString(s.sequence)));
        }
        ShareFields.layOut(s, words);
        layOutClaims(words);
        for (int client = 0; client < s.clients(); client++) {
            field(words, "@n:", client, s.waiters[client]);
            field(words, "@p:", client, s.parked[client]);
            if (s.deadline[client] != QueueState.ABSENT) {
                words.addAll(List.of("@a:" + client(client), at(s.deadline[client]) + (s.seen[client] ? " 1" : " 0")));
            }
            if (s.suspect[client]) {
                words.addAll(List.of("@s:" + client(client), suspicion(client)));
            }
        }
        return words.toArray(String[]::new);
    }

    private static void field(List<String> words, String name, int client, int value) {
        if (value != QueueState.ABSENT) {
            words.addAll(List.of(name + client(client), Integer.toString(value)));
        }
    }

    private void layOutLine(String key, int place, int left) {
        int[] line = state.inLine(place);
        for (int owner : line) {
            lay("ZADD", key, Long.toString(state.order[owner]), owner(owner));
        }
        if (line.length > 0 && left > 0) {
            lay("PEXPIREAT", key, at(left));
        }
    }

    // ---- from the server to the model

    /** What is looked at. */
    private void look() {
        for (String key : List.of(KEYS.get(1), KEYS.get(2))) {
            look("ZRANGE", key, "0", "-1", "WITHSCORES");
            look("PEXPIRETIME", key);
        }
        look("HGETALL", KEYS.get(3));
        look("PEXPIRETIME", KEYS.get(3));
        look("GET", KEYS.get(4));
        look("PEXPIRETIME", KEYS.get(4));
        for (int owner = 0; owner < state.owners(); owner++) {
            look("GET", grave(owner));
            look("HGET", EVICTED, owner(owner));
        }
        lookAtHolds();
        looks.add(TIME);
    }

    final void look(String... words) {
        looks.add(List.of(words));
    }

    /** What a look has shown. */
    final Reply seen(String... words) {
        return seen(List.of(words));
    }

    private Reply seen(List<String> words) {
        return Objects.requireNonNull(seen.get(words), words::toString);
    }

    private @Nullable String comparedKeys(S expected) {
        S found = empty();
        System.arraycopy(expected.listens, 0, found.listens, 0, found.listens.length);
        List<String> odd = new ArrayList<>();
        found.queueLeft = readLine(found, KEYS.get(1), QueueState.QUEUED, odd);
        found.parkedLeft = readLine(found, KEYS.get(2), QueueState.ASIDE, odd);
        readHolds(found, odd);
        readToken(found, odd);
        readDetails(found, odd);
        for (int owner = 0; owner < found.owners(); owner++) {
            Reply mark = seen("GET", grave(owner));
            found.tombstone[owner] = mark.isNull() ? 0 : mark.asString().equals("A") ? 2 : 1;
            found.evicted[owner] = !seen("HGET", EVICTED, owner(owner)).isNull();
        }
        if (!odd.isEmpty()) {
            return String.join("; ", odd);
        }
        return found.sameAs(expected) ? null : "the keys tell\n  " + found + "\nand in the model\n  " + expected;
    }

    private void readToken(S found, List<String> odd) {
        Reply text = seen("GET", KEYS.get(4));
        if (text.isNull()) {
            return;
        }
        found.last = tokenOf(text.asString());
        long ends = seen("PEXPIRETIME", KEYS.get(4)).asLong();
        if (ends < text.asLong() / 1_000 + TOKEN_LIFE - 1) {
            odd.add("the last token is forgotten " + (text.asLong() / 1_000 + TOKEN_LIFE - ends) + " ms too soon");
        }
    }

    private int readLine(S found, String key, int place, List<String> odd) {
        List<Reply> pairs = seen("ZRANGE", key, "0", "-1", "WITHSCORES").asList();
        for (int i = 0; i < pairs.size(); i += 2) {
            int owner = ownerOf(pairs.get(i).asString());
            if (found.where[owner] != QueueState.NOWHERE) {
                odd.add(Words.owner(owner) + " stands in two places");
            }
            found.where[owner] = place;
            found.order[owner] = pairs.get(i + 1).asLong();
        }
        return left(key);
    }

    private void readDetails(S found, List<String> odd) {
        List<Reply> pairs = seen("HGETALL", KEYS.get(3)).asList();
        ShareFields shares = new ShareFields();
        for (int i = 0; i < pairs.size(); i += 2) {
            String field = pairs.get(i).asString();
            String value = pairs.get(i + 1).asString();
            if (field.equals("@seq")) {
                found.sequence = Integer.parseInt(value);
            } else if (field.startsWith("@")) {
                if (!shares.read(found, field, value) && !readClaims(found, field, value)) {
                    readClient(found, field.substring(0, 3), clientOf(field.substring(3)), value, odd);
                }
            } else {
                readAbout(found, ownerOf(field), value, odd);
            }
        }
        shares.readAll(found, odd);
        found.detailsLeft = left(KEYS.get(3));
    }

    private void readClient(S found, String field, int client, String value, List<String> odd) {
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

    private void readAbout(S found, int owner, String value, List<String> odd) {
        found.known[owner] = true;
        long end = Long.parseLong(value.substring(0, value.indexOf(' ')));
        found.ends[owner] = end == 0 ? QueueState.ABSENT : Math.max(-1, ticks(end));
        String since = value.split(" ", 3)[1];
        boolean old = state.known[owner] && since.equals(Long.toString(sinceOfWait(owner)));
        boolean fresh = since.equals(Long.toString(nowMicros));
        if ((!old && !fresh)
                || !value.endsWith(
                        about(owner, QueueState.ABSENT, Long.parseLong(since)).substring(1))) {
            odd.add("of " + Words.owner(owner) + " is known: " + value);
        }
    }

    final int left(String key) {
        long at = seen("PEXPIRETIME", key).asLong();
        return at == -2 ? 0 : at == -1 ? QueueState.UNENDING : ticks(at);
    }

    /** A rest may last a part of a millisecond longer, and so a whole one. */
    final int ticks(long at) {
        long millis = at - nowMillis;
        long ticks = Math.floorDiv(millis, TICK);
        if (Math.floorMod(millis, TICK) > 1) {
            return 1_000_000 + (int) millis; // no whole tick: it differs from whatever was expected
        }
        return ticks >= FAR ? QueueState.FOREVER : (int) ticks;
    }

    // ---- names and numbers

    /** A token, of those that this script gives too. */
    final String tokenNow(long token) {
        return grants && token > base ? Long.toString(newToken() + (token - base - 1)) : token(token);
    }

    /** When the holds of the state that is laid out were granted. */
    final long sinceOfHold() {
        return laidMicros - 1_500_007;
    }

    private String about(int owner, int ends, long since) {
        QueueBounds.Entry wish = bounds.wishes().get(owner);
        return (ends == QueueState.ABSENT ? "0" : at(ends)) + " " + since + " " + wish.life() * TICK
                + (wish.toTail() ? " T " : " L ") + bounds.claim() * TICK + " " + asked(owner)
                + ShareFields.endOf(wish);
    }

    /** As each script of a client has it first. */
    final void addClient(List<String> args, int client) {
        args.add(client(client) + " " + bounds.waiterDeadline() * TICK + " " + CHANNELS);
        args.add(Long.toString(TOKEN_LIFE));
    }

    /** What only the queue needs of a request. */
    final String wishes(int owner, boolean queues, int limit) {
        QueueBounds.Entry wish = bounds.wishes().get(owner);
        return (queues ? "1 " : "0 ") + limit + " " + wish.priority() + ShareFields.placeOf(wish) + wish.life() * TICK
                + (wish.toTail() ? " T " : " L ") + bounds.claim() * TICK;
    }

    final String termAndLabel(int owner) {
        return bounds.term() * TICK + " " + label(owner);
    }

    final long tokenOf(String text) {
        long token = Long.parseLong(text);
        long next = newToken();
        if (grants && token >= next) {
            return Math.min(base + 1 + (token - next), 1_000_000);
        }
        return Math.max(-1_000, Math.min(state.last - (lastToken - token), 1_000));
    }

    /** The server's clock, or if that is behind, the next one after the last that was used. */
    final long newToken() {
        return base == 0 ? nowMicros : Math.max(nowMicros, lastToken - (state.last - base) + 1);
    }

    final String token(long token) {
        return Long.toString(lastToken - (state.last - token));
    }

    private long sinceOfWait(int owner) {
        return laidMicros - 1_000_003 - owner;
    }

    final String suspicion(int client) {
        return Long.toString(laidMicros - 900_001 - client);
    }

    /** Of a client that is suspect, since before or since this script. */
    final String suspicionNow(int client) {
        return state.suspect[client] ? suspicion(client) : Long.toString(nowMicros);
    }

    final String at(int ticks) {
        return Long.toString(nowMillis + (long) ticks * TICK);
    }

    static String millis(int ticks) {
        return Integer.toString(ticks * TICK);
    }

    final String owner(int owner) {
        return shownOwner(owner) + "~s";
    }

    final String shownOwner(int owner) {
        return client(bounds.clientOf(owner)) + ".0-" + owner;
    }

    final int ownerOf(String text) {
        return Integer.parseInt(text.substring(text.indexOf('-') + 1, text.indexOf('~')));
    }

    static String channel(int client) {
        return CHANNELS + client(client);
    }

    final String grave(int owner) {
        return HOLD + ":x:" + shownOwner(owner);
    }

    @Override
    public final void close() {
        server.close();
    }
}
