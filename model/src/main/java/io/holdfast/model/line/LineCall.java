package io.holdfast.model.line;

import io.holdfast.model.queue.Words;
import java.util.List;

/** A call of a script of a shared line, with what it asks. {@link #client} is the client that calls. */
public sealed interface LineCall {
    /** Instead of an owner: each. */
    int ALL = -1;

    /** Instead of an owner: none. */
    int NONE = -2;

    int client();

    /**
     * {@code line_acquire.lua}.
     *
     * @param queues whether to queue if it does not fit
     * @param limit longest queue, 0 for any
     */
    record Acquire(int client, int owner, boolean queues, int limit) implements LineCall {
        @Override
        public String toString() {
            return "acquire of " + Words.owner(owner) + (queues ? "" : ", not to queue")
                    + (limit > 0 ? ", in a queue of " + limit + " at most" : "");
        }
    }

    /**
     * {@code line_release.lua}.
     *
     * @param rest for how many ticks what is held is to rest, 0 for not
     * @param sinceGrant whether that is asked for as a shortest hold
     */
    record Release(int client, int owner, boolean tombstone, int rest, boolean sinceGrant) implements LineCall {
        @Override
        public String toString() {
            return "release of " + Words.owner(owner) + (tombstone ? " with a tombstone" : "")
                    + (rest > 0 ? ", to rest for " + rest + (sinceGrant ? ", as a shortest hold" : "") : "");
        }
    }

    /** {@code line_confirm.lua}. */
    record Confirm(int client, int owner, long token) implements LineCall {
        @Override
        public String toString() {
            return "confirm of " + Words.owner(owner) + " with token " + token;
        }
    }

    /** {@code line_renew.lua}. */
    record Renew(int client, int owner, long token) implements LineCall {
        @Override
        public String toString() {
            return "renew of " + Words.owner(owner) + " with token " + token;
        }
    }

    /** {@code line_downgrade.lua}. */
    record Downgrade(int client, int owner, long token) implements LineCall {
        @Override
        public String toString() {
            return "downgrade of " + Words.owner(owner) + " with token " + token;
        }
    }

    /**
     * {@code line_refresh.lua}.
     *
     * @param count waiters of the client, 0 for a check
     * @param named the first of them
     */
    record Refresh(int client, int count, List<Integer> named, boolean heardProbe) implements LineCall {
        @Override
        public String toString() {
            return count == 0
                    ? "refresh of " + Words.client(client) + ", which only checks"
                    : "refresh of " + Words.client(client) + " for " + count + ", naming "
                            + named.stream().map(Words::owner).toList() + (heardProbe ? ", which heard the probe" : "");
        }
    }

    /**
     * {@code line_revoke.lua}.
     *
     * @param owner or {@link #ALL} or {@link #NONE}
     * @param resting token of what rests, or 0
     * @param drop as owner
     */
    record Revoke(int client, int owner, long resting, int drop) implements LineCall {
        @Override
        public String toString() {
            return "revoke of " + (resting > 0 ? "what rests with token " + resting : named(owner)) + ", dropping "
                    + named(drop);
        }
    }

    /**
     * {@code line_prolong.lua}, to a term and one tick.
     *
     * @param owner or {@link #ALL}
     */
    record Prolong(int client, int owner) implements LineCall {
        @Override
        public String toString() {
            return "prolong of " + named(owner);
        }
    }

    /**
     * {@code line_limit.lua}.
     *
     * @param permits -1 for no limit
     */
    record Limit(int client, int permits, int ticks) implements LineCall {
        @Override
        public String toString() {
            return permits < 0 ? "end of the limit" : "limit of " + permits + " for " + ticks;
        }
    }

    /** {@code line_clean.lua}. */
    record Clean(int client) implements LineCall {
        @Override
        public String toString() {
            return "clean";
        }
    }

    private static String named(int owner) {
        return owner == ALL ? "all" : owner == NONE ? "none" : Words.owner(owner);
    }
}
