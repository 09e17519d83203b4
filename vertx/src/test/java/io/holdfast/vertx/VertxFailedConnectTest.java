package io.holdfast.vertx;

import io.holdfast.contracts.FailedConnectContract;

final class VertxFailedConnectTest extends FailedConnectContract {
    @Override
    protected boolean seesAlerts() {
        return false;
    }
}
