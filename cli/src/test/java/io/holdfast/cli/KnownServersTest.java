package io.holdfast.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import io.holdfast.Diagnosis;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What {@code holdfast doctor} says of servers that others run, or make. */
final class KnownServersTest {
    /** Refuses all that it is asked, except for what it reports of itself. */
    private static final class Stranger implements AutoCloseable {
        private final ServerSocket socket;
        private final String info;
        private final String refusal;

        Stranger(String info, String refusal) throws IOException {
            this.socket = new ServerSocket(0, 50, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}));
            this.info = info;
            this.refusal = refusal;
            daemon(this::accept);
        }

        String url() {
            return "redis://127.0.0.1:" + socket.getLocalPort();
        }

        private static void daemon(Runnable task) {
            Thread thread = new Thread(task, "stranger");
            thread.setDaemon(true);
            thread.start();
        }

        private void accept() {
            while (!socket.isClosed()) {
                try {
                    Socket connection = socket.accept();
                    daemon(() -> serve(connection));
                } catch (IOException e) {
                    return; // closed
                }
            }
        }

        private void serve(Socket connection) {
            try (connection;
                    BufferedReader in = new BufferedReader(
                            new InputStreamReader(connection.getInputStream(), StandardCharsets.UTF_8));
                    OutputStream out = connection.getOutputStream()) {
                for (String head = in.readLine(); head != null; head = in.readLine()) {
                    String command = "";
                    // Scripts have several lines, so an argument is read by its length; they are in ASCII.
                    for (int left = Integer.parseInt(head.substring(1)); left > 0; left--) {
                        char[] word = new char[Integer.parseInt(in.readLine().substring(1)) + 2];
                        for (int read = 0; read < word.length; ) {
                            read += in.read(word, read, word.length - read);
                        }
                        command = command.isEmpty() ? new String(word).strip().toUpperCase(Locale.ROOT) : command;
                    }
                    out.write(answer(command).getBytes(StandardCharsets.UTF_8));
                }
            } catch (IOException e) {
                // the client has gone
            }
        }

        private String answer(String command) {
            return switch (command) {
                case "INFO" -> "$" + info.length() + "\r\n" + info + "\r\n";
                case "PING" -> "+PONG\r\n";
                case "CLIENT" -> "+OK\r\n";
                default -> "-" + refusal + "\r\n";
            };
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    private static JsonObject service(JsonObject document) {
        for (var each : document.getAsJsonArray("checks")) {
            if (each.getAsJsonObject().get("check").getAsString().equals("service")) {
                return each.getAsJsonObject();
            }
        }
        throw new AssertionError("no service in " + document);
    }

    @ParameterizedTest
    @CsvSource({
        "dragonfly_version:df-v1.40.1, Dragonfly df-v1.40.1, 'Dragonfly, Garnet, Kvrocks'",
        "garnet_version:1.1.9, Garnet 1.1.9, 'Dragonfly, Garnet, Kvrocks'",
        "kvrocks_version:2.17.0, Kvrocks 2.17.0, 'Dragonfly, Garnet, Kvrocks'",
        "mvcc_depth:0, KeyDB 7.2.0, 'KeyDB, active replication'",
        "executable:/usr/bin/keydb-server, KeyDB 7.2.0, 'KeyDB, active replication'"
    })
    void doctor_ofACompatibleServer_namesItAndItsRow(String line, String version, String row) throws Exception {
        try (Stranger server = new Stranger("redis_version:7.2.0\r\n" + line + "\r\n", "ERR unknown command")) {
            Said said = Said.by("doctor", "--json", "--clock-for", "0s", "--url", server.url());
            assertEquals(1, said.status(), said.out() + said.err());
            assertTrue(said.out().contains(version), said.out());
            JsonObject service = service(said.json());
            assertEquals("this looks like " + row, service.get("found").getAsString());
            assertEquals("warn", service.get("level").getAsString());
        }
    }

    @Test
    void doctor_ofAProxyThatReadsScripts_namesTheModeToUse() throws Exception {
        String refusal = "ERR bad lua script for redis cluster, all the keys that the script uses should be passed"
                + " using the KEYS array, and KEYS should not be in expression";
        try (Stranger server = new Stranger("redis_version:7.2.0\r\n", refusal)) {
            Said said = Said.by("doctor", "--json", "--clock-for", "0s", "--url", server.url());
            assertEquals(1, said.status(), said.out() + said.err());
            JsonObject service = service(said.json());
            assertEquals(
                    "this looks like Alibaba Tair: proxy mode",
                    service.get("found").getAsString());
            assertTrue(service.get("advice").getAsString().startsWith("use the direct mode"), said.out());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "locks-abc123.serverless.euw1.cache.amazonaws.com:6379, ElastiCache Serverless",
        "master.locks.abc123.euw1.cache.amazonaws.com:6379, 'ElastiCache, nodes'",
        "clustercfg.locks.abc123.memorydb.eu-west-1.amazonaws.com:6379, MemoryDB",
        "locks.redis.cache.windows.net:6380, 'Azure Managed Redis, Redis Cloud: Enterprise policy'",
        "locks.westeurope.redis.azure.net:10000, 'Azure Managed Redis, Redis Cloud: Enterprise policy'",
        "redis-10000.c1.eu-west-1-1.ec2.redns.redis-cloud.com:10000, 'Azure Managed Redis, Redis Cloud: Enterprise policy'",
        "the cluster at locks.westeurope.redis.azure.net:10000, 'Azure Managed Redis, Redis Cloud: OSS policy'",
        "the cluster at clustercfg.locks.abc123.euw1.cache.amazonaws.com:6379, 'ElastiCache, nodes'",
        "r-abc.redis.rds.aliyuncs.com:6379, Alibaba Tair: direct mode",
        "eu1-locks-1.upstash.io:6379, Upstash",
        "cache.amazonaws.com.example.org:6379, ",
        "notupstash.io:6379, ",
        "cache:6379, "
    })
    void row_ofAHost_isThatOfThePage(String server, String row) throws IOException {
        Diagnosis diagnosis =
                new Diagnosis(server, Optional.empty(), Optional.empty(), Optional.empty(), List.of(), List.of());
        assertEquals(Optional.ofNullable(row), KnownServers.row(diagnosis).map(KnownServers.Row::name));
        if (row != null) {
            String page = Files.readString(Path.of("../docs/guide/managed-servers.md"));
            assertTrue(page.contains("\n| " + row + " | "), row);
        }
    }
}
