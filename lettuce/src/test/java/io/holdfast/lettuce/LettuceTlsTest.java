package io.holdfast.lettuce;

import io.holdfast.contracts.TlsContract;
import io.holdfast.spi.RedisDriverProvider;

final class LettuceTlsTest extends TlsContract {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }
}
