package io.holdfast.shedlock;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Holdfast;
import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.lettuce.LettuceDriverProvider;
import io.holdfast.spi.ConnectOptions;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.test.support.AbstractExtensibleLockProviderIntegrationTest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** ShedLock's own tests of a provider, against a real server. */
@SuppressWarnings("NullAway.Init") // set before each test
abstract class ProviderContract extends AbstractExtensibleLockProviderIntegrationTest {
    private RedisServer server;
    private Holdfast holdfast;

    abstract ExtensibleLockProvider providerOver(Holdfast client);

    @BeforeEach
    final void start() {
        server = RedisServer.start();
        holdfast = Holdfast.over(new LettuceDriverProvider().connect(server.address(), ConnectOptions.defaults()));
    }

    @AfterEach
    final void stop() {
        holdfast.close();
        server.close();
    }

    @Override
    protected final ExtensibleLockProvider getLockProvider() {
        return providerOver(holdfast);
    }

    @Override
    protected final void assertLocked(String lockName) {
        assertTrue(holdfast.inspect().isLocked(lockName));
    }

    @Override
    protected final void assertUnlocked(String lockName) {
        assertFalse(holdfast.inspect().isLocked(lockName));
    }
}
