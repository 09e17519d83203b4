package io.holdfast.lettuce;

import io.holdfast.spi.RedisDriverProvider;
import io.holdfast.testkit.TlsContract;

final class LettuceTlsTest extends TlsContract {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }
}
