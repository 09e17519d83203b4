package io.holdfast.model.line;

import io.holdfast.model.Fingerprint;
import io.holdfast.model.queue.QueueState;
import io.holdfast.model.queue.Words;
import java.util.Arrays;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** What a server knows of one shared line: who waits, and who holds. */
public final class LineState extends QueueState<LineState> {
    /** No hold. */
    public static final char NONE = '-';

    // the holds, by owner
    public final char[] mode;
    public final int[] weight;
    /** The slots of a hold, each as a bit; 0 for none. */
    public final int[] slots;

    public final long[] token;
    public final int[] left; // 0 once it is over; then it is there until a script removes it
    public final boolean[] rests;
    /** By message, and not confirmed; then the owner has the order that it had. */
    public final boolean[] claimed;

    // what is written of them all
    public int used;
    public int taken; // slots, each as a bit
    public long phase; // token of the phase of reading, 0 for none

    /** In the details: how many claims there are. */
    public int claims = ABSENT;

    // an operator's limit
    public int limit = ABSENT;
    public int limitLeft;

    public LineState(int owners, int clients) {
        super(owners, clients);
        mode = "-".repeat(owners).toCharArray();
        weight = new int[owners];
        slots = new int[owners];
        token = new long[owners];
        left = new int[owners];
        rests = new boolean[owners];
        claimed = new boolean[owners];
    }

    private LineState(LineState other) {
        super(other);
        mode = other.mode.clone();
        weight = other.weight.clone();
        slots = other.slots.clone();
        token = other.token.clone();
        left = other.left.clone();
        rests = other.rests.clone();
        claimed = other.claimed.clone();
        used = other.used;
        taken = other.taken;
        phase = other.phase;
        claims = other.claims;
        limit = other.limit;
        limitLeft = other.limitLeft;
    }

    @Override
    public LineState copy() {
        return new LineState(this);
    }

    /** Whether a hold of an owner, or what rests of it, is written. */
    public boolean isThere(int owner) {
        return mode[owner] != NONE;
    }

    /** Whether an owner holds, though perhaps no longer. */
    public boolean holds(int owner) {
        return isThere(owner) && !rests[owner];
    }

    /** Owners of which a hold is written: first those that end first, then what rests, then by their names. */
    public int[] holders() {
        return IntStream.range(0, owners())
                .filter(this::isThere)
                .boxed()
                .sorted((a, b) -> left[a] != left[b]
                        ? Integer.compare(left[a], left[b])
                        : rests[a] != rests[b] ? (rests[a] ? -1 : 1) : Integer.compare(a, b))
                .mapToInt(owner -> owner)
                .toArray();
    }

    /** Gives a hold so many slots, the lowest that are free; with a rule left out, the lowest of all. */
    void giveSlots(int owner, int count, boolean looks) {
        int free = looks ? ~taken : -1;
        slots[owner] = 0;
        for (int i = 0; i < count; i++) {
            slots[owner] |= Integer.lowestOneBit(free);
            free &= ~slots[owner];
        }
        taken |= slots[owner];
    }

    void endSlots(int owner, boolean givesBack) {
        taken &= givesBack ? ~slots[owner] : -1;
        slots[owner] = 0;
    }

    /** As scripts have them: {@code :0,2}; empty for none. */
    public String slotsOf(int owner) {
        return slots[owner] == 0
                ? ""
                : ":"
                        + IntStream.range(0, Integer.SIZE)
                                .filter(slot -> (slots[owner] & 1 << slot) != 0)
                                .mapToObj(Integer::toString)
                                .collect(Collectors.joining(","));
    }

    /** Reads what {@link #slotsOf} has written. */
    public void slotsOf(int owner, String words) {
        slots[owner] = words.isEmpty()
                ? 0
                : Arrays.stream(words.substring(1).split(",", -1))
                        .mapToInt(slot -> 1 << Integer.parseInt(slot))
                        .sum();
    }

    /** As it is written of all holds: an {@code x} for each slot that is taken, a dot for a free one before the last; empty for none. */
    public String takenInWords() {
        return new StringBuilder(Integer.toBinaryString(taken))
                .reverse()
                .toString()
                .replace('1', 'x')
                .replace('0', '.')
                .replaceAll("\\.$", "");
    }

    /** Reads what {@link #takenInWords()} has written. */
    public void takenInWords(String words) {
        taken = IntStream.range(0, words.length())
                .filter(slot -> words.charAt(slot) == 'x')
                .map(slot -> 1 << slot)
                .sum();
    }

    public int countHolders() {
        int count = 0;
        for (char each : mode) {
            count += each == NONE ? 0 : 1;
        }
        return count;
    }

    /** The owner that writes, or whose writing rests; {@link #NOBODY} if there is none. */
    public int writer() {
        for (int owner = 0; owner < owners(); owner++) {
            if (mode[owner] == 'W') {
                return owner;
            }
        }
        return NOBODY;
    }

    @Override
    protected boolean tellsOfClaims() {
        return claims != ABSENT;
    }

    @Override
    protected void forgetClaims() {
        claims = ABSENT;
    }

    @Override
    public boolean isClaim(int owner) {
        return claimed[owner];
    }

    @Override
    protected void pass() {
        for (int owner = 0; owner < owners(); owner++) {
            left[owner] = sooner(left[owner]);
        }
        limitLeft = sooner(limitLeft);
        super.pass();
    }

    @Override
    public void tidy() {
        for (int owner = 0; owner < owners(); owner++) {
            if (!isThere(owner)) {
                weight[owner] = 0;
                slots[owner] = 0;
                token[owner] = 0;
                left[owner] = 0;
                rests[owner] = false;
                claimed[owner] = false;
            }
        }
        if (limitLeft == 0) {
            limit = ABSENT;
        }
        super.tidy();
    }

    /** Tokens as small as they can be, from 2 on, so that there is a lower one: what matters is how they compare. */
    void shortenTokens() {
        TreeSet<Long> all = new TreeSet<>();
        all.add(last);
        all.add(phase);
        for (long each : token) {
            all.add(each);
        }
        all.remove(0L);
        long rank = 2;
        for (long value : all) { // upwards: what was renamed is less than what comes
            last = last == value ? rank : last;
            phase = phase == value ? rank : phase;
            for (int owner = 0; owner < owners(); owner++) {
                token[owner] = token[owner] == value ? rank : token[owner];
            }
            rank++;
        }
    }

    @Override
    public void addTo(Fingerprint print, int[] owners, int[] clients) {
        for (int owner : owners) {
            print.add(mode[owner] * 4L + (rests[owner] ? 2 : 0) + (claimed[owner] ? 1 : 0))
                    .add(weight[owner])
                    .add(slots[owner])
                    .add(token[owner])
                    .add(left[owner]);
        }
        print.add(used).add(taken).add(phase).add(claims).add(limit).add(limitLeft);
        super.addTo(print, owners, clients);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (int owner : holders()) {
            text.append(rests[owner] ? "rest of " : "")
                    .append(Words.owner(owner))
                    .append(' ')
                    .append(mode[owner]);
            text.append(weight[owner])
                    .append(slotsOf(owner))
                    .append(" with token ")
                    .append(token[owner])
                    .append(" for ")
                    .append(left[owner]);
            text.append(claimed[owner] ? ", a claim from " + order[owner] : "").append("; ");
        }
        text.append(used)
                .append(" used, slots ")
                .append(Integer.toBinaryString(taken))
                .append(", phase ")
                .append(phase)
                .append(", claims ")
                .append(shown(claims));
        text.append(limitLeft > 0 ? ", limited to " + limit + " for " + limitLeft : "");
        return text.append(waitersInWords()).toString();
    }
}
