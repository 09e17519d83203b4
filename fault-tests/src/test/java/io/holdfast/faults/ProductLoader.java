package io.holdfast.faults;

import java.io.IOException;
import java.io.InputStream;

/** Loads all that is ours itself, before the loader that has loaded the tests: so each has an engine of its own. */
public class ProductLoader extends ClassLoader {
    protected static final String OURS = "io.holdfast.";

    protected ProductLoader() {
        super(ProductLoader.class.getClassLoader());
    }

    @Override
    protected final Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            if (loaded != null) {
                return loaded;
            }
            return name.startsWith(OURS) ? findClass(name) : super.loadClass(name, resolve);
        }
    }

    @Override
    protected final Class<?> findClass(String name) throws ClassNotFoundException {
        try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (in == null) {
                throw new ClassNotFoundException(name);
            }
            byte[] bytes = loaded(name, in.readAllBytes());
            return defineClass(name, bytes, 0, bytes.length);
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }

    /** What is loaded in place of a class. */
    protected byte[] loaded(String name, byte[] bytes) {
        return bytes;
    }
}
