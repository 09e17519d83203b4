/** What keeps leases apart where a server may have forgotten one, and where a holder has ended. */
@NullMarked
package io.holdfast.internal.safety;

import org.jspecify.annotations.NullMarked;
