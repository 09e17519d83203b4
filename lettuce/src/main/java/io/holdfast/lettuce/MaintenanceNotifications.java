package io.holdfast.lettuce;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.MaintNotificationsConfig;

/** Loaded only where Lettuce has such notifications: since 7.0, in which they are on unless turned off. */
final class MaintenanceNotifications {
    private MaintenanceNotifications() {}

    static void turnOff(ClientOptions.Builder options) {
        options.maintNotificationsConfig(MaintNotificationsConfig.disabled());
    }
}
