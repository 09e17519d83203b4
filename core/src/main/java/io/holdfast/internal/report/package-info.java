/** What each client reports of itself, for those who look: how it is written, asked for and read. */
@NullMarked
package io.holdfast.internal.report;

import org.jspecify.annotations.NullMarked;
