package io.holdfast.dashboard;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the page reads, as records whose fields are those of the JSON. Times are epoch milliseconds of the dashboard's clock; tokens are
 * texts, since a number in a browser has no room for all of their digits.
 */
final class Documents {
    private Documents() {}

    /** Whether the lock server answers, since when, and if not, what it said. */
    record Server(boolean reachable, long since, String message) {}

    /** Sums, at present; and of the last hour, or since the dashboard watches. Whether there are more locks than are looked at. */
    record Totals(
            int locks,
            boolean more,
            int held,
            int waiting,
            int behindDead,
            int deadlocks,
            long lost,
            long refused,
            long acquired) {}

    /**
     * A lock in the overview.
     *
     * @param holder who has it, or had it before it rested; null also where it only pauses
     * @param holders how many have it; a pause is no holder
     * @param done whether it is the record of work that is done once, and was not given up
     * @param until when the last lease ends; of a lock that pauses without a holder, when the pause ends
     */
    record Row(
            String id,
            String kind,
            String name,
            @Nullable String holder,
            int holders,
            boolean resting,
            boolean done,
            @Nullable Boolean alive,
            @Nullable Long since,
            @Nullable Long until,
            @Nullable Long term,
            @Nullable Pause pause,
            int waiters,
            int dead,
            int used,
            @Nullable Integer limit,
            @Nullable Long firstWaits,
            boolean deadlock) {}

    record Everything(long picture, long at, Server server, Totals totals, List<Row> rows) {}

    record Change(long picture, long at, Server server, Totals totals, List<Row> put, List<String> gone) {}

    record Session(
            String version,
            String server,
            String prefix,
            boolean mounted,
            boolean changes,
            Map<String, String> headers,
            long since,
            String environment,
            String colour) {}

    /** The last hour by minutes: the most that were seen, or how many there were; null where nothing was watched. */
    record Trends(
            long at,
            List<@Nullable Integer> held,
            List<@Nullable Integer> waiting,
            List<@Nullable Integer> acquired,
            List<@Nullable Integer> lost,
            List<@Nullable Integer> refused) {}

    record Lock(
            long at,
            Row row,
            List<Share> shares,
            @Nullable Limit limit,
            List<Waiting> queue,
            Why why,
            List<String> deadlocks,
            Figures figures,
            Course history) {}

    record Share(
            String owner,
            String token,
            String who,
            String client,
            String application,
            String host,
            String pid,
            String actor,
            String mode,
            int permits,
            List<Integer> slots,
            long since,
            long until,
            long term,
            boolean confirmed,
            boolean resting,
            boolean done,
            @Nullable Boolean alive,
            Map<String, String> metadata) {}

    record Limit(int permits, String who, long until) {}

    /** @param reason empty for none */
    record Pause(String who, String reason, long until) {}

    record Waiting(
            int place,
            String owner,
            String who,
            String client,
            String application,
            String host,
            String pid,
            String actor,
            String mode,
            int permits,
            int limit,
            int priority,
            String order,
            long since,
            String state,
            Map<String, String> metadata) {}

    record Why(String sentence, String title, List<Way> ways) {}

    record Way(String by, @Nullable Long at, String words) {}

    /** What was seen of a lock in the last hour, in bins of {@code step} milliseconds; null where nothing was watched. */
    record Course(
            long from,
            long step,
            List<@Nullable Integer> waiters,
            List<@Nullable Integer> handoffs,
            List<Held> holds,
            List<Span> holders) {}

    /** A hold as it was seen: since its grant, and until it was looked at for the last time. */
    record Span(String who, String token, long from, long to) {
        Span until(long at) {
            return new Span(who, token, from, at);
        }
    }

    /**
     * Holds that ended.
     *
     * @param millis how long, in the mean
     * @param count of how many
     * @param end {@code released}, or {@code expired} if one or more of them were lost
     */
    record Held(long at, double millis, long count, String end) {}

    /** What clients have counted of a lock since they began. */
    record Figures(
            Times waits,
            Times holds,
            long handoffs,
            long timedOut,
            long refused,
            long lost,
            long answered,
            long givenUp) {}

    /** Milliseconds; {@code most} is a bound for 95 of 100. */
    record Times(long count, double mean, double longest, double most) {}

    record Waits(long at, List<Node> nodes, List<Edge> edges, List<Deadlock> deadlocks, int more) {}

    record Node(
            String id,
            String type,
            String label,
            String sub,
            @Nullable String kind,
            @Nullable String name,
            @Nullable String state,
            boolean deadlock) {}

    record Edge(String from, String to, String type, long since, boolean deadlock) {}

    record Deadlock(String words, List<Break> breaks) {}

    /** @param gentlest whether it is what breaks least */
    record Break(String words, Act act, boolean gentlest) {}

    record Clients(long at, List<Client> clients) {}

    record Client(
            String id,
            String who,
            String application,
            String host,
            String pid,
            String state,
            List<Name> holds,
            List<Name> waits) {}

    record Name(String kind, String name) {}

    record Events(long since, List<Event> events) {}

    record Event(
            long n,
            long at,
            String type,
            @Nullable String kind,
            @Nullable String name,
            String words,
            String tone) {}

    /** What somebody wants done. */
    record Act(
            @Nullable String act,
            @Nullable String kind,
            @Nullable String name,
            @Nullable String token,
            @Nullable String owner,
            long millis,
            @Nullable String reason) {}

    record Done(boolean done, String words) {}

    /** @param done false where it is certain that nothing was done; null where that is not known */
    record Problem(String error, @Nullable Boolean done) {}
}
