const { readFileSync } = require('node:fs');
const { dirname, isAbsolute, relative } = require('node:path');

/** For the bundler: a module that exports what the module `other` does. @throws Error if there is none */
module.exports = function exportOther() {
  const { other } = this.getOptions();
  const hasDefault = /\bexport default\b|\bas default\b/.test(readFileSync(require.resolve(other), 'utf8'));
  const from = JSON.stringify(isAbsolute(other) ? relative(dirname(this.resourcePath), other) : other);
  return `export * from ${from};${hasDefault ? `export { default } from ${from};` : ''}`;
};
