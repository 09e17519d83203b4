/** Tools for the tests of an application: a server in memory, time that stands still, leases that are lost on demand. */
@NullMarked
package io.holdfast.testkit;

import org.jspecify.annotations.NullMarked;
