package io.holdfast.spring;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;

/** What callers of the application's web interface are told of locks that were not to be had, where it answers with problem details (RFC 9457). */
@AutoConfiguration
@ConditionalOnClass(name = "org.springframework.web.bind.annotation.RestControllerAdvice")
@ConditionalOnWebApplication
@ConditionalOnProperty(prefix = "holdfast", name = "enabled", matchIfMissing = true)
class ProblemsAutoConfiguration {
    @Bean
    @ConditionalOnProperty(
            name = {"spring.mvc.problemdetails.enabled"},
            havingValue = "true")
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    static Problems holdfastProblems() {
        return new Problems();
    }

    @Bean
    @ConditionalOnProperty(
            name = {"spring.webflux.problemdetails.enabled"},
            havingValue = "true")
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
    static Problems holdfastReactiveProblems() {
        return new Problems();
    }
}
