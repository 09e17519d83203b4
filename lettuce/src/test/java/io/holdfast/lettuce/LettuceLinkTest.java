package io.holdfast.lettuce;

import io.holdfast.contracts.LinkContract;
import java.util.Map;

final class LettuceLinkTest extends LinkContract {
    @Override
    protected Class<?> ofModule() {
        return LettuceDriver.class;
    }

    @Override
    protected Map<String, String> conditional() {
        return Map.of("io.holdfast.lettuce.MaintenanceNotifications", "io.lettuce.core.MaintNotificationsConfig");
    }
}
