/** What is published, compared with what is written about it. */
@NullMarked
package io.holdfast.release;

import org.jspecify.annotations.NullMarked;
