/** Distributed locks in a Spring Boot application: auto-configuration and annotations. */
@NullMarked
package io.holdfast.spring;

import org.jspecify.annotations.NullMarked;
