/**
 * What every driver and every lock has to do, as suites of tests, and what they stand on.
 *
 * <p>An author of a driver extends {@link io.holdfast.contracts.DriverContract} and
 * {@link io.holdfast.contracts.SubscriptionContract}, and the suites of what the driver has besides: docs/guide/own-client.md lists
 * them. These are promised as {@code io.holdfast.spi} is. The other types are Holdfast's own tests: any release may change them.
 */
@NullMarked
package io.holdfast.contracts;

import org.jspecify.annotations.NullMarked;
