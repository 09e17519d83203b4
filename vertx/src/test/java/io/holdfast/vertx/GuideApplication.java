package io.holdfast.vertx;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseTicket;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.redis.client.RedisOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** What the examples of the guide do not declare, and the second process of its test. */
@SuppressWarnings("NullAway.Init") // the examples are compiled, and not run
public final class GuideApplication {
    public static Vertx vertx;
    public static Holdfast holdfast;
    public static Context context;
    public static String ticket;

    private GuideApplication() {}

    public static void stopWork(String reason) {}

    public static CompletionStage<String> invoice(long token) {
        return CompletableFuture.completedFuture("invoice " + token);
    }

    /**
     * Goes on with a lease of another process: reads its ticket, tells the token, and releases it when another line comes.
     *
     * @param args the endpoint of the server
     */
    public static void main(String[] args) throws IOException {
        Vertx own = Vertx.vertx();
        Holdfast client = Holdfast.over(VertxDriver.over(own, new RedisOptions().setConnectionString(args[0])));
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        String given = in.readLine();
        Future<Lease> adopted = own.executeBlocking(() -> client.adopt(LeaseTicket.decode(given)));
        Lease lease = adopted.toCompletionStage().toCompletableFuture().join();
        System.out.println(lease.token());
        in.readLine();
        client.close();
        own.close().toCompletionStage().toCompletableFuture().join();
    }
}
