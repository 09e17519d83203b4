package io.holdfast.release;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;

/** What is published, what the BOM lists, and what the documents name are the same. */
final class PublishedModulesTest {
    private static final String BOM = "holdfast-bom";
    private static final String MANAGED = "dependencyManagement/dependencies/dependency";

    @Test
    void bom_itsArtifacts_areThoseThatArePublished() throws Exception {
        TreeSet<String> published = new TreeSet<>();
        for (BuildModule module : BuildModule.published()) {
            if (!module.artifact().equals(BOM)) {
                published.add(module.artifact());
            }
        }
        TreeSet<String> listed = new TreeSet<>();
        for (Element dependency : bom().elements(MANAGED)) {
            assertTrue(listed.add(BuildModule.text(dependency, "artifactId")), "twice: " + listed);
        }
        assertEquals(published, listed, "bom/pom.xml lists each published module, and others say maven.deploy.skip");
        assertTrue(published.size() > 10, "the modules are no longer found");
    }

    @Test
    void bom_eachEntry_isOurJarInItsOwnVersion() throws Exception {
        for (Element dependency : bom().elements(MANAGED)) {
            String said = dependency.getTextContent().strip().replaceAll("\\s+", " ");
            assertEquals("io.holdfast " + BuildModule.text(dependency, "artifactId") + " ${project.version}", said);
        }
    }

    @Test
    void bom_hasNoParent_whichWouldManageOthersVersions() throws Exception {
        assertEquals("", bom().text("parent"));
    }

    @Test
    void bom_whatItSaysOfTheProject_isWhatTheParentSays() throws Exception {
        BuildModule parent = BuildModule.all().get(0);
        for (String fact : List.of("url", "licenses", "developers", "scm")) {
            assertTrue(!parent.text(fact).isEmpty(), fact);
            assertEquals(words(parent, fact), words(bom(), fact), fact);
        }
    }

    @Test
    void modules_thatArePublished_haveNameAndDescription() throws Exception {
        for (BuildModule module : BuildModule.published()) {
            assertTrue(module.text("name").startsWith("Holdfast "), module.artifact());
            assertTrue(!module.text("description").isEmpty(), module.artifact());
        }
    }

    @Test
    void modules_allOfThem_haveOneVersion() throws Exception {
        List<String> others = new ArrayList<>();
        String version = BuildModule.all().get(0).text("version");
        for (BuildModule module : BuildModule.all()) {
            String own = module.text("version");
            String above = module.text("parent/version");
            if (!(own.isEmpty() || own.equals(version)) || !(above.isEmpty() || above.equals(version))) {
                others.add(module.artifact());
            }
        }
        assertEquals(List.of(), others, "not " + version);
    }

    @Test
    void guide_toTheArtifacts_namesEachThatIsPublished() throws Exception {
        String guide = Files.readString(BuildModule.ROOT.resolve("docs/guide/artifacts.md"));
        for (BuildModule module : BuildModule.published()) {
            assertTrue(guide.contains("`" + module.artifact() + "`"), module.artifact());
        }
    }

    private static BuildModule bom() throws Exception {
        for (BuildModule module : BuildModule.all()) {
            if (module.artifact().equals(BOM)) {
                return module;
            }
        }
        throw new AssertionError("there is no module " + BOM);
    }

    private static String words(BuildModule module, String fact) throws Exception {
        return module.text(fact).replaceAll("\\s+", " ");
    }
}
