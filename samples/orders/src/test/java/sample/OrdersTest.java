package sample;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Starts the service as a user does, and asks what its README asks. */
@Timeout(300)
class OrdersTest {
    private static final Pattern PORT = Pattern.compile("started on port (\\d+)");
    private static final Pattern ANSWER = Pattern.compile("order 7, pieces: (\\d+), token: (\\d+)\n");

    private final HttpClient client = HttpClient.newHttpClient();

    @Test
    void orders_manyAtATimeAndALateHolder_loseNothing() throws Exception {
        Process service = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Dholdfast.embedded.home=" + Path.of("target/embedded").toAbsolutePath(),
                        "-Dholdfast.embedded.idleMillis=1000",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Orders.class.getName(),
                        "--holdfast.command-timeout=30s",
                        "--server.port=0")
                .redirectErrorStream(true)
                .start();
        try (BufferedReader output = service.inputReader()) {
            String orders = "http://localhost:" + port(output) + "/orders/7";
            CompletableFuture<?> rest =
                    CompletableFuture.runAsync(() -> output.lines().forEach(line -> {}));

            Matcher first = answer(post(orders).join());
            assertEquals("1", first.group(1));
            List<CompletableFuture<HttpResponse<String>>> all =
                    IntStream.range(0, 20).mapToObj(i -> post(orders)).toList();
            List<Integer> pieces = new ArrayList<>();
            for (CompletableFuture<HttpResponse<String>> each : all) {
                pieces.add(Integer.valueOf(answer(each.join()).group(1)));
            }
            assertEquals(
                    IntStream.rangeClosed(2, 21).boxed().toList(),
                    pieces.stream().sorted().toList());

            HttpResponse<String> late =
                    post(orders + "/late?token=" + first.group(2)).join();
            assertEquals(409, late.statusCode(), late.body());
            assertTrue(late.body().contains(first.group(2)), late.body());
            Matcher last = answer(post(orders).join());
            assertEquals("22", last.group(1));
            assertTrue(Long.parseLong(last.group(2)) > Long.parseLong(first.group(2)));

            service.toHandle().destroy(); // that of Process would close the streams
            rest.join();
            assertEquals(143, service.waitFor(), "ends when asked to");
        } finally {
            service.destroyForcibly().waitFor();
        }
    }

    private static String port(BufferedReader output) throws Exception {
        StringBuilder said = new StringBuilder();
        String line;
        while ((line = output.readLine()) != null) {
            Matcher port = PORT.matcher(line);
            if (port.find()) {
                return port.group(1);
            }
            said.append(line).append('\n');
        }
        throw new AssertionError("it ended:\n" + said);
    }

    private CompletableFuture<HttpResponse<String>> post(String address) {
        HttpRequest request = HttpRequest.newBuilder(URI.create(address))
                .POST(HttpRequest.BodyPublishers.noBody())
                .build();
        return client.sendAsync(request, HttpResponse.BodyHandlers.ofString());
    }

    private static Matcher answer(HttpResponse<String> response) {
        Matcher answer = ANSWER.matcher(response.body());
        assertTrue(answer.matches(), response.statusCode() + ": " + response.body());
        return answer;
    }
}
