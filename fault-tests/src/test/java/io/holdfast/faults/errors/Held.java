package io.holdfast.faults.errors;

import io.holdfast.Lease;
import io.holdfast.LeaseSet;
import io.holdfast.LockMode;
import io.holdfast.PlainLease;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** What a caller has obtained: a lease of any kind, or several as one. */
final class Held {
    final String text;
    final Object client;
    private final Object lease;
    final boolean nested;
    boolean left; // its caller has released it, or given it away
    boolean given; // to another client, which may have it while it is valid here
    boolean told; // of its loss
    boolean threw; // when it was released

    Held(String text, Object client, Object lease, boolean nested) {
        this.text = text;
        this.client = client;
        this.lease = lease;
        this.nested = nested;
    }

    boolean isValid() {
        if (lease instanceof Lease one) {
            return one.isValid();
        }
        return lease instanceof PlainLease plain ? plain.isValid() : ((LeaseSet) lease).isValid();
    }

    CompletionStage<?> lost() {
        if (lease instanceof Lease one) {
            return one.whenLost();
        }
        return lease instanceof PlainLease plain ? plain.whenLost() : ((LeaseSet) lease).whenLost();
    }

    CompletableFuture<?> releaseAsync() {
        if (lease instanceof Lease one) {
            return one.releaseAsync();
        }
        return lease instanceof PlainLease plain ? plain.releaseAsync() : ((LeaseSet) lease).releaseAsync();
    }

    private Map<String, Lease> byName() {
        if (lease instanceof LeaseSet set) {
            Map<String, Lease> leases = new HashMap<>();
            set.tokens().keySet().forEach(name -> leases.put(name, set.lease(name)));
            return leases;
        }
        return lease instanceof Lease one ? Map.of(one.name(), one) : Map.of();
    }

    /** Whether one of both may not be held while the other is. */
    boolean excludes(Held other) {
        if (given || other.given) {
            return false;
        }
        if (lease instanceof PlainLease plain) {
            return other.lease instanceof PlainLease another && plain.key().equals(another.key());
        }
        if (nested && client == other.client) {
            return false;
        }
        Map<String, Lease> others = other.byName();
        return byName().entrySet().stream().anyMatch(each -> {
            Lease theirs = others.get(each.getKey());
            return theirs != null && excludes(each.getValue().mode(), theirs.mode());
        });
    }

    private static boolean excludes(LockMode one, LockMode other) {
        return one != other || (one != LockMode.SHARED && one != LockMode.PERMITS);
    }

    int permits() {
        return lease instanceof Lease one && one.mode() == LockMode.PERMITS ? one.permits() : 0;
    }

    Lease lease() {
        return (Lease) lease;
    }

    @Override
    public String toString() {
        return text;
    }
}
