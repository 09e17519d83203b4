package io.holdfast.lettuce;

import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.ProtocolKeyword;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What was asked over the message connection since it was last established, in the order in which it was sent.
 *
 * <h2>Why Lettuce's own pairing will not do</h2>
 *
 * Lettuce completes the oldest command with whatever comes next: over RESP2 also with a message of a sharded channel, and
 * with a {@code sunsubscribe} that nobody asked for; over RESP3 with the latter if the command is a {@code SUNSUBSCRIBE}.
 * From then on each command has the answer to the one before. So its completion counts for nothing here. An
 * acknowledgement is known by its own words, which Lettuce passes on always. An error has no words to know it by, but
 * answers come in the order of the questions: it belongs to the oldest question without an answer. And since Lettuce drops
 * an error for which it has no command, it gets one more whenever it has none left and an answer is missing.
 *
 * <p>Lettuce writes a command again, behind those that came later, if something was thrown when it was written first.
 * Then the order of the questions is no longer that of the answers, and nothing of this connection is believed any more.
 *
 * <h2>Leaving a sharded channel</h2>
 *
 * The server ends a subscription by itself with the very words that answer {@code SUNSUBSCRIBE}, and rejects a
 * {@code SUNSUBSCRIBE} that comes after that. So each is followed by an {@code UNSUBSCRIBE} of {@link #MARK}, whose
 * answer is unmistakable, and which ends whatever the {@code SUNSUBSCRIBE} was answered.
 */
final class Asked {
    /** A channel to which nobody subscribes; answers to this are looked for. */
    private static final String MARK = "holdfast:left";

    /** Asks without interest in the answer. */
    private static final String CATCHER = "holdfast:catch";

    /** A question: the words of its acknowledgement, and the sharded channel that it leaves. */
    private record Question(
            CommandType type, String channel, @Nullable String leaves, Call<String> call) {
        boolean isMark() {
            return type == CommandType.UNSUBSCRIBE && channel.equals(MARK);
        }
    }

    /** Makes a call, given the command and its channel. */
    interface Calls {
        Call<String> make(ProtocolKeyword type, String channel, Call.Course course);
    }

    /** Counts a call. */
    private final class Course implements Call.Course {
        private final boolean unheeded;

        /** Its place among what was asked; 0 for what may come anywhere. */
        private final long place;

        private boolean wasWritten; // guarded by lock

        Course(boolean unheeded, long place) {
            this.unheeded = unheeded;
            this.place = place;
        }

        @Override
        public void written() {
            boolean inOrder;
            lock.lock();
            try {
                catching++;
                inOrder = !wasWritten && (place == 0 || place > lastWritten);
                wasWritten = true;
                lastWritten = Math.max(place, lastWritten);
            } finally {
                lock.unlock();
            }
            if (!inOrder) {
                epoch.doubt(null);
            }
        }

        @Override
        public boolean taken(@Nullable String error) {
            Asked.this.taken(error);
            return unheeded;
        }
    }

    private final Calls calls;
    private final BiConsumer<Epoch, Call<String>> sender;
    private final Epoch epoch;

    /** How much was asked so far. Used by those who ask, one at a time. */
    private long asked;

    /** Guards the next fields. Nothing is sent or completed while it is held. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Deque<Question> unanswered = new ArrayDeque<>();

    /** Calls that Lettuce has written and not completed yet: with one of them it tells of an error. */
    private int catching;

    /** The place of the last that was written. */
    private long lastWritten;

    /** @param sender writes a call, or fails it if the epoch is over */
    Asked(Calls calls, BiConsumer<Epoch, Call<String>> sender, Epoch epoch) {
        this.calls = calls;
        this.sender = sender;
        this.epoch = epoch;
    }

    /** Sends {@code SUBSCRIBE}, {@code UNSUBSCRIBE} or {@code SSUBSCRIBE}. Called by one thread at a time. */
    CompletableFuture<String> ask(CommandType type, String channel) {
        return ask(type, channel, null);
    }

    /** Completes when everything has been answered that was sent before, also by others. Called as {@link #ask} is. */
    CompletableFuture<String> mark() {
        return ask(CommandType.UNSUBSCRIBE, MARK, null);
    }

    /**
     * Sends {@code SUNSUBSCRIBE}. Completes when it has been answered, whatever that was. Called as {@link #ask} is.
     *
     * @param keyword how Lettuce is told of the command
     */
    CompletableFuture<String> leave(ProtocolKeyword keyword, String channel) {
        sender.accept(epoch, calls.make(keyword, channel, new Course(true, ++asked)));
        return ask(CommandType.UNSUBSCRIBE, MARK, channel);
    }

    private CompletableFuture<String> ask(CommandType type, String channel, @Nullable String leaves) {
        Call<String> call = calls.make(type, channel, new Course(false, ++asked));
        Question question = new Question(type, channel, leaves, call);
        lock.lock();
        try {
            unanswered.add(question);
        } finally {
            lock.unlock();
        }
        sender.accept(epoch, call);
        if (call.outcome().isCompletedExceptionally()) {
            forget(question);
        }
        return call.outcome();
    }

    /** What was not even written will not be answered. */
    private void forget(Question question) {
        lock.lock();
        try {
            unanswered.remove(question);
        } finally {
            lock.unlock();
        }
    }

    /** Lettuce has completed a call; if not with an error, then {@link #heard} follows before anything else is read. */
    private void taken(@Nullable String error) {
        Question rejected = null;
        lock.lock();
        try {
            catching--;
            Question oldest = unanswered.peek();
            // What a mark ends may be rejected; the mark's own answer is still to come, unless it is not permitted.
            if (error != null && oldest != null && (!oldest.isMark() || error.contains("'unsubscribe'"))) {
                rejected = unanswered.poll();
            }
        } finally {
            lock.unlock();
        }
        if (rejected != null && error != null) {
            rejected.call.reject(error);
        }
        if (error != null) {
            catchErrors();
        }
    }

    /** An acknowledgement has come. Called on the event loop, as is {@link #heard()}. */
    void heard(CommandType type, String channel) {
        Question answered = null;
        lock.lock();
        try {
            // One that was given up, by a time limit, may have been answered or not.
            Iterator<Question> oldest = unanswered.iterator();
            while (oldest.hasNext()) {
                Question next = oldest.next();
                if (next.type == type && next.channel.equals(channel)) {
                    answered = next;
                    break;
                }
                if (!next.call.isDone()) {
                    break;
                }
            }
            while (answered != null && !answered.equals(unanswered.poll())) {
                // Passed over.
            }
        } finally {
            lock.unlock();
        }
        if (answered != null) {
            answered.call.acknowledge(channel);
        }
        catchErrors();
    }

    /** Something else has come. */
    void heard() {
        catchErrors();
    }

    /** Whether the words {@code sunsubscribe channel} can be the answer to what was asked. */
    boolean isLeaving(String channel) {
        lock.lock();
        try {
            Question oldest = unanswered.peek();
            return oldest != null && channel.equals(oldest.leaves);
        } finally {
            lock.unlock();
        }
    }

    /** On the event loop, hence before the next answer is read. */
    private void catchErrors() {
        lock.lock();
        try {
            if (unanswered.isEmpty() || catching > 0) {
                return;
            }
        } finally {
            lock.unlock();
        }
        sender.accept(epoch, calls.make(CommandType.UNSUBSCRIBE, CATCHER, new Course(true, 0)));
    }
}
