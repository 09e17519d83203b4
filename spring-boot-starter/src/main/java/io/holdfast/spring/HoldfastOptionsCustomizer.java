package io.holdfast.spring;

import io.holdfast.HoldfastOptions;

/**
 * A callback that changes the options of the client that the starter creates, after the properties have been applied. Use it for
 * options that a property cannot hold, such as a supplier of credentials or an executor. A bean of this type is called once,
 * before the client connects; several are called in their order. Listeners need no customizer: beans of the type
 * {@link io.holdfast.HoldfastListener} are added.
 */
@FunctionalInterface
public interface HoldfastOptionsCustomizer {
    /** Returns the options to use, given those that the properties set. */
    HoldfastOptions customize(HoldfastOptions options);
}
