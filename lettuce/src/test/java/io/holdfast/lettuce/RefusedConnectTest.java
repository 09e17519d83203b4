package io.holdfast.lettuce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisAddress;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.protocol.ProtocolVersion;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A server that refuses the greeting is quoted, however its refusal falls in with Lettuce's own steps. */
class RefusedConnectTest {
    private static final int TIMES = 300;

    @Test
    void connect_refusedManyTimes_alwaysTellsWhatTheServerSaid() {
        try (RedisServer server = RedisServer.start()) {
            server.command("CONFIG", "SET", "requirepass", "open-sesame");
            RedisAddress address = new RedisAddress("127.0.0.1", server.port(), false, null, null, 2);
            RedisClient client = RedisClient.create();
            client.setOptions(ClientOptions.builder()
                    .protocolVersion(ProtocolVersion.RESP2)
                    .build());
            List<String> others = new ArrayList<>();
            try {
                for (int i = 0; i < TIMES; i++) {
                    DriverException e = assertThrows(
                            DriverException.class,
                            () -> LettuceDriver.over(client, OwnClient.uri(address, ConnectOptions.defaults())));
                    if (!e.code().equals("NOAUTH")) {
                        others.add(e.toString());
                    }
                }
            } finally {
                client.shutdown();
            }
            assertEquals(List.of(), others);
        }
    }
}
