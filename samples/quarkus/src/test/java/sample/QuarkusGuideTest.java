package sample;

import io.holdfast.contracts.GuideExamples;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class QuarkusGuideTest {
    @Test
    void examples_ofTheGuide_areOfThisApplication() throws IOException {
        GuideExamples.quote("docs/guide/quarkus.md", 6, "src");
    }
}
