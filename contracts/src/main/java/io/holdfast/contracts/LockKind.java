package io.holdfast.contracts;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.LockOptions;
import io.holdfast.QuorumOptions;
import io.holdfast.ReleaseResult;
import io.holdfast.contracts.LockClient.AskingAgain;
import io.holdfast.spi.RedisDriver;
import java.time.Duration;
import java.util.List;

/**
 * The kinds of lock, in the one shape in which {@link LockContract} and {@link LeaseContract} see them. A new kind is
 * one constant here: every driver's tests of these contracts then run it.
 */
public enum LockKind {
    /** As it is without options: in turns. */
    EXCLUSIVE,

    /** In strict order: each lease has a hold of the server for itself. */
    STRICT {
        @Override
        LockClient open(List<RedisDriver> servers, HoldfastOptions options, AskingAgain asking) {
            return ofServer(servers, options, LockOptions.defaults().withStrictOrder());
        }
    },

    /** Kept by its client after a release. */
    KEPT {
        @Override
        LockClient open(List<RedisDriver> servers, HoldfastOptions options, AskingAgain asking) {
            return ofServer(servers, options, LockOptions.defaults().withKeepFor(Duration.ofMinutes(1)));
        }

        @Override
        ReleaseResult released() {
            return ReleaseResult.KEPT;
        }
    },

    /** To read; against writers. */
    READING(LockClient.Locks.READING, "%rw:"),

    /** To write. */
    WRITING(LockClient.Locks.WRITING, "%rw:"),

    /** The only permit. */
    PERMIT(LockClient.Locks.PERMITS, "%sem:"),

    /** The only slot. */
    SLOT(LockClient.Locks.SLOTS, "%sem:"),

    /** One key, as others write it. */
    PLAIN {
        @Override
        LockClient open(List<RedisDriver> servers, HoldfastOptions options, AskingAgain asking) {
            return new LockClient.OfPlainLocks(Holdfast.over(servers.get(0), options), asking);
        }

        @Override
        String key(String name) {
            return name;
        }
    },

    /** On a majority of three servers. */
    QUORUM {
        @Override
        LockClient open(List<RedisDriver> servers, HoldfastOptions options, AskingAgain asking) {
            return LockClient.OfQuorum.over(
                    servers,
                    // What is true of any lease does not depend on how soon a node is given up.
                    QuorumOptions.defaults()
                            .withClient(options)
                            .withMaxLeaseDuration(Duration.ofMinutes(10))
                            .withNodeTimeout(Duration.ofSeconds(2)),
                    asking);
        }

        @Override
        int servers() {
            return 3;
        }
    };

    private final LockClient.Locks locks;
    private final String space; // of names

    LockKind() {
        this(LockClient.Locks.EXCLUSIVE, "");
    }

    LockKind(LockClient.Locks locks, String space) {
        this.locks = locks;
        this.space = space;
    }

    /** A new client, over a driver for each server. */
    LockClient open(List<RedisDriver> servers, HoldfastOptions options, AskingAgain asking) {
        return ofServer(servers, options, LockOptions.defaults());
    }

    /** How many servers its locks are on. */
    int servers() {
        return 1;
    }

    /** The key under which a server has the hold of a lock. */
    String key(String name) {
        return "hf:{" + space + name + "}";
    }

    /** All keys that a server has while one lease is held, sorted. */
    List<String> keys(String name) {
        return locks == LockClient.Locks.EXCLUSIVE ? List.of(key(name)) : List.of(key(name), key(name) + ":m");
    }

    /** What a release is answered for which nobody waits. */
    ReleaseResult released() {
        return ReleaseResult.RELEASED;
    }

    LockClient ofServer(List<RedisDriver> servers, HoldfastOptions options, LockOptions lock) {
        return new LockClient.OfServer(Holdfast.over(servers.get(0), options), lock, locks);
    }
}
