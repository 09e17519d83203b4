package io.holdfast.redisson;

import io.holdfast.contracts.DriverContract;
import io.holdfast.spi.RedisDriverProvider;

/** The contract as configured by Redisson. */
final class ConfiguredDriverTest extends DriverContract {
    @Override
    protected RedisDriverProvider provider() {
        return new Configured();
    }
}
