/**
 * A driver for applications that use Lettuce.
 *
 * <p><b>Logs.</b> This package logs nothing of its own. Lettuce brings the SLF4J interface: without a binding SLF4J says so
 * once on standard error, and Lettuce and Netty then log through {@code java.util.logging}, whose defaults print from
 * {@code INFO} on. There Lettuce reports each lost and each regained connection at {@code INFO}, and failed attempts to
 * reconnect at {@code WARNING}, at most every five seconds for each connection. With sharded
 * channels of several slots it also reports, at {@code WARNING} and with each reconnect, that it could not subscribe to all
 * of them in one command; the driver then does so one by one. An application that wants silence adds
 * {@code slf4j-nop} against the former, and sets the logger {@code io.lettuce.core} to {@code SEVERE} against the latter.
 */
@NullMarked
package io.holdfast.lettuce;

import org.jspecify.annotations.NullMarked;
