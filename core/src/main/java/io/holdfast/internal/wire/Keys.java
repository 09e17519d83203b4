package io.holdfast.internal.wire;

import io.holdfast.LockInfo;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The one place that spells keys and channels. All keys of a lock carry its name as their hash tag, so that they share a
 * slot: {@code hf:{name}} is the hold, and what follows the closing brace tells the others apart. What stands before the
 * name, inside of the braces, tells the kinds apart.
 *
 * <p>Some ten keys are spelled for each call. {@code concat} makes one text of each, where {@code +} makes a builder that grows.
 *
 * @param prefix the client's prefix
 * @param kind what the name is a name of
 * @param name the lock's name, as the caller gave it
 * @param hold the key of the hold
 */
public record Keys(String prefix, Kind kind, String name, String hold) {
    /**
     * What a name is the name of. Names of different kinds share nothing: what the scripts of one kind write at the key of a hold
     * those of another must never meet. So the kind stands before the name, inside of the braces. No name makes such a beginning:
     * a percent sign in it is escaped, and then two hexadecimal digits follow.
     */
    @SuppressWarnings("ImmutableEnumChecker") // List.of makes lists that do not change
    public enum Kind {
        /** A lock. */
        LOCK(""),
        /** An election, which is a lock that only candidates ask for. */
        ELECTION("%lead:"),
        /** Work that is done once: a lock whose last holder leaves a record. */
        ONCE("%once:"),
        /** A read/write lock. */
        READ_WRITE("%rw:", MEMBERS, CAP),
        /** A semaphore. */
        SEMAPHORE("%sem:", MEMBERS, CAP);

        private final String mark;
        /** What the further keys end with that those have which several may hold. */
        private final List<String> further;

        Kind(String mark, String... further) {
            this.mark = mark;
            this.further = List.of(further);
        }

        /** Whether several may hold it at once, so that the scripts of lines are meant for it. */
        public boolean isLine() {
            return !further.isEmpty();
        }

        /** The same for those who look. */
        public LockInfo.Kind shown() {
            return switch (this) {
                case LOCK -> LockInfo.Kind.LOCK;
                case ELECTION -> LockInfo.Kind.ELECTION;
                case ONCE -> LockInfo.Kind.ONCE;
                case READ_WRITE -> LockInfo.Kind.READ_WRITE;
                case SEMAPHORE -> LockInfo.Kind.SEMAPHORE;
            };
        }

        /** The kind that is shown as this. */
        public static Kind of(LockInfo.Kind shown) {
            for (Kind kind : values()) {
                if (kind.shown() == shown) {
                    return kind;
                }
            }
            throw new IllegalArgumentException("" + shown);
        }

        private static Kind of(String escaped) {
            for (Kind kind : values()) {
                if (kind != LOCK && escaped.startsWith(kind.mark)) {
                    return kind;
                }
            }
            return LOCK;
        }
    }

    private static final String MEMBERS = ":m";
    private static final String CAP = ":c";
    private static final String TOMBSTONE = ":x:";
    private static final int LONGEST_NAME = 1000;
    /** Of all kinds, with those that a script has besides. */
    private static final int MOST_KEYS = 9;
    /** The slot of what clients report. */
    private static final String REPORTS = "{%reports}";

    /** Keys of a lock. */
    public static Keys of(String prefix, String name) {
        return of(prefix, Kind.LOCK, name);
    }

    /**
     * Keys of a lock of some kind. Braces would end the hash tag early, so they are escaped, as are control characters, which people
     * could not read in a listing, and the escape character itself.
     */
    public static Keys of(String prefix, Kind kind, String name) {
        Require.text("lock name", name, LONGEST_NAME);
        return new Keys(prefix, kind, name, prefix + ":{" + kind.mark + escape(name) + "}");
    }

    /** The key of a plain lock is what the caller says: other programs say the same. */
    public static Keys plain(String key) {
        return new Keys("", Kind.LOCK, Require.text("key", key, LONGEST_NAME), key);
    }

    /** Whether they are those of a plain lock. */
    public boolean isPlain() {
        return prefix.isEmpty();
    }

    /** Keys of the lock whose hold has this key; null if the key is none of ours. */
    public static @Nullable Keys ofHold(String prefix, String hold) {
        if (!hold.startsWith(prefix + ":{") || !hold.endsWith("}") || hold.length() < prefix.length() + 4) {
            return null;
        }
        String escaped = hold.substring(prefix.length() + 2, hold.length() - 1);
        Kind kind = Kind.of(escaped);
        return new Keys(prefix, kind, unescape(escaped.substring(kind.mark.length())), hold);
    }

    public String queue() {
        return hold.concat(":q");
    }

    public String parked() {
        return hold.concat(":p");
    }

    public String details() {
        return hold.concat(":d");
    }

    public String token() {
        return hold.concat(":t");
    }

    public String tombstone(String owner) {
        int end = OwnerIds.publicEnd(owner);
        return new StringBuilder(hold.length() + TOMBSTONE.length() + end)
                .append(hold)
                .append(TOMBSTONE)
                .append(owner, 0, end)
                .toString();
    }

    public String evicted() {
        return hold.concat(":e");
    }

    /** Of a line: until when each of its holders holds it. */
    public String members() {
        return hold.concat(MEMBERS);
    }

    /** Of a semaphore: an operator's limit. */
    public String cap() {
        return hold.concat(CAP);
    }

    /** What holders have noted, for those after them. */
    public String note() {
        return hold.concat(":n");
    }

    /** Written after a grant, on a connection that then waits until replicas have all that was written before. */
    public String replicated() {
        return hold.concat(":w");
    }

    /** A fenced value of this name; it has nothing else to do with a lock of the same name. */
    public String value() {
        return hold.concat(":v");
    }

    /** What a node of a quorum tells those who wait for this lock. */
    public String freedChannel() {
        return prefix + ":free:" + hold.substring(prefix.length() + 1);
    }

    /** Where a new leader tells those who watch an election, in the slot of its keys. */
    public String electedChannel() {
        return prefix + ":led:" + hold.substring(prefix.length() + 1);
    }

    /** What a client has written down of its waits: see {@code io.holdfast.internal.deadlock}. */
    public static String waits(String prefix, String client) {
        return prefix + ":waits:{" + client + "}";
    }

    /** Which clients have reported. All that is reported shares a slot. */
    public static String clients(String prefix) {
        return prefix + ":clients:" + REPORTS;
    }

    /** What a client reports of itself. */
    public static String report(String prefix, String client) {
        return prefix + ":report:" + REPORTS + ":" + client;
    }

    /**
     * What the channels begin with by which clients are asked to report where keys are divided among servers, in the slot of the
     * reports; the client's id follows. No lock's channels begin so, since a percent sign in a name is escaped.
     */
    public static String askedChannelPrefix(String prefix) {
        return prefix + ":" + REPORTS + ":to:";
    }

    /** By which a server knows since when, and in which process, it has its memory. */
    public static String nodeMarker(String prefix) {
        return marker(prefix, 0);
    }

    /** On a cluster each master has the first of these whose slot it serves. */
    public static String marker(String prefix, int number) {
        return prefix + ":node" + (number == 0 ? "" : ":" + number);
    }

    /** In the order of the scripts' headers. */
    public List<String> all() {
        List<String> keys = new ArrayList<>(MOST_KEYS);
        Collections.addAll(keys, hold, queue(), parked(), details(), token());
        for (String end : kind.further) {
            keys.add(hold.concat(end));
        }
        return keys;
    }

    private List<String> allAnd(String... others) {
        List<String> keys = all();
        Collections.addAll(keys, others);
        return keys;
    }

    /** All that looking at some locks touches: first the holds, then what each has of a queue. */
    public static List<String> allToLook(List<Keys> locks) {
        List<String> keys = new ArrayList<>(4 * locks.size());
        locks.forEach(lock -> keys.add(lock.hold()));
        locks.forEach(lock -> Collections.addAll(keys, lock.queue(), lock.parked(), lock.details()));
        return keys;
    }

    /** All that asking for the lock touches. */
    public List<String> allToAcquire(String owner) {
        return allAnd(tombstone(owner), evicted());
    }

    /** All that steering by name touches. */
    public List<String> allToRevoke() {
        return allAnd(evicted());
    }

    /** Those, and the tombstones of the old owner and of the new one. */
    public List<String> allToAdopt(String old, String owner) {
        return allAnd(tombstone(old), tombstone(owner));
    }

    /** Those, and the tombstone of one owner. */
    public List<String> allWithTombstone(String owner) {
        return allAnd(tombstone(owner));
    }

    /** Those, and what holders have noted, which ends with a record. */
    public List<String> allToFinish(String owner) {
        return allAnd(tombstone(owner), note());
    }

    /** The channel of one client for this lock, in the lock's slot, where each lock has its own. */
    public String channelOf(String client) {
        return hold + ":to:" + client;
    }

    /** What the channels of all clients begin with; the client's id follows. */
    public static String channelPrefix(String prefix) {
        return prefix + ":to:";
    }

    /** A pattern for SCAN that finds the keys of holds, of all kinds, and no others. */
    public static String holdPattern(String prefix) {
        return escapeGlob(prefix) + ":{*}";
    }

    /** A pattern for SCAN that finds the keys of holds of one kind; of locks, others too. */
    public static String holdPattern(String prefix, Kind kind) {
        return escapeGlob(prefix) + ":{" + kind.mark + "*}";
    }

    /** Text in a pattern that stands for itself. */
    public static String escapeGlob(String text) {
        StringBuilder pattern = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if ("*?[]^\\-".indexOf(c) >= 0) {
                pattern.append('\\');
            }
            pattern.append(c);
        }
        return pattern.toString();
    }

    private static String escape(String name) {
        StringBuilder escaped = null;
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            boolean plain = c >= ' ' && c != 127 && c != '{' && c != '}' && c != '%' && !Character.isSurrogate(c);
            if (plain && escaped == null) {
                continue;
            }
            if (escaped == null) {
                escaped = new StringBuilder(name.length() + 16).append(name, 0, i);
            }
            if (plain) {
                escaped.append(c);
            } else if (c < 0x80) {
                appendByte(escaped, (byte) c);
            } else if (Character.isHighSurrogate(c)
                    && i + 1 < name.length()
                    && Character.isLowSurrogate(name.charAt(i + 1))) {
                escaped.append(c).append(name.charAt(++i));
            } else {
                throw new IllegalArgumentException(
                        "lock name has half of a surrogate pair at index " + i + ", must be well-formed Unicode");
            }
        }
        return escaped == null ? name : escaped.toString();
    }

    private static void appendByte(StringBuilder text, byte b) {
        text.append('%')
                .append(Character.toUpperCase(Character.forDigit((b >> 4) & 15, 16)))
                .append(Character.toUpperCase(Character.forDigit(b & 15, 16)));
    }

    private static String unescape(String escaped) {
        if (escaped.indexOf('%') < 0) {
            return escaped;
        }
        StringBuilder name = new StringBuilder(escaped.length());
        for (int i = 0; i < escaped.length(); i++) {
            char c = escaped.charAt(i);
            if (c == '%' && i + 2 < escaped.length()) {
                int high = Character.digit(escaped.charAt(i + 1), 16);
                int low = Character.digit(escaped.charAt(i + 2), 16);
                if (high >= 0 && low >= 0) {
                    name.append((char) (high * 16 + low));
                    i += 2;
                    continue;
                }
            }
            name.append(c);
        }
        return name.toString();
    }
}
