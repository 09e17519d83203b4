package io.holdfast.embedded;

import io.holdfast.spi.EmbeddedServerProvider;
import io.holdfast.spi.EmbeddedServerProvider.EmbeddedServer;
import io.holdfast.spi.RedisAddress;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/** A process of its own that joins when it is told to. Says {@code ready}, then answers each line of its input. */
final class Joiner {
    private Joiner() {}

    public static void main(String[] args) throws IOException {
        EmbeddedServerProvider provider =
                ServiceLoader.load(EmbeddedServerProvider.class).findFirst().orElseThrow();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        @Nullable EmbeddedServer server = null;
        System.out.println("ready");
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (line.equals("join")) {
                server = provider.join();
                RedisAddress address = server.address();
                System.out.println(address.port() + " " + address.password());
            } else if (server != null) {
                server.close();
                System.out.println("closed");
            }
        }
    }
}
