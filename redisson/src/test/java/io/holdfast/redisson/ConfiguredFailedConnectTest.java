package io.holdfast.redisson;

import io.holdfast.contracts.FailedConnectContract;
import io.holdfast.spi.RedisDriverProvider;

/** The contract as configured by Redisson. */
final class ConfiguredFailedConnectTest extends FailedConnectContract {
    @Override
    protected RedisDriverProvider provider() {
        return new Configured();
    }
}
