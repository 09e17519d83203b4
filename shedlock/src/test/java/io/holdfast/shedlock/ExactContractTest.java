package io.holdfast.shedlock;

import io.holdfast.Holdfast;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;

class ExactContractTest extends ProviderContract {
    @Override
    ExtensibleLockProvider providerOver(Holdfast client) {
        return HoldfastLockProvider.exact(client);
    }
}
