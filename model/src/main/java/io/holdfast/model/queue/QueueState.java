package io.holdfast.model.queue;

import io.holdfast.model.Fingerprint;
import java.util.Arrays;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * What a server knows of those who wait for one lock: the keys of {@code common.lua}, with owners and clients by number, and times as ticks
 * from now. Where states are looked for, a tick is long, and tokens and orders are small numbers that compare as the real ones do; of a real
 * server a tick is a millisecond, and tokens and orders are those that it has. Who holds, each kind of lock adds. Only the model of a script
 * changes one, and only its own copy.
 *
 * @param <S> the kind's own state
 */
public abstract class QueueState<S extends QueueState<S>> {
    /** Of a hold: there is none, or the lock rests, has a record, or pauses. */
    public static final int NOBODY = -1;

    public static final int RESTS = -2;
    public static final int DONE = -3;
    public static final int PAUSED = -4;
    /** A field that is not there. */
    public static final int ABSENT = -9;
    /** A time beyond what a look can see. */
    public static final int FOREVER = 100;
    /** A key without an expiry, which must not be. */
    public static final int UNENDING = -1;

    /** Where a waiter stands. */
    public static final int NOWHERE = 0;

    public static final int QUEUED = 1;
    public static final int ASIDE = 2;

    // the last token
    public long last;

    // the queue, by owner: queue and parked, and the details
    public final int[] where;
    public final long[] order;
    public final boolean[] known;
    public final int[] ends; // of a request that has a life, or ABSENT
    public int sequence = ABSENT;

    // the details, of groups: whether there are any, and where the last request of each ends; 0 for no matter where
    public boolean shares;
    public long present;
    public long idle;
    public long[] groupEnds;
    public long[] groupGranted;
    public int[] groupWaits;

    // the details, by client
    public final int[] waiters;
    public final int[] parked;
    public final int[] deadline; // -1 once it is over
    public final boolean[] seen;
    public final boolean[] suspect;

    // when keys end: 0 if there is no such key
    public int queueLeft;
    public int parkedLeft;
    public int detailsLeft;

    // by owner: 0 none, 1 a tombstone, 2 one that says adopted; and whether it was dropped by name
    public final int[] tombstone;
    public final boolean[] evicted;

    /** Whether the server counts a subscriber on the client's channel. */
    public final boolean[] listens;

    protected QueueState(int owners, int clients) {
        where = new int[owners];
        order = new long[owners];
        known = new boolean[owners];
        ends = filled(owners);
        groupEnds = new long[owners];
        groupGranted = new long[owners];
        groupWaits = new int[owners];
        waiters = filled(clients);
        parked = filled(clients);
        deadline = filled(clients);
        seen = new boolean[clients];
        suspect = new boolean[clients];
        tombstone = new int[owners];
        evicted = new boolean[owners];
        listens = new boolean[clients];
    }

    protected QueueState(QueueState<S> other) {
        last = other.last;
        where = other.where.clone();
        order = other.order.clone();
        known = other.known.clone();
        ends = other.ends.clone();
        sequence = other.sequence;
        shares = other.shares;
        present = other.present;
        idle = other.idle;
        groupEnds = other.groupEnds.clone();
        groupGranted = other.groupGranted.clone();
        groupWaits = other.groupWaits.clone();
        waiters = other.waiters.clone();
        parked = other.parked.clone();
        deadline = other.deadline.clone();
        seen = other.seen.clone();
        suspect = other.suspect.clone();
        queueLeft = other.queueLeft;
        parkedLeft = other.parkedLeft;
        detailsLeft = other.detailsLeft;
        tombstone = other.tombstone.clone();
        evicted = other.evicted.clone();
        listens = other.listens.clone();
    }

    private static int[] filled(int size) {
        int[] all = new int[size];
        Arrays.fill(all, ABSENT);
        return all;
    }

    public abstract S copy();

    /** A tick later. */
    public final S later() {
        S after = copy();
        after.pass();
        after.tidy();
        return after;
    }

    /** Lets a tick pass, for each time that is told. */
    protected void pass() {
        queueLeft = sooner(queueLeft);
        parkedLeft = sooner(parkedLeft);
        detailsLeft = sooner(detailsLeft);
        for (int client = 0; client < clients(); client++) {
            deadline[client] = past(deadline[client]);
        }
        for (int owner = 0; owner < owners(); owner++) {
            ends[owner] = past(ends[owner]);
        }
    }

    /** The rest of a time that ends at 0. */
    protected static int sooner(int left) {
        return left > 0 && left < FOREVER ? left - 1 : left;
    }

    private static int past(int left) {
        return left >= 0 && left < FOREVER ? left - 1 : left;
    }

    /** The key of the queue, or of those aside, is deleted by hand. */
    public final S withoutKey(int place) {
        S after = copy();
        if (place == QUEUED) {
            after.queueLeft = 0;
        } else {
            after.parkedLeft = 0;
        }
        after.tidy();
        return after;
    }

    /** Whether the details tell of a claim. */
    protected abstract boolean tellsOfClaims();

    /** Whether an owner was granted the lock, and has not confirmed it: it has left the queue, and keeps its order. */
    public abstract boolean isClaim(int owner);

    /** The details are gone, and what they told of claims. */
    protected abstract void forgetClaims();

    /** Whether the order of an owner is written somewhere. */
    private boolean hasOrder(int owner) {
        return where[owner] != NOWHERE || isClaim(owner);
    }

    public int owners() {
        return where.length;
    }

    public int clients() {
        return waiters.length;
    }

    /** Owners that stand there, first in line first. Two of one order stand in the order of their names. */
    public int[] inLine(int place) {
        return IntStream.range(0, owners())
                .filter(owner -> where[owner] == place)
                .boxed()
                .sorted((a, b) -> order[a] != order[b] ? Long.compare(order[a], order[b]) : Integer.compare(a, b))
                .mapToInt(owner -> owner)
                .toArray();
    }

    public int count(int place) {
        int count = 0;
        for (int each : where) {
            count += each == place ? 1 : 0;
        }
        return count;
    }

    /** Collections without elements, and keys whose time is over, are no keys; what is not there has one form. */
    public void tidy() {
        if (queueLeft == 0 || count(QUEUED) == 0) {
            queueLeft = 0;
            leave(QUEUED);
        }
        if (parkedLeft == 0 || count(ASIDE) == 0) {
            parkedLeft = 0;
            leave(ASIDE);
        }
        if (detailsLeft == 0 || !hasDetails()) {
            dropDetails();
        }
        forgetIdleGroups();
        for (int owner = 0; owner < owners(); owner++) {
            order[owner] = hasOrder(owner) ? order[owner] : 0;
            ends[owner] = known[owner] ? ends[owner] : ABSENT;
        }
    }

    /**
     * The next request of a group whose end is not after the present begins after the present, wherever that end is. So it is with a
     * group that waits: the lapse of a claim puts a request back whose end may have passed.
     */
    public void forgetIdleGroups() {
        for (int group = 0; group < groupEnds.length; group++) {
            groupGranted[group] = groupGranted[group] <= present ? 0 : groupGranted[group];
            groupEnds[group] = groupEnds[group] <= present ? 0 : groupEnds[group];
        }
    }

    private void leave(int place) {
        for (int owner = 0; owner < owners(); owner++) {
            where[owner] = where[owner] == place ? NOWHERE : where[owner];
        }
    }

    public void dropDetails() {
        Arrays.fill(known, false);
        Arrays.fill(ends, ABSENT);
        sequence = ABSENT;
        shares = false;
        present = 0;
        idle = 0;
        Arrays.fill(groupEnds, 0);
        Arrays.fill(groupGranted, 0);
        Arrays.fill(groupWaits, 0);
        forgetClaims();
        for (int client = 0; client < clients(); client++) {
            forget(client);
        }
        detailsLeft = 0;
    }

    public void forget(int client) {
        waiters[client] = ABSENT;
        parked[client] = ABSENT;
        deadline[client] = ABSENT;
        seen[client] = false;
        suspect[client] = false;
    }

    private boolean hasDetails() {
        boolean any = sequence != ABSENT || shares || tellsOfClaims();
        for (boolean each : known) {
            any |= each;
        }
        for (int client = 0; client < clients(); client++) {
            any |= waiters[client] != ABSENT
                    || parked[client] != ABSENT
                    || deadline[client] != ABSENT
                    || suspect[client];
        }
        return any;
    }

    /** The same with the least orders that compare in the same way, now and after more have come. */
    public void shortenOrders() {
        long[] used = LongStream.concat(
                        LongStream.of(Math.max(sequence, 0)),
                        IntStream.range(0, owners())
                                .filter(this::isNumbered)
                                .mapToLong(owner -> Math.abs(withoutPriority(order[owner]))))
                .sorted()
                .distinct()
                .toArray();
        long upTo = Math.max(sequence, 0);
        for (int owner = 0; owner < owners(); owner++) {
            if (isNumbered(owner)) {
                long plain = withoutPriority(order[owner]);
                long band = order[owner] - plain;
                order[owner] = band + Long.signum(plain) * shortened(Math.abs(plain), used, upTo);
            }
        }
        if (sequence > 0) {
            sequence = (int) shortened(sequence, used, upTo);
        }
    }

    private boolean isNumbered(int owner) {
        return hasOrder(owner) && !isShare(order[owner]);
    }

    /** Whether an order is of a group's request. */
    public static boolean isShare(long order) {
        return order >= -BAND / 2 && order < -BAND / 4;
    }

    private static long shortened(long value, long[] used, long upTo) {
        int rank = 0;
        int top = 0;
        for (long each : used) {
            if (each > 0 && each <= Math.min(value, upTo)) {
                rank++;
            }
            if (each > 0 && each <= upTo) {
                top++;
            }
        }
        return value <= upTo ? rank : top + value - upTo; // what is beyond the sequence keeps its distance from it
    }

    /** Each priority has a band of so many orders. */
    public static final long BAND = 1L << 42;

    public static long withoutPriority(long order) {
        return order - BAND * Math.floorDiv(order + BAND / 2, BAND);
    }

    public void addTo(Fingerprint print) {
        addTo(
                print,
                IntStream.range(0, owners()).toArray(),
                IntStream.range(0, clients()).toArray());
    }

    /** The same with other names: {@code owners} are told in this order, and so are {@code clients}. */
    public void addTo(Fingerprint print, int[] owners, int[] clients) {
        print.add(last).add(sequence).add(queueLeft).add(parkedLeft).add(detailsLeft);
        if (shares) {
            print.add(present).add(idle);
            for (int group = 0; group < groupEnds.length; group++) {
                print.add(groupEnds[group]).add(groupGranted[group]).add(groupWaits[group]);
            }
        }
        for (int owner : owners) {
            print.add(where[owner] * 8L + (known[owner] ? 4 : 0) + (evicted[owner] ? 2 : 0))
                    .add(order[owner])
                    .add(ends[owner])
                    .add(tombstone[owner]);
        }
        for (int client : clients) {
            print.add(waiters[client])
                    .add(parked[client])
                    .add(deadline[client])
                    .add((seen[client] ? 4 : 0) + (suspect[client] ? 2 : 0) + (listens[client] ? 1 : 0));
        }
    }

    protected static int renamed(int owner, int[] order) {
        for (int i = 0; i < order.length; i++) {
            if (order[i] == owner) {
                return i;
            }
        }
        return owner;
    }

    public boolean sameAs(S other) {
        Fingerprint mine = new Fingerprint();
        Fingerprint others = new Fingerprint();
        addTo(mine);
        other.addTo(others);
        return mine.get() == others.get();
    }

    /** Of the queue, in words. */
    protected String waitersInWords() {
        StringBuilder text = new StringBuilder();
        text.append("; last token ").append(last);
        text.append("; queue ").append(line(QUEUED)).append(" for ").append(queueLeft);
        text.append(", parked ").append(line(ASIDE)).append(" for ").append(parkedLeft);
        text.append("; details for ").append(detailsLeft).append(" of");
        for (int owner = 0; owner < owners(); owner++) {
            if (known[owner]) {
                text.append(' ')
                        .append(Words.owner(owner))
                        .append(ends[owner] == ABSENT ? "" : " until " + ends[owner]);
            }
        }
        text.append(", sequence ").append(shown(sequence));
        if (shares) {
            text.append(", present " + present + ", idle " + idle + ", groups until " + Arrays.toString(groupEnds)
                    + " granted until " + Arrays.toString(groupGranted) + " waiting " + Arrays.toString(groupWaits));
        }
        for (int client = 0; client < clients(); client++) {
            text.append("; ").append(Words.client(client)).append(": waiters ").append(shown(waiters[client]));
            text.append(", parked ")
                    .append(shown(parked[client]))
                    .append(", deadline ")
                    .append(shown(deadline[client]));
            text.append(seen[client] ? ", seen" : "").append(suspect[client] ? ", suspect" : "");
            text.append(listens[client] ? ", listens" : "");
        }
        for (int owner = 0; owner < owners(); owner++) {
            text.append(tombstone[owner] == 0 ? "" : "; tombstone of " + Words.owner(owner) + " " + tombstone[owner]);
            text.append(evicted[owner] ? "; dropped: " + Words.owner(owner) : "");
        }
        return text.toString();
    }

    private String line(int place) {
        StringBuilder text = new StringBuilder("[");
        for (int owner : inLine(place)) {
            text.append(text.length() > 1 ? " " : "")
                    .append(Words.owner(owner))
                    .append('@')
                    .append(order[owner]);
        }
        return text.append(']').toString();
    }

    protected static String shown(int value) {
        return value == ABSENT ? "-" : Integer.toString(value);
    }
}
