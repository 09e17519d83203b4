/** Real servers as processes that a test can freeze and kill, and a proxy that breaks connections on purpose. */
@NullMarked
package io.holdfast.contracts.servers;

import org.jspecify.annotations.NullMarked;
