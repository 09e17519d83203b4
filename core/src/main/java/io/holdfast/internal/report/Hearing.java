package io.holdfast.internal.report;

import io.holdfast.ServerRefusedException;
import io.holdfast.internal.lease.Kit;
import io.holdfast.internal.wire.AsyncResults;
import io.holdfast.internal.wire.Keys;
import io.holdfast.internal.wire.Server;
import io.holdfast.internal.wire.Subscriptions;
import io.holdfast.spi.Command;
import io.holdfast.spi.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Where clients hear of those who look, and these hear the answers.
 *
 * <p>On one server that is the channel that each client has for its messages. Where keys are divided among servers a client has no such
 * channel: there it subscribes to one in the slot of the reports while it has something or looks, and for a while after that.
 */
public final class Hearing {
    /** A client that has had nothing for so long, and has not looked, listens no more; what it has counted was read by then. */
    private static final Duration LINGERS = Duration.ofMinutes(2);

    private final Kit kit;
    private final Server server;
    private final String channels;
    /** Of this client; null where it has another channel for its messages. */
    private final Subscriptions.@Nullable Channel own;

    private volatile long wantedUntil;

    private Hearing(Kit kit, Server server, String channels, @Nullable Consumer<String> receiver) {
        this.kit = kit;
        this.server = server;
        this.channels = channels;
        this.wantedUntil = kit.nanoTime();
        this.own = receiver == null
                ? null
                : new Subscriptions(List.of(server.driver)).channel(of(kit.ids.client()), this::isWanted, receiver);
    }

    /** Of a server where each client has one channel, which others subscribe to. */
    public static Hearing onOneServer(Kit kit, Server server) {
        return new Hearing(kit, server, Keys.channelPrefix(kit.options.prefix()), null);
    }

    /**
     * Of servers among which keys are divided.
     *
     * @param receiver called on threads of the driver
     */
    public static Hearing onPartitions(Kit kit, Server server, Consumer<String> receiver) {
        return new Hearing(kit, server, Keys.askedChannelPrefix(kit.options.prefix()), receiver);
    }

    private String of(String client) {
        return channels + client;
    }

    private boolean isWanted() {
        return !kit.isClosed() && wantedUntil - kit.nanoTime() > 0;
    }

    // ---- hearing

    /** Whether it ends by itself, when {@link #goesOn} finds that it is not wanted any more. */
    boolean ends() {
        return own != null;
    }

    /** Listens from now on, and for a while. Completes when the server has acknowledged it; at once where another channel is heard. */
    CompletableFuture<Void> begin() {
        Subscriptions.Channel channel = own;
        if (channel == null) {
            return CompletableFuture.completedFuture(null);
        }
        wantedUntil = kit.nanoTime() + LINGERS.toNanos();
        return channel.adjusted();
    }

    /**
     * To be called now and then while it may be listened for: tries again where that failed, and ends a subscription that is not wanted any more.
     *
     * @param busy whether the client has something
     * @return whether to call it again although the client has nothing
     */
    boolean goesOn(boolean busy) {
        Subscriptions.Channel channel = own;
        if (channel == null) {
            return false;
        }
        if (busy) {
            wantedUntil = kit.nanoTime() + LINGERS.toNanos();
        }
        channel.adjust();
        return isWanted();
    }

    // ---- asking others

    void tell(String client, String text) {
        server.publish(of(client), text);
    }

    /** The clients that listen; none if the user may not ask that. */
    List<String> listening() {
        String pattern = Keys.escapeGlob(channels) + "*";
        try {
            return ask("CHANNELS", List.of(pattern)).asList().stream()
                    .map(channel -> channel.asString().substring(channels.length()))
                    .toList();
        } catch (ServerRefusedException e) {
            return List.of(); // what is reported unasked has to do
        }
    }

    /** Which of these listen. */
    List<String> listening(List<String> clients) {
        List<Reply> answer =
                ask("NUMSUB", clients.stream().map(this::of).toList()).asList();
        List<String> listening = new ArrayList<>();
        for (int i = 0; i < clients.size(); i++) {
            if (answer.get(2 * i + 1).asLong() > 0) {
                listening.add(clients.get(i));
            }
        }
        return listening;
    }

    /** Asks the server of the channels, about sharded ones where it knows these. */
    private Reply ask(String about, List<String> arguments) {
        if (own == null) {
            return send(about, arguments);
        }
        try {
            return send("SHARD" + about, arguments);
        } catch (ServerRefusedException e) {
            return send(about, arguments); // older than sharded channels
        }
    }

    private Reply send(String about, List<String> arguments) {
        List<String> words = new ArrayList<>(List.of("PUBSUB", about));
        words.addAll(arguments);
        Command command = new Command(own == null ? null : channels, words);
        return AsyncResults.await(server, callback -> server.calls.send(command, callback));
    }
}
