package io.holdfast.spring;

import io.holdfast.HoldfastOptions;

/**
 * Changes the options of the client that the starter makes, after the properties: for what a property cannot hold, such as
 * a supplier of credentials or an executor. A bean of this type is called once, before the client connects; several are
 * called in their order. Listeners need none: beans of the type {@link io.holdfast.HoldfastListener} are added.
 */
@FunctionalInterface
public interface HoldfastOptionsCustomizer {
    /** Returns the options to use. */
    HoldfastOptions customize(HoldfastOptions options);
}
