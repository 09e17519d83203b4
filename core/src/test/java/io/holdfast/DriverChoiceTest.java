package io.holdfast;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.RedisDriverProvider;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How a client finds its driver on the class path. */
class DriverChoiceTest {
    /** A driver that is not there to be used. */
    public static class First implements RedisDriverProvider {
        @Override
        public String name() {
            return "first";
        }

        @Override
        public RedisDriver connect(RedisAddress address, ConnectOptions options) {
            throw DriverException.unknown(name() + " was asked for " + address, null);
        }
    }

    /** Another one. */
    public static final class Second extends First {
        @Override
        public String name() {
            return "second";
        }
    }

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path folder;

    @Test
    void connect_noDriver_saysWhatToAdd() throws Exception {
        IllegalStateException told = assertThrows(IllegalStateException.class, () -> connectWith(List.of()));
        assertTrue(String.valueOf(told.getMessage()).contains("add io.holdfast:holdfast-lettuce"), told.getMessage());
    }

    @Test
    void connect_oneDriver_isUsedAndItsFailureIsTold() throws Exception {
        ServerUnreachableException told =
                assertThrows(ServerUnreachableException.class, () -> connectWith(List.of(First.class)));
        assertEquals("first was asked for redis://somewhere:1234 [HF-UNREACHABLE]", told.getMessage());
    }

    @Test
    void connect_twoDrivers_namesBoth() throws Exception {
        IllegalStateException told =
                assertThrows(IllegalStateException.class, () -> connectWith(List.of(First.class, Second.class)));
        assertTrue(String.valueOf(told.getMessage()).contains("first, second"), told.getMessage());
    }

    @Test
    void embedded_moduleMissing_saysWhatToAdd() throws Exception {
        IllegalStateException told = assertThrows(IllegalStateException.class, Holdfast::embedded);
        assertTrue(String.valueOf(told.getMessage()).contains("add io.holdfast:holdfast-embedded"), told.getMessage());
    }

    private void connectWith(List<Class<? extends RedisDriverProvider>> providers) throws Exception {
        Path services = Files.createDirectories(folder.resolve("META-INF/services"));
        Files.write(
                services.resolve(RedisDriverProvider.class.getName()),
                providers.stream().map(Class::getName).toList());
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        URL[] urls = {folder.toUri().toURL()};
        try (URLClassLoader loader = new URLClassLoader(urls, getClass().getClassLoader())) {
            thread.setContextClassLoader(loader);
            Holdfast.connect("redis://somewhere:1234").close();
        } finally {
            thread.setContextClassLoader(before);
        }
    }
}
