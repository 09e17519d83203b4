package io.holdfast.lettuce;

import io.holdfast.contracts.DemotedServerContract;
import io.holdfast.spi.RedisDriverProvider;

class LettuceDemotedServerTest extends DemotedServerContract {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }
}
