package io.holdfast.spring;

import io.holdfast.Revocation;
import io.holdfast.ServerRefusedException;
import io.holdfast.ServerUnreachableException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/**
 * {@link LocksEndpoint} over HTTP, with statuses that scripts can use: 404 if there was nothing to release, 409 if another has the lock by now,
 * 503 if the server of locks does not answer, or refuses.
 */
@EndpointWebExtension(endpoint = LocksEndpoint.class)
final class LocksWebEndpoint {
    private static final int CONFLICT = 409;

    private final LocksEndpoint locks;

    LocksWebEndpoint(LocksEndpoint locks) {
        this.locks = locks;
    }

    /** The locks that are held. */
    @ReadOperation
    public WebEndpointResponse<Map<String, Object>> locks() {
        return answer(() -> new WebEndpointResponse<>(locks.locks()));
    }

    /** One lock. */
    @ReadOperation
    public WebEndpointResponse<Map<String, Object>> lock(
            @Selector(match = Selector.Match.ALL_REMAINING) String[] name) {
        return answer(() -> new WebEndpointResponse<>(locks.lock(name)));
    }

    /** Releases the hold that has this token. */
    @DeleteOperation
    public WebEndpointResponse<Map<String, Object>> release(
            @Selector(match = Selector.Match.ALL_REMAINING) String[] name, long token) {
        return answer(() -> {
            Revocation done = locks.revoke(name, token);
            return new WebEndpointResponse<>(LocksEndpoint.shown(done), status(done.outcome()));
        });
    }

    private static int status(Revocation.Outcome outcome) {
        return switch (outcome) {
            case RELEASED -> WebEndpointResponse.STATUS_OK;
            case NOTHING_TO_RELEASE -> WebEndpointResponse.STATUS_NOT_FOUND;
            case LEFT_ALONE -> CONFLICT;
        };
    }

    private static WebEndpointResponse<Map<String, Object>> answer(
            Supplier<WebEndpointResponse<Map<String, Object>>> question) {
        try {
            return question.get();
        } catch (IllegalArgumentException e) {
            throw new InvalidEndpointRequestException(String.valueOf(e.getMessage()), "a bad parameter", e);
        } catch (ServerUnreachableException | ServerRefusedException e) {
            Map<String, Object> failed = new LinkedHashMap<>();
            failed.put("code", e.code());
            failed.put("message", e.getMessage());
            return new WebEndpointResponse<>(failed, WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE);
        }
    }
}
