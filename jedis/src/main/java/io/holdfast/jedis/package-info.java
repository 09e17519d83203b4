/** The driver over Jedis, for addresses and for pools that an application already has. */
@NullMarked
package io.holdfast.jedis;

import org.jspecify.annotations.NullMarked;
