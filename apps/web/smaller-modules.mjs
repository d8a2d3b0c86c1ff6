// Modules of libraries that a build leaves out, and what stands in their place, so that pages need less JavaScript.
// Most of it: browsers get Next's ES modules. Next ships its code twice and takes the CommonJS modules, which a bundler
// can neither join nor leave parts out of (decisions: Dashboard).
import { fileURLToPath } from 'node:url';
import { browserVariantModules } from 'next/dist/build/browser-variant-modules.js';

const pathOf = (/** @type {string} */ file) => fileURLToPath(import.meta.resolve(file));
const LOADER = pathOf('./other-module-loader.cjs');

/** The folders of Next with both kinds of modules. */
const FOLDERS = ['client', 'lib', 'shared'];

/** The bundler reads these as client components, always from the CommonJS modules. */
const CLIENT_COMPONENTS = [
  'client/components/client-page',
  'client/components/client-segment',
  'client/components/http-access-fallback/error-boundary',
  'client/components/layout-router',
  'client/components/render-from-template-context',
  'lib/framework/boundary-components',
  'lib/metadata/generate/icon-mark',
];

/** A part for tests of Next's own, which it leaves out of a build by the place among the CommonJS modules. */
const TESTING_LOCK = 'client/components/segment-cache/navigation-testing-lock';

/** @type {import('next').TurbopackOptions['resolveAlias']} */
export const resolveAlias = {
  ...Object.fromEntries(
    FOLDERS.map((folder) => [`next/dist/${folder}/*`, { browser: `next/dist/esm/${folder}/*` }]),
  ),
  'next/navigation': { browser: 'next/dist/esm/client/components/navigation' },
  // Of no use to the browsers that Next supports (Chrome 111, Firefox 111, Safari 16.4), and no ES module.
  '../build/polyfills/polyfill-module': { browser: './nothing.mjs' },
};

/** @type {import('next').TurbopackOptions['rules']} */
export const rules = Object.fromEntries([
  ...CLIENT_COMPONENTS.map((name) => inPlaceOf(name, `esm/${name}`)),
  // Next puts these variants in place of the CommonJS modules alone.
  ...browserVariantModules.map((name) => inPlaceOf(`esm/${name}`, `esm/${name}.browser`)),
  inPlaceOf(`esm/${TESTING_LOCK}`, `esm/${TESTING_LOCK}.disabled`),
  [
    '**/lucide-react/dist/esm/createLucideIcon.mjs',
    { loaders: [{ loader: LOADER, options: { other: pathOf('./components/ui/make-icon.mjs') } }] },
  ],
]);

/**
 * @param {string} name of a module of Next
 * @param {string} other the module that a browser gets instead
 * @returns {[string, import('next').TurbopackRuleConfigItem]}
 */
function inPlaceOf(name, other) {
  return [
    `**/next/dist/${name}.js`,
    { condition: 'browser', loaders: [{ loader: LOADER, options: { other: `next/dist/${other}.js` } }] },
  ];
}
