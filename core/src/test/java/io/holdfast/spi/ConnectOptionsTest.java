package io.holdfast.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.HoldfastOptions;
import io.holdfast.QuorumNode;
import io.holdfast.QuorumOptions;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;

final class ConnectOptionsTest {
    private static final ConnectOptions OPTIONS = ConnectOptions.defaults();

    private static RedisAddress address(String userInfo) {
        return RedisAddress.parse("redis://" + userInfo + "h:1");
    }

    @Test
    void credentialsFor_withoutSupplier_areThoseOfTheAddress() {
        assertNull(OPTIONS.credentialsFor(address("")));
        assertEquals(Credentials.of("u", "p"), OPTIONS.credentialsFor(address("u:p@")));
        assertEquals(Credentials.ofPassword("p"), OPTIONS.credentialsFor(address(":p@")));
    }

    @Test
    void credentialsFor_withSupplier_areThoseOfTheSupplier() {
        ConnectOptions full = OPTIONS.withCredentials(() -> Credentials.of("a", "b"));
        assertEquals(Credentials.of("a", "b"), full.credentialsFor(address("u:p@")));
        ConnectOptions half = OPTIONS.withCredentials(() -> Credentials.ofPassword("b"));
        assertEquals(Credentials.of("u", "b"), half.credentialsFor(address("u:p@")));
        assertEquals(Credentials.ofPassword("b"), half.credentialsFor(address("")));
    }

    @Test
    void credentialsFor_supplierThrows_isUnknownWithTheCause() {
        RuntimeException cause = new IllegalStateException("sealed");
        DriverException e = assertThrows(
                DriverException.class,
                () -> OPTIONS.withCredentials(() -> {
                            throw cause;
                        })
                        .credentialsFor(address("")));
        assertEquals(DriverException.Kind.UNKNOWN, e.kind());
        assertSame(cause, e.getCause());
        assertTrue(String.valueOf(e.getMessage()).contains("h:1"), e.toString());
    }

    @Test
    @SuppressWarnings("NullAway") // a supplier that does not keep its promise
    void credentialsFor_supplierAnswersNull_isUnknown() {
        Supplier<Credentials> none = () -> null;
        assertThrows(DriverException.class, () -> OPTIONS.withCredentials(none).credentialsFor(address("")));
    }

    @Test
    void check_whatFits_isTaken() {
        OPTIONS.check(address(""));
        OPTIONS.check(address("u:p@"));
        OPTIONS.withCredentials(() -> Credentials.ofPassword("p")).check(address("u@"));
        OPTIONS.withTls(Tls.defaults().withServerName("n")).check(RedisAddress.parse("rediss://h"));
    }

    @Test
    void check_userWithoutPassword_isRefused() {
        assertThrows(IllegalArgumentException.class, () -> OPTIONS.check(address("u@")));
    }

    @Test
    void check_tlsForAnAddressWithoutEncryption_isRefused() throws NoSuchAlgorithmException {
        ConnectOptions options = OPTIONS.withTls(Tls.over(SSLContext.getDefault()));
        assertThrows(IllegalArgumentException.class, () -> options.check(address("")));
    }

    @Test
    void toString_ofAllThatHaveAPassword_doesNotShowIt() {
        Credentials secret = Credentials.of("u", "hushhush");
        record Known(Credentials held) implements Supplier<Credentials> {
            @Override
            public Credentials get() {
                return held;
            }

            @Override
            public String toString() {
                return held.password();
            }
        }
        Supplier<Credentials> supplier = new Known(secret);
        HoldfastOptions options =
                HoldfastOptions.defaults().withCredentials(supplier).withSentinelCredentials(supplier);
        for (Object each : List.of(
                secret,
                Credentials.ofPassword("hushhush"),
                OPTIONS.withCredentials(supplier),
                options,
                QuorumOptions.defaults().withClient(options),
                QuorumNode.at("redis://u:hushhush@h").withCredentials(supplier),
                address("u:hushhush@"))) {
            assertFalse(each.toString().contains("hushhush"), each.toString());
        }
        assertEquals("Credentials[user u, password not shown]", secret.toString());
    }

    @Test
    void withServerName_noName_isRefused() {
        for (String bad : List.of("", "a b", "rediss://a")) {
            assertThrows(IllegalArgumentException.class, () -> Tls.defaults().withServerName(bad), bad);
        }
    }

    @Test
    void withAuthorities_overAContext_isRefused() throws NoSuchAlgorithmException {
        Tls over = Tls.over(SSLContext.getDefault());
        assertThrows(IllegalStateException.class, () -> over.withAuthorities(java.nio.file.Path.of("ca.pem")));
    }

    @Test
    void rejected_serverRepeatsArguments_theyAreLeftOut() {
        assertEquals(
                "ERR unknown command 'AUTH'",
                DriverException.rejected("ERR unknown command 'AUTH', with args beginning with: 'u' 'hushhush' ")
                        .getMessage());
    }
}
