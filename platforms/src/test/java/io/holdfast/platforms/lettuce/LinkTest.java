package io.holdfast.platforms.lettuce;

import io.holdfast.contracts.LinkContract;
import io.holdfast.lettuce.LettuceDriver;
import java.util.Map;

class LinkTest extends LinkContract {
    @Override
    protected Class<?> ofModule() {
        return LettuceDriver.class;
    }

    @Override
    protected Map<String, String> conditional() {
        return Map.of("io.holdfast.lettuce.MaintenanceNotifications", "io.lettuce.core.MaintNotificationsConfig");
    }
}
