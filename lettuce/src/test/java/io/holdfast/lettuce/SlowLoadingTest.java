package io.holdfast.lettuce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.spi.Command;
import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.RedisDriverProvider;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** A machine so slow that the classes of the client take longer to load than a connection may take. */
final class SlowLoadingTest {
    private static final Duration LIMIT = Duration.ofSeconds(2);
    private static final Duration LOADING = LIMIT.plusMillis(500);

    @Test
    void connect_classesOfTheClientLoadForLongerThanTheLimit_connects() throws Exception {
        // Lettuce needs it before the first look-up of a name, and this driver by itself never does.
        SlowLoader loader = new SlowLoader("io.lettuce.core.protocol.DefaultEndpoint");
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(loader); // Lettuce finds classes of its own there
        try {
            connects(loader);
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    private static void connects(SlowLoader loader) throws Exception {
        RedisDriverProvider provider = loader.loadClass(LettuceDriverProvider.class.getName())
                .asSubclass(RedisDriverProvider.class)
                .getConstructor()
                .newInstance();
        try (RedisServer server = RedisServer.start();
                RedisDriver driver = provider.connect(server.address(), new ConnectOptions(LIMIT, "holdfast"))) {
            assertEquals(
                    "PONG",
                    driver.send(Command.of("PING"))
                            .toCompletableFuture()
                            .get(10, TimeUnit.SECONDS)
                            .asString());
            assertTrue(loader.hasWaited, "the class was not needed");
        }
    }

    /** Loads the driver and its client anew, one class of them slowly. */
    private static final class SlowLoader extends ClassLoader {
        private final String slow;
        private volatile boolean hasWaited;

        SlowLoader(String slow) {
            super(SlowLoadingTest.class.getClassLoader());
            this.slow = slow;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith("io.holdfast.lettuce.")
                    && !name.startsWith("io.lettuce.")
                    && !name.startsWith("io.netty.")) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                return loaded == null ? define(name) : loaded;
            }
        }

        private Class<?> define(String name) throws ClassNotFoundException {
            if (name.equals(slow)) {
                long begin = System.nanoTime();
                while (System.nanoTime() - begin < LOADING.toNanos()) {
                    LockSupport.parkNanos(LOADING.toNanos());
                }
                hasWaited = true;
            }
            try (InputStream bytes = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
                if (bytes == null) {
                    throw new ClassNotFoundException(name);
                }
                byte[] all = bytes.readAllBytes();
                return defineClass(name, all, 0, all.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }
}
