/** Real servers, a proxy that breaks things on purpose, and the contract that every driver is tested against. */
@NullMarked
package io.holdfast.testkit;

import org.jspecify.annotations.NullMarked;
