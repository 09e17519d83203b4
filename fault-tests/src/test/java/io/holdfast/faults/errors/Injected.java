package io.holdfast.faults.errors;

/** The Error that a run throws once: what the virtual machine throws when it has no stack, memory or class left. */
final class Injected extends VirtualMachineError {
    private static final long serialVersionUID = 1;

    Injected(String place) {
        super(place);
    }
}
