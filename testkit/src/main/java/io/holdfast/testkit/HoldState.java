package io.holdfast.testkit;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What some keys of a server say of who holds a lock, of whatever kind. How holds are written is known to these only: to
 * {@link TextHold} of what one owner has at a time, to {@link LineHold} of read/write locks and semaphores. An owner may be
 * given by its public part. For use under the server's lock.
 */
interface HoldState {
    long TERM_MILLIS = 24 * 3_600_000L;

    /**
     * A holder that is no client of the server.
     *
     * @param owner its public part
     */
    record Stranger(String owner) {
        static final String SECRET = "else";
        static final String LABEL = "somebody+else/elsewhere/1/main";

        /** @param number by which such holders are told apart */
        static Stranger numbered(int number) {
            return new Stranger("somebody.0-" + Integer.toString(number, 36));
        }
    }

    /** Its keys, always in the same order. */
    List<String> keys();

    /** The same under keys that no client asks for. */
    HoldState aside(long number);

    /** Whether anybody holds the lock. */
    boolean isHeld(Keyspace data);

    /** Whether this owner does. */
    boolean isOf(Keyspace data, String owner);

    /** Ends the hold of an owner as if its lease duration were over, and leaves those of others alone. */
    void expire(Keyspace data, String owner);

    /** Gives to another what an owner has, and leaves what others have alone. */
    void give(Keyspace data, String owner, Stranger to);

    /** Has somebody hold the lock alone. Who holds it already goes on; nobody comes to it. */
    void seize(Keyspace data, Stranger by);

    /** Puts what is said here in the place of what is said there. */
    default void moveTo(Keyspace data, HoldState there) {
        there.clear(data);
        for (int i = 0; i < keys().size(); i++) {
            data.rename(keys().get(i), there.keys().get(i));
        }
    }

    default void clear(Keyspace data) {
        keys().forEach(data::remove);
    }

    static String aside(String key, long number) {
        return "aside " + number + " " + key;
    }

    /** Where an owner holds something; null if nowhere. */
    static @Nullable HoldState find(Keyspace data, String owner) {
        for (String key : data.keys()) {
            HoldState state = switch (data.type(key)) {
                case "string" -> new TextHold(key, false);
                case "hash" -> new LineHold(key);
                default -> null;
            };
            if (state != null && state.isOf(data, owner)) {
                return state;
            }
        }
        return null;
    }
}
