package io.holdfast.internal.queue;

import io.holdfast.internal.lease.Kit;
import io.holdfast.internal.report.Reporter;
import io.holdfast.internal.wire.Keys;
import io.holdfast.internal.wire.Server;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntPredicate;
import java.util.function.Supplier;

/**
 * Where the server tells this client of grants.
 *
 * <p>On one server that is one channel, subscribed as long as the client lives. Where keys are divided into partitions, a
 * script can tell only who listens at its own server: there each lock has a channel of its own for each client, its
 * mailbox, subscribed while the client waits for that lock or keeps it, and a moment longer.
 *
 * <p><b>Who does what.</b> All changes of one mailbox are made under its entry of the map; the driver is called after that,
 * by whoever made the change that calls for it, and by nobody else until it has answered:
 *
 * <ul>
 *   <li>{@link #want} makes an absent one OPENING, and subscribes. It marks one that is CLOSING as REOPENING.
 *   <li>The acknowledgement makes OPENING to LISTENING, and the waiting room asks for those who waited for it; a refusal
 *       removes it, and it is wanted again with the next tick, if anybody still wants it.
 *   <li>Messages that go down or come up turn LISTENING to DOWN and back, and touch no other.
 *   <li>Only the tick closes: LISTENING or DOWN to CLOSING, and it unsubscribes. The acknowledgement removes it, or makes
 *       REOPENING to OPENING and subscribes again. So a subscription never overtakes the end of the one before.
 * </ul>
 *
 * <p><b>Why it does not close under somebody.</b> Users are known before they look: a request stands in the waiting room
 * from before it first asks until it has ended or holds, a line of shared holds among those of its client. A tick first
 * collects the users, then marks those mailboxes as idle that have none, and closes what an <em>earlier</em> tick has
 * marked. Whoever finds an idle one listening takes the mark away under the entry. So a user that this tick did not collect
 * has either taken away the mark that the tick needs, or finds the mailbox closing; and the next tick does collect it.
 */
public final class Mailboxes {
    /** Whoever reads them. */
    interface Reader {
        void onMessage(String text);

        /** Messages flow from now on, where all locks have one channel. */
        void messagesUp(IntPredicate partitions);

        /** Messages for one lock can come from now on. */
        void listeningTo(Keys keys);

        /** There is a mailbox that is to be closed when nobody uses it any more. */
        void startTicking();
    }

    private enum State {
        OPENING,
        LISTENING,
        DOWN,
        CLOSING,
        REOPENING
    }

    /** @param idle whether a tick has found nobody who uses it, and nobody has used it since */
    private record Mailbox(Keys keys, State state, boolean idle) {
        Mailbox with(State next) {
            return new Mailbox(keys, next, false);
        }

        Mailbox used() {
            return idle ? with(state) : this;
        }

        boolean mayClose() {
            return state == State.LISTENING || state == State.DOWN;
        }
    }

    private final Kit kit;
    private final Server server;
    private final Reader reader;
    private final Reporter reporter;
    private final boolean partitioned;
    private final Map<String, Mailbox> boxes = new ConcurrentHashMap<>(); // of locks, by key of the hold
    private volatile boolean listening;
    private volatile boolean open;

    Mailboxes(Kit kit, Server server, Reader reader, Reporter reporter) {
        this.kit = kit;
        this.server = server;
        this.reader = reader;
        this.reporter = reporter;
        this.partitioned = server.isPartitioned();
    }

    /**
     * Makes sure that messages can come, or, where each lock has its own channels, that they could: by the channel of those who
     * look. Completes when the server has acknowledged it.
     */
    public CompletableFuture<Void> open() {
        if (!partitioned) {
            return server.driver
                    .subscribe(server.channelPrefix() + kit.ids.client(), reader::onMessage)
                    .thenRun(() -> {
                        open = true;
                        reader.messagesUp(partition -> true);
                    })
                    .toCompletableFuture();
        }
        return reporter.listen().thenRun(() -> open = true);
    }

    private String channelOf(Keys keys) {
        return keys.channelOf(kit.ids.client());
    }

    /** Whether messages that are not about a lock can reach this client, or could until the connection broke. */
    boolean isOpen() {
        return open;
    }

    /**
     * Whether messages for a lock can reach this client at present. For a user that the next tick will find, they go on
     * being able to, as long as it is one.
     */
    public boolean listening(Keys keys) {
        if (!partitioned) {
            return listening;
        }
        Mailbox box = boxes.get(keys.hold());
        if (box != null && box.idle()) {
            box = boxes.computeIfPresent(keys.hold(), (hold, present) -> present.used());
        }
        return box != null && box.state() == State.LISTENING;
    }

    /** Somebody waits for a lock, or keeps it: its messages are to come. When they do, the waiting room is told. */
    public void want(Keys keys) {
        if (!partitioned) {
            return;
        }
        boolean[] opens = new boolean[1];
        boxes.compute(keys.hold(), (hold, present) -> {
            if (present == null) {
                opens[0] = true;
                return new Mailbox(keys, State.OPENING, false);
            }
            return present.state() == State.CLOSING ? present.with(State.REOPENING) : present.used();
        });
        if (opens[0]) {
            subscribe(keys);
            reader.startTicking(); // which closes it again
        }
    }

    private void subscribe(Keys keys) {
        server.driver.subscribe(channelOf(keys), reader::onMessage).whenComplete((nothing, failure) -> {
            if (failure != null) {
                boxes.remove(keys.hold());
            } else {
                boxes.computeIfPresent(keys.hold(), (hold, present) -> present.with(State.LISTENING));
                reader.listeningTo(keys);
            }
        });
    }

    /**
     * Closes those that nobody uses and nobody has used since the last call. Called by one thread at a time.
     *
     * @param users the keys of the holds for whose messages somebody has to listen; asked for only if there are mailboxes
     * @return whether some are left
     */
    boolean closeUnused(Supplier<Set<String>> users) {
        if (boxes.isEmpty()) {
            return false;
        }
        Set<String> used = users.get();
        for (Mailbox box : boxes.values()) {
            boolean[] closes = new boolean[1];
            boxes.computeIfPresent(box.keys().hold(), (hold, present) -> {
                if (used.contains(hold)) {
                    return present.used();
                } else if (!present.mayClose()) {
                    return present;
                }
                closes[0] = present.idle();
                return closes[0] ? present.with(State.CLOSING) : new Mailbox(present.keys(), present.state(), true);
            });
            if (closes[0]) {
                server.driver.unsubscribe(channelOf(box.keys())).whenComplete((nothing, failure) -> closed(box.keys()));
            }
        }
        return !boxes.isEmpty();
    }

    private void closed(Keys keys) {
        Mailbox left = boxes.computeIfPresent(
                keys.hold(),
                (hold, present) -> present.state() == State.REOPENING ? present.with(State.OPENING) : null);
        if (left != null) {
            subscribe(keys);
        }
    }

    void messagesDown(IntPredicate partitions) {
        listening = false;
        change(partitions, State.LISTENING, State.DOWN);
    }

    void messagesUp(IntPredicate partitions) {
        listening = true;
        change(partitions, State.DOWN, State.LISTENING);
    }

    private void change(IntPredicate partitions, State from, State to) {
        for (String key : boxes.keySet()) {
            if (partitions.test(server.driver.partition(key))) {
                boxes.computeIfPresent(key, (hold, present) -> present.state() == from ? present.with(to) : present);
            }
        }
    }
}
