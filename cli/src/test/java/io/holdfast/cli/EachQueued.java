package io.holdfast.cli;

import io.holdfast.HoldfastOptions;
import io.holdfast.LockOptions;

/** For what the command shows of the server's queue: clients of which each request stands there. */
final class EachQueued {
    static final HoldfastOptions OPTIONS =
            HoldfastOptions.defaults().withLockDefaults(LockOptions.defaults().withStrictOrder());

    private EachQueued() {}
}
