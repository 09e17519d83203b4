package io.holdfast.model.following;

/** Why a call is not compared with the model; or, of keys that a script has left, what the model does not know. */
final class NotFollowed extends RuntimeException {
    private static final long serialVersionUID = 1L;

    final String reason;

    NotFollowed(String reason) {
        super(reason, null, false, false);
        this.reason = reason;
    }
}
