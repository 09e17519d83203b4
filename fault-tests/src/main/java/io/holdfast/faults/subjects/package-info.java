/** The lock libraries that the campaign looks at, behind one face. */
@NullMarked
package io.holdfast.faults.subjects;

import org.jspecify.annotations.NullMarked;
