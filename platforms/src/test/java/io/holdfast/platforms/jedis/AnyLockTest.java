package io.holdfast.platforms.jedis;

import io.holdfast.contracts.LockContract;
import io.holdfast.contracts.LockKind;
import io.holdfast.jedis.JedisDriverProvider;
import io.holdfast.spi.RedisDriverProvider;

@LockContract.Kinds(LockKind.EXCLUSIVE)
class AnyLockTest extends LockContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
