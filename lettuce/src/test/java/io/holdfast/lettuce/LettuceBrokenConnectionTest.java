package io.holdfast.lettuce;

import io.holdfast.spi.RedisDriverProvider;
import io.holdfast.testkit.BrokenConnectionContract;

class LettuceBrokenConnectionTest extends BrokenConnectionContract {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }
}
