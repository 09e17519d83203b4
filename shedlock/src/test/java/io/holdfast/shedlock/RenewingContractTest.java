package io.holdfast.shedlock;

import io.holdfast.Holdfast;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;

class RenewingContractTest extends ProviderContract {
    @Override
    ExtensibleLockProvider providerOver(Holdfast client) {
        return HoldfastLockProvider.renewing(client);
    }
}
