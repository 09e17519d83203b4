package io.holdfast.spring;

import io.holdfast.Admin;
import io.holdfast.Holder;
import io.holdfast.Holdfast;
import io.holdfast.LockInfo;
import io.holdfast.Revocation;
import io.holdfast.Waiter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/**
 * The locks that are held on the server, by any client. Answers consist of maps, lists, texts and numbers only: so they are
 * the same whatever writes them. What changes something needs {@code management.endpoint.locks.access=unrestricted}.
 */
@Endpoint(id = "locks", defaultAccess = Access.READ_ONLY)
final class LocksEndpoint {
    private static final int MOST_LOCKS = 200;
    private static final int MOST_WAITERS = 20;

    private final Holdfast holdfast;

    LocksEndpoint(Holdfast holdfast) {
        this.holdfast = holdfast;
    }

    /** The locks that are held, without those who wait. */
    @ReadOperation
    public Map<String, Object> locks() {
        List<Map<String, Object>> some = new ArrayList<>();
        boolean more = false;
        try (Stream<LockInfo> locks = holdfast.inspect().locks()) {
            for (LockInfo lock : (Iterable<LockInfo>) locks.limit(MOST_LOCKS + 1)::iterator) {
                more = some.size() == MOST_LOCKS;
                if (!more) {
                    some.add(shown(lock));
                }
            }
        }
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("client", holdfast.id());
        answer.put("holding", holdfast.leaseCount());
        answer.put("waiting", holdfast.waiterCount());
        answer.put("locks", some);
        answer.put("more", more);
        return answer;
    }

    /** One lock, and the first of those who wait for it. */
    @ReadOperation
    public Map<String, Object> lock(@Selector(match = Selector.Match.ALL_REMAINING) String[] name) {
        LockInfo lock = holdfast.inspect().lock(String.join("/", name), MOST_WAITERS);
        Map<String, Object> answer = shown(lock);
        answer.put("queue", lock.queue().stream().map(LocksEndpoint::shown).toList());
        return answer;
    }

    /** Releases the hold that has this token, and no later one; the next in line gets the lock. */
    @DeleteOperation
    public Map<String, Object> release(@Selector(match = Selector.Match.ALL_REMAINING) String[] name, long token) {
        return shown(revoke(name, token));
    }

    Revocation revoke(String[] name, long token) {
        if (token < 1) {
            throw new IllegalArgumentException("token is " + token + ", must be the token of the hold to release");
        }
        return holdfast.admin()
                .withEventData("actuator")
                .release(String.join("/", name), token, Admin.Waiters.HAND_OFF);
    }

    static Map<String, Object> shown(Revocation result) {
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("name", result.lockName());
        answer.put("outcome", result.outcome().name().toLowerCase(Locale.ROOT));
        result.holder().ifPresent(holder -> answer.put("holder", shown(holder)));
        result.next().ifPresent(holder -> answer.put("next", shown(holder)));
        return answer;
    }

    private static Map<String, Object> shown(LockInfo lock) {
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("name", lock.name());
        shown.put("locked", lock.isLocked());
        lock.holder().ifPresent(holder -> shown.put("holder", shown(holder)));
        shown.put("remainingMillis", lock.remaining().toMillis());
        shown.put("leaseDurationMillis", lock.leaseDuration().toMillis());
        shown.put("waiters", lock.waiters());
        shown.put("callers", lock.callers());
        return shown;
    }

    private static Map<String, Object> shown(Holder holder) {
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("application", holder.application());
        shown.put("host", holder.host());
        shown.put("pid", holder.pid());
        shown.put("actor", holder.actor());
        shown.put("client", holder.client());
        shown.put("token", holder.token()); // below 2^53: scripts of a page can count to that
        shown.put("since", holder.since().toString());
        shown.put("resting", holder.resting());
        shown.put("metadata", holder.metadata());
        return shown;
    }

    private static Map<String, Object> shown(Waiter waiter) {
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("application", waiter.application());
        shown.put("host", waiter.host());
        shown.put("pid", waiter.pid());
        shown.put("actor", waiter.actor());
        shown.put("client", waiter.client());
        shown.put("since", waiter.since().toString());
        shown.put("state", waiter.state().name().toLowerCase(Locale.ROOT));
        return shown;
    }
}
