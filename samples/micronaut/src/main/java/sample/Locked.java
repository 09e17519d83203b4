package sample;

import io.micronaut.aop.Around;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The method runs under the lock of this name, in which {@code {parameter}} stands for an argument. */
@Around
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
@interface Locked {
    String value();
}
