package io.holdfast.internal.wire;

import io.holdfast.Holder;
import io.holdfast.LockInfo;
import io.holdfast.Waiter;
import io.holdfast.spi.DriverException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** The scripts of exclusive locks. The arguments stand in the order of the script's header, and nowhere else. */
public final class ExclusiveScripts implements LockScripts {
    /**
     * What goes on under another owner.
     *
     * @param old the owner until now
     * @param token by which the server knows the hold
     * @param used the last of the tokens that were reserved for it which a lease has had; the same if it had its own alone
     * @param actor label of the actor
     * @param tombstone how long the old owner's lives
     */
    public record Adopt(
            Keys keys,
            String old,
            long token,
            long used,
            String owner,
            Duration term,
            String actor,
            Duration tombstone) {}

    /**
     * Whether the hold has been taken over.
     *
     * @param sinceMicros when the lock was granted to the first owner
     */
    public record AdoptReply(boolean held, long sinceMicros) {}

    /** In place of a token: no hold has it. */
    private static final String NO_TOKEN = "1";

    private static final int PER_HOLD = 6;
    private static final int FIRST_WAITER = 3;
    private static final int PER_WAITER = 6;

    private final ScriptCalls calls;
    private final ClientWords client;

    ExclusiveScripts(ScriptCalls calls, ClientWords client) {
        this.calls = calls;
        this.client = client;
    }

    @Override
    public void acquire(
            Acquire asked, long sentNanos, BiConsumer<@Nullable AcquireReply, @Nullable DriverException> callback) {
        String term = Long.toString(LockScripts.term(asked.options()).toMillis());
        Arguments args = client.first()
                .add(asked.owner())
                .add(term)
                .add(client.held(term, asked.actor()) + (asked.keep() ? " K" : ""))
                .add(asked.tokens() - 1)
                .add(ClientWords.queueing(asked.options(), asked.queue()));
        calls.call(
                Script.ACQUIRE,
                asked.keys().allToAcquire(asked.owner()),
                args,
                sentNanos,
                reply -> acquired(reply, asked.keep()),
                callback);
    }

    private static AcquireReply acquired(ScriptReply reply, boolean keep) {
        AcquireWord word = reply.word(AcquireWord.class);
        long time = reply.timeMicros();
        return switch (word) {
            case GRANTED ->
                new AcquireReply(
                        word,
                        time,
                        new Given(reply.number(1), reply.number(2)),
                        reply.size() == 3 ? keep : reply.flag(3),
                        0,
                        0,
                        null);
            case QUEUED, TAKEN, FULL, DONE ->
                new AcquireReply(word, time, reply.count(1), reply.count(2), stateOf(reply, 3));
            case GONE, MORE, EVICTED -> new AcquireReply(word, time, 0, 0, null);
        };
    }

    /** Decodes what {@code describe} in exclusive.lua has put here. */
    private static State stateOf(ScriptReply reply, int at) {
        String mine = reply.text(at);
        int hold = at + 6;
        long handed = reply.number(at + 4);
        return new State(
                reply.holder(hold),
                reply.remainingMillis(hold),
                null,
                0,
                mine.isEmpty()
                        ? List.of()
                        : List.of(new Claim(
                                mine,
                                new Given(reply.number(at + 1), reply.number(at + 2)),
                                reply.number(at + 3),
                                false)),
                reply.overNanos(hold),
                handed == 0 ? -1 : reply.expiryNanos(handed),
                reply.flag(at + 5));
    }

    @Override
    public void release(Release asked, BiConsumer<@Nullable ReleaseReply, @Nullable DriverException> callback) {
        String words = ClientWords.release(asked, asked.lastToken());
        String done = asked.done();
        String how = done != null ? words + " " + client.label(done) : words.equals("0 0 0 0") ? "" : words;
        calls.call(
                Script.RELEASE,
                asked.touched(),
                client.first().add(asked.owner()).add(how),
                reply -> new ReleaseReply(
                        reply.word(ReleaseWord.class), reply.size() == 1 ? State.FREE : stateOf(reply, 1)),
                callback);
    }

    @Override
    public void confirm(
            Keys keys,
            ConfirmEntry entry,
            long sentNanos,
            BiConsumer<@Nullable Boolean, @Nullable DriverException> callback) {
        Arguments args = client.first().add(entry.owner()).add(entry.token()).add(entry.leaseDurationMillis());
        calls.call(Script.CONFIRM, keys.all(), args, sentNanos, reply -> reply.says("HELD"), callback);
    }

    @Override
    public boolean confirmsTogether() {
        return false;
    }

    @Override
    public boolean keepsNotes() {
        return true;
    }

    /** Looks, as a confirmation would take up what was handed over. */
    @Override
    public void isHeld(
            Keys keys,
            String owner,
            long token,
            long sentNanos,
            BiConsumer<@Nullable Boolean, @Nullable DriverException> callback) {
        String shown = OwnerIds.publicPart(owner);
        info(
                List.of(keys),
                0,
                (infos, failure) -> callback.accept(
                        infos == null
                                ? null
                                : infos.get(0).holder().stream()
                                        .anyMatch(holder -> holder.owner().equals(shown) && holder.token() == token),
                        failure));
    }

    /** Goes on with a hold under another owner. */
    public void adopt(
            Adopt asked, long sentNanos, BiConsumer<@Nullable AdoptReply, @Nullable DriverException> callback) {
        calls.call(
                Script.ADOPT,
                asked.keys().allToAdopt(asked.old(), asked.owner()),
                client.first()
                        .add(asked.old())
                        .add(asked.token())
                        .add(asked.owner())
                        .add(asked.term())
                        .add(client.label(asked.actor()))
                        .add(asked.tombstone())
                        .add(asked.used()),
                sentNanos,
                reply -> new AdoptReply(reply.says("HELD"), reply.number(1)),
                callback);
    }

    /** The answer is whether another process goes on with a hold, of which the last lease had this token, or has done so lately. */
    public void adopted(
            Keys keys, String owner, long token, BiConsumer<@Nullable Boolean, @Nullable DriverException> callback) {
        calls.call(
                Script.ADOPTED,
                List.of(keys.hold(), keys.tombstone(owner)),
                new Arguments().add(owner).add(token),
                reply -> reply.says("ADOPTED"),
                callback);
    }

    /**
     * Leaves a note. The answer is whether the owner holds the lock. What is sent after it comes after it.
     *
     * @param actor its label, with the note
     * @param kept for others; zero to remove it
     */
    public void note(
            Keys keys,
            String owner,
            long token,
            String actor,
            Duration kept,
            BiConsumer<@Nullable Boolean, @Nullable DriverException> callback) {
        calls.callByText(
                Script.NOTE,
                List.of(keys.hold(), keys.note()),
                new Arguments().add(owner).add(token).add(client.label(actor)).add(kept),
                reply -> reply.says("NOTED"),
                callback);
    }

    /** Tells of those that have left the last notes, each a holder at the time of its note; the last one first. */
    public void notes(Keys keys, BiConsumer<@Nullable List<Holder>, @Nullable DriverException> callback) {
        calls.call(
                Script.NOTE,
                List.of(keys.hold(), keys.note()),
                new Arguments().add("").add("").add("").add("0"),
                reply -> {
                    List<Holder> left = new ArrayList<>();
                    for (int at = 1; at + 2 < reply.size(); at += 3) {
                        left.add(ClientLabel.holder("", reply.number(at), reply.number(at + 1), reply.text(at + 2)));
                    }
                    return left;
                },
                callback);
    }

    @Override
    public void renew(
            List<RenewEntry> entries,
            long sentNanos,
            BiConsumer<@Nullable List<Renewed>, @Nullable DriverException> callback) {
        List<String> keys = new ArrayList<>(entries.size());
        Arguments args = new Arguments();
        for (RenewEntry entry : entries) {
            keys.add(entry.keys().hold());
            args.add(entry.owner()).add(entry.token()).add(entry.leaseDurationMillis());
        }
        calls.call(Script.RENEW, keys, args, sentNanos, Renewed::of, callback);
    }

    @Override
    public int mostNamed() {
        return 1;
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
            args.add(entry.count())
                    .add(entry.first().isEmpty() ? "" : entry.first().get(0));
        }
        calls.call(
                Script.REFRESH,
                keys,
                args,
                sentNanos,
                reply ->
                        reply.each((i, lock) -> new RefreshReply(lock.says("RESEND"), lock.count(1), stateOf(lock, 2))),
                callback);
    }

    @Override
    public int listed(int mostWaiters) {
        return mostWaiters;
    }

    @Override
    public void info(
            List<Keys> locks,
            int mostWaiters,
            BiConsumer<@Nullable List<LockInfo>, @Nullable DriverException> callback) {
        calls.call(
                Script.INFO,
                Keys.allToLook(locks),
                client.first().add(mostWaiters),
                reply -> reply.each((i, lock) -> infoOf(locks.get(i), lock)),
                callback);
    }

    /** Decodes one element of the reply of info.lua. */
    private static LockInfo infoOf(Keys keys, ScriptReply reply) {
        int hold = FIRST_WAITER + PER_WAITER * reply.count(2);
        List<Waiter> queue = new ArrayList<>();
        for (int i = FIRST_WAITER; i < hold; i += PER_WAITER) {
            queue.add(ClientWords.waiterOf(reply, i, Asked.ALONE));
        }
        return new LockInfo(
                keys.name(),
                keys.kind().shown(),
                reply.holder(hold),
                reply.text(1).equals("held"),
                Duration.ofMillis(reply.leaseDurationMillis(hold)),
                Duration.ofMillis(reply.remainingMillis(hold)),
                reply.count(0),
                queue,
                reply.size() > hold + PER_HOLD ? Optional.of(pauseOf(reply, hold + PER_HOLD)) : Optional.empty());
    }

    /** A pause that is to begin, of which three words tell. */
    private static LockInfo.Pause pauseOf(ScriptReply reply, int at) {
        Holder by = ClientLabel.holder("", 0, reply.number(at), reply.text(at + 2));
        return new LockInfo.Pause(by, Duration.ofMillis(reply.number(at + 1)));
    }

    @Override
    public String none() {
        return NO_TOKEN;
    }

    @Override
    public String named(Holder holder) {
        return Long.toString(holder.token());
    }

    @Override
    public void revoke(
            Keys keys,
            String hold,
            String drop,
            Duration refused,
            BiConsumer<@Nullable RevokeReply, @Nullable DriverException> callback) {
        calls.call(
                Script.REVOKE,
                keys.allToRevoke(),
                client.first().add(hold).add(drop).add(refused),
                ExclusiveScripts::revoked,
                callback);
    }

    /** Decodes the reply of revoke.lua. */
    private static RevokeReply revoked(ScriptReply reply) {
        List<ScriptReply> parts = reply.each((i, part) -> part);
        ScriptReply words = parts.get(0);
        return new RevokeReply(words.word(RevokeWord.class), parts.get(1).holder(1), words.count(1), stateOf(words, 2));
    }

    @Override
    public void prolong(
            Keys keys,
            String hold,
            Duration atLeast,
            BiConsumer<@Nullable Duration, @Nullable DriverException> callback) {
        Arguments args = new Arguments().add(atLeast).add(hold);
        calls.call(Script.PROLONG, List.of(keys.hold()), args, reply -> Duration.ofMillis(reply.number(1)), callback);
    }

    @Override
    public void pause(
            Keys keys,
            Duration time,
            String actor,
            BiConsumer<@Nullable PauseReply, @Nullable DriverException> callback) {
        calls.call(
                Script.PAUSE,
                keys.all(),
                client.first().add(time).add(client.label(actor)),
                reply -> new PauseReply(reply.word(PauseWord.class), stateOf(reply, 1)),
                callback);
    }

    @Override
    public void clean(Keys keys, BiConsumer<@Nullable CleanReply, @Nullable DriverException> callback) {
        calls.call(
                Script.CLEAN,
                keys.all(),
                client.first(),
                reply -> new CleanReply(reply.count(0), reply.count(1), stateOf(reply, 2)),
                callback);
    }
}
