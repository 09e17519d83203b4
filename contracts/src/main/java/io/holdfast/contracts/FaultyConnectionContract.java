package io.holdfast.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.holdfast.contracts.DriverFixture.Outcome;
import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.spi.Command;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.Reply;
import java.net.SocketTimeoutException;
import java.nio.channels.ClosedByInterruptException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The behaviour of a driver if an exception is thrown during its work, once at every point of its writing and reading.
 * A driver's module extends this class, and lets its connections pass a {@link Fuse} wherever it can put one.
 *
 * <p>Several threads send requests at the same time. At every point, no reply goes to a request other than its own, every
 * request ends, and the driver works again soon.
 */
@Timeout(240)
@SuppressWarnings("NullAway.Init") // connected before each test
public abstract class FaultyConnectionContract {
    /** What happens at a point. */
    public enum Happening implements Fuse.Fault {
        /** A heap that is too small. */
        OUT_OF_MEMORY {
            @Override
            public void happen() {
                throw new OutOfMemoryError("on purpose");
            }
        },
        /** The end of a stack. */
        STACK_OVERFLOW {
            @Override
            public void happen() {
                throw new StackOverflowError("on purpose");
            }
        },
        /** A defect of the driver, or of its client library. */
        DEFECT {
            @Override
            public void happen() {
                throw new IllegalStateException("on purpose");
            }
        },
        /** A peer that is too slow. */
        TIMEOUT {
            @Override
            public void happen() throws SocketTimeoutException {
                throw new SocketTimeoutException("on purpose");
            }
        },
        /** An interrupt that was noticed by the channel. */
        CLOSED_BY_INTERRUPT {
            @Override
            public void happen() throws ClosedByInterruptException {
                throw new ClosedByInterruptException();
            }
        },
        /** An interrupt that nobody has noticed yet. */
        INTERRUPT {
            @Override
            public void happen() {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static final int THREADS = 2;
    private static final int EACH = 3;

    /** More than a driver writes without further thought. */
    private static final String LARGE = "0123456789abcdef".repeat(6_000);

    private Fuse fuse = new Fuse();
    private final BlockingQueue<String> messages = new LinkedBlockingQueue<>();
    private RedisServer server;
    private RedisDriver driver;
    private ExecutorService threads;

    /** For the classes of the drivers. */
    protected FaultyConnectionContract() {}

    /** A new driver to the server on a port of this machine, whose connections pass the fuse. */
    protected abstract RedisDriver connect(int port, Fuse passed);

    @BeforeEach
    void start() {
        server = RedisServer.start();
        threads = Executors.newFixedThreadPool(THREADS);
    }

    @AfterEach
    void closeAll() {
        threads.shutdownNow();
        if (driver != null) {
            driver.close(); // of a test that has failed: its threads would fail others
        }
        server.close();
    }

    @ParameterizedTest
    @EnumSource(Happening.class)
    void send_anythingThrownAnywhere_noReplyGoesAstrayAndTheDriverRecovers(Happening happening) throws Exception {
        long points = 0;
        boolean happened = true;
        while (happened) {
            points++;
            // A fresh one each time: a driver whose connections break again and again takes its time.
            fuse = new Fuse(); // threads of the driver before, which is closed, may come to a point yet
            driver = connect(server.port(), fuse);
            DriverFixture.get(driver.subscribe("news", messages::add));
            fuse.lay(points, happening);
            String run = happening + " at point " + points + ": ";
            List<Future<List<String>>> asking = new ArrayList<>();
            for (int t = 0; t < THREADS; t++) {
                String texts = happening + "-" + points + "-" + t + "-";
                asking.add(threads.submit(() -> ask(texts)));
            }
            for (Future<List<String>> one : asking) {
                assertEquals(List.of(), one.get(60, TimeUnit.SECONDS), run);
            }
            happened = fuse.take();
            String text = "after " + run;
            DriverFixture.awaitTrue(() -> answer(driver.send(Command.of("ECHO", text)), text));
            DriverFixture.awaitTrue(() -> hears(text));
            driver.close();
        }
        assertTrue(points > 20, "there were " + points + " points only");
    }

    /** No request is under way: nobody but whoever reads can notice. */
    @ParameterizedTest
    @EnumSource(Happening.class)
    void subscribe_anythingThrownWhileAMessageIsRead_isNoticedAndMessagesComeAgain(Happening happening) {
        long points = 0;
        boolean happened = true;
        while (happened) {
            points++;
            fuse = new Fuse(); // threads of the driver before, which is closed, may come to a point yet
            driver = connect(server.port(), fuse);
            RecordedEvents events = DriverFixture.listen(driver);
            DriverFixture.get(driver.subscribe("news", messages::add));
            fuse.lay(points, happening);
            String text = happening + " at point " + points;
            server.command("PUBLISH", "news", "before");
            server.command("PUBLISH", "news", "before");
            DriverFixture.awaitTrue(() -> hears(text));
            happened = fuse.take();
            if (happened && happening != Happening.INTERRUPT) {
                // Mostly that of messages; the thread that reads replies may come to its next read only now.
                events.awaitEither("down");
            }
            DriverFixture.awaitTrue(() -> hears("after " + text));
            driver.close();
        }
        assertTrue(points > 2, "there were " + points + " points only");
    }

    /** Asks many things at once, and tells of replies that belong to others. */
    private List<String> ask(String texts) {
        List<CompletionStage<Reply>> stages = new ArrayList<>();
        List<String> asked = new ArrayList<>();
        for (int i = 0; i < EACH; i++) {
            String text = texts + i + (i == 1 && texts.endsWith("-0-") ? LARGE : "");
            asked.add(text);
            stages.add(driver.send(Command.of("ECHO", text)));
        }
        CompletionStage<Void> subscribed = driver.subscribe(texts, message -> {});
        CompletionStage<Void> left = driver.unsubscribe(texts);
        Thread.interrupted(); // what happened here is not to happen to the test
        List<String> astray = new ArrayList<>();
        for (int i = 0; i < EACH; i++) {
            Outcome<Reply> outcome = DriverFixture.outcome(stages.get(i));
            Reply reply = outcome.value();
            if (reply == null) {
                assertInstanceOf(DriverException.class, outcome.failure());
            } else if (!reply.toString().equals(asked.get(i))) {
                astray.add(abridged(asked.get(i)) + " was answered " + abridged(reply.toString()));
            }
        }
        DriverFixture.outcome(subscribed);
        DriverFixture.outcome(left);
        return astray;
    }

    private static String abridged(String text) {
        return text.length() > 100 ? text.substring(0, 100) + "…" : text;
    }

    private static boolean answer(CompletionStage<Reply> stage, String text) {
        Reply reply = DriverFixture.outcome(stage).value();
        if (reply != null && !reply.toString().equals(text)) {
            fail(text + " was answered " + abridged(reply.toString()));
        }
        return reply != null;
    }

    private boolean hears(String text) {
        server.command("PUBLISH", "news", text);
        try {
            for (String heard = messages.poll(5, TimeUnit.MILLISECONDS);
                    heard != null;
                    heard = messages.poll(5, TimeUnit.MILLISECONDS)) {
                if (heard.equals(text)) {
                    return true;
                }
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return false;
    }
}
