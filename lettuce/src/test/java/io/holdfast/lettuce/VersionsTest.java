package io.holdfast.lettuce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.RedisAddress;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import java.io.File;
import java.lang.reflect.InvocationTargetException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class VersionsTest {
    @Test
    void problem_versionsThatWork_isNone() {
        for (String netty : List.of("4.1.118.Final", "4.1.135.Final", "4.2.0.Final", "4.2.17.Final", "5.0.0", "own")) {
            assertNull(Versions.problem(true, "6.6.0.RELEASE/643bd47", netty), netty);
        }
        assertNull(Versions.problem(true, null, null));
    }

    @Test
    void problem_lettuceTooOld_namesItsVersionAndTheOldest() {
        assertEquals(
                "Lettuce 6.5.5.RELEASE is too old for Holdfast: the oldest that works is 6.6.0",
                Versions.problem(false, "6.5.5.RELEASE/cb02888", "4.1.118.Final"));
        assertEquals(
                "Lettuce (version unknown) is too old for Holdfast: the oldest that works is 6.6.0",
                Versions.problem(false, null, null));
    }

    @Test
    void problem_nettyTooOld_namesItsVersionAndTheOldest() {
        for (String netty : List.of("4.1.117.Final", "4.1.9.Final", "4.0.56.Final")) {
            assertEquals(
                    "Netty " + netty + " is too old for Holdfast: the oldest that works is 4.1.118",
                    Versions.problem(true, "6.6.0.RELEASE", netty));
        }
    }

    @Test
    void everyWay_lettuceTooOld_isRefusedAtOnce() throws Exception {
        try (OlderLettuce older = new OlderLettuce()) {
            Class<?> address = older.loadClass(RedisAddress.class.getName());
            Class<?> options = older.loadClass(ConnectOptions.class.getName());
            Class<?> client = older.loadClass(RedisClient.class.getName());
            Class<?> uri = older.loadClass(RedisURI.class.getName());
            Class<?> provider = older.loadClass(LettuceDriverProvider.class.getName());
            Class<?> driver = older.loadClass(LettuceDriver.class.getName());
            Object nowhere = address.getMethod("parse", String.class).invoke(null, "redis://127.0.0.1:1");
            Object defaults = options.getMethod("defaults").invoke(null);
            Object made = provider.getConstructor().newInstance();
            Object own = client.getMethod("create").invoke(null);
            try {
                assertRefused(
                        () -> provider.getMethod("connect", address, options).invoke(made, nowhere, defaults));
                assertRefused(() -> driver.getMethod("over", client).invoke(null, own));
                assertRefused(() -> driver.getMethod("over", client, uri)
                        .invoke(null, own, uri.getConstructor().newInstance()));
            } finally {
                client.getMethod("shutdown").invoke(own);
            }
        }
    }

    private interface Call {
        Object run() throws ReflectiveOperationException;
    }

    private static void assertRefused(Call call) {
        Throwable refused =
                assertThrows(InvocationTargetException.class, call::run).getCause();
        String message = assertInstanceOf(IllegalStateException.class, refused).getMessage();
        assertTrue(String.valueOf(message).contains("the oldest that works is 6.6.0"), message);
    }

    /** The class path anew, without a class that Lettuce has had since the oldest version that works. */
    private static final class OlderLettuce extends URLClassLoader {
        OlderLettuce() throws MalformedURLException {
            super(classPath(), ClassLoader.getPlatformClassLoader());
        }

        private static URL[] classPath() throws MalformedURLException {
            List<URL> places = new ArrayList<>();
            for (String place : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
                places.add(Path.of(place).toUri().toURL());
            }
            return places.toArray(URL[]::new);
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            if (name.equals("io.lettuce.core.RedisAuthenticationHandler")) {
                throw new ClassNotFoundException(name);
            }
            return super.findClass(name);
        }
    }
}
