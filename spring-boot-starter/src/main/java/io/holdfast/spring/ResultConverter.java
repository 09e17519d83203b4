package io.holdfast.spring;

import java.lang.reflect.Type;

/**
 * A converter between the results of methods with {@link DoneOnce} and the texts that are recorded. The starter creates one from
 * the application's own {@code JsonMapper} or {@code ObjectMapper} of Jackson; a bean of this type replaces it. If instances
 * share names, their converters must be able to read each other's texts. Many threads use a converter at the same time.
 */
public interface ResultConverter {
    /**
     * Returns the text of a result. The text must not be empty, because an empty text stands for a null result.
     *
     * @param result the result; never null
     * @param type the return type of the method; for a stage, the type of its result
     * @throws Exception if the result has no text: the call fails, although the method has run, and nothing is recorded
     */
    String write(Object result, Type type) throws Exception;

    /**
     * Returns the result that was written as this text, possibly by another version of the application.
     *
     * @throws Exception if the text cannot be read as this type: the call fails, and the record stays
     */
    Object read(String text, Type type) throws Exception;
}
