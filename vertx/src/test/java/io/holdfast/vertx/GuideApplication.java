package io.holdfast.vertx;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseTicket;
import io.holdfast.routing.Location;
import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.RedisDriver;
import io.vertx.core.AbstractVerticle;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.redis.client.RedisOptions;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The code of the guide, as an application with Vert.x. Its verticle does what the lines of its input say. It ends when it is
 * terminated, or told to stop.
 */
final class GuideApplication extends AbstractVerticle {
    private final Holdfast holdfast;
    private final CompletableFuture<String> work = new CompletableFuture<>();

    @SuppressWarnings("NullAway.Init") // set by what is given
    private Future<Lease> mine;

    private GuideApplication(Holdfast holdfast) {
        this.holdfast = holdfast;
    }

    /** The first argument is an address, of a server as Vert.x has it or of several. */
    public static void main(String[] arguments) throws Exception {
        String address = arguments[0];
        Vertx vertx = Vertx.vertx();
        Holdfast holdfast = address.startsWith("redis:") ? connect(vertx, address) : connectToSeveral(vertx, address);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            holdfast.close(); // releases what is held; the next in line has it at once
            vertx.close().toCompletionStage().toCompletableFuture().join();
        }));
        GuideApplication application = new GuideApplication(holdfast);
        vertx.deployVerticle(application)
                .toCompletionStage()
                .toCompletableFuture()
                .join();
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            String[] words = line.split(" ", 2);
            application.context.runOnContext(nothing -> application.obey(words));
        }
    }

    private static Holdfast connect(Vertx vertx, String address) {
        RedisOptions options = new RedisOptions().setConnectionString(address); // redis://cache:6379
        Holdfast holdfast = Holdfast.over(VertxDriver.over(vertx, options));
        return holdfast;
    }

    private static Holdfast connectToSeveral(Vertx vertx, String address) {
        Location servers = Location.parse(address); // redis-cluster://a:6379,b:6379
        RedisDriver driver = servers.connect(new VertxDriverProvider(vertx), ConnectOptions.defaults());
        Holdfast holdfast = Holdfast.over(driver);
        return holdfast;
    }

    private void obey(String[] words) {
        switch (words[0]) {
            case "invoice" -> say(invoiced());
            case "release" -> release();
            case "give" -> {
                mine = give();
                say(mine.map(lease -> "token " + lease.token()));
            }
            case "detach" ->
                say(vertx.executeBlocking(() -> {
                    mine.result().detach();
                    return "detached";
                }));
            case "adopt" -> say(adopted(words[1]).map(lease -> "token " + lease.token()));
            case "stop" -> stopAll();
            default -> throw new IllegalArgumentException(words[0]);
        }
    }

    private void say(Future<String> future) {
        future.onComplete(done -> System.out.println((Vertx.currentContext() == context ? "here: " : "elsewhere: ")
                + (done.succeeded() ? done.result() : done.cause().getClass().getSimpleName())));
    }

    private Future<String> invoiced() {
        Future<String> invoiced = Future.fromCompletionStage(
                holdfast.lock("invoice/42").callAsync(lease -> {
                    lease.whenLost().thenAccept(reason -> stopWork(reason.toString()));
                    return invoice(lease.token()); // a stage; the lock is released when it completes
                }),
                context); // the verticle's own
        return invoiced;
    }

    private CompletionStage<String> invoice(long token) {
        System.out.println("invoice under token " + token);
        return work;
    }

    private void stopWork(String reason) {
        System.out.println("lost: " + reason);
        work.complete("half an invoice");
    }

    private void release() {
        vertx.executeBlocking(() -> holdfast.admin().release("invoice/42"));
    }

    private Future<Lease> give() {
        Future<Lease> given =
                Future.fromCompletionStage(holdfast.lock("invoice/42").acquireAsync(), context);
        given.onSuccess(lease -> send(lease.ticket().encoded())); // a ticket is a secret
        return given;
    }

    private static void send(String ticket) {
        System.out.println("ticket " + ticket);
    }

    private Future<Lease> adopted(String ticket) {
        Future<Lease> adopted = vertx.executeBlocking(() -> holdfast.adopt(LeaseTicket.decode(ticket)));
        return adopted;
    }

    private void stopAll() {
        vertx.executeBlocking(() -> {
                    holdfast.close();
                    return null;
                })
                .eventually(() -> vertx.close());
    }
}
