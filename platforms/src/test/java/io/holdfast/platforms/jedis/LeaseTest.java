package io.holdfast.platforms.jedis;

import io.holdfast.contracts.LeaseContract;
import io.holdfast.contracts.LockKind;
import io.holdfast.jedis.JedisDriverProvider;
import io.holdfast.spi.RedisDriverProvider;

@LeaseContract.Kinds(LockKind.EXCLUSIVE)
class LeaseTest extends LeaseContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
