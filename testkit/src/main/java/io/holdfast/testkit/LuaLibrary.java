package io.holdfast.testkit;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.luaj.vm2.Globals;
import org.luaj.vm2.LoadState;
import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaString;
import org.luaj.vm2.LuaTable;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Prototype;
import org.luaj.vm2.Varargs;
import org.luaj.vm2.compiler.LuaC;
import org.luaj.vm2.lib.PackageLib;
import org.luaj.vm2.lib.StringLib;
import org.luaj.vm2.lib.TableLib;
import org.luaj.vm2.lib.VarArgFunction;
import org.luaj.vm2.lib.jse.JseBaseLib;
import org.luaj.vm2.lib.jse.JseMathLib;

/**
 * The part of Lua 5.1 that Redis gives to scripts, without what reaches out of them.
 *
 * <p>LuaJ turns numbers into text in its own way, so whatever does that in the library is replaced: {@code string.format},
 * {@code tostring}, {@code tonumber},
 * {@code table.concat}. The operator {@code ..} is LuaJ's: it writes whole numbers beyond 14 digits
 * out, where Lua shortens them, and fractions with fewer digits than Lua. Neither {@code cjson} nor {@code bit} is there.
 */
final class LuaLibrary {
    private static final List<String> NOT_IN_REDIS =
            List.of("package", "require", "dofile", "loadfile", "print", "collectgarbage", "bit32");

    private LuaLibrary() {}

    static Globals newGlobals() {
        Globals globals = new Globals();
        globals.load(new JseBaseLib());
        globals.load(new PackageLib());
        globals.load(new TableLib());
        globals.load(new StringLib());
        globals.load(new JseMathLib());
        LoadState.install(globals);
        LuaC.install(globals);
        NOT_IN_REDIS.forEach(name -> globals.set(name, LuaValue.NIL));
        LuaTable table = globals.get("table").checktable();
        globals.set("unpack", table.get("unpack"));
        table.set("unpack", LuaValue.NIL);
        table.set("pack", LuaValue.NIL);
        table.set("concat", new Concat());
        table.set("getn", new Length());
        globals.get("string").checktable().set("format", new Format());
        globals.set("tostring", new ToText());
        globals.set("tonumber", new ToNumber());
        return globals;
    }

    static Prototype compile(Globals globals, String octets, String name) {
        try {
            return globals.compilePrototype(
                    new ByteArrayInputStream(octets.getBytes(StandardCharsets.ISO_8859_1)), name);
        } catch (IOException e) {
            throw new LuaError(e);
        }
    }

    static LuaString ofOctets(String octets) {
        return LuaString.valueUsing(octets.getBytes(StandardCharsets.ISO_8859_1));
    }

    static String toOctets(LuaString text) {
        return new String(text.m_bytes, text.m_offset, text.m_length, StandardCharsets.ISO_8859_1);
    }

    private static String text(LuaValue value) {
        return switch (value.type()) {
            case LuaValue.TNUMBER -> LuaNumbers.text(value.todouble());
            case LuaValue.TSTRING -> toOctets(value.checkstring());
            default -> value.tojstring();
        };
    }

    private static final class ToText extends VarArgFunction {
        @Override
        public Varargs invoke(Varargs args) {
            LuaValue value = args.checkvalue(1);
            LuaValue own = value.metatag(LuaValue.TOSTRING);
            return own.isnil() ? ofOctets(text(value)) : own.invoke(value);
        }
    }

    private static final class ToNumber extends VarArgFunction {
        @Override
        public Varargs invoke(Varargs args) {
            LuaValue value = args.checkvalue(1);
            if (value.type() == LuaValue.TNUMBER) {
                return value;
            }
            if (value.type() != LuaValue.TSTRING) {
                return LuaValue.NIL;
            }
            String text = toOctets(value.checkstring()).strip();
            int base = args.optint(2, 10);
            try {
                if (base != 10) {
                    return LuaValue.valueOf((double) Long.parseUnsignedLong(text, base));
                }
                String plain = text.startsWith("-") ? text.substring(1) : text;
                if (plain.startsWith("0x") || plain.startsWith("0X")) {
                    double hex = Long.parseUnsignedLong(plain.substring(2), 16);
                    return LuaValue.valueOf(plain.equals(text) ? hex : -hex);
                }
                // Java reads more than C does: suffixes and names.
                return !text.isEmpty() && text.chars().allMatch(c -> "0123456789+-.eE".indexOf(c) >= 0)
                        ? LuaValue.valueOf(Double.parseDouble(text))
                        : LuaValue.NIL;
            } catch (NumberFormatException e) {
                return LuaValue.NIL;
            }
        }
    }

    private static final class Length extends VarArgFunction {
        @Override
        public Varargs invoke(Varargs args) {
            return LuaValue.valueOf(args.checktable(1).length());
        }
    }

    private static final class Concat extends VarArgFunction {
        @Override
        public Varargs invoke(Varargs args) {
            LuaTable table = args.checktable(1);
            String between = args.isnoneornil(2) ? "" : text(args.checkvalue(2));
            int first = args.optint(3, 1);
            int last = args.isnoneornil(4) ? table.length() : args.checkint(4);
            StringBuilder all = new StringBuilder();
            for (int i = first; i <= last; i++) {
                LuaValue value = table.get(i);
                if (value.type() != LuaValue.TNUMBER && value.type() != LuaValue.TSTRING) {
                    throw new LuaError(
                            "invalid value (" + value.typename() + ") at index " + i + " in table for 'concat'");
                }
                all.append(i > first ? between : "").append(text(value));
            }
            return ofOctets(all.toString());
        }
    }

    /** {@code string.format}, with flags, width and precision as C has them. */
    private static final class Format extends VarArgFunction {
        @Override
        public Varargs invoke(Varargs args) {
            String pattern = text(args.checkvalue(1));
            StringBuilder out = new StringBuilder();
            int arg = 1;
            int i = 0;
            while (i < pattern.length()) {
                char c = pattern.charAt(i++);
                if (c != '%') {
                    out.append(c);
                    continue;
                }
                int begin = i;
                while (i < pattern.length() && "-+ #0123456789.".indexOf(pattern.charAt(i)) >= 0) {
                    i++;
                }
                if (i == pattern.length()) {
                    throw new LuaError("invalid option '%' to 'format'");
                }
                char kind = pattern.charAt(i);
                if (kind == '%') {
                    out.append('%');
                } else {
                    out.append(one(new Spec(pattern.substring(begin, i)), kind, args, ++arg));
                }
                i++;
            }
            return ofOctets(out.toString());
        }

        private static String one(Spec spec, char kind, Varargs args, int at) {
            return switch (kind) {
                case 'd', 'i' -> spec.number(Long.toString((long) args.checkdouble(at)));
                case 'u' -> spec.number(Long.toUnsignedString((long) args.checkdouble(at)));
                case 'x' -> spec.number(Long.toHexString((long) args.checkdouble(at)));
                case 'X' ->
                    spec.number(Long.toHexString((long) args.checkdouble(at)).toUpperCase(java.util.Locale.ROOT));
                case 'o' -> spec.number(Long.toOctalString((long) args.checkdouble(at)));
                case 'c' -> spec.pad(String.valueOf((char) (args.checkint(at) & 255)));
                case 'e' -> spec.number(LuaNumbers.scientific(args.checkdouble(at), spec.precision(6)));
                case 'f' -> spec.number(LuaNumbers.fixed(args.checkdouble(at), spec.precision(6)));
                case 'g' -> spec.number(LuaNumbers.general(args.checkdouble(at), spec.precision(6)));
                case 's' -> {
                    String text = text(args.checkvalue(at));
                    yield spec.pad(text.substring(0, Math.min(text.length(), spec.precision(text.length()))));
                }
                case 'q' -> quoted(text(args.checkvalue(at)));
                default -> throw new LuaError("invalid option '%" + kind + "' to 'format'");
            };
        }

        private static String quoted(String text) {
            StringBuilder out = new StringBuilder("\"");
            for (int i = 0; i < text.length(); i++) {
                char c = text.charAt(i);
                switch (c) {
                    case '"', '\\', '\n' -> out.append('\\').append(c);
                    case '\r' -> out.append("\\r");
                    case '\0' -> out.append("\\000");
                    default -> out.append(c);
                }
            }
            return out.append('"').toString();
        }
    }

    /** What stands between the percent sign and the letter. */
    private static final class Spec {
        private final String flags;
        private final int width;
        private final int precision; // -1 for none

        Spec(String text) {
            int digits = 0;
            while (digits < text.length() && "-+ #0".indexOf(text.charAt(digits)) >= 0) {
                digits++;
            }
            int dot = text.indexOf('.');
            flags = text.substring(0, digits);
            width = integer(text.substring(digits, dot < 0 ? text.length() : dot));
            precision = dot < 0 ? -1 : integer(text.substring(dot + 1));
        }

        private static int integer(String digits) {
            try {
                int number = digits.isEmpty() ? 0 : Integer.parseInt(digits);
                if (number < 100) {
                    return number;
                }
            } catch (NumberFormatException e) {
                // told below
            }
            throw new LuaError("invalid format (width or precision too long)");
        }

        int precision(int otherwise) {
            return precision < 0 ? otherwise : precision;
        }

        String number(String plain) {
            String signed = plain.startsWith("-")
                    ? plain
                    : flags.indexOf('+') >= 0 ? "+" + plain : flags.indexOf(' ') >= 0 ? " " + plain : plain;
            if (flags.indexOf('0') < 0 || flags.indexOf('-') >= 0) {
                return pad(signed);
            }
            int sign = signed.length() - plain.length() + (plain.startsWith("-") ? 1 : 0);
            return signed.substring(0, sign)
                    + "0".repeat(Math.max(0, width - signed.length()))
                    + signed.substring(sign);
        }

        String pad(String text) {
            String space = " ".repeat(Math.max(0, width - text.length()));
            return flags.indexOf('-') >= 0 ? text + space : space + text;
        }
    }
}
