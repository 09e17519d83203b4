package io.holdfast.internal.wire;

import io.holdfast.spi.Entropy;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Draws the ids of owners: {@code client.epoch-number~secret}. What stands before the tilde is public and is shown; the
 * secret releases. A new secret is drawn for each connection epoch, so that two copies of one cloned machine, which count
 * alike, differ as soon as their connections broke.
 */
public final class OwnerIds {
    /** Secrets of so many epochs are kept, to recognise grants for owners of earlier ones. */
    private static final int EPOCHS_KEPT = 64;

    private static final int CLIENT_BYTES = 9;
    private static final int CLIENT_LENGTH = 4 * CLIENT_BYTES / 3;
    /** In place of an owner: a lock rests. */
    public static final String REST = "-";

    /** In place of an owner: what the lock is for was done, and this is the record. */
    public static final String RECORD = "=";

    /** In place of an owner: an operator has paused the lock. */
    public static final String PAUSE = "!";

    /**
     * What the owners of an epoch begin and end with.
     *
     * @param begin with the client, the epoch and the hyphen
     * @param end with the tilde and the secret
     */
    private record Epoch(String begin, String end) {}

    private final Entropy entropy;
    private final String client;
    private final AtomicLong counter = new AtomicLong();
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, String> secrets = new LinkedHashMap<>(); // guarded by lock; oldest first
    private long epochs; // guarded by lock
    private volatile Epoch epoch;

    public OwnerIds(Entropy entropy) {
        this.entropy = entropy;
        this.client = draw(CLIENT_BYTES);
        this.epoch = open();
    }

    /** The client's public id; letters, digits, {@code -} and {@code _}. */
    public String client() {
        return client;
    }

    void newEpoch() {
        epoch = open();
    }

    private Epoch open() {
        lock.lock();
        try {
            String name = Long.toString(epochs++, 36);
            String secret = draw(12);
            secrets.put(name, secret);
            if (secrets.size() > EPOCHS_KEPT) {
                secrets.remove(secrets.keySet().iterator().next());
            }
            return new Epoch(client + "." + name + "-", "~" + secret);
        } finally {
            lock.unlock();
        }
    }

    /** A fresh owner. */
    public String next() {
        Epoch now = epoch;
        return now.begin().concat(Long.toString(counter.incrementAndGet(), 36)).concat(now.end());
    }

    /** The whole owner that has this public part, or null if it is not one of this client's. */
    public @Nullable String complete(String publicPart) {
        int dash = publicPart.lastIndexOf('-');
        if (!publicPart.startsWith(client + ".") || dash <= client.length()) {
            return null;
        }
        lock.lock();
        try {
            String secret = secrets.get(publicPart.substring(client.length() + 1, dash));
            return secret == null ? null : publicPart + "~" + secret;
        } finally {
            lock.unlock();
        }
    }

    /**
     * The public part of an owner as people are told of it: what rests on a line stands under that of its last owner, behind a
     * hyphen, which a client's id may begin with as well.
     */
    static String shown(String publicPart) {
        return publicPart.startsWith(REST) && publicPart.indexOf('.') == CLIENT_LENGTH + REST.length()
                ? REST
                : publicPart;
    }

    public static String clientOf(String owner) {
        int dot = owner.indexOf('.');
        return dot < 0 ? "" : owner.substring(0, dot);
    }

    public static String publicPart(String owner) {
        return owner.substring(0, publicEnd(owner));
    }

    /** Where the public part ends. */
    static int publicEnd(String owner) {
        int tilde = owner.indexOf('~');
        return tilde < 0 ? owner.length() : tilde;
    }

    private String draw(int bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(entropy.bytes(bytes));
    }
}
