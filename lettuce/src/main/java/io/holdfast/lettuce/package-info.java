/**
 * A driver for applications that use Lettuce.
 *
 * <p>Lettuce and Netty log through SLF4J where a binding is present, otherwise through {@code java.util.logging}, and this
 * package logs nothing of its own. Lettuce reports each lost and each regained connection at {@code INFO}, and failed
 * attempts at {@code WARN} at most every five seconds; on the JDK's defaults that goes to standard error. An application
 * that wants silence sets the logger {@code io.lettuce.core.protocol} to {@code ERROR}.
 */
@NullMarked
package io.holdfast.lettuce;

import org.jspecify.annotations.NullMarked;
