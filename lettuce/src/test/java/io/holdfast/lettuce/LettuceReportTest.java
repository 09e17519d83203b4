package io.holdfast.lettuce;

import io.holdfast.contracts.ReportContract;
import io.holdfast.spi.RedisDriverProvider;

class LettuceReportTest extends ReportContract {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }
}
