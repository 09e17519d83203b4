package io.holdfast.model.exclusive;

import io.holdfast.model.queue.Words;

/** A call of a script, with what it asks. {@link #client} is the client that calls. */
public sealed interface Call {
    int client();

    /**
     * {@code acquire.lua}.
     *
     * @param queues whether to queue if the lock is taken
     * @param limit longest queue, 0 for any
     */
    record Acquire(int client, int owner, boolean queues, int limit) implements Call {
        @Override
        public String toString() {
            return "acquire of " + Words.owner(owner) + (queues ? "" : ", not to queue")
                    + (limit > 0 ? ", in a queue of " + limit + " at most" : "");
        }
    }

    /**
     * {@code release.lua}.
     *
     * @param rest how long the lock is to rest, 0 for not, and less if it was to, and that is over
     * @param used the last reserved token, 0 for none
     * @param done whether the rest is a record of what was done
     */
    record Release(int client, int owner, boolean tombstone, int rest, long used, boolean done) implements Call {
        public Release(int client, int owner, boolean tombstone, int rest, long used) {
            this(client, owner, tombstone, rest, used, false);
        }

        @Override
        public String toString() {
            return "release of " + Words.owner(owner) + (tombstone ? " with a tombstone" : "")
                    + (done ? ", done" : "")
                    + (rest > 0 ? ", to rest for " + rest : rest < 0 ? ", to rest no longer" : "")
                    + (used > 0 ? ", used up to token " + used : "");
        }
    }

    /** {@code confirm.lua}. */
    record Confirm(int client, int owner, long token) implements Call {
        @Override
        public String toString() {
            return "confirm of " + Words.owner(owner) + " with token " + token;
        }
    }

    /** {@code renew.lua}. */
    record Renew(int client, int owner, long token) implements Call {
        @Override
        public String toString() {
            return "renew of " + Words.owner(owner) + " with token " + token;
        }
    }

    /**
     * {@code refresh.lua}: the heartbeat.
     *
     * @param count waiters of the client, 0 for a check
     * @param first the first of them, or -1
     */
    record Refresh(int client, int count, int first, boolean heardProbe) implements Call {
        @Override
        public String toString() {
            return count == 0
                    ? "refresh of " + Words.client(client) + ", which only checks"
                    : "refresh of " + Words.client(client) + " for " + count + " from " + Words.owner(first)
                            + (heardProbe ? ", which heard the probe" : "");
        }
    }

    /**
     * {@code revoke.lua}.
     *
     * @param token 0 for any
     * @param drop 0 for no waiters, -1 for all, or 1 and an owner
     */
    record Revoke(int client, long token, int drop) implements Call {
        public static final int ALL = -1;

        @Override
        public String toString() {
            return "revoke of " + (token == 0 ? "any token" : "token " + token)
                    + (drop == 0 ? "" : drop == ALL ? ", dropping all" : ", dropping " + Words.owner(drop - 1));
        }
    }

    /**
     * {@code prolong.lua}, to a term and one tick.
     *
     * @param token 0 for any
     */
    record Prolong(int client, long token) implements Call {
        @Override
        public String toString() {
            return "prolong of " + (token == 0 ? "any token" : "token " + token);
        }
    }

    /**
     * {@code pause.lua}.
     *
     * @param ticks for how long, 0 to end a pause
     */
    record Pause(int client, int ticks) implements Call {
        @Override
        public String toString() {
            return ticks == 0 ? "end of a pause" : "pause for " + ticks;
        }
    }

    /** {@code note.lua}, which removes the note that is kept for others. */
    record Note(int client, int owner, long token) implements Call {
        @Override
        public String toString() {
            return "note of " + Words.owner(owner) + " with token " + token;
        }
    }

    /** {@code clean.lua}. */
    record Clean(int client) implements Call {
        @Override
        public String toString() {
            return "clean";
        }
    }

    /**
     * {@code adopt.lua}.
     *
     * @param used the last token of the hold that a lease has had
     */
    record Adopt(int client, int old, long token, int owner, long used) implements Call {
        @Override
        public String toString() {
            return "adopt of " + Words.owner(old) + " with token " + token + " by " + Words.owner(owner)
                    + (used == token ? "" : ", used up to " + used);
        }
    }

    /** {@code adopted.lua}. */
    record Adopted(int client, int owner, long token) implements Call {
        @Override
        public String toString() {
            return "adopted of " + Words.owner(owner) + " with token " + token;
        }
    }
}
