package io.holdfast.spring;

import io.holdfast.Holdfast;
import org.springframework.boot.actuate.health.AbstractHealthIndicator;
import org.springframework.boot.actuate.health.Health;

/** The answer as Spring Boot 3 wants it. Only loaded there. */
final class HealthOfBoot3 extends AbstractHealthIndicator {
    private final HealthQuestion question;

    HealthOfBoot3(Holdfast holdfast) {
        super("the server of locks does not answer");
        this.question = new HealthQuestion(holdfast);
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        builder.up().withDetails(question.ask()); // what is thrown means that it is down
    }
}
