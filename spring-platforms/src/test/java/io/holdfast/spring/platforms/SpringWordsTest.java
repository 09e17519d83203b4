package io.holdfast.spring.platforms;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.spring.HoldfastConnectionDetails;
import io.holdfast.spring.Locked;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.dao.annotation.PersistenceExceptionTranslationPostProcessor;
import org.springframework.stereotype.Repository;

/** What Spring has words of its own for: where a server is, and what data access throws. */
final class SpringWordsTest {
    private static RedisServer server;

    @BeforeAll
    static void startServer() {
        server = RedisServer.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Elsewhere {
        @Bean
        static HoldfastConnectionDetails elsewhere() {
            return () -> server.url().replaceFirst("/\\d*$", "") + "/4";
        }
    }

    @Test
    void start_beanOfConnectionDetails_saysWhereInPlaceOfTheProperty() throws Exception {
        try (ConfigurableApplicationContext context =
                        Apps.start(server.port(), Elsewhere.class, "holdfast.url=redis://nowhere.invalid");
                Lease lease = context.getBean(Holdfast.class).lock("elsewhere").acquire();
                Holdfast there = Apps.connect(server.url().replaceFirst("/\\d*$", "") + "/4")) {
            assertTrue(lease.isHeldOnServer());
            assertTrue(there.inspect().isLocked("elsewhere"));
        }
    }

    /** What Spring asks for the words of its data access. */
    @Repository
    static class Rows {
        @Locked(value = "rows", waitLimit = "0")
        public void write() {}
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Rows.class)
    static class WithRows {
        /** As Boot makes it where data access is on the class path. */
        @Bean
        static PersistenceExceptionTranslationPostProcessor translation() {
            PersistenceExceptionTranslationPostProcessor translation =
                    new PersistenceExceptionTranslationPostProcessor();
            translation.setProxyTargetClass(true);
            return translation;
        }
    }

    @Test
    void lockedRepository_lockIsTaken_throwsWhatSpringsDataAccessThrows() throws Exception {
        try (ConfigurableApplicationContext context = Apps.start(server.port(), WithRows.class);
                Holdfast other = Apps.connect(server.url());
                Lease lease = other.lock("rows").acquire()) {
            CannotAcquireLockException refused =
                    assertThrows(CannotAcquireLockException.class, context.getBean(Rows.class)::write);
            assertTrue(String.valueOf(refused.getMessage()).contains("lock 'rows' not obtained"), refused.getMessage());
            assertTrue(lease.isHeldOnServer());
        }
    }
}
