/** Locks in a Spring Boot application. */
@NullMarked
package io.holdfast.spring;

import org.jspecify.annotations.NullMarked;
