/**
 * The port through which Holdfast talks to a server, and the seams through which time and randomness enter. Users of
 * the library meet this package only when they hand in a client of their own or write a driver.
 */
@NullMarked
package io.holdfast.spi;

import org.jspecify.annotations.NullMarked;
