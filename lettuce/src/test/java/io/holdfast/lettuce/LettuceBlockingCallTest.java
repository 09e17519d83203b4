package io.holdfast.lettuce;

import io.holdfast.contracts.BlockingCallContract;
import io.holdfast.spi.RedisDriverProvider;

final class LettuceBlockingCallTest extends BlockingCallContract {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }
}
