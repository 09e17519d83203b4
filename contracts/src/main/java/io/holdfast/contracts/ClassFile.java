package io.holdfast.contracts;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a compiled class declares and refers to. Names are as in class files, with slashes.
 *
 * @param members access flags of its fields and methods, by name and descriptor
 * @param classes to which it refers
 * @param references to members of other classes, or its own
 */
record ClassFile(
        String name,
        int access,
        @Nullable String parent,
        List<String> interfaces,
        Map<String, Integer> members,
        List<String> classes,
        List<Reference> references) {

    /**
     * A member as another class names it.
     *
     * @param member name and descriptor; only those of methods have a parenthesis
     * @param ofInterface whether the owner has to be an interface; known of methods only
     */
    record Reference(String owner, String member, boolean ofInterface) {
        boolean toMethod() {
            return member.indexOf('(') >= 0;
        }
    }

    private static final int UTF8 = 1;
    private static final int CLASS = 7;
    private static final int FIELD = 9;
    private static final int METHOD = 10;
    private static final int INTERFACE_METHOD = 11;
    private static final int NAME_AND_TYPE = 12;

    boolean isInterface() {
        return Modifier.isInterface(access);
    }

    String packageName() {
        return name.substring(0, name.lastIndexOf('/') + 1);
    }

    static ClassFile read(byte[] octets) {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(octets))) {
            return read(in);
        } catch (IOException e) {
            throw new IllegalArgumentException("no class file", e);
        }
    }

    private static ClassFile read(DataInputStream in) throws IOException {
        in.skipNBytes(8); // magic, versions
        int count = in.readUnsignedShort();
        Object[] pool = new Object[count];
        for (int i = 1; i < count; i++) {
            int tag = in.readUnsignedByte();
            switch (tag) {
                case UTF8 -> pool[i] = in.readUTF();
                case CLASS, FIELD, METHOD, INTERFACE_METHOD, NAME_AND_TYPE -> {
                    int first = in.readUnsignedShort();
                    pool[i] = new int[] {tag, first, tag == CLASS ? 0 : in.readUnsignedShort()};
                }
                case 8, 16, 19, 20 -> in.skipNBytes(2); // String, MethodType, Module, Package
                case 15 -> in.skipNBytes(3); // MethodHandle
                case 3, 4, 17, 18 -> in.skipNBytes(4); // Integer, Float, Dynamic, InvokeDynamic
                case 5, 6 -> { // Long, Double
                    in.skipNBytes(8);
                    i++; // they count twice
                }
                default -> throw new IOException("constant of kind " + tag);
            }
        }
        int access = in.readUnsignedShort();
        String name = className(pool, in.readUnsignedShort());
        int parent = in.readUnsignedShort();
        List<String> interfaces = new ArrayList<>();
        for (int left = in.readUnsignedShort(); left > 0; left--) {
            interfaces.add(className(pool, in.readUnsignedShort()));
        }
        Map<String, Integer> members = new HashMap<>();
        for (int sort = 0; sort < 2; sort++) { // fields, methods
            for (int left = in.readUnsignedShort(); left > 0; left--) {
                int flags = in.readUnsignedShort();
                members.put(
                        text(pool, in.readUnsignedShort()) + separator(sort) + text(pool, in.readUnsignedShort()),
                        flags);
                for (int attributes = in.readUnsignedShort(); attributes > 0; attributes--) {
                    in.skipNBytes(2);
                    in.skipNBytes(in.readInt());
                }
            }
        }
        List<String> classes = new ArrayList<>();
        List<Reference> references = new ArrayList<>();
        for (int i = 1; i < count; i++) {
            if (pool[i] instanceof int[] constant) {
                switch (constant[0]) {
                    case CLASS -> classes.add(text(pool, constant[1]));
                    case FIELD, METHOD, INTERFACE_METHOD -> {
                        int[] signature = (int[]) pool[constant[2]];
                        references.add(new Reference(
                                className(pool, constant[1]),
                                text(pool, signature[1])
                                        + separator(constant[0] == FIELD ? 0 : 1)
                                        + text(pool, signature[2]),
                                constant[0] == INTERFACE_METHOD));
                    }
                    default -> {}
                }
            }
        }
        return new ClassFile(
                name, access, parent == 0 ? null : className(pool, parent), interfaces, members, classes, references);
    }

    /** Between a name and a descriptor: the descriptor of a method begins with a parenthesis, that of a field does not. */
    private static String separator(int sort) {
        return sort == 0 ? " " : "";
    }

    private static String className(Object[] pool, int index) {
        return text(pool, ((int[]) pool[index])[1]);
    }

    private static String text(Object[] pool, int index) {
        return (String) pool[index];
    }
}
