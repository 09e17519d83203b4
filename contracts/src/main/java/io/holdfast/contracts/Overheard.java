package io.holdfast.contracts;

import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.contracts.servers.RespClient;
import io.holdfast.spi.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Hears the messages of the server to all clients, from its making on. It listens by pattern, which the scripts do not
 * take for a client that listens.
 */
final class Overheard implements AutoCloseable {
    /** A grant that a client was told by message. */
    record Grant(String owner, long token, long grantedMicros) {}

    private static final String PREFIX = "hf:to:";
    private static final String MARK = PREFIX + "-";

    private final RedisServer server;
    private final RespClient client;

    Overheard(RedisServer server) {
        this.server = server;
        this.client = server.connect();
        client.command("PSUBSCRIBE", PREFIX + "*");
        client.readTimeout(Duration.ofSeconds(20));
    }

    /** The grants that were told since the last call, in their order. */
    List<Grant> grants() {
        List<Grant> grants = new ArrayList<>();
        server.command("PUBLISH", MARK, "");
        while (true) {
            List<Reply> message = client.read().asList();
            if (message.get(2).asString().equals(MARK)) {
                return grants;
            }
            String[] words = message.get(3).asString().split(" ", -1);
            if (words[0].equals("G")) {
                grants.add(new Grant(words[1], Long.parseLong(words[2]), Long.parseLong(words[3])));
            }
        }
    }

    @Override
    public void close() {
        client.close();
    }
}
