package io.holdfast.internal.wire;

import io.holdfast.Holder;
import io.holdfast.LockInfo;
import io.holdfast.LockMode;
import io.holdfast.Waiter;
import io.holdfast.spi.DriverException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The scripts of lines, which are read/write locks and semaphores as the server has them. The arguments stand in the order of the script's header.
 */
public final class SharedScripts implements LockScripts {
    /** Decodes what {@code describe} in line.lua has put here; nothing stands here without a waiter or another holder. */
    private static State stateOf(ScriptReply reply, int at) {
        if (reply.size() <= at) {
            return State.FREE;
        }
        long wakeMillis =
                reply.number(at); // until its first waiter could be granted it, without renewals; 0 without a waiter
        List<Claim> claims = new ArrayList<>();
        int count = reply.count(at + 4);
        int next = at + 5;
        for (int i = 0; i < count; i++, next += 4) {
            claims.add(new Claim(
                    reply.text(next),
                    Given.of(reply.text(next + 1), reply.number(next + 2)),
                    reply.number(next + 3),
                    true));
        }
        // Of those that hold it, it tells of the one whose hold lasts longest.
        Optional<LockInfo.Share> last =
                reply.size() > next ? Optional.of(shareOf(reply, next, true)) : Optional.empty();
        LockMode mode = last.map(LockInfo.Share::mode).orElse(null);
        return new State(
                last.map(LockInfo.Share::holder),
                last.map(LockInfo.Share::remaining).orElse(Duration.ZERO).toMillis(),
                mode,
                reply.count(mode == LockMode.PERMITS ? at + 3 : at + 2),
                claims,
                wakeMillis == 0 ? -1 : reply.expiryNanos(wakeMillis - 1),
                -1,
                reply.flag(at + 1));
    }

    private static LockInfo.Share shareOf(ScriptReply reply, int at, boolean confirmed) {
        Given permits = Given.of(reply.text(at + 7), 0); // slots follow a number of permits as they do a token
        return new LockInfo.Share(
                ClientLabel.holder(
                        OwnerIds.shown(reply.text(at + 1)),
                        reply.number(at + 2),
                        reply.number(at + 3),
                        reply.text(at + 5)),
                Asked.modeOf(reply.text(at + 6)),
                (int) permits.token(),
                permits.slotNumbers(),
                confirmed,
                Duration.ofMillis(reply.number(at + 4)),
                Duration.ofMillis(Math.max(0, reply.number(at))));
    }

    /** What a writer has as a reader; the token is 0 if it has nothing. */
    public record DowngradeReply(long token, long sinceMicros, State state) {}

    /**
     * What has become of a limit.
     *
     * @param before whether there was one before
     */
    public record LimitReply(boolean before, State state) {}

    /** In place of an owner: no owner begins so. */
    private static final String NOBODY = "@";

    private static final int MOST_NAMED = 32;
    private static final int FIRST_SHARE = 8;
    private static final int PER_SHARE = 9;
    private static final int PER_WAITER = 7;

    private final ScriptCalls calls;
    private final ClientWords client;

    SharedScripts(ScriptCalls calls, ClientWords client) {
        this.calls = calls;
        this.client = client;
    }

    @Override
    public void acquire(
            Acquire asked, long sentNanos, BiConsumer<@Nullable AcquireReply, @Nullable DriverException> callback) {
        String term = Long.toString(LockScripts.term(asked.options()).toMillis());
        calls.call(
                Script.LINE_ACQUIRE,
                asked.keys().allToAcquire(asked.owner()),
                client.first()
                        .add(asked.owner())
                        .add(term)
                        .add(client.held(term, asked.actor()))
                        .add(asked.what().words())
                        .add(ClientWords.queueing(asked.options(), asked.queue())),
                sentNanos,
                SharedScripts::acquired,
                callback);
    }

    private static AcquireReply acquired(ScriptReply reply) {
        AcquireWord word = reply.word(AcquireWord.class);
        long time = reply.timeMicros();
        return switch (word) {
            case GRANTED ->
                new AcquireReply(word, time, Given.of(reply.text(1), reply.number(2)), false, 0, 0, stateOf(reply, 3));
            case QUEUED, TAKEN, FULL, MORE, DONE ->
                new AcquireReply(word, time, reply.count(1), reply.count(2), stateOf(reply, 3));
            case GONE, EVICTED -> new AcquireReply(word, time, 0, 0, null);
        };
    }

    @Override
    public void release(Release asked, BiConsumer<@Nullable ReleaseReply, @Nullable DriverException> callback) {
        calls.call(
                Script.LINE_RELEASE,
                asked.touched(),
                client.first().add(asked.owner()).add(ClientWords.release(asked, asked.token())),
                reply -> new ReleaseReply(reply.word(ReleaseWord.class), stateOf(reply, 1)),
                callback);
    }

    @Override
    public void confirm(
            Keys keys,
            ConfirmEntry entry,
            long sentNanos,
            BiConsumer<@Nullable Boolean, @Nullable DriverException> callback) {
        confirm(
                keys,
                List.of(entry),
                sentNanos,
                (held, failure) -> callback.accept(held == null ? null : held.get(0), failure));
    }

    @Override
    public boolean confirmsTogether() {
        return true;
    }

    /** Confirms for a moment, which shortens nothing: the holders may be too many to be listed. */
    @Override
    public void isHeld(
            Keys keys,
            String owner,
            long token,
            long sentNanos,
            BiConsumer<@Nullable Boolean, @Nullable DriverException> callback) {
        confirm(keys, new ConfirmEntry(owner, token, 1), sentNanos, callback);
    }

    /** The answers, whether each holds the line with its token, come in the order of the entries. */
    public void confirm(
            Keys keys,
            List<ConfirmEntry> entries,
            long sentNanos,
            BiConsumer<@Nullable List<Boolean>, @Nullable DriverException> callback) {
        StringBuilder words = new StringBuilder();
        for (ConfirmEntry entry : entries) {
            words.append(words.isEmpty() ? "" : " ")
                    .append(entry.owner())
                    .append(' ')
                    .append(entry.token())
                    .append(' ')
                    .append(entry.leaseDurationMillis());
        }
        calls.call(
                Script.LINE_CONFIRM,
                keys.all(),
                client.first().add(words.toString()),
                sentNanos,
                reply -> reply.all(reply::flag),
                callback);
    }

    /** While a slot is being moved, the keys of a lock may be on two servers; then only one of them is renewed, without which nothing is held. */
    @Override
    public void renew(
            List<RenewEntry> entries,
            long sentNanos,
            BiConsumer<@Nullable List<Renewed>, @Nullable DriverException> callback) {
        renew(entries, false, sentNanos, (told, failure) -> {
            if (failure != null && failure.code().equals("TRYAGAIN")) {
                renew(entries, true, sentNanos, callback);
            } else {
                callback.accept(told, failure);
            }
        });
    }

    private void renew(
            List<RenewEntry> entries,
            boolean apart,
            long sentNanos,
            BiConsumer<@Nullable List<Renewed>, @Nullable DriverException> callback) {
        Map<Keys, List<Integer>> places = new LinkedHashMap<>();
        for (int i = 0; i < entries.size(); i++) {
            places.computeIfAbsent(entries.get(i).keys(), keys -> new ArrayList<>())
                    .add(i);
        }
        List<String> keys = new ArrayList<>();
        Arguments args = new Arguments();
        List<Integer> order = new ArrayList<>();
        places.forEach((line, of) -> {
            keys.add(line.members());
            keys.add(apart ? line.members() : line.hold());
            StringBuilder words = new StringBuilder();
            for (int i : of) {
                RenewEntry entry = entries.get(i);
                words.append(words.isEmpty() ? "" : " ")
                        .append(OwnerIds.publicPart(entry.owner()))
                        .append(' ')
                        .append(entry.token())
                        .append(' ')
                        .append(entry.leaseDurationMillis());
            }
            args.add(words.toString());
            order.addAll(of);
        });
        calls.call(
                Script.LINE_RENEW,
                keys,
                args,
                sentNanos,
                reply -> {
                    List<Renewed> told = Renewed.of(reply);
                    Renewed[] answers = new Renewed[entries.size()];
                    for (int i = 0; i < answers.length; i++) {
                        answers[order.get(i)] = told.get(i);
                    }
                    return List.of(answers);
                },
                callback);
    }

    /** A writer goes on as a reader. */
    public void downgrade(
            Keys keys,
            String owner,
            long token,
            Duration term,
            long sentNanos,
            BiConsumer<@Nullable DowngradeReply, @Nullable DriverException> callback) {
        calls.call(
                Script.LINE_DOWNGRADE,
                keys.all(),
                client.first().add(owner).add(token).add(term),
                sentNanos,
                reply -> reply.says("DOWNGRADED")
                        ? new DowngradeReply(reply.number(1), reply.number(2), stateOf(reply, 3))
                        : new DowngradeReply(0, 0, State.FREE),
                callback);
    }

    @Override
    public int mostNamed() {
        return MOST_NAMED;
    }

    @Override
    public void refresh(
            List<RefreshEntry> entries,
            String heard,
            long sentNanos,
            BiConsumer<@Nullable List<RefreshReply>, @Nullable DriverException> callback) {
        List<String> keys = new ArrayList<>();
        Arguments args = client.first().add(heard);
        for (RefreshEntry entry : entries) {
            keys.addAll(entry.keys().all());
            args.add(entry.count()).add(String.join(" ", entry.first()));
        }
        calls.call(
                Script.LINE_REFRESH,
                keys,
                args,
                sentNanos,
                reply ->
                        reply.each((i, line) -> new RefreshReply(line.says("RESEND"), line.count(1), stateOf(line, 2))),
                callback);
    }

    /** Holders are listed as waiters are. */
    @Override
    public int listed(int mostWaiters) {
        return Math.max(mostWaiters, Server.WAITERS_LISTED);
    }

    @Override
    public void info(
            List<Keys> lines, int most, BiConsumer<@Nullable List<LockInfo>, @Nullable DriverException> callback) {
        calls.call(
                Script.LINE_INFO,
                lines.stream().flatMap(line -> line.all().stream()).toList(),
                client.first().add(Math.max(1, most)), // or it would not be told that anybody holds
                reply -> reply.each((i, line) -> infoOf(lines.get(i), line, most)),
                callback);
    }

    /** Decodes one element of the reply of line_info.lua. */
    private static LockInfo infoOf(Keys keys, ScriptReply reply, int most) {
        List<LockInfo.Share> shares = new ArrayList<>();
        int waiters = FIRST_SHARE + PER_SHARE * reply.count(3);
        for (int i = FIRST_SHARE; i < waiters; i += PER_SHARE) {
            shares.add(shareOf(reply, i, reply.text(i + 8).equals("held")));
        }
        List<Waiter> queue = new ArrayList<>();
        for (int i = waiters; i < waiters + PER_WAITER * reply.count(4); i += PER_WAITER) {
            queue.add(ClientWords.waiterOf(reply, i, Asked.of(reply.text(i + 6))));
        }
        LockInfo.Share last = shares.isEmpty() ? null : shares.get(shares.size() - 1);
        return new LockInfo(
                keys.name(),
                keys.kind().shown(),
                Optional.ofNullable(last).map(LockInfo.Share::holder),
                last != null && last.confirmed(),
                last == null ? Duration.ZERO : last.leaseDuration(),
                last == null ? Duration.ZERO : last.remaining(),
                reply.count(0),
                reply.count(0),
                queue.subList(0, Math.min(most, queue.size())),
                // The server counts those that are over, too, until it comes by them.
                shares.size() == reply.count(1)
                        ? shares.stream().mapToInt(LockInfo.Share::permits).sum()
                        : reply.count(2),
                shares,
                keys.kind() == Keys.Kind.SEMAPHORE ? limitOf(reply, 5) : Optional.empty(),
                reply.number(5) == 0
                        ? Optional.of(new LockInfo.Pause(limiting(reply, 5), limitLeft(reply, 5)))
                        : Optional.empty());
    }

    private static Optional<LockInfo.Limit> limitOf(ScriptReply reply, int at) {
        if (reply.number(at) < 0) {
            return Optional.empty();
        }
        Holder by = limiting(reply, at);
        return Optional.of(
                new LockInfo.Limit(reply.count(at), by.application(), by.host(), by.pid(), limitLeft(reply, at)));
    }

    private static Holder limiting(ScriptReply reply, int at) {
        return ClientLabel.holder("", 0, 0, reply.text(at + 2));
    }

    private static Duration limitLeft(ScriptReply reply, int at) {
        return Duration.ofMillis(reply.number(at + 1));
    }

    @Override
    public String none() {
        return NOBODY;
    }

    @Override
    public String named(Holder holder) {
        return holder.resting() ? "- " + holder.token() : holder.owner();
    }

    @Override
    public void revoke(
            Keys keys,
            String owner,
            String drop,
            Duration refused,
            BiConsumer<@Nullable RevokeReply, @Nullable DriverException> callback) {
        calls.call(
                Script.LINE_REVOKE,
                keys.allToRevoke(),
                client.first().add(owner).add(drop).add(refused),
                reply -> {
                    State state = stateOf(reply, 3);
                    return new RevokeReply(
                            reply.count(1) > 0 ? RevokeWord.RELEASED : RevokeWord.NOTHING,
                            Optional.empty(),
                            reply.count(2),
                            state);
                },
                callback);
    }

    @Override
    public void prolong(
            Keys keys,
            String owner,
            Duration atLeast,
            BiConsumer<@Nullable Duration, @Nullable DriverException> callback) {
        calls.call(
                Script.LINE_PROLONG,
                List.of(keys.members(), keys.hold()),
                new Arguments().add(owner).add(atLeast),
                reply -> Duration.ofMillis(reply.number(1)),
                callback);
    }

    /**
     * Limits by name how many permits may be out, for a time, and serves whoever fits then.
     *
     * @param permits -1 to end the limit that there is
     */
    public void limit(
            Keys keys,
            int permits,
            Duration forHowLong,
            BiConsumer<@Nullable LimitReply, @Nullable DriverException> callback) {
        limit(keys, permits, forHowLong, "", reply -> new LimitReply(reply.flag(0), stateOf(reply, 1)), callback);
    }

    private <T> void limit(
            Keys keys,
            int permits,
            Duration forHowLong,
            String actor,
            Function<ScriptReply, T> read,
            BiConsumer<@Nullable T, @Nullable DriverException> callback) {
        calls.call(
                Script.LINE_LIMIT,
                keys.all(),
                client.first().add(permits).add(forHowLong).add(client.label(actor)),
                read,
                callback);
    }

    /** Of what several may hold a pause is the limit that lets nobody in. */
    @Override
    public void pause(
            Keys keys,
            Duration time,
            String actor,
            BiConsumer<@Nullable PauseReply, @Nullable DriverException> callback) {
        limit(
                keys,
                time.isZero() ? -1 : 0,
                time,
                actor,
                reply -> {
                    State state = stateOf(reply, 1);
                    PauseWord word = time.isZero()
                            ? reply.flag(0) ? PauseWord.RESUMED : PauseWord.NOTHING
                            : state.holder().isPresent() ? PauseWord.NOTED : PauseWord.PAUSED;
                    return new PauseReply(word, state);
                },
                callback);
    }

    @Override
    public void clean(Keys keys, BiConsumer<@Nullable CleanReply, @Nullable DriverException> callback) {
        calls.call(
                Script.LINE_CLEAN,
                keys.all(),
                client.first(),
                reply -> new CleanReply(reply.count(0), reply.count(1), stateOf(reply, 2)),
                callback);
    }
}
