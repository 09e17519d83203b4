/** What the tests of an application need: a server in memory, time that stands still, leases that are lost on demand. */
@NullMarked
package io.holdfast.testkit;

import org.jspecify.annotations.NullMarked;
