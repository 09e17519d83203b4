package io.holdfast.spring.platforms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockInfo;
import io.holdfast.LockTimeoutException;
import io.holdfast.ServerUnreachableException;
import io.holdfast.spring.CurrentLease;
import io.holdfast.spring.HoldfastTest;
import io.holdfast.spring.Locked;
import io.holdfast.testkit.LeaseControl;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** A user's test with {@code @HoldfastTest}: there is no server at all. */
@Timeout(60)
@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.NONE,
        properties = {
            "spring.data.redis.port=1",
            "spring.datasource.url=jdbc:h2:mem:${random.uuid}",
            "holdfast.lock.lease-duration=20s"
        })
@HoldfastTest
class InMemoryTest {
    @Configuration(proxyBeanMethods = false)
    @Import(Apps.Plain.class)
    static class App {
        @Bean
        Invoices invoices() {
            return new Invoices();
        }
    }

    static class Invoices {
        @Autowired
        LeaseControl control;

        @Locked(value = "invoice/{#id}", waitLimit = "0")
        public String book(String id, boolean lose) {
            if (lose) {
                control.lose(CurrentLease.get());
            }
            return "booked";
        }
    }

    @Autowired
    Holdfast holdfast;

    @Autowired
    LeaseControl control;

    @Autowired
    Invoices invoices;

    // Each of the tests leaves something that would break the others.

    @Test
    void book_free_isBooked() throws Exception {
        assertEquals("booked", invoices.book("7", false));
        assertEquals(Duration.ofSeconds(20), holdfast.options().lockDefaults().leaseDuration());
        Lease left = holdfast.lock("invoice/7").acquire();
        assertTrue(left.isValid());
        Lease read = holdfast.readWriteLock("invoices").write().acquire();
        assertTrue(read.isValid());
    }

    @Test
    void book_anotherIsAtIt_isRefused() {
        assertFalse(holdfast.inspect().isLocked("invoice/7"));
        assertEquals(
                0, holdfast.inspect().of(LockInfo.Kind.READ_WRITE).heldNames().count());
        control.hold("invoice/7");
        assertThrows(LockTimeoutException.class, () -> invoices.book("7", false));
    }

    @Test
    void book_leaseIsLost_isTold() {
        assertThrows(LeaseLostException.class, () -> invoices.book("7", true));
    }

    @Test
    void book_serverIsAway_isUnknown() {
        control.disconnect();
        assertThrows(ServerUnreachableException.class, () -> invoices.book("7", false));
    }

    @Test
    void beans_oneClientOfThisControl() {
        control.hold("seen");
        assertTrue(holdfast.inspect().isLocked("seen"));
    }
}
