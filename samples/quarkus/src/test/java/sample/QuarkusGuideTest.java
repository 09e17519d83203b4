package sample;

import io.holdfast.contracts.GuideExamples;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** The code of the guide is that of this application. */
class QuarkusGuideTest {
    @Test
    void examples_ofTheGuide_areOfThisApplication() throws IOException {
        GuideExamples.quote("docs/guide/quarkus.md", 6, "src");
    }

    @Test
    void pages_nameTheVersionThatIsTested() throws IOException {
        GuideExamples.name(System.getProperty("tested", "Quarkus"), "docs/guide/quarkus.md", "docs/compatibility.md");
    }
}
