/**
 * The port through which Holdfast talks to a server, and the seams through which time and randomness enter. Users of
 * the library meet this package only when they hand in a client of their own or write a driver.
 *
 * <p><b>A driver</b> implements {@link RedisDriver} and {@link RedisDriverProvider}, for one server: the engine routes to several over one
 * driver for each. It relies on what these two, {@link ConnectionListener} and {@link DriverException} say, and on nothing else. The suites
 * {@code DriverContract} and {@code SubscriptionContract} of the artifact {@code holdfast-contracts} test that: a driver that passes them
 * serves every kind of lock on a single server. {@link BlockingCall} and {@link MessageProbe} help drivers, which may do without.
 *
 * <p><b>Compatibility.</b> A patch release removes and changes nothing here, and demands nothing more of drivers. A minor release before
 * 1.0 may change this package without a deprecation; the changelog says how. A method that it adds to an interface that drivers implement
 * has a default, with which they work as before. So a driver runs with the minor version with whose contracts it was tested.
 */
@NullMarked
package io.holdfast.spi;

import org.jspecify.annotations.NullMarked;
