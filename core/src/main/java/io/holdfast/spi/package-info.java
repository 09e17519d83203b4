/**
 * The interfaces through which Holdfast talks to a server, and those that supply time and randomness. Users of the library need
 * this package only if they pass in a client of their own or write a driver.
 *
 * <p><b>Drivers.</b> A driver implements {@link RedisDriver} and {@link RedisDriverProvider}, for one server. The engine
 * uses one driver for each of several servers. It relies on the documentation of these two, {@link ConnectionListener} and
 * {@link DriverException}, and on nothing else. The suites {@code DriverContract} and {@code SubscriptionContract} of the
 * artifact {@code holdfast-contracts} test a driver against that documentation. A driver that passes them serves every kind
 * of lock on a single server. {@link BlockingCall} and {@link MessageProbe} help drivers, and are optional.
 *
 * <p><b>Compatibility.</b> A patch release removes and changes nothing here, and requires nothing more of drivers. A minor
 * release before 1.0 may change this package without a deprecation; the changelog says how. A method that it adds to an
 * interface that drivers implement has a default, with which they work as before. So a driver runs with the minor version
 * whose contracts it was tested with.
 */
@NullMarked
package io.holdfast.spi;

import org.jspecify.annotations.NullMarked;
