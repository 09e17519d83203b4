package io.holdfast.model.following;

import io.holdfast.model.queue.QueueBounds;
import io.holdfast.model.queue.QueueBounds.Share;
import io.holdfast.model.queue.QueueState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * One lock in one call of a script: its keys as a state of the model, the call as one of the model's, and what the model says as the
 * script would say it. What the model does not have, as labels, is followed beside it: it may change only where something begins.
 *
 * @param <S> the state of a kind of lock
 * @param <W> what an owner of it asks for
 */
abstract class FollowedQueue<S extends QueueState<S>, W extends QueueBounds.Entry> {
    /** What is written of a hold, and the model does not know. */
    record Hold(long since, String term, String label) {
        String words() {
            return since + " " + term + " " + label;
        }
    }

    /** What is written of a lock, and the model does not know. */
    final class Facts {
        /** Of those that wait, by owner: what is written behind the end of the request. */
        final @Nullable String[] about = new String[publics.size()];
        /** Of clients: since when each is suspect. */
        final @Nullable String[] suspicion = new String[clients.size()];
        /** Of holds, by owner; of an exclusive lock, the only one. */
        final @Nullable Hold[] holds = new Hold[Math.max(1, publics.size())];
    }

    final Ran ran;
    final LockKeys.Names keys;
    final LockKeys before;

    // names
    private final Map<String, String> fulls =
            new TreeMap<>(); // by public id, in the order in which a server has members of lines
    private final TreeSet<String> clientNames = new TreeSet<>();
    private final Map<String, Integer> owners = new HashMap<>();
    private final Map<String, Integer> clients = new HashMap<>();
    private final List<String> publics = new ArrayList<>();
    private final List<String> clientsByNumber = new ArrayList<>();

    // of the call
    long nowMicros;
    long nowMillis;
    CallBounds<W> bounds;
    /** Before the call; then what the model says. */
    S state;

    Facts facts;
    private long lastBefore;
    private String described;
    private final List<String> groups = new ArrayList<>(); // by number
    final Map<String, Long> graveEnds = new HashMap<>(); // by public id
    long evictedEnds;

    @SuppressWarnings("NullAway.Init") // the rest is known when the reply has told the time
    FollowedQueue(Ran ran, LockKeys.Names keys, Stored stored) {
        this.ran = ran;
        this.keys = keys;
        this.before = new LockKeys(stored, keys);
    }

    // ---- names

    /** Whether a word is that of an owner, and not one that stands for all, or for nobody. */
    static boolean isOwner(String word) {
        return word.indexOf('.') > 0;
    }

    static String publicOf(String owner) {
        int end = owner.indexOf('~');
        return end < 0 ? owner : owner.substring(0, end);
    }

    private static String clientOf(String owner) {
        int end = owner.indexOf('.');
        if (end < 0) {
            throw new NotFollowed("an owner that is none of Holdfast's");
        }
        return owner.substring(0, end);
    }

    /** An owner is met, by its name or by its public id. */
    final void mention(String owner) {
        String key = publicOf(owner);
        boolean whole = key.length() < owner.length();
        String known = fulls.get(key + " ");
        if (known != null && whole && !known.isEmpty() && !known.equals(owner)) {
            throw new NotFollowed("two owners of one public id");
        }
        if (known == null || known.isEmpty()) {
            fulls.put(key + " ", whole ? owner : "");
        }
        clientNames.add(clientOf(owner));
    }

    final void mentionClient(String client) {
        clientNames.add(client);
    }

    /** Meets those of whom something is stored. */
    private void mentionStored() {
        before.queue.forEach(one -> mention(one.name()));
        before.parked.forEach(one -> mention(one.name()));
        before.evicted.keySet().forEach(this::mention);
        before.details.forEach((field, value) -> {
            if (!field.startsWith("@")) {
                mention(field);
            } else if (field.length() > 3 && field.charAt(2) == ':' && field.charAt(1) != 'g') {
                mentionClient(field.substring(3));
            }
        });
        mentionHolds();
    }

    /** Meets those that hold, and those that have claims. */
    abstract void mentionHolds();

    final int owner(String owner) {
        Integer number = owners.get(publicOf(owner));
        if (number == null || (owner.indexOf('~') >= 0 && !owner.equals(full(number)))) {
            throw new NotFollowed("an owner that was not there: " + owner);
        }
        return number;
    }

    final int client(String client) {
        Integer number = clients.get(client);
        if (number == null) {
            throw new NotFollowed("a client that was not there: " + client);
        }
        return number;
    }

    final String shownOwner(int owner) {
        return publics.get(owner);
    }

    final String full(int owner) {
        return fulls.getOrDefault(publics.get(owner) + " ", "");
    }

    /** Of the client that asks. */
    final int requester() {
        return client(ran.words(0)[0]);
    }

    private String channel(int client) {
        String prefix = ran.words(0)[2];
        String name = clientsByNumber.get(client);
        return prefix.isEmpty() ? keys.hold() + ":to:" + name : prefix + name;
    }

    final void tell(List<String> messages, int client, String text) {
        messages.add(channel(client) + " " + text);
    }

    // ---- the state before

    /** Gives owners and clients their numbers, and reads the state that the script has found. */
    final void open(Stored stored, long micros, boolean byClient) {
        nowMicros = micros;
        nowMillis = Math.floorDiv(micros, 1_000);
        if (before.anyEndsIn(nowMillis)) {
            throw new NotFollowed("a key in its last millisecond"); // servers have it, and in the model it has ended
        }
        mentionStored();
        if (byClient) {
            mentionClient(ran.words(0)[0]);
        }
        for (String one : fulls.keySet()) {
            owners.put(one.substring(0, one.length() - 1), publics.size());
            publics.add(one.substring(0, one.length() - 1));
        }
        for (String one : clientNames) {
            clients.put(one, clientsByNumber.size());
            clientsByNumber.add(one);
        }
        mentionGroups();
        facts = new Facts();
        state = read(before, facts);
        lastBefore = state.last;
        described = state.toString();
        int waiterDeadline = byClient ? Ran.millis(ran.words(0)[1]) : 0;
        bounds = new CallBounds<>(micros, waiterDeadline, publics.size());
        for (int owner = 0; owner < publics.size(); owner++) {
            bounds.add(wish(owner));
        }
        if (byClient) {
            for (int client = 0; client < clientsByNumber.size(); client++) {
                state.listens[client] = stored.listeners(channel(client)) > 0;
            }
        }
        keys.graves().forEach((owner, key) -> graveEnds.put(owner, before.expiry(key)));
        evictedEnds = before.expiry(keys.evicted());
    }

    private W wish(int owner) {
        String about = facts.about[owner];
        String asked = about == null ? null : about.substring(about.indexOf(' ') + 1);
        int client = client(clientOf(publics.get(owner)));
        boolean asks = asksNow() && full(owner).equals(ran.arg(2));
        if (asks) {
            String now = askedNow();
            if (asked != null && !asked.equals(now)) {
                throw new NotFollowed("an owner that asks for something else than before");
            }
            String[] queueing = ran.words(6);
            bounds.drawnFor = queueing[3].equals("R") ? ran.arg(2) : null;
            W wish = wish(
                    client, now, Integer.parseInt(queueing[2]), queueing[3].equals("N"), shareOf(queueing[3]), owner);
            bounds.term[owner] = Ran.millis(ran.arg(3));
            return wish;
        }
        return asked == null
                ? noWish(client)
                : wish(client, asked, 0, false, shareOf(asked.substring(asked.lastIndexOf(' ') + 1)), owner);
    }

    private Share shareOf(String place) {
        int colon = place.indexOf(':');
        return colon < 0 || !place.startsWith("S")
                ? Share.NONE
                : new Share(groups.indexOf(place.substring(colon + 1)), Integer.parseInt(place, 1, colon, 10));
    }

    /** Groups that are known, and that of the request. */
    private void mentionGroups() {
        before.details.keySet().stream()
                .filter(field -> field.startsWith("@g:"))
                .forEach(field -> groups.add(field.substring(3)));
        String place = asksNow() ? ran.words(6)[3] : "";
        String asked = place.substring(place.indexOf(':') + 1);
        if (place.startsWith("S") && !groups.contains(asked)) {
            groups.add(asked);
        }
    }

    abstract W noWish(int client);

    /** What is asked for, by its words; the times of the owner are noted. */
    abstract W wish(int client, String asked, int priority, boolean newestFirst, Share share, int owner);

    private boolean asksNow() {
        return switch (ran.script()) {
            case ACQUIRE, LINE_ACQUIRE -> true;
            default -> false;
        };
    }

    /** As it is written of a request: life, policy, claim, what is asked for, and what the hold is to end with. */
    private String askedNow() {
        String[] queueing = ran.arg(6).split(" ", 5);
        String share = queueing[3].startsWith("S") ? " " + queueing[3] : "";
        return queueing[4] + " " + ran.arg(5) + " " + ran.arg(4) + share;
    }

    /** Term and label of an owner that is granted the lock. */
    final Hold newHold(int owner) {
        String about = facts.about[owner];
        boolean asks = asksNow() && full(owner).equals(ran.arg(2));
        if (about == null && !asks) {
            throw new NotFollowed("a grant of somebody of whom nothing was known");
        }
        String[] asked =
                (asks ? askedNow() : Objects.requireNonNull(about).substring(about.indexOf(' ') + 1)).split(" ", -1);
        return new Hold(nowMicros, asked[4], asked[5]);
    }

    // ---- reading

    abstract S empty(int owners, int clients);

    private S read(LockKeys raw, Facts into) {
        S found = empty(publics.size(), clientsByNumber.size());
        found.groupEnds = new long[groups.size()];
        found.groupGranted = new long[groups.size()];
        found.groupWaits = new int[groups.size()];
        found.queueLeft = readLine(found, raw.queue, QueueState.QUEUED, raw.expiry(keys.queue()));
        found.parkedLeft = readLine(found, raw.parked, QueueState.ASIDE, raw.expiry(keys.parked()));
        found.last = raw.token == null ? 0 : Long.parseLong(raw.token);
        raw.details.forEach((field, value) -> {
            if (!field.startsWith("@")) {
                readAbout(found, into, owner(field), value);
            } else if (field.equals("@seq")) {
                found.sequence = Integer.parseInt(value);
            } else if (field.equals("@v")) {
                String[] words = value.split(" ", -1);
                found.shares = true;
                found.present = Long.parseLong(words[0]);
                found.idle = Long.parseLong(words[1]);
            } else if (field.startsWith("@g:")) {
                String[] words = value.split(" ", -1);
                int group = groups.indexOf(field.substring(3));
                found.groupEnds[group] = Long.parseLong(words[0]);
                found.groupGranted[group] = Long.parseLong(words[1]);
                found.groupWaits[group] = Integer.parseInt(words[2]);
            } else if (!readClaims(found, field, value)) {
                readClient(found, into, field, value);
            }
        });
        found.forgetIdleGroups();
        found.detailsLeft = left(raw.expiry(keys.details()));
        raw.evicted.keySet().forEach(owner -> found.evicted[owner(owner)] = true);
        raw.graves.forEach((owner, mark) -> found.tombstone[owner(owner)] = mark.equals("A") ? 2 : 1);
        readHolds(raw, found, into);
        return found;
    }

    abstract void readHolds(LockKeys raw, S found, Facts into);

    /** Whether a field of the details tells of claims. */
    abstract boolean readClaims(S found, String field, String value);

    private int readLine(S found, List<Stored.Member> line, int place, long expiry) {
        int ahead = QueueState.NOBODY;
        for (Stored.Member one : line) {
            int owner = owner(one.name());
            if (ahead > owner && found.order[ahead] == one.score()) {
                throw new NotFollowed("owners that begin together, of which one's id begins with the other's");
            }
            ahead = owner;
            if (found.where[owner] != QueueState.NOWHERE) {
                throw new NotFollowed("an owner that stands in two places");
            }
            found.where[owner] = place;
            found.order[owner] = one.score();
        }
        return left(expiry);
    }

    private void readAbout(S found, Facts into, int owner, String value) {
        int blank = value.indexOf(' ');
        long end = Long.parseLong(value.substring(0, blank));
        found.known[owner] = true;
        found.ends[owner] = end == 0 ? QueueState.ABSENT : Math.max(-1, until(end));
        into.about[owner] = value.substring(blank + 1);
    }

    private void readClient(S found, Facts into, String field, String value) {
        int client = client(field.substring(3));
        switch (field.substring(0, 3)) {
            case "@n:" -> found.waiters[client] = Integer.parseInt(value);
            case "@p:" -> found.parked[client] = Integer.parseInt(value);
            case "@a:" -> {
                int blank = value.indexOf(' ');
                found.deadline[client] = Math.max(-1, until(Long.parseLong(value.substring(0, blank))));
                found.seen[client] = value.endsWith(" 1");
            }
            case "@s:" -> {
                found.suspect[client] = true;
                into.suspicion[client] = value;
            }
            default -> throw new NotFollowed("details with a field " + field);
        }
    }

    /** The rest of the life of a key. */
    final int left(long expiry) {
        return expiry == Stored.NO_KEY ? 0 : expiry == -1 ? QueueState.UNENDING : until(expiry);
    }

    final int until(long millis) {
        long left = millis - nowMillis;
        if (Math.abs(left) > Integer.MAX_VALUE / 4) {
            throw new NotFollowed("a time of more than six days");
        }
        return (int) left;
    }

    // ---- the call

    /**
     * Runs what the script does to this lock in the model, which the state is then of, and tells what the script would reply.
     *
     * @param part which part of a batch it is
     * @param messages those that are published are added
     */
    abstract List<String> run(int part, List<String> messages);

    /** A request of the owner has entered the queue, if it waits now and did not. */
    final void entered(int owner, S was) {
        boolean anew = !was.known[owner] || was.where[owner] == QueueState.NOWHERE;
        if (state.known[owner] && anew) {
            // What was left of a request that stands nowhere may stay, or make room for what is asked now: but for the
            // time these are the same.
            mayBeNew = was.known[owner] ? owner : QueueState.NOBODY;
            facts.about[owner] = nowMicros + " " + askedNow();
        }
    }

    private int mayBeNew = QueueState.NOBODY;

    /** An owner gets a tombstone that lives so long. */
    final void buried(String owner, String life) {
        graveEnds.put(publicOf(owner), nowMillis + Long.parseLong(life));
    }

    /** So many waiters were dropped, who are refused for so long. */
    final void dropped(int count, String life) {
        if (count > 0) {
            long ends = nowMillis + Long.parseLong(life);
            evictedEnds = evictedEnds == -1 ? ends : Math.max(evictedEnds, ends);
        }
    }

    // ---- the state afterwards

    /** How the keys differ from what the model says; null if they do not. */
    final @Nullable String difference(Stored stored) {
        try {
            LockKeys raw = new LockKeys(stored, keys);
            Facts found = new Facts();
            S read = read(raw, found);
            System.arraycopy(state.listens, 0, read.listens, 0, read.listens.length);
            if (!read.sameAs(state)) {
                return "the keys tell\n  " + read + "\nand in the model\n  " + state;
            }
            String odd = oddToken(raw);
            odd = odd == null ? oddWaiters(found) : odd;
            odd = odd == null ? oddHolds(raw, found) : odd;
            return odd == null ? oddEnds(raw) : odd;
        } catch (NotFollowed e) {
            return "the keys have " + e.reason;
        } catch (IllegalStateException e) {
            return "there is a key of another type: " + e.getMessage();
        }
    }

    /** How what is written of holds differs; null if it does not. */
    abstract @Nullable String oddHolds(LockKeys raw, Facts found);

    private @Nullable String oddWaiters(Facts found) {
        for (int owner = 0; owner < publics.size(); owner++) {
            if (state.known[owner]) {
                String expected = facts.about[owner];
                String is = found.about[owner];
                boolean same = owner == mayBeNew ? sameBehindTheFirst(expected, is) : Objects.equals(expected, is);
                if (!same) {
                    return "of " + publics.get(owner) + " is known\n  " + is + "\nand not\n  " + expected;
                }
            }
        }
        for (int client = 0; client < clientsByNumber.size(); client++) {
            String is = found.suspicion[client];
            if (is != null && !is.equals(facts.suspicion[client]) && !is.equals(Long.toString(nowMicros))) {
                return clientsByNumber.get(client) + " is suspect since " + is;
            }
        }
        return null;
    }

    private static boolean sameBehindTheFirst(@Nullable String one, @Nullable String other) {
        return one != null
                && other != null
                && one.substring(one.indexOf(' ')).equals(other.substring(other.indexOf(' ')));
    }

    private @Nullable String oddToken(LockKeys raw) {
        long ends = raw.expiry(keys.token());
        if (state.last == 0 || (state.last == lastBefore && ends == before.expiry(keys.token()))) {
            return null;
        }
        long life = Long.parseLong(ran.arg(1));
        long own = Math.floorDiv(state.last, 1_000) + life;
        long fromNow = nowMillis + life; // where its own time is now, or that of one of those reserved for the holder
        return ends == own || ends == fromNow
                ? null
                : "the last token is known until " + ends + ", and not until " + own + " or " + fromNow;
    }

    private @Nullable String oddEnds(LockKeys raw) {
        if (raw.expiry(keys.evicted()) != evictedEnds) {
            return "dropped waiters are refused until " + raw.expiry(keys.evicted()) + ", and not " + evictedEnds;
        }
        for (Map.Entry<String, String> grave : keys.graves().entrySet()) {
            long ends = raw.expiry(grave.getValue());
            if (ends != graveEnds.getOrDefault(grave.getKey(), Stored.NO_KEY)) {
                return "the tombstone of " + grave.getKey() + " ends " + ends + ", and not "
                        + graveEnds.get(grave.getKey());
            }
        }
        return null;
    }

    /** The state that the script has found, in words, with the names of owners and clients. */
    final String describe() {
        StringBuilder text =
                new StringBuilder("  at ").append(nowMicros).append(": ").append(described);
        text.append("\n  owners are ").append(publics).append(", clients ").append(clientsByNumber);
        return text.append(", facts ").append(Arrays.toString(facts.about)).toString();
    }
}
