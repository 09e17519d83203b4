package io.holdfast.testkit;

import io.holdfast.DistributedSemaphore;
import io.holdfast.testkit.Keyspace.Hash;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The holds of a read/write lock or a semaphore, of which there may be several at once: a hash that says what each owner has,
 * and a sorted set that says until when. Their formats stand in line.lua.
 *
 * @param hold the key of the hash
 * @param members that of the sorted set
 */
record LineHold(String hold, String members) implements HoldState {
    private static final String HOLDERS = "@n";
    private static final String WEIGHTS = "@u";
    private static final String WRITER = "@w";
    private static final String ALL_PERMITS = Integer.toString(DistributedSemaphore.MAX_PERMITS);
    private static final double OVER = 0;
    private static final long KEYS_OUTLIVE_MILLIS = 120_000;

    /**
     * What one owner has.
     *
     * @param owner its public part
     * @param what the mode and the weight
     */
    private record Entry(String owner, long token, String what) {
        static @Nullable Entry of(String owner, String text) {
            String[] words = text.split(" ", -1);
            return words.length == 8 ? new Entry(owner, Long.parseLong(words[1]), words[4] + " " + words[5]) : null;
        }

        String member() {
            return owner + " " + token;
        }

        boolean reads() {
            return what.startsWith("R") || what.startsWith("D");
        }
    }

    LineHold(String hold) {
        this(hold, hold + ":m");
    }

    @Override
    public List<String> keys() {
        return List.of(hold, members);
    }

    @Override
    public HoldState aside(long number) {
        return new LineHold(HoldState.aside(hold, number), HoldState.aside(members, number));
    }

    @Override
    public boolean isHeld(Keyspace data) {
        SortedMembers ends = data.find(members, SortedMembers.class);
        return ends != null && ends.size() > 0 && ends.ascending().last().score() > data.nowMillis();
    }

    @Override
    public boolean isOf(Keyspace data, String owner) {
        return find(data, owner) != null;
    }

    @Override
    public void expire(Keyspace data, String owner) {
        Entry entry = find(data, owner);
        if (entry != null) {
            ends(data).put(entry.member(), OVER); // the next script finds it, and gives back what it weighs
        }
    }

    @Override
    public void give(Keyspace data, String owner, Stranger to) {
        Entry entry = find(data, owner);
        if (entry != null) {
            ends(data).remove(entry.member());
            fields(data).remove(entry.owner());
            fields(data).replace(WRITER, entry.owner(), to.owner());
            // Who read together have one token.
            write(data, new Entry(to.owner(), entry.reads() ? entry.token() : entry.token() + 1, entry.what()));
        }
    }

    @Override
    public void seize(Keyspace data, Stranger by) {
        Map<String, String> fields = fields(data);
        Entry entry = read(data, by.owner());
        if (entry != null) {
            renew(data, entry);
        } else if (fields.isEmpty()) {
            boolean permits = hold.contains("{%sem:");
            fields.put(HOLDERS, "1");
            fields.put(WEIGHTS, permits ? ALL_PERMITS : "0");
            write(data, new Entry(by.owner(), data.nowMicros(), permits ? "P " + ALL_PERMITS : "W 1"));
            if (!permits) {
                fields.put(WRITER, by.owner());
            }
        } else {
            fields.putIfAbsent(WRITER, by.owner()); // as long as it stands there nobody comes to those who hold
        }
    }

    private void write(Keyspace data, Entry entry) {
        String times = data.nowMicros() + " " + TERM_MILLIS;
        String text = Stranger.SECRET + " " + entry.token() + " " + times + " " + entry.what() + " - " + Stranger.LABEL;
        fields(data).put(entry.owner(), text);
        renew(data, entry);
    }

    private void renew(Keyspace data, Entry entry) {
        long end = data.nowMillis() + TERM_MILLIS;
        ends(data).put(entry.member(), (double) end);
        keys().forEach(key -> data.expire(key, end + KEYS_OUTLIVE_MILLIS));
    }

    private Map<String, String> fields(Keyspace data) {
        return data.make(hold, Hash.class, Hash::new).fields();
    }

    private SortedMembers ends(Keyspace data) {
        return data.make(members, SortedMembers.class, SortedMembers::new);
    }

    /** What is written of an owner; null if nothing is. */
    private @Nullable Entry read(Keyspace data, String owner) {
        int tilde = owner.indexOf('~');
        String shown = tilde < 0 ? owner : owner.substring(0, tilde);
        Hash hash = data.find(hold, Hash.class);
        String text = hash == null ? null : hash.fields().get(shown);
        return text == null ? null : Entry.of(shown, text);
    }

    /** The same, if it is not over. */
    private @Nullable Entry find(Keyspace data, String owner) {
        Entry entry = read(data, owner);
        SortedMembers ends = data.find(members, SortedMembers.class);
        if (entry == null || ends == null) {
            return null;
        }
        Double end = ends.score(entry.member());
        return end != null && end > data.nowMillis() ? entry : null;
    }
}
