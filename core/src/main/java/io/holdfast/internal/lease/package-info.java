/** What all ways of asking share: time, threads and events, and a request and a hold that end once. */
@NullMarked
package io.holdfast.internal.lease;

import org.jspecify.annotations.NullMarked;
