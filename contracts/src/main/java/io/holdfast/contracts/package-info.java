/**
 * Suites of tests for the behaviour that every driver and every lock must have, and their fixtures.
 *
 * <p>An author of a driver extends {@link io.holdfast.contracts.DriverContract} and
 * {@link io.holdfast.contracts.SubscriptionContract}, and the suites of the driver's other features, which
 * docs/guide/own-client.md lists. They are as stable as {@code io.holdfast.spi}. The other types are Holdfast's own tests: any
 * release may change them.
 */
@NullMarked
package io.holdfast.contracts;

import org.jspecify.annotations.NullMarked;
