package io.holdfast.spring;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Shows what is wrong and what to do in place of a stack trace. */
final class SetupFailureAnalyzer extends AbstractFailureAnalyzer<SetupException> {
    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, SetupException cause) {
        return new FailureAnalysis(cause.description(), cause.action(), cause);
    }
}
