/** A lock registry for Spring Integration. */
@NullMarked
package io.holdfast.spring.integration;

import org.jspecify.annotations.NullMarked;
