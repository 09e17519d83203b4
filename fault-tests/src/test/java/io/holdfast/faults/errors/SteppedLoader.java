package io.holdfast.faults.errors;

import io.holdfast.faults.ProductLoader;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Loads all that is ours anew, the engine with a call of {@link Steps#step} before each line, and with waits that are those of a
 * {@link DrivenThread}. Left out are static
 * initializers, whose Error makes a class unusable for good, lines that call and make nothing, at which the virtual machine throws
 * no Error, and lines that give a lock back, without which no program goes on.
 */
final class SteppedLoader extends ProductLoader {
    private static final String ENGINE = "io.holdfast.internal.";
    private static final String STEPS = "io/holdfast/faults/errors/Steps";
    private static final String THREAD = "io/holdfast/faults/errors/DrivenThread";
    private static final String FUTURE = "java/util/concurrent/CompletableFuture";
    private static final String LOCK = "java/util/concurrent/locks/ReentrantLock";

    private final List<String> lines;
    private final Map<String, Integer> numbers = new HashMap<>();

    /** @param lines gets the name of each line, {@code io.holdfast.Lease:42}, at the place that is its number */
    SteppedLoader(List<String> lines) {
        this.lines = lines;
    }

    @Override
    protected byte[] loaded(String name, byte[] bytes) {
        return isEngine(name) ? stepped(name, bytes) : bytes;
    }

    /** The faces and what is behind them: not the port, which drivers and the engine share. */
    private static boolean isEngine(String name) {
        return name.startsWith(ENGINE) || name.lastIndexOf('.') == OURS.length() - 1;
    }

    private byte[] stepped(String name, byte[] bytes) {
        ClassReader reader = new ClassReader(bytes);
        Lines found = new Lines();
        reader.accept(found, ClassReader.SKIP_FRAMES);
        ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
        reader.accept(
                new ClassVisitor(Opcodes.ASM9, writer) {
                    @Override
                    public MethodVisitor visitMethod(
                            int access,
                            String method,
                            String type,
                            @Nullable String generic,
                            String @Nullable [] thrown) {
                        MethodVisitor to = super.visitMethod(access, method, type, generic, thrown);
                        return method.equals("<clinit>") ? to : new Stepping(to, name, found);
                    }
                },
                0);
        return writer.toByteArray();
    }

    private synchronized int number(String line) {
        return numbers.computeIfAbsent(line, added -> {
            lines.add(added);
            return lines.size() - 1;
        });
    }

    /** Finds lines at which an Error may come: they call something or make something, and give no lock back. */
    private static final class Lines extends ClassVisitor {
        private final Set<Integer> failing = new HashSet<>();
        private final Set<Integer> unlocking = new HashSet<>();

        Lines() {
            super(Opcodes.ASM9);
        }

        boolean mayFail(int line) {
            return failing.contains(line) && !unlocking.contains(line);
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String method, String type, @Nullable String generic, String @Nullable [] thrown) {
            return new MethodVisitor(Opcodes.ASM9) {
                private int line;

                @Override
                public void visitLineNumber(int number, Label start) {
                    line = number;
                }

                @Override
                public void visitMethodInsn(int code, String owner, String called, String of, boolean isInterface) {
                    (called.equals("unlock") ? unlocking : failing).add(line);
                }

                @Override
                public void visitInvokeDynamicInsn(String name, String of, Handle by, Object... arguments) {
                    failing.add(line);
                }

                @Override
                public void visitTypeInsn(int code, String of) {
                    if (code == Opcodes.NEW || code == Opcodes.ANEWARRAY) {
                        failing.add(line);
                    }
                }

                @Override
                public void visitIntInsn(int code, int operand) {
                    if (code == Opcodes.NEWARRAY) {
                        failing.add(line);
                    }
                }
            };
        }
    }

    /** The call goes before the first instruction of a line, behind the frame that may be there. */
    private final class Stepping extends MethodVisitor {
        private final String ofClass;
        private final Lines found;
        private int line; // not counted yet; 0 if there is none

        Stepping(MethodVisitor to, String ofClass, Lines found) {
            super(Opcodes.ASM9, to);
            this.ofClass = ofClass;
            this.found = found;
        }

        private void step() {
            int number = line;
            if (number > 0) {
                line = 0;
                super.visitLdcInsn(number(ofClass + ":" + number));
                super.visitMethodInsn(Opcodes.INVOKESTATIC, STEPS, "step", "(I)V", false);
            }
        }

        @Override
        public void visitLineNumber(int number, Label start) {
            super.visitLineNumber(number, start);
            line = found.mayFail(number) ? number : 0;
        }

        @Override
        public void visitInsn(int code) {
            step();
            super.visitInsn(code);
        }

        @Override
        public void visitIntInsn(int code, int operand) {
            step();
            super.visitIntInsn(code, operand);
        }

        @Override
        public void visitVarInsn(int code, int index) {
            step();
            super.visitVarInsn(code, index);
        }

        @Override
        public void visitTypeInsn(int code, String type) {
            if (code != Opcodes.NEW) { // frames name the place of a NEW: the call goes behind it
                step();
            }
            super.visitTypeInsn(code, type);
        }

        @Override
        public void visitFieldInsn(int code, String owner, String name, String type) {
            step();
            super.visitFieldInsn(code, owner, name, type);
        }

        @Override
        public void visitMethodInsn(int code, String owner, String name, String type, boolean isInterface) {
            step();
            if (owner.equals(LOCK) && type.equals("()V") && (name.equals("lock") || name.equals("unlock"))) {
                super.visitInsn(name.equals("lock") ? Opcodes.ICONST_1 : Opcodes.ICONST_M1);
                super.visitMethodInsn(Opcodes.INVOKESTATIC, STEPS, "lock", "(I)V", false);
            }
            if (owner.equals(FUTURE)
                    && type.endsWith(")Ljava/lang/Object;")
                    && (name.equals("join") || name.equals("get"))) {
                super.visitMethodInsn(
                        Opcodes.INVOKESTATIC, THREAD, name, "(L" + FUTURE + ";" + type.substring(1), false);
            } else {
                super.visitMethodInsn(code, owner, name, type, isInterface);
            }
        }

        @Override
        public void visitInvokeDynamicInsn(String name, String type, Handle by, Object... arguments) {
            step();
            super.visitInvokeDynamicInsn(name, type, by, arguments);
        }

        @Override
        public void visitJumpInsn(int code, Label label) {
            step();
            super.visitJumpInsn(code, label);
        }

        @Override
        public void visitLdcInsn(Object value) {
            step();
            super.visitLdcInsn(value);
        }

        @Override
        public void visitIincInsn(int index, int by) {
            step();
            super.visitIincInsn(index, by);
        }

        @Override
        public void visitTableSwitchInsn(int least, int most, Label otherwise, Label... labels) {
            step();
            super.visitTableSwitchInsn(least, most, otherwise, labels);
        }

        @Override
        public void visitLookupSwitchInsn(Label otherwise, int[] keys, Label[] labels) {
            step();
            super.visitLookupSwitchInsn(otherwise, keys, labels);
        }

        @Override
        public void visitMultiANewArrayInsn(String type, int dimensions) {
            step();
            super.visitMultiANewArrayInsn(type, dimensions);
        }
    }
}
