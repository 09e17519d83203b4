package sample;

import io.micronaut.runtime.Micronaut;

/** Starts the web service. */
final class Application {
    private Application() {}

    public static void main(String[] args) {
        Micronaut.run(Application.class, args);
    }
}
