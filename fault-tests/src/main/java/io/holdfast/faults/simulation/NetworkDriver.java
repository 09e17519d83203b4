package io.holdfast.faults.simulation;

import io.holdfast.spi.Command;
import io.holdfast.spi.ConnectionListener;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.Reply;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The driver of one client: a connection for commands and one for messages to a server in memory, over a network that
 * delays. Each connection keeps its order, as TCP does; between the two there is none. When a connection breaks, what was
 * sent on it may have arrived or not, may arrive seconds later, behind what the next connection brings, and may arrive
 * twice; the client knows nothing of it. The server may count a subscriber that is gone for a while yet.
 */
final class NetworkDriver implements RedisDriver {
    /** What the world tells a driver of the way to its server. */
    interface Route {
        /** Runs something later, in the world. */
        void later(long delayNanos, Runnable task);

        /** How long one way takes at present, in nanoseconds. */
        long delay(Draw draw);

        long now();

        boolean canConnect();

        /** Whether what arrives finds a server. */
        boolean serverIsUp();

        /** Whether an answer comes at once. */
        boolean answersNow();

        boolean losesMessages(Draw draw);

        RedisDriver open();

        void arrived(Command command);

        /** The server has carried out a command; null if it was refused. */
        void answered(Command command, @Nullable Object answer);

        void trace(String what);

        /** The client gets a message. */
        void hears(String message);

        /** The client sees that no messages come any more. */
        void hearsNoMore();

        /** Something of this client's will arrive as late as this. */
        void lateUntil(long nanos);
    }

    private static final long MILLI = 1_000_000L;
    private static final long LATEST_COPY = 20_000 * MILLI;

    private interface Act<T> {
        CompletionStage<T> on(RedisDriver server);
    }

    /** Something that goes to the server, and its answer. */
    private static final class Flight<T extends @Nullable Object> {
        final Act<T> act;
        final @Nullable Command command;
        final CompletableFuture<T> future = new CompletableFuture<>();
        boolean arrived;
        boolean never;
        boolean answered;

        @Nullable
        T value;

        @Nullable
        DriverException failure;

        Flight(Act<T> act, @Nullable Command command) {
            this.act = act;
            this.command = command;
        }
    }

    /** One connection. */
    private static final class Wire {
        final RedisDriver server;
        final Deque<Flight<?>> flights = new ArrayDeque<>(); // sent, and not delivered yet
        long lastArrival;
        long lastDelivery;
        boolean broken;

        Wire(RedisDriver server) {
            this.server = server;
        }
    }

    private final Machine machine;
    private final Route route;
    private final Draw draw;
    private final List<ConnectionListener> listeners = new ArrayList<>();
    private final Map<String, Consumer<String>> receivers = new LinkedHashMap<>();
    private @Nullable Wire commands;
    private @Nullable Wire messages;
    private boolean closed;
    private boolean atOnce;
    private boolean hearing = true;
    private long gaveUpAt = -1;
    private long connectedAt;

    NetworkDriver(Machine machine, Route route, Draw draw) {
        this.machine = machine;
        this.route = route;
        this.draw = draw;
        this.commands = new Wire(route.open());
        this.messages = new Wire(route.open());
    }

    boolean isUp() {
        return commands != null && messages != null && !closed;
    }

    /** When the client last gave its connection for commands up; negative if it never did. */
    long gaveUpAt() {
        return gaveUpAt;
    }

    /** When the connection for commands was opened; now if there is none. */
    long connectedAt() {
        return commands == null ? route.now() : connectedAt;
    }

    /** Whether the client believes that messages come. */
    boolean isHearing() {
        return hearing;
    }

    // ---- commands

    @Override
    public CompletionStage<Reply> send(Command command) {
        return put(commands, new Flight<>(server -> server.send(command), command));
    }

    private <T extends @Nullable Object> CompletionStage<T> put(@Nullable Wire wire, Flight<T> flight) {
        if (closed || wire == null) {
            flight.future.completeExceptionally(DriverException.unknown("not connected", null));
            return flight.future;
        }
        wire.flights.add(flight);
        wire.lastArrival = Math.max(wire.lastArrival + 1, route.now() + route.delay(draw));
        route.later(wire.lastArrival - route.now(), () -> arrive(wire, flight));
        if (atOnce) {
            flush(wire);
        }
        return flight.future;
    }

    private <T extends @Nullable Object> void arrive(Wire wire, Flight<T> flight) {
        if (flight.arrived || flight.never || !route.serverIsUp()) {
            return;
        }
        flight.arrived = true;
        if (flight.command != null) {
            route.arrived(flight.command);
        }
        flight.act.on(wire.server).whenComplete((value, failure) -> {
            flight.answered = true;
            if (flight.command != null) {
                route.answered(flight.command, value);
            }
            flight.value = value;
            flight.failure = failure == null
                    ? null
                    : failure instanceof DriverException known ? known : DriverException.unknown("" + failure, failure);
            toClient(wire, () -> deliver(wire, flight));
        });
    }

    /** Goes to the client in its order. */
    private void toClient(Wire wire, Runnable delivery) {
        wire.lastDelivery = Math.max(wire.lastDelivery + 1, route.now() + route.delay(draw));
        route.later(
                wire.lastDelivery - route.now(),
                () -> machine.run(() -> {
                    if (!wire.broken && !closed) {
                        delivery.run();
                    }
                }));
    }

    @SuppressWarnings("NullAway") // the value of an answered flight is what its stage gave
    private static <T extends @Nullable Object> void deliver(Wire wire, Flight<T> flight) {
        if (!wire.flights.remove(flight)) {
            return; // was delivered at once
        }
        DriverException failure = flight.failure;
        if (failure != null) {
            flight.future.completeExceptionally(failure);
        } else {
            flight.future.complete(flight.value);
        }
    }

    /** All that is under way arrives and is answered now, in its order: a network may be that fast. */
    private void flush(Wire wire) {
        for (Flight<?> next = wire.flights.peek(); next != null; next = wire.flights.peek()) {
            arrive(wire, next);
            if (!next.answered) {
                throw new IllegalStateException("the server does not answer now");
            }
            deliver(wire, next);
        }
    }

    /** From now on answers come before the sending returns, for whatever blocks for them. */
    void beginAtOnce() {
        atOnce = true;
    }

    void endAtOnce() {
        atOnce = false;
    }

    /** Whether something that blocks would be answered. */
    boolean answersNow() {
        return isUp() && route.answersNow();
    }

    // ---- messages

    @Override
    @SuppressWarnings("NullAway") // the value of a CompletableFuture<Void> is null
    public CompletionStage<Void> subscribe(String channel, Consumer<String> onMessage) {
        Wire wire = messages;
        CompletableFuture<Void> result = new CompletableFuture<>();
        subscribeOn(wire, channel, onMessage).whenComplete((ok, failure) -> {
            if (failure != null) {
                result.completeExceptionally(failure);
            } else {
                receivers.put(channel, onMessage);
                result.complete(null);
            }
        });
        return result;
    }

    private CompletionStage<Void> subscribeOn(@Nullable Wire wire, String channel, Consumer<String> onMessage) {
        return put(
                wire, new Flight<>(server -> server.subscribe(channel, text -> message(wire, text, onMessage)), null));
    }

    private void message(@Nullable Wire wire, String text, Consumer<String> onMessage) {
        if (wire == null || wire.broken) {
            return;
        }
        if (route.losesMessages(draw)) {
            route.trace("message lost: " + text);
            return;
        }
        toClient(wire, () -> {
            route.trace("hears " + text);
            route.hears(text);
            onMessage.accept(text);
        });
    }

    @Override
    public CompletionStage<Void> unsubscribe(String channel) {
        receivers.remove(channel);
        return put(messages, new Flight<>(server -> server.unsubscribe(channel), null));
    }

    // ---- connections

    @Override
    public void reconnect() {
        if (commands != null && !closed) {
            gaveUpAt = route.now();
        }
        breakCommands(false);
        breakMessages(false);
    }

    /** @param serverGone whether the server went away with what it had received */
    void breakCommands(boolean serverGone) {
        Wire wire = commands;
        if (wire == null || closed) {
            return;
        }
        wire.broken = true;
        List<Flight<?>> failed = new ArrayList<>(wire.flights);
        for (Flight<?> flight : failed) {
            decideFate(wire, flight, serverGone);
        }
        route.trace("commands break, " + failed.size() + " under way");
        machine.run(() -> {
            if (closed || commands != wire) {
                return;
            }
            commands = null;
            List<Flight<?>> unanswered = new ArrayList<>(wire.flights);
            wire.flights.clear();
            listeners.forEach(ConnectionListener::commandsDown);
            unanswered.forEach(flight ->
                    flight.future.completeExceptionally(DriverException.unknown("the connection broke", null)));
            connectCommands();
        });
    }

    private void decideFate(Wire wire, Flight<?> flight, boolean serverGone) {
        int fate = draw.below(100);
        long late = draw.between(1, LATEST_COPY);
        boolean wasThere = flight.arrived;
        if (serverGone) {
            flight.never = !wasThere;
            return;
        }
        if (!wasThere && fate < 60) {
            flight.never = true;
            if (fate >= 30) {
                copyLater(wire, flight, late);
            }
        } else if (fate >= 85) {
            copyLater(wire, flight, late);
        }
    }

    private void copyLater(Wire wire, Flight<?> flight, long late) {
        Command command = flight.command;
        if (command == null) {
            return;
        }
        route.lateUntil(late);
        route.later(late, () -> {
            if (route.serverIsUp()) {
                route.trace("a late copy arrives");
                route.arrived(command);
                var unused = wire.server.send(command).whenComplete((value, failure) -> route.answered(command, value));
            }
        });
    }

    private void connectCommands() {
        route.later(
                draw.between(1, 2_000) * MILLI / (draw.percent(60) ? 20 : 1),
                () -> machine.run(() -> {
                    if (closed || commands != null) {
                        return;
                    }
                    if (!route.canConnect()) {
                        connectCommands();
                        return;
                    }
                    commands = new Wire(route.open());
                    connectedAt = route.now();
                    route.trace("commands up");
                    listeners.forEach(ConnectionListener::commandsUp);
                }));
    }

    void breakMessages(boolean serverGone) {
        Wire wire = messages;
        if (wire == null || closed) {
            return;
        }
        wire.broken = true;
        long unnoticed = serverGone ? 0 : draw.between(0, draw.percent(30) ? 5_000 : 50) * MILLI;
        if (serverGone) {
            wire.server.close();
        } else {
            route.later(unnoticed, wire.server::close);
        }
        for (Flight<?> flight : wire.flights) {
            flight.never = !flight.arrived;
        }
        route.trace("messages break");
        machine.run(() -> {
            if (closed || messages != wire) {
                return;
            }
            messages = null;
            hearing = false;
            route.hearsNoMore();
            List<Flight<?>> unanswered = new ArrayList<>(wire.flights);
            wire.flights.clear();
            listeners.forEach(ConnectionListener::messagesDown);
            unanswered.forEach(flight ->
                    flight.future.completeExceptionally(DriverException.unknown("the connection broke", null)));
            connectMessages();
        });
    }

    private void connectMessages() {
        route.later(
                draw.between(1, 2_000) * MILLI / (draw.percent(60) ? 20 : 1),
                () -> machine.run(() -> {
                    if (closed || messages != null) {
                        return;
                    }
                    if (!route.canConnect()) {
                        connectMessages();
                        return;
                    }
                    Wire wire = new Wire(route.open());
                    messages = wire;
                    int[] awaited = {receivers.size()};
                    receivers.forEach((channel, receiver) -> subscribeOn(wire, channel, receiver)
                            .whenComplete((ok, failure) -> {
                                if (failure == null && --awaited[0] == 0 && messages == wire) {
                                    messagesUp();
                                }
                            }));
                    if (receivers.isEmpty()) {
                        messagesUp();
                    }
                }));
    }

    private void messagesUp() {
        route.trace("messages up");
        hearing = true;
        listeners.forEach(ConnectionListener::messagesUp);
    }

    @Override
    public void listen(ConnectionListener listener) {
        listeners.add(listener);
    }

    @Override
    public String describe() {
        return "memory";
    }

    /** What was written arrives; nothing is heard any more. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        List<Flight<?>> unanswered = new ArrayList<>();
        for (Wire wire : new Wire[] {commands, messages}) {
            if (wire != null) {
                unanswered.addAll(wire.flights);
            }
        }
        gone();
        unanswered.forEach(
                flight -> flight.future.completeExceptionally(DriverException.unknown("the driver is closed", null)));
    }

    /** The process is gone: the system closes its connections, and the server sees that a little later. */
    void gone() {
        closed = true;
        Wire wire = messages;
        if (wire != null) {
            wire.broken = true;
            route.later(draw.between(1, 30) * MILLI, wire.server::close);
        }
    }
}
