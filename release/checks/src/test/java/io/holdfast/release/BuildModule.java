package io.holdfast.release;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathExpressionException;
import javax.xml.xpath.XPathFactory;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/**
 * A module of this build, as its POM describes it.
 *
 * @param pom its root element
 * @param isPublished whether {@code mvn deploy} sends it anywhere
 */
record BuildModule(Path folder, Element pom, boolean isPublished) {
    static final Path ROOT = Path.of("../..");

    /** The parent first. */
    static List<BuildModule> all() throws Exception {
        Map<String, Element> poms = new HashMap<>();
        List<Path> folders = new ArrayList<>();
        collect(ROOT, folders, poms);
        List<BuildModule> modules = new ArrayList<>();
        for (Path folder : folders) {
            Element pom = read(folder);
            modules.add(new BuildModule(folder, pom, !isLeftOut(pom, poms)));
        }
        return modules;
    }

    static List<BuildModule> published() throws Exception {
        return all().stream().filter(BuildModule::isPublished).toList();
    }

    private static void collect(Path folder, List<Path> folders, Map<String, Element> poms) throws Exception {
        Element pom = read(folder);
        folders.add(folder);
        poms.put(text(pom, "artifactId"), pom);
        for (String where : List.of("modules/module", "profiles/profile[id='all']/modules/module")) {
            for (Element module : elements(pom, where)) {
                collect(folder.resolve(module.getTextContent().strip()), folders, poms);
            }
        }
    }

    private static boolean isLeftOut(Element pom, Map<String, Element> poms) throws Exception {
        // Not inherited.
        if (text(
                        pom,
                        "profiles/profile[id='release']/build/plugins/plugin[artifactId='maven-deploy-plugin']/configuration/skip")
                .equals("true")) {
            return true;
        }
        for (Element at = pom; at != null; at = poms.get(text(at, "parent/artifactId"))) {
            String said = text(at, "properties/maven.deploy.skip");
            if (!said.isEmpty()) {
                return said.equals("true");
            }
        }
        return false;
    }

    private static Element read(Path folder) throws Exception {
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(folder.resolve("pom.xml").toFile())
                .getDocumentElement();
    }

    String artifact() throws XPathExpressionException {
        return text("artifactId");
    }

    boolean isJar() throws XPathExpressionException {
        return !text("packaging").equals("pom");
    }

    /** What the first element on this path says, without the spaces around it; empty if there is none. */
    String text(String path) throws XPathExpressionException {
        return text(pom, path);
    }

    List<Element> elements(String path) throws XPathExpressionException {
        return elements(pom, path);
    }

    static String text(Element of, String path) throws XPathExpressionException {
        return XPathFactory.newInstance().newXPath().evaluate(path, of).strip();
    }

    private static List<Element> elements(Element of, String path) throws XPathExpressionException {
        NodeList found = (NodeList) XPathFactory.newInstance().newXPath().evaluate(path, of, XPathConstants.NODESET);
        List<Element> elements = new ArrayList<>();
        for (int i = 0; i < found.getLength(); i++) {
            elements.add((Element) found.item(i));
        }
        return elements;
    }

    /** The files below a folder of the module; none if there is no such folder. */
    List<Path> files(String below) throws IOException {
        Path top = folder.resolve(below);
        if (!Files.isDirectory(top)) {
            return List.of();
        }
        try (var files = Files.walk(top)) {
            return files.filter(Files::isRegularFile)
                    .map(top::relativize)
                    .sorted()
                    .toList();
        }
    }

    @Override
    public String toString() {
        return folder.toFile().getName();
    }
}
