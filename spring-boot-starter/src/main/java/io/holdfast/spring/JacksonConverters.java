package io.holdfast.spring;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.lang.reflect.Type;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.json.JsonMapper;

/** Results as the JSON of the application's own mapper: that of Spring Boot 4, or that of 3. */
final class JacksonConverters {
    private JacksonConverters() {}

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = "tools.jackson.databind.json.JsonMapper")
    @ConditionalOnBean(type = "tools.jackson.databind.json.JsonMapper")
    @ConditionalOnMissingBean(ResultConverter.class)
    static class Jackson3 {
        @Bean
        ResultConverter holdfastResultConverter(JsonMapper mapper) {
            return new ResultConverter() {
                @Override
                public String write(Object result, Type type) {
                    return mapper.writerFor(mapper.constructType(type)).writeValueAsString(result);
                }

                @Override
                public Object read(String text, Type type) {
                    return mapper.readValue(text, mapper.constructType(type));
                }
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = "com.fasterxml.jackson.databind.ObjectMapper")
    @ConditionalOnBean(type = "com.fasterxml.jackson.databind.ObjectMapper")
    @ConditionalOnMissingBean(ResultConverter.class)
    static class Jackson2 {
        @Bean
        ResultConverter holdfastResultConverter(ObjectMapper mapper) {
            return new ResultConverter() {
                @Override
                public String write(Object result, Type type) throws Exception {
                    return mapper.writerFor(mapper.constructType(type)).writeValueAsString(result);
                }

                @Override
                public Object read(String text, Type type) throws Exception {
                    return mapper.readValue(text, mapper.constructType(type));
                }
            };
        }
    }
}
