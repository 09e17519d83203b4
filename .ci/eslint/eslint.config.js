// What is wrong in the scripts of the dashboard's pages, which no compiler reads.
import js from '@eslint/js';
import globals from 'globals';

export default [
  js.configs.recommended,
  {
    languageOptions: { ecmaVersion: 2022, sourceType: 'module', globals: globals.browser },
    rules: { eqeqeq: 'error', 'no-eval': 'error', 'no-implied-eval': 'error', 'no-var': 'error', 'prefer-const': 'error' },
  },
];
