package io.holdfast.dashboard;

import io.holdfast.Holdfast;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Tests in which a dashboard looks at two applications that use the locks of one server. */
@SuppressWarnings("NullAway.Init") // all is made before each test
abstract class TwoApplications {
    Stage stage;
    Holdfast billing;
    Holdfast shipping;

    @BeforeEach
    final void start() {
        stage = new Stage();
        billing = stage.application("billing");
        shipping = stage.application("shipping");
    }

    @AfterEach
    final void stop() throws Exception {
        stage.close();
    }
}
