package io.holdfast.jedis;

import io.holdfast.contracts.ReportContract;
import io.holdfast.spi.RedisDriverProvider;

class JedisReportTest extends ReportContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
